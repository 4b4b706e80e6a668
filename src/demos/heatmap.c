/* Heatmaps: rows and columns of attention matrices, one panel each, under one colour scale or each under its
 * own. */
#include "demos/demo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/lang.h"
#include "data/number.h"
#include "data/utf8.h"
#include "demos/matrix_view.h"
#include "draw/bars.h"
#include "draw/heatmap.h"
#include "engine/mem.h"
#include "engine/rng.h"
#include "engine/softmax.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* ---- parameters */

enum { P_SOURCE, P_NORMALISE, P_SCOPE, P_BATCH, P_HEAD, P_ROWS, P_COLUMNS, P_QUERIES, P_KEYS, P_SEED };

enum { SOURCE_RANDOM, SOURCE_IDENTITY };
enum { NORMALISE_NONE, NORMALISE_SOFTMAX };
enum { SCOPE_SHARED, SCOPE_OWN };

static const char *const sources[] = {[SOURCE_RANDOM] = "random", [SOURCE_IDENTITY] = "identity", NULL};
static const char *const normalisings[] = {[NORMALISE_NONE] = "none", [NORMALISE_SOFTMAX] = "softmax", NULL};
static const char *const scopes[] = {[SCOPE_SHARED] = "shared", [SCOPE_OWN] = "own", NULL};

enum { ROWS_MAX = 4, COLUMNS_MAX = 8, SIDE_MAX = 64 };

/* clang-format off */
static const struct param params[] = {
    [P_SOURCE] = {.name = "source", .label = N_("matrices"), .kind = PARAM_CHOICE, .choices = sources,
                  .initial = "random", .unit = "", .restarts = true,
                  .help = N_("random scores, or the identity: each query attends to the key of its own number")},
    [P_NORMALISE] = {.name = "normalise", .label = N_("each row"), .kind = PARAM_CHOICE, .choices = normalisings,
                     .initial = "", .unit = "",
                     .help = N_("softmax makes every row of scores a row of weights; random starts with it")},
    [P_SCOPE] = {.name = "scope", .label = N_("colour scale"), .kind = PARAM_CHOICE, .choices = scopes,
                 .initial = "shared", .unit = "",
                 .help = N_("one scale for all panels, or its own for each")},
    [P_BATCH] = {.name = "batch", .label = N_("batch item"), .kind = PARAM_INTEGER, .lo = 0, .hi = ROWS_MAX - 1,
                 .step = 1, .steps = STEPS_LINEAR, .initial = "0", .unit = "",
                 .help = N_("the row of panels that is read out")},
    [P_HEAD] = {.name = "head", .label = N_("head"), .kind = PARAM_INTEGER, .lo = 0, .hi = COLUMNS_MAX - 1,
                .step = 1, .steps = STEPS_LINEAR, .initial = "0", .unit = "",
                .help = N_("the column of panels that is read out")},
    [P_ROWS] = {.name = "rows", .label = N_("rows of panels"), .kind = PARAM_INTEGER, .lo = 1, .hi = ROWS_MAX,
                .step = 1, .steps = STEPS_LINEAR, .initial = "2", .unit = "", .restarts = true,
                .help = N_("batch items, one row of panels each")},
    [P_COLUMNS] = {.name = "columns", .label = N_("columns of panels"), .kind = PARAM_INTEGER, .lo = 1,
                   .hi = COLUMNS_MAX, .step = 1, .steps = STEPS_LINEAR, .initial = "2", .unit = "", .restarts = true,
                   .help = N_("heads, one column of panels each")},
    [P_QUERIES] = {.name = "queries", .label = N_("queries"), .kind = PARAM_INTEGER, .lo = 1, .hi = SIDE_MAX,
                   .step = 1, .steps = STEPS_LINEAR, .initial = "10", .unit = "", .restarts = true,
                   .help = N_("rows of every matrix")},
    [P_KEYS] = {.name = "keys", .label = N_("keys"), .kind = PARAM_INTEGER, .lo = 1, .hi = SIDE_MAX,
                .step = 1, .steps = STEPS_LINEAR, .initial = "10", .unit = "", .restarts = true,
                .help = N_("columns of every matrix")},
    [P_SEED] = {.name = "seed", .label = N_("seed"), .kind = PARAM_SEED, .step = 1, .steps = STEPS_LINEAR,
                .initial = "42", .unit = "", .restarts = true,
                .help = N_("draws the same numbers as torch.manual_seed(seed)")},
};
/* clang-format on */

/* ---- state */

/* What a source gives: (rows, columns, queries, keys), owned. */
struct tensor {
    size_t rows, columns, queries, keys;
    double *at;
};

struct range {
    double lo, hi;
};

struct panels {
    struct tensor shown; /* normalised as the parameters say */
    struct range *range; /* (rows, columns): each panel's colour scale, from 0 where nothing is negative */
    struct range all;    /* of all panels */
    size_t row, column;  /* the selected panel */
    size_t query, key;   /* the selected cell in it */
};

static struct panels *state_of(const struct stage *stage)
{
    return stage->state;
}

static size_t integer_of(const struct stage *stage, size_t index)
{
    return (size_t)stage->values[index].number;
}

static size_t panel_cells(const struct tensor *t)
{
    return t->queries * t->keys;
}

static size_t cells(const struct tensor *t)
{
    return t->rows * t->columns * panel_cells(t);
}

static const double *panel_at(const struct tensor *t, size_t row, size_t column)
{
    return t->at + (row * t->columns + column) * panel_cells(t);
}

static const double *selected_row(const struct panels *p)
{
    return panel_at(&p->shown, p->row, p->column) + p->query * p->shown.keys;
}

static void fill_random(const struct stage *stage, struct tensor *t)
{
    struct rng rng;
    float *drawn = mem_new(cells(t), sizeof *drawn);
    rng_seed(&rng, stage->values[P_SEED].seed, RNG_PATH_AVX2);
    rng_rand(&rng, drawn, cells(t));
    for (size_t i = 0; i < cells(t); i++)
        t->at[i] = (double)drawn[i];
    free(drawn);
}

static void fill_identity(const struct stage *stage, struct tensor *t)
{
    (void)stage;
    for (size_t i = 0; i < cells(t); i++)
        t->at[i] = i / t->keys % t->queries == i % t->keys;
}

/* The tensor that the parameters name, before normalising. */
static struct tensor make_tensor(const struct stage *stage)
{
    void (*const fill[])(const struct stage *stage, struct tensor *t) = {
        [SOURCE_RANDOM] = fill_random,
        [SOURCE_IDENTITY] = fill_identity,
    };
    struct tensor t = {
        .rows = integer_of(stage, P_ROWS),
        .columns = integer_of(stage, P_COLUMNS),
        .queries = integer_of(stage, P_QUERIES),
        .keys = integer_of(stage, P_KEYS),
    };
    t.at = mem_new(cells(&t), sizeof *t.at);
    fill[integer_of(stage, P_SOURCE)](stage, &t);
    return t;
}

static void normalise(struct tensor *t)
{
    for (size_t i = 0; i < cells(t); i += t->keys)
        softmax_row(t->at + i, t->keys, t->keys, t->at + i);
}

static void find_ranges(struct panels *p)
{
    size_t n = p->shown.rows * p->shown.columns;
    p->range = mem_grow(p->range, n, sizeof *p->range);
    p->all = (struct range){0, 0};
    for (size_t i = 0; i < n; i++) {
        p->range[i] = (struct range){0, 0};
        view_range(&p->range[i].lo, &p->range[i].hi, p->shown.at + i * panel_cells(&p->shown), NULL,
                   panel_cells(&p->shown));
        p->all.lo = fmin(p->all.lo, p->range[i].lo);
        p->all.hi = fmax(p->all.hi, p->range[i].hi);
    }
}

static size_t at_most(size_t v, size_t n)
{
    return v < n ? v : n - 1;
}

/* The panel that is read out is a parameter as well as a selection. */
static void show_selection(struct stage *stage)
{
    const struct panels *p = state_of(stage);
    stage->values[P_BATCH].number = (double)p->row;
    stage->values[P_HEAD].number = (double)p->column;
}

/* Makes everything anew from the parameters. Scores that are drawn become weights unless the user decides. */
static void renew(struct stage *stage)
{
    struct panels *p = state_of(stage);
    struct value *rows = &stage->values[P_NORMALISE];
    if (!rows->given)
        rows->number = integer_of(stage, P_SOURCE) == SOURCE_RANDOM ? NORMALISE_SOFTMAX : NORMALISE_NONE;
    free(p->shown.at);
    p->shown = make_tensor(stage);
    if (rows->number == NORMALISE_SOFTMAX)
        normalise(&p->shown);
    find_ranges(p);
    p->row = at_most(p->row, p->shown.rows);
    p->column = at_most(p->column, p->shown.columns);
    p->query = at_most(p->query, p->shown.queries);
    p->key = at_most(p->key, p->shown.keys);
    show_selection(stage);
}

static bool in_panels(const struct stage *stage, size_t param, size_t n, struct error *error)
{
    size_t i = integer_of(stage, param);
    if (i < n)
        return true;
    return error_set(error, STATUS_USAGE, _("%s: %zu is out of range; expected 0 to %zu"), params[param].name,
                     i, n - 1);
}

static void discard(void *state)
{
    struct panels *p = state;
    free(p->shown.at);
    free(p->range);
    free(p);
}

static bool heatmap_open(struct stage *stage, struct error *error)
{
    if (!in_panels(stage, P_BATCH, integer_of(stage, P_ROWS), error) ||
        !in_panels(stage, P_HEAD, integer_of(stage, P_COLUMNS), error))
        return false;
    struct panels *p = stage->state = mem_new(1, sizeof *p);
    p->row = integer_of(stage, P_BATCH);
    p->column = integer_of(stage, P_HEAD);
    renew(stage);
    return true;
}

static void heatmap_close(struct stage *stage)
{
    discard(stage->state);
    stage->state = NULL;
}

static void *heatmap_copy(const void *state)
{
    struct panels *p = mem_copy(state, 1, sizeof *p);
    p->shown.at = NULL;
    p->range = NULL;
    return p;
}

static bool heatmap_apply(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    struct panels *p = state_of(stage);
    (void)old;
    switch (changed) {
    case P_SCOPE:
        return true;
    case P_BATCH:
    case P_HEAD:
        if (!in_panels(stage, P_BATCH, p->shown.rows, error) ||
            !in_panels(stage, P_HEAD, p->shown.columns, error))
            return false;
        p->row = integer_of(stage, P_BATCH);
        p->column = integer_of(stage, P_HEAD);
        return true;
    default:
        renew(stage);
        return true;
    }
}

/* ---- selecting */

/* AT * N + WITHIN moved by BY within M * N: from the last cell of a panel to the first of the next. */
static void move_along(size_t *at, size_t *within, size_t m, size_t n, int by)
{
    long to = (long)(*at * n + *within) + by, last = (long)(m * n) - 1;
    to = to < 0 ? 0 : to > last ? last : to;
    *at = (size_t)to / n;
    *within = (size_t)to % n;
}

static void move_cell(struct stage *stage, int dx, int dy)
{
    struct panels *p = state_of(stage);
    move_along(&p->column, &p->key, p->shown.columns, p->shown.keys, dx);
    move_along(&p->row, &p->query, p->shown.rows, p->shown.queries, dy);
    show_selection(stage);
}

/* In the row's list keys lie downwards. */
static void move_key(struct stage *stage, int dx, int dy)
{
    struct panels *p = state_of(stage);
    size_t only = 0;
    move_along(&only, &p->key, 1, p->shown.keys, dx + dy);
}

static bool heatmap_select(struct stage *stage, long row, long column, struct error *error)
{
    struct panels *p = state_of(stage);
    size_t queries = p->shown.queries, n = p->shown.rows * p->shown.columns * queries;
    if (row >= (long)n || column >= (long)p->shown.keys)
        return error_set(error, STATUS_USAGE, _("select: there are rows 0 to %zu and keys 0 to %zu"), n - 1,
                         p->shown.keys - 1);
    p->query = (size_t)row % queries;
    p->row = (size_t)row / queries / p->shown.columns;
    p->column = (size_t)row / queries % p->shown.columns;
    if (column >= 0)
        p->key = (size_t)column;
    show_selection(stage);
    return true;
}

/* ---- tables */

static struct table table_weights(const struct stage *stage)
{
    const struct tensor *t = &state_of(stage)->shown;
    return table_from_matrix(t->at, t->rows * t->columns * t->queries, t->keys);
}

static const struct demo_table heatmap_tables[] = {
    {"weights", N_("all panels, one below the other: (rows columns queries) x keys"), table_weights},
};

/* ---- what a row says */

struct row_facts {
    double sum, entropy;
    bool is_weights; /* none negative, and the sum is 1 */
    size_t largest;
};

static struct row_facts facts_of(const double *row, size_t n)
{
    struct row_facts facts = {.is_weights = true};
    for (size_t k = 0; k < n; k++) {
        facts.sum += row[k];
        facts.is_weights = facts.is_weights && row[k] >= 0;
        if (row[k] > row[facts.largest])
            facts.largest = k;
    }
    facts.is_weights = facts.is_weights && fabs(facts.sum - 1) < 1e-6;
    facts.entropy = facts.is_weights ? softmax_entropy(row, n) : 0;
    return facts;
}

static const char *show(char out[NUMBER_TEXT], double v)
{
    return number_show(out, v, 4, 9);
}

/* ---- panes: the panels */

enum { PANE_PANELS, PANE_ROW, PANE_PARAMETERS };

static bool has_own_scale(const struct stage *stage)
{
    return integer_of(stage, P_SCOPE) == SCOPE_OWN;
}

static struct range range_of(const struct stage *stage, size_t row, size_t column)
{
    const struct panels *p = state_of(stage);
    return has_own_scale(stage) ? p->range[row * p->shown.columns + column] : p->all;
}

static void name_panel(const struct tensor *t, size_t row, size_t column, char *out, size_t size)
{
    if (t->rows > 1)
        snprintf(out, size, _("item %zu, head %zu"), row, column);
    else
        snprintf(out, size, _("head %zu"), column);
}

static void draw_title(const struct stage *stage, struct area line, size_t row, size_t column)
{
    const struct panels *p = state_of(stage);
    bool here = row == p->row && column == p->column;
    struct pen pen = look_pen(line.look, here ? ROLE_SELECT : ROLE_TEXT);
    char title[64];
    pen.attr |= here ? ATTR_BOLD : 0;
    name_panel(&p->shown, row, column, title, sizeof title);
    if (utf8_columns(title) > line.cols)
        snprintf(title, sizeof title, "%zu, %zu", row, column);
    area_text_fit(line, (line.cols - utf8_columns(title)) / 2, 0, line.cols, pen, title);
}

static struct heatmap map_of(const struct stage *stage, size_t row, size_t column)
{
    const struct panels *p = state_of(stage);
    bool here = row == p->row && column == p->column;
    struct range range = range_of(stage, row, column);
    return (struct heatmap){
        .value = panel_at(&p->shown, row, column),
        .n_q = p->shown.queries,
        .n_k = p->shown.keys,
        .lo = range.lo,
        .hi = range.hi,
        .scale = HEAT_LINEAR,
        .pooling = POOL_MAX,
        .selected_q = here ? p->query : HEATMAP_NONE,
        .selected_k = here ? p->key : HEATMAP_NONE,
        .color_bar = has_own_scale(stage),
    };
}

static void draw_panel(const struct stage *stage, struct area a, size_t row, size_t column)
{
    enum { LEAST_ROWS = 4 };
    struct heatmap h = map_of(stage, row, column);
    if (a.rows >= LEAST_ROWS)
        draw_title(stage, area_cut_top(&a, 1), row, column);
    cut_pooling_note(&a, &h);
    heatmap_draw(a, &h);
}

static void draw_shared_bar(const struct stage *stage, struct area *a)
{
    enum { GAP = 2, ABOVE = 1, BELOW = 1 };
    struct range all = state_of(stage)->all;
    struct area bar = area_cut_right(a, color_bar_columns(all.lo, all.hi, HEAT_LINEAR));
    area_cut_right(a, GAP);
    area_cut_top(&bar, ABOVE);
    area_cut_bottom(&bar, BELOW);
    color_bar(bar, all.lo, all.hi, HEAT_LINEAR);
}

static void panels_draw(const struct stage *stage, struct area inside)
{
    enum { GAP_COLS = 2, LEAST_COLS = 30, ROOMY = 8 };
    const struct panels *p = state_of(stage);
    int rows = (int)p->shown.rows, columns = (int)p->shown.columns;
    if (!has_own_scale(stage) && inside.cols >= LEAST_COLS)
        draw_shared_bar(stage, &inside);
    int gap_rows = (inside.rows - rows + 1) / rows >= ROOMY ? 1 : 0;
    int cols = (inside.cols - (columns - 1) * GAP_COLS) / columns;
    int lines = (inside.rows - (rows - 1) * gap_rows) / rows;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            draw_panel(stage,
                       area_part(inside, column * (cols + GAP_COLS), row * (lines + gap_rows), cols, lines),
                       (size_t)row, (size_t)column);
}

static void panels_figure(const struct stage *stage, struct area corner)
{
    const struct tensor *t = &state_of(stage)->shown;
    char text[128];
    snprintf(text, sizeof text, _("queries \u2193 keys \u2192   (%zu, %zu, %zu, %zu)"), t->rows, t->columns,
             t->queries, t->keys);
    if (utf8_columns(text) + 2 > corner.cols)
        snprintf(text, sizeof text, "(%zu, %zu, %zu, %zu)", t->rows, t->columns, t->queries, t->keys);
    figure_text(corner, text);
}

/* ---- panes: the selected row */

static void row_figure(const struct stage *stage, struct area corner)
{
    const struct panels *p = state_of(stage);
    char text[96], panel[64];
    name_panel(&p->shown, p->row, p->column, panel, sizeof panel);
    snprintf(text, sizeof text, "%s, q%zu, k%zu", panel, p->query, p->key);
    if (utf8_columns(text) + 2 > corner.cols)
        snprintf(text, sizeof text, "q%zu, k%zu", p->query, p->key);
    figure_text(corner, text);
}

enum { FACTS = 4 };

static void describe_row(const struct panels *p, struct buf fact[FACTS])
{
    const double *row = selected_row(p);
    size_t keys = p->shown.keys;
    struct row_facts facts = facts_of(row, keys);
    char a[NUMBER_TEXT], b[NUMBER_TEXT];
    buf_printf(&fact[0], _("q%zu, k%zu: %s"), p->query, p->key, show(a, row[p->key]));
    buf_printf(&fact[1], _("row sum %s"), show(a, facts.sum));
    if (facts.is_weights)
        buf_printf(&fact[2], _("entropy %s of %s nats"), number_show(a, facts.entropy, 3, 6),
                   number_show(b, log((double)keys), 3, 6));
    else
        buf_puts(&fact[2], _("entropy: not weights"));
    buf_printf(&fact[3], _("largest k%zu: %s"), facts.largest, show(a, row[facts.largest]));
}

/* The row's values key by key, with bars on the panel's scale; a window around the selected key. */
static void draw_keys(const struct stage *stage, struct area a)
{
    enum { KEY_COLS = 5, VALUE_COLS = 9 };
    const struct panels *p = state_of(stage);
    const double *row = selected_row(p);
    struct range range = range_of(stage, p->row, p->column);
    size_t keys = p->shown.keys, lines = a.rows > 0 ? (size_t)a.rows : 0;
    size_t first = keys <= lines || p->key < lines / 2 ? 0 : p->key - lines / 2;
    first = keys > lines && first > keys - lines ? keys - lines : first;
    size_t pitch = lines >= 2 * keys ? 2 : 1;
    for (size_t k = first; k < keys && k - first < lines; k++) {
        struct area line = area_part(a, 0, (int)((k - first) * pitch), a.cols, 1);
        struct pen pen = look_pen(a.look, k == p->key ? ROLE_SELECT : ROLE_TEXT);
        char value[NUMBER_TEXT];
        pen.attr |= k == p->key ? ATTR_BOLD : 0;
        if (k == p->key)
            area_put(line, 0, 0, pen, 0x25b8);
        area_textf(line, 1, 0, pen, "k%zu", k);
        show(value, row[k]);
        area_text(line, KEY_COLS + VALUE_COLS - 1 - utf8_columns(value), 0, pen, value);
        int left = KEY_COLS + VALUE_COLS;
        if (line.cols - left >= 4 && row[k] > 0)
            bar_draw(line, left, 0, line.cols - left, row[k] / range.hi, look_pen(a.look, ROLE_ACCENT));
    }
}

static void row_draw(const struct stage *stage, struct area inside)
{
    struct buf fact[FACTS] = {{0}};
    describe_row(state_of(stage), fact);
    for (int i = 0; i < FACTS; i++) {
        area_text_fit(inside, 0, i, inside.cols, look_pen(inside.look, i == 0 ? ROLE_SELECT : ROLE_TEXT),
                      fact[i].at);
        buf_free(&fact[i]);
    }
    area_cut_top(&inside, inside.rows > FACTS + 3 ? FACTS + 1 : FACTS);
    draw_keys(stage, inside);
}

static const struct pane panes[] = {
    [PANE_PANELS] = {"panels", N_("attention"), panels_figure, panels_draw, move_cell},
    [PANE_ROW] = {"row", N_("the row"), row_figure, row_draw, move_key},
    [PANE_PARAMETERS] = {"parameters", N_("parameters"), NULL, panel_draw, move_cell},
};

/* ---- layout */

static void heatmap_layout(const struct stage *stage, struct area area, struct area out[PANES_MAX])
{
    enum { LEAST_COLS = 72, LEAST_ROWS = 17, SIDE_LEAST = 30, PARAMETER_ROWS = 12 };
    if (area.cols < LEAST_COLS || area.rows < LEAST_ROWS) {
        size_t shown = stage->focus == PANE_PARAMETERS ? PANE_PANELS : stage->focus;
        if (area.rows >= 13)
            out[PANE_PARAMETERS] = area_cut_bottom(&area, area.rows / 3);
        out[shown] = area;
        return;
    }
    int wanted = area.cols * 30 / 100;
    struct area side = area_cut_right(&area, wanted < SIDE_LEAST ? SIDE_LEAST : wanted);
    int help = area.rows >= 30 ? 4 : 0, most = area.rows * 60 / 100;
    out[PANE_PARAMETERS] =
        area_cut_bottom(&side, PARAMETER_ROWS + help < most ? PARAMETER_ROWS + help : most);
    out[PANE_ROW] = side;
    out[PANE_PANELS] = area;
}

/* ---- words */

static void heatmap_formula(const struct stage *stage, struct area line)
{
    const struct panels *p = state_of(stage);
    const double *row = selected_row(p);
    struct row_facts facts = facts_of(row, p->shown.keys);
    struct pen select = look_pen(line.look, ROLE_SELECT);
    char a[NUMBER_TEXT], b[NUMBER_TEXT], text[160];
    select.attr |= ATTR_BOLD;
    int x = area_text(line, 0, 0, look_pen(line.look, ROLE_TEXT),
                      stage->values[P_NORMALISE].number == NORMALISE_SOFTMAX
                          ? "\u03b1 = exp(s) / \u03a3 exp(s\u2096)"
                          : _("\u03b1 as given")) +
            3;
    x +=
        area_textf(line, x, 0, select, "\u03b1(q%zu, k%zu) = %s", p->query, p->key, show(a, row[p->key])) + 3;
    if (facts.is_weights)
        snprintf(text, sizeof text, "\u03a3\u03b1 = %s   H = \u2212\u03a3 \u03b1 ln \u03b1 = %s",
                 show(a, facts.sum), show(b, facts.entropy));
    else
        snprintf(text, sizeof text, "\u03a3\u03b1 = %s", show(a, facts.sum));
    area_text_fit(line, x, 0, line.cols - x, look_pen(line.look, ROLE_TEXT), text);
}

static enum role heatmap_remark(const struct stage *stage, char *out, size_t size)
{
    const struct panels *p = state_of(stage);
    const double *row = selected_row(p);
    struct row_facts facts = facts_of(row, p->shown.keys);
    char a[NUMBER_TEXT], b[NUMBER_TEXT];
    if (has_own_scale(stage) && p->shown.rows * p->shown.columns > 1) {
        struct range range = range_of(stage, p->row, p->column);
        snprintf(out, size,
                 _("Every panel has its own scale (here %s to %s): equal colours are not equal weights."),
                 show(a, range.lo), show(b, range.hi));
        return ROLE_WARN;
    }
    if (facts.sum == 0 && row[facts.largest] == 0) {
        snprintf(out, size, _("Query %zu attends to nothing: its row is empty."), p->query);
        return ROLE_WARN;
    }
    if (!facts.is_weights) {
        snprintf(out, size, _("This row sums to %s: these are scores; normalise=softmax makes them weights."),
                 show(a, facts.sum));
        return ROLE_WARN;
    }
    if (row[facts.largest] > 0.999)
        snprintf(out, size, _("Query %zu attends to key %zu alone: the entropy of its row is %s."), p->query,
                 facts.largest, show(a, facts.entropy));
    else if (facts.entropy > 0.95 * log((double)p->shown.keys))
        snprintf(out, size, _("Query %zu attends to all keys nearly alike: its entropy is near ln %zu."),
                 p->query, p->shown.keys);
    else
        snprintf(out, size, _("Query %zu attends most to key %zu, with weight %s."), p->query, facts.largest,
                 show(a, row[facts.largest]));
    return ROLE_DIM;
}

const struct demo demo_heatmap = {
    .name = "heatmap",
    .title = N_("attention as pictures"),
    .summary = N_("rows and columns of attention matrices under one colour scale, or each under its own"),
    .params = params,
    .n_params = ALEN(params),
    .panes = panes,
    .n_panes = ALEN(panes),
    .tables = heatmap_tables,
    .n_tables = ALEN(heatmap_tables),
    .open = heatmap_open,
    .close = heatmap_close,
    .copy = heatmap_copy,
    .restored = renew,
    .discard = discard,
    .apply = heatmap_apply,
    .select = heatmap_select,
    .layout = heatmap_layout,
    .formula = heatmap_formula,
    .remark = heatmap_remark,
};
