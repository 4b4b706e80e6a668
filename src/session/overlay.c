/* Windows above the screen: help, the list of demos, reports. */
#include "session/state.h"

#include <stdio.h>
#include <string.h>

#include "data/lang.h"
#include "data/utf8.h"
#include "session/command.h"
#include "session/keys.h"

/* A line of an overlay: up to three columns of text. */
struct row {
    const char *left, *middle, *right;
    bool is_heading, is_keys;
};

enum { ROWS_MAX = 200 };

struct rows {
    struct row row[ROWS_MAX];
    int n;
};

static void add_row(struct rows *rows, struct row row)
{
    if (rows->n < ROWS_MAX)
        rows->row[rows->n++] = row;
}

/* Key names as a keyboard has them: "S-Left" is written shift \u2190. */
static void spell_keys(const char *keys, char *out, size_t size)
{
    static const struct {
        const char *name, *sign;
    } signs[] = {{"S-", "shift "}, {"C-", "ctrl "},    {"Left", "\u2190"},    {"Right", "\u2192"},
                 {"Up", "\u2191"}, {"Down", "\u2193"}, {"space", N_("space")}};
    size_t n = 0;
    while (*keys && n + 8 < size) {
        size_t i = 0;
        while (i < sizeof signs / sizeof *signs && strncmp(keys, signs[i].name, strlen(signs[i].name)) != 0)
            i++;
        if (i < sizeof signs / sizeof *signs) {
            n += (size_t)snprintf(out + n, size - n, "%s", _(signs[i].sign));
            keys += strlen(signs[i].name);
        } else {
            out[n++] = *keys++;
        }
    }
    out[n] = '\0';
}

static void help_rows(const struct stage *stage, struct rows *rows)
{
    const struct demo *demo = stage->demo;
    add_row(rows, (struct row){.left = _("Keys"), .is_heading = true});
    for (size_t i = 0; i < n_key_bindings; i++)
        if (key_applies(stage, &key_bindings[i]))
            add_row(rows, (struct row){key_bindings[i].keys, "", _(key_bindings[i].help), .is_keys = true});
    add_row(rows, (struct row){.left = _("Parameters"), .is_heading = true});
    for (size_t i = 0; i < demo->n_params; i++)
        add_row(rows, (struct row){demo->params[i].name, "", _(demo->params[i].help), .is_heading = false});
    add_row(rows, (struct row){.left = _("Commands, typed after :"), .is_heading = true});
    for (size_t i = 0; i < demo->n_commands; i++)
        add_row(rows, (struct row){demo->commands[i].name, demo->commands[i].usage, _(demo->commands[i].help),
                                   .is_heading = false});
    for (size_t i = 0; i < n_commands; i++)
        add_row(rows,
                (struct row){commands[i].name, commands[i].usage, _(commands[i].help), .is_heading = false});
}

static struct area window(struct area screen, int cols, int rows, const char *title, const char *figure)
{
    cols = cols < screen.cols - 2 ? cols : screen.cols - 2;
    rows = rows < screen.rows - 2 ? rows : screen.rows - 2;
    struct area a = area_part(screen, (screen.cols - cols) / 2, (screen.rows - rows) / 2, cols, rows);
    area_fill(a, look_pen(screen.look, ROLE_TEXT), ' ');
    return area_pane(a, title, figure, true);
}

/* How far an overlay of N lines can be scrolled in ROWS rows. */
static int clamp_scroll(int at, int n, int rows)
{
    int most = n > rows ? n - rows : 0;
    return at < 0 ? 0 : at > most ? most : at;
}

static void draw_rows(struct area inside, const struct rows *rows, int at)
{
    const struct look *look = inside.look;
    int left = 22;
    at = clamp_scroll(at, rows->n, inside.rows);
    for (int i = 0; i < inside.rows && at + i < rows->n; i++) {
        const struct row *row = &rows->row[at + i];
        if (row->is_heading) {
            area_text(inside, 0, i, look_pen(look, ROLE_ACCENT), row->left);
            continue;
        }
        char keys[64];
        if (row->is_keys)
            spell_keys(row->left, keys, sizeof keys);
        int x = area_text_fit(inside, 1, i, left - 2, look_pen(look, ROLE_STRONG),
                              row->is_keys ? keys : row->left) +
                2;
        area_text_fit(inside, x, i, left - x > 0 ? left - x + 6 : 0, look_pen(look, ROLE_DIM), row->middle);
        int right = x + utf8_columns(row->middle) + 2 > left ? x + utf8_columns(row->middle) + 2 : left;
        area_text_fit(inside, right, i, inside.cols - right, look_pen(look, ROLE_TEXT), row->right);
    }
}

static void draw_help(const struct session *session, struct area screen)
{
    struct rows rows = {.n = 0};
    char title[64];
    help_rows(session_stage(session), &rows);
    snprintf(title, sizeof title, _("help: %s"), session_stage(session)->demo->name);
    struct area inside = window(screen, 92, rows.n + 2, title, _("\u2191\u2193 scroll, Esc leave"));
    draw_rows(inside, &rows, session->overlay_at);
}

static void draw_demos(const struct session *session, struct area screen)
{
    struct area inside =
        window(screen, 92, (int)n_demos + 2, _("the chapter"), _("Enter goes there, Esc leave"));
    const struct look *look = inside.look;
    int at = session->overlay_at, top = at >= inside.rows ? at - inside.rows + 1 : 0;
    for (int i = 0; i < inside.rows && top + i < (int)n_demos; i++) {
        const struct demo *demo = demos[top + i];
        bool chosen = top + i == at;
        if (chosen)
            area_fill(area_part(inside, 0, i, inside.cols, 1), look_pen(look, ROLE_BAR), ' ');
        rgb bg = chosen ? look_pen(look, ROLE_BAR).bg : look_background(look);
        area_textf(inside, 0, i, look_pen_on(look, ROLE_DIM, bg), "%s %2d", chosen ? "\u25b8" : " ",
                   top + i + 1);
        area_text(inside, 6, i, look_pen_on(look, chosen ? ROLE_SELECT : ROLE_STRONG, bg), demo->name);
        area_text_fit(inside, 17, i, inside.cols - 17, look_pen_on(look, ROLE_TEXT, bg), _(demo->summary));
    }
}

/* Line N of TEXT (counted from 0) in OUT; false behind the last. */
static bool text_line(const char *text, int n, char *out, size_t size)
{
    for (; n > 0 && *text; n--) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    snprintf(out, size, "%.*s", (int)strcspn(text, "\n"), text);
    return *text != '\0';
}

static int count_lines(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void draw_report(const struct session *session, struct area screen)
{
    const char *text = session_report(session);
    int n = count_lines(text);
    struct area inside = window(screen, 92, n + 2, _("report"), _("\u2191\u2193 scroll, Esc leave"));
    int at = clamp_scroll(session->overlay_at, n, inside.rows);
    char line[256];
    for (int i = 0; i < inside.rows && text_line(text, at + i, line, sizeof line); i++)
        area_text_fit(inside, 0, i, inside.cols, look_pen(inside.look, ROLE_TEXT), line);
}

void overlay_draw(const struct session *session, struct area screen)
{
    static void (*const draw[])(const struct session *, struct area) = {
        [OVERLAY_HELP] = draw_help,
        [OVERLAY_DEMOS] = draw_demos,
        [OVERLAY_REPORT] = draw_report,
    };
    if (session->overlay != OVERLAY_NONE)
        draw[session->overlay](session, screen);
}

/* ---- keys */

static int overlay_length(const struct session *session)
{
    struct rows rows = {.n = 0};
    switch (session->overlay) {
    case OVERLAY_HELP:
        help_rows(session_stage(session), &rows);
        return rows.n;
    case OVERLAY_DEMOS:
        return (int)n_demos;
    case OVERLAY_REPORT:
        return count_lines(session_report(session));
    case OVERLAY_NONE:
        break;
    }
    return 0;
}

static const struct {
    const char *key;
    int by;
} scrolls[] = {
    {"Up", -1},    {"k", -1},         {"Down", 1},     {"j", 1},       {"PageUp", -10}, {"PageDown", 10},
    {"space", 10}, {"Home", -100000}, {"End", 100000}, {"g", -100000}, {"G", 100000},
};

static void overlay_enter(struct session *session)
{
    char line[128];
    bool chooses = session->overlay == OVERLAY_DEMOS;
    session->overlay = OVERLAY_NONE;
    if (!chooses)
        return;
    snprintf(line, sizeof line, "demo %s", demos[session->overlay_at]->name);
    session_run_line(session, line);
}

bool overlay_key(struct session *session, const char *key)
{
    if (session->overlay == OVERLAY_NONE)
        return false;
    for (size_t i = 0; i < sizeof scrolls / sizeof *scrolls; i++) {
        if (strcmp(scrolls[i].key, key) != 0)
            continue;
        int rows = session->overlay == OVERLAY_DEMOS ? 1 : session->screen_rows - 4;
        session->overlay_at =
            clamp_scroll(session->overlay_at + scrolls[i].by, overlay_length(session), rows > 1 ? rows : 1);
        return true;
    }
    if (strcmp(key, "Enter") == 0)
        overlay_enter(session);
    else
        session->overlay = OVERLAY_NONE;
    return true;
}
