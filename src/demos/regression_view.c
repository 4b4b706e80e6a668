#include "demos/regression_view.h"

#include <math.h>
#include <stdio.h>

#include "data/lang.h"
#include "data/utf8.h"
#include "demos/curves.h"
#include "demos/matrix_view.h"
#include "demos/points_edit.h"
#include "draw/bars.h"
#include "draw/plot.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

enum { MANY_POINTS = 150 };

static const uint32_t glyph_data = 0x25cb, glyph_dot = 0x2022, glyph_line = 0x2501, glyph_dashed = 0x2509,
                      glyph_query = 0x25c6;

const char *show_number(char out[NUMBER_TEXT], double value)
{
    return number_show(out, value, 4, 8);
}

/* ---- the fit */

/* What the points are called: a file's by its column for y. */
static const char *name_data(const struct regression *r, char out[2 * CSV_NAME])
{
    char y[CSV_NAME];
    const char *data = r->points.n > REGRESSION_ALL ? _("data (a sample)") : _("data");
    snprintf(out, 2 * CSV_NAME, "%s", data);
    if (r->points.guess.n_columns > 0)
        snprintf(out, 2 * CSV_NAME, "%s: %s", data, csv_column_name(&r->points.guess.y, y));
    return out;
}

static uint32_t glyph_of(const struct regression *r)
{
    return r->points.n > MANY_POINTS ? glyph_dot : glyph_data;
}

void regression_legend(const struct regression *r, struct area corner, bool is_small)
{
    char data[2 * CSV_NAME];
    struct legend entries[3];
    size_t n = 0;
    entries[n++] = (struct legend){ROLE_DATA, is_small ? glyph_dot : glyph_of(r), name_data(r, data)};
    if (r->truth)
        entries[n++] = (struct legend){ROLE_TRUTH, glyph_dashed, _("truth")};
    entries[n++] = (struct legend){ROLE_ACCENT, glyph_line, _("prediction")};
    /* Where room is scarce, y's name stands for its points. */
    if (legend_columns(entries, n) > corner.cols && r->points.guess.n_columns > 0)
        csv_column_name(&r->points.guess.y, data);
    if (legend_columns(entries, n) > corner.cols)
        snprintf(data, sizeof data, "%s", _("data"));
    legend_figure(corner, entries, n);
}

/* Both axes over all that any width can show: predictions never leave the range of the data. */
static void fit_axes(const struct regression *r, struct axis *x, struct axis *y)
{
    *x = (struct axis){.lo = HUGE_VAL, .hi = -HUGE_VAL, .label = r->points.guess.x.header};
    *y = (struct axis){.lo = r->points.y_lo, .hi = r->points.y_hi};
    range_over(&x->lo, &x->hi, (const double[]){r->points.x[0], r->points.x[r->points.n - 1]}, 2);
    range_over(&x->lo, &x->hi, r->query, r->n_q);
    if (r->truth)
        range_over(&y->lo, &y->hi, r->truth, r->n_q);
    range_pad(&x->lo, &x->hi, 0.02);
    range_pad(&y->lo, &y->hi, 0.06);
}

static void draw_curves(const struct regression *r, struct plot *plot, const double *y_hat)
{
    const struct look *look = plot->inside.look;
    plot_line(plot, r->query, y_hat, r->n_q, LINE_PLAIN, look_pen(look, ROLE_ACCENT));
    if (r->truth)
        plot_line(plot, r->query, r->truth, r->n_q, LINE_DASHED, look_pen(look, ROLE_TRUTH));
}

size_t regression_stride(const struct regression *r)
{
    return r->points.n / REGRESSION_ALL + 1;
}

static void draw_points(const struct regression *r, const struct plot *plot, uint32_t glyph)
{
    for (size_t i = 0; i < r->points.n; i += regression_stride(r))
        plot_point(plot, r->points.x[i], r->points.y[i], look_pen(plot->inside.look, ROLE_DATA), glyph);
}

static int count_blanks(struct area a, int x, int y, int n)
{
    int blanks = 0;
    for (int i = 0; i < n; i++)
        blanks += frame_at(a.frame, a.x + x + i, a.y + y)->glyph == ' ';
    return blanks;
}

/* The flat line's name stands above or below one of its ends, wherever it covers least. */
static void name_average(const struct plot *plot, double average)
{
    struct area a = plot->inside;
    char text[64], number[NUMBER_TEXT];
    int column, row, most = -1, best_x = 0, best_y = 0;
    snprintf(text, sizeof text, _("average %s"), number_show(number, average, 3, 8));
    int cols = utf8_columns(text);
    if (!plot_cell(plot, plot->x.lo, average, &column, &row) || cols * 5 >= a.cols * 2)
        return;
    for (int place = 0; place < 4; place++) {
        int x = place % 2 ? a.cols - cols : 0, y = place < 2 ? row - 1 : row + 1;
        int blanks = y >= 0 && y < a.rows ? count_blanks(a, x, y, cols) : -1;
        if (blanks > most) {
            most = blanks;
            best_x = x;
            best_y = y;
        }
    }
    if (most >= 0)
        area_text(a, best_x, best_y, look_pen(a.look, ROLE_DIM), text);
}

void regression_draw_fit(const struct regression *r, struct area inside, double average)
{
    const struct look *look = inside.look;
    struct axis x, y;
    fit_axes(r, &x, &y);
    struct plot plot = plot_begin(inside, &x, &y);
    plot_vertical(&plot, r->x, look_pen(look, ROLE_SELECT));
    if (isfinite(average))
        plot_horizontal(&plot, average, look_pen(look, ROLE_DIM));
    draw_curves(r, &plot, r->all.y_hat);
    plot_end(&plot);
    draw_points(r, &plot, glyph_of(r));
    if (isfinite(average))
        name_average(&plot, average);
    size_t nearest = points_nearest(r);
    plot_point(&plot, r->points.x[nearest], r->points.y[nearest], look_pen(look, ROLE_SELECT), glyph_data);
    if (!r->selected.empty)
        plot_point(&plot, r->x, regression_answer(r), look_pen(look, ROLE_SELECT), glyph_query);
}

void regression_draw_small_fit(const struct regression *r, struct area inside, const double *y_hat)
{
    struct axis x, y;
    fit_axes(r, &x, &y);
    x.label = NULL;
    struct plot plot = plot_begin(inside, &x, &y);
    draw_curves(r, &plot, y_hat);
    plot_end(&plot);
    draw_points(r, &plot, glyph_dot);
}

/* ---- the weights */

static void label_query(const void *context, size_t i, char *out, size_t size)
{
    const struct regression *r = context;
    char text[NUMBER_TEXT];
    snprintf(out, size, "%s", number_show(text, r->query[i], 3, 6));
}

static void label_key(const void *context, size_t i, char *out, size_t size)
{
    const struct regression *r = context;
    char text[NUMBER_TEXT];
    snprintf(out, size, "%s", number_show(text, r->points.x[regression_shown_key(r, i)], 3, 6));
}

struct heatmap regression_heatmap(const struct regression *r, const struct attended *attended, double hi,
                                  enum heat_scale scale)
{
    return (struct heatmap){
        .value = attended->weights.at,
        .masked = attended->n_empty > 0 ? attended->empty : NULL,
        .n_q = r->n_q,
        .n_k = regression_n_shown(r),
        .lo = 0,
        .hi = hi,
        .scale = scale,
        .pooling = POOL_MAX,
        .k_title = regression_n_shown(r) < r->points.n
                       ? _("queries \u2193   keys (a sample of 2000 of them) \u2192")
                       : _("queries \u2193   keys (x of the data) \u2192"),
        .q_label = label_query,
        .k_label = label_key,
        .label_context = r,
        .selected_q = r->row,
        .selected_k = regression_shown_column(r, r->key),
        .color_bar = true,
    };
}

int regression_weights_cols(const struct regression *r, int cols)
{
    enum { MARGIN = 18 };
    int least = cols * 48 / 100, most = cols * 56 / 100, wanted = (int)regression_n_shown(r) + MARGIN;
    return wanted < least ? least : wanted > most ? most : wanted;
}

void regression_weights_figure(const struct regression *r, struct area corner)
{
    char text[96], a[NUMBER_TEXT], x[NUMBER_TEXT], k[NUMBER_TEXT];
    show_number(a, regression_key(r, r->key).weight);
    snprintf(text, sizeof text, "\u03b1(%s, %s) = %s   %zu \u00d7 %zu", show_number(x, r->x),
             show_number(k, r->points.x[r->key]), a, r->n_q, r->points.n);
    if (utf8_columns(text) + 2 > corner.cols)
        snprintf(text, sizeof text, "\u03b1 = %s", a);
    figure_text(corner, text);
}

void regression_draw_weights(const struct regression *r, struct area inside, double hi, enum heat_scale scale)
{
    struct heatmap h = regression_heatmap(r, &r->all, hi, scale);
    cut_pooling_note(&inside, &h);
    heatmap_draw(inside, &h);
}

/* ---- the selected query's sum */

void regression_sum_figure(const struct regression *r, struct area corner)
{
    char text[96], x[NUMBER_TEXT], y[NUMBER_TEXT];
    if (r->selected.empty)
        snprintf(text, sizeof text, _("x = %s: no key in reach"), show_number(x, r->x));
    else
        snprintf(text, sizeof text, "\u0177(%s) = \u03a3 \u03b1\u00b7y = %s", show_number(x, r->x),
                 show_number(y, regression_answer(r)));
    figure_text(corner, text);
}

enum { SUM_COLUMNS = 6, SUM_WIDTH = 9 };

static void draw_sum_row(const struct regression *r, struct area line, size_t key)
{
    struct nw_key at = regression_key(r, key);
    double y = r->points.y[key], weight = at.weight;
    const double numbers[SUM_COLUMNS] = {
        r->points.x[key], r->x - r->points.x[key], at.score, weight, y, weight * y,
    };
    bool counts = weight >= 0.0005;
    struct pen pen = look_pen(line.look, counts ? ROLE_TEXT : ROLE_DIM);
    for (int c = 0; c < SUM_COLUMNS; c++) {
        char text[NUMBER_TEXT];
        int width = utf8_columns(show_number(text, numbers[c]));
        area_text(line, c * SUM_WIDTH + SUM_WIDTH - 1 - width, 0,
                  c == 3 && counts ? look_pen(line.look, ROLE_SELECT) : pen, text);
    }
    int rest = line.cols - SUM_COLUMNS * SUM_WIDTH;
    if (rest > 2)
        bar_draw(line, SUM_COLUMNS * SUM_WIDTH, 0, rest, weight, look_pen(line.look, ROLE_ACCENT));
}

void regression_draw_sum(const struct regression *r, struct area inside)
{
    const char *const heads[SUM_COLUMNS] = {
        _("key x\u1d62"),   "x \u2212 x\u1d62", r->kernel == NW_GAUSSIAN ? _("score") : "|u|",
        _("weight \u03b1"), _("value y\u1d62"), "\u03b1\u00b7y\u1d62",
    };
    struct area head = area_cut_top(&inside, 1);
    for (int c = 0; c < SUM_COLUMNS; c++)
        area_text(head, c * SUM_WIDTH + SUM_WIDTH - 1 - utf8_columns(heads[c]), 0,
                  look_pen(head.look, ROLE_DIM), heads[c]);
    for (size_t i = 0; i < r->n_order && inside.rows > 0; i++)
        draw_sum_row(r, area_cut_top(&inside, 1), r->order[i]);
}

/* ---- words */

const char *const remark_put_off =
    N_("Working it out\u2026 what is on show is still that of before the change.");

const char *regression_formula(enum nw_kernel kernel)
{
    static const char *const formulas[NW_KERNELS] = {
        [NW_GAUSSIAN] = "\u0177(x) = \u03a3 softmax(\u2212((x \u2212 x\u1d62)\u00b7w)\u00b2/2)\u00b7y\u1d62",
        [NW_BOXCAR] =
            "\u0177(x) = \u03a3 \u03b1\u1d62y\u1d62, \u03b1 \u221d [|u| < 1], u = (x \u2212 x\u1d62)\u00b7w",
        [NW_TRIANGULAR] = "\u0177(x) = \u03a3 \u03b1\u1d62y\u1d62, \u03b1 \u221d max(0, 1 \u2212 |u|), u = "
                          "(x \u2212 x\u1d62)\u00b7w",
        [NW_EPANECHNIKOV] = "\u0177(x) = \u03a3 \u03b1\u1d62y\u1d62, \u03b1 \u221d max(0, 1 \u2212 u\u00b2), "
                            "u = (x \u2212 x\u1d62)\u00b7w",
        [NW_CONSTANT] = "\u0177(x) = \u03a3 \u03b1\u1d62y\u1d62, \u03b1 = 1/n",
    };
    return formulas[kernel];
}

void regression_sum_text(const struct regression *r, struct buf *out)
{
    char a[NUMBER_TEXT], b[NUMBER_TEXT], factor[NUMBER_FACTOR];
    if (r->selected.empty) {
        buf_printf(out, _("\u0177(%s): no key in reach"), show_number(a, r->x));
        return;
    }
    buf_printf(out, "\u0177(%s) = ", show_number(a, r->x));
    for (size_t i = 0; i < r->points.n && i < 2; i++)
        buf_printf(out, "%s%s\u00b7%s", i ? " + " : "", show_number(a, regression_key(r, r->order[i]).weight),
                   number_factor(factor, show_number(b, r->points.y[r->order[i]])));
    buf_printf(out, "%s = %s", r->points.n > 2 ? " + \u2026" : "", show_number(a, regression_answer(r)));
}
