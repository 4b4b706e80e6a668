#include "demos/items_view.h"

#include <math.h>
#include <stdio.h>

#include "data/buf.h"
#include "data/lang.h"
#include "data/utf8.h"
#include "draw/bars.h"

enum {
    NUMBER_COLS = 10,
    GAP = 2,
    BAR_LEAST = 4,
    BAR_MOST = 120,
    COLUMNS_MAX = 8,
    NAME_LEAST = 4,
};

/* Where things stand: in characters from the area's left or top. */
struct lines {
    int name_cols, bar_cols;
    int x[COLUMNS_MAX]; /* where the numbers of a column begin */
    int pitch, first;   /* lines per item; the first item shown */
    int rows;           /* items shown */
};

const char *items_number(char out[NUMBER_TEXT], double value)
{
    return number_show(out, value, 5, NUMBER_COLS);
}

static void name_of(const struct items_view *view, size_t i, char *out, size_t size)
{
    if (view->name)
        view->name(view->name_context, i, out, size);
    else
        snprintf(out, size, "%zu", i);
}

static bool has_totals(const struct items_view *view)
{
    for (size_t c = 0; c < view->n_columns; c++)
        if (!isnan(view->column[c].total))
            return true;
    return false;
}

static int title_columns(const struct items_column *column)
{
    return max_int(NUMBER_COLS, utf8_columns(column->title));
}

static struct lines measure(struct area a, const struct items_view *view)
{
    struct lines l = {.name_cols = utf8_columns(view->name_title)};
    int used = 0, bars = 0;
    for (size_t i = 0; i < view->n; i++) {
        char text[96];
        name_of(view, i, text, sizeof text);
        l.name_cols = max_int(l.name_cols, utf8_columns(text));
    }
    for (size_t c = 0; c < view->n_columns; c++) {
        used += GAP + title_columns(&view->column[c]);
        bars += view->column[c].longest > 0;
    }
    l.name_cols = max_int(min_int(l.name_cols + 2, a.cols - used), NAME_LEAST);
    int rest = bars > 0 ? (a.cols - l.name_cols - used) / bars - 1 : 0;
    l.bar_cols = rest < BAR_LEAST ? 0 : min_int(rest, BAR_MOST);
    int x = l.name_cols + GAP;
    for (size_t c = 0; c < view->n_columns; c++) {
        bool has_bar = view->column[c].longest > 0 && l.bar_cols > 0;
        l.x[c] = x;
        x += title_columns(&view->column[c]) + GAP + (has_bar ? l.bar_cols + 1 : 0);
    }
    int room = max_int(a.rows - 1 - (has_totals(view) ? 2 : 0), 1), n = max_int((int)view->n, 1);
    l.pitch = max_int(1, min_int(room / n, ITEMS_PITCH_MOST));
    l.rows = min_int(n, room / l.pitch);
    l.first = max_int(0, min_int((int)view->at - l.rows / 2, n - l.rows));
    return l;
}

/* Where not all items fit, a rail at the right says which part is on show. */
static struct area cut_rail(struct area *a, const struct items_view *view)
{
    struct lines l = measure(*a, view);
    if (l.rows >= (int)view->n)
        return (struct area){0};
    struct area rail = area_cut_right(a, 1);
    area_cut_right(a, 1);
    return area_part(rail, 0, 1, 1, l.rows * l.pitch);
}

static void put_right(struct area a, int x, int y, const struct items_column *column, struct pen pen,
                      const char *text)
{
    area_text(a, x + title_columns(column) - utf8_columns(text), y, pen, text);
}

static void draw_item(struct area band, const struct items_view *view, const struct lines *l, size_t i)
{
    const struct look *look = band.look;
    bool here = i == view->at;
    int middle = (band.rows - 1) / 2, bar_rows = l->pitch > 2 ? l->pitch - 1 : 1;
    char text[96];
    name_of(view, i, text, sizeof text);
    if (here) {
        area_fill(area_part(band, 0, middle, band.cols, 1), look_pen(look, ROLE_BAR), ' ');
        area_put(band, 0, middle, look_pen_on(look, ROLE_SELECT, PEN_KEEP), 0x25b8);
    }
    area_text_fit(band, 2, middle, l->name_cols - 2,
                  look_pen_on(look, here ? ROLE_SELECT : ROLE_STRONG, PEN_KEEP), text);
    for (size_t c = 0; c < view->n_columns; c++) {
        const struct items_column *column = &view->column[c];
        struct pen pen = look_pen_on(look, column->role, PEN_KEEP);
        char number[NUMBER_TEXT];
        if (isnan(column->number[i]))
            continue;
        put_right(band, l->x[c], middle, column, pen, items_number(number, column->number[i]));
        for (int y = 0; y < bar_rows && column->longest > 0 && l->bar_cols > 0; y++)
            bar_draw(band, l->x[c] + title_columns(column) + 1, bar_rows > 1 ? y : middle, l->bar_cols,
                     fmin(fabs(column->number[i]) / column->longest, 1), pen);
    }
}

static void draw_totals(struct area a, int y, const struct items_view *view, const struct lines *l)
{
    struct pen pen = look_pen_bold(a.look, ROLE_SELECT);
    area_text(a, 2, y, look_pen(a.look, ROLE_DIM), "\u03a3");
    for (size_t c = 0; c < view->n_columns; c++) {
        const struct items_column *column = &view->column[c];
        char number[NUMBER_TEXT];
        if (isnan(column->total))
            continue;
        for (int x = 0; x < NUMBER_COLS; x++)
            area_put(a, l->x[c] + title_columns(column) - NUMBER_COLS + x, y - 1,
                     look_pen(a.look, ROLE_FAINT), 0x2500);
        put_right(a, l->x[c], y, column, pen, items_number(number, column->total));
    }
}

/* Copies to OUT the columns that A has room for: all, or those that cannot be spared and as many of the
 * others as fit. Returns their number. */
static size_t choose_columns(struct area a, const struct items_view *view,
                             struct items_column out[COLUMNS_MAX])
{
    int spare_room = a.cols - NAME_LEAST;
    size_t n = 0;
    for (size_t c = 0; c < view->n_columns; c++)
        spare_room -= view->column[c].spare ? 0 : GAP + title_columns(&view->column[c]);
    for (size_t c = 0; c < view->n_columns; c++) {
        if (view->column[c].spare) {
            spare_room -= GAP + title_columns(&view->column[c]);
            if (spare_room < 0)
                continue;
        }
        out[n++] = view->column[c];
    }
    return n;
}

static void draw_chosen(struct area a, struct area rail, const struct items_view *view)
{
    struct lines l = measure(a, view);
    struct pen dim = look_pen(a.look, ROLE_DIM);
    area_text_fit(a, 2, 0, l.name_cols - 2, dim, view->name_title);
    for (size_t c = 0; c < view->n_columns; c++)
        put_right(a, l.x[c], 0, &view->column[c], dim, view->column[c].title);
    for (int i = 0; i < l.rows; i++)
        draw_item(area_part(a, 0, 1 + i * l.pitch, a.cols, l.pitch), view, &l, (size_t)(l.first + i));
    scroll_draw(rail, view->n, (size_t)l.first, (size_t)l.rows);
    if (has_totals(view))
        draw_totals(a, min_int(2 + l.rows * l.pitch, a.rows - 1), view, &l);
}

void items_view_draw(struct area a, const struct items_view *view)
{
    struct items_column column[COLUMNS_MAX];
    struct items_view chosen = *view;
    if (area_is_empty(a) || view->n == 0 || view->n_columns > COLUMNS_MAX)
        return;
    struct area rail = cut_rail(&a, view);
    chosen.n_columns = choose_columns(a, view, column);
    chosen.column = column;
    draw_chosen(a, rail, &chosen);
}

void items_sum_draw(struct area line, int x, const double *weight, const double *value, size_t n,
                    double output)
{
    static const char more[] = " + \u2026", equals[] = " = ";
    int room = line.cols - utf8_columns(more) - utf8_columns(equals) - NUMBER_COLS;
    char a[NUMBER_TEXT], v[NUMBER_TEXT], factor[NUMBER_FACTOR];
    for (size_t i = 0; i < n; i++) {
        struct buf term = {0};
        buf_printf(&term, "%s%s\u00b7%s", i ? " + " : "", items_number(a, weight[i]),
                   number_factor(factor, items_number(v, value[i])));
        bool fits = x + utf8_columns(term.at) <= room;
        x += area_text(line, x, 0, look_pen(line.look, ROLE_TEXT), fits ? term.at : more);
        buf_free(&term);
        if (!fits)
            break;
    }
    area_textf(line, x, 0, look_pen_bold(line.look, ROLE_SELECT), "%s%s", equals, items_number(a, output));
}

bool items_select(size_t *at, size_t n, long row, struct error *error)
{
    if (row >= (long)n)
        return error_set(error, STATUS_USAGE, _("select: there are items 0 to %zu"), n - 1);
    *at = (size_t)row;
    return true;
}

void items_adjust(const struct param *p, struct value *v, size_t item, int steps)
{
    struct param real = *p;
    struct value number = {.number = v->list[item]};
    real.kind = p->whole ? PARAM_INTEGER : PARAM_REAL;
    param_adjust(&real, &number, steps);
    v->list[item] = number.number;
}

void items_follow(struct value *v, size_t n)
{
    for (size_t i = v->n_list; i < n; i++)
        v->list[i] = v->list[v->n_list - 1];
    v->n_list = n;
    v->n_rows = 1;
}
