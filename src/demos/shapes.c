/* Operations on shapes, cell by cell: batched matrix products, repeating, tiling, and leaving out the
 * diagonal. */
#include "demos/demo.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/lang.h"
#include "data/number.h"
#include "data/utf8.h"
#include "demos/items_view.h"
#include "demos/common_params.h"
#include "demos/layout.h"
#include "demos/matrix_view.h"
#include "demos/tensors.h"
#include "demos/torch_script.h"
#include "draw/heatmap.h"
#include "engine/mem.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* ---- parameters */

enum { P_OPERATION, P_B, P_N, P_M, P_M2, P_P, P_FILL, P_VALUES, P_REPEATS };

enum operation { BMM, MEAN, REPEAT_INTERLEAVE, TILE, LEAVE_ONE_OUT, OPERATIONS };

enum { FILL_ONES, FILL_COUNT };

static const char *const operations[] = {
    [BMM] = "bmm",
    [MEAN] = "mean",
    [REPEAT_INTERLEAVE] = "repeat_interleave",
    [TILE] = "tile",
    [LEAVE_ONE_OUT] = "leave_one_out",
    [OPERATIONS] = NULL,
};
static const char *const fills[] = {[FILL_ONES] = "ones", [FILL_COUNT] = "count", NULL};

static const struct param params[] = {
    [P_OPERATION] = {.name = "operation",
                     .label = N_("operation"),
                     .kind = PARAM_CHOICE,
                     .choices = operations,
                     .initial = "bmm",
                     .unit = "",
                     .help = N_("what is done; its sizes start with the book's")},
    [P_B] = SIZE_PARAM("b", N_("batch"), 8, "2", N_("bmm: matrices in the batch")),
    [P_N] = SIZE_PARAM("n", N_("rows"), 64, "1", N_("bmm: rows of the first matrix; leave_one_out: points")),
    [P_M] = SIZE_PARAM("m", N_("inner size"), 16, "4",
                       N_("bmm: columns of the first matrix; the second's rows follow")),
    [P_M2] = SIZE_PARAM("m2", N_("second's rows"), 16, "4",
                        N_("bmm: rows of the second matrix; only as many as the first has columns will do")),
    [P_P] = SIZE_PARAM("p", N_("columns"), 16, "6", N_("bmm: columns of the second matrix")),
    [P_FILL] = {.name = "fill",
                .label = N_("numbers"),
                .kind = PARAM_CHOICE,
                .choices = fills,
                .initial = "ones",
                .unit = "",
                .help = N_("bmm: all ones, or counted 0, 1, 2, ...")},
    [P_VALUES] = {.name = "values",
                  .label = N_("values"),
                  .kind = PARAM_LIST,
                  .lo = -1e6,
                  .hi = 1e6,
                  .step = 1,
                  .steps = STEPS_LINEAR,
                  .initial = "1,2",
                  .unit = "",
                  .help = N_("what repeat_interleave and tile repeat")},
    [P_REPEATS] =
        SIZE_PARAM("repeats", N_("times"), 8, "3", N_("how often repeat_interleave and tile repeat")),
};

enum { VALUES_MAX = 12 };

/* The book's sizes for each operation; 0: not used. */
static const struct {
    double b, n, m, p;
} sizes[OPERATIONS] = {
    [BMM] = {2, 1, 4, 6},
    [MEAN] = {2, 1, 10, 1},
    [LEAVE_ONE_OUT] = {0, 50, 0, 0},
};

/* ---- state */

struct operand {
    size_t batch, rows, cols;
    double *at;         /* (batch, rows, cols), owned */
    unsigned char *lit; /* likewise: where the current output cell comes from */
};

struct shaped {
    struct operand first, second, out; /* SECOND is empty but for bmm and mean */
    unsigned char *diagonal;           /* leave_one_out: the cells of FIRST that are left out, else NULL */
    unsigned char *ahead;              /* the cells of OUT that the walk has not reached */
    size_t at;                         /* the current output cell */
};

static struct shaped *state_of(const struct stage *stage)
{
    return stage->state;
}

static enum operation operation_of(const struct stage *stage)
{
    return (enum operation)stage->values[P_OPERATION].number;
}

static bool is_product(enum operation operation)
{
    return operation == BMM || operation == MEAN;
}

static bool is_repetition(enum operation operation)
{
    return operation == REPEAT_INTERLEAVE || operation == TILE;
}

static size_t size_of(const struct stage *stage, size_t param)
{
    return (size_t)stage->values[param].number;
}

static size_t count(const struct operand *o)
{
    return o->batch * o->rows * o->cols;
}

static void shape(struct operand *o, size_t batch, size_t rows, size_t cols)
{
    free(o->at);
    free(o->lit);
    *o = (struct operand){.batch = batch, .rows = rows, .cols = cols};
    o->at = mem_new(count(o), sizeof *o->at);
    o->lit = mem_new(count(o), sizeof *o->lit);
}

static void release(struct operand *o)
{
    free(o->at);
    free(o->lit);
    *o = (struct operand){0};
}

static size_t index_of(const struct operand *o, size_t batch, size_t row, size_t col)
{
    return (batch * o->rows + row) * o->cols + col;
}

/* Batch, row and column of the current output cell. */
struct place {
    size_t batch, row, col;
};

static struct place place_of(const struct operand *o, size_t at)
{
    return (struct place){at / (o->rows * o->cols), at / o->cols % o->rows, at % o->cols};
}

/* The index in FIRST that output cell AT copies; repetition and leave_one_out only. */
static size_t origin(const struct stage *stage, size_t at)
{
    const struct shaped *s = state_of(stage);
    struct place place = place_of(&s->out, at);
    switch (operation_of(stage)) {
    case REPEAT_INTERLEAVE:
        return at / size_of(stage, P_REPEATS);
    case TILE:
        return at % s->first.cols;
    default:
        return index_of(&s->first, 0, place.row, place.col + (place.col >= place.row));
    }
}

/* ---- computing */

static void fill_operand(struct operand *o, bool counted, double constant)
{
    for (size_t i = 0; i < count(o); i++)
        o->at[i] = counted ? (double)i : constant;
}

static void compute_product(const struct stage *stage)
{
    struct shaped *s = state_of(stage);
    size_t b = size_of(stage, P_B), n = size_of(stage, P_N), m = size_of(stage, P_M), p = size_of(stage, P_P);
    bool is_mean = operation_of(stage) == MEAN, counted = stage->values[P_FILL].number == FILL_COUNT;
    shape(&s->first, b, n, m);
    shape(&s->second, b, m, p);
    shape(&s->out, b, n, p);
    fill_operand(&s->first, !is_mean && counted, is_mean ? 1 / (double)m : 1);
    fill_operand(&s->second, is_mean || counted, 1);
    for (size_t at = 0; at < count(&s->out); at++) {
        struct place place = place_of(&s->out, at);
        for (size_t k = 0; k < m; k++)
            s->out.at[at] += s->first.at[index_of(&s->first, place.batch, place.row, k)] *
                             s->second.at[index_of(&s->second, place.batch, k, place.col)];
    }
}

static void compute_repetition(const struct stage *stage)
{
    struct shaped *s = state_of(stage);
    const struct value *values = &stage->values[P_VALUES];
    shape(&s->first, 1, 1, values->n_list);
    shape(&s->out, 1, 1, values->n_list * size_of(stage, P_REPEATS));
    memcpy(s->first.at, values->list, values->n_list * sizeof *s->first.at);
    for (size_t at = 0; at < count(&s->out); at++)
        s->out.at[at] = s->first.at[origin(stage, at)];
}

/* Every row holds all the points' numbers; a point leaves out its own. */
static void compute_leave_one_out(const struct stage *stage)
{
    struct shaped *s = state_of(stage);
    size_t n = size_of(stage, P_N);
    shape(&s->first, 1, n, n);
    shape(&s->out, 1, n, n - 1);
    s->diagonal = mem_new(n * n, sizeof *s->diagonal);
    for (size_t i = 0; i < n * n; i++) {
        s->first.at[i] = (double)(i % n);
        s->diagonal[i] = i % n == i / n;
    }
    for (size_t at = 0; at < count(&s->out); at++)
        s->out.at[at] = s->first.at[origin(stage, at)];
}

/* Marks what belongs to the current cell. */
static void light(const struct stage *stage)
{
    struct shaped *s = state_of(stage);
    struct place place = place_of(&s->out, s->at);
    memset(s->first.lit, 0, count(&s->first));
    if (s->second.lit)
        memset(s->second.lit, 0, count(&s->second));
    for (size_t i = 0; i < count(&s->out); i++)
        s->ahead[i] = i > s->at;
    if (!is_product(operation_of(stage))) {
        s->first.lit[origin(stage, s->at)] = 1;
        return;
    }
    assert(s->second.lit);
    for (size_t k = 0; k < s->first.cols; k++) {
        s->first.lit[index_of(&s->first, place.batch, place.row, k)] = 1;
        s->second.lit[index_of(&s->second, place.batch, k, place.col)] = 1;
    }
}

static void go_to(struct stage *stage, size_t at)
{
    struct shaped *s = state_of(stage);
    size_t last = count(&s->out) - 1;
    s->at = at > last ? last : at;
    light(stage);
}

static void compute(struct stage *stage)
{
    struct shaped *s = state_of(stage);
    enum operation operation = operation_of(stage);
    free(s->diagonal);
    s->diagonal = NULL;
    release(&s->second);
    if (is_product(operation))
        compute_product(stage);
    else if (is_repetition(operation))
        compute_repetition(stage);
    else
        compute_leave_one_out(stage);
    s->ahead = mem_grow(s->ahead, count(&s->out), sizeof *s->ahead);
    go_to(stage, s->at);
}

/* ---- opening and changing */

/* The points of leave_one_out that one comes to by switching operations: the book's 50 are too many to be
 * walked through. */
enum { FEW_POINTS = 6 };

/* The book's sizes for the operation, but where the user gave others. */
static void take_sizes(struct stage *stage, bool is_switch)
{
    enum operation operation = operation_of(stage);
    double n = is_switch && operation == LEAVE_ONE_OUT ? FEW_POINTS : sizes[operation].n;
    const struct {
        size_t param;
        double size;
    } preset[] = {{P_B, sizes[operation].b}, {P_N, n}, {P_M, sizes[operation].m}, {P_P, sizes[operation].p}};
    for (size_t i = 0; i < ALEN(preset); i++)
        if (preset[i].size > 0 && !stage->values[preset[i].param].given)
            stage->values[preset[i].param].number = preset[i].size;
}

static bool check(const struct stage *stage, struct error *error)
{
    size_t b = size_of(stage, P_B), n = size_of(stage, P_N), m = size_of(stage, P_M),
           m2 = size_of(stage, P_M2), p = size_of(stage, P_P);
    if (stage->values[P_VALUES].n_list > VALUES_MAX)
        return error_set(error, STATUS_USAGE, _("values: expected 1 to %d numbers, got %zu"), VALUES_MAX,
                         stage->values[P_VALUES].n_list);
    if (is_product(operation_of(stage)) && m != m2)
        return error_set(
            error, STATUS_USAGE,
            _("bmm: (%zu, %zu, %zu) and (%zu, %zu, %zu) do not fit: %zu columns against %zu rows"), b, n, m,
            b, m2, p, m, m2);
    if (operation_of(stage) == LEAVE_ONE_OUT && n < 2)
        return error_set(error, STATUS_USAGE, "%s",
                         _("leave_one_out: (1, 1) without its diagonal is empty; n must be 2 to 64"));
    return true;
}

static void discard(void *state)
{
    struct shaped *s = state;
    release(&s->first);
    release(&s->second);
    release(&s->out);
    free(s->diagonal);
    free(s->ahead);
    free(s);
}

static bool shapes_open(struct stage *stage, struct error *error)
{
    take_sizes(stage, false);
    if (!stage->values[P_M2].given)
        stage->values[P_M2].number = stage->values[P_M].number;
    if (!check(stage, error))
        return false;
    stage->state = mem_new(1, sizeof(struct shaped));
    compute(stage);
    return true;
}

static void *shapes_copy(const void *state)
{
    const struct shaped *from = state;
    struct shaped *s = mem_new(1, sizeof *s);
    s->at = from->at;
    return s;
}

static bool shapes_apply(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    struct value before[ALEN(params)];
    memcpy(before, stage->values, sizeof before);
    before[changed] = *old;
    if (changed == P_OPERATION) {
        stage->values[P_B].given = stage->values[P_N].given = stage->values[P_M].given =
            stage->values[P_P].given = false;
        take_sizes(stage, true);
        state_of(stage)->at = 0;
    }
    if (changed != P_M2)
        stage->values[P_M2].number = stage->values[P_M].number;
    if (!check(stage, error)) {
        memcpy(stage->values, before, sizeof before);
        return false;
    }
    compute(stage);
    return true;
}

/* What the operation on stage does not ask for. */
static bool shapes_is_idle(const struct stage *stage, size_t param)
{
    enum operation operation = operation_of(stage);
    switch (param) {
    case P_OPERATION:
        return false;
    case P_VALUES:
    case P_REPEATS:
        return !is_repetition(operation);
    case P_N:
        return is_repetition(operation);
    case P_FILL:
        return operation != BMM;
    default:
        return !is_product(operation);
    }
}

/* The value that the current cell copies. */
static bool shapes_adjust(struct stage *stage, size_t param, int steps, struct value *value)
{
    if (!is_repetition(operation_of(stage)))
        return false;
    items_adjust(&params[param], value, origin(stage, state_of(stage)->at), steps);
    return true;
}

/* ---- the walk over the output */

static size_t shapes_position(const struct stage *stage)
{
    return state_of(stage)->at;
}

static size_t shapes_end(const struct stage *stage)
{
    return count(&state_of(stage)->out) - 1;
}

static void shapes_reset(struct stage *stage)
{
    go_to(stage, 0);
}

static void move_cell(struct stage *stage, int dx, int dy)
{
    const struct shaped *s = state_of(stage);
    long down = s->out.rows * s->out.batch == 1 ? 1 : (long)s->out.cols;
    go_to(stage, index_moved(s->at, dx + dy * down, count(&s->out)));
}

static bool shapes_select(struct stage *stage, long row, long column, struct error *error)
{
    const struct operand *out = &state_of(stage)->out;
    size_t rows = out->batch * out->rows;
    if (row >= (long)rows || column >= (long)out->cols)
        return error_set(error, STATUS_USAGE, _("select: the output has rows 0 to %zu and columns 0 to %zu"),
                         rows - 1, out->cols - 1);
    go_to(stage, (size_t)row * out->cols + (size_t)(column < 0 ? 0 : column));
    return true;
}

/* ---- tables */

static struct table table_first(const struct stage *stage)
{
    const struct operand *o = &state_of(stage)->first;
    return table_from_matrix(o->at, o->batch * o->rows, o->cols);
}

static struct table table_second(const struct stage *stage)
{
    const struct operand *o = &state_of(stage)->second;
    return table_from_matrix(o->at, o->batch * o->rows, o->cols);
}

static struct table table_output(const struct stage *stage)
{
    const struct operand *o = &state_of(stage)->out;
    return table_from_matrix(o->at, o->batch * o->rows, o->cols);
}

static const struct demo_table shapes_tables[] = {
    {"input", N_("the input, the batch's matrices one below the other"), table_first},
    {"second", N_("bmm: the second input; else empty"), table_second},
    {"output", N_("the output"), table_output},
};

/* ---- panes */

enum { PANE_INPUT, PANE_SECOND, PANE_OUTPUT, PANE_CELL, PANE_PARAMETERS };

static void shape_text(const struct stage *stage, const struct operand *o, char *out, size_t size)
{
    if (is_product(operation_of(stage)))
        snprintf(out, size, "(%zu, %zu, %zu)", o->batch, o->rows, o->cols);
    else if (is_repetition(operation_of(stage)))
        snprintf(out, size, "(%zu)", o->cols);
    else
        snprintf(out, size, "(%zu, %zu)", o->rows, o->cols);
}

static void draw_figure(const struct stage *stage, const struct operand *o, struct area corner)
{
    char text[80];
    if (count(o) == 0)
        return;
    shape_text(stage, o, text, sizeof text);
    figure_text(corner, text);
}

static struct matrix_view view_of(const struct operand *o, struct area inside)
{
    enum { ROOMY = 110 }; /* the whole screen, so that all panes say the same */
    struct matrix_view view = {
        .value = o->at,
        .lit = o->lit,
        .batch = o->batch,
        .rows = o->rows,
        .cols = o->cols,
        .batch_name = o->batch < 2                 ? NULL
                      : inside.frame->cols < ROOMY ? "b"
                                                   : _("batch"),
        .row_prefix = o->rows > 1 || o->batch > 1 ? "" : NULL,
        .col_prefix = "",
        .at_batch = VIEW_NONE,
        .at_row = VIEW_NONE,
        .at_col = VIEW_NONE,
    };
    view_range(&view.lo, &view.hi, o->at, NULL, count(o));
    view.lo *= 1.4;
    view.hi *= 1.4;
    return view;
}

/* Numbers where they fit, else colours: a large matrix as a heatmap. */
static void draw_view(const struct stage *stage, struct area inside, const struct matrix_view *view)
{
    bool is_large = view->batch == 1 && view->rows > 1 && !matrix_view_fits(inside, view, 2);
    if (!is_large) {
        matrix_view_draw(inside, view);
        return;
    }
    struct place at = place_of(&state_of(stage)->out, state_of(stage)->at);
    bool is_output = view->at_row != VIEW_NONE;
    struct heatmap h = {
        .value = view->value,
        .masked = is_output ? view->ahead : view->masked,
        .n_q = view->rows,
        .n_k = view->cols,
        .lo = 0,
        .hi = view->hi,
        .pooling = POOL_MEAN,
        .q_title = _("rows"),
        .k_title = _("columns"),
        .selected_q = at.row,
        .selected_k = is_output ? at.col : at.col + (at.col >= at.row),
    };
    heatmap_draw(inside, &h);
}

static void input_figure(const struct stage *stage, struct area corner)
{
    draw_figure(stage, &state_of(stage)->first, corner);
}

static void input_draw(const struct stage *stage, struct area inside)
{
    const struct shaped *s = state_of(stage);
    struct matrix_view view = view_of(&s->first, inside);
    view.at_batch = place_of(&s->out, s->at).batch;
    view.masked = s->diagonal;
    draw_view(stage, inside, &view);
}

static void second_figure(const struct stage *stage, struct area corner)
{
    draw_figure(stage, &state_of(stage)->second, corner);
}

static void second_draw(const struct stage *stage, struct area inside)
{
    const struct shaped *s = state_of(stage);
    if (count(&s->second) == 0) {
        area_text_wrap(inside, 0, look_pen(inside.look, ROLE_DIM),
                       _("Only bmm and mean have a second input."));
        return;
    }
    struct matrix_view view = view_of(&s->second, inside);
    view.at_batch = place_of(&s->out, s->at).batch;
    draw_view(stage, inside, &view);
}

static void output_figure(const struct stage *stage, struct area corner)
{
    draw_figure(stage, &state_of(stage)->out, corner);
}

/* A long row of repetitions is folded so that each line is one repetition (or one value). */
static void fold(const struct stage *stage, struct matrix_view *view)
{
    size_t repeats = size_of(stage, P_REPEATS), n = view->cols / repeats;
    view->cols = operation_of(stage) == TILE ? n : repeats;
    view->rows = operation_of(stage) == TILE ? repeats : n;
    view->row_prefix = "";
}

static void output_draw(const struct stage *stage, struct area inside)
{
    const struct shaped *s = state_of(stage);
    struct matrix_view view = view_of(&s->out, inside);
    view.ahead = s->ahead;
    if (is_repetition(operation_of(stage)) && !matrix_view_fits(inside, &view, 2))
        fold(stage, &view);
    struct place at = {s->at / (view.rows * view.cols), s->at / view.cols % view.rows, s->at % view.cols};
    view.at_batch = at.batch;
    view.at_row = at.row;
    view.at_col = at.col;
    draw_view(stage, inside, &view);
}

/* "[0, 2, 1]", as the operation's arrays are indexed. */
static void index_text(const struct stage *stage, const struct operand *o, size_t at, char *out, size_t size)
{
    struct place place = place_of(o, at);
    if (is_product(operation_of(stage)))
        snprintf(out, size, "[%zu, %zu, %zu]", place.batch, place.row, place.col);
    else if (is_repetition(operation_of(stage)))
        snprintf(out, size, "[%zu]", at);
    else
        snprintf(out, size, "[%zu, %zu]", place.row, place.col);
}

static const char *show(char out[NUMBER_TEXT], double value)
{
    return number_show(out, value, 6, 10);
}

static void cell_figure(const struct stage *stage, struct area corner)
{
    const struct shaped *s = state_of(stage);
    char text[96], index[64], number[NUMBER_TEXT];
    index_text(stage, &s->out, s->at, index, sizeof index);
    snprintf(text, sizeof text, _("output%s = %s"), index, show(number, s->out.at[s->at]));
    figure_text(corner, text);
}

/* Term K of the current cell's sum, with its indices or without them. */
static void write_term(const struct shaped *s, size_t k, bool with_indices, struct buf *out)
{
    struct place at = place_of(&s->out, s->at);
    double left = s->first.at[index_of(&s->first, at.batch, at.row, k)];
    double right = s->second.at[index_of(&s->second, at.batch, k, at.col)];
    char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT];
    buf_puts(out, k ? "+ " : "  ");
    if (with_indices)
        buf_printf(out, "[%zu, %zu, %zu]\u00b7[%zu, %zu, %zu] = ", at.batch, at.row, k, at.batch, k, at.col);
    buf_printf(out, "%s \u00b7 %s = %s", show(a, left), show(b, right), show(c, left * right));
}

static bool terms_fit(const struct shaped *s, int cols)
{
    bool fit = true;
    for (size_t k = 0; k < s->first.cols && fit; k++) {
        struct buf term = {0};
        write_term(s, k, true, &term);
        fit = utf8_columns(term.at) <= cols;
        buf_free(&term);
    }
    return fit;
}

/* The product's terms, one a line, and below them the sum; where lines are few the terms before the last give
 * way. */
static void draw_terms(const struct stage *stage, struct area inside)
{
    const struct shaped *s = state_of(stage);
    int m = (int)s->first.cols, room = inside.rows > 1 ? inside.rows - 1 : 0, lines = m < room ? m : room;
    bool with_indices = terms_fit(s, inside.cols);
    char sum[NUMBER_TEXT];
    for (int y = 0; y < lines; y++) {
        struct buf term = {0};
        bool is_gap = lines < m && y == lines - 2;
        if (is_gap)
            buf_puts(&term, "  \u22ee");
        else
            write_term(s, (size_t)(y == lines - 1 ? m - 1 : y), with_indices, &term);
        area_text(inside, 0, y, look_pen(inside.look, is_gap ? ROLE_DIM : ROLE_TEXT), term.at);
        buf_free(&term);
    }
    area_textf(inside, 0, lines, look_pen(inside.look, ROLE_SELECT), "= %s", show(sum, s->out.at[s->at]));
}

static void draw_origin(const struct stage *stage, struct area inside)
{
    const struct shaped *s = state_of(stage);
    size_t from = origin(stage, s->at), repeats = size_of(stage, P_REPEATS);
    struct place place = place_of(&s->out, s->at);
    char out[64], in[64], number[NUMBER_TEXT];
    struct pen text = look_pen(inside.look, ROLE_TEXT), strong = look_pen(inside.look, ROLE_SELECT);
    struct buf why = {0};
    index_text(stage, &s->out, s->at, out, sizeof out);
    index_text(stage, &s->first, from, in, sizeof in);
    switch (operation_of(stage)) {
    case REPEAT_INTERLEAVE:
        buf_printf(&why, _("%zu div %zu = %zu: each value stands %zu times in a row."), s->at, repeats, from,
                   repeats);
        break;
    case TILE:
        buf_printf(&why, _("%zu mod %zu = %zu: the whole row is laid %zu times side by side."), s->at,
                   s->first.cols, from, repeats);
        break;
    default:
        if (place.col < place.row)
            buf_printf(&why, _("Column %zu lies left of the diagonal of row %zu: it keeps its place."),
                       place.col, place.row);
        else
            buf_printf(
                &why,
                _("Column %zu: row %zu leaves out its own cell, so what is right of it moves up by one."),
                place.col, place.row);
        break;
    }
    area_textf(inside, 0, 0, strong, _("output%s = input%s = %s"), out, in, show(number, s->out.at[s->at]));
    area_text_wrap(inside, inside.rows > 3 ? 2 : 1, text, why.at);
    buf_free(&why);
}

static void cell_draw(const struct stage *stage, struct area inside)
{
    if (is_product(operation_of(stage)))
        draw_terms(stage, inside);
    else
        draw_origin(stage, inside);
}

static const struct pane panes[] = {
    [PANE_INPUT] = {"input", N_("input"), input_figure, input_draw, move_cell,
                    N_("the first tensor; the framed numbers go into the chosen output cell")},
    [PANE_SECOND] = {"second", N_("second"), second_figure, second_draw, move_cell,
                     N_("the second tensor; the framed numbers go into the chosen output cell")},
    [PANE_OUTPUT] = {"output", N_("output"), output_figure, output_draw, move_cell,
                     N_("the result, filled in cell by cell; the framed cell is the chosen one")},
    [PANE_CELL] = {"cell", N_("this cell"), cell_figure, cell_draw, move_cell,
                   N_("the chosen output cell, written out")},
    [PANE_PARAMETERS] = {"parameters", N_("parameters"), NULL, panel_draw, move_cell, PANEL_HELP},
};

/* The columns that O needs to show its numbers, its extremes standing for all of them. */
static int columns_of(const struct operand *o)
{
    enum { MARGIN = 12 };
    double ends[] = {HUGE_VAL, -HUGE_VAL};
    int widest = 1;
    if (count(o) == 0)
        return 0;
    view_range(&ends[0], &ends[1], o->at, NULL, count(o));
    for (size_t i = 0; i < ALEN(ends); i++) {
        char text[NUMBER_TEXT];
        int cols = utf8_columns(number_show(text, ends[i], 4, 8));
        widest = cols > widest ? cols : widest;
    }
    return (int)o->cols * (widest + 2) + MARGIN;
}

/* Each of the matrices gets its share of the columns. */
static void layout_matrices(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    const struct shaped *s = state_of(stage);
    int first = columns_of(&s->first), second = columns_of(&s->second), last = columns_of(&s->out),
        cols = a.cols;
    if (is_repetition(operation_of(stage)) && last > 2 * first)
        last = 2 * first;
    int all = first + second + last > 0 ? first + second + last : 1;
    out[PANE_INPUT] = area_cut_left(&a, cols * first / all);
    if (second)
        out[PANE_SECOND] = area_cut_left(&a, cols * second / all);
    out[PANE_OUTPUT] = a;
}

static void shapes_layout(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    if (layout_room(a) == ROOM_SMALL) {
        layout_small(stage, a, PANE_PARAMETERS, PANE_OUTPUT, out);
        return;
    }
    int strip = a.rows * 2 / 5 > 13 ? 13 : a.rows * 2 / 5;
    struct area lower = area_cut_bottom(&a, strip);
    out[PANE_PARAMETERS] = area_cut_right(&lower, lower.cols / 2);
    out[PANE_CELL] = lower;
    layout_matrices(stage, a, out);
}

/* ---- words */

static void shapes_formula(const struct stage *stage, struct area line)
{
    static const char *const rules[OPERATIONS] = {
        [BMM] = "out[b, i, j] = \u03a3\u2096 A[b, i, k]\u00b7B[b, k, j]",
        [MEAN] = "out[b, i, j] = \u03a3\u2096 \u03b1[b, i, k]\u00b7v[b, k, j]",
        [REPEAT_INTERLEAVE] = "out[i] = in[i div r]",
        [TILE] = "out[i] = in[i mod n]",
        [LEAVE_ONE_OUT] = "out[i, j] = in[i, j + [j \u2265 i]]",
    };
    const struct shaped *s = state_of(stage);
    char first[64], second[64], out[64];
    shape_text(stage, &s->first, first, sizeof first);
    shape_text(stage, &s->second, second, sizeof second);
    shape_text(stage, &s->out, out, sizeof out);
    int x = area_text(line, 0, 0, look_pen(line.look, ROLE_TEXT), rules[operation_of(stage)]) + 3;
    struct pen strong = look_pen_bold(line.look, ROLE_SELECT);
    if (count(&s->second))
        area_textf(line, x, 0, strong, "%s \u00d7 %s \u2192 %s", first, second, out);
    else
        area_textf(line, x, 0, strong, "%s \u2192 %s", first, out);
}

static void shapes_progress(const struct stage *stage, char *out, size_t size)
{
    snprintf(out, size, _("cell %zu / %zu"), state_of(stage)->at + 1, count(&state_of(stage)->out));
}

static enum role shapes_remark(const struct stage *stage, char *out, size_t size)
{
    const struct shaped *s = state_of(stage);
    switch (operation_of(stage)) {
    case BMM:
        snprintf(out, size, _("Each cell: a row times a column of the same batch item, %zu products summed."),
                 s->first.cols);
        break;
    case MEAN:
        snprintf(out, size, _("Weights of 1/%zu times values: each output is an average of values."),
                 s->first.cols);
        break;
    case REPEAT_INTERLEAVE:
        snprintf(out, size, "%s", _("Value by value: so a valid length per item becomes one per query."));
        break;
    case TILE:
        snprintf(out, size, "%s", _("Round by round: so every query gets a row of all the keys."));
        break;
    default:
        snprintf(out, size,
                 _("In training no point may look at itself: %zu keys remain for each of %zu points."),
                 s->out.cols, s->out.rows);
        break;
    }
    return ROLE_DIM;
}

/* ---- the script */

static void put_product(const struct stage *stage, struct buf *out)
{
    const struct shaped *s = state_of(stage);
    const bool is_mean = operation_of(stage) == MEAN, counted = stage->values[P_FILL].number == FILL_COUNT;
    const struct operand *const operands[] = {&s->first, &s->second};
    static const char *const names[] = {"X", "Y"};
    for (size_t i = 0; i < ALEN(operands); i++) {
        const struct operand *o = operands[i];
        buf_printf(out, "%s = ", names[i]);
        if (i == 0 ? !is_mean && counted : is_mean || counted)
            buf_printf(out, "torch.arange(%zu).reshape", count(o));
        else
            buf_puts(out, "torch.ones");
        torch_shape((const size_t[]){o->batch, o->rows, o->cols}, 3, out);
        buf_puts(out, ".double()");
        if (i == 0 && is_mean)
            buf_printf(out, " / %zu", o->cols);
        buf_putc(out, '\n');
    }
    buf_puts(out, "output = torch.bmm(X, Y)\n");
}

static void shapes_torch(const struct stage *stage, struct buf *out)
{
    const struct value *values = &stage->values[P_VALUES];
    const char *second = is_product(operation_of(stage)) ? "Y" : "torch.empty(0, 1)";
    switch (operation_of(stage)) {
    case REPEAT_INTERLEAVE:
    case TILE:
        torch_tensor("X", values->list, &values->n_list, 1, out);
        buf_printf(out, "output = X.%s(%zu)\n", operation_of(stage) == TILE ? "repeat" : "repeat_interleave",
                   size_of(stage, P_REPEATS));
        break;
    case LEAVE_ONE_OUT:
        buf_printf(out,
                   "n = %zu\n"
                   "X = torch.arange(n).repeat(n, 1)\n"
                   "# Each row without its own number: what a point may attend to in training.\n"
                   "output = X[~torch.eye(n, dtype=torch.bool)].reshape(n, -1)\n",
                   size_of(stage, P_N));
        break;
    default:
        put_product(stage, out);
    }
    buf_printf(out, "\ntables = {\"input\": X, \"second\": %s, \"output\": output}\n", second);
}

const struct demo demo_shapes = {
    .name = "shapes",
    .title = N_("shapes, cell by cell"),
    .summary = N_("bmm, repeat_interleave, tile, leave-one-out, cell by cell"),
    .params = params,
    .n_params = ALEN(params),
    .panes = panes,
    .n_panes = ALEN(panes),
    .tables = shapes_tables,
    .n_tables = ALEN(shapes_tables),
    .open = shapes_open,
    .copy = shapes_copy,
    .restored = compute,
    .discard = discard,
    .apply = shapes_apply,
    .is_idle = shapes_is_idle,
    .position = shapes_position,
    .known = shapes_end,
    .end = shapes_end,
    .go = go_to,
    .reset = shapes_reset,
    .select = shapes_select,
    .adjust = shapes_adjust,
    .layout = shapes_layout,
    .formula = shapes_formula,
    .progress = shapes_progress,
    .remark = shapes_remark,
    .torch = shapes_torch,
};
