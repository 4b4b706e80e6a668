/* Masked softmax: scores, what a mask leaves of them, and the weights that come of it. */
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
#include "demos/lens.h"
#include "demos/matrix_view.h"
#include "demos/tensors.h"
#include "demos/torch_script.h"
#include "draw/bars.h"
#include "engine/mem.h"
#include "engine/rng.h"
#include "engine/softmax.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* ---- parameters */

enum { P_VALID_LENS, P_FILL, P_BATCH, P_QUERIES, P_KEYS, P_SEED, P_DRAW };

enum { BATCH_MAX = 4, QUERIES_MAX = 8, KEYS_MAX = 16, CELLS_MAX = BATCH_MAX * QUERIES_MAX * KEYS_MAX };

enum fill { FILL_NONE, FILL_LOW, FILL_INFINITE };

static const double low = -1e6;
static const char *const fills[] = {
    [FILL_NONE] = "none", [FILL_LOW] = "-1e6", [FILL_INFINITE] = "-inf", NULL};

/* clang-format off */
static const struct param params[] = {
    [P_VALID_LENS] = LENS_PARAM("2,3"),
    [P_FILL] = {.name = "fill", .label = N_("masked score"), .kind = PARAM_CHOICE, .choices = fills,
                .initial = "none", .unit = "",
                .help = N_("what masked keys get: none leaves them out; -1e6 as in the book; -inf")},
    [P_BATCH] = {.name = "batch", .label = N_("batch items"), .kind = PARAM_INTEGER, .lo = 1, .hi = BATCH_MAX,
                 .step = 1, .steps = STEPS_LINEAR, .initial = "2", .unit = "",
                 .help = N_("items computed side by side, each with scores of its own")},
    [P_QUERIES] = {.name = "queries", .label = N_("queries"), .kind = PARAM_INTEGER, .lo = 1, .hi = QUERIES_MAX,
                   .step = 1, .steps = STEPS_LINEAR, .initial = "2", .unit = "",
                   .help = N_("rows of each item's scores")},
    [P_KEYS] = {.name = "keys", .label = N_("keys"), .kind = PARAM_INTEGER, .lo = 1, .hi = KEYS_MAX,
                .step = 1, .steps = STEPS_LINEAR, .initial = "4", .unit = "",
                .help = N_("columns of each item's scores")},
    [P_SEED] = SEED_PARAM,
    [P_DRAW] = {.name = "draw", .label = N_("draw"), .kind = PARAM_INTEGER, .lo = 0, .hi = 9, .step = 1,
                .steps = STEPS_LINEAR, .initial = "0", .unit = "",
                .help = N_("how many tensors of scores are drawn before this one")},
};
/* clang-format on */

/* ---- state */

/* All matrices are (batch, queries, keys). */
struct mask {
    struct lens lens;
    unsigned char hidden[CELLS_MAX]; /* 1 at masked keys */
    double score[CELLS_MAX];
    double masked[CELLS_MAX]; /* the scores after masking: -inf or -1e6 at masked keys */
    double weight[CELLS_MAX];
    size_t item, query, key; /* the selection */
    bool refitted;           /* the last change of shape changed valid_lens with it */
};

static struct mask *state_of(const struct stage *stage)
{
    return stage->state;
}

static size_t integer_of(const struct stage *stage, size_t index)
{
    return (size_t)stage->values[index].number;
}

static enum fill fill_of(const struct stage *stage)
{
    return (enum fill)stage->values[P_FILL].number;
}

static size_t cells(const struct lens *lens)
{
    return lens->batch * lens->queries * lens->keys;
}

/* The row of MATRIX that is selected. */
static const double *selected_row(const struct mask *m, const double *matrix)
{
    return matrix + (m->item * m->lens.queries + m->query) * m->lens.keys;
}

static size_t selected_len(const struct mask *m)
{
    return lens_of(&m->lens, m->item, m->query);
}

static void draw_scores(const struct stage *stage, struct mask *m)
{
    struct rng rng;
    float drawn[CELLS_MAX];
    size_t n = cells(&m->lens), skipped = integer_of(stage, P_DRAW);

    rng_seed(&rng, stage->values[P_SEED].seed, RNG_PATH_AVX2);
    for (size_t i = 0; i <= skipped; i++)
        rng_rand(&rng, drawn, n);
    for (size_t i = 0; i < n; i++)
        m->score[i] = (double)drawn[i];
}

/* Masks the scores and weighs what is left. */
static void attend(const struct stage *stage, struct mask *m)
{
    const double fill[] = {[FILL_NONE] = -HUGE_VAL, [FILL_LOW] = low, [FILL_INFINITE] = -HUGE_VAL};
    enum fill choice = fill_of(stage);
    size_t keys = m->lens.keys;

    lens_mask(&m->lens, m->hidden);
    for (size_t i = 0; i < cells(&m->lens); i++)
        m->masked[i] = m->hidden[i] ? fill[choice] : m->score[i];
    for (size_t row = 0; row < m->lens.batch * m->lens.queries; row++) {
        const double *score = m->score + row * keys;
        double *weight = m->weight + row * keys;
        if (choice == FILL_NONE)
            softmax_row(score, keys, m->lens.at[row], weight);
        else
            softmax_row_filled(score, keys, m->lens.at[row], fill[choice], weight);
    }
}

/* Takes over lengths and shape: draws the scores and keeps the selection inside. */
static void renew(const struct stage *stage, const struct lens *lens)
{
    struct mask *m = state_of(stage);
    m->lens = *lens;
    m->item = m->item < lens->batch ? m->item : lens->batch - 1;
    m->query = m->query < lens->queries ? m->query : lens->queries - 1;
    m->key = m->key < lens->keys ? m->key : lens->keys - 1;
    draw_scores(stage, m);
    attend(stage, m);
}

static bool read_lens(const struct stage *stage, const struct value *v, struct lens *out, struct error *error)
{
    return lens_read(v, integer_of(stage, P_BATCH), integer_of(stage, P_QUERIES), integer_of(stage, P_KEYS),
                     out, error);
}

static bool mask_open(struct stage *stage, struct error *error)
{
    struct lens lens;
    if (!lens_open(&stage->values[P_VALID_LENS], integer_of(stage, P_BATCH), integer_of(stage, P_QUERIES),
                   integer_of(stage, P_KEYS), &lens, error))
        return false;
    stage->state = mem_new(1, sizeof(struct mask));
    state_of(stage)->query = lens.queries > 1 ? 1 : 0;
    renew(stage, &lens);
    return true;
}

static void *mask_copy(const void *state)
{
    return mem_copy(state, 1, sizeof(struct mask));
}

static void mask_restored(struct stage *stage)
{
    (void)stage;
}

static bool mask_apply(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    struct value *v = &stage->values[P_VALID_LENS];
    bool is_shape = changed == P_BATCH || changed == P_QUERIES || changed == P_KEYS, refitted = false;
    struct lens lens;

    (void)old;
    if (is_shape)
        refitted = lens_refit(v, integer_of(stage, P_BATCH), integer_of(stage, P_QUERIES),
                              integer_of(stage, P_KEYS));
    if (!read_lens(stage, v, &lens, error))
        return false;
    state_of(stage)->refitted = refitted;
    renew(stage, &lens);
    return true;
}

/* ---- changing a length in place */

static bool mask_adjust(struct stage *stage, size_t param, int steps, struct value *value)
{
    const struct mask *m = state_of(stage);
    (void)param;
    lens_move(&m->lens, m->item, m->query, steps, value);
    return true;
}

static bool mask_nudge(struct stage *stage, int steps, struct error *error)
{
    struct mask *m = state_of(stage);
    struct value v = stage->values[P_VALID_LENS];
    struct lens lens;

    lens_move(&m->lens, m->item, m->query, steps, &v);
    if (!read_lens(stage, &v, &lens, error))
        return false;
    v.given = true;
    stage->values[P_VALID_LENS] = v;
    m->refitted = false;
    renew(stage, &lens);
    return true;
}

/* ---- selecting */

static void move_cell(struct stage *stage, int dx, int dy)
{
    struct mask *m = state_of(stage);
    size_t row = index_moved(m->item * m->lens.queries + m->query, dy, m->lens.batch * m->lens.queries);
    m->item = row / m->lens.queries;
    m->query = row % m->lens.queries;
    m->key = index_moved(m->key, dx, m->lens.keys);
}

/* From length to length, which are one per item or one per query. */
static void move_length(struct stage *stage, int dx, int dy)
{
    struct mask *m = state_of(stage);
    if (m->lens.form == LENS_PER_ITEM)
        m->item = index_moved(m->item, dy, m->lens.batch);
    else
        move_cell(stage, 0, dy);
    m->key = index_moved(m->key, dx, m->lens.keys);
}

static bool mask_select(struct stage *stage, long row, long column, struct error *error)
{
    struct mask *m = state_of(stage);
    size_t rows = m->lens.batch * m->lens.queries;
    if (row >= (long)rows || column >= (long)m->lens.keys)
        return error_set(error, STATUS_USAGE, _("select: there are rows 0 to %zu and keys 0 to %zu"),
                         rows - 1, m->lens.keys - 1);
    m->item = (size_t)row / m->lens.queries;
    m->query = (size_t)row % m->lens.queries;
    if (column >= 0)
        m->key = (size_t)column;
    return true;
}

/* ---- tables */

static struct table table_of(const struct stage *stage, const double *matrix)
{
    const struct lens *lens = &state_of(stage)->lens;
    return table_from_matrix(matrix, lens->batch * lens->queries, lens->keys);
}

static struct table table_scores(const struct stage *stage)
{
    return table_of(stage, state_of(stage)->score);
}

static struct table table_masked(const struct stage *stage)
{
    return table_of(stage, state_of(stage)->masked);
}

static struct table table_weights(const struct stage *stage)
{
    return table_of(stage, state_of(stage)->weight);
}

static const struct demo_table mask_tables[] = {
    {"scores", N_("the scores, (batch queries) x keys"), table_scores},
    {"masked", N_("the scores after masking; masked keys are -inf, or -1e6"), table_masked},
    {"weights", N_("the attention weights"), table_weights},
};

/* ---- panes: the matrices */

enum { PANE_SCORES, PANE_MASKED, PANE_WEIGHTS, PANE_LENS, PANE_CELL, PANE_PARAMETERS };

enum { MATRICES = 3, PANE_EDGES = 4, CELL_COLS_MOST = 18 };

/* The columns of a cell from which on a matrix has room for labels at its left too; the rows of the three are
 * in line. */
static const int labelled_from[MATRICES] = {6, 10, 10};

/* The length of a row, with the arrows that say that it can be changed. */
static void note_length(const void *context, size_t item, size_t query, char *out, size_t size)
{
    const struct mask *m = context;
    bool here = item == m->item && (query == m->query || m->lens.form == LENS_PER_ITEM);
    size_t length = lens_of(&m->lens, item, query);
    snprintf(out, size, "%s%zu%s", here && length > 0 ? "\u25c2" : " ", length,
             here && length < m->lens.keys ? "\u25b8" : " ");
}

/* A view without its own memory: HIDDEN marks the cells that are hatched. */
static struct matrix_view view_of(const struct stage *stage, size_t pane, bool labelled,
                                  const unsigned char *hidden)
{
    const struct mask *m = state_of(stage);
    const double *const values[] = {
        [PANE_SCORES] = m->score, [PANE_MASKED] = m->masked, [PANE_WEIGHTS] = m->weight};
    return (struct matrix_view){
        .value = values[pane],
        .masked = hidden,
        .masked_text = pane == PANE_WEIGHTS         ? "0"
                       : fill_of(stage) == FILL_LOW ? "\u2212"
                                                      "1e6"
                                                    : "\u2212\u221e",
        .batch = m->lens.batch,
        .rows = m->lens.queries,
        .cols = m->lens.keys,
        .lo = 0,
        .hi = 1,
        .batch_name = labelled || pane == PANE_SCORES ? _("item") : NULL,
        .batch_brief = labelled ? NULL : "i",
        .row_prefix = pane == PANE_SCORES || labelled ? "q" : NULL,
        .col_prefix = "k",
        .row_note = pane == PANE_MASKED ? note_length : NULL,
        .note_title = _("len"),
        .label_context = m,
        .at_batch = m->item,
        .at_row = m->query,
        .at_col = m->key,
        .row_sums = pane == PANE_WEIGHTS,
    };
}

static void draw_matrix(const struct stage *stage, size_t pane, struct area inside)
{
    const struct mask *m = state_of(stage);
    struct matrix_view labelled = view_of(stage, pane, true, NULL);
    unsigned char hidden[CELLS_MAX];
    bool has_room = matrix_view_columns(&labelled, labelled_from[pane]) <= inside.cols;

    /* A masked key that has a weight all the same, or NaN, shows it. */
    for (size_t i = 0; i < cells(&m->lens); i++)
        hidden[i] =
            pane == PANE_MASKED ? m->hidden[i] : pane == PANE_WEIGHTS && m->hidden[i] && m->weight[i] == 0;
    struct matrix_view view = view_of(stage, pane, has_room, hidden);
    matrix_view_draw(inside, &view);
    if (pane == PANE_SCORES)
        return;
    struct area edge = area_left_border(inside);
    area_put(edge, 0, edge.rows / 2, look_pen(edge.look, ROLE_ACCENT), 0x25b6);
}

static void scores_draw(const struct stage *stage, struct area inside)
{
    draw_matrix(stage, PANE_SCORES, inside);
}

static void masked_draw(const struct stage *stage, struct area inside)
{
    draw_matrix(stage, PANE_MASKED, inside);
}

static void weights_draw(const struct stage *stage, struct area inside)
{
    draw_matrix(stage, PANE_WEIGHTS, inside);
}

static void shape_figure(const struct stage *stage, struct area corner)
{
    const struct lens *lens = &state_of(stage)->lens;
    figure_shape(corner, lens->batch, lens->queries, lens->keys);
}

/* ---- panes: the lengths */

static void lens_pane_figure(const struct stage *stage, struct area corner)
{
    lens_figure(&state_of(stage)->lens, corner);
}

static void lens_pane_draw(const struct stage *stage, struct area inside)
{
    const struct mask *m = state_of(stage);
    lens_draw(&m->lens, m->item, m->query, inside);
}

/* ---- panes: the selected cell's arithmetic */

enum { STEPS = 6 };

/* The selected row's softmax, as far as it can be written down. */
struct arithmetic {
    const double *score;
    size_t n;        /* keys that take part, from 0 */
    double max, sum; /* of the scores, and of exp(s - max) */
};

static struct arithmetic arithmetic_of(const struct stage *stage)
{
    const struct mask *m = state_of(stage);
    struct arithmetic a = {
        .score = selected_row(m, m->masked),
        .n = fill_of(stage) == FILL_NONE ? selected_len(m) : m->lens.keys,
        .max = -HUGE_VAL,
    };
    for (size_t k = 0; k < a.n; k++)
        a.max = fmax(a.max, a.score[k]);
    for (size_t k = 0; k < a.n; k++)
        a.sum += exp(a.score[k] - a.max);
    return a;
}

/* The fill has the look of its name. */
static const char *show_in(char out[NUMBER_TEXT], double v, int width)
{
    if (isnan(v))
        return "NaN";
    if (isinf(v))
        return v < 0 ? "\u2212\u221e" : "\u221e";
    return v == low ? "\u2212"
                      "1e6"
                    : number_show(out, v, fabs(v) < 1 ? 4 : 5, width);
}

static const char *show(char out[NUMBER_TEXT], double v)
{
    return show_in(out, v, 9);
}

/* "1.81 = 0.81 + 1": the sum first, for its terms may have to be cut short. */
static void describe_sum(const struct arithmetic *a, struct buf *out)
{
    char text[NUMBER_TEXT];
    buf_printf(out, "\u03a3 = %s", show(text, a->sum));
    for (size_t k = 0; k < a->n; k++)
        buf_printf(out, " %s %s", k ? "+" : "=", show(text, exp(a->score[k] - a->max)));
}

static void describe_steps(const struct stage *stage, struct buf step[STEPS])
{
    const struct mask *m = state_of(stage);
    struct arithmetic a = arithmetic_of(stage);
    double score = a.score[m->key], weight = selected_row(m, m->weight)[m->key];
    char p[NUMBER_TEXT], q[NUMBER_TEXT], r[NUMBER_TEXT];

    buf_printf(&step[0], "s = %s", show(p, score));
    if (m->key >= a.n) {
        buf_puts(&step[1], _("masked: takes no part"));
        if (a.n == 0)
            buf_puts(&step[2], _("the row has no valid key"));
        else
            describe_sum(&a, &step[2]);
        buf_puts(&step[3], "\u03b1 = 0");
        return;
    }
    buf_printf(&step[1], "max s = %s", show(p, a.max));
    buf_printf(&step[2], "s \u2212 max = %s", show(p, score - a.max));
    buf_printf(&step[3], "exp(s \u2212 max) = %s", show(p, exp(score - a.max)));
    describe_sum(&a, &step[4]);
    buf_printf(&step[5], "\u03b1 = %s/%s = %s", show(p, exp(score - a.max)), show(q, a.sum), show(r, weight));
}

/* The steps, one a line, or several where lines are short of. The last one is the result. Returns the lines
 * used. */
static int draw_steps(struct area a, const struct buf step[STEPS])
{
    int n = 0, x = 0, y = 0;
    while (n < STEPS && step[n].at)
        n++;
    bool is_packed = a.rows < n;
    for (int i = 0; i < n; i++) {
        struct pen pen = look_pen(a.look, i == n - 1 ? ROLE_SELECT : ROLE_TEXT);
        pen.attr |= i == n - 1 ? ATTR_BOLD : 0;
        int cols = utf8_columns(step[i].at);
        if (i > 0 && !(is_packed && x + cols <= a.cols)) {
            x = 0;
            y++;
        }
        x += area_text_fit(a, x, y, a.cols - x, pen, step[i].at) + 3;
    }
    return y + 1;
}

enum { COLUMNS = 5, COLUMN_COLS = 8, KEY_COLS = 4, TABLE_COLS = KEY_COLS + 4 * COLUMN_COLS };

/* The same for all keys of the row, as a table with bars. */
static void draw_keys(const struct stage *stage, struct area a)
{
    const struct mask *m = state_of(stage);
    struct arithmetic sum = arithmetic_of(stage);
    const double *weight = selected_row(m, m->weight);
    const char *const heads[COLUMNS] = {_("key"), "s", "s \u2212 max", "exp", "\u03b1"};

    for (int c = 0; c < COLUMNS; c++)
        area_text(a, KEY_COLS + c * COLUMN_COLS - 1 - utf8_columns(heads[c]), 0, look_pen(a.look, ROLE_DIM),
                  heads[c]);
    size_t lines = a.rows > 1 ? (size_t)a.rows - 1 : 0, keys = m->lens.keys;
    size_t first = keys <= lines || m->key < lines / 2 ? 0 : m->key - lines / 2;
    first = keys > lines && first > keys - lines ? keys - lines : first;
    if (keys > lines)
        scroll_draw(area_part(area_cut_right(&a, 1), 0, 1, 1, (int)lines), keys, first, lines);
    for (size_t k = first; k < keys && k - first < lines; k++) {
        double s = sum.score[k], shifted = s - sum.max;
        bool counts = k < sum.n;
        const double numbers[COLUMNS] = {(double)k, s, shifted, counts ? exp(shifted) : 0, weight[k]};
        struct area line = area_part(a, 0, (int)(k - first) + 1, a.cols, 1);
        enum role role = k == m->key ? ROLE_SELECT : counts ? ROLE_TEXT : ROLE_DIM;
        for (int c = 0; c < COLUMNS; c++) {
            char text[NUMBER_TEXT];
            const char *shown =
                !counts && (c == 2 || c == 3) ? "\u2014" : show_in(text, numbers[c], COLUMN_COLS - 1);
            int cols = utf8_columns(shown);
            area_text(line, KEY_COLS + c * COLUMN_COLS - 1 - cols, 0, look_pen(a.look, role), shown);
        }
        int left = TABLE_COLS + 1;
        if (line.cols - left > 4 && weight[k] > 0)
            bar_draw(line, left, 0, line.cols - left, weight[k], look_pen(a.look, ROLE_ACCENT));
    }
}

static void cell_figure(const struct stage *stage, struct area corner)
{
    const struct mask *m = state_of(stage);
    char text[96];
    snprintf(text, sizeof text, _("item %zu, query %zu, key %zu"), m->item, m->query, m->key);
    if (utf8_columns(text) + 2 > corner.cols)
        snprintf(text, sizeof text, "%zu, q%zu, k%zu", m->item, m->query, m->key);
    figure_text(corner, text);
}

static void cell_draw(const struct stage *stage, struct area inside)
{
    struct buf step[STEPS] = {{0}};
    describe_steps(stage, step);
    int used = draw_steps(inside, step);
    for (int i = 0; i < STEPS; i++)
        buf_free(&step[i]);
    area_cut_top(&inside, used + 1);
    if (inside.rows >= 3 && inside.cols >= TABLE_COLS)
        draw_keys(stage, inside);
}

static const struct pane panes[] = {
    [PANE_SCORES] = {"scores", N_("scores"), shape_figure, scores_draw, move_cell,
                     N_("raw scores: a row a query, a column a key; the framed cell is the chosen one")},
    [PANE_MASKED] = {"masked", N_("masked scores"), shape_figure, masked_draw, move_cell,
                     N_("the scores with the keys beyond the valid length hatched: they are replaced before "
                        "the softmax")},
    [PANE_WEIGHTS] = {"weights", N_("attention weights"), shape_figure, weights_draw, move_cell,
                      N_("the softmax of each row: hatched = masked, weight 0; \u03a3 is the row's sum")},
    [PANE_LENS] = {"lens", "valid_lens", lens_pane_figure, lens_pane_draw, move_length,
                   N_("how many keys each row may attend to; + and - change the chosen one")},
    [PANE_CELL] = {"cell", N_("the cell"), cell_figure, cell_draw, move_cell,
                   N_("the chosen cell's weight, written out step by step")},
    [PANE_PARAMETERS] = {"parameters", N_("parameters"), NULL, panel_draw, move_cell, PANEL_HELP},
};

/* ---- layout */

static int columns_needed(const struct stage *stage, size_t pane, int cell_cols)
{
    struct matrix_view view = view_of(stage, pane, cell_cols >= labelled_from[pane], NULL);
    return matrix_view_columns(&view, cell_cols) + PANE_EDGES;
}

/* The widest cells with which the three matrices stand side by side in COLS columns; *TOTAL is what they
 * take. */
static int choose_cell_cols(const struct stage *stage, int cols, int *total)
{
    int cell_cols = CELL_COLS_MOST + 1;
    do {
        *total = 0;
        cell_cols--;
        for (size_t pane = 0; pane < MATRICES; pane++)
            *total += columns_needed(stage, pane, cell_cols);
    } while (*total > cols && cell_cols > 1);
    return cell_cols;
}

/* Lines for matrices of cells of CELL_COLS columns, so that LEAST of ROWS stay for what is below. */
static int matrix_lines(const struct stage *stage, int cell_cols, int rows, int least)
{
    struct matrix_view view = view_of(stage, PANE_SCORES, true, NULL);
    int gaps = (int)view.batch - 1, borders = 2;
    for (int cell_rows = matrix_view_tallest(cell_cols); cell_rows > 0; cell_rows--) {
        int lines = matrix_view_lines(&view, cell_rows) + borders;
        if (lines <= rows - least)
            return lines;
        if (cell_rows == 2 && lines - gaps <= rows - least)
            return lines - gaps;
    }
    return rows - least;
}

/* The three matrices above, with cells of the same size. What remains of *AREA is below them. */
static void place_matrices(const struct stage *stage, struct area *area, int least,
                           struct area out[PANES_MAX])
{
    int total, cell_cols = choose_cell_cols(stage, area->cols, &total);
    int spare = total < area->cols ? (area->cols - total) / MATRICES : 0;
    struct area row = area_cut_top(area, matrix_lines(stage, cell_cols, area->rows, least));
    for (size_t pane = 0; pane + 1 < MATRICES; pane++)
        out[pane] = area_cut_left(&row, columns_needed(stage, pane, cell_cols) + spare);
    out[MATRICES - 1] = row;
}

static void mask_layout(const struct stage *stage, struct area area, struct area out[PANES_MAX])
{
    enum { LARGE_ROWS = 30, LOWER_SMALL = 8, LOWER_LARGE = 14 };
    if (layout_room(area) == ROOM_SMALL) {
        layout_small(stage, area, PANE_PARAMETERS, PANE_WEIGHTS, out);
        return;
    }
    int least = area.rows < LARGE_ROWS ? LOWER_SMALL : LOWER_LARGE;
    place_matrices(stage, &area, least, out);
    out[PANE_PARAMETERS] = area_cut_right(&area, area.cols * 29 / 100);
    out[PANE_LENS] = area_cut_left(&area, area.cols * 48 / 100);
    out[PANE_CELL] = area;
}

/* ---- words */

/* "exp(0.39) / (exp(0.39) + exp(0.6)) = ", where the selected key takes part and that stays readable. */
static void put_numbers_in(const struct arithmetic *a, size_t key, struct buf *out)
{
    enum { TERMS_MOST = 4 };
    char text[NUMBER_TEXT];
    if (key >= a->n || a->n > TERMS_MOST)
        return;
    buf_printf(out, "exp(%s) / (", show(text, a->score[key]));
    for (size_t k = 0; k < a->n; k++)
        buf_printf(out, "%sexp(%s)", k ? " + " : "", show(text, a->score[k]));
    buf_puts(out, ") = ");
}

static void mask_formula(const struct stage *stage, struct area line)
{
    const char *const conditions[] = {
        [FILL_NONE] = _(" over the keys k < valid_len"),
        [FILL_LOW] = _(" with s = \u22121e6 from valid_len on"),
        [FILL_INFINITE] = _(" with s = \u2212\u221e from valid_len on"),
    };
    const char *const condition = conditions[fill_of(stage)];
    const struct mask *m = state_of(stage);
    struct arithmetic a = arithmetic_of(stage);
    struct pen select = look_pen_bold(line.look, ROLE_SELECT);
    struct buf numbers = {0};
    char left[64], right[NUMBER_TEXT];

    put_numbers_in(&a, m->key, &numbers);
    snprintf(left, sizeof left, "\u03b1(q%zu, k%zu) = ", m->query, m->key);
    const char *result = show(right, selected_row(m, m->weight)[m->key]);
    int least = utf8_columns(left) + utf8_columns(result);

    int x = area_text(line, 0, 0, look_pen(line.look, ROLE_TEXT), "\u03b1 = exp(s) / \u03a3 exp(s\u2096)");
    if (x + utf8_columns(condition) + 3 + least <= line.cols)
        x += area_text(line, x, 0, look_pen(line.look, ROLE_DIM), condition);
    x += 3;
    x += area_text(line, x, 0, select, left);
    if (numbers.at && x + utf8_columns(numbers.at) + utf8_columns(result) <= line.cols)
        x += area_text(line, x, 0, select, numbers.at);
    area_text_fit(line, x, 0, line.cols - x, select, result);
    buf_free(&numbers);
}

/* The first row without a valid key, or the number of rows. */
static size_t first_empty_row(const struct lens *lens)
{
    size_t row = 0;
    while (row < lens->batch * lens->queries && lens->at[row] > 0)
        row++;
    return row;
}

static void remark_empty(const struct stage *stage, size_t row, char *out, size_t size)
{
    const struct lens *lens = &state_of(stage)->lens;
    size_t item = row / lens->queries, query = row % lens->queries;
    char share[NUMBER_TEXT];
    number_show(share, 1 / (double)lens->keys, 4, 8);
    switch (fill_of(stage)) {
    case FILL_NONE:
        snprintf(out, size,
                 _("Item %zu, query %zu has no valid key: its weights are 0 (fill=-1e6: %s each)."), item,
                 query, share);
        break;
    case FILL_LOW:
        snprintf(out, size,
                 _("Item %zu, query %zu has no valid key: all scores are \u22121e6, masked keys get %s."),
                 item, query, share);
        break;
    case FILL_INFINITE:
        snprintf(out, size,
                 _("Item %zu, query %zu has no valid key: softmax of \u2212\u221e alone is 0/0, NaN."), item,
                 query);
        break;
    }
}

static enum role mask_remark(const struct stage *stage, char *out, size_t size)
{
    const struct mask *m = state_of(stage);
    size_t row = first_empty_row(&m->lens), here = m->item * m->lens.queries + m->query;
    if (m->refitted) {
        snprintf(out, size, "%s", _("valid_lens was changed to fit the new shape of the scores."));
        return ROLE_WARN;
    }
    if (lens_empty_rows(&m->lens) > 0) {
        remark_empty(stage, m->lens.at[here] == 0 ? here : row, out, size);
        return ROLE_WARN;
    }
    if (m->lens.form == LENS_NONE)
        snprintf(out, size, "%s", _("Without valid lengths nothing is masked: every key gets a share."));
    else if (m->key >= selected_len(m))
        snprintf(out, size, _("Key %zu is beyond the valid length %zu: whatever its score, its weight is 0."),
                 m->key, selected_len(m));
    else if (selected_len(m) == 1)
        snprintf(out, size, "%s", _("A single valid key gets all the weight, whatever its score."));
    else
        snprintf(out, size, "%s",
                 _("Keys beyond the valid length get weight 0; softmax shares it among the others."));
    return ROLE_DIM;
}

/* ---- the script */

static void mask_torch(const struct stage *stage, struct buf *out)
{
    static const enum torch_fill fill[] = {
        [FILL_NONE] = TORCH_FILL_NONE, [FILL_LOW] = TORCH_FILL_LOW, [FILL_INFINITE] = TORCH_FILL_INFINITE};
    const struct lens *lens = &state_of(stage)->lens;
    const size_t shape[] = {lens->batch, lens->queries, lens->keys};
    struct buf rand = {0};

    buf_puts(&rand, "torch.rand");
    torch_shape(shape, ALEN(shape), &rand);
    buf_putc(out, '\n');
    torch_masked_softmax(fill[fill_of(stage)], out);
    buf_puts(out, "\n\n");
    torch_seed(stage, out);
    for (size_t i = 0; i < integer_of(stage, P_DRAW); i++)
        buf_printf(out, "%s  # drawn before\n", rand.at);
    buf_printf(out, "scores = %s.double()\n", rand.at);
    torch_valid_lens(&stage->values[P_VALID_LENS], out);
    buf_puts(out, "attention_weights = masked_softmax(scores, valid_lens)\n\n"
                  "tables = {\n"
                  "    \"scores\": scores,\n"
                  "    \"masked\": masked_scores(scores, valid_lens),\n"
                  "    \"weights\": attention_weights,\n"
                  "}\n");
    buf_free(&rand);
}

const struct demo demo_mask = {
    .name = "mask",
    .title = N_("masked softmax"),
    .summary = N_("scores, valid lengths, and the weights of the valid keys"),
    .params = params,
    .n_params = ALEN(params),
    .panes = panes,
    .n_panes = ALEN(panes),
    .tables = mask_tables,
    .n_tables = ALEN(mask_tables),
    .open = mask_open,
    .copy = mask_copy,
    .restored = mask_restored,
    .discard = free,
    .apply = mask_apply,
    .select = mask_select,
    .nudge = mask_nudge,
    .adjust = mask_adjust,
    .layout = mask_layout,
    .formula = mask_formula,
    .remark = mask_remark,
    .torch = mask_torch,
};
