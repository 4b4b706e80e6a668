#include "demos/demo.h"

#include <stdio.h>
#include <string.h>

#include "data/lang.h"
#include "data/utf8.h"
#include "draw/bars.h"

enum {
    MARKER = 2,        /* the columns of the marker and the blank after it */
    GAP = 2,           /* between the columns of a row */
    COLUMN_LEAST = 44, /* a second column of rows must leave each this wide */
    COLUMN_MOST = 90,  /* a row wider than this tears name and value apart */
    SLIDER_LEAST = 6,
    SLIDER_MOST = 32,
    VALUE_LEAST = 7,
    HELP_LEAST = 2, /* rows that must be spare for the help line: a blank one and one to write in */
    SHOWN_MAX = 128,
};

/* Where things stand in a row; the same for all rows of a panel, so that they line up. */
struct columns {
    int label, label_cols;   /* label_cols 0: no labels */
    int middle, slider_cols; /* slider_cols 0: no sliders */
    int value_cols, right;   /* values end before column RIGHT */
};

static bool has_slider(const struct param *p)
{
    return p->kind == PARAM_REAL || p->kind == PARAM_INTEGER;
}

/* Where the label only repeats the name it is left out. */
static const char *label_beside_name(const struct param *p)
{
    const char *const label = _(p->label);

    return strcmp(label, p->name) == 0 ? "" : label;
}

bool panel_offers(const struct stage *stage, size_t param)
{
    const struct demo *const demo = stage->demo;

    return !demo->params[param].hidden && !(demo->is_idle && demo->is_idle(stage, param));
}

static size_t list_visible(const struct stage *stage, size_t out[PARAMS_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < stage->demo->n_params && n < PARAMS_MAX; i++) {
        if (panel_offers(stage, i))
            out[n++] = i;
    }
    return n;
}

int panel_lines(const struct stage *stage)
{
    size_t shown[PARAMS_MAX];

    return (int)list_visible(stage, shown);
}

/* A blank at each side of each choice, one column between chips. */
static int chips_columns(const struct param *p)
{
    int cols = -1;

    for (size_t i = 0; p->choices[i]; i++)
        cols += utf8_columns(p->choices[i]) + 3;
    return cols;
}

static struct columns measure_columns(const struct stage *stage, int cols)
{
    const struct demo *const demo = stage->demo;
    int name = 0, label = 0, value = VALUE_LEAST;
    size_t shown[PARAMS_MAX];
    const size_t n = list_visible(stage, shown);

    for (size_t i = 0; i < n; i++) {
        const struct param *const p = &demo->params[shown[i]];
        char text[SHOWN_MAX];

        name = max_int(name, utf8_columns(p->name));
        label = max_int(label, utf8_columns(label_beside_name(p)));
        if (has_slider(p)) {
            param_show(p, &stage->values[shown[i]], cols / 3, text, sizeof text);
            value = max_int(value, utf8_columns(text));
        }
    }

    struct columns at = {.label = MARKER + name + GAP, .value_cols = value};
    const int rest = cols - at.label - value - GAP;

    at.middle = at.label;
    if (label > 0 && rest - label - GAP >= SLIDER_LEAST + GAP) {
        at.label_cols = label;
        at.middle = at.label + label + GAP;
    }
    at.slider_cols = min_int(cols - at.middle - value - GAP, SLIDER_MOST);
    if (at.slider_cols < SLIDER_LEAST)
        at.slider_cols = 0;
    at.right = at.slider_cols > 0 ? at.middle + at.slider_cols + GAP + value : cols;
    return at;
}

/* One choice; the current one in brackets, whose colour is that of the chip's edge where there is colour at
 * all. */
static int draw_chip(struct area row, int x, const char *text, bool current, bool selected)
{
    const struct look *const look = row.look;
    const rgb back = current ? look_pen(look, ROLE_KEY).bg : PEN_KEEP;
    const int width = utf8_columns(text);
    struct pen pen = look_pen_on(look, !current ? ROLE_DIM : selected ? ROLE_SELECT : ROLE_STRONG, back);

    if (current) {
        const struct pen edge = look_pen_on(look, ROLE_DIM, back);

        area_put(row, x, 0, edge, '[');
        area_put(row, x + 1 + width, 0, edge, ']');
        pen.attr |= ATTR_BOLD;
    }
    area_text(row, x + 1, 0, pen, text);
    return width + 3;
}

static void draw_choices(struct area row, const struct columns *at, const struct param *p, size_t current,
                         bool selected)
{
    const int wanted = chips_columns(p);
    const int label = at->label_cols > 0 ? utf8_columns(label_beside_name(p)) : 0;
    const int least = label > 0 ? at->label + label + GAP : at->label;
    const int x = min_int(at->middle, row.cols - wanted);

    if (x < least) {
        draw_chip(row, at->right - utf8_columns(p->choices[current]) - 2, p->choices[current], true,
                  selected);
        return;
    }
    for (size_t i = 0, at_x = (size_t)x; p->choices[i]; i++)
        at_x += (size_t)draw_chip(row, (int)at_x, p->choices[i], i == current, selected);
}

static void draw_value(struct area row, const struct columns *at, const struct param *p,
                       const struct value *v, bool selected)
{
    const struct look *const look = row.look;
    const double place = has_slider(p) ? param_place(p, v) : -1;
    struct pen pen = look_pen_on(look, selected ? ROLE_SELECT : ROLE_TEXT, PEN_KEEP);
    char text[SHOWN_MAX];

    if (selected)
        pen.attr |= ATTR_BOLD;
    param_show(p, v, max_int(row.cols - at->middle, 1), text, sizeof text);
    area_text(row, max_int(at->right - utf8_columns(text), at->middle), 0, pen, text);
    if (place >= 0 && at->slider_cols > 0 && utf8_columns(text) <= at->value_cols) {
        const enum role filled = selected ? ROLE_SELECT : ROLE_ACCENT;

        slider_draw(row, at->middle, 0, at->slider_cols, place, look_pen_on(look, filled, PEN_KEEP),
                    look_pen_on(look, ROLE_FAINT, PEN_KEEP));
    }
}

static void draw_row(const struct stage *stage, struct area row, const struct columns *at, size_t index)
{
    const struct param *const p = &stage->demo->params[index];
    const struct value *const v = &stage->values[index];
    const struct look *const look = row.look;
    const bool selected = index == stage->param;
    struct pen name = look_pen_on(look, selected ? ROLE_SELECT : ROLE_TEXT, PEN_KEEP);

    if (selected) {
        area_fill(row, look_pen(look, ROLE_BAR), ' ');
        area_put(row, 0, 0, name, 0x25B8);
        name.attr |= ATTR_BOLD;
    }
    area_text(row, MARKER, 0, name, p->name);
    if (at->label_cols > 0)
        area_text(row, at->label, 0, look_pen_on(look, ROLE_DIM, PEN_KEEP), label_beside_name(p));
    if (p->kind == PARAM_CHOICE)
        draw_choices(row, at, p, (size_t)v->number, selected);
    else
        draw_value(row, at, p, v, selected);
}

static int lines_of(const char *text, int cols)
{
    int lines = 0;

    for (; *text != '\0' && cols > 0; lines++) {
        text = utf8_line_end(text, cols);
        text += strspn(text, " ");
    }
    return lines;
}

/* The bytes of HELP before its first semicolon, English or Chinese. */
static int first_clause(const char *help)
{
    const size_t english = strcspn(help, ";");
    const char *const chinese = strstr(help, "\uff1b");

    return (int)(chinese && (size_t)(chinese - help) < english ? (size_t)(chinese - help) : english);
}

void panel_explain(const struct stage *stage, struct buf *out)
{
    const struct param *const p = &stage->demo->params[stage->param];

    buf_printf(out, "%s: %s", p->name, _(p->help));
    if (param_place(p, &stage->values[stage->param]) >= 0) {
        buf_puts(out, " (");
        param_range(p, out);
        buf_puts(out, ")");
    }
}

/* Adds to OUT the help with the range, without it, or its first clause, whatever has room in A, or nothing:
 * half a sentence helps nobody. */
static void fit_help(const struct stage *stage, struct area a, struct buf *out)
{
    const struct param *const p = &stage->demo->params[stage->param];
    const char *const help = _(p->help);
    struct buf text[3] = {{0}};
    size_t fitting = 0;

    panel_explain(stage, &text[0]);
    buf_printf(&text[1], "%s: %s", p->name, help);
    buf_printf(&text[2], "%s: %.*s", p->name, first_clause(help), help);
    while (fitting < 3 && lines_of(text[fitting].at, a.cols) > a.rows)
        fitting++;
    if (fitting < 3)
        buf_puts(out, text[fitting].at);
    for (size_t i = 0; i < 3; i++)
        buf_free(&text[i]);
}

/* The first row on show, so that the selected one is among them: the list moves only as far as it must, from
 * the top. */
static size_t first_shown(const size_t *shown, size_t n, size_t n_fit, size_t selected)
{
    size_t at = 0;

    while (at + 1 < n && shown[at] != selected)
        at++;
    if (n <= n_fit || at < n_fit / 2)
        return 0;
    return at - n_fit / 2 < n - n_fit ? at - n_fit / 2 : n - n_fit;
}

/* The list in one or more columns, and what is left for the help below it. */
struct sheet {
    size_t shown[PARAMS_MAX], n, n_fit;
    int rows, n_columns;
    struct area list, help;
};

static struct sheet lay_out(const struct stage *stage, struct area inside)
{
    struct sheet sheet = {.n_columns = 1};

    sheet.n = list_visible(stage, sheet.shown);
    if (area_is_empty(inside) || sheet.n == 0)
        return sheet;
    const int n = (int)sheet.n, wanted = (n + inside.rows - 1) / inside.rows;
    sheet.n_columns = max_int(1, min_int(wanted, (inside.cols + GAP) / (COLUMN_LEAST + GAP)));
    sheet.rows = min_int(inside.rows, (n + sheet.n_columns - 1) / sheet.n_columns);
    sheet.n_fit = (size_t)sheet.rows * (size_t)sheet.n_columns;
    sheet.list = area_cut_top(&inside, sheet.rows);
    if (inside.rows >= HELP_LEAST) {
        area_cut_top(&inside, 1);
        sheet.help = area_inset(inside, inside.cols > 30 ? MARKER : 0, 0);
    }
    return sheet;
}

bool panel_explains(const struct stage *stage, struct area inside)
{
    const struct sheet sheet = lay_out(stage, inside);
    struct buf help = {0};

    if (!area_is_empty(sheet.help))
        fit_help(stage, sheet.help, &help);
    const bool is_explained = help.len > 0;
    buf_free(&help);
    return is_explained;
}

static void draw_list(const struct stage *stage, const struct sheet *sheet)
{
    const size_t top = first_shown(sheet->shown, sheet->n, sheet->n_fit, stage->param);
    struct area list = sheet->list;

    if (sheet->n > sheet->n_fit) {
        scroll_draw(area_cut_right(&list, 1), sheet->n, top, sheet->n_fit);
        area_cut_right(&list, 1);
    }

    const int cols = (list.cols - (sheet->n_columns - 1) * GAP) / sheet->n_columns;
    const struct columns at = measure_columns(stage, min_int(cols, COLUMN_MOST));

    for (size_t i = 0; i < sheet->n_fit && top + i < sheet->n; i++) {
        const int x = (int)(i / (size_t)sheet->rows) * (cols + GAP), y = (int)(i % (size_t)sheet->rows);

        draw_row(stage, area_part(list, x, y, min_int(cols, COLUMN_MOST), 1), &at, sheet->shown[top + i]);
    }
}

void panel_draw(const struct stage *stage, struct area inside)
{
    const struct sheet sheet = lay_out(stage, inside);
    struct buf help = {0};

    if (sheet.n_fit == 0)
        return;
    draw_list(stage, &sheet);
    if (area_is_empty(sheet.help))
        return;
    fit_help(stage, sheet.help, &help);
    if (help.len > 0)
        area_text_wrap(sheet.help, 0, look_pen(inside.look, ROLE_DIM), help.at);
    buf_free(&help);
}
