#include "demos/matrix_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/lang.h"
#include "data/number.h"
#include "data/utf8.h"
#include "draw/bars.h"
#include "draw/decimal.h"

enum {
    CELL_COLS_MAX = 18,
    CELL_ROWS_MAX = 9,
    SUM_COLS = 8,       /* of "Σ 1" and "no key" */
    SUM_COLS_SHORT = 2, /* of the number alone, below the heading "Σ" */
    DECIMALS_MAX = 4,
    ROOMY = 6,        /* cells with fewer columns get short sums */
    STICKY_LEAST = 4, /* lines of a part of a single matrix that keeps its heading */
};

/* What the cells say. */
struct digits {
    bool shown;   /* in all cells; or in none, where they fit some alone */
    int decimals; /* the same in all cells; -1: numbers too far apart for that, each as it fits */
    double place; /* on the colour scale, of all cells where they show the same number; else NaN */
};

/* How the cells lie: everything in characters. */
struct grid {
    int left;    /* columns of the row labels */
    int note;    /* columns of the notes, right of the cells */
    int sum;     /* columns of the row sums, right of the notes */
    int heading; /* 1 if a line with column labels stands above each matrix */
    int gap;     /* blank lines between matrices */
    int cell_cols, cell_rows;
    struct digits digits;
    int first, total; /* the first line shown, and how many there are */
};

static void name_row(const struct matrix_view *view, size_t i, char *out, size_t size)
{
    out[0] = '\0';
    if (view->row_label)
        view->row_label(view->label_context, i, out, size);
    else if (view->row_prefix)
        snprintf(out, size, "%s%zu", view->row_prefix, i);
}

static void name_col(const struct matrix_view *view, size_t i, char *out, size_t size)
{
    out[0] = '\0';
    if (view->col_label)
        view->col_label(view->label_context, i, out, size);
    else if (view->col_prefix)
        snprintf(out, size, "%s%zu", view->col_prefix, i);
}

static int label_columns(const struct matrix_view *view)
{
    int most = 0;
    for (size_t i = 0; i < view->rows; i++) {
        char text[64];
        name_row(view, i, text, sizeof text);
        int cols = utf8_columns(text);
        most = cols > most ? cols : most;
    }
    if (view->batch_name) {
        int digits = view->batch > 10 ? 2 : 1;
        int cols = digits +
                   (view->batch_brief ? utf8_columns(view->batch_brief) : utf8_columns(view->batch_name) + 1);
        most = cols > most ? cols : most;
    }
    return most > 0 ? (most > 12 ? 12 : most) + 1 : 0;
}

static int note_columns(const struct matrix_view *view)
{
    int most = view->note_title ? utf8_columns(view->note_title) : 0;
    if (!view->row_note)
        return 0;
    for (size_t b = 0; b < view->batch; b++)
        for (size_t i = 0; i < view->rows; i++) {
            char text[64] = "";
            view->row_note(view->label_context, b, i, text, sizeof text);
            int cols = utf8_columns(text);
            most = cols > most ? cols : most;
        }
    return most;
}

static int clamp(int v, int lo, int hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

/* The line on which row ROW of matrix B begins, before scrolling. */
static int line_of(const struct grid *g, const struct matrix_view *view, size_t b, size_t row)
{
    int matrix = g->heading + (int)view->rows * g->cell_rows + g->gap;
    return (int)b * matrix + g->heading + (int)row * g->cell_rows;
}

int matrix_view_tallest(int cell_cols)
{
    return clamp(cell_cols, 1, CELL_ROWS_MAX);
}

static struct grid measure(struct area a, const struct matrix_view *view)
{
    struct grid g = {.left = label_columns(view), .note = note_columns(view)};
    int batch = (int)view->batch, rows = (int)view->rows, cols = (int)view->cols;
    int fixed = g.left + g.note;
    if (view->row_sums)
        g.sum = (a.cols - fixed - SUM_COLS) / cols >= ROOMY ? SUM_COLS : SUM_COLS_SHORT;
    bool has_heading = view->col_label || view->col_prefix || view->batch_name;
    bool all_fit = a.rows >= batch * (rows + 1), scrolls = a.rows < batch * rows;
    /* Several matrices are told apart by their headings, even if not all rows fit then. */
    int least = batch > 1 ? 2 : STICKY_LEAST;
    g.heading = has_heading && (all_fit || ((scrolls || batch > 1) && a.rows >= least)) ? 1 : 0;
    g.gap = a.rows >= batch * (rows + g.heading + 1) - 1 ? 1 : 0;
    /* The headings part the matrices well enough where the blank lines would cost the cells their height. */
    int room = a.rows - batch * g.heading;
    if (g.gap && room / (batch * rows) >= 2 && (room - batch + 1) / (batch * rows) < 2)
        g.gap = 0;
    g.cell_cols = clamp((a.cols - fixed - g.sum) / cols, 1, CELL_COLS_MAX);
    g.cell_rows = clamp((room - (batch - 1) * g.gap) / (batch * rows), 1, matrix_view_tallest(g.cell_cols));
    g.total = line_of(&g, view, view->batch - 1, view->rows - 1) + g.cell_rows;
    bool has_row = view->at_row != VIEW_NONE;
    if (g.total > a.rows && (has_row || view->at_batch != VIEW_NONE)) {
        size_t b = view->at_batch == VIEW_NONE ? 0 : view->at_batch;
        int above = has_row ? a.rows / 2 : g.heading;
        g.first = clamp(line_of(&g, view, b, has_row ? view->at_row : 0) - above, 0, g.total - a.rows);
    }
    return g;
}

int matrix_view_columns(const struct matrix_view *view, int cell_cols)
{
    int sum = !view->row_sums ? 0 : cell_cols >= ROOMY ? SUM_COLS : SUM_COLS_SHORT;
    return label_columns(view) + note_columns(view) + cell_cols * (int)view->cols + sum;
}

int matrix_view_lines(const struct matrix_view *view, int cell_rows)
{
    bool has_heading = view->col_label || view->col_prefix || view->batch_name;
    return (int)view->batch * ((int)view->rows * cell_rows + has_heading + 1) - 1;
}

bool matrix_view_fits(struct area a, const struct matrix_view *view, int width)
{
    struct grid g = measure(a, view);
    return g.total <= a.rows && g.cell_cols > width && g.left + g.cell_cols * (int)view->cols <= a.cols;
}

static bool is_selected(const struct matrix_view *view, size_t b, size_t row, size_t col)
{
    bool any = view->at_row != VIEW_NONE || view->at_col != VIEW_NONE;
    return any && (view->at_batch == VIEW_NONE || view->at_batch == b) &&
           (view->at_row == VIEW_NONE || view->at_row == row) &&
           (view->at_col == VIEW_NONE || view->at_col == col);
}

static bool is_marked(const struct matrix_view *view, size_t b, size_t row, size_t col)
{
    return is_selected(view, b, row, col) ||
           (view->lit && view->lit[(b * view->rows + row) * view->cols + col]);
}

/* Where a cell that is selected or lit has edges. */
struct edges {
    bool left, right;
};

static void mark_edges(struct area cell, struct pen pen, struct edges edges)
{
    bool plain = cell.look->glyphs != GLYPHS_UNICODE;
    for (int y = 0; y < cell.rows; y++) {
        if (edges.left)
            area_put(cell, 0, y, pen, plain ? '[' : 0x258c);
        if (edges.right)
            area_put(cell, cell.cols - 1, y, pen, plain ? ']' : 0x2590);
    }
}

/* The columns of a cell that text may take: selected cells have edges at both sides, narrow ones only at the
 * left. */
static int text_columns(int cell_cols)
{
    return cell_cols > ROOMY ? cell_cols - 2 : cell_cols - 1;
}

/* Narrow cells side by side share one pair of edges, so that blanks part their numbers; and where text
 * reaches the right end (IS_FULL) there is no edge. */
static struct edges edges_of(const struct matrix_view *view, struct area cell, size_t b, size_t row,
                             size_t col, bool is_full)
{
    bool is_narrow = text_columns(cell.cols) + 1 == cell.cols;
    bool goes_on = col + 1 < view->cols && is_marked(view, b, row, col + 1);
    return (struct edges){
        .left = !is_narrow || col == 0 || !is_marked(view, b, row, col - 1),
        .right = cell.cols > 1 && !(is_full && is_narrow) && !(is_narrow && goes_on),
    };
}

/* The decimals after which V has only zeros, DECIMALS_MAX at most. */
static int decimals_needed(double v)
{
    double power = 1;
    for (int decimals = 0; decimals < DECIMALS_MAX; decimals++, power *= 10)
        if (fabs(v * power - round(v * power)) < 1e-9)
            return decimals;
    return DECIMALS_MAX;
}

/* Whether cell I says something else than its number. */
static bool has_no_number(const struct matrix_view *view, size_t i)
{
    return !isfinite(view->value[i]) || (view->masked && view->masked[i]) || (view->ahead && view->ahead[i]);
}

/* The decimals, the same for all cells so that they can be compared at a glance; -1 where a number is too
 * large. */
static int choose_decimals(const struct matrix_view *view, int cols)
{
    int decimals = clamp(cols - 2, 0, DECIMALS_MAX), needed = 0;
    for (size_t i = 0; i < view->batch * view->rows * view->cols; i++) {
        struct decimal d;
        char text[64];
        double v = view->value[i];
        if (has_no_number(view, i))
            continue;
        int own = decimals_needed(v);
        needed = own > needed ? own : needed;
        while (decimals >= 0 && (!decimal_round(&d, v, decimals) || !decimal_fixed(text, sizeof text, d) ||
                                 utf8_columns(text) > cols))
            decimals--;
    }
    /* A fraction rounded to a whole number would mislead. */
    return needed > 0 && decimals == 0 ? -1 : decimals < needed ? decimals : needed;
}

/* VALUE for a cell; empty where not even its whole part fits. */
static void cell_text(char out[NUMBER_TEXT], double value, int decimals, int cols)
{
    struct decimal d;

    number_show(out, value, 4, clamp(cols, 5, 9));
    bool vanishes = value != 0 && fabs(value) < 0.5 * pow(10, -decimals);
    if (vanishes && utf8_columns(out) <= cols)
        return;
    if (decimals >= 0 && decimal_round(&d, value, decimals) && decimal_fixed(out, NUMBER_TEXT, d))
        return;
    /* A fraction rounded to a whole number would mislead; of a large number it is all that counts. */
    bool is_cut = fabs(value) < 100 && value != floor(value) && !strpbrk(out, ".e");
    if (utf8_columns(out) > cols || is_cut)
        out[0] = '\0';
}

static struct digits choose_digits(const struct matrix_view *view, int cols)
{
    struct digits digits = {.shown = true, .decimals = choose_decimals(view, cols), .place = NAN};
    for (size_t i = 0; i < view->batch * view->rows * view->cols && digits.shown; i++) {
        char text[NUMBER_TEXT];
        if (has_no_number(view, i))
            continue;
        cell_text(text, view->value[i], digits.decimals, cols);
        digits.shown = text[0] != '\0';
    }
    return digits;
}

void view_widen(double *lo, double *hi)
{
    enum { PARTS = 100 };
    double largest = fmax(fabs(*lo), fabs(*hi)), middle = *lo / 2 + *hi / 2;
    if (!(*hi >= *lo)) {
        *lo = 0;
        *hi = 1;
    } else if (*hi - *lo <= largest / PARTS) {
        *lo = middle - (largest > 0 ? largest / 2 : 0.5);
        *hi = middle + (largest > 0 ? largest / 2 : 0.5);
    }
}

static bool look_equal(double a, double b, struct digits digits, int cols)
{
    char text[2][NUMBER_TEXT];
    cell_text(text[0], a, digits.decimals, cols);
    cell_text(text[1], b, digits.decimals, cols);
    return strcmp(text[0], text[1]) == 0;
}

/* The one place of all cells on VIEW's scale where all show the same number, NaN where they do not: noise
 * behind the last digit must not be told apart by colour. */
static double common_place(const struct matrix_view *view, struct digits digits, int cols)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (size_t i = 0; i < view->batch * view->rows * view->cols; i++)
        if (!has_no_number(view, i)) {
            least = fmin(least, view->value[i]);
            most = fmax(most, view->value[i]);
        }
    if (!digits.shown || !(least <= most) || !look_equal(least, most, digits, cols))
        return NAN;
    if (look_equal(view->lo, view->hi, digits, cols))
        return 0.5;
    return (least / 2 + most / 2 - view->lo) / (view->hi - view->lo);
}

static void draw_cell(struct area cell, const struct matrix_view *view, struct digits digits, size_t b,
                      size_t row, size_t col)
{
    const struct look *look = cell.look;
    size_t i = (b * view->rows + row) * view->cols + col;
    double value = view->value[i];
    char number[NUMBER_TEXT] = "";
    const char *text = number;
    struct pen pen = look_pen(look, ROLE_TEXT);
    if (digits.shown)
        cell_text(number, value, digits.decimals, text_columns(cell.cols));
    if (view->masked && view->masked[i]) {
        area_fill(cell, look_pen(look, ROLE_FAINT), 0x2571);
        text = view->masked_text && digits.shown ? view->masked_text : "";
        pen = look_pen(look, ROLE_DIM);
    } else if (isnan(value)) {
        area_fill(cell, look_pen(look, ROLE_FAINT), 0x2573);
        text = "NaN";
        pen = look_pen(look, ROLE_WARN);
    } else if (view->ahead && view->ahead[i]) {
        text = "\u00b7";
        pen = look_pen(look, ROLE_DIM);
    } else if (view->hi > view->lo) {
        double place = isnan(digits.place) ? (value - view->lo) / (view->hi - view->lo) : digits.place;
        struct heat_cell heat = look_heat_cell(look, place);
        area_fill(cell, heat.pen, heat.glyph);
        pen = heat.pen;
        if (look->depth >= DEPTH_256)
            pen.fg = color_on(pen.bg);
    }
    int cols = utf8_columns(text);
    if (cols > 0 && cols < cell.cols)
        area_text(cell, (cell.cols - cols + 1) / 2, (cell.rows - 1) / 2, pen, text);
    bool selected = is_selected(view, b, row, col);
    if (selected || (view->lit && view->lit[i])) {
        struct pen edge = look_pen_on(look, selected ? ROLE_SELECT : ROLE_DATA, pen.bg);
        mark_edges(cell, edge, edges_of(view, cell, b, row, col, cols + 1 >= cell.cols));
    }
}

static void draw_sum(struct area place, const struct matrix_view *view, size_t b, size_t row)
{
    const double *value = view->value + (b * view->rows + row) * view->cols;
    bool is_short = place.cols < SUM_COLS;
    char text[NUMBER_TEXT];
    double sum = 0;
    for (size_t i = 0; i < view->cols; i++)
        sum += value[i];
    number_show(text, sum, 4, 6);
    struct pen pen = look_pen(place.look, sum == 0 || isnan(sum) ? ROLE_WARN : ROLE_DIM);
    if (is_short)
        area_text_fit(place, 1, 0, place.cols - 1, pen, text);
    else if (sum == 0)
        area_text(place, 1, 0, pen, _("no key"));
    else
        area_textf(place, 1, 0, pen, "\u03a3 %s", text);
}

static void draw_note(struct area place, const struct matrix_view *view, size_t b, size_t row, bool here)
{
    char text[64] = "";
    view->row_note(view->label_context, b, row, text, sizeof text);
    struct pen pen = look_pen(place.look, here ? ROLE_SELECT : ROLE_TEXT);
    pen.attr |= here ? ATTR_BOLD : 0;
    area_text(place, 0, 0, pen, text);
}

/* The columns right of the cells in LINE: first the notes, then the sums. */
static struct area note_place(struct area line, const struct matrix_view *view, const struct grid *g)
{
    return area_part(line, g->left + (int)view->cols * g->cell_cols, 0, g->note, 1);
}

static struct area sum_place(struct area line, const struct matrix_view *view, const struct grid *g)
{
    return area_part(line, g->left + (int)view->cols * g->cell_cols + g->note, 0, g->sum, 1);
}

/* "item 1", or "i1" where that would run into the labels of the columns. */
static void name_batch(const struct matrix_view *view, const struct grid *g, size_t b, char *out, size_t size)
{
    char first[64];
    name_col(view, 0, first, sizeof first);
    int room = g->left + (g->cell_cols - utf8_columns(first)) / 2;
    snprintf(out, size, "%s %zu", view->batch_name, b);
    if (view->batch_brief && utf8_columns(out) >= room)
        snprintf(out, size, "%s%zu", view->batch_brief, b);
}

static void draw_heading(struct area line, const struct matrix_view *view, const struct grid *g, size_t b)
{
    struct pen dim = look_pen(line.look, ROLE_DIM);
    size_t stride = 1, at = view->at_col, last = view->cols - 1;
    char text[64];
    if (view->batch_name) {
        name_batch(view, g, b, text, sizeof text);
        area_text(line, 0, 0, dim, text);
    }
    name_col(view, last, text, sizeof text);
    while (stride < view->cols && (int)stride * g->cell_cols <= utf8_columns(text))
        stride++;
    for (size_t col = 0; col < view->cols; col++) {
        size_t apart = col > at ? col - at : at - col;
        if (col != at && (col % stride != 0 || (at != VIEW_NONE && apart < stride)))
            continue;
        name_col(view, col, text, sizeof text);
        struct area place =
            area_part(line, g->left + (int)col * g->cell_cols, 0, g->cell_cols * (int)stride, 1);
        struct pen pen = col == at ? look_pen(line.look, ROLE_SELECT) : dim;
        if (stride > 1)
            area_text(place, 0, 0, pen, text);
        else
            area_text_center(place, 0, pen, text);
    }
    if (view->row_note && view->note_title)
        area_text(note_place(line, view, g), 0, 0, dim, view->note_title);
    if (g->sum == SUM_COLS_SHORT)
        area_text(sum_place(line, view, g), 1, 0, dim, "\u03a3");
}

static void draw_row(struct area a, const struct matrix_view *view, const struct grid *g, size_t b,
                     size_t row)
{
    int y = line_of(g, view, b, row) - g->first;
    int middle = y + (g->cell_rows - 1) / 2;
    char text[64];
    bool here = (view->at_batch == VIEW_NONE || view->at_batch == b) && view->at_row == row;
    name_row(view, row, text, sizeof text);
    struct area label = area_part(a, 0, middle, g->left - 1, 1);
    area_text_fit(label, 0, 0, label.cols, look_pen(a.look, here ? ROLE_SELECT : ROLE_DIM), text);
    for (size_t col = 0; col < view->cols; col++)
        draw_cell(area_part(a, g->left + (int)col * g->cell_cols, y, g->cell_cols, g->cell_rows), view,
                  g->digits, b, row, col);
    struct area line = area_part(a, 0, middle, a.cols, 1);
    if (view->row_note)
        draw_note(note_place(line, view, g), view, b, row, here);
    if (view->row_sums)
        draw_sum(sum_place(line, view, g), view, b, row);
}

static void draw_grid(struct area a, const struct matrix_view *view, const struct grid *g)
{
    for (size_t b = 0; b < view->batch; b++) {
        int heading = line_of(g, view, b, 0) - 1 - g->first;
        int end = line_of(g, view, b, view->rows - 1) + g->cell_rows - g->first;
        /* The heading of a matrix that has begun further up stays above what is left of it. */
        bool is_sticky = g->heading && heading < 0 && end > 1;
        if (g->heading && ((heading >= 0 && heading < a.rows) || is_sticky))
            draw_heading(area_part(a, 0, is_sticky ? 0 : heading, a.cols, 1), view, g, b);
        for (size_t row = 0; row < view->rows; row++) {
            int y = line_of(g, view, b, row) - g->first;
            if (y >= is_sticky && y + g->cell_rows <= a.rows)
                draw_row(a, view, g, b, row);
        }
    }
}

void matrix_view_draw(struct area a, const struct matrix_view *view)
{
    if (area_is_empty(a) || view->batch * view->rows * view->cols == 0)
        return;
    struct grid g = measure(a, view);
    struct area rail = area_right_air(a), rest = a;
    if (g.total > a.rows) {
        struct area cut = area_cut_right(&rest, 1);
        struct grid narrower = measure(rest, view);
        if (narrower.cell_cols == g.cell_cols && narrower.sum == g.sum) {
            a = rest;
            g = narrower;
            rail = cut;
        }
    }
    struct matrix_view shown = *view;
    if (view->hi > view->lo)
        view_widen(&shown.lo, &shown.hi);
    g.digits = choose_digits(&shown, text_columns(g.cell_cols));
    g.digits.place = common_place(&shown, g.digits, text_columns(g.cell_cols));
    draw_grid(a, &shown, &g);
    scroll_draw(rail, (size_t)g.total, (size_t)g.first, (size_t)a.rows);
}

void figure_text(struct area corner, const char *text)
{
    struct pen dim = look_pen(corner.look, ROLE_DIM);
    if (utf8_columns(text) + 2 > corner.cols)
        return;
    int x = area_text_right(corner, 1, 0, dim, text);
    area_put(corner, x - 1, 0, dim, ' ');
    area_put(corner, corner.cols - 1, 0, dim, ' ');
}

void figure_shape(struct area corner, size_t batch, size_t rows, size_t cols)
{
    char text[80];
    if (batch > 0)
        snprintf(text, sizeof text, "(%zu, %zu, %zu)", batch, rows, cols);
    else
        snprintf(text, sizeof text, "(%zu, %zu)", rows, cols);
    figure_text(corner, text);
}

void cut_pooling_note(struct area *a, const struct heatmap *h)
{
    enum { LEAST_ROWS = 9 };
    struct heatmap_fit fit = heatmap_measure(*a, h);
    char note[96];
    if ((fit.values_per_cell_q == 1 && fit.values_per_cell_k == 1) || a->rows < LEAST_ROWS)
        return;
    struct area line = area_cut_bottom(a, 1);
    fit = heatmap_measure(*a, h);
    bool is_max = h->pooling == POOL_MAX;
    snprintf(note, sizeof note,
             is_max ? _("each cell shows the largest of %zu \u00d7 %zu weights")
                    : _("each cell shows the mean of %zu \u00d7 %zu weights"),
             fit.values_per_cell_q, fit.values_per_cell_k);
    if (utf8_columns(note) > line.cols)
        snprintf(note, sizeof note,
                 is_max ? _("largest of %zu \u00d7 %zu weights") : _("mean of %zu \u00d7 %zu weights"),
                 fit.values_per_cell_q, fit.values_per_cell_k);
    area_text_fit(line, 0, 0, line.cols, look_pen(line.look, ROLE_DIM), note);
}

void view_range(double *lo, double *hi, const double *value, const unsigned char *masked, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if ((masked && masked[i]) || !isfinite(value[i]))
            continue;
        *lo = fmin(*lo, value[i]);
        *hi = fmax(*hi, value[i]);
    }
}
