/* Heatmaps: rows and columns of attention matrices, one panel each, under one colour scale or each under its
 * own; drawn matrices, or a user's own from a file. */
#include "demos/demo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/file.h"
#include "data/labels.h"
#include "data/lang.h"
#include "data/number.h"
#include "data/utf8.h"
#include "demos/common_params.h"
#include "demos/layout.h"
#include "demos/matrix_view.h"
#include "demos/panels.h"
#include "demos/tensors.h"
#include "demos/torch_script.h"
#include "demos/weights_file.h"
#include "draw/bars.h"
#include "draw/heatmap.h"
#include "engine/mem.h"
#include "engine/rng.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* ---- parameters */

enum {
    P_SOURCE,
    P_NORMALISE,
    P_SCOPE,
    P_SHADE,
    P_ZOOM,
    P_LAYER,
    P_BATCH,
    P_HEAD,
    P_HEADS,
    P_LABELS,
    P_ROWS,
    P_COLUMNS,
    P_QUERIES,
    P_KEYS,
    P_SEED,
};

enum { SOURCE_RANDOM, SOURCE_IDENTITY, SOURCE_FILE };
enum { NORMALISE_NONE, NORMALISE_SOFTMAX };
enum { SCOPE_SHARED, SCOPE_OWN };
enum { SHADE_LINEAR, SHADE_ROOT };
enum { HEADS_ONE, HEADS_ALL, HEADS_MEAN };

static const char *const sources[] = {
    [SOURCE_RANDOM] = "random", [SOURCE_IDENTITY] = "identity", [SOURCE_FILE] = "file", NULL};
static const char *const normalisings[] = {[NORMALISE_NONE] = "none", [NORMALISE_SOFTMAX] = "softmax", NULL};
static const char *const scopes[] = {[SCOPE_SHARED] = "shared", [SCOPE_OWN] = "own", NULL};
static const char *const shades[] = {[SHADE_LINEAR] = "linear", [SHADE_ROOT] = "root", NULL};
static const char *const heads_shown[] = {
    [HEADS_ONE] = "one", [HEADS_ALL] = "all", [HEADS_MEAN] = "mean", NULL};

enum {
    ROWS_MAX = 4,
    COLUMNS_MAX = 8,
    SIDE_MAX = 64,
    PANELS_MAX = 128,  /* heads side by side: more would be specks */
    INDEX_MAX = 99999, /* of a file's layers, items and heads; the file has the range */
    ZOOM_MAX = 1024,
};

/* clang-format off */
static const struct param params[] = {
    [P_SOURCE] = {.name = "source", .label = N_("matrices"), .kind = PARAM_CHOICE, .choices = sources,
                  .initial = "random", .unit = "", .of_file = true,
                  .help = N_("random scores, the identity, or your file")},
    [P_NORMALISE] = {.name = "normalise", .label = N_("each row"), .kind = PARAM_CHOICE, .choices = normalisings,
                     .initial = "", .unit = "",
                     .help = N_("softmax makes every row of scores a row of weights; random starts with it")},
    [P_SCOPE] = {.name = "scope", .label = N_("colour scale"), .kind = PARAM_CHOICE, .choices = scopes,
                 .initial = "shared", .unit = "",
                 .help = N_("one scale for all panels, or its own for each")},
    [P_SHADE] = {.name = "shade", .label = N_("shading"), .kind = PARAM_CHOICE, .choices = shades,
                 .initial = "linear", .unit = "",
                 .help = N_("root colours by the square root: small weights stay visible beside large ones")},
    [P_ZOOM] = {.name = "zoom", .label = N_("zoom"), .kind = PARAM_INTEGER, .lo = 1, .hi = ZOOM_MAX,
                .step = 1, .steps = STEPS_DOUBLE, .initial = "1", .unit = "", .of_file = true,
                .help = N_("shows one of so many parts of each axis, around the selected cell (keys + and -)")},
    [P_LAYER] = {.name = "layer", .label = N_("layer"), .kind = PARAM_INTEGER, .lo = 0, .hi = INDEX_MAX,
                 .step = 1, .steps = STEPS_LINEAR, .initial = "0", .unit = "", .of_file = true,
                 .help = N_("the layer of a file with five axes, from 0")},
    [P_BATCH] = {.name = "batch", .label = N_("batch item"), .kind = PARAM_INTEGER, .lo = 0, .hi = INDEX_MAX,
                 .usual_lo = 0, .usual_hi = ROWS_MAX - 1,
                 .step = 1, .steps = STEPS_LINEAR, .initial = "0", .unit = "", .of_file = true,
                 .help = N_("the batch item that is read out, from 0: a row of panels, or an item of the file")},
    [P_HEAD] = {.name = "head", .label = N_("head"), .kind = PARAM_INTEGER, .lo = 0, .hi = INDEX_MAX,
                .usual_lo = 0, .usual_hi = COLUMNS_MAX - 1,
                .step = 1, .steps = STEPS_LINEAR, .initial = "0", .unit = "", .of_file = true,
                .help = N_("the head that is read out, from 0: a column of panels, or a head of the file")},
    [P_HEADS] = {.name = "heads", .label = N_("heads shown"), .kind = PARAM_CHOICE, .choices = heads_shown,
                 .initial = "one", .unit = "", .of_file = true,
                 .help = N_("of a file: one head, all side by side, or the mean over all (after the softmax)")},
    [P_LABELS] = {.name = "labels", .label = N_("labels"), .kind = PARAM_TEXT, .initial = "", .unit = "",
                  .of_file = true,
                  .help = N_("a text file with a token a line, for the axes that are as long; empty: none")},
    [P_ROWS] = {.name = "rows", .label = N_("rows of panels"), .kind = PARAM_INTEGER, .lo = 1, .hi = ROWS_MAX,
                .step = 1, .steps = STEPS_LINEAR, .initial = "2", .unit = "",
                .help = N_("batch items, one row of panels each")},
    [P_COLUMNS] = {.name = "columns", .label = N_("columns of panels"), .kind = PARAM_INTEGER, .lo = 1,
                   .hi = COLUMNS_MAX, .step = 1, .steps = STEPS_LINEAR, .initial = "2", .unit = "",
                   .help = N_("heads, one column of panels each")},
    [P_QUERIES] = {.name = "queries", .label = N_("queries"), .kind = PARAM_INTEGER, .lo = 1, .hi = SIDE_MAX,
                   .step = 1, .steps = STEPS_LINEAR, .initial = "10", .unit = "",
                   .help = N_("rows of every matrix")},
    [P_KEYS] = {.name = "keys", .label = N_("keys"), .kind = PARAM_INTEGER, .lo = 1, .hi = SIDE_MAX,
                .step = 1, .steps = STEPS_LINEAR, .initial = "10", .unit = "",
                .help = N_("columns of every matrix")},
    [P_SEED] = SEED_PARAM,
};
/* clang-format on */

/* ---- state */

struct view {
    struct panels p;
    struct weights_file *file; /* shared by the stage's states; NULL without one */
    struct labels labels;      /* the user's */
};

static struct view *state_of(const struct stage *stage)
{
    return stage->state;
}

static const struct panels *panels_of(const struct stage *stage)
{
    return &state_of(stage)->p;
}

static size_t integer_of(const struct stage *stage, size_t index)
{
    return (size_t)stage->values[index].number;
}

static bool shows_file(const struct stage *stage)
{
    return integer_of(stage, P_SOURCE) == SOURCE_FILE;
}

/* ---- where the matrices come from */

static void fill_random(const struct stage *stage, struct panels *p)
{
    struct rng rng;
    size_t n = p->n * p->queries * p->keys;
    float *drawn = mem_new(n, sizeof *drawn);
    rng_seed(&rng, stage->values[P_SEED].seed, RNG_PATH_AVX2);
    rng_rand(&rng, drawn, n);
    for (size_t i = 0; i < n; i++)
        p->at[i] = (double)drawn[i];
    free(drawn);
}

static void fill_identity(struct panels *p)
{
    for (size_t i = 0; i < p->n * p->queries * p->keys; i++)
        p->at[i] = i / p->keys % p->queries == i % p->keys;
}

static bool out_of_memory(const struct stage *stage, struct error *error)
{
    return error_set(error, STATUS_FAILED, _("%s: not enough memory"), stage->source.name);
}

static bool is_softmax(const struct stage *stage)
{
    return integer_of(stage, P_NORMALISE) == NORMALISE_SOFTMAX;
}

static bool draw_panels(const struct stage *stage, struct panels *p, struct error *error)
{
    size_t rows = integer_of(stage, P_ROWS), columns = integer_of(stage, P_COLUMNS);
    if (!panels_resize(p, rows * columns, columns, integer_of(stage, P_QUERIES), integer_of(stage, P_KEYS)))
        return out_of_memory(stage, error);
    if (integer_of(stage, P_SOURCE) == SOURCE_RANDOM)
        fill_random(stage, p);
    else
        fill_identity(p);
    if (is_softmax(stage))
        rows_softmax(p->at, p->n * p->queries * p->keys, p->keys);
    return true;
}

/* One head of the chosen layer and item, normalised as the parameters say. */
static void read_head(const struct stage *stage, size_t head, double *out)
{
    const struct weights_file *file = state_of(stage)->file;
    weights_file_read(file, integer_of(stage, P_LAYER), integer_of(stage, P_BATCH), head, out);
    if (is_softmax(stage))
        rows_softmax(out, file->queries * file->keys, file->keys);
}

/* The mean over the heads, of weights where scores become weights. */
static bool read_mean(const struct stage *stage, struct panels *p, struct error *error)
{
    size_t cells = p->queries * p->keys, heads = state_of(stage)->file->heads;
    double *one = mem_try(cells, sizeof *one);
    if (!one)
        return out_of_memory(stage, error);
    for (size_t head = 0; head < heads; head++) {
        read_head(stage, head, one);
        for (size_t i = 0; i < cells; i++)
            p->at[i] += one[i] / (double)heads;
    }
    free(one);
    return true;
}

static bool read_panels(const struct stage *stage, struct panels *p, struct error *error)
{
    const struct weights_file *file = state_of(stage)->file;
    bool is_all = integer_of(stage, P_HEADS) == HEADS_ALL;
    size_t n = is_all ? file->heads : 1;
    if (n > PANELS_MAX)
        return error_set(error, STATUS_USAGE,
                         _("heads=all: there are %zu, expected at most %d: choose one or mean"), n,
                         PANELS_MAX);
    if (!panels_resize(p, n, (size_t)ceil(sqrt((double)n)), file->queries, file->keys))
        return out_of_memory(stage, error);
    if (integer_of(stage, P_HEADS) == HEADS_MEAN)
        return read_mean(stage, p, error);
    for (size_t i = 0; i < n; i++)
        read_head(stage, is_all ? i : integer_of(stage, P_HEAD), p->at + i * file->queries * file->keys);
    return true;
}

/* ---- the panel that is read out is a parameter as well as a selection */

static bool has_head_panels(const struct stage *stage)
{
    return shows_file(stage) && integer_of(stage, P_HEADS) == HEADS_ALL;
}

static void show_selection(struct stage *stage)
{
    const struct panels *p = panels_of(stage);
    size_t row = p->panel / p->columns, column = p->panel % p->columns;
    if (!shows_file(stage))
        stage->values[P_BATCH].number = (double)row;
    if (!shows_file(stage))
        stage->values[P_HEAD].number = (double)column;
    if (has_head_panels(stage))
        stage->values[P_HEAD].number = (double)p->panel;
}

static void take_selection(struct stage *stage)
{
    struct panels *p = &state_of(stage)->p;
    if (!shows_file(stage))
        p->panel = integer_of(stage, P_BATCH) * p->columns + integer_of(stage, P_HEAD);
    else
        p->panel = has_head_panels(stage) ? integer_of(stage, P_HEAD) : 0;
}

/* How the axes of an array are read, by its rank. */
static const char *axes_of(size_t rank)
{
    static const char *const axes[] = {
        [1] = N_("key"),
        [2] = N_("query, key"),
        [3] = N_("head, query, key"),
        [4] = N_("batch, head, query, key"),
        [5] = N_("layer, batch, head, query, key"),
    };
    return rank < ALEN(axes) && axes[rank] ? _(axes[rank]) : "";
}

/* The parameter that chooses along the first of a file's axes; P_SOURCE: there is none. */
static size_t leading_param(size_t rank)
{
    return rank >= 5 ? P_LAYER : rank == 4 ? P_BATCH : rank == 3 ? P_HEAD : P_SOURCE;
}

enum { SHAPE_TEXT = 24 * NPY_RANK_MAX };

/* "its shape (3, 4, 5) is read as head, query, key" */
static const char *shape_words(const struct weights_file *file, char out[SHAPE_TEXT + 64])
{
    const size_t shape[NPY_RANK_MAX] = {file->layers, file->items, file->heads, file->queries, file->keys};
    char text[SHAPE_TEXT] = "";
    size_t n = 0;
    for (size_t i = NPY_RANK_MAX - file->rank; i < NPY_RANK_MAX; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, n ? ", %zu" : "%zu", shape[i]);
    snprintf(out, SHAPE_TEXT + 64, _("its shape (%s) is read as %s"), text, axes_of(file->rank));
    return out;
}

/* Index I of parameter PARAM is not in a file that has N along its axis: says why, and what may be meant. */
static bool refuse_index(const struct weights_file *file, size_t param, size_t i, size_t n,
                         struct error *error)
{
    static const size_t least_rank[] = {[P_LAYER] = 5, [P_BATCH] = 4, [P_HEAD] = 3};
    size_t leading = leading_param(file->rank), n_leading = leading == P_BATCH ? file->items : file->heads;
    const char *name = params[param].name;
    char shape[SHAPE_TEXT + 64];
    shape_words(file, shape);
    if (file->rank >= least_rank[param])
        return error_set(error, STATUS_USAGE, _("%s=%zu: expected 0 to %zu; the file has no more, %s"), name,
                         i, n - 1, shape);
    if (leading != P_SOURCE && i < n_leading)
        return error_set(error, STATUS_USAGE, _("%s=%zu: the file has no axis for it, %s; use %s=%zu"), name,
                         i, shape, params[leading].name, i);
    return error_set(error, STATUS_USAGE, _("%s=%zu: the file has no axis for it, %s"), name, i, shape);
}

static bool in_range(const struct stage *stage, size_t param, size_t n, struct error *error)
{
    size_t i = integer_of(stage, param);
    if (i < n)
        return true;
    if (shows_file(stage))
        return refuse_index(state_of(stage)->file, param, i, n, error);
    if (param == P_LAYER)
        return error_set(error, STATUS_USAGE, _("layer=%zu: only a file of five axes has layers"), i);
    return error_set(error, STATUS_USAGE, _("%s: %zu is out of range; expected 0 to %zu"), params[param].name,
                     i, n - 1);
}

/* Whether layer, batch and head name a matrix that is there. */
static bool check_indices(const struct stage *stage, struct error *error)
{
    const struct weights_file *file = state_of(stage)->file;
    bool is_file = shows_file(stage);
    return in_range(stage, P_LAYER, is_file ? file->layers : 1, error) &&
           in_range(stage, P_BATCH, is_file ? file->items : integer_of(stage, P_ROWS), error) &&
           in_range(stage, P_HEAD, is_file ? file->heads : integer_of(stage, P_COLUMNS), error);
}

/* Makes everything anew from the parameters. Scores that are drawn become weights unless the user decides. On
 * failure all is as before. */
static bool renew(struct stage *stage, struct error *error)
{
    struct view *view = state_of(stage);
    struct panels next = view->p;
    struct value *rows = &stage->values[P_NORMALISE], old = *rows;
    next.at = NULL;
    next.range = NULL;
    if (!rows->given)
        rows->number = integer_of(stage, P_SOURCE) == SOURCE_RANDOM ? NORMALISE_SOFTMAX : NORMALISE_NONE;
    if (!(shows_file(stage) ? read_panels : draw_panels)(stage, &next, error)) {
        panels_free(&next);
        *rows = old;
        return false;
    }
    panels_free(&view->p);
    view->p = next;
    panels_refresh(&view->p);
    return true;
}

/* ---- labels */

static bool read_labels(struct stage *stage, struct error *error)
{
    struct view *view = state_of(stage);
    const char *path = stage->values[P_LABELS].text;
    struct labels labels = {0};
    struct buf bytes = {0};
    if (strcmp(path, "-") == 0)
        return error_set(error, STATUS_USAGE, _("labels: expected the name of a file"));
    bool is_read = !*path || (file_read_watched(path, stage->source.progress, &bytes, error) &&
                              labels_parse(path, bytes.at ? bytes.at : "", bytes.len, &labels, error));
    buf_free(&bytes);
    if (is_read && *path && labels.n != view->p.keys && labels.n != view->p.queries)
        is_read = error_set(error, STATUS_FAILED,
                            _("%s: %zu labels, expected %zu for the queries or %zu for the keys"), path,
                            labels.n, view->p.queries, view->p.keys);
    if (!is_read) {
        labels_free(&labels);
        return false;
    }
    labels_free(&view->labels);
    view->labels = labels;
    return true;
}

/* The label of query (key) I, "" for none: the user's where they are as many, else the file's own. */
static const char *query_label(const struct stage *stage, size_t i)
{
    const struct view *view = state_of(stage);
    if (view->labels.n == view->p.queries)
        return labels_at(&view->labels, i);
    return shows_file(stage) ? labels_at(&view->file->csv.row_label, i) : "";
}

static const char *key_label(const struct stage *stage, size_t i)
{
    const struct view *view = state_of(stage);
    if (view->labels.n == view->p.keys)
        return labels_at(&view->labels, i);
    return shows_file(stage) ? labels_at(&view->file->csv.col_label, i) : "";
}

/* ---- the demo's life */

static void discard(void *state)
{
    struct view *view = state;
    panels_free(&view->p);
    weights_file_release(view->file);
    labels_free(&view->labels);
    free(view);
}

/* Opens the stage's file, if there is one, and shows it unless the user asks for something else. */
static bool open_file(struct stage *stage, struct error *error)
{
    struct value *source = &stage->values[P_SOURCE];
    if (!stage->source.name[0])
        return !shows_file(stage) ||
               error_set(error, STATUS_USAGE,
                         _("source=file: there is no file; give one after the demo's name, or load one"));
    if (!source->given)
        source->number = SOURCE_FILE;
    state_of(stage)->file = weights_file_open(&stage->source, error);
    return state_of(stage)->file != NULL;
}

static bool open_view(struct stage *stage, struct error *error)
{
    if (!open_file(stage, error) || !check_indices(stage, error) || !renew(stage, error) ||
        !read_labels(stage, error))
        return false;
    take_selection(stage);
    panels_zoom(&state_of(stage)->p, integer_of(stage, P_ZOOM));
    return true;
}

static bool heatmap_open(struct stage *stage, struct error *error)
{
    struct view *view = stage->state = mem_new(1, sizeof *view);
    view->p.zoom = 1;
    return open_view(stage, error);
}

static void *heatmap_copy(const void *state)
{
    const struct view *view = state;
    struct view *copy = mem_copy(view, 1, sizeof *copy);
    copy->p.at = NULL;
    copy->p.range = NULL;
    copy->file = weights_file_share(view->file);
    copy->labels = labels_copy(&view->labels);
    return copy;
}

/* There was memory for this when it was on stage before. */
static void heatmap_restored(struct stage *stage)
{
    if (!renew(stage, NULL))
        abort();
    show_selection(stage);
}

/* Whether the parameter CHANGED has a meaning for what is shown. */
static bool check_meaning(const struct stage *stage, size_t changed, struct error *error)
{
    bool is_drawn = changed >= P_ROWS, is_files = changed == P_LAYER || changed == P_HEADS;
    if (shows_file(stage) && is_drawn)
        return error_set(error, STATUS_USAGE, _("%s belongs to drawn matrices; these come from a file"),
                         params[changed].name);
    if (!shows_file(stage) && is_files)
        return error_set(error, STATUS_USAGE, _("%s belongs to a file's matrices; these are drawn"),
                         params[changed].name);
    return true;
}

static bool heatmap_is_idle(const struct stage *stage, size_t param)
{
    const struct weights_file *file = state_of(stage)->file;
    bool is_file = shows_file(stage);
    switch (param) {
    case P_LAYER:
        return !is_file || file->rank < 5;
    case P_BATCH:
        return is_file && file->rank < 4;
    case P_HEAD:
        return is_file && (file->rank < 3 || integer_of(stage, P_HEADS) == HEADS_MEAN);
    case P_HEADS:
        return !is_file || file->rank < 3;
    default:
        return is_file && param >= P_ROWS;
    }
}

/* Another source has other layers, items and heads: the first ones are shown. */
static bool change_source(struct stage *stage, struct error *error)
{
    static const size_t indices[] = {P_LAYER, P_BATCH, P_HEAD};
    struct value old[ALEN(indices)];
    if (shows_file(stage) && !state_of(stage)->file)
        return open_file(stage, error);
    for (size_t i = 0; i < ALEN(indices); i++) {
        old[i] = stage->values[indices[i]];
        stage->values[indices[i]].number = 0;
    }
    if (renew(stage, error)) {
        take_selection(stage);
        return true;
    }
    for (size_t i = 0; i < ALEN(indices); i++)
        stage->values[indices[i]] = old[i];
    return false;
}

static bool change_index(struct stage *stage, size_t changed, struct error *error)
{
    if (!check_indices(stage, error))
        return false;
    bool is_shown = !shows_file(stage) || (changed == P_HEAD && has_head_panels(stage));
    if (!is_shown && !renew(stage, error))
        return false;
    take_selection(stage);
    return true;
}

/* The selection stays where it is, as far as that is still there. */
static bool change_panels(struct stage *stage, struct error *error)
{
    struct panels *p = &state_of(stage)->p;
    size_t row = p->panel / p->columns, column = p->panel % p->columns;
    if (!renew(stage, error))
        return false;
    if (!shows_file(stage))
        p->panel =
            index_at_most(row, p->n / p->columns - 1) * p->columns + index_at_most(column, p->columns - 1);
    else
        take_selection(stage);
    show_selection(stage);
    return true;
}

static bool heatmap_apply(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    (void)old;
    if (!check_meaning(stage, changed, error))
        return false;
    switch (changed) {
    case P_SCOPE:
    case P_SHADE:
        return true;
    case P_ZOOM:
        panels_zoom(&state_of(stage)->p, integer_of(stage, P_ZOOM));
        return true;
    case P_LABELS:
        return read_labels(stage, error);
    case P_SOURCE:
        return change_source(stage, error);
    case P_LAYER:
    case P_BATCH:
    case P_HEAD:
        return change_index(stage, changed, error);
    default:
        return change_panels(stage, error);
    }
}

/* ---- selecting */

static void move_cell(struct stage *stage, int dx, int dy)
{
    panels_move(&state_of(stage)->p, dx, dy);
    show_selection(stage);
}

/* In the row's list keys lie downwards. */
static void move_key(struct stage *stage, int dx, int dy)
{
    struct panels *p = &state_of(stage)->p;
    p->key = index_moved(p->key, dx + dy, p->keys);
    panels_follow(p);
}

static bool heatmap_select(struct stage *stage, long row, long column, struct error *error)
{
    struct panels *p = &state_of(stage)->p;
    size_t n = p->n * p->queries;
    if (row >= (long)n || column >= (long)p->keys)
        return error_set(error, STATUS_USAGE, _("select: there are rows 0 to %zu and keys 0 to %zu"), n - 1,
                         p->keys - 1);
    p->query = (size_t)row % p->queries;
    p->panel = (size_t)row / p->queries;
    if (column >= 0)
        p->key = (size_t)column;
    panels_follow(p);
    show_selection(stage);
    return true;
}

static bool heatmap_nudge(struct stage *stage, int steps, struct error *error)
{
    (void)error;
    param_adjust(&params[P_ZOOM], &stage->values[P_ZOOM], steps);
    panels_zoom(&state_of(stage)->p, integer_of(stage, P_ZOOM));
    return true;
}

/* ---- in words */

/* A file's numbers are rounded: to half precision, or to two decimals by hand. */
static struct row_facts facts_of(const struct stage *stage, const double *row)
{
    return row_facts(row, panels_of(stage)->keys, shows_file(stage) && !is_softmax(stage) ? 0.01 : 1e-6);
}

static const char *show(char out[NUMBER_TEXT], double v)
{
    if (isfinite(v))
        return number_show(out, v, 4, 9);
    return isnan(v) ? "NaN" : v > 0 ? "+inf" : "-inf";
}

static void name_file_panel(const struct stage *stage, size_t panel, char *out, size_t size)
{
    const struct weights_file *file = state_of(stage)->file;
    const char *slash = strrchr(stage->source.name, '/');
    struct buf name = {0};
    if (file->rank >= 5)
        buf_printf(&name, _("layer %zu, "), integer_of(stage, P_LAYER));
    if (file->rank >= 4)
        buf_printf(&name, _("item %zu, "), integer_of(stage, P_BATCH));
    if (file->rank < 3)
        buf_puts(&name, slash ? slash + 1 : stage->source.name);
    else if (integer_of(stage, P_HEADS) == HEADS_MEAN)
        buf_printf(&name, _("mean of %zu heads"), file->heads);
    else
        buf_printf(&name, _("head %zu"), has_head_panels(stage) ? panel : integer_of(stage, P_HEAD));
    utf8_clean(out, size, name.at);
    buf_free(&name);
}

static void name_panel(const struct stage *stage, size_t panel, char *out, size_t size)
{
    const struct panels *p = panels_of(stage);
    if (shows_file(stage))
        name_file_panel(stage, panel, out, size);
    else if (p->n > p->columns)
        snprintf(out, size, _("item %zu, head %zu"), panel / p->columns, panel % p->columns);
    else
        snprintf(out, size, _("head %zu"), panel);
}

/* "q3" or "q3 cat". */
static void name_index(const char *label, char axis, size_t i, char *out, size_t size)
{
    snprintf(out, size, *label ? "%c%zu %s" : "%c%zu", axis, i, label);
}

struct cell_name {
    char query[LABEL_MAX + 24], key[LABEL_MAX + 24];
};

static struct cell_name name_cell(const struct stage *stage)
{
    const struct panels *p = panels_of(stage);
    struct cell_name name = {{0}, {0}};
    name_index(query_label(stage, p->query), 'q', p->query, name.query, sizeof name.query);
    name_index(key_label(stage, p->key), 'k', p->key, name.key, sizeof name.key);
    return name;
}

/* ---- tables */

static struct table table_weights(const struct stage *stage)
{
    const struct panels *p = panels_of(stage);
    return table_from_matrix(p->at, p->n * p->queries, p->keys);
}

static struct table table_rows(const struct stage *stage)
{
    const struct panels *p = panels_of(stage);
    struct table table = table_new(p->n * p->queries);
    size_t panel = table_add_texts(&table, "panel"), label = table_add_texts(&table, "label");
    double *query = table_add_numbers(&table, "query"), *sum = table_add_numbers(&table, "sum");
    double *entropy = table_add_numbers(&table, "entropy"), *key = table_add_numbers(&table, "largest_key");
    double *largest = table_add_numbers(&table, "largest"), *n_nan = table_add_numbers(&table, "missing");
    for (size_t i = 0; i < table.n_rows; i++) {
        const double *row = p->at + i * p->keys;
        struct row_facts facts = facts_of(stage, row);
        char name[128];
        name_panel(stage, i / p->queries, name, sizeof name);
        table_set_text(&table, panel, i, name);
        table_set_text(&table, label, i, query_label(stage, i % p->queries));
        query[i] = (double)(i % p->queries);
        sum[i] = facts.n_infinite > 0 ? (double)NAN : facts.sum;
        entropy[i] = facts.is_weights ? facts.entropy : (double)NAN;
        key[i] = facts.is_empty || isnan(row[facts.largest]) ? (double)NAN : (double)facts.largest;
        largest[i] = row[facts.largest];
        n_nan[i] = (double)facts.n_nan;
    }
    return table;
}

static void heatmap_describe_file(const struct stage *stage, struct buf *out)
{
    const struct weights_file *file = state_of(stage)->file;
    char text[160];
    buf_puts(out, weights_file_text(file, text, sizeof text));
    if (file->is_npy)
        buf_printf(out, _("; axes: %s"), axes_of(file->rank));
}

static const struct demo_table heatmap_tables[] = {
    {"weights", N_("all panels, one below the other: (panels queries) x keys"), table_weights},
    {"rows", N_("every row's sum, entropy and largest key"), table_rows},
};

/* ---- panes: the panels */

enum { PANE_PANELS, PANE_ROW, PANE_PARAMETERS };

static bool has_own_scale(const struct stage *stage)
{
    return integer_of(stage, P_SCOPE) == SCOPE_OWN;
}

static enum heat_scale scale_of(const struct stage *stage)
{
    return integer_of(stage, P_SHADE) == SHADE_ROOT ? HEAT_ROOT : HEAT_LINEAR;
}

static struct range range_of(const struct stage *stage, size_t panel)
{
    const struct panels *p = panels_of(stage);
    return has_own_scale(stage) ? p->range[panel] : p->all;
}

static void draw_title(const struct stage *stage, struct area line, size_t panel)
{
    const struct panels *p = panels_of(stage);
    bool here = panel == p->panel;
    struct pen pen = look_pen(line.look, here ? ROLE_SELECT : ROLE_TEXT);
    char title[128];
    pen.attr |= here ? ATTR_BOLD : 0;
    name_panel(stage, panel, title, sizeof title);
    if (utf8_columns(title) > line.cols && has_head_panels(stage))
        snprintf(title, sizeof title, _("head %zu"), panel);
    if (utf8_columns(title) > line.cols && has_head_panels(stage))
        snprintf(title, sizeof title, "%zu", panel);
    if (utf8_columns(title) > line.cols && p->n > 1 && !shows_file(stage))
        snprintf(title, sizeof title, "%zu, %zu", panel / p->columns, panel % p->columns);
    int left = (line.cols - utf8_columns(title)) / 2;
    area_text_fit(line, left > 0 ? left : 0, 0, line.cols, pen, title);
}

/* The labels of the window's rows and columns. */
static void label_query(const void *context, size_t i, char *out, size_t size)
{
    const struct stage *stage = context;
    size_t query = panels_of(stage)->first_query + i;
    const char *label = query_label(stage, query);
    snprintf(out, size, "%zu", query);
    if (*label)
        utf8_clean(out, size, label);
}

static void label_key(const void *context, size_t i, char *out, size_t size)
{
    const struct stage *stage = context;
    size_t key = panels_of(stage)->first_key + i;
    const char *label = key_label(stage, key);
    snprintf(out, size, "%zu", key);
    if (*label)
        utf8_clean(out, size, label);
}

static bool is_empty_row(const double *row, size_t n)
{
    size_t k = 0;
    while (k < n && row[k] == 0)
        k++;
    return k == n;
}

/* The part of a panel in the window, and what of it belongs to rows without any valid key. */
struct cut {
    size_t queries, keys;
    double *owned;        /* NULL: the whole panel */
    unsigned char *empty; /* NULL: no such row */
};

static struct cut cut_window(const struct panels *p, size_t panel)
{
    const double *at = panel_values(p, panel);
    struct cut cut = {.queries = panels_shown_queries(p), .keys = panels_shown_keys(p)};
    if (cut.queries < p->queries || cut.keys < p->keys)
        cut.owned = mem_new(cut.queries * cut.keys, sizeof *cut.owned);
    for (size_t q = 0; q < cut.queries; q++) {
        const double *row = at + (p->first_query + q) * p->keys;
        if (cut.owned)
            memcpy(cut.owned + q * cut.keys, row + p->first_key, cut.keys * sizeof *row);
        if (!is_empty_row(row, p->keys))
            continue;
        if (!cut.empty)
            cut.empty = mem_new(cut.queries * cut.keys, 1);
        memset(cut.empty + q * cut.keys, 1, cut.keys);
    }
    return cut;
}

static void draw_panel(const struct stage *stage, struct area a, size_t panel)
{
    enum { LEAST_ROWS = 4 };
    const struct panels *p = panels_of(stage);
    struct range range = range_of(stage, panel);
    bool here = panel == p->panel;
    struct cut cut = cut_window(p, panel);
    struct heatmap h = {
        .value = cut.owned ? cut.owned : panel_values(p, panel),
        .masked = cut.empty,
        .n_q = cut.queries,
        .n_k = cut.keys,
        .lo = range.lo,
        .hi = range.hi,
        .scale = scale_of(stage),
        .pooling = POOL_MAX,
        .q_label = label_query,
        .k_label = label_key,
        .label_context = stage,
        .selected_q = here ? p->query - p->first_query : HEATMAP_NONE,
        .selected_k = here ? p->key - p->first_key : HEATMAP_NONE,
        .color_bar = has_own_scale(stage),
    };
    if (a.rows >= LEAST_ROWS)
        draw_title(stage, area_cut_top(&a, 1), panel);
    cut_pooling_note(&a, &h);
    heatmap_draw(a, &h);
    free(cut.owned);
    free(cut.empty);
}

static void draw_shared_bar(const struct stage *stage, struct area *a)
{
    enum { GAP = 2, ABOVE = 1, BELOW = 1 };
    struct range all = panels_of(stage)->all;
    struct area bar = area_cut_right(a, color_bar_columns(all.lo, all.hi, scale_of(stage)));
    area_cut_right(a, GAP);
    area_cut_top(&bar, ABOVE);
    area_cut_bottom(&bar, BELOW);
    color_bar(bar, all.lo, all.hi, scale_of(stage));
}

static void panels_draw(const struct stage *stage, struct area inside)
{
    enum { GAP_COLS = 2, LEAST_COLS = 30, ROOMY = 8 };
    const struct panels *p = panels_of(stage);
    int columns = (int)p->columns, rows = (int)((p->n + p->columns - 1) / p->columns);
    if (!has_own_scale(stage) && inside.cols >= LEAST_COLS)
        draw_shared_bar(stage, &inside);
    int gap_rows = (inside.rows - rows + 1) / rows >= ROOMY ? 1 : 0;
    int cols = (inside.cols - (columns - 1) * GAP_COLS) / columns;
    int lines = (inside.rows - (rows - 1) * gap_rows) / rows;
    for (size_t i = 0; i < p->n; i++) {
        int x = (int)i % columns * (cols + GAP_COLS), y = (int)i / columns * (lines + gap_rows);
        draw_panel(stage, area_part(inside, x, y, cols, lines), i);
    }
}

/* What is shown, in words that get shorter until they fit. */
enum { FIGURES = 4 };

static void describe_drawn(const struct stage *stage, struct buf figure[FIGURES])
{
    const struct panels *p = panels_of(stage);
    buf_printf(&figure[1], "(%zu, %zu, %zu, %zu)", p->n / p->columns, p->columns, p->queries, p->keys);
    buf_printf(&figure[0], "%s   %s", _("queries \u2193 keys \u2192"), figure[1].at);
}

static void describe_file(const struct stage *stage, struct buf figure[FIGURES])
{
    const struct weights_file *file = state_of(stage)->file;
    const char *slash = strrchr(stage->source.name, '/'), *name = slash ? slash + 1 : stage->source.name;
    char text[160];
    weights_file_text(file, text, sizeof text);
    buf_printf(&figure[0], "%s   %s: %s", _("queries \u2193 keys \u2192"), name, text);
    buf_printf(&figure[1], "%s: %s", name, text);
    buf_puts(&figure[2], text);
    buf_printf(&figure[3], "(%zu, %zu)", file->queries, file->keys);
}

static void describe_window(const struct panels *p, struct buf figure[FIGURES])
{
    size_t last_query = p->first_query + panels_shown_queries(p) - 1;
    size_t last_key = p->first_key + panels_shown_keys(p) - 1;
    buf_printf(&figure[0], _("queries %zu to %zu of %zu \u2193 keys %zu to %zu of %zu \u2192"),
               p->first_query, last_query, p->queries, p->first_key, last_key, p->keys);
    buf_printf(&figure[1], "q%zu\u2013%zu \u2193 k%zu\u2013%zu \u2192", p->first_query, last_query,
               p->first_key, last_key);
}

static void panels_figure(const struct stage *stage, struct area corner)
{
    struct buf figure[FIGURES] = {{0}};
    size_t i = 0;
    if (panels_of(stage)->zoom > 1)
        describe_window(panels_of(stage), figure);
    else
        (shows_file(stage) ? describe_file : describe_drawn)(stage, figure);
    while (i + 1 < FIGURES && figure[i + 1].at && utf8_columns(figure[i].at) + 2 > corner.cols)
        i++;
    figure_text(corner, figure[i].at);
    for (i = 0; i < FIGURES; i++)
        buf_free(&figure[i]);
}

/* ---- panes: the selected row */

static void row_figure(const struct stage *stage, struct area corner)
{
    const struct panels *p = panels_of(stage);
    char text[200], panel[128];
    name_panel(stage, p->panel, panel, sizeof panel);
    snprintf(text, sizeof text, "%s, q%zu, k%zu", panel, p->query, p->key);
    if (utf8_columns(text) + 2 > corner.cols)
        snprintf(text, sizeof text, "q%zu, k%zu", p->query, p->key);
    figure_text(corner, text);
}

enum { FACTS = 4 };

/* The row's sum, or why it has none. */
static void describe_sum(const struct row_facts *facts, struct buf *out)
{
    char a[NUMBER_TEXT];
    if (facts->n_nan > 0)
        buf_printf(out, _("row sum: none, NaN cells: %zu"), facts->n_nan);
    else if (facts->n_infinite > 0)
        buf_printf(out, _("row sum: none, infinite: %zu"), facts->n_infinite);
    else if (facts->is_empty)
        buf_puts(out, _("row sum 0: no valid key"));
    else
        buf_printf(out, _("row sum %s"), show(a, facts->sum));
}

static void describe_row(const struct stage *stage, struct buf fact[FACTS])
{
    const struct panels *p = panels_of(stage);
    const double *row = panels_row(p);
    struct row_facts facts = facts_of(stage, row);
    struct cell_name cell = name_cell(stage);
    char a[NUMBER_TEXT], b[NUMBER_TEXT], key[LABEL_MAX + 24];
    buf_printf(&fact[0], _("%s, %s: %s"), cell.query, cell.key, show(a, row[p->key]));
    describe_sum(&facts, &fact[1]);
    if (facts.is_weights)
        buf_printf(&fact[2], _("entropy %s of %s nats"), number_show(a, facts.entropy, 3, 6),
                   number_show(b, log((double)p->keys), 3, 6));
    else
        buf_puts(&fact[2], _("entropy: not weights"));
    name_index(key_label(stage, facts.largest), 'k', facts.largest, key, sizeof key);
    if (facts.is_empty || isnan(row[facts.largest]))
        buf_puts(&fact[3], _("largest: none"));
    else
        buf_printf(&fact[3], _("largest %s: %s"), key, show(a, row[facts.largest]));
}

/* The columns that the keys' names take: numbers, or labels cut to a usual word. */
static int key_columns(const struct stage *stage)
{
    enum { LABELLED = 12 };
    char last[LABEL_MAX + 24];
    snprintf(last, sizeof last, "k%zu", panels_of(stage)->keys - 1);
    return *key_label(stage, panels_of(stage)->key) ? LABELLED : utf8_columns(last);
}

/* A bar of VALUE from the place of 0 on RANGE, which has 0 in it: negative ones to the left. */
static void draw_signed_bar(struct area line, double value, struct range range)
{
    int left = range.lo < 0 ? (int)lround(line.cols * -range.lo / (range.hi - range.lo)) : 0;
    left = range.lo < 0 && left == 0 ? 1 : left;
    left = range.hi > 0 && left == line.cols ? left - 1 : left;
    struct area negative = area_cut_left(&line, left);
    if (value < 0)
        bar_draw_left(negative, 0, 0, negative.cols, value / range.lo, look_pen(line.look, ROLE_DATA));
    else if (value > 0)
        bar_draw(line, 0, 0, line.cols, value / range.hi, look_pen(line.look, ROLE_ACCENT));
}

/* The row's values key by key, with bars on the panel's scale; a window around the selected key. */
static void draw_keys(const struct stage *stage, struct area a)
{
    enum { MARK = 1, VALUE_COLS = 10, LEAST_BAR = 4 };
    const struct panels *p = panels_of(stage);
    const double *row = panels_row(p);
    struct range range = range_of(stage, p->panel);
    size_t keys = p->keys, lines = a.rows > 0 ? (size_t)a.rows : 0;
    size_t first = keys <= lines || p->key < lines / 2 ? 0 : p->key - lines / 2;
    first = keys > lines && first > keys - lines ? keys - lines : first;
    if (keys > lines)
        scroll_draw(area_cut_right(&a, 1), keys, first, lines);
    size_t pitch = lines >= 2 * keys ? 2 : 1;
    int key_cols = key_columns(stage), value_end = MARK + key_cols + VALUE_COLS, left = value_end + 1;
    for (size_t k = first; k < keys && k - first < lines; k++) {
        struct area line = area_part(a, 0, (int)((k - first) * pitch), a.cols, 1);
        struct pen pen = look_pen(a.look, k == p->key ? ROLE_SELECT : ROLE_TEXT);
        char number[NUMBER_TEXT], name[LABEL_MAX + 24];
        pen.attr |= k == p->key ? ATTR_BOLD : 0;
        if (k == p->key)
            area_put(line, 0, 0, pen, 0x25b8);
        name_index(key_label(stage, k), 'k', k, name, sizeof name);
        area_text_fit(line, MARK, 0, key_cols, pen, name);
        const char *value = show(number, row[k]);
        area_text(line, value_end - utf8_columns(value), 0, pen, value);
        if (line.cols - left >= LEAST_BAR && isfinite(row[k]))
            draw_signed_bar(area_part(line, left, 0, line.cols - left, 1), row[k], range);
    }
}

static void row_draw(const struct stage *stage, struct area inside)
{
    struct buf fact[FACTS] = {{0}};
    describe_row(stage, fact);
    for (int i = 0; i < FACTS; i++) {
        area_text_fit(inside, 0, i, inside.cols, look_pen(inside.look, i == 0 ? ROLE_SELECT : ROLE_TEXT),
                      fact[i].at);
        buf_free(&fact[i]);
    }
    area_cut_top(&inside, inside.rows > FACTS + 3 ? FACTS + 1 : FACTS);
    draw_keys(stage, inside);
}

static const struct pane panes[] = {
    [PANE_PANELS] =
        {"panels", N_("attention"), panels_figure, panels_draw, move_cell,
         N_("a matrix a head: a row a query, a column a key, the colour its weight; \u25c6 the chosen cell")},
    [PANE_ROW] = {"row", N_("the row"), row_figure, row_draw, move_key,
                  N_("the chosen query's weights, key by key, with their sum and entropy")},
    [PANE_PARAMETERS] = {"parameters", N_("parameters"), NULL, panel_draw, move_cell, PANEL_HELP},
};

/* ---- layout */

static void heatmap_layout(const struct stage *stage, struct area area, struct area out[PANES_MAX])
{
    enum { SIDE_LEAST = 30, FRAME = 2 };
    if (layout_room(area) == ROOM_SMALL) {
        layout_small(stage, area, PANE_PARAMETERS, PANE_PANELS, out);
        return;
    }
    int wanted = area.cols * 30 / 100;
    struct area side = area_cut_right(&area, wanted < SIDE_LEAST ? SIDE_LEAST : wanted);
    int help = area.rows >= 30 ? 4 : 0, most = area.rows * 60 / 100,
        lines = panel_lines(stage) + FRAME + help;
    out[PANE_PARAMETERS] = area_cut_bottom(&side, lines < most ? lines : most);
    out[PANE_ROW] = side;
    out[PANE_PANELS] = area;
}

/* ---- words */

/* How what is shown came about. */
static void describe_weights(const struct stage *stage, bool are_scores, struct buf *out)
{
    const char *given = are_scores ? _("scores as given") : _("\u03b1 as given");
    buf_puts(out, is_softmax(stage) ? "\u03b1 = exp(s) / \u03a3 exp(s\u2096)" : given);
    if (shows_file(stage) && integer_of(stage, P_HEADS) == HEADS_MEAN)
        buf_printf(out, _(", mean of %zu heads"), state_of(stage)->file->heads);
}

static void heatmap_formula(const struct stage *stage, struct area line)
{
    const struct panels *p = panels_of(stage);
    const double *row = panels_row(p);
    struct row_facts facts = facts_of(stage, row);
    struct pen select = look_pen_bold(line.look, ROLE_SELECT);
    /* What neither sums to 1 nor is empty or damaged is no weights, so scores. */
    bool are_scores = !is_softmax(stage) && !facts.is_weights && !facts.is_empty && facts.n_nan == 0;
    const char *symbol = are_scores ? "s" : "\u03b1";
    char a[NUMBER_TEXT], b[NUMBER_TEXT];
    struct buf how = {0}, sum = {0};
    describe_weights(stage, are_scores, &how);
    int x = area_text(line, 0, 0, look_pen(line.look, ROLE_TEXT), how.at) + 3;
    x += area_textf(line, x, 0, select, "%s(q%zu, k%zu) = %s", symbol, p->query, p->key,
                    show(a, row[p->key])) +
         3;
    if (facts.is_weights)
        buf_printf(&sum, "\u03a3\u03b1 = %s   H = \u2212\u03a3 \u03b1 ln \u03b1 = %s", show(a, facts.sum),
                   show(b, facts.entropy));
    else if (facts.n_nan == 0 && facts.n_infinite == 0)
        buf_printf(&sum, "\u03a3%s = %s", symbol, show(a, facts.sum));
    else
        describe_sum(&facts, &sum);
    area_text_fit(line, x, 0, line.cols - x, look_pen(line.look, ROLE_TEXT), sum.at);
    buf_free(&how);
    buf_free(&sum);
}

/* What is not as it should be: the first sentence whose condition holds is said. */
static bool remark_trouble(const struct stage *stage, char *out, size_t size)
{
    const struct panels *p = panels_of(stage);
    struct row_facts facts = facts_of(stage, panels_row(p));
    char a[NUMBER_TEXT], b[NUMBER_TEXT];
    struct range range = range_of(stage, p->panel);
    if (p->n_nan > 0)
        snprintf(out, size, _("%zu of %zu cells are NaN: they are hatched and not on the colour scale."),
                 p->n_nan, p->n * p->queries * p->keys);
    else if (has_own_scale(stage) && p->n > 1)
        snprintf(out, size, _("Own scales (here %s to %s): equal colours are not equal weights."),
                 show(a, range.lo), show(b, range.hi));
    else if (facts.is_empty && is_softmax(stage))
        snprintf(out, size, _("Query %zu has no valid key, all its scores are -inf: its row is empty."),
                 p->query);
    else if (facts.is_empty)
        snprintf(out, size, _("Query %zu attends to nothing: its row is empty."), p->query);
    else if (facts.n_infinite > 0)
        snprintf(out, size, _("Infinite scores in this row: %zu. normalise=softmax gives -inf the weight 0."),
                 facts.n_infinite);
    else if (!facts.is_weights)
        snprintf(out, size, _("This row of scores sums to %s; normalise=softmax makes them weights."),
                 show(a, facts.sum));
    else
        return false;
    return true;
}

/* Whether the weights are so alike that hardly anyone sees a difference. */
static bool is_nearly_even(const double *row, size_t n)
{
    const double alike = 1.25;
    double least = HUGE_VAL, most = 0;
    for (size_t k = 0; k < n; k++) {
        least = fmin(least, row[k]);
        most = fmax(most, row[k]);
    }
    return most <= alike * least;
}

static enum role heatmap_remark(const struct stage *stage, char *out, size_t size)
{
    const struct panels *p = panels_of(stage);
    const double *row = panels_row(p);
    struct row_facts facts = facts_of(stage, row);
    char a[NUMBER_TEXT];
    if (remark_trouble(stage, out, size))
        return ROLE_WARN;
    if (shows_file(stage) && !state_of(stage)->file->is_npy && p->query == 0 && p->key == 0) {
        char text[160];
        snprintf(out, size, "%s: %s", stage->source.name,
                 weights_file_text(state_of(stage)->file, text, sizeof text));
        return ROLE_DIM;
    }
    if (row[facts.largest] > 0.999)
        snprintf(out, size, _("Query %zu attends to key %zu alone: the entropy of its row is %s."), p->query,
                 facts.largest, show(a, facts.entropy));
    else if (is_nearly_even(row, p->keys))
        snprintf(out, size, _("Query %zu attends to all keys nearly alike: its entropy is near ln %zu."),
                 p->query, p->keys);
    else
        snprintf(out, size, _("Query %zu attends most to key %zu, with weight %s."), p->query, facts.largest,
                 show(a, row[facts.largest]));
    return ROLE_DIM;
}

/* ---- the script */

enum { EMBEDDED_MOST = 100000 }; /* numbers of a file; more are read from it */

/* Sets `weights` to the heads on show, as they are in the file. */
static void put_heads(const struct stage *stage, struct buf *out)
{
    const struct weights_file *file = state_of(stage)->file;
    bool is_one = integer_of(stage, P_HEADS) == HEADS_ONE;
    size_t first = is_one ? integer_of(stage, P_HEAD) : 0, n = is_one ? 1 : file->heads;
    size_t cells = file->queries * file->keys, shape[] = {n, file->queries, file->keys};
    if (file->is_npy && n * cells > EMBEDDED_MOST && strcmp(stage->source.name, _("standard input")) != 0) {
        buf_puts(out, "array = numpy.load(");
        torch_text(stage->source.name, out);
        buf_printf(out,
                   ")\n"
                   "array = array.reshape(%zu, %zu, %zu, %zu, %zu)[%zu, %zu, %zu:%zu]\n"
                   "weights = torch.from_numpy(array.astype(numpy.float64))\n",
                   file->layers, file->items, file->heads, file->queries, file->keys,
                   integer_of(stage, P_LAYER), integer_of(stage, P_BATCH), first, first + n);
        return;
    }
    double *at = mem_new(n * cells, sizeof *at);
    for (size_t i = 0; i < n; i++)
        weights_file_read(file, integer_of(stage, P_LAYER), integer_of(stage, P_BATCH), first + i,
                          at + i * cells);
    torch_tensor("weights", at, shape, ALEN(shape), out);
    free(at);
}

static void put_drawn(const struct stage *stage, struct buf *out)
{
    const struct panels *p = panels_of(stage);
    const size_t shape[] = {p->n, p->queries, p->keys};
    if (integer_of(stage, P_SOURCE) == SOURCE_IDENTITY) {
        buf_printf(out, "weights = torch.eye(%zu, %zu).repeat(%zu, 1, 1).double()\n", p->queries, p->keys,
                   p->n);
        return;
    }
    torch_seed(stage, out);
    buf_puts(out, "weights = torch.rand");
    torch_shape(shape, ALEN(shape), out);
    buf_puts(out, ".double()  # panels, queries, keys\n");
}

/* N texts, STEP places apart; shorter where all are empty. */
static void put_names(const char *name, char *const *text, size_t n, size_t step, struct buf *out)
{
    bool is_empty = true;
    for (size_t i = 0; i < n; i++)
        is_empty = is_empty && !(text[i * step] && *text[i * step]);
    if (is_empty) {
        buf_printf(out, "%s = [\"\"] * %zu\n", name, n);
        return;
    }
    buf_printf(out, "%s = [", name);
    for (size_t i = 0; i < n; i++) {
        buf_puts(out, i > 0 ? ", " : "");
        torch_text(text[i * step] ? text[i * step] : "", out);
    }
    buf_puts(out, "]\n");
}

static const char rows_text[] =
    "\n"
    "def facts(row):\n"
    "    \"\"\"Sum, entropy, the largest weight's key, that weight, and how many are no numbers.\"\"\"\n"
    "    n_nan = int(row.isnan().sum())\n"
    "    total = row.sum().item() if n_nan == 0 and not row.isinf().any() else math.nan\n"
    "    is_weights = bool((row >= 0).all()) and abs(total - 1) <= tolerance\n"
    "    largest = row.nan_to_num(nan=-math.inf, posinf=math.inf, neginf=-math.inf).argmax().item()\n"
    "    entropy = torch.special.entr(row).sum().item() if is_weights else math.nan\n"
    "    key = math.nan if row[largest].isnan() or not row.any() else largest\n"
    "    return total, entropy, key, row[largest].item(), n_nan\n"
    "\n\n"
    "def rows():\n"
    "    table = {\"panel\": [panel for panel in panels for _ in labels], \"label\": labels * len(panels),\n"
    "             \"query\": [*range(len(labels))] * len(panels)}\n"
    "    names = (\"sum\", \"entropy\", \"largest_key\", \"largest\", \"missing\")\n"
    "    table.update(zip(names, zip(*(facts(row) for row in weights.flatten(0, 1)))))\n"
    "    return table\n"
    "\n\n";

static void heatmap_torch(const struct stage *stage, struct buf *out)
{
    struct table rows = table_rows(stage);
    buf_puts(out, rows_text);
    if (shows_file(stage))
        put_heads(stage, out);
    else
        put_drawn(stage, out);
    if (is_softmax(stage))
        buf_puts(
            out,
            "empty = (weights == -math.inf).all(dim=-1, keepdim=True)  # without a valid key: no weights\n"
            "weights = torch.softmax(weights, dim=-1).masked_fill(empty, 0.0)\n");
    if (shows_file(stage) && integer_of(stage, P_HEADS) == HEADS_MEAN)
        buf_puts(out, "weights = weights.mean(dim=0, keepdim=True)\n");
    put_names("panels", rows.column[0].text, panels_of(stage)->n, panels_of(stage)->queries, out);
    put_names("labels", rows.column[1].text, panels_of(stage)->queries, 1, out);
    buf_printf(out, "# How far from 1 a row of weights may sum to.\ntolerance = %s\n",
               shows_file(stage) && !is_softmax(stage) ? "0.01" : "1e-6");
    buf_puts(out, "\ntables = {\"weights\": weights, \"rows\": rows}\n");
    table_free(&rows);
}

const struct demo demo_heatmap = {
    .name = "heatmap",
    .title = N_("attention as pictures"),
    .summary = N_("rows and columns of attention matrices, one colour bar"),
    .params = params,
    .n_params = ALEN(params),
    .panes = panes,
    .n_panes = ALEN(panes),
    .tables = heatmap_tables,
    .n_tables = ALEN(heatmap_tables),
    .takes_file = true,
    .describe_file = heatmap_describe_file,
    .open = heatmap_open,
    .copy = heatmap_copy,
    .restored = heatmap_restored,
    .discard = discard,
    .apply = heatmap_apply,
    .is_idle = heatmap_is_idle,
    .select = heatmap_select,
    .nudge = heatmap_nudge,
    .layout = heatmap_layout,
    .formula = heatmap_formula,
    .remark = heatmap_remark,
    .torch = heatmap_torch,
};
