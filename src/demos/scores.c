/* The same queries and keys under four ways to score them: additive, dot, scaled dot, Gaussian. */
#include "demos/demo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/lang.h"
#include "data/number.h"
#include "data/utf8.h"
#include "demos/common_params.h"
#include "demos/layout.h"
#include "demos/matrix_view.h"
#include "demos/tensors.h"
#include "demos/torch_script.h"
#include "engine/attention.h"
#include "engine/matrix.h"
#include "engine/mem.h"
#include "engine/rng.h"
#include "engine/softmax.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* ---- parameters */

enum { P_N_Q, P_N_K, P_D, P_HIDDEN, P_Q, P_K, P_SEED };

enum { ROWS_MAX = 8, SIZE_MAX_D = 8, HIDDEN_MAX = 32 };

static const struct param params[] = {
    [P_N_Q] = SIZE_PARAM("n_q", N_("queries"), ROWS_MAX, "2", N_("number of queries")),
    [P_N_K] = SIZE_PARAM("n_k", N_("keys"), ROWS_MAX, "4", N_("number of keys")),
    [P_D] = SIZE_PARAM("d", N_("size"), SIZE_MAX_D, "4", N_("numbers in a query and in a key")),
    [P_HIDDEN] =
        SIZE_PARAM("hidden", N_("hidden units"), HIDDEN_MAX, "8", N_("hidden units of the additive score")),
    [P_Q] = TYPED_PARAM("Q", N_("typed queries"), N_("queries instead of drawn ones, row by row: 1,2/3,4")),
    [P_K] = TYPED_PARAM("K", N_("typed keys"), N_("keys instead of drawn ones, row by row: 1,0/0,1")),
    [P_SEED] = SEED_PARAM,
};

/* ---- state */

enum { METHODS = 4 }; /* SCORE_ADDITIVE to SCORE_GAUSSIAN */

struct scores {
    struct attention_shape shape; /* batch 1 */
    struct matrix q, k;           /* (n_q, d), (n_k, d) */
    struct matrix w_k, w_q, w_v;  /* (hidden, d), (hidden, d), (1, hidden) */
    struct matrix projected_q, projected_k, features;
    struct matrix score[METHODS], weight[METHODS]; /* (n_q, n_k) */
    enum score method;                             /* the selected cell: method, query, key */
    size_t query, key;
    size_t at;   /* the selected component of the query and the key */
    bool edited; /* a drawn number was changed by hand */
};

static struct scores *state_of(const struct stage *stage)
{
    return stage->state;
}

static const char *method_name(size_t method)
{
    const char *const names[METHODS] = {
        [SCORE_ADDITIVE] = _("additive"),
        [SCORE_DOT] = _("dot"),
        [SCORE_SCALED] = _("scaled"),
        [SCORE_GAUSSIAN] = _("gaussian"),
    };
    return names[method];
}

static size_t pair_of(const struct scores *s)
{
    return s->query * s->shape.n_k + s->key;
}

/* ---- from the parameters to the weights */

static void make_rows(struct matrix *m, const struct value *typed, size_t rows, size_t cols, struct rng *rng)
{
    if (typed->n_list == 0) {
        tensor_normal(m, rows, cols, rng);
        return;
    }
    matrix_reshape(m, rows, cols);
    memcpy(m->at, typed->list, rows * cols * sizeof *m->at);
}

static void compute(struct scores *s)
{
    const struct attention_shape *const shape = &s->shape;
    const size_t n_q = shape->n_q, n_k = shape->n_k;

    for (size_t m = 0; m < METHODS; m++) {
        matrix_reshape(&s->score[m], n_q, n_k);
        matrix_reshape(&s->weight[m], n_q, n_k);
    }
    matrix_reshape(&s->projected_q, n_q, shape->hidden);
    matrix_reshape(&s->projected_k, n_k, shape->hidden);
    matrix_reshape(&s->features, n_q * n_k, shape->hidden);
    attention_project(s->q.at, n_q, shape->d_q, s->w_q.at, shape->hidden, s->projected_q.at);
    attention_project(s->k.at, n_k, shape->d_k, s->w_k.at, shape->hidden, s->projected_k.at);
    attention_additive(shape, s->projected_q.at, s->projected_k.at, s->w_v.at, s->features.at,
                       s->score[SCORE_ADDITIVE].at);
    attention_dot(shape, s->q.at, s->k.at, 1, s->score[SCORE_DOT].at);
    attention_dot(shape, s->q.at, s->k.at, 1 / sqrt((double)shape->d_k), s->score[SCORE_SCALED].at);
    attention_gaussian(shape, s->q.at, s->k.at, s->score[SCORE_GAUSSIAN].at);
    for (size_t m = 0; m < METHODS; m++)
        for (size_t i = 0; i < n_q; i++)
            softmax_row(matrix_row(&s->score[m], i), n_k, n_k, matrix_row(&s->weight[m], i));
}

/* Everything drawn anew in PyTorch's order: Q, K, then W_k, W_q and w_v. */
static void start(struct stage *stage)
{
    struct scores *const s = state_of(stage);
    const struct value *const v = stage->values;
    const size_t d = (size_t)v[P_D].number;
    struct rng rng;

    s->shape = (struct attention_shape){.batch = 1,
                                        .n_q = (size_t)v[P_N_Q].number,
                                        .n_k = (size_t)v[P_N_K].number,
                                        .d_q = d,
                                        .d_k = d,
                                        .hidden = (size_t)v[P_HIDDEN].number};
    rng_seed(&rng, v[P_SEED].seed, RNG_PATH_AVX2);
    make_rows(&s->q, &v[P_Q], s->shape.n_q, d, &rng);
    make_rows(&s->k, &v[P_K], s->shape.n_k, d, &rng);
    tensor_linear(&s->w_k, d, s->shape.hidden, &rng);
    tensor_linear(&s->w_q, d, s->shape.hidden, &rng);
    tensor_linear(&s->w_v, s->shape.hidden, 1, &rng);
    s->edited = false;
    s->query = index_at_most(s->query, s->shape.n_q - 1);
    s->key = index_at_most(s->key, s->shape.n_k - 1);
    s->at = index_at_most(s->at, d - 1);
    compute(s);
}

/* ---- opening and changing */

/* Typed rows say how many there are and of what size. LIST is P_Q or P_K, COUNT the parameter that counts its
 * rows. */
static bool adopt_typed(struct stage *stage, size_t list, size_t count, struct error *error)
{
    const struct value *const typed = &stage->values[list];
    const size_t length = typed_row_length(typed);

    if (typed->n_list == 0)
        return true;
    if (typed->n_rows > ROWS_MAX || length > SIZE_MAX_D)
        return error_set(error, STATUS_USAGE,
                         _("%s: expected up to %d rows of up to %d numbers, got %zu of %zu"),
                         params[list].name, ROWS_MAX, SIZE_MAX_D, typed->n_rows, length);
    stage->values[count].number = (double)typed->n_rows;
    stage->values[P_D].number = (double)length;
    return true;
}

/* A typed list that no longer has the shape asked for gives way to drawn numbers. */
static void forget_unfit(struct stage *stage)
{
    struct value *const v = stage->values;
    const size_t d = (size_t)v[P_D].number;

    if (v[P_Q].n_rows != (size_t)v[P_N_Q].number || typed_row_length(&v[P_Q]) != d)
        typed_forget(&v[P_Q]);
    if (v[P_K].n_rows != (size_t)v[P_N_K].number || typed_row_length(&v[P_K]) != d)
        typed_forget(&v[P_K]);
}

static void discard(void *state)
{
    struct scores *const s = state;
    struct matrix *const owned[] = {&s->q,   &s->k,           &s->w_k,         &s->w_q,
                                    &s->w_v, &s->projected_q, &s->projected_k, &s->features};

    for (size_t i = 0; i < ALEN(owned); i++)
        matrix_free(owned[i]);
    for (size_t m = 0; m < METHODS; m++) {
        matrix_free(&s->score[m]);
        matrix_free(&s->weight[m]);
    }
    free(s);
}

static bool scores_open(struct stage *stage, struct error *error)
{
    struct value *const v = stage->values;

    if (v[P_Q].n_list > 0 && v[P_K].n_list > 0 && typed_row_length(&v[P_Q]) != typed_row_length(&v[P_K]))
        return error_set(error, STATUS_USAGE, _("Q and K: rows of %zu and of %zu numbers; expected one size"),
                         typed_row_length(&v[P_Q]), typed_row_length(&v[P_K]));
    if (!adopt_typed(stage, P_Q, P_N_Q, error) || !adopt_typed(stage, P_K, P_N_K, error))
        return false;
    stage->state = mem_new(1, sizeof(struct scores));
    start(stage);
    return true;
}

static bool scores_apply(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    (void)old;
    if ((changed == P_Q && !adopt_typed(stage, P_Q, P_N_Q, error)) ||
        (changed == P_K && !adopt_typed(stage, P_K, P_N_K, error)))
        return false;
    forget_unfit(stage);
    start(stage);
    return true;
}

static void *scores_copy(const void *state)
{
    const struct scores *const from = state;
    struct scores *const s = mem_new(1, sizeof *s);

    s->shape = from->shape;
    s->q = tensor_copy(&from->q);
    s->k = tensor_copy(&from->k);
    s->w_k = tensor_copy(&from->w_k);
    s->w_q = tensor_copy(&from->w_q);
    s->w_v = tensor_copy(&from->w_v);
    s->method = from->method;
    s->query = from->query;
    s->key = from->key;
    s->at = from->at;
    s->edited = from->edited;
    return s;
}

static void scores_restored(struct stage *stage)
{
    compute(state_of(stage));
}

/* ---- selecting and nudging */

/* Down the rows of all methods, from the last query of one to the first of the next. */
static void move_cell(struct stage *stage, int dx, int dy)
{
    struct scores *const s = state_of(stage);
    const size_t n_q = s->shape.n_q, row = index_moved((size_t)s->method * n_q + s->query, dy, METHODS * n_q);

    s->method = (enum score)(row / n_q);
    s->query = row % n_q;
    s->key = index_moved(s->key, dx, s->shape.n_k);
}

static void move_query(struct stage *stage, int dx, int dy)
{
    struct scores *const s = state_of(stage);

    s->query = index_moved(s->query, dy, s->shape.n_q);
    s->at = index_moved(s->at, dx, s->shape.d_q);
}

static void move_key(struct stage *stage, int dx, int dy)
{
    struct scores *const s = state_of(stage);

    s->key = index_moved(s->key, dy, s->shape.n_k);
    s->at = index_moved(s->at, dx, s->shape.d_k);
}

static bool scores_select(struct stage *stage, long row, long column, struct error *error)
{
    struct scores *const s = state_of(stage);

    if (!pair_exists(row, s->shape.n_q, column, s->shape.n_k, error))
        return false;
    s->query = (size_t)row;
    if (column >= 0)
        s->key = (size_t)column;
    return true;
}

enum { PANE_SCORES, PANE_WEIGHTS, PANE_PAIR, PANE_Q, PANE_K, PANE_PARAMETERS };

static bool scores_nudge(struct stage *stage, int steps, struct error *error)
{
    struct scores *const s = state_of(stage);
    const bool is_key = stage->focus == PANE_K;
    struct matrix *const m = is_key ? &s->k : &s->q;
    struct value *const typed = &stage->values[is_key ? P_K : P_Q];
    const size_t i = (is_key ? s->key : s->query) * m->cols + s->at;

    (void)error;
    m->at[i] = tensor_nudged(m->at[i], steps);
    if (typed->n_list > 0)
        typed->list[i] = m->at[i];
    else
        s->edited = true;
    compute(s);
    return true;
}

static bool scores_adjust(struct stage *stage, size_t param, int steps, struct value *value)
{
    const struct scores *const s = state_of(stage);
    const size_t i = (param == P_K ? s->key : s->query) * s->shape.d_q + s->at;

    if (i >= value->n_list)
        return false;
    value->list[i] = tensor_nudged(value->list[i], steps);
    return true;
}

/* ---- tables */

#define TABLE(name, matrix)                                                                                  \
    static struct table table_##name(const struct stage *stage)                                              \
    {                                                                                                        \
        const struct scores *const s = state_of(stage);                                                      \
        return table_from_matrix(s->matrix.at, s->matrix.rows, s->matrix.cols);                              \
    }

TABLE(score_additive, score[SCORE_ADDITIVE])
TABLE(score_dot, score[SCORE_DOT])
TABLE(score_scaled, score[SCORE_SCALED])
TABLE(score_gaussian, score[SCORE_GAUSSIAN])
TABLE(weight_additive, weight[SCORE_ADDITIVE])
TABLE(weight_dot, weight[SCORE_DOT])
TABLE(weight_scaled, weight[SCORE_SCALED])
TABLE(weight_gaussian, weight[SCORE_GAUSSIAN])
TABLE(q, q)
TABLE(k, k)
TABLE(w_q, w_q)
TABLE(w_k, w_k)
TABLE(w_v, w_v)

static const struct demo_table tables[] = {
    {"score_additive", N_("additive scores, queries x keys"), table_score_additive},
    {"score_dot", N_("dot products, queries x keys"), table_score_dot},
    {"score_scaled", N_("dot products divided by the root of d, queries x keys"), table_score_scaled},
    {"score_gaussian", N_("minus half the squared distances, queries x keys"), table_score_gaussian},
    {"weight_additive", N_("softmax of the additive scores"), table_weight_additive},
    {"weight_dot", N_("softmax of the dot products"), table_weight_dot},
    {"weight_scaled", N_("softmax of the scaled dot products"), table_weight_scaled},
    {"weight_gaussian", N_("softmax of the Gaussian scores"), table_weight_gaussian},
    {"Q", N_("the queries, row by row"), table_q},
    {"K", N_("the keys, row by row"), table_k},
    {"W_q", N_("the queries' projection of the additive score"), table_w_q},
    {"W_k", N_("the keys' projection of the additive score"), table_w_k},
    {"w_v", N_("the weight of each hidden unit in the additive score"), table_w_v},
};

/* ---- panes: four matrices below each other on one scale */

static const char *show(char out[NUMBER_TEXT], double v)
{
    return number_show(out, v, 4, 7);
}

/* What the label of a row needs to know: the rows begin with method FIRST. */
struct labels {
    const struct scores *scores;
    size_t first;
    bool with_names;
};

static void label_row(const void *context, size_t i, char *out, size_t size)
{
    const struct labels *const labels = context;
    const size_t n_q = labels->scores->shape.n_q;

    if (labels->with_names)
        snprintf(out, size, "%s q%zu", method_name(labels->first + i / n_q), i % n_q);
    else
        snprintf(out, size, "q%zu", i % n_q);
}

/* The label column as wide as the longest label, so that all four matrices line up. */
static void label_padded(const void *context, size_t i, char *out, size_t size)
{
    const struct labels *const labels = context;
    int widest = 0;
    char text[64];

    for (size_t m = 0; m < METHODS; m++)
        widest = utf8_columns(method_name(m)) > widest ? utf8_columns(method_name(m)) : widest;
    label_row(context, i, text, sizeof text);
    if (labels->with_names)
        snprintf(out, size, "%s%*s", text, widest + 3 - utf8_columns(text), "");
    else
        snprintf(out, size, "%s", text);
}

/* Each of the methods' matrices with rows of ROWS lines, a line between them where GAP is 1. */
static void draw_apart(struct area a, struct matrix_view view, struct labels labels, int rows, int gap)
{
    const struct scores *const s = labels.scores;
    const size_t n = s->shape.n_q * s->shape.n_k;
    const double *const value = view.value;
    const unsigned char *const lit = view.lit;

    view.rows = s->shape.n_q;
    view.label_context = &labels;
    for (size_t m = 0; m < METHODS; m++) {
        struct area part = area_cut_top(&a, (int)s->shape.n_q * rows + (m == 0));

        labels.first = m;
        view.value = value + m * n;
        view.lit = lit + m * n;
        view.at_row = m == (size_t)s->method ? s->query : VIEW_NONE;
        view.at_batch = m == (size_t)s->method ? 0 : 1;
        matrix_view_draw(part, &view);
        view.col_prefix = NULL;
        area_cut_top(&a, gap);
    }
}

/* Four matrices M on the scale LO to HI; the selected pair is lit in all of them. */
static void draw_methods(const struct scores *s, struct area a, const struct matrix m[METHODS], double lo,
                         double hi, bool with_names, bool sums)
{
    const size_t n_q = s->shape.n_q, n = n_q * s->shape.n_k;
    const int n_rows = (int)(METHODS * n_q);
    struct labels labels = {.scores = s, .with_names = with_names};
    double *const all = mem_new(METHODS * n, sizeof *all);
    unsigned char *const lit = mem_new(METHODS * n, sizeof *lit);

    for (size_t i = 0; i < METHODS; i++) {
        memcpy(all + i * n, m[i].at, n * sizeof *all);
        lit[i * n + pair_of(s)] = 1;
    }
    const struct matrix_view view = {.value = all,
                                     .lit = lit,
                                     .batch = 1,
                                     .rows = (size_t)n_rows,
                                     .cols = s->shape.n_k,
                                     .lo = lo,
                                     .hi = hi,
                                     .col_prefix = "k",
                                     .row_label = label_padded,
                                     .label_context = &labels,
                                     .at_batch = 0,
                                     .at_row = (size_t)s->method * n_q + s->query,
                                     .at_col = s->key,
                                     .row_sums = sums};
    const int gap = a.rows > n_rows + METHODS - 1, rows = (a.rows - 1 - (METHODS - 1) * gap) / n_rows;

    if (rows >= 1)
        draw_apart(a, view, labels, rows > 3 ? 3 : rows, gap);
    else
        matrix_view_draw(a, &view);
    free(all);
    free(lit);
}

static void pair_range(const struct scores *s, double *lo, double *hi)
{
    *lo = HUGE_VAL;
    *hi = -HUGE_VAL;
    for (size_t m = 0; m < METHODS; m++)
        view_range(lo, hi, s->score[m].at, NULL, s->shape.n_q * s->shape.n_k);
    view_widen(lo, hi);
}

static void scores_figure(const struct stage *stage, struct area corner)
{
    char text[96], a[NUMBER_TEXT], b[NUMBER_TEXT];
    double lo, hi;

    pair_range(state_of(stage), &lo, &hi);
    snprintf(text, sizeof text, _("one scale: %s to %s"), show(a, lo), show(b, hi));
    figure_text(corner, text);
}

static void scores_draw(const struct stage *stage, struct area inside)
{
    const struct scores *const s = state_of(stage);
    double lo, hi;

    pair_range(s, &lo, &hi);
    draw_methods(s, inside, s->score, lo, hi, true, false);
}

static void weights_figure(const struct stage *stage, struct area corner)
{
    const struct scores *const s = state_of(stage);
    char text[96], a[NUMBER_TEXT];

    snprintf(text, sizeof text, _("%s: \u03b1 = %s"), method_name(s->method),
             show(a, s->weight[s->method].at[pair_of(s)]));
    figure_text(corner, text);
}

static void weights_draw(const struct stage *stage, struct area inside)
{
    const struct scores *const s = state_of(stage);

    draw_methods(s, inside, s->weight, 0, 1, false, true);
}

static void draw_rows(struct area a, const struct scores *s, const struct matrix *m, const char *prefix,
                      size_t row)
{
    struct matrix_view view = {.value = m->at,
                               .batch = 1,
                               .rows = m->rows,
                               .cols = m->cols,
                               .row_prefix = prefix,
                               .col_prefix = "d",
                               .at_batch = 0,
                               .at_row = row,
                               .at_col = s->at,
                               .lo = HUGE_VAL,
                               .hi = -HUGE_VAL};

    view_range(&view.lo, &view.hi, s->q.at, NULL, s->q.rows * s->q.cols);
    view_range(&view.lo, &view.hi, s->k.at, NULL, s->k.rows * s->k.cols);
    view_widen(&view.lo, &view.hi);
    matrix_view_draw(a, &view);
}

static void q_figure(const struct stage *stage, struct area corner)
{
    figure_shape(corner, 0, state_of(stage)->q.rows, state_of(stage)->q.cols);
}

static void q_draw(const struct stage *stage, struct area inside)
{
    const struct scores *const s = state_of(stage);

    draw_rows(inside, s, &s->q, "q", s->query);
}

static void k_figure(const struct stage *stage, struct area corner)
{
    figure_shape(corner, 0, state_of(stage)->k.rows, state_of(stage)->k.cols);
}

static void k_draw(const struct stage *stage, struct area inside)
{
    const struct scores *const s = state_of(stage);

    draw_rows(inside, s, &s->k, "k", s->key);
}

/* ---- the selected pair under each method */

/* The first N of the score's terms with their numbers, then its value. */
static void write_terms(const struct scores *s, size_t method, size_t n, struct buf *out)
{
    const double *const q = matrix_row(&s->q, s->query), *const k = matrix_row(&s->k, s->key);
    const double *const feature = matrix_row(&s->features, pair_of(s));
    const size_t all = method == SCORE_ADDITIVE ? s->shape.hidden : s->shape.d_q;
    const double score = s->score[method].at[pair_of(s)];
    static const char *const opening[METHODS] = {[SCORE_ADDITIVE] = "w_v\u00b7tanh(W_q q + W_k k) = ",
                                                 [SCORE_DOT] = "q\u00b7k = ",
                                                 [SCORE_SCALED] = "q\u00b7k / \u221ad = ",
                                                 [SCORE_GAUSSIAN] = "\u2212|q \u2212 k|\u00b2/2 = \u2212("};
    char a[NUMBER_TEXT], b[NUMBER_TEXT], first[NUMBER_FACTOR], second[NUMBER_FACTOR];

    buf_puts(out, opening[method]);
    if (method == SCORE_SCALED) {
        buf_printf(out, "%s / \u221a%zu = %s", show(a, s->score[SCORE_DOT].at[pair_of(s)]), s->shape.d_q,
                   show(b, score));
        return;
    }
    for (size_t i = 0; i < n && i < all; i++) {
        const double left = method == SCORE_ADDITIVE ? s->w_v.at[i] : q[i];
        const double right = method == SCORE_ADDITIVE ? feature[i] : k[i];

        buf_puts(out, i > 0 ? " + " : "");
        if (method == SCORE_GAUSSIAN)
            buf_printf(out, "%s\u00b2", number_show(a, fabs(left - right), 3, 6));
        else
            buf_printf(out, "%s\u00b7%s",
                       i > 0 ? number_factor(first, number_show(a, left, 3, 6)) : number_show(a, left, 3, 6),
                       number_factor(second, number_show(b, right, 3, 6)));
    }
    buf_printf(out, "%s%s = %s",
               n == 0    ? "\u2026"
               : n < all ? " + \u2026"
                         : "",
               method == SCORE_GAUSSIAN ? ")/2" : "", show(a, score));
}

/* As many terms as fit COLS columns. */
static void write_fitting(const struct scores *s, size_t method, int cols, struct buf *out)
{
    size_t n = s->shape.hidden > s->shape.d_q ? s->shape.hidden : s->shape.d_q;

    do {
        buf_free(out);
        write_terms(s, method, n, out);
    } while (utf8_columns(out->at) > cols && n-- > 0);
}

/* With as many digits, of four, as fit COLS columns. */
static void write_weight(const struct scores *s, size_t method, int cols, struct buf *out)
{
    int digits = 4;

    do {
        buf_free(out);
        describe_softmax(matrix_row(&s->score[method], s->query), s->shape.n_k, s->key, digits, out);
    } while (utf8_columns(out->at) > cols && digits-- > 2);
}

static void pair_figure(const struct stage *stage, struct area corner)
{
    const struct scores *const s = state_of(stage);
    char text[32];

    snprintf(text, sizeof text, "q%zu, k%zu", s->query, s->key);
    figure_text(corner, text);
}

/* The terms in all lines but the last, which has the weight; in a single line the terms alone. */
static void draw_method(const struct scores *s, struct area a, size_t method, int label)
{
    enum { TORN = 12 }; /* columns that breaking a line at a blank may cost */
    const bool here = method == (size_t)s->method;
    const int lines = a.rows > 2 ? a.rows - 1 : 1;
    struct pen pen = look_pen(a.look, here ? ROLE_SELECT : ROLE_TEXT), name = pen;
    struct area text = area_part(a, label, 0, a.cols - label, a.rows);
    struct buf terms = {0}, weight = {0};

    name.attr |= ATTR_BOLD;
    area_text(a, 0, 0, name, method_name(method));
    write_fitting(s, method, lines * text.cols - (lines - 1) * TORN, &terms);
    struct area above = area_cut_top(&text, lines);
    const int used = area_text_wrap(above, 0, pen, terms.at);
    write_weight(s, method, a.cols - label, &weight);
    area_text_fit(area_part(a, label, used, a.cols - label, a.rows - used), 0, 0, a.cols - label,
                  look_pen(a.look, here ? ROLE_SELECT : ROLE_DIM), weight.at);
    buf_free(&terms);
    buf_free(&weight);
}

/* Every method gets equal lines; what is left over goes to the selected one. */
static void pair_draw(const struct stage *stage, struct area inside)
{
    const struct scores *const s = state_of(stage);
    const int rows = inside.rows / METHODS, left_over = inside.rows % METHODS;
    int label = 0;

    for (size_t m = 0; m < METHODS; m++)
        label = utf8_columns(method_name(m)) + 2 > label ? utf8_columns(method_name(m)) + 2 : label;
    if (rows == 0) {
        draw_method(s, inside, (size_t)s->method, label);
        return;
    }
    for (size_t m = 0; m < METHODS; m++)
        draw_method(s, area_cut_top(&inside, rows + (m == (size_t)s->method ? left_over : 0)), m, label);
}

static const struct pane panes[] = {
    [PANE_SCORES] = {"scores", N_("scores"), scores_figure, scores_draw, move_cell,
                     N_("four ways to score the same queries and keys, a row a query, a column a key")},
    [PANE_WEIGHTS] = {"weights", N_("weights"), weights_figure, weights_draw, move_cell,
                      N_("the softmax of each row of scores: it sums to 1")},
    [PANE_PAIR] = {"pair", N_("the selected pair"), pair_figure, pair_draw, move_cell,
                   N_("the chosen query and key scored in all four ways, written out")},
    [PANE_Q] = {"queries", N_("queries Q"), q_figure, q_draw, move_query,
                N_("the queries, a row each; all four scores see the same numbers")},
    [PANE_K] = {"keys", N_("keys K"), k_figure, k_draw, move_key,
                N_("the keys, a row each; all four scores see the same numbers")},
    [PANE_PARAMETERS] = {"parameters", N_("parameters"), NULL, panel_draw, move_cell, PANEL_HELP},
};

/* ---- layout */

/* 72x17 and more: scores beside weights; below the pair, or Q or K where focused, and the parameters. */
static void layout_medium(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    enum { LOWER = 7 };
    const int wanted = METHODS * (int)state_of(stage)->shape.n_q + 3;
    struct area top = area_cut_top(&a, min_int(wanted, a.rows - LOWER));
    const bool is_list = stage->focus == PANE_Q || stage->focus == PANE_K;

    out[PANE_SCORES] = area_cut_left(&top, top.cols * 57 / 100);
    out[PANE_WEIGHTS] = top;
    out[PANE_PARAMETERS] = area_cut_right(&a, a.cols * 34 / 100);
    out[is_list ? stage->focus : PANE_PAIR] = a;
}

/* 100x30 and more: all six. */
static void layout_large(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    enum { LOWER = 14 };
    const int n_q = (int)state_of(stage)->shape.n_q;
    const int upper = min_int(a.rows - LOWER, 3 * METHODS * n_q + 6);
    struct area top = area_cut_top(&a, upper);
    struct area inputs = area_cut_left(&top, top.cols * 28 / 100);

    out[PANE_Q] =
        area_cut_top(&inputs, inputs.rows * (n_q + 2) / (n_q + 4 + (int)state_of(stage)->shape.n_k));
    out[PANE_K] = inputs;
    out[PANE_SCORES] = area_cut_left(&top, top.cols * 55 / 100);
    out[PANE_WEIGHTS] = top;
    out[PANE_PARAMETERS] = area_cut_right(&a, a.cols * 34 / 100);
    out[PANE_PAIR] = a;
}

static void scores_layout(const struct stage *stage, struct area area, struct area out[PANES_MAX])
{
    static const struct layouts layouts = {PANE_PARAMETERS, PANE_WEIGHTS, layout_medium, layout_large};

    layout_by_room(&layouts, stage, area, out);
}

/* ---- words */

static void scores_formula(const struct stage *stage, struct area line)
{
    const struct scores *const s = state_of(stage);
    struct pen select = look_pen_bold(line.look, ROLE_SELECT);
    struct buf terms = {0}, weight = {0};

    int x = area_textf(line, 0, 0, look_pen(line.look, ROLE_TEXT),
                       "%s a(q%zu, k%zu): ", method_name(s->method), s->query, s->key);
    write_fitting(s, s->method, line.cols - x, &terms);
    x += area_text_fit(line, x, 0, line.cols - x, select, terms.at) + 3;
    write_weight(s, s->method, line.cols, &weight);
    if (x + utf8_columns(weight.at) <= line.cols)
        area_text(line, x, 0, look_pen(line.look, ROLE_DIM), weight.at);
    buf_free(&terms);
    buf_free(&weight);
}

static void scores_progress(const struct stage *stage, char *out, size_t size)
{
    snprintf(out, size, "%s", state_of(stage)->edited ? _("changed by hand") : "");
}

static size_t best_key(const struct scores *s, size_t method)
{
    const double *const weight = matrix_row(&s->weight[method], s->query);
    size_t best = 0;

    for (size_t k = 1; k < s->shape.n_k; k++)
        if (weight[k] > weight[best])
            best = k;
    return best;
}

static enum role scores_remark(const struct stage *stage, char *out, size_t size)
{
    const struct scores *const s = state_of(stage);
    const size_t additive = best_key(s, SCORE_ADDITIVE), dot = best_key(s, SCORE_DOT),
                 gaussian = best_key(s, SCORE_GAUSSIAN);
    const double largest = matrix_row(&s->weight[SCORE_DOT], s->query)[dot];
    char a[NUMBER_TEXT], b[NUMBER_TEXT];

    if (s->shape.n_k == 1) {
        snprintf(out, size, "%s", _("A single key takes the whole weight, whatever its score."));
        return ROLE_DIM;
    }
    if (s->shape.d_q > 1 && largest > 0.95) {
        snprintf(out, size, _("The dot product is saturated: k%zu takes %s; divided by \u221ad, %s."), dot,
                 show(a, largest), show(b, matrix_row(&s->weight[SCORE_SCALED], s->query)[dot]));
        return ROLE_WARN;
    }
    if (additive == dot && dot == gaussian) {
        snprintf(out, size, _("All four methods agree that q%zu prefers k%zu; how strongly differs."),
                 s->query, dot);
        return ROLE_TRUTH;
    }
    snprintf(out, size,
             _("q%zu prefers k%zu by additive, k%zu by dot and scaled dot, k%zu by Gaussian scores."),
             s->query, additive, dot, gaussian);
    return ROLE_STRONG;
}

/* ---- the script */

static void put_rows(const char *name, const struct matrix *m, bool drawn, struct buf *out)
{
    const size_t shape[] = {m->rows, m->cols};

    if (!drawn) {
        torch_tensor(name, m->at, shape, ALEN(shape), out);
        return;
    }
    buf_printf(out, "%s = torch.normal(0.0, 1.0, ", name);
    torch_shape(shape, ALEN(shape), out);
    buf_puts(out, ").double()\n");
}

static void put_inputs(const struct stage *stage, struct buf *out)
{
    const struct scores *const s = state_of(stage);

    torch_seed(stage, out);
    put_rows("Q", &s->q, stage->values[P_Q].n_list == 0, out);
    put_rows("K", &s->k, stage->values[P_K].n_list == 0, out);
    buf_printf(out,
               "W_k = nn.Linear(%zu, %zu, bias=False).double()\n"
               "W_q = nn.Linear(%zu, %zu, bias=False).double()\n"
               "w_v = nn.Linear(%zu, 1, bias=False).double()\n",
               s->shape.d_k, s->shape.hidden, s->shape.d_q, s->shape.hidden, s->shape.hidden);
    if (!s->edited)
        return;
    buf_puts(out, "\n# Changed by hand.\n");
    put_rows("Q", &s->q, false, out);
    put_rows("K", &s->k, false, out);
}

static void scores_torch(const struct stage *stage, struct buf *out)
{
    put_inputs(stage, out);
    buf_puts(out,
             "\n"
             "scores = {\n"
             "    \"additive\": w_v(torch.tanh(W_q(Q).unsqueeze(1) + W_k(K).unsqueeze(0))).squeeze(-1),\n"
             "    \"dot\": Q @ K.T,\n"
             "    \"scaled\": Q @ K.T / math.sqrt(Q.shape[1]),\n"
             "    \"gaussian\": -((Q.unsqueeze(1) - K) ** 2).sum(dim=-1) / 2,\n"
             "}\n\n"
             "tables = {\n"
             "    **{f\"score_{method}\": s for method, s in scores.items()},\n"
             "    **{f\"weight_{method}\": torch.softmax(s, dim=-1) for method, s in scores.items()},\n"
             "    \"Q\": Q,\n"
             "    \"K\": K,\n"
             "    \"W_q\": W_q.weight,\n"
             "    \"W_k\": W_k.weight,\n"
             "    \"w_v\": w_v.weight,\n"
             "}\n");
}

const struct demo demo_scores = {
    .name = "scores",
    .title = N_("four ways to score a pair"),
    .summary = N_("additive, dot, scaled and Gaussian scores side by side"),
    .params = params,
    .n_params = ALEN(params),
    .panes = panes,
    .n_panes = ALEN(panes),
    .tables = tables,
    .n_tables = ALEN(tables),
    .open = scores_open,
    .copy = scores_copy,
    .restored = scores_restored,
    .discard = discard,
    .apply = scores_apply,
    .select = scores_select,
    .nudge = scores_nudge,
    .adjust = scores_adjust,
    .layout = scores_layout,
    .formula = scores_formula,
    .progress = scores_progress,
    .remark = scores_remark,
    .torch = scores_torch,
};
