#include "demos/pipeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/lang.h"
#include "data/number.h"
#include "data/utf8.h"
#include "demos/layout.h"
#include "demos/matrix_view.h"
#include "engine/mem.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

static const char *show(char out[NUMBER_TEXT], double v)
{
    return number_show(out, v, 4, 8);
}

static const char *method_name(enum score score)
{
    const char *const names[SCORES] = {
        [SCORE_ADDITIVE] = _("additive"), [SCORE_DOT] = _("dot"),           [SCORE_SCALED] = _("scaled dot"),
        [SCORE_GAUSSIAN] = _("gaussian"), [SCORE_BILINEAR] = _("bilinear"),
    };
    return names[score];
}

static bool is_training(const struct pipeline *p)
{
    return p->dropout > 0;
}

static void label_item(const void *context, size_t i, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, _("item %zu"), i);
}

/* ---- one row an item, one column a key */

/* With one query an item, the items can share the line of column labels. */
static struct matrix_view view_items(const struct pipeline *p, const struct matrix *m)
{
    return (struct matrix_view){
        .value = m->at,
        .batch = 1,
        .rows = m->rows,
        .cols = m->cols,
        .col_prefix = "k",
        .row_label = label_item,
        .at_batch = 0,
        .at_row = p->item,
        .at_col = p->key,
    };
}

/* All scores have one scale, masked or not, so that masking changes no colour. */
static struct matrix_view view_scores(const struct pipeline *p)
{
    const struct matrix *const scores = &p->tensor[T_SCORES];
    struct matrix_view view = view_items(p, scores);

    view.lo = HUGE_VAL;
    view.hi = -HUGE_VAL;
    view_range(&view.lo, &view.hi, scores->at, NULL, scores->rows * scores->cols);
    view_widen(&view.lo, &view.hi);
    return view;
}

void pipeline_pairs_figure(const struct stage *stage, struct area corner)
{
    const struct pipeline *const p = pipeline_of(stage);

    figure_shape(corner, p->shape.batch, p->shape.n_q, p->shape.n_k);
}

void pipeline_scores_draw(const struct stage *stage, struct area inside)
{
    const struct matrix_view view = view_scores(pipeline_of(stage));

    matrix_view_draw(inside, &view);
}

void pipeline_masked_draw(const struct stage *stage, struct area inside)
{
    const struct pipeline *const p = pipeline_of(stage);
    struct matrix_view view = view_scores(p);

    view.masked = p->masked;
    view.masked_text = "\u2212\u221e";
    matrix_view_draw(inside, &view);
}

void pipeline_weights_figure(const struct stage *stage, struct area corner)
{
    const struct pipeline *const p = pipeline_of(stage);
    char text[128], percent[NUMBER_TEXT], factor[NUMBER_TEXT];

    if (!is_training(p)) {
        pipeline_pairs_figure(stage, corner);
        return;
    }
    if (p->dropout < 1)
        snprintf(text, sizeof text, _("\u2590\u258c dropped (p = %s)   below: the kept ones \u00d7 %s"),
                 show(percent, p->dropout), show(factor, 1 / (1 - p->dropout)));
    else
        snprintf(text, sizeof text, "%s", _("dropout 1: all are dropped"));
    figure_text(corner, text);
}

/* MASKED and DROPPED keys alike (BOTH), or those alone that dropout has taken from a valid key. */
static unsigned char *without_weight(const struct pipeline *p, bool both)
{
    const size_t n = p->shape.batch * p->shape.n_k;
    unsigned char *const out = mem_new(n, sizeof *out);

    for (size_t i = 0; i < n; i++)
        out[i] = both ? p->masked[i] || p->dropped[i] : p->dropped[i] && !p->masked[i];
    return out;
}

static void label_kept(const void *context, size_t i, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, _("kept %zu"), i);
}

static struct matrix_view view_weights(const struct pipeline *p, enum tensor tensor)
{
    struct matrix_view view = view_items(p, &p->tensor[tensor]);

    view.lo = 0;
    view.hi = 1;
    view.masked_text = "0";
    view.row_sums = true;
    return view;
}

/* In training before dropout, the dropped ones marked, and below it what is kept. */
static void draw_dropout(const struct pipeline *p, struct area inside)
{
    const int n = (int)p->shape.batch, per_row = inside.rows >= 4 * n + 1 ? 2 : 1;
    struct matrix_view before = view_weights(p, T_WEIGHTS), kept = view_weights(p, T_KEPT);
    struct area below = area_cut_bottom(&inside, min_int(n * per_row, inside.rows / 2));
    unsigned char *const gone = without_weight(p, true), *const dropped = without_weight(p, false);

    before.masked = p->masked;
    before.lit = dropped;
    kept.masked = gone;
    kept.row_label = label_kept;
    kept.col_prefix = NULL;
    matrix_view_draw(inside, &before);
    matrix_view_draw(below, &kept);
    free(gone);
    free(dropped);
}

void pipeline_weights_draw(const struct stage *stage, struct area inside)
{
    const struct pipeline *const p = pipeline_of(stage);
    struct matrix_view view = view_weights(p, T_WEIGHTS);

    view.masked = p->masked;
    if (is_training(p) && inside.rows >= 2)
        draw_dropout(p, inside);
    else
        matrix_view_draw(inside, &view);
}

void pipeline_output_figure(const struct stage *stage, struct area corner)
{
    const struct pipeline *const p = pipeline_of(stage);

    figure_shape(corner, p->shape.batch, p->shape.n_q, p->shape.d_v);
}

void pipeline_output_draw(const struct stage *stage, struct area inside)
{
    const struct pipeline *const p = pipeline_of(stage);
    const struct matrix *const values = &p->tensor[T_VALUES];
    struct matrix_view view = view_items(p, &p->tensor[T_OUTPUT]);

    view.lo = HUGE_VAL;
    view.hi = -HUGE_VAL;
    view_range(&view.lo, &view.hi, values->at, NULL, values->rows * values->cols);
    view_widen(&view.lo, &view.hi);
    view.col_prefix = "v";
    view.at_col = p->at_v;
    matrix_view_draw(inside, &view);
}

void pipeline_queries_figure(const struct stage *stage, struct area corner)
{
    const struct pipeline *const p = pipeline_of(stage);

    figure_shape(corner, p->shape.batch, p->shape.n_q, p->shape.d_q);
}

static void range_around_zero(struct matrix_view *view, size_t n)
{
    view->lo = HUGE_VAL;
    view->hi = -HUGE_VAL;
    view_range(&view->lo, &view->hi, view->value, NULL, n);
    view_widen(&view->lo, &view->hi);
}

void pipeline_queries_draw(const struct stage *stage, struct area inside)
{
    enum { NUMBER = 5 }; /* columns of a sign and three digits */
    const struct pipeline *const p = pipeline_of(stage);
    struct matrix_view view = view_items(p, &p->tensor[T_QUERIES]);

    view.col_prefix = "d";
    view.at_col = p->at_q;
    range_around_zero(&view, p->shape.batch * p->shape.d_q);
    if (!matrix_view_fits(inside, &view, NUMBER)) {
        view.row_label = NULL;
        view.row_prefix = "";
    }
    matrix_view_draw(inside, &view);
}

/* ---- one row a key: the selected item's */

static struct matrix_view view_keys(const struct pipeline *p, const struct matrix *m, size_t at_col)
{
    return (struct matrix_view){
        .value = m->at + p->item * p->shape.n_k * m->cols,
        .batch = 1,
        .rows = p->shape.n_k,
        .cols = m->cols,
        .row_prefix = "k",
        .at_batch = 0,
        .at_row = p->key,
        .at_col = at_col,
    };
}

/* The scale is that of all items, so that moving to another item changes no colour. */
static void draw_keys(const struct pipeline *p, struct area inside, enum tensor tensor, const char *prefix,
                      size_t at_col)
{
    const struct matrix *const m = &p->tensor[tensor];
    struct matrix_view view = view_keys(p, m, at_col), all = {.value = m->at};

    range_around_zero(&all, m->rows * m->cols);
    view.lo = tensor == T_FEATURES ? -1 : all.lo;
    view.hi = tensor == T_FEATURES ? 1 : all.hi;
    view.col_prefix = prefix;
    matrix_view_draw(inside, &view);
}

static void figure_item(const struct pipeline *p, struct area corner, size_t cols)
{
    char text[128];

    snprintf(text, sizeof text, _("item %zu of (%zu, %zu, %zu)"), p->item, p->shape.batch, p->shape.n_k,
             cols);
    if (utf8_columns(text) + 2 > corner.cols)
        figure_shape(corner, p->shape.batch, p->shape.n_k, cols);
    else
        figure_text(corner, text);
}

void pipeline_keys_figure(const struct stage *stage, struct area corner)
{
    figure_item(pipeline_of(stage), corner, pipeline_of(stage)->shape.d_k);
}

void pipeline_keys_draw(const struct stage *stage, struct area inside)
{
    draw_keys(pipeline_of(stage), inside, T_KEYS, "d", pipeline_of(stage)->at_k);
}

void pipeline_values_figure(const struct stage *stage, struct area corner)
{
    figure_item(pipeline_of(stage), corner, pipeline_of(stage)->shape.d_v);
}

void pipeline_values_draw(const struct stage *stage, struct area inside)
{
    draw_keys(pipeline_of(stage), inside, T_VALUES, "v", pipeline_of(stage)->at_v);
}

void pipeline_projected_figure(const struct stage *stage, struct area corner)
{
    figure_item(pipeline_of(stage), corner, pipeline_of(stage)->shape.hidden);
}

static void label_projected(const void *context, size_t i, char *out, size_t size)
{
    const struct pipeline *const p = context;

    if (i == 0)
        snprintf(out, size, "q%zu", p->item);
    else
        snprintf(out, size, "k%zu", i - 1);
}

/* Above the keys' rows the query's, which is added to each of them. */
static void draw_both_projections(const struct pipeline *p, struct area inside, struct matrix_view view)
{
    const size_t h = p->shape.hidden, n_k = p->shape.n_k;
    double *const both = mem_new((n_k + 1) * h, sizeof *both);

    memcpy(both, matrix_row(&p->tensor[T_PROJECTED_Q], p->item), h * sizeof *both);
    memcpy(both + h, view.value, n_k * h * sizeof *both);
    view.value = both;
    view.rows = n_k + 1;
    view.at_row = p->key + 1;
    view.row_label = label_projected;
    view.label_context = p;
    matrix_view_draw(inside, &view);
    free(both);
}

/* Where the query's row does not fit it can be read in the selected pair. */
void pipeline_projected_draw(const struct stage *stage, struct area inside)
{
    const struct pipeline *const p = pipeline_of(stage);
    const struct matrix *const q = &p->tensor[T_PROJECTED_Q], *const k = &p->tensor[T_PROJECTED_K];
    struct matrix_view view = view_keys(p, k, p->at_unit);

    view.lo = HUGE_VAL;
    view.hi = -HUGE_VAL;
    view_range(&view.lo, &view.hi, q->at, NULL, q->rows * q->cols);
    view_range(&view.lo, &view.hi, k->at, NULL, k->rows * k->cols);
    view_widen(&view.lo, &view.hi);
    view.col_prefix = "h";
    if (inside.rows >= (int)p->shape.n_k + 2)
        draw_both_projections(p, inside, view);
    else
        matrix_view_draw(inside, &view);
}

void pipeline_features_figure(const struct stage *stage, struct area corner)
{
    figure_item(pipeline_of(stage), corner, pipeline_of(stage)->shape.hidden);
}

void pipeline_features_draw(const struct stage *stage, struct area inside)
{
    draw_keys(pipeline_of(stage), inside, T_FEATURES, "h", pipeline_of(stage)->at_unit);
}

/* ---- the selected pair, written out */

struct line {
    const char *label;
    const double *value; /* (n) */
    enum role role;
};

enum { LINES_MAX = 6, NUMBER_COLS = 8, NARROW_COLS = 6, LABEL_COLS = 9 };

/* LINES one below the other, N numbers each, those around AT where not all fit. Returns the rows used. */
static int draw_lines(struct area a, const struct line *lines, size_t n_lines, size_t n, const char *prefix,
                      size_t at)
{
    const bool narrow = LABEL_COLS + (int)n * NUMBER_COLS > a.cols;
    const int number = narrow ? NARROW_COLS : NUMBER_COLS, fits = (a.cols - LABEL_COLS) / number;
    const size_t whole = fits < 1 ? 1 : (size_t)fits < n ? (size_t)fits : n;
    /* What is left out at the right is told by an ellipsis, which needs two columns. */
    const bool is_tight = whole < n && whole > 1 && a.cols - LABEL_COLS - (int)whole * number < 2;
    const size_t shown = is_tight ? whole - 1 : whole;
    const size_t half = shown / 2, first = at <= half ? 0 : at - half + shown > n ? n - shown : at - half;
    const int head = a.rows > (int)n_lines + 1 ? 1 : 0;
    char text[NUMBER_TEXT];

    for (size_t c = 0; c < shown; c++) {
        const int right = LABEL_COLS + ((int)c + 1) * number;
        const bool here = first + c == at;

        snprintf(text, sizeof text, "%s%zu", prefix, first + c);
        if (head)
            area_text(a, right - utf8_columns(text), 0, look_pen(a.look, here ? ROLE_SELECT : ROLE_DIM),
                      text);
        for (size_t i = 0; i < n_lines; i++) {
            number_show(text, lines[i].value[first + c], 4, number - 1);
            area_text(a, right - utf8_columns(text), head + (int)i,
                      look_pen(a.look, here ? ROLE_SELECT : lines[i].role), text);
        }
    }
    const int end = LABEL_COLS + (int)shown * number;
    for (size_t i = 0; i < n_lines && shown < n; i++) {
        if (first + shown < n)
            area_text(a, end + 1, head + (int)i, look_pen(a.look, ROLE_DIM), "\u2026");
        if (first > 0)
            area_text(a, LABEL_COLS - 1, head + (int)i, look_pen(a.look, ROLE_DIM), "\u2026");
    }
    for (size_t i = 0; i < n_lines; i++)
        area_text_fit(a, 0, head + (int)i, first > 0 ? LABEL_COLS - 1 : LABEL_COLS,
                      look_pen(a.look, ROLE_DIM), lines[i].label);
    if (shown < n && head)
        area_text(a, 0, 0, look_pen(a.look, ROLE_DIM), first > 0 ? "\u2190 h l" : "h l \u2192");
    return head + (int)n_lines;
}

/* The numbers that the selected pair's score is made of; where BRIEF without the sum that tanh is taken of.
 * Returns the rows used. */
static int draw_parts(const struct pipeline *p, struct area a, bool brief)
{
    const struct matrix *const t = p->tensor;
    const bool additive = p->spec.score == SCORE_ADDITIVE, bilinear = p->spec.score == SCORE_BILINEAR;
    const size_t pair = pipeline_pair(p), n = additive ? p->shape.hidden : p->shape.d_k;
    const double *const q = additive   ? matrix_row(&t[T_PROJECTED_Q], p->item)
                            : bilinear ? matrix_row(&t[T_BILINEAR_Q], p->item)
                                       : matrix_row(&t[T_QUERIES], p->item);
    const double *const k = matrix_row(&t[additive ? T_PROJECTED_K : T_KEYS], pair);
    double *const sum = mem_new(n, sizeof *sum), *const product = mem_new(n, sizeof *product);
    struct line lines[LINES_MAX] = {{additive   ? "W_q q"
                                     : bilinear ? "q W"
                                                : "q",
                                     q, ROLE_TEXT},
                                    {additive ? "W_k k" : "k", k, ROLE_TEXT}};
    size_t n_lines = 2;

    for (size_t i = 0; i < n; i++) {
        sum[i] = q[i] + k[i];
        product[i] = additive ? t[T_FEATURES].at[pair * n + i] * t[T_W_V].at[i] : q[i] * k[i];
    }
    if (additive) {
        if (!brief)
            lines[n_lines++] = (struct line){_("sum"), sum, ROLE_TEXT};
        lines[n_lines++] = (struct line){"tanh", matrix_row(&t[T_FEATURES], pair), ROLE_STRONG};
        lines[n_lines++] = (struct line){"w_v", t[T_W_V].at, ROLE_TEXT};
    }
    lines[n_lines++] = (struct line){_("product"), product, ROLE_STRONG};
    const int used = draw_lines(a, lines, n_lines, n, additive ? "h" : "d", p->at_unit);
    free(sum);
    free(product);
    return used;
}

/* "q.k = 1.2476, / sqrt 2 = 0.8822" */
static void describe_score(const struct pipeline *p, struct buf *out)
{
    const size_t pair = pipeline_pair(p);
    const double score = p->tensor[T_SCORES].at[pair], d = (double)p->shape.d_k;
    char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT];

    if (p->spec.score == SCORE_SCALED)
        buf_printf(out, _("score = %s / \u221a%s = %s"), show(a, score * sqrt(d)), show(b, d),
                   show(c, score));
    else
        buf_printf(out, _("score = sum of the products = %s"), show(a, score));
}

static void describe_weight(const struct pipeline *p, struct buf *out)
{
    const size_t len = lens_of(&p->lens, p->item, 0);

    if (p->masked[pipeline_pair(p)])
        buf_printf(out, _("k%zu lies beyond the valid length %zu: weight exactly 0"), p->key, len);
    else
        describe_softmax(matrix_row(&p->tensor[T_SCORES], p->item), len, p->key, 4, out);
}

static void describe_dropout(const struct pipeline *p, struct buf *out)
{
    const size_t pair = pipeline_pair(p);
    char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT];

    if (p->dropped[pair])
        buf_printf(out, _("k%zu is dropped: its weight becomes 0"), p->key);
    else
        buf_printf(out, _("k%zu is kept: %s / (1 \u2212 %s) = %s"), p->key,
                   show(a, p->tensor[T_WEIGHTS].at[pair]), show(b, p->dropout),
                   show(c, p->tensor[T_KEPT].at[pair]));
}

/* "v0 = 0.5*0 + 0.5*4 = 2": the selected column of the output. */
static void describe_output(const struct pipeline *p, struct buf *out)
{
    const struct matrix *const kept = &p->tensor[T_KEPT], *const values = &p->tensor[T_VALUES];
    const double *const weight = matrix_row(kept, p->item);
    const size_t len = lens_of(&p->lens, p->item, 0);
    enum { TERMS = 3 };
    char a[NUMBER_TEXT], b[NUMBER_TEXT], factor[NUMBER_FACTOR];

    buf_printf(out, "\u03a3 \u03b1\u00b7v%zu = ", p->at_v);
    for (size_t i = 0; i < len && i < TERMS; i++)
        buf_printf(out, "%s%s\u00b7%s", i ? " + " : "", show(a, weight[i]),
                   number_factor(factor, show(b, matrix_row(values, p->item * p->shape.n_k + i)[p->at_v])));
    buf_printf(out, "%s%s%s", len > TERMS ? " + \u2026" : "", len > 0 ? " = " : "",
               show(a, matrix_row(&p->tensor[T_OUTPUT], p->item)[p->at_v]));
}

void pipeline_chosen_figure(const struct stage *stage, struct area corner)
{
    const struct pipeline *const p = pipeline_of(stage);
    char text[96], weight[NUMBER_TEXT];

    snprintf(text, sizeof text, _("item %zu, key %zu: \u03b1 = %s"), p->item, p->key,
             show(weight, p->tensor[T_WEIGHTS].at[pipeline_pair(p)]));
    figure_text(corner, text);
}

void pipeline_chosen_draw(const struct stage *stage, struct area inside)
{
    const struct pipeline *const p = pipeline_of(stage);
    static void (*const describe[])(const struct pipeline *p, struct buf *out) = {
        describe_score, describe_weight, describe_dropout, describe_output};
    struct area parts = inside;
    const int sentences = is_training(p) ? 4 : 3, least = p->spec.score == SCORE_ADDITIVE ? 6 : 3;

    parts.rows = inside.rows - sentences > least ? inside.rows - sentences
                 : inside.rows < least           ? inside.rows
                                                 : least;
    int y = draw_parts(p, parts, inside.rows < least + 2);
    if (inside.rows > y + sentences)
        y++;
    for (size_t i = 0; i < ALEN(describe) && y < inside.rows; i++) {
        struct buf text = {0};

        if (describe[i] == describe_dropout && !is_training(p))
            continue;
        describe[i](p, &text);
        area_text_fit(inside, 0, y++, inside.cols, look_pen(inside.look, i == 1 ? ROLE_SELECT : ROLE_TEXT),
                      text.at);
        buf_free(&text);
    }
}

/* ---- both methods on the same queries and keys */

static double largest_difference(const struct pipeline *p)
{
    const struct matrix *const a = &p->tensor[T_WEIGHTS], *const b = &p->tensor[T_RIVAL_WEIGHTS];
    double most = 0;

    for (size_t i = 0; i < a->rows * a->cols; i++)
        most = fmax(most, fabs(a->at[i] - b->at[i]));
    return most;
}

void pipeline_compare_figure(const struct stage *stage, struct area corner)
{
    const struct pipeline *const p = pipeline_of(stage);
    char text[96], most[NUMBER_TEXT];

    snprintf(text, sizeof text, _("largest difference %s"), show(most, largest_difference(p)));
    figure_text(corner, text);
}

static void label_method(const void *context, size_t i, char *out, size_t size)
{
    const struct pipeline *const p = context;

    enum score score = i % 2 ? p->spec.rival : p->spec.score;
    snprintf(out, size, "%zu %s", i / 2, score == SCORE_SCALED ? _("scaled") : method_name(score));
}

/* What the comparison teaches, and why it is with a bilinear form where it is. */
static void write_verdict(const struct pipeline *p, struct buf *out)
{
    if (largest_difference(p) < 1e-9)
        buf_puts(
            out,
            _("They agree: where the valid scores of a row are all equal, so are its weights, whatever the "
              "method."));
    else
        buf_puts(out, _("They disagree: equal keys hide the method, different keys show it."));
    if (p->spec.score == SCORE_BILINEAR || p->spec.rival == SCORE_BILINEAR)
        buf_printf(out,
                   _(" q has %zu numbers and k %zu, so the dot product needs a matrix between them: q W k."),
                   p->shape.d_q, p->shape.d_k);
}

void pipeline_compare_draw(const struct stage *stage, struct area inside)
{
    const struct pipeline *const p = pipeline_of(stage);
    const struct matrix *const own = &p->tensor[T_WEIGHTS], *const rival = &p->tensor[T_RIVAL_WEIGHTS];
    const size_t n_k = p->shape.n_k, n_rows = 2 * p->shape.batch;
    double *const both = mem_new(n_rows * n_k, sizeof *both);
    unsigned char *const masked = mem_new(n_rows * n_k, sizeof *masked);
    for (size_t row = 0; row < n_rows; row++) {
        memcpy(both + row * n_k, matrix_row(row % 2 ? rival : own, row / 2), n_k * sizeof *both);
        memcpy(masked + row * n_k, p->masked + row / 2 * n_k, n_k);
    }
    const struct matrix_view view = {.value = both,
                                     .masked = masked,
                                     .masked_text = "0",
                                     .batch = 1,
                                     .rows = n_rows,
                                     .cols = n_k,
                                     .hi = 1,
                                     .col_prefix = "k",
                                     .row_label = label_method,
                                     .label_context = p,
                                     .at_batch = 0,
                                     .at_row = VIEW_NONE,
                                     .at_col = p->key,
                                     .row_sums = true};
    const int spare = inside.rows - 1 - (int)n_rows;
    struct area words = area_cut_bottom(&inside, spare > 6 ? 5 : spare > 3 ? 3 : spare > 0 ? spare : 0);
    struct buf verdict = {0};
    write_verdict(p, &verdict);
    matrix_view_draw(inside, &view);
    area_text_wrap(words, 0, look_pen(words.look, ROLE_TEXT), verdict.at);
    buf_free(&verdict);
    free(both);
    free(masked);
}

/* ---- layout */

/* The pane that takes the place of the selected pair's where it is focused but has no place of its own. */
static size_t guest(const struct stage *stage, const struct area out[PANES_MAX])
{
    return area_is_empty(out[stage->focus]) ? stage->focus : PIPE_CHOSEN;
}

/* As everywhere, and under the weights the output if there is room. */
static void layout_narrow(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    struct area *const weights = &out[PIPE_WEIGHTS];

    layout_small(stage, a, PIPE_PARAMETERS, PIPE_WEIGHTS, out);
    if (weights->rows >= 10)
        out[PIPE_OUTPUT] = area_cut_bottom(weights, weights->rows / 2);
}

/* Rows of a pane with a line for each item, three at most, and for the column labels if LABELLED. */
static int strip(const struct pipeline *p, bool labelled)
{
    const int n = (int)p->shape.batch;

    return min_int(n, 3) + 2 + labelled;
}

/* 72x17 and more: scores and weights below each other, the pair, the output and the parameters under them. */
static void layout_medium(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    const struct pipeline *const p = pipeline_of(stage);
    const int n = strip(p, false), weights = is_training(p) ? 2 * n - 2 : n;
    enum { PARAMETER_ROWS = 4, OUTPUT_ROWS = 4 };

    out[stage->focus == PIPE_SCORES ? PIPE_SCORES : PIPE_MASKED] = area_cut_top(&a, strip(p, true));
    out[PIPE_WEIGHTS] = area_cut_top(&a, weights);
    struct area right = area_cut_right(&a, a.cols * 42 / 100);
    const int output = min_int(strip(p, true), right.rows - PARAMETER_ROWS);
    if (output >= OUTPUT_ROWS)
        out[PIPE_OUTPUT] = area_cut_top(&right, output);
    out[PIPE_PARAMETERS] = right;
    out[guest(stage, out)] = a;
}

/* What stands beside the keys: queries as wide as they need, the others equal parts of the rest. */
static void place_beside_keys(const struct pipeline *p, const size_t *extra, size_t n_extra, struct area top,
                              struct area out[PANES_MAX])
{
    enum { KEY_LABEL = 12, KEY_NUMBER = 6, ITEM_LABEL = 14, ITEM_NUMBER = 7 }; /* frames with the labels */
    const int keys = KEY_LABEL + KEY_NUMBER * (int)p->shape.d_k;
    const int queries = ITEM_LABEL + ITEM_NUMBER * (int)p->shape.d_q;
    const int most = top.cols / 4;

    out[PIPE_KEYS] = area_cut_left(&top, keys < most ? keys : most);
    for (size_t i = 0; i < n_extra; i++) {
        const int part = top.cols / (int)(n_extra - i), most_queries = top.cols / 3;

        out[extra[i]] = area_cut_left(&top, extra[i] == PIPE_QUERIES ? min_int(queries, most_queries) : part);
    }
}

static bool is_among(const struct pipeline_places *places, size_t pane)
{
    size_t i = 0;

    while (i < places->n && places->beside_keys[i] != pane)
        i++;
    return i < places->n;
}

static void place_strips(const struct pipeline *p, bool tall, struct area a, struct area out[PANES_MAX])
{
    const bool training = is_training(p), has_scores = tall || !training;
    const int n = strip(p, false) + (tall ? 2 : 0);
    struct area right = area_cut_right(&a, a.cols * 32 / 100);

    out[PIPE_OUTPUT] = area_cut_top(&right, strip(p, true));
    out[PIPE_VALUES] = right;
    if (has_scores)
        out[PIPE_SCORES] = area_cut_top(&a, n + 1);
    out[PIPE_MASKED] = area_cut_top(&a, has_scores ? n : n + 1);
    out[PIPE_WEIGHTS] = a;
}

/* 100x30 and more: from the queries at the top to the output at the right, the selected pair below. */
static void layout_large(const struct stage *stage, const struct pipeline_places *places, struct area a,
                         struct area out[PANES_MAX])
{
    enum { KEYS_ROWS = 13, LEAST_ROWS = 35, PAIR_COLS = 77 };
    const struct pipeline *const p = pipeline_of(stage);
    const bool tall = a.rows >= 48, wide = a.cols >= 180;
    const int n = strip(p, false) + (tall ? 2 : 0), spare = tall ? 0 : (a.rows - LEAST_ROWS) / 2;

    if (tall && !is_among(places, PIPE_QUERIES))
        out[PIPE_QUERIES] = area_cut_top(&a, strip(p, true));
    struct area top = area_cut_top(&a, KEYS_ROWS + (tall ? 1 : spare > 0 ? spare : 0));
    place_strips(p, tall, area_cut_top(&a, 3 * n + 1), out);
    out[PIPE_PARAMETERS] = area_cut_right(&a, a.cols * (wide ? 33 : 46) / 100);
    if (wide)
        out[places->below] = area_cut_right(&a, a.cols - PAIR_COLS);
    if (area_is_empty(out[stage->focus]) && (stage->focus == PIPE_COMPARE || stage->focus == PIPE_QUERIES) &&
        !is_among(places, stage->focus))
        out[stage->focus] = top;
    else
        place_beside_keys(p, places->beside_keys, places->n, top, out);
    out[guest(stage, out)] = a;
}

void pipeline_layout(const struct stage *stage, const struct pipeline_places *places, struct area area,
                     struct area out[PANES_MAX])
{
    switch (layout_room(area)) {
    case ROOM_SMALL:
        layout_narrow(stage, area, out);
        break;
    case ROOM_MEDIUM:
        layout_medium(stage, area, out);
        break;
    case ROOM_LARGE:
        layout_large(stage, places, area, out);
        break;
    }
}

/* ---- words */

void pipeline_progress(const struct stage *stage, char *out, size_t size)
{
    snprintf(out, size, "%s", pipeline_of(stage)->edited ? _("changed by hand") : "");
}

void pipeline_formula(const struct stage *stage, struct area line, const char *formula)
{
    const struct pipeline *const p = pipeline_of(stage);
    struct buf weight = {0}, output = {0};
    int x = area_text(line, 0, 0, look_pen(line.look, ROLE_TEXT), formula) + 3;

    describe_weight(p, &weight);
    describe_output(p, &output);
    if (x + utf8_columns(weight.at) <= line.cols)
        x += area_text(line, x, 0, look_pen(line.look, ROLE_SELECT), weight.at) + 3;
    if (x + utf8_columns(output.at) <= line.cols)
        area_text(line, x, 0, look_pen(line.look, ROLE_DIM), output.at);
    buf_free(&weight);
    buf_free(&output);
}

/* Whether all valid scores of every item are equal. */
static bool scores_are_equal(const struct pipeline *p)
{
    for (size_t b = 0; b < p->shape.batch; b++) {
        const double *const score = matrix_row(&p->tensor[T_SCORES], b);

        for (size_t k = 1; k < p->lens.at[b]; k++)
            if (score[k] != score[0])
                return false;
    }
    return true;
}

static size_t count_dropped(const struct pipeline *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->shape.batch * p->shape.n_k; i++)
        n += p->dropped[i] && !p->masked[i];
    return n;
}

static void remark_training(const struct pipeline *p, char *out, size_t size)
{
    char factor[NUMBER_TEXT];
    const size_t n = count_dropped(p);

    if (p->dropout >= 1)
        snprintf(out, size, "%s", _("Dropout 1 drops every weight: the output is 0."));
    else if (n == 0)
        snprintf(out, size, "%s",
                 _("No valid key is dropped here. PyTorch builds with MKL draw other masks."));
    else
        snprintf(out, size, _("%zu dropped, the rest \u00d7 %s. PyTorch builds with MKL draw other masks."),
                 n, show(factor, 1 / (1 - p->dropout)));
}

/* The largest weight of an item that has a choice: more than one valid key. */
static double largest_weight(const struct pipeline *p)
{
    double most = 0;

    for (size_t i = 0; i < p->shape.batch * p->shape.n_k; i++)
        if (p->lens.at[i / p->shape.n_k] > 1)
            most = fmax(most, p->tensor[T_WEIGHTS].at[i]);
    return most;
}

static bool has_a_choice(const struct pipeline *p)
{
    for (size_t b = 0; b < p->shape.batch; b++)
        if (p->lens.at[b] > 1)
            return true;
    return false;
}

static bool keys_are_ones(const struct pipeline *p)
{
    const struct matrix *const keys = &p->tensor[T_KEYS];

    for (size_t i = 0; i < keys->rows * keys->cols; i++)
        if (keys->at[i] != 1)
            return false;
    return true;
}

enum role pipeline_remark(const struct stage *stage, char *out, size_t size)
{
    const struct pipeline *const p = pipeline_of(stage);
    const size_t n_empty = lens_empty_rows(&p->lens), len = lens_of(&p->lens, p->item, 0);
    char weight[NUMBER_TEXT];

    if (n_empty > 0) {
        snprintf(out, size,
                 _("%zu of %zu items have no valid key: their weights are all 0, and so is their output."),
                 n_empty, p->shape.batch);
        return ROLE_WARN;
    }
    if (is_training(p)) {
        remark_training(p, out, size);
        return ROLE_WARN;
    }
    if (!has_a_choice(p)) {
        snprintf(out, size, "%s", _("A single valid key takes the whole weight, whatever its score."));
        return ROLE_DIM;
    }
    if (scores_are_equal(p)) {
        snprintf(out, size,
                 keys_are_ones(p)
                     ? _("Equal keys give equal scores: the output is the mean of %zu of %zu values.")
                     : _("All valid scores are equal: the output is the mean of %zu of %zu values."),
                 len, p->shape.n_k);
        return ROLE_DIM;
    }
    if (largest_weight(p) > 0.99) {
        snprintf(out, size,
                 _("The weights are saturated: one key takes %s of its row and the others hardly count."),
                 show(weight, largest_weight(p)));
        return ROLE_WARN;
    }
    snprintf(out, size, "%s", _("Keys that differ show what ones hide: the method decides which key wins."));
    return ROLE_TRUTH;
}
