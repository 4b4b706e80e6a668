/* Windows above the screen: help, the list of demos, reports. */
#include "session/state.h"

#include <stdio.h>
#include <string.h>

#include "data/lang.h"
#include "data/utf8.h"
#include "session/command.h"
#include "session/keys.h"

enum row_kind { ROW_ENTRY, ROW_KEYS, ROW_HEADING, ROW_TEXT };

/* An entry of the help: a name, how it is used, and a text that is wrapped. Headings have a name only, plain
 * text a text only. */
struct row {
    enum row_kind kind;
    const char *name, *usage, *text;
};

enum { ROWS_MAX = 200, NAME_COLS = 22, HELP_COLS = 100, LIST_COLS = 118 };

struct rows {
    struct row row[ROWS_MAX];
    int n;
};

static void add_row(struct rows *rows, struct row row)
{
    if (rows->n < ROWS_MAX)
        rows->row[rows->n++] = row;
}

static void add_heading(struct rows *rows, const char *name)
{
    add_row(rows, (struct row){.kind = ROW_HEADING, .name = name});
}

static void add_entry(struct rows *rows, const char *name, const char *usage, const char *text)
{
    add_row(rows, (struct row){ROW_ENTRY, name, usage, text});
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
    add_row(rows, (struct row){.kind = ROW_TEXT, .text = _(demo->summary)});
    for (size_t i = 0; i < demo->n_panes; i++)
        add_entry(rows, _(demo->panes[i].title), "", _(demo->panes[i].help));
    add_heading(rows, _("Keys"));
    for (size_t i = 0; i < n_key_bindings; i++)
        if (key_applies(stage, &key_bindings[i]))
            add_row(rows, (struct row){ROW_KEYS, key_bindings[i].keys, "", _(key_bindings[i].help)});
    add_heading(rows, _("Parameters"));
    for (size_t i = 0; i < demo->n_params; i++)
        add_entry(rows, demo->params[i].name, "", _(demo->params[i].help));
    add_heading(rows, _("Commands, typed after :"));
    for (size_t i = 0; i < demo->n_commands; i++)
        add_entry(rows, demo->commands[i].name, demo->commands[i].usage, _(demo->commands[i].help));
    for (size_t i = 0; i < n_commands; i++)
        add_entry(rows, commands[i].name, commands[i].usage, _(commands[i].help));
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

/* Whether ROW's name and usage leave the column beside them to the text. */
static bool is_side_by_side(const struct row *row, const char *name)
{
    int usage = utf8_columns(row->usage);
    return 1 + utf8_columns(name) + (usage > 0 ? 1 + usage : 0) < NAME_COLS;
}

/* Draws ROW from line Y on, which may lie outside, and returns how many lines it takes in INSIDE. */
static int draw_row(struct area inside, int y, const struct row *row)
{
    const struct look *look = inside.look;
    char name[64];
    if (row->kind == ROW_HEADING) {
        area_text(inside, 0, y, look_pen(look, ROLE_ACCENT), row->name);
        return 1;
    }
    int left = row->kind == ROW_TEXT ? 0 : NAME_COLS;
    int above = 0, cols = inside.cols - left > 8 ? inside.cols - left : 8;
    if (row->kind != ROW_TEXT) {
        snprintf(name, sizeof name, "%s", row->name);
        if (row->kind == ROW_KEYS)
            spell_keys(row->name, name, sizeof name);
        int x = 1 + area_text(inside, 1, y, look_pen(look, ROLE_STRONG), name);
        area_text(inside, x + 1, y, look_pen(look, ROLE_DIM), row->usage);
        above = is_side_by_side(row, name) ? 0 : 1;
    }
    int n = 0;
    for (const char *text = row->text; *text; n++) {
        char line[512];
        const char *end = utf8_line_end(text, cols);
        snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
        area_text(inside, left, y + above + n, look_pen(look, ROLE_TEXT), line);
        text = end + strspn(end, " ");
    }
    return above + (n > 0 ? n : 1);
}

/* Draws the rows from line AT on and returns how many lines they all take. */
static int draw_rows(struct area inside, const struct rows *rows, int at)
{
    int y = -at;
    for (int i = 0; i < rows->n; i++)
        y += draw_row(inside, y, &rows->row[i]);
    return y + at;
}

/* The lines of the rows in COLS columns. */
static int count_rows(const struct rows *rows, int cols, const struct look *look)
{
    return draw_rows((struct area){.look = look, .cols = cols}, rows, 0);
}

/* The columns inside the help's window on a screen of COLS columns: without margins and frame. */
static int help_cols(int cols)
{
    return (cols - 2 < HELP_COLS ? cols - 2 : HELP_COLS) - 4;
}

static void draw_help(const struct session *session, struct area screen)
{
    struct rows rows = {.n = 0};
    char title[64];
    help_rows(session_stage(session), &rows);
    snprintf(title, sizeof title, _("help: %s"), session_stage(session)->demo->name);
    int n = count_rows(&rows, help_cols(screen.cols), screen.look);
    struct area inside = window(screen, HELP_COLS, n + 2, title, _("\u2191\u2193 scroll, Esc leave"));
    draw_rows(inside, &rows, clamp_scroll(session->overlay_at, n, inside.rows));
}

static void draw_demos(const struct session *session, struct area screen)
{
    struct area inside =
        window(screen, LIST_COLS, (int)n_demos + 2, _("the chapter"), _("Enter goes there, Esc leave"));
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
        area_text_fit(inside, 16, i, inside.cols - 16, look_pen_on(look, ROLE_TEXT, bg), _(demo->summary));
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
        return count_rows(&rows, help_cols(session->screen_cols), &session->look);
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
    if (strcmp(key, "Enter") == 0) {
        overlay_enter(session);
        return true;
    }
    session->overlay = OVERLAY_NONE;
    /* Any key leaves, but what is typed for a command must not act as keys. */
    return strcmp(key, ":") != 0;
}
