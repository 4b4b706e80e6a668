#include "draw/heatmap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/number.h"
#include "data/utf8.h"
#include "draw/decimal.h"

enum {
    LABEL_SIZE = 64,
    LEAST_COLS_LABELS = 12, /* of an area with labels at its left */
    LEAST_COLS_ARROWS = 4,
    LEAST_ROWS_LABELS = 3, /* ... below */
    LEAST_COLS_BAR = 24,
    LEAST_ROWS_BAR = 3,
    LEAST_ROWS_TITLE = 8, /* of a grid beside which a title may take a row */
    NUMBER_COLS = 6,      /* of a cell with its number in it */
    FIT_COLS = 6,         /* of a cell whose label is shortened rather than left out */
    DECIMALS_MOST = 4,
    BAR_COLS = 2,
    LABELS_EACH = 16,   /* rows that all have their labels where they fit */
    ROWS_SPACIOUS = 25, /* of an area in which labels need not be dense */
    LABEL_GAP = 2,      /* blanks between labels below */
    TALLEST = 4,        /* cells are at most so many times as high as wide, */
    WIDEST = 8,         /* and so many times as wide as high */
};

enum {
    GLYPH_UPPER_HALF = 0x2580,
    GLYPH_ARROW_RIGHT = 0x25b8,
    GLYPH_ARROW_LEFT = 0x25c2,
    GLYPH_DIAMOND = 0x25c6,
    GLYPH_HATCH = 0x2571,
};

/* N values on LENGTH units of one direction: unit u stands for the values floor(u n / length) .. floor((u+1)
 * n / length) - 1, or for the first of them where that is none. */
struct side {
    size_t n, length;
};

/* Where everything goes. A unit is a column, or a row or half of one. */
struct layout {
    struct side q, k;
    int units;    /* a character's height in units: 2 with half blocks */
    int x, y;     /* of the grid in the area */
    int decimals; /* of the numbers in the cells; -1: no numbers */
    bool q_labels, k_labels, q_title, k_title, arrows, bar;
    size_t q_stride;
    int q_apart; /* rows between labels at least */
};

static size_t side_first_value(const struct side *side, size_t unit)
{
    return unit * side->n / side->length;
}

static size_t side_end_value(const struct side *side, size_t unit)
{
    size_t first = side_first_value(side, unit), end = (unit + 1) * side->n / side->length;
    return end > first ? end : first + 1;
}

/* The last unit whose values begin at I or before it. */
static size_t side_last_unit(const struct side *side, size_t i)
{
    return ((i + 1) * side->length + side->n - 1) / side->n - 1;
}

static size_t side_first_unit(const struct side *side, size_t i)
{
    size_t first = (i * side->length + side->n - 1) / side->n, last = side_last_unit(side, i);
    return first < last ? first : last;
}

static size_t values_per_unit(const struct side *side)
{
    if (side->length == 0)
        return side->n > 0 ? side->n : 1;
    return side->length >= side->n ? 1 : (side->n + side->length - 1) / side->length;
}

static int grid_cols(const struct layout *l)
{
    return (int)l->k.length;
}

static int grid_rows(const struct layout *l)
{
    return ((int)l->q.length + l->units - 1) / l->units;
}

/* The middle row (column) of value I's cell, within the grid. */
static int row_of(const struct layout *l, size_t i)
{
    return (int)((side_first_unit(&l->q, i) + side_last_unit(&l->q, i)) / 2) / l->units;
}

static int column_of(const struct layout *l, size_t i)
{
    return (int)((side_first_unit(&l->k, i) + side_last_unit(&l->k, i)) / 2);
}

/* The units that N values take of ROOM, with LIMIT a value at most. A larger cell would look like a larger
 * value's, so all have the same size wherever each can have one unit. */
static size_t side_length(size_t n, size_t room, size_t limit)
{
    if (n == 0 || room <= n)
        return room < n ? room : n;
    return n * (room / n < limit ? room / n : limit);
}

static bool is_hatched(const struct heatmap *h, size_t i)
{
    return isnan(h->value[i]) || (h->masked && h->masked[i]);
}

/* Hatching needs whole characters; looked for only where it could change how a matrix is shown. */
static bool has_hatches(const struct heatmap *h)
{
    for (size_t i = 0; i < h->n_q * h->n_k; i++)
        if (is_hatched(h, i))
            return true;
    return false;
}

static void label_text(const struct heatmap *h, heatmap_label *label, size_t i, char out[LABEL_SIZE])
{
    out[0] = '\0';
    if (label)
        label(h->label_context, i, out, LABEL_SIZE);
    else
        snprintf(out, LABEL_SIZE, "%zu", i);
}

static size_t next_stride(size_t stride)
{
    size_t power = 1;
    while (stride / power >= 10)
        power *= 10;
    return stride / power == 2 ? 5 * power : 2 * stride;
}

/* 1, 2, 5, 10, ...: the first with which labels EACH characters apart stand LEAST apart. */
static size_t label_stride(size_t n, double each, double least)
{
    size_t stride = 1;
    while ((double)stride * each < least && stride < n)
        stride = next_stride(stride);
    return stride;
}

/* STRIDE, or one of the two after it where only that puts labels a whole number of rows apart. */
static size_t even_stride(size_t n, double each, size_t stride)
{
    size_t even = stride;
    for (int i = 0; i < 3 && even <= n / 2; i++, even = next_stride(even)) {
        double apart = (double)even * each;
        if (fabs(apart - round(apart)) < 1e-9)
            return even;
    }
    return stride;
}

static int q_label_columns(const struct heatmap *h, size_t stride)
{
    char text[LABEL_SIZE];
    int widest = 0;
    for (size_t i = 0; i < h->n_q; i += stride) {
        label_text(h, h->q_label, i, text);
        widest = utf8_columns(text) > widest ? utf8_columns(text) : widest;
    }
    const size_t always[] = {h->n_q - 1, h->selected_q};
    for (size_t i = 0; i < 2; i++) {
        if (always[i] >= h->n_q)
            continue;
        label_text(h, h->q_label, always[i], text);
        widest = utf8_columns(text) > widest ? utf8_columns(text) : widest;
    }
    return widest;
}

static char *bar_number(char out[NUMBER_TEXT], double v)
{
    return number_show(out, v, 3, 7);
}

/* The numbers that a bar would like to show, as parts of the way from its low end to its high one. */
struct bar_parts {
    const double *part;
    size_t n;
};

/* The ends first, then what is most wanted. */
static struct bar_parts bar_parts(enum heat_scale scale)
{
    static const double linear[] = {1, 0, 0.5}, root[] = {1, 0, 0.25, 0.05, 0.5, 0.1, 0.01};
    if (scale == HEAT_ROOT)
        return (struct bar_parts){root, sizeof root / sizeof *root};
    return (struct bar_parts){linear, sizeof linear / sizeof *linear};
}

static double bar_value(double lo, double hi, double part)
{
    return lo * (1 - part) + hi * part;
}

int color_bar_columns(double lo, double hi, enum heat_scale scale)
{
    struct bar_parts parts = bar_parts(scale);
    char text[NUMBER_TEXT];
    int widest = 0;
    for (size_t i = 0; i < parts.n; i++) {
        int columns = utf8_columns(bar_number(text, bar_value(lo, hi, parts.part[i])));
        widest = columns > widest ? columns : widest;
    }
    return BAR_COLS + 1 + widest;
}

/* The most decimals with which every number leaves a blank in a cell of COLS columns; -1: none fits. */
static int choose_decimals(const struct heatmap *h, int cols)
{
    int decimals = DECIMALS_MOST;
    for (size_t i = 0; i < h->n_q * h->n_k; i++) {
        struct decimal d;
        char text[DECIMALS_MOST + LABEL_SIZE];
        if (is_hatched(h, i) || isinf(h->value[i]))
            continue;
        while (decimals >= 0 && (!decimal_round(&d, h->value[i], decimals) ||
                                 !decimal_fixed(text, sizeof text, d) || (int)strlen(text) >= cols))
            decimals--;
    }
    return decimals;
}

/* Gives the grid its size within COLS x ROWS characters. */
static void size_grid(struct layout *l, const struct heatmap *h, const struct look *look, int cols, int rows)
{
    size_t across = cols > 0 ? (size_t)cols : 0, down = rows > 0 ? (size_t)rows : 0;
    bool numbers = h->n_q <= down && h->n_k * NUMBER_COLS <= across;

    l->units = look_has_half_blocks(look) && !numbers && !(h->n_q <= down && has_hatches(h)) ? 2 : 1;
    size_t square = l->units == 2 ? 1 : 2; /* columns as wide as a unit is high */
    size_t room = down * (size_t)l->units;
    size_t width = h->n_k < across ? across / h->n_k : 1, height = h->n_q < room ? room / h->n_q : 1;
    size_t height_limit = TALLEST * width / square, width_limit = WIDEST * height * square;

    l->k = (struct side){h->n_k, side_length(h->n_k, across, width_limit > 1 ? width_limit : 1)};
    l->q = (struct side){h->n_q, side_length(h->n_q, room, height_limit > 1 ? height_limit : 1)};
    l->decimals = numbers ? choose_decimals(h, (int)(l->k.length / h->n_k)) : -1;
    double rows_each = (double)l->q.length / (double)h->n_q / l->units;
    l->q_apart = rows_each >= 1 && h->n_q <= LABELS_EACH ? 1 : down >= ROWS_SPACIOUS ? 3 : 2;
    l->q_stride = label_stride(h->n_q, rows_each, l->q_apart);
    /* A few rows with a line each are all named, even if that puts some names closer together than others. */
    if (l->q_apart > 1)
        l->q_stride = even_stride(h->n_q, rows_each, l->q_stride);
}

/* A title may take a row where no value loses its cell by that. */
static bool affords_title(const struct heatmap *h, const char *title, const struct look *look, int rows)
{
    int units = look_has_half_blocks(look) ? 2 : 1;
    bool whole_before = h->n_q <= (size_t)rows * (size_t)units;
    bool whole_after = h->n_q <= (size_t)(rows - 1) * (size_t)units;
    return title && *title && rows - 1 >= LEAST_ROWS_TITLE && whole_before == whole_after;
}

static struct layout lay_out(struct area a, const struct heatmap *h)
{
    struct layout l = {.q = {h->n_q, 0}, .k = {h->n_k, 0}, .units = 1, .decimals = -1, .q_stride = 1};
    if (h->n_q == 0 || h->n_k == 0 || area_is_empty(a))
        return l;

    int rows = a.rows, cols = a.cols;
    l.bar = h->color_bar && cols >= LEAST_COLS_BAR && rows >= LEAST_ROWS_BAR;
    l.arrows = cols >= LEAST_COLS_ARROWS;
    l.k_labels = rows >= LEAST_ROWS_LABELS && cols >= LEAST_COLS_LABELS;
    rows -= l.k_labels;
    l.k_title = l.k_labels && affords_title(h, h->k_title, a.look, rows);
    rows -= l.k_title;
    l.q_title = l.k_labels && affords_title(h, h->q_title, a.look, rows);
    rows -= l.q_title;
    l.y = l.q_title;
    cols -= 2 * l.arrows + (l.bar ? 1 + color_bar_columns(h->lo, h->hi, h->scale) : 0);

    size_grid(&l, h, a.look, cols, rows);
    l.q_labels = a.cols >= LEAST_COLS_LABELS;
    int gutter = l.q_labels ? q_label_columns(h, l.q_stride) : 0;
    if (gutter > a.cols / 3)
        gutter = a.cols / 3;
    l.x = gutter + l.arrows;
    size_grid(&l, h, a.look, cols - gutter, rows);
    return l;
}

static struct heatmap_fit fit_of(const struct layout *l)
{
    return (struct heatmap_fit){values_per_unit(&l->q), values_per_unit(&l->k)};
}

struct heatmap_fit heatmap_measure(struct area a, const struct heatmap *h)
{
    struct layout l = lay_out(a, h);
    return fit_of(&l);
}

/* What the values of one unit in both directions come to; NaN if all are hatched. */
static double pool(const struct heatmap *h, const struct layout *l, size_t q_unit, size_t k_unit)
{
    size_t k_first = side_first_value(&l->k, k_unit), k_end = side_end_value(&l->k, k_unit), n = 0;
    size_t q_end = side_end_value(&l->q, q_unit);
    double most = -HUGE_VAL, mean = 0;

    for (size_t q = side_first_value(&l->q, q_unit); q < q_end; q++)
        for (size_t k = k_first; k < k_end; k++) {
            size_t i = q * h->n_k + k;
            if (is_hatched(h, i))
                continue;
            n++;
            if (h->pooling == POOL_MAX)
                most = h->value[i] > most ? h->value[i] : most;
            else
                mean += (h->value[i] - mean) / (double)n;
        }
    if (n == 0)
        return (double)NAN;
    return h->pooling == POOL_MAX ? most : mean;
}

/* Where the colour of a value stands in the colormap whose place between the scale's ends is PART. */
static double colour_of_part(enum heat_scale scale, double part)
{
    return scale == HEAT_ROOT ? sqrt(part) : part;
}

/* The place of V on the colour scale; where the scale is a point, beside it is beyond it. */
static double on_scale(const struct heatmap *h, double v)
{
    double half = h->hi / 2 - h->lo / 2;
    if (half > 0 && isfinite(half))
        return colour_of_part(h->scale, fmin(fmax((v / 2 - h->lo / 2) / half, 0), 1));
    return v < h->lo ? 0 : v > h->hi ? 1 : 0.5;
}

static struct heat_cell hatch_cell(const struct look *look)
{
    return (struct heat_cell){look->glyphs == GLYPHS_UNICODE ? GLYPH_HATCH : '/', look_pen(look, ROLE_FAINT)};
}

static struct heat_cell heat_of(const struct look *look, const struct heatmap *h, double v)
{
    return isnan(v) ? hatch_cell(look) : look_heat_cell(look, on_scale(h, v));
}

/* The colour of half a character. What is hatched has a grey of its own there. */
static rgb half_color(const struct look *look, const struct heatmap *h, double v)
{
    if (isnan(v))
        return color_mix(look_background(look), look_pen(look, ROLE_FAINT).fg, 0.5);
    return look_heat(look, on_scale(h, v));
}

static struct heat_cell two_halves(rgb upper, rgb lower)
{
    struct pen pen = {.fg = upper, .bg = lower};
    return upper == lower ? (struct heat_cell){' ', pen} : (struct heat_cell){GLYPH_UPPER_HALF, pen};
}

/* The character at a column and row of the grid. */
static struct heat_cell grid_cell(struct area a, const struct heatmap *h, const struct layout *l, int column,
                                  int row)
{
    size_t k = (size_t)column, q = (size_t)row * (size_t)l->units;
    double upper = pool(h, l, q, k);

    if (l->units == 1)
        return heat_of(a.look, h, upper);
    if (q + 1 >= l->q.length)
        return two_halves(half_color(a.look, h, upper), look_background(a.look));
    double lower = pool(h, l, q + 1, k);
    if (isnan(upper) && isnan(lower))
        return hatch_cell(a.look);
    return two_halves(half_color(a.look, h, upper), half_color(a.look, h, lower));
}

static void draw_grid(struct area a, const struct heatmap *h, const struct layout *l)
{
    for (int row = 0; row < grid_rows(l); row++)
        for (int column = 0; column < grid_cols(l); column++) {
            struct heat_cell cell = grid_cell(a, h, l, column, row);
            area_put(a, l->x + column, l->y + row, cell.pen, cell.glyph);
        }
}

/* The characters that show value (Q, K), clipped to whole rows. */
static struct area cell_area(struct area a, const struct layout *l, size_t q, size_t k)
{
    int left = (int)side_first_unit(&l->k, k), right = (int)side_last_unit(&l->k, k);
    int top = (int)side_first_unit(&l->q, q) / l->units, bottom = (int)side_last_unit(&l->q, q) / l->units;
    return area_part(a, l->x + left, l->y + top, right - left + 1, bottom - top + 1);
}

/* A pen for text in a cell: as on a coloured blank, or as elsewhere where glyphs carry the value. */
static struct pen pen_on_cell(const struct look *look, struct heat_cell cell)
{
    if (cell.glyph == ' ' && look->depth >= DEPTH_256)
        return (struct pen){.fg = color_on(cell.pen.bg), .bg = cell.pen.bg};
    return look_pen(look, ROLE_TEXT);
}

static void draw_number(struct area a, const struct heatmap *h, const struct layout *l, size_t q, size_t k)
{
    double v = h->value[q * h->n_k + k];
    if (h->masked && h->masked[q * h->n_k + k])
        return;

    struct area cell = cell_area(a, l, q, k);
    struct pen pen = pen_on_cell(a.look, heat_of(a.look, h, v));
    char text[LABEL_SIZE];
    struct decimal d;
    if (!isfinite(v))
        snprintf(text, sizeof text, "%s", isnan(v) ? "NaN" : v > 0 ? "inf" : "-inf");
    else if (l->decimals < 0 || !decimal_round(&d, v, l->decimals) || !decimal_fixed(text, sizeof text, d))
        number_show(text, v, 3, cell.cols - 1);
    int columns = utf8_columns(text), x = (cell.cols - columns + 1) / 2, y = (cell.rows - 1) / 2;
    /* Where the cell is filled with glyphs, blanks keep them off the number. */
    area_put(cell, x - 1, y, pen, ' ');
    area_put(cell, x + columns, y, pen, ' ');
    area_text(cell, x, y, pen, text);
}

static bool has_numbers(const struct layout *l)
{
    return l->units == 1 && l->q.length >= l->q.n && l->k.length >= l->k.n * NUMBER_COLS;
}

static void draw_numbers(struct area a, const struct heatmap *h, const struct layout *l)
{
    for (size_t q = 0; has_numbers(l) && q < h->n_q; q++)
        for (size_t k = 0; k < h->n_k; k++)
            draw_number(a, h, l, q, k);
}

/* Marks the selected cell: a box round a big one, brackets round a number, else a diamond in its middle. */
static void draw_selected_cell(struct area a, const struct heatmap *h, const struct layout *l)
{
    if (h->selected_q >= h->n_q || h->selected_k >= h->n_k)
        return;
    struct area cell = cell_area(a, l, h->selected_q, h->selected_k);
    size_t q = side_first_unit(&l->q, h->selected_q), k = side_first_unit(&l->k, h->selected_k);
    struct heat_cell heat = heat_of(a.look, h, pool(h, l, q, k));
    struct pen pen = pen_on_cell(a.look, heat);

    pen.attr = ATTR_BOLD;
    if (l->units == 1 && cell.rows >= 3 && cell.cols >= 3) {
        area_box(cell, pen, false);
    } else if (l->units == 1 && cell.cols >= 3) {
        area_put(cell, 0, (cell.rows - 1) / 2, pen, '[');
        area_put(cell, cell.cols - 1, (cell.rows - 1) / 2, pen, ']');
    } else {
        area_put(cell, (cell.cols - 1) / 2, (cell.rows - 1) / 2, pen,
                 a.look->glyphs == GLYPHS_ASCII ? 'X' : GLYPH_DIAMOND);
    }
}

static void draw_arrows(struct area a, const struct heatmap *h, const struct layout *l)
{
    if (!l->arrows || h->selected_q >= h->n_q)
        return;
    int y = l->y + row_of(l, h->selected_q);
    area_put(a, l->x - 1, y, look_pen(a.look, ROLE_SELECT), GLYPH_ARROW_RIGHT);
    area_put(a, l->x + grid_cols(l), y, look_pen(a.look, ROLE_SELECT), GLYPH_ARROW_LEFT);
}

static struct pen label_pen(const struct look *look, bool selected)
{
    return look_pen(look, selected ? ROLE_SELECT : ROLE_DIM);
}

static void draw_q_label(struct area a, const struct heatmap *h, const struct layout *l, size_t i)
{
    char text[LABEL_SIZE];
    label_text(h, h->q_label, i, text);
    int room = l->x - l->arrows, columns = utf8_columns(text);
    area_text_fit(a, columns < room ? room - columns : 0, l->y + row_of(l, i), room,
                  label_pen(a.look, i == h->selected_q), text);
}

/* Ends first, then the selection, then what stands clear of them. */
static void draw_q_labels(struct area a, const struct heatmap *h, const struct layout *l)
{
    size_t last = h->n_q - 1;
    int first_row = row_of(l, 0), last_row = row_of(l, last);
    bool selected = h->selected_q < h->n_q;
    int selected_row = selected ? row_of(l, h->selected_q) : 0;

    if (!l->q_labels)
        return;
    for (size_t i = l->q_stride; i < last; i += l->q_stride) {
        int row = row_of(l, i);
        if (row - first_row >= l->q_apart && last_row - row >= l->q_apart &&
            !(selected && row == selected_row))
            draw_q_label(a, h, l, i);
    }
    if (selected && selected_row != first_row && selected_row != last_row)
        draw_q_label(a, h, l, h->selected_q);
    draw_q_label(a, h, l, 0);
    if (last_row > first_row)
        draw_q_label(a, h, l, last);
}

/* A label below the grid: its columns, from the area's left edge. */
struct span {
    int begin, end;
};

static struct span k_span(struct area a, const struct layout *l, size_t i, const char *text, int most)
{
    int columns = utf8_columns(text);
    if (columns > most)
        columns = most;
    int begin = l->x + column_of(l, i) - (columns - 1) / 2;
    if (begin + columns > a.cols)
        begin = a.cols - columns;
    if (begin < 0)
        begin = 0;
    return (struct span){begin, begin + columns};
}

static bool is_clear(struct span span, const struct span *taken, int n, int gap)
{
    for (int i = 0; i < n; i++)
        if (span.begin < taken[i].end + gap && taken[i].begin < span.end + gap)
            return false;
    return true;
}

/* Draws label I unless it touches one of the N TAKEN, and puts it into slot N. Returns the number drawn. */
static int draw_k_label(struct area a, const struct heatmap *h, const struct layout *l, size_t i, int most,
                        int gap, struct span *taken, int n)
{
    char text[LABEL_SIZE];
    label_text(h, h->k_label, i, text);
    struct span span = k_span(a, l, i, text, most);
    if (!is_clear(span, taken, n, gap))
        return 0;
    area_text_fit(a, span.begin, l->y + grid_rows(l), span.end - span.begin,
                  label_pen(a.look, i == h->selected_k), text);
    taken[n] = span;
    return 1;
}

static int widest_k_label(const struct heatmap *h)
{
    char text[LABEL_SIZE];
    int widest = 1;
    size_t step = h->n_k > 64 ? h->n_k / 64 : 1;
    for (size_t i = 0; i < h->n_k; i += step) {
        label_text(h, h->k_label, i, text);
        widest = utf8_columns(text) > widest ? utf8_columns(text) : widest;
    }
    return widest;
}

/* Whether every STRIDE-th label of a few columns fits below its own. */
static bool fit_k_labels(struct area a, const struct heatmap *h, const struct layout *l, size_t stride)
{
    int end = -1;
    for (size_t i = 0; i < h->n_k; i += stride) {
        char text[LABEL_SIZE];
        label_text(h, h->k_label, i, text);
        struct span span = k_span(a, l, i, text, a.cols);
        if (span.begin <= end)
            return false;
        end = span.end;
    }
    return true;
}

/* The least stride with which the labels of a few columns fit as they are, whatever words they are; that of
 * many keeps to round numbers and to the widest. */
static size_t k_stride(struct area a, const struct heatmap *h, const struct layout *l, int widest)
{
    size_t stride = 1;
    if (h->n_k > LABELS_EACH)
        return label_stride(h->n_k, (double)l->k.length / (double)h->n_k, widest + LABEL_GAP);
    while (!fit_k_labels(a, h, l, stride))
        stride++;
    return stride;
}

/* Labels below, both ends first; with a title that found no row of its own, between the two ends. */
static void draw_k_labels(struct area a, const struct heatmap *h, const struct layout *l)
{
    double each = (double)l->k.length / (double)h->n_k;
    int widest = widest_k_label(h), most = a.cols, n = 0;
    struct span taken[4];
    size_t stride = k_stride(a, h, l, widest);

    if (each >= FIT_COLS && widest >= (int)each && stride > 1) {
        most = (int)each - 1;
        stride = 1;
    }
    int gap = stride == 1 || h->n_k <= LABELS_EACH ? 1 : LABEL_GAP;
    n += draw_k_label(a, h, l, 0, most, gap, taken, n);
    if (h->n_k > 1)
        n += draw_k_label(a, h, l, h->n_k - 1, most, gap, taken, n);
    if (h->k_title && !l->k_title) {
        int columns = utf8_columns(h->k_title), begin = l->x + (grid_cols(l) - columns) / 2;
        if (*h->k_title && begin >= 0 &&
            is_clear((struct span){begin, begin + columns}, taken, n, LABEL_GAP)) {
            area_text(a, begin, l->y + grid_rows(l), look_pen(a.look, ROLE_DIM), h->k_title);
            return;
        }
    }
    if (h->selected_k < h->n_k)
        n += draw_k_label(a, h, l, h->selected_k, most, gap, taken, n);
    /* The strides are far enough apart, so these are compared with the others only. */
    for (size_t i = stride; i + 1 < h->n_k; i += stride)
        draw_k_label(a, h, l, i, most, gap, taken, n);
}

static void draw_titles(struct area a, const struct heatmap *h, const struct layout *l)
{
    struct pen pen = look_pen(a.look, ROLE_DIM);
    if (l->q_title)
        area_text_fit(a, 0, 0, a.cols, pen, h->q_title);
    if (l->k_title) {
        int columns = utf8_columns(h->k_title), begin = l->x + (grid_cols(l) - columns) / 2;
        area_text_fit(a, begin < 0 ? 0 : begin, l->y + grid_rows(l) + 1, a.cols, pen, h->k_title);
    }
}

struct heatmap_fit heatmap_draw(struct area a, const struct heatmap *h)
{
    struct layout l = lay_out(a, h);
    if (l.q.length == 0 || l.k.length == 0)
        return fit_of(&l);

    draw_grid(a, h, &l);
    draw_numbers(a, h, &l);
    draw_selected_cell(a, h, &l);
    draw_arrows(a, h, &l);
    draw_q_labels(a, h, &l);
    if (l.k_labels)
        draw_k_labels(a, h, &l);
    draw_titles(a, h, &l);
    if (l.bar)
        color_bar(area_part(a, l.x + grid_cols(&l) + 2, l.y, a.cols, grid_rows(&l)), h->lo, h->hi, h->scale);
    return fit_of(&l);
}

/* Each number stands beside the colour that it has, if it is clear of those before it. */
static void draw_bar_numbers(struct area a, double lo, double hi, enum heat_scale scale)
{
    struct bar_parts parts = bar_parts(scale);
    int taken[8], n = 0;
    for (size_t i = 0; i < parts.n; i++) {
        int row = (int)((1 - colour_of_part(scale, parts.part[i])) * (a.rows - 1) + 0.499), apart = a.rows;
        char text[NUMBER_TEXT];
        for (int k = 0; k < n; k++)
            apart = abs(row - taken[k]) < apart ? abs(row - taken[k]) : apart;
        if (n > 0 && apart < (i < 2 ? 1 : 2))
            continue;
        taken[n++] = row;
        area_text(a, BAR_COLS + 1, row, look_pen(a.look, ROLE_DIM),
                  bar_number(text, bar_value(lo, hi, parts.part[i])));
    }
}

void color_bar(struct area a, double lo, double hi, enum heat_scale scale)
{
    int units = look_has_half_blocks(a.look) ? 2 : 1, n = a.rows * units;

    for (int row = 0; row < a.rows; row++) {
        double upper = n > 1 ? 1 - (double)(row * units) / (n - 1) : 1;
        double lower = n > 1 ? 1 - (double)(row * units + 1) / (n - 1) : 1;
        struct heat_cell cell = look_heat_cell(a.look, upper);
        if (units == 2)
            cell = two_halves(look_heat(a.look, upper), look_heat(a.look, lower));
        for (int column = 0; column < BAR_COLS; column++)
            area_put(a, column, row, cell.pen, cell.glyph);
    }
    draw_bar_numbers(a, lo, hi, scale);
}
