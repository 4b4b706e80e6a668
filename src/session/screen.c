/* The screen around a demo: header, formula, panes, a sentence in words, the keys that matter here. */
#include "session/session.h"

#include <stdio.h>
#include <string.h>

#include "data/lang.h"
#include "data/utf8.h"
#include "session/keys.h"
#include "session/state.h"

enum { MIN_COLS = 40, MIN_ROWS = 12 };

static void draw_too_small(struct area all)
{
    char text[128];
    snprintf(text, sizeof text, _("attnlab needs %dx%d; this is %dx%d"), MIN_COLS, MIN_ROWS, all.cols,
             all.rows);
    if (all.cols > 1 || all.rows > 1)
        area_text_wrap(all, 0, look_pen(all.look, ROLE_TEXT), text);
}

/* The first file is still being loaded: whose it is, and how far. */
static void draw_opening(const struct session *session, struct area all)
{
    const struct stage *stage = session_stage(session);
    int x = 1, cols = utf8_columns(session->message);
    x += area_text(all, x, 0, look_pen(all.look, ROLE_STRONG), stage->demo->name) + 2;
    area_text_fit(all, x, 0, all.cols - x, look_pen(all.look, ROLE_DATA), stage->source.name);
    int at = cols < all.cols ? (all.cols - cols) / 2 : 0;
    area_text_fit(all, at, all.rows / 2, all.cols - at, look_pen(all.look, ROLE_TEXT), session->message);
}

/* The facts at the header's right end, the most important last so that it is dropped last. */
static void draw_facts(const struct session *session, struct area line)
{
    const struct stage *stage = session_stage(session);
    const struct demo *demo = stage->demo;
    struct pen dim = look_pen(line.look, ROLE_DIM);
    char fact[4][64] = {"", "", "", ""};
    size_t seed = param_find(demo->params, demo->n_params, "seed");

    snprintf(fact[0], sizeof fact[0], "? %s", _("help"));
    if (session->replay.text)
        snprintf(fact[1], sizeof fact[1], _("\u25b6 replay %zu / %zu, Esc stops"), session->replay.line,
                 session->replay.n_lines);
    else if (demo->position)
        snprintf(fact[1], sizeof fact[1], "%s",
                 stage->playing ? _("\u25b6 playing") : _("\u25ae\u25ae paused"));
    if (demo->progress)
        demo->progress(stage, fact[2], sizeof fact[2]);
    if (seed < demo->n_params && !stage->source.name[0])
        snprintf(fact[3], sizeof fact[3], _("seed %llu"), (unsigned long long)stage->values[seed].seed);

    int inset = 1;
    for (size_t i = 0; i < 4; i++) {
        int cols = utf8_columns(fact[i]);
        if (cols == 0 || inset + cols >= line.cols)
            continue;
        bool shouts = i == 1 && (stage->playing || session->replay.text);
        area_text_right(line, inset, 0, shouts ? look_pen(line.look, ROLE_SELECT) : dim, fact[i]);
        inset += cols + 3;
    }
}

static void draw_header(const struct session *session, struct area line)
{
    const struct stage *stage = session_stage(session);
    struct pen accent = look_pen(line.look, ROLE_ACCENT);
    char place[48];
    int x = 1;
    accent.attr |= ATTR_BOLD;
    x += area_text(line, x, 0, accent, "attnlab") + 2;
    x += area_text(line, x, 0, look_pen(line.look, ROLE_STRONG), stage->demo->name) + 2;
    if (line.cols >= 100) {
        x += area_text(line, x, 0, look_pen(line.look, ROLE_DIM), _(stage->demo->title)) + 2;
        if (stage->source.name[0])
            x += area_text_fit(line, x, 0, 30, look_pen(line.look, ROLE_DATA), stage->source.name) + 2;
        else if (n_demos > 1) {
            snprintf(place, sizeof place, _("%zu of %zu"), session->current + 1, n_demos);
            x += area_text(line, x, 0, look_pen(line.look, ROLE_FAINT), place) + 2;
        }
    }
    draw_facts(session, area_part(line, x, 0, line.cols - x, 1));
}

/* True if somebody asks what the selected parameter is, and no pane says it. */
static bool draw_panes(const struct session *session, struct area area)
{
    const struct stage *stage = session_stage(session);
    const struct demo *demo = stage->demo;
    bool leaves_question = session->asks_param;
    struct area place[PANES_MAX] = {0};
    demo->layout(stage, area, place);
    if (stage->zoomed) {
        for (size_t i = 0; i < demo->n_panes; i++)
            place[i] = i == stage->focus ? area : area_part(area, 0, 0, 0, 0);
    }
    for (size_t i = 0; i < demo->n_panes; i++) {
        const struct pane *pane = &demo->panes[i];
        if (area_is_empty(place[i]))
            continue;
        struct area inside = area_pane(place[i], _(pane->title), NULL, i == stage->focus);
        int title = utf8_columns(_(pane->title));
        if (pane->figure)
            pane->figure(stage, area_part(place[i], title + 5, 0, place[i].cols - title - 7, 1));
        pane->draw(stage, inside);
        if (leaves_question && pane->draw == panel_draw)
            leaves_question = !panel_explains(stage, inside);
    }
    return leaves_question;
}

/* Where to begin, for someone who sees the program for the first time. */
static void welcome(const struct session *session, char *out, size_t size)
{
    if (session_stage(session)->demo->position)
        snprintf(out, size,
                 _("Space starts; g lists the chapter's %zu demos, ] is the next one, ? explains."), n_demos);
    else
        snprintf(out, size,
                 _("\u2190 \u2192 change; g lists the chapter's %zu demos, ] is the next one, ? explains."),
                 n_demos);
}

/* The lines, three at most, that TEXT takes in COLS columns. */
static int count_lines(const char *text, int cols)
{
    int n = 0;
    for (; n < 3 && *text; n++) {
        text = utf8_line_end(text, cols);
        text += strspn(text, " ");
    }
    return n;
}

/* A message that is too long for its line covers what is above it: it is read once, and the panes stay in
 * place. */
static void draw_message(struct area all, int bottom, enum role role, const char *text)
{
    int x = role == ROLE_WARN ? 3 : 1, cols = all.cols - x - 1, n = count_lines(text, cols);
    struct area place = area_part(all, 0, bottom - n + 1, all.cols, n);
    area_fill(place, look_pen(all.look, ROLE_TEXT), ' ');
    if (role == ROLE_WARN)
        area_text(place, 1, 0, look_pen(all.look, role), "\u25b2");
    area_text_wrap(area_part(place, x, 0, cols, n), 0, look_pen(all.look, role), text);
}

static void draw_explanation(const struct stage *stage, struct area all, int y)
{
    struct buf text = {0};
    panel_explain(stage, &text);
    draw_message(all, y, ROLE_DIM, text.at);
    buf_free(&text);
}

static void draw_sentence(const struct session *session, struct area all, int y, bool explains_param)
{
    const struct stage *stage = session_stage(session);
    char text[512] = "";
    if (session->message[0]) {
        draw_message(all, y, session->message_is_error ? ROLE_WARN : ROLE_STRONG, session->message);
        return;
    }
    if (explains_param) {
        draw_explanation(stage, all, y);
        return;
    }
    enum role role = ROLE_DIM;
    if (stage->demo->remark)
        role = stage->demo->remark(stage, text, sizeof text);
    if (session->is_new && !session->replay.text && role != ROLE_WARN) {
        welcome(session, text, sizeof text);
        role = ROLE_STRONG;
    }
    int x = 1;
    if (role == ROLE_WARN && text[0])
        x += area_text(all, x, y, look_pen(all.look, role), "\u25b2 ");
    area_text_fit(all, x, y, all.cols - x - 1, look_pen(all.look, role), text);
}

static const char *shown_key(const struct key_binding *binding, char out[16])
{
    if (binding->shown)
        return _(binding->shown);
    size_t n = strcspn(binding->keys, " ");
    snprintf(out, 16, "%.*s", (int)n, binding->keys);
    return out;
}

static void draw_footer(const struct stage *stage, struct area line)
{
    int x = 1;
    for (int rank = 1; rank < 32; rank++) {
        for (size_t i = 0; i < n_key_bindings; i++) {
            const struct key_binding *binding = &key_bindings[i];
            if (binding->rank != rank || !key_applies(stage, binding))
                continue;
            char cap[16];
            const char *label = _(binding->label);
            /* What the arrows change is said by its name. */
            if (strcmp(binding->command, "adjust -1") == 0)
                label = stage->demo->params[stage->param].name;
            const char *key = shown_key(binding, cap);
            int cols = utf8_columns(key) + utf8_columns(label) + 3;
            if (x + cols > line.cols - 1)
                continue;
            struct pen pen = look_pen(line.look, ROLE_KEY);
            x += area_textf(line, x, 0, pen, " %s ", key) + 1;
            x += area_text(line, x, 0, look_pen(line.look, ROLE_DIM), label) + 2;
        }
    }
}

void session_draw(const struct session *session, struct frame *frame)
{
    const struct stage *stage = session_stage(session);
    struct area all = area_all(frame, &session->look);
    if (all.cols < MIN_COLS || all.rows < MIN_ROWS) {
        draw_too_small(all);
        return;
    }
    if (session->is_opening) {
        draw_opening(session, all);
        return;
    }
    struct area body = all;
    bool is_roomy = all.rows >= 44;
    draw_header(session, area_cut_top(&body, 1));
    stage->demo->formula(stage, area_inset(area_cut_top(&body, 1), 1, 0));
    struct area footer = area_cut_bottom(&body, 1);
    if (is_roomy)
        area_cut_bottom(&body, 1);
    int sentence = area_cut_bottom(&body, 1).y - all.y;
    bool explains_param = draw_panes(session, body);
    draw_sentence(session, all, sentence, explains_param);
    if (session->prompt.is_open)
        prompt_draw(&session->prompt, area_inset(footer, 1, 0));
    else
        draw_footer(stage, footer);
    overlay_draw(session, all);
}
