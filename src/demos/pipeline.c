#include "demos/pipeline.h"

#include <math.h>
#include <stdlib.h>

#include "data/lang.h"
#include "engine/mem.h"
#include "engine/softmax.h"

/* The book's sizes. */
enum { BATCH = 2, KEYS = 10, VALUE_SIZE = 4 };

const char *const pipeline_key_kinds[] = {
    [KEYS_ONES] = "ones", [KEYS_RANDOM] = "random", [KEYS_IDENTITY] = "identity", NULL};
const char *const pipeline_modes[] = {[MODE_EVAL] = "eval", [MODE_TRAIN] = "train", NULL};

/* ---- the shape that the parameters ask for */

bool pipeline_typed_is_sound(const struct stage *stage, struct error *error)
{
    static const struct {
        size_t param, rows;
    } lists[] = {{PIPELINE_Q, PIPELINE_ITEMS_MAX}, {PIPELINE_K, PIPELINE_KEYS_MAX}};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct value *const v = &stage->values[lists[i].param];
        const size_t length = typed_row_length(v);

        if (v->n_rows > lists[i].rows || length > PIPELINE_SIZE_MAX)
            return error_set(error, STATUS_USAGE,
                             _("%s: expected up to %zu rows of up to %d numbers, got %zu of %zu"),
                             stage->demo->params[lists[i].param].name, lists[i].rows, (int)PIPELINE_SIZE_MAX,
                             v->n_rows, length);
    }
    return true;
}

static bool typed_fits(const struct param *p, const struct value *v, size_t size, struct error *error)
{
    const size_t length = typed_row_length(v);

    if (length == 0 || length == size)
        return true;
    return error_set(error, STATUS_USAGE, _("%s: a row of %zu numbers does not fit the size %zu"), p->name,
                     length, size);
}

static struct attention_shape shape_of(const struct stage *stage, const struct pipeline_spec *spec)
{
    const struct value *const q = &stage->values[PIPELINE_Q], *const k = &stage->values[PIPELINE_K];
    const bool identity = stage->values[PIPELINE_KEYS].number == KEYS_IDENTITY;

    return (struct attention_shape){
        .batch = q->n_list > 0 ? q->n_rows : BATCH,
        .n_q = 1,
        .n_k = k->n_list > 0 ? k->n_rows
               : identity    ? spec->d_k
                             : KEYS,
        .d_q = spec->d_q,
        .d_k = spec->d_k,
        .hidden = spec->hidden,
        .d_v = VALUE_SIZE,
    };
}

/* The book's lengths belong to the book's shape; another shape starts with all keys valid. */
static void default_lens(const struct param *p, const struct attention_shape *shape, struct value *v)
{
    if (shape->batch == BATCH && shape->n_k == KEYS)
        param_parse(p, p->initial, v, NULL);
    else
        param_parse(p, "none", v, NULL);
}

static bool settle_lens(struct stage *stage, const struct attention_shape *shape, bool opening,
                        struct lens *out, struct error *error)
{
    struct value v = stage->values[PIPELINE_VALID_LENS];

    if (!v.given)
        default_lens(&stage->demo->params[PIPELINE_VALID_LENS], shape, &v);
    else if (!opening)
        lens_refit(&v, shape->batch, shape->n_q, shape->n_k);
    if (!lens_read(&v, shape->batch, shape->n_q, shape->n_k, out, error))
        return false;
    stage->values[PIPELINE_VALID_LENS] = v;
    return true;
}

/* ---- drawing the inputs, in the order in which PyTorch draws them */

static void copy_list(struct matrix *m, const struct value *v)
{
    for (size_t i = 0; i < m->rows * m->cols; i++)
        m->at[i] = v->list[i % v->n_list];
}

static void make_queries(struct pipeline *p, const struct value *typed, struct rng *rng)
{
    struct matrix *const m = &p->tensor[T_QUERIES];

    if (typed->n_list > 0) {
        matrix_reshape(m, p->shape.batch, p->shape.d_q);
        copy_list(m, typed);
    } else {
        tensor_normal(m, p->shape.batch, p->shape.d_q, rng);
    }
}

static void make_keys(struct pipeline *p, enum keys_kind kind, const struct value *typed, struct rng *rng)
{
    struct matrix *const m = &p->tensor[T_KEYS];

    matrix_reshape(m, p->shape.batch * p->shape.n_k, p->shape.d_k);
    if (typed->n_list > 0)
        copy_list(m, typed);
    else if (kind == KEYS_RANDOM)
        tensor_normal(m, m->rows, m->cols, rng);
    else
        for (size_t i = 0; i < m->rows * m->cols; i++)
            m->at[i] = kind == KEYS_ONES || i / m->cols % p->shape.n_k == i % m->cols;
}

/* Every item has the values 0, 1, 2, ... */
static void make_values(struct pipeline *p)
{
    struct matrix *const m = &p->tensor[T_VALUES];

    matrix_reshape(m, p->shape.batch * p->shape.n_k, p->shape.d_v);
    for (size_t i = 0; i < m->rows * m->cols; i++)
        m->at[i] = (double)(i % (p->shape.n_k * p->shape.d_v));
}

static void make_identity(struct matrix *m, size_t rows, size_t cols)
{
    matrix_reshape(m, rows, cols);
    for (size_t i = 0; i < rows * cols; i++)
        m->at[i] = i / cols == i % cols;
}

static void draw_weights_for(struct pipeline *p, enum score score, struct rng *rng)
{
    const struct attention_shape *const s = &p->shape;

    if (score == SCORE_ADDITIVE) {
        tensor_linear(&p->tensor[T_W_K], s->d_k, s->hidden, rng);
        tensor_linear(&p->tensor[T_W_Q], s->d_q, s->hidden, rng);
        tensor_linear(&p->tensor[T_W_V], s->hidden, 1, rng);
    } else if (score == SCORE_BILINEAR) {
        tensor_linear(&p->tensor[T_W], s->d_k, s->d_q, rng);
    }
}

static void make_tensors(const struct stage *stage, struct pipeline *p)
{
    const struct value *const v = stage->values;
    const enum keys_kind kind = (enum keys_kind)v[PIPELINE_KEYS].number;
    struct rng rng;

    make_identity(&p->tensor[T_W], p->shape.d_q, p->shape.d_k);
    rng_seed(&rng, v[PIPELINE_SEED].seed, RNG_PATH_AVX2);
    make_queries(p, &v[PIPELINE_Q], &rng);
    make_keys(p, kind, &v[PIPELINE_K], &rng);
    make_values(p);
    draw_weights_for(p, p->spec.score, &rng);
    p->rng = rng;
    /* The rival's weights are drawn aside: dropout goes on as if it were not there. */
    draw_weights_for(p, p->spec.rival, &rng);
    p->edited = false;
}

/* ---- from the inputs to the output */

static void score_pairs(struct pipeline *p, enum score score, double *out)
{
    const struct attention_shape *const s = &p->shape;
    struct matrix *const t = p->tensor;
    const size_t n_queries = s->batch * s->n_q, n_keys = s->batch * s->n_k;
    const double *q = t[T_QUERIES].at;

    if (score == SCORE_ADDITIVE) {
        matrix_reshape(&t[T_PROJECTED_Q], n_queries, s->hidden);
        matrix_reshape(&t[T_PROJECTED_K], n_keys, s->hidden);
        matrix_reshape(&t[T_FEATURES], n_queries * s->n_k, s->hidden);
        attention_project(q, n_queries, s->d_q, t[T_W_Q].at, s->hidden, t[T_PROJECTED_Q].at);
        attention_project(t[T_KEYS].at, n_keys, s->d_k, t[T_W_K].at, s->hidden, t[T_PROJECTED_K].at);
        attention_additive(s, t[T_PROJECTED_Q].at, t[T_PROJECTED_K].at, t[T_W_V].at, t[T_FEATURES].at, out);
        return;
    }
    if (score == SCORE_BILINEAR) {
        matrix_reshape(&t[T_BILINEAR_Q], n_queries, s->d_k);
        attention_multiply(q, n_queries, s->d_q, t[T_W].at, s->d_k, t[T_BILINEAR_Q].at);
        q = t[T_BILINEAR_Q].at;
    }
    attention_dot(s, q, t[T_KEYS].at, score == SCORE_SCALED ? 1 / sqrt((double)s->d_k) : 1, out);
}

static void weigh(const struct pipeline *p, const struct matrix *scores, struct matrix *weights)
{
    matrix_reshape(weights, scores->rows, scores->cols);
    for (size_t row = 0; row < scores->rows; row++)
        softmax_row(matrix_row(scores, row), scores->cols, p->lens.at[row], matrix_row(weights, row));
}

/* What training drops in forward pass PASS: every pass before it has drawn a mask of its own. */
static void drop(struct pipeline *p, size_t pass)
{
    const struct matrix *const weights = &p->tensor[T_WEIGHTS];
    struct matrix *const kept = &p->tensor[T_KEPT];
    const size_t n = weights->rows * weights->cols;
    bool *const keep = mem_new(n, sizeof *keep);
    struct rng rng = p->rng;

    matrix_reshape(kept, weights->rows, weights->cols);
    for (size_t i = 0; i < pass; i++)
        rng_dropout(&rng, p->dropout, keep, n);
    attention_dropout(weights->at, keep, n, p->dropout, kept->at);
    for (size_t i = 0; i < n; i++)
        p->dropped[i] = !keep[i];
    free(keep);
}

static void pool(const struct pipeline *p, const struct matrix *weights, struct matrix *output)
{
    matrix_reshape(output, p->shape.batch * p->shape.n_q, p->shape.d_v);
    attention_pool(&p->shape, weights->at, p->tensor[T_VALUES].at, output->at);
}

static void face_rival(struct pipeline *p)
{
    struct matrix *const t = p->tensor;

    matrix_reshape(&t[T_RIVAL_SCORES], t[T_SCORES].rows, t[T_SCORES].cols);
    score_pairs(p, p->spec.rival, t[T_RIVAL_SCORES].at);
    weigh(p, &t[T_RIVAL_SCORES], &t[T_RIVAL_WEIGHTS]);
    pool(p, &t[T_RIVAL_WEIGHTS], &t[T_RIVAL_OUTPUT]);
}

/* A new shape may have fewer of everything. */
static void keep_selection_inside(struct pipeline *p)
{
    const struct attention_shape *const s = &p->shape;

    p->item = index_at_most(p->item, s->batch - 1);
    p->key = index_at_most(p->key, s->n_k - 1);
    p->at_q = index_at_most(p->at_q, s->d_q - 1);
    p->at_k = index_at_most(p->at_k, s->d_k - 1);
    p->at_unit = index_at_most(p->at_unit, p->spec.score == SCORE_ADDITIVE ? s->hidden - 1 : s->d_k - 1);
    p->at_v = index_at_most(p->at_v, s->d_v - 1);
}

static void forward(struct stage *stage)
{
    struct pipeline *const p = pipeline_of(stage);
    const struct value *const v = stage->values;
    struct matrix *const t = p->tensor;
    const size_t n_rows = p->shape.batch * p->shape.n_q, n = n_rows * p->shape.n_k;

    matrix_reshape(&t[T_SCORES], n_rows, p->shape.n_k);
    score_pairs(p, p->spec.score, t[T_SCORES].at);
    p->masked = mem_grow(p->masked, n, sizeof *p->masked);
    p->dropped = mem_grow(p->dropped, n, sizeof *p->dropped);
    lens_mask(&p->lens, p->masked);
    weigh(p, &t[T_SCORES], &t[T_WEIGHTS]);
    p->dropout = v[PIPELINE_MODE].number == MODE_TRAIN ? v[PIPELINE_DROPOUT].number : 0;
    drop(p, (size_t)v[PIPELINE_PASS].number);
    pool(p, &t[T_KEPT], &t[T_OUTPUT]);
    face_rival(p);
    keep_selection_inside(p);
}

/* ---- opening and changing */

bool pipeline_start(struct stage *stage, const struct pipeline_spec *spec, bool opening, struct error *error)
{
    struct pipeline *const p = pipeline_of(stage);
    const struct attention_shape shape = shape_of(stage, spec);
    const struct param *const params = stage->demo->params;

    if (!typed_fits(&params[PIPELINE_Q], &stage->values[PIPELINE_Q], spec->d_q, error) ||
        !typed_fits(&params[PIPELINE_K], &stage->values[PIPELINE_K], spec->d_k, error) ||
        !settle_lens(stage, &shape, opening, &p->lens, error))
        return false;
    p->spec = *spec;
    p->shape = shape;
    make_tensors(stage, p);
    forward(stage);
    return true;
}

bool pipeline_open(struct stage *stage, const struct pipeline_spec *spec, struct error *error)
{
    stage->state = mem_new(1, sizeof(struct pipeline));
    return pipeline_start(stage, spec, true, error);
}

bool pipeline_apply(struct stage *stage, const struct pipeline_spec *spec, size_t changed,
                    struct error *error)
{
    struct pipeline *const p = pipeline_of(stage);
    struct value *const v = stage->values;

    switch (changed) {
    case PIPELINE_VALID_LENS:
        if (!lens_read(&v[changed], p->shape.batch, p->shape.n_q, p->shape.n_k, &p->lens, error))
            return false;
        forward(stage);
        return true;
    case PIPELINE_DROPOUT:
    case PIPELINE_MODE:
    case PIPELINE_PASS:
        forward(stage);
        return true;
    case PIPELINE_KEYS:
        typed_forget(&v[PIPELINE_K]);
        break;
    default:
        break;
    }
    return pipeline_start(stage, spec, false, error);
}

void pipeline_adopt_size(struct stage *stage, size_t list, size_t size)
{
    const size_t length = typed_row_length(&stage->values[list]);

    if (length > 0)
        stage->values[size].number = (double)length;
}

void pipeline_drop_unfit(struct stage *stage, size_t d_q, size_t d_k)
{
    const size_t sizes[] = {[PIPELINE_Q] = d_q, [PIPELINE_K] = d_k};

    for (size_t i = PIPELINE_Q; i <= PIPELINE_K; i++) {
        struct value *const v = &stage->values[i];

        if (typed_row_length(v) != sizes[i])
            typed_forget(v);
    }
}

void pipeline_discard(void *state)
{
    struct pipeline *const p = state;

    for (size_t i = 0; i < TENSORS; i++)
        matrix_free(&p->tensor[i]);
    free(p->masked);
    free(p->dropped);
    free(p);
}

void *pipeline_copy(const void *state)
{
    const struct pipeline *const from = state;
    struct pipeline *const p = mem_copy(from, 1, sizeof *from);

    for (size_t i = 0; i < TENSORS; i++)
        p->tensor[i] = tensor_copy(&from->tensor[i]);
    p->masked = p->dropped = NULL;
    return p;
}

void pipeline_restored(struct stage *stage)
{
    forward(stage);
}

/* ---- selecting and changing what is selected */

bool pipeline_select(struct stage *stage, long row, long column, struct error *error)
{
    struct pipeline *const p = pipeline_of(stage);

    if (row >= (long)p->shape.batch || column >= (long)p->shape.n_k)
        return error_set(error, STATUS_USAGE, _("select: there are items 0 to %zu and keys 0 to %zu"),
                         p->shape.batch - 1, p->shape.n_k - 1);
    p->item = (size_t)row;
    if (column >= 0)
        p->key = (size_t)column;
    return true;
}

void pipeline_move_pair(struct stage *stage, int dx, int dy)
{
    struct pipeline *const p = pipeline_of(stage);

    p->item = index_moved(p->item, dy, p->shape.batch);
    p->key = index_moved(p->key, dx, p->shape.n_k);
}

void pipeline_move_output(struct stage *stage, int dx, int dy)
{
    struct pipeline *const p = pipeline_of(stage);

    p->item = index_moved(p->item, dy, p->shape.batch);
    p->at_v = index_moved(p->at_v, dx, p->shape.d_v);
}

/* From the last key of an item on to the first of the next, and back. */
static void move_over_keys(struct pipeline *p, int by)
{
    const size_t to = index_moved(pipeline_pair(p), by, p->shape.batch * p->shape.n_k);

    p->item = to / p->shape.n_k;
    p->key = to % p->shape.n_k;
}

void pipeline_move_unit(struct stage *stage, int dx, int dy)
{
    struct pipeline *const p = pipeline_of(stage);
    const size_t n = p->spec.score == SCORE_ADDITIVE ? p->shape.hidden : p->shape.d_k;

    move_over_keys(p, dy);
    p->at_unit = index_moved(p->at_unit, dx, n);
}

void pipeline_move_chosen(struct stage *stage, int dx, int dy)
{
    pipeline_move_unit(stage, dx, dy);
}

void pipeline_move_query(struct stage *stage, int dx, int dy)
{
    struct pipeline *const p = pipeline_of(stage);

    p->item = index_moved(p->item, dy, p->shape.batch);
    p->at_q = index_moved(p->at_q, dx, p->shape.d_q);
}

void pipeline_move_key(struct stage *stage, int dx, int dy)
{
    struct pipeline *const p = pipeline_of(stage);

    move_over_keys(p, dy);
    p->at_k = index_moved(p->at_k, dx, p->shape.d_k);
}

void pipeline_move_value(struct stage *stage, int dx, int dy)
{
    struct pipeline *const p = pipeline_of(stage);

    move_over_keys(p, dy);
    p->at_v = index_moved(p->at_v, dx, p->shape.d_v);
}

/* Typed keys are those of every item, so they change together. */
static void nudge_key(struct stage *stage, int steps)
{
    struct pipeline *const p = pipeline_of(stage);
    struct matrix *const keys = &p->tensor[T_KEYS];
    struct value *const typed = &stage->values[PIPELINE_K];
    double *const at = matrix_row(keys, pipeline_pair(p)) + p->at_k;

    *at = tensor_nudged(*at, steps);
    if (typed->n_list > 0) {
        typed->list[p->key * keys->cols + p->at_k] = *at;
        copy_list(keys, typed);
    } else {
        p->edited = true;
    }
}

static void nudge_query(struct stage *stage, int steps)
{
    struct pipeline *const p = pipeline_of(stage);
    struct value *const typed = &stage->values[PIPELINE_Q];
    double *const at = matrix_row(&p->tensor[T_QUERIES], p->item) + p->at_q;

    *at = tensor_nudged(*at, steps);
    if (typed->n_list > 0)
        typed->list[p->item * p->shape.d_q + p->at_q] = *at;
    else
        p->edited = true;
}

bool pipeline_nudge(struct stage *stage, int steps, struct error *error)
{
    struct pipeline *const p = pipeline_of(stage);
    struct value *const lens = &stage->values[PIPELINE_VALID_LENS];
    double *value = matrix_row(&p->tensor[T_VALUES], pipeline_pair(p)) + p->at_v;

    switch (stage->focus) {
    case PIPE_QUERIES:
        nudge_query(stage, steps);
        break;
    case PIPE_KEYS:
        nudge_key(stage, steps);
        break;
    case PIPE_VALUES:
        *value = tensor_nudged(*value, steps);
        p->edited = true;
        break;
    default:
        lens_move(&p->lens, p->item, 0, steps, lens);
        lens->given = true;
        return pipeline_apply(stage, &p->spec, PIPELINE_VALID_LENS, error);
    }
    forward(stage);
    return true;
}

bool pipeline_adjust(struct stage *stage, size_t param, int steps, struct value *value)
{
    const struct pipeline *const p = pipeline_of(stage);
    const size_t at =
        param == PIPELINE_Q ? p->item * p->shape.d_q + p->at_q : p->key * p->shape.d_k + p->at_k;

    if (param == PIPELINE_VALID_LENS) {
        lens_move(&p->lens, p->item, 0, steps, value);
        return true;
    }
    if (at >= value->n_list)
        return false;
    value->list[at] = tensor_nudged(value->list[at], steps);
    return true;
}

/* ---- tables */

struct table pipeline_table(const struct stage *stage, enum tensor tensor)
{
    const struct matrix *const m = &pipeline_of(stage)->tensor[tensor];

    return table_from_matrix(m->at, m->rows, m->cols);
}

struct table pipeline_table_masked(const struct stage *stage)
{
    const struct pipeline *const p = pipeline_of(stage);
    const struct matrix *const scores = &p->tensor[T_SCORES];
    const size_t n = scores->rows * scores->cols;
    double *const masked = mem_copy(scores->at, n, sizeof *masked);

    for (size_t i = 0; i < n; i++)
        masked[i] = p->masked[i] ? -HUGE_VAL : masked[i];
    struct table table = table_from_matrix(masked, scores->rows, scores->cols);
    free(masked);
    return table;
}
