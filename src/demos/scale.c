/* Why scores are divided by the square root of d: what d does to a softmax, with and without, and to
 * training. */
#include "demos/demo.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/lang.h"
#include "data/number.h"
#include "data/utf8.h"
#include "demos/common_params.h"
#include "demos/curves.h"
#include "demos/layout.h"
#include "demos/matrix_view.h"
#include "demos/tensors.h"
#include "demos/torch_script.h"
#include "draw/bars.h"
#include "draw/heatmap.h"
#include "engine/attention.h"
#include "engine/matrix.h"
#include "engine/mem.h"
#include "engine/rng.h"
#include "engine/run.h"
#include "engine/saturation.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* ---- parameters */

enum { P_D, P_M, P_SCALE, P_LR, P_EPOCHS, P_SEED };

enum { D_MOST = 1024, SHOW_OFF = 0, SHOW_ON, SHOW_BOTH };

static const char *const shows[] = {[SHOW_OFF] = "off", [SHOW_ON] = "on", [SHOW_BOTH] = "both", NULL};

static const struct param params[] = {
    [P_D] = {.name = "d",
             .label = N_("numbers a vector"),
             .kind = PARAM_INTEGER,
             .lo = 1,
             .hi = D_MOST,
             .step = 1,
             .steps = STEPS_DOUBLE,
             .initial = "64",
             .unit = "",
             .help =
                 N_("queries and keys are vectors of d numbers: a score q\u00b7k is a sum of d products")},
    [P_M] = {.name = "m",
             .label = N_("keys"),
             .kind = PARAM_INTEGER,
             .lo = 2,
             .hi = 32,
             .step = 1,
             .steps = STEPS_LINEAR,
             .initial = "8",
             .unit = "",
             .help = N_("keys that share a query's attention")},
    [P_SCALE] = {.name = "scale",
                 .label = N_("divide by \u221ad"),
                 .kind = PARAM_CHOICE,
                 .choices = shows,
                 .initial = "both",
                 .unit = "",
                 .help = N_("show the scores as they are, divided, or both")},
    [P_LR] = {.name = "lr",
              .label = N_("learning rate"),
              .kind = PARAM_REAL,
              .lo = 0,
              .hi = 1000,
              .usual_lo = 0,
              .usual_hi = 100,
              .step = 0.01,
              .steps = STEPS_ONE_TWO_FIVE,
              .initial = "5",
              .unit = "",
              .help = N_("each epoch moves the queries by lr times the gradient; both trainings start anew")},
    [P_EPOCHS] = {.name = "epochs",
                  .label = N_("epochs"),
                  .kind = PARAM_INTEGER,
                  .lo = 1,
                  .hi = 200,
                  .usual_lo = 1,
                  .usual_hi = 100,
                  .step = 5,
                  .steps = STEPS_LINEAR,
                  .initial = "40",
                  .unit = "",
                  .help = N_("where playing stops")},
    [P_SEED] = SEED_PARAM,
};

/* ---- state */

enum { POWERS = 11, QUERIES_MOST = 8 };

enum measure { VARIANCE, MAX_WEIGHT, ENTROPY, GRADIENT, MEASURES };

/* What is known about one d. */
struct at_d {
    size_t d;
    bool known;
    double value[MEASURES][WAYS];
};

struct study {
    struct at_d by_d[POWERS + 1]; /* ascending in d: the powers of 2 up to 1024, and the chosen d */
    size_t n_d;
    struct saturation_sample sample; /* the one in hand */

    size_t n, m, d; /* queries, keys, numbers a vector */
    double *q, *k;  /* (n, d), (m, d): q is where training starts */
    struct search search[WAYS];
    struct run run[WAYS];
    size_t goal;     /* the epoch that `work` is on the way to */
    size_t row, col; /* the selected query and key */

    /* What is shown at the cursor, for both ways: (n, m). */
    struct matrix score[WAYS], weight[WAYS];
};

static struct study *state_of(const struct stage *stage)
{
    return stage->state;
}

static bool is_shown(const struct stage *stage, int way)
{
    double choice = stage->values[P_SCALE].number;
    return choice == SHOW_BOTH || (way == WAY_PLAIN) == (choice == SHOW_OFF);
}

static void evaluate(const void *data, const double *theta, double *loss, double *gradient)
{
    *loss = search_loss(data, theta, NULL, gradient);
}

static struct objective objective_of(const struct study *s, int way)
{
    return (struct objective){s->n * s->d, evaluate, &s->search[way]};
}

/* ---- what follows from the state */

static void refresh(struct stage *stage)
{
    struct study *s = state_of(stage);
    const struct attention_shape shape = {.batch = 1, .n_q = s->n, .n_k = s->m, .d_q = s->d, .d_k = s->d};
    for (int way = 0; way < WAYS; way++) {
        const double *q = s->run[way].theta + s->run[way].cursor * s->run[way].dim;
        matrix_reshape(&s->score[way], s->n, s->m);
        matrix_reshape(&s->weight[way], s->n, s->m);
        attention_dot(&shape, q, s->k, way == WAY_SCALED ? 1 / sqrt((double)s->d) : 1, s->score[way].at);
        search_loss(&s->search[way], q, s->weight[way].at, NULL);
    }
}

/* ---- the measures over d */

/* Lists the powers of 2 and D among them, keeping what is known. */
static void list_dims(struct study *s, size_t chosen)
{
    struct at_d before[POWERS + 1];
    size_t n_before = s->n_d;
    memcpy(before, s->by_d, sizeof before);
    s->n_d = 0;
    for (size_t power = 1; power <= D_MOST; power *= 2) {
        if (chosen < power && (s->n_d == 0 || chosen > s->by_d[s->n_d - 1].d))
            s->by_d[s->n_d++] = (struct at_d){.d = chosen};
        s->by_d[s->n_d++] = (struct at_d){.d = power};
    }
    for (size_t i = 0; i < s->n_d; i++)
        for (size_t j = 0; j < n_before; j++)
            if (before[j].d == s->by_d[i].d)
                s->by_d[i] = before[j];
    saturation_sample_free(&s->sample);
}

static struct at_d *first_unknown(struct study *s)
{
    for (size_t i = 0; i < s->n_d; i++)
        if (!s->by_d[i].known)
            return &s->by_d[i];
    return NULL;
}

static void take_measures(struct at_d *at, const struct saturation_sample *sample)
{
    for (int way = 0; way < WAYS; way++) {
        struct saturation mean = saturation_mean(sample, way);
        at->value[VARIANCE][way] = saturation_variance(sample, way);
        at->value[MAX_WEIGHT][way] = mean.max_weight;
        at->value[ENTROPY][way] = mean.entropy;
        at->value[GRADIENT][way] = mean.gradient;
    }
    at->known = true;
}

/* A little more of the first d that is not known; returns roughly the nanoseconds spent. */
static long measure_step(struct stage *stage, struct at_d *at)
{
    enum { NUMBER = 4, KEY = 100 };
    struct study *s = state_of(stage);
    struct saturation_sample *sample = &s->sample;
    if (!sample->q)
        *sample = saturation_sample_new(stage->values[P_SEED].seed, at->d, s->m);
    const size_t drawn = sample->drawn, done = sample->done;
    const bool is_more = saturation_sample_step(sample);
    const size_t keys = (sample->done - done) * s->m;
    const long cost = (long)((sample->drawn - drawn + keys * at->d) * NUMBER + keys * KEY);
    if (!is_more) {
        take_measures(at, sample);
        saturation_sample_free(sample);
    }
    return cost;
}

static const struct at_d *at_chosen(const struct study *s)
{
    for (size_t i = 0; i < s->n_d; i++)
        if (s->by_d[i].d == s->d)
            return &s->by_d[i];
    return NULL;
}

/* ---- opening */

static double *draw_normal(struct rng *rng, size_t n)
{
    float *drawn = mem_new(n, sizeof *drawn);
    double *out = mem_new(n, sizeof *out);
    rng_normal(rng, 0, 1, drawn, n);
    for (size_t i = 0; i < n; i++)
        out[i] = (double)drawn[i];
    free(drawn);
    return out;
}

/* torch.manual_seed(seed); q = randn(n, d); k = randn(m, d). */
static void draw(struct stage *stage)
{
    struct study *s = state_of(stage);
    struct rng rng;
    s->m = (size_t)stage->values[P_M].number;
    s->d = (size_t)stage->values[P_D].number;
    s->n = s->m < QUERIES_MOST ? s->m : QUERIES_MOST;
    free(s->q);
    free(s->k);
    rng_seed(&rng, stage->values[P_SEED].seed, RNG_PATH_AVX2);
    s->q = draw_normal(&rng, s->n * s->d);
    s->k = draw_normal(&rng, s->m * s->d);
    for (int way = 0; way < WAYS; way++)
        s->search[way] = (struct search){.n = s->n, .m = s->m, .d = s->d, .k = s->k, .way = way};
}

static void start_runs(struct stage *stage)
{
    struct study *s = state_of(stage);
    for (int way = 0; way < WAYS; way++)
        run_start(&s->run[way], objective_of(s, way), s->q);
    s->goal = 0;
    s->row = s->row < s->n ? s->row : s->n - 1;
    s->col = s->col < s->m ? s->col : s->m - 1;
    refresh(stage);
}

static void discard(void *state)
{
    struct study *s = state;
    saturation_sample_free(&s->sample);
    free(s->q);
    free(s->k);
    for (int way = 0; way < WAYS; way++) {
        run_free(&s->run[way]);
        matrix_free(&s->score[way]);
        matrix_free(&s->weight[way]);
    }
    free(s);
}

static bool scale_open(struct stage *stage, struct error *error)
{
    (void)error;
    struct study *s = stage->state = mem_new(1, sizeof *s);
    draw(stage);
    list_dims(s, s->d);
    start_runs(stage);
    return true;
}

/* The runs can be computed again from the parameters: a state of 1024 numbers a query is not kept for every
 * undo. */
static void *scale_copy(const void *state)
{
    const struct study *from = state;
    struct study *s = mem_copy(from, 1, sizeof *from);
    s->sample = (struct saturation_sample){0};
    s->q = s->k = NULL;
    for (int way = 0; way < WAYS; way++) {
        s->run[way] = (struct run){0};
        s->score[way] = s->weight[way] = (struct matrix){0};
    }
    s->goal = from->run[WAY_SCALED].cursor;
    return s;
}

/* Takes both trainings an epoch on; where one diverges, the goal is reached. */
static void train_epoch(struct stage *stage)
{
    struct study *s = state_of(stage);
    double lr = stage->values[P_LR].number;
    for (int way = 0; way < WAYS; way++)
        if (run_forward(&s->run[way], objective_of(s, way), lr) == RUN_DIVERGED)
            s->goal = s->run[WAY_SCALED].cursor;
}

/* The epochs are there at once: whoever writes down what happens would take later ones for steps. */
static void scale_restored(struct stage *stage)
{
    struct study *s = state_of(stage);
    size_t goal = s->goal;
    draw(stage);
    start_runs(stage);
    for (s->goal = goal; s->goal > s->run[WAY_SCALED].cursor;)
        train_epoch(stage);
    refresh(stage);
}

/* ---- changing */

static void keep_ghosts(struct study *s, const struct value *old)
{
    char text[64], label[80];
    param_show(&params[P_LR], old, 24, text, sizeof text);
    snprintf(label, sizeof label, "lr %s", text);
    for (int way = 0; way < WAYS; way++)
        run_branch(&s->run[way], label);
}

static bool scale_apply(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    struct study *s = state_of(stage);
    (void)error;
    switch (changed) {
    case P_SCALE:
    case P_EPOCHS:
        return true;
    case P_LR:
        keep_ghosts(s, old);
        break;
    default:
        for (int way = 0; way < WAYS; way++)
            run_clear_ghosts(&s->run[way]);
        draw(stage);
        if (changed != P_D)
            s->n_d = 0;
        list_dims(s, s->d);
    }
    start_runs(stage);
    return true;
}

/* ---- the timeline: both trainings go together */

static size_t scale_position(const struct stage *stage)
{
    return state_of(stage)->run[WAY_SCALED].cursor;
}

static size_t scale_known(const struct stage *stage)
{
    return state_of(stage)->run[WAY_SCALED].n - 1;
}

static size_t scale_end(const struct stage *stage)
{
    return (size_t)stage->values[P_EPOCHS].number;
}

static void scale_go(struct stage *stage, size_t target)
{
    struct study *s = state_of(stage);
    s->goal = target;
    for (int way = 0; way < WAYS; way++)
        run_seek(&s->run[way], target);
    refresh(stage);
}

static void scale_reset(struct stage *stage)
{
    struct study *s = state_of(stage);
    scale_go(stage, 0);
    for (int way = 0; way < WAYS; way++)
        run_forget(&s->run[way]);
}

static bool scale_work(struct stage *stage, long budget)
{
    struct study *s = state_of(stage);
    struct at_d *unknown;
    bool moved = false;
    while (budget > 0 && s->goal > s->run[WAY_SCALED].cursor) {
        train_epoch(stage);
        moved = true;
        budget -= (long)(s->n * s->m * s->d) * 8 + 5000;
    }
    if (moved)
        refresh(stage);
    while (budget > 0 && (unknown = first_unknown(s)) != NULL)
        budget -= measure_step(stage, unknown);
    return s->goal > s->run[WAY_SCALED].cursor || first_unknown(s) != NULL;
}

/* ---- selecting */

static void move_cell(struct stage *stage, int dx, int dy)
{
    struct study *s = state_of(stage);
    s->row = index_moved(s->row, dy, s->n);
    s->col = index_moved(s->col, dx, s->m);
}

/* Keys stand below each other in the row. */
static void move_in_row(struct stage *stage, int dx, int dy)
{
    move_cell(stage, dy, dx);
}

static void move_query(struct stage *stage, int dx, int dy)
{
    move_cell(stage, 0, dx + dy);
}

static bool scale_select(struct stage *stage, long row, long column, struct error *error)
{
    struct study *s = state_of(stage);
    if (!pair_exists(row, s->n, column, s->m, error))
        return false;
    s->row = (size_t)row;
    if (column >= 0)
        s->col = (size_t)column;
    return true;
}

/* ---- tables */

static struct table table_by_d(const struct stage *stage)
{
    static const char *const names[MEASURES][WAYS] = {
        [VARIANCE] = {"var", "var_scaled"},
        [MAX_WEIGHT] = {"max_weight", "max_weight_scaled"},
        [ENTROPY] = {"entropy", "entropy_scaled"},
        [GRADIENT] = {"gradient", "gradient_scaled"},
    };
    const struct study *s = state_of(stage);
    struct table table = table_new(s->n_d);
    double *d = table_add_numbers(&table, "d");
    for (size_t i = 0; i < s->n_d; i++)
        d[i] = (double)s->by_d[i].d;
    for (int measure = 0; measure < MEASURES; measure++) {
        for (int way = 0; way < WAYS; way++) {
            double *value = table_add_numbers(&table, names[measure][way]);
            for (size_t i = 0; i < s->n_d; i++)
                if (s->by_d[i].known)
                    value[i] = s->by_d[i].value[measure][way];
        }
    }
    return table;
}

static double gradient_length(const struct run *run, size_t epoch)
{
    const double *gradient = run->gradient + epoch * run->dim;
    double sum = 0;
    for (size_t i = 0; i < run->dim; i++)
        sum += gradient[i] * gradient[i];
    return sqrt(sum);
}

static struct table table_history(const struct stage *stage)
{
    static const char *const names[WAYS][2] = {{"loss", "gradient"}, {"loss_scaled", "gradient_scaled"}};
    const struct study *s = state_of(stage);
    size_t n = s->run[WAY_SCALED].cursor + 1;
    struct table table = table_new(n);
    double *epoch = table_add_numbers(&table, "epoch");
    for (size_t i = 0; i < n; i++)
        epoch[i] = (double)i;
    for (int way = 0; way < WAYS; way++) {
        double *loss = table_add_numbers(&table, names[way][0]),
               *gradient = table_add_numbers(&table, names[way][1]);
        for (size_t i = 0; i < n; i++) {
            loss[i] = s->run[way].loss[i];
            gradient[i] = gradient_length(&s->run[way], i);
        }
    }
    return table;
}

static struct table table_row(const struct stage *stage)
{
    static const char *const names[WAYS][2] = {{"score", "weight"}, {"score_scaled", "weight_scaled"}};
    const struct study *s = state_of(stage);
    struct table table = table_new(s->m);
    double *key = table_add_numbers(&table, "key");
    for (size_t j = 0; j < s->m; j++)
        key[j] = (double)j;
    for (int way = 0; way < WAYS; way++) {
        memcpy(table_add_numbers(&table, names[way][0]), matrix_row(&s->score[way], s->row),
               s->m * sizeof(double));
        memcpy(table_add_numbers(&table, names[way][1]), matrix_row(&s->weight[way], s->row),
               s->m * sizeof(double));
    }
    return table;
}

static const struct demo_table scale_tables[] = {
    {"by_d", N_("variance, largest weight, entropy and gradient over d, as is and scaled"), table_by_d},
    {"history", N_("epoch, loss and the gradient's length, as is and scaled"), table_history},
    {"row", N_("the selected query's scores and weights, as is and scaled"), table_row},
};

/* ---- panes */

enum {
    PANE_ROW,
    PANE_LOSS,
    PANE_VARIANCE,
    PANE_GRADIENT,
    PANE_MAX,
    PANE_ENTROPY,
    PANE_WEIGHTS,
    PANE_PARAMETERS
};

static const enum role way_role[WAYS] = {[WAY_PLAIN] = ROLE_DATA, [WAY_SCALED] = ROLE_ACCENT};
static const char *const way_name[WAYS] = {[WAY_PLAIN] = "q\u00b7k", [WAY_SCALED] = "q\u00b7k/\u221ad"};
/* Told apart without colour too. */
static const enum line_style way_style[WAYS] = {[WAY_PLAIN] = LINE_DASHED, [WAY_SCALED] = LINE_PLAIN};
static const uint32_t way_glyph[WAYS] = {[WAY_PLAIN] = 0x2509, [WAY_SCALED] = 0x2501}, glyph_here = 0x25c6;

static const char *show(char out[NUMBER_TEXT], double value)
{
    return number_show(out, value, 3, 7);
}

/* The areas of the ways that are shown, side by side, one column of air between them. */
static void split_ways(const struct stage *stage, struct area a, struct area out[WAYS])
{
    out[WAY_PLAIN] = out[WAY_SCALED] = area_part(a, 0, 0, 0, 0);
    if (stage->values[P_SCALE].number == SHOW_BOTH) {
        out[WAY_PLAIN] = area_cut_left(&a, a.cols / 2);
        area_cut_right(&out[WAY_PLAIN], 1);
    }
    out[stage->values[P_SCALE].number == SHOW_OFF ? WAY_PLAIN : WAY_SCALED] = a;
}

/* ---- one row */

static void row_figure(const struct stage *stage, struct area corner)
{
    const struct study *s = state_of(stage);
    char text[64];
    snprintf(text, sizeof text, _("query %zu, its key \u25b8%zu, d = %zu"), s->row, s->row, s->d);
    if (utf8_columns(text) + 2 > corner.cols)
        snprintf(text, sizeof text, _("query %zu, d = %zu"), s->row, s->d);
    figure_text(corner, text);
}

enum { ROW_LABEL = 4, ROW_NUMBER = 8 };

static void draw_key(const struct stage *stage, struct area line, int way, size_t j)
{
    const struct study *s = state_of(stage);
    double score = matrix_row(&s->score[way], s->row)[j], weight = matrix_row(&s->weight[way], s->row)[j];
    enum role role = j == s->col ? ROLE_SELECT : weight < 0.0005 ? ROLE_DIM : ROLE_TEXT;
    struct pen pen = look_pen(line.look, role);
    char text[NUMBER_TEXT];
    show(text, score);
    area_text(line, ROW_NUMBER - 1 - utf8_columns(text), 0, pen, text);
    show(text, weight);
    area_text(line, 2 * ROW_NUMBER - 1 - utf8_columns(text), 0, pen, text);
    if (line.cols > 2 * ROW_NUMBER + 1)
        bar_draw(line, 2 * ROW_NUMBER, 0, line.cols - 2 * ROW_NUMBER, weight,
                 look_pen(line.look, way_role[way]));
}

static void draw_head(struct area line, int way)
{
    struct pen pen = look_pen(line.look, way_role[way]);
    area_text(line, ROW_NUMBER - 1 - utf8_columns(way_name[way]), 0, pen, way_name[way]);
    area_text(line, 2 * ROW_NUMBER - 2, 0, look_pen(line.look, ROLE_DIM), "\u03b1");
}

static void draw_foot(const struct stage *stage, struct area line, int way)
{
    const struct study *s = state_of(stage);
    struct saturation sat = saturation_of(matrix_row(&s->weight[way], s->row), s->m);
    char a[NUMBER_TEXT], b[NUMBER_TEXT], text[96];
    snprintf(text, sizeof text, _("gradient %s"), show(a, sat.gradient));
    if (line.cols > 36)
        snprintf(text, sizeof text, _("entropy %s   gradient %s"), show(b, sat.entropy),
                 show(a, sat.gradient));
    area_text_fit(line, 1, 0, line.cols - 1, look_pen(line.look, ROLE_DIM), text);
}

static void row_draw(const struct stage *stage, struct area inside)
{
    const struct study *s = state_of(stage);
    struct area label = area_cut_left(&inside, ROW_LABEL), part[WAYS];
    int keys = inside.rows - 2, n = (int)s->m;
    int first = n > keys ? (int)s->col - keys / 2 : 0;
    first = first < 0 ? 0 : first > n - keys && n > keys ? n - keys : first;
    int shown = n - first < keys ? n - first : keys;
    split_ways(stage, inside, part);
    for (int i = 0; i < shown; i++) {
        size_t j = (size_t)(first + i);
        area_textf(label, 0, 1 + i, look_pen(label.look, j == s->col ? ROLE_SELECT : ROLE_DIM), "%s%zu",
                   j == s->row ? "\u25b8" : " ", j);
    }
    for (int way = 0; way < WAYS; way++) {
        if (!is_shown(stage, way))
            continue;
        draw_head(area_part(part[way], 0, 0, part[way].cols, 1), way);
        for (int i = 0; i < shown; i++)
            draw_key(stage, area_part(part[way], 0, 1 + i, part[way].cols, 1), way, (size_t)(first + i));
        draw_foot(stage, area_part(part[way], 0, 1 + shown, part[way].cols, 1), way);
    }
}

/* ---- all rows */

static void weights_figure(const struct stage *stage, struct area corner)
{
    const struct study *s = state_of(stage);
    figure_shape(corner, 0, s->n, s->m);
}

static void draw_weights(const struct study *s, struct area a, int way)
{
    struct area head = area_cut_top(&a, 1);
    struct matrix_view view = {
        .value = s->weight[way].at,
        .batch = 1,
        .rows = s->n,
        .cols = s->m,
        .lo = 0,
        .hi = 1,
        .row_prefix = "q",
        .col_prefix = "k",
        .at_batch = 0,
        .at_row = s->row,
        .at_col = s->col,
    };
    struct heatmap h = {
        .value = s->weight[way].at,
        .n_q = s->n,
        .n_k = s->m,
        .lo = 0,
        .hi = 1,
        .pooling = POOL_MAX,
        .selected_q = s->row,
        .selected_k = s->col,
        .color_bar = way == WAY_SCALED,
    };
    area_text_center(head, 0, look_pen(head.look, way_role[way]), way_name[way]);
    if (matrix_view_fits(a, &view, 4))
        matrix_view_draw(a, &view);
    else
        heatmap_draw(a, &h);
}

static void weights_draw(const struct stage *stage, struct area inside)
{
    const struct study *s = state_of(stage);
    struct area part[WAYS];
    split_ways(stage, inside, part);
    for (int way = 0; way < WAYS; way++)
        if (is_shown(stage, way))
            draw_weights(s, part[way], way);
}

/* ---- a measure over d */

static void measure_figure(const struct stage *stage, struct area corner, enum measure measure)
{
    const struct study *s = state_of(stage);
    const struct at_d *at = at_chosen(s);
    char a[NUMBER_TEXT], b[NUMBER_TEXT], text[80];
    if (!at || !at->known)
        return;
    number_show(a, at->value[measure][WAY_PLAIN], 2, 5);
    number_show(b, at->value[measure][WAY_SCALED], 2, 5);
    if (stage->values[P_SCALE].number == SHOW_BOTH)
        snprintf(text, sizeof text, "%s \u2192 %s", a, b);
    else
        snprintf(text, sizeof text, "%s", is_shown(stage, WAY_PLAIN) ? a : b);
    figure_text(corner, text);
}

static size_t collect(const struct study *s, enum measure measure, int way, double *d, double *value)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_d; i++) {
        if (!s->by_d[i].known)
            continue;
        d[n] = (double)s->by_d[i].d;
        value[n++] = s->by_d[i].value[measure][way];
    }
    return n;
}

static struct axis measure_axis(const struct study *s, enum measure measure)
{
    switch (measure) {
    case VARIANCE:
        return (struct axis){.lo = 0.5, .hi = 2 * D_MOST, .scale = SCALE_LOG};
    case ENTROPY:
        return (struct axis){.lo = 0, .hi = 1.05 * log((double)s->m)};
    case GRADIENT:
        return (struct axis){.lo = 0, .hi = 0.55};
    case MAX_WEIGHT:
    case MEASURES:
        break;
    }
    return (struct axis){.lo = 0, .hi = 1.05};
}

static void measure_draw(const struct stage *stage, struct area inside, enum measure measure)
{
    const struct study *s = state_of(stage);
    const struct look *look = inside.look;
    const struct at_d *at = at_chosen(s);
    struct axis x = {.lo = 0.9, .hi = 1.15 * D_MOST, .scale = SCALE_LOG, .label = "d"},
                y = measure_axis(s, measure);
    struct plot plot = plot_begin(inside, &x, &y);
    plot_vertical(&plot, (double)s->d, look_pen(look, ROLE_FAINT));
    for (int way = 0; way < WAYS; way++) {
        double d[POWERS + 1], value[POWERS + 1];
        size_t n = collect(s, measure, way, d, value);
        if (is_shown(stage, way))
            plot_line(&plot, d, value, n, way_style[way], look_pen(look, way_role[way]));
    }
    plot_end(&plot);
    for (int way = 0; way < WAYS && at && at->known; way++)
        if (is_shown(stage, way))
            plot_point(&plot, (double)s->d, at->value[measure][way], look_pen(look, ROLE_SELECT), glyph_here);
}

#define MEASURE_PANE(name, measure)                                                                          \
    static void name##_figure(const struct stage *stage, struct area corner)                                 \
    {                                                                                                        \
        measure_figure(stage, corner, measure);                                                              \
    }                                                                                                        \
    static void name##_draw(const struct stage *stage, struct area inside)                                   \
    {                                                                                                        \
        measure_draw(stage, inside, measure);                                                                \
    }

MEASURE_PANE(variance, VARIANCE)
MEASURE_PANE(max_weight, MAX_WEIGHT)
MEASURE_PANE(entropy, ENTROPY)
MEASURE_PANE(gradient, GRADIENT)

/* ---- training */

static size_t list_ways(const struct stage *stage, int out[WAYS])
{
    size_t n = 0;
    for (int way = 0; way < WAYS; way++)
        if (is_shown(stage, way))
            out[n++] = way;
    return n;
}

static void loss_figure(const struct stage *stage, struct area corner)
{
    const struct study *s = state_of(stage);
    struct legend entries[WAYS];
    char text[WAYS][64];
    int ways[WAYS];
    size_t n = list_ways(stage, ways);
    for (size_t i = 0; i < n; i++) {
        const struct run *run = &s->run[ways[i]];
        char loss[NUMBER_TEXT];
        snprintf(text[i], sizeof text[i], "%s %s", way_name[ways[i]], show(loss, run->loss[run->cursor]));
        entries[i] = (struct legend){way_role[ways[i]], way_glyph[ways[i]], text[i]};
    }
    legend_figure(corner, entries, n);
}

static void loss_draw(const struct stage *stage, struct area inside)
{
    const struct study *s = state_of(stage);
    struct loss_curve curves[WAYS];
    int ways[WAYS];
    size_t n = list_ways(stage, ways);
    for (size_t i = 0; i < n; i++)
        curves[i] = (struct loss_curve){&s->run[ways[i]], way_role[ways[i]], way_style[ways[i]]};
    loss_curves_draw(inside, curves, n, scale_end(stage), (double)NAN);
}

static const struct pane panes[] = {
    [PANE_ROW] = {"row", N_("one softmax row"), row_figure, row_draw, move_in_row,
                  N_("the chosen query's scores and weights, left as they are, right divided by \u221ad")},
    [PANE_LOSS] =
        {"loss", N_("loss"), loss_figure, loss_draw, move_query,
         N_("query i is to find key i (\u25b8): the loss while it learns to, dashed undivided, the line "
            "divided by \u221ad; \u25cf where you are")},
    [PANE_VARIANCE] =
        {"variance", N_("variance"), variance_figure, variance_draw, move_query,
         N_("the variance of the scores as d grows: it is d undivided, 1 divided; \u25c6 the d now")},
    [PANE_GRADIENT] = {"gradient", N_("gradient"), gradient_figure, gradient_draw, move_query,
                       N_("how much gradient the softmax lets through as d grows; \u25c6 the d now")},
    [PANE_MAX] =
        {"max", N_("largest weight"), max_weight_figure, max_weight_draw, move_query,
         N_("the largest weight of a row as d grows: near 1 one key swallows the others; \u25c6 the d now")},
    [PANE_ENTROPY] =
        {"entropy", N_("entropy"), entropy_figure, entropy_draw, move_query,
         N_("how evenly the weights are shared as d grows: 0 is all on one key; \u25c6 the d now")},
    [PANE_WEIGHTS] = {"weights", N_("all queries"), weights_figure, weights_draw, move_cell,
                      N_("the weights of all queries, undivided and divided; \u25b8 \u25c2 the chosen query, "
                         "\u25c6 the chosen key")},
    [PANE_PARAMETERS] = {"parameters", N_("parameters"), NULL, panel_draw, move_cell, PANEL_HELP},
};

/* ---- layout */

/* A row and the training above two curves over d. What is focused takes the place of its like. */
static void layout_medium(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    size_t focus = stage->focus;
    struct area lower = area_cut_bottom(&a, a.rows * 8 / 20);
    out[PANE_LOSS] = area_cut_right(&a, a.cols * 42 / 100);
    out[focus == PANE_WEIGHTS ? PANE_WEIGHTS : PANE_ROW] = a;
    out[PANE_PARAMETERS] = area_cut_right(&lower, lower.cols * 34 / 100);
    out[focus == PANE_ENTROPY ? PANE_ENTROPY : PANE_VARIANCE] = area_cut_left(&lower, lower.cols / 2);
    out[focus == PANE_MAX ? PANE_MAX : PANE_GRADIENT] = lower;
}

static void layout_large(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    (void)stage;
    static const size_t measures[MEASURES] = {PANE_VARIANCE, PANE_MAX, PANE_ENTROPY, PANE_GRADIENT};
    struct area upper = area_cut_top(&a, a.rows * 36 / 100), middle = area_cut_top(&a, a.rows / 2);
    out[PANE_WEIGHTS] = area_cut_right(&upper, upper.cols / 2);
    out[PANE_ROW] = upper;
    for (int i = 0; i < MEASURES; i++)
        out[measures[i]] = area_cut_left(&middle, middle.cols / (MEASURES - i));
    out[PANE_PARAMETERS] = area_cut_right(&a, a.cols * 46 / 100);
    out[PANE_LOSS] = a;
}

static void scale_layout(const struct stage *stage, struct area area, struct area out[PANES_MAX])
{
    static const struct layouts layouts = {PANE_PARAMETERS, PANE_ROW, layout_medium, layout_large};

    layout_by_room(&layouts, stage, area, out);
}

/* ---- words */

static void scale_formula(const struct stage *stage, struct area line)
{
    const struct study *s = state_of(stage);
    int x = 0;
    for (int way = 0; way < WAYS; way++) {
        char score[NUMBER_TEXT], weight[NUMBER_TEXT], divided[64] = "";
        double value = matrix_row(&s->score[way], s->row)[s->col];
        if (!is_shown(stage, way))
            continue;
        show(score, value);
        if (way == WAY_SCALED) {
            char plain[NUMBER_TEXT];
            snprintf(divided, sizeof divided, "%s/\u221a%zu = ", show(plain, value * sqrt((double)s->d)),
                     s->d);
        }
        x += area_text(line, x, 0, look_pen(line.look, way_role[way]), way_name[way]);
        x += area_textf(line, x, 0, look_pen(line.look, ROLE_TEXT), " = %s%s, \u03b1 = %s", divided, score,
                        show(weight, matrix_row(&s->weight[way], s->row)[s->col])) +
             3;
    }
    const char *rest = _("(query and key selected; \u03b1 = softmax over the keys)");
    if (x + utf8_columns(rest) <= line.cols)
        area_text(line, x, 0, look_pen(line.look, ROLE_DIM), rest);
}

static void scale_progress(const struct stage *stage, char *out, size_t size)
{
    epoch_text(scale_position(stage), scale_end(stage), out, size);
}

/* The average largest weight above which little is left for the gradient. */
static const double SATURATED = 0.95;

static enum role remark_on_weights(const struct stage *stage, const struct at_d *at, char *out, size_t size)
{
    double plain = at->value[MAX_WEIGHT][WAY_PLAIN];
    char a[NUMBER_TEXT], b[NUMBER_TEXT];
    number_show(a, plain, 2, 5);
    number_show(b, at->value[MAX_WEIGHT][WAY_SCALED], 2, 5);
    if (!is_shown(stage, WAY_PLAIN))
        snprintf(out, size, _("Divided by \u221ad the largest weight is %s on average, whatever d is."), b);
    else if (!is_shown(stage, WAY_SCALED))
        snprintf(out, size, _("Undivided, the largest weight is %s on average. It grows with d."), a);
    else if (plain > 0.8)
        snprintf(out, size, _("On average one key gets %s of the weight; divided by \u221ad it gets %s."), a,
                 b);
    else
        snprintf(out, size, _("On average the largest weight is %s; divided by \u221ad, %s. Raise d."), a, b);
    return plain > SATURATED && is_shown(stage, WAY_PLAIN) ? ROLE_WARN : ROLE_DIM;
}

/* Undivided queries that give nearly all their weight to a key that is not theirs: their softmax is flat
 * there. */
static size_t count_stuck(const struct study *s)
{
    size_t stuck = 0;
    for (size_t t = 0; t < s->n; t++)
        for (size_t j = 0; j < s->m; j++)
            stuck += j != t && matrix_row(&s->weight[WAY_PLAIN], t)[j] > 0.99;
    return stuck;
}

static enum role remark_on_training(const struct stage *stage, char *out, size_t size)
{
    const struct study *s = state_of(stage);
    size_t k = s->run[WAY_SCALED].cursor, stuck = count_stuck(s);
    double plain = s->run[WAY_PLAIN].loss[k], scaled = s->run[WAY_SCALED].loss[k];
    char a[NUMBER_TEXT], b[NUMBER_TEXT];
    show(a, plain);
    show(b, scaled);
    if (!is_shown(stage, WAY_PLAIN) || !is_shown(stage, WAY_SCALED)) {
        snprintf(out, size, _("Epoch %zu: the loss is %s."), k, is_shown(stage, WAY_PLAIN) ? a : b);
        return ROLE_DIM;
    }
    if (stuck > 0 && plain > scaled) {
        snprintf(out, size,
                 _("Undivided, %zu of %zu stick to a key not theirs (\u25b8): loss %s; divided %s."), stuck,
                 s->n, a, b);
        return ROLE_WARN;
    }
    snprintf(out, size, _("Epoch %zu: the loss is %s undivided and %s divided."), k, a, b);
    return ROLE_DIM;
}

static enum role scale_remark(const struct stage *stage, char *out, size_t size)
{
    const struct study *s = state_of(stage);
    const struct at_d *at = at_chosen(s);
    if (s->run[WAY_SCALED].cursor > 0)
        return remark_on_training(stage, out, size);
    if (s->d == 1) {
        snprintf(out, size, _("With d = 1 there is nothing to divide: both ways are the same."));
        return ROLE_DIM;
    }
    if (!at || !at->known) {
        snprintf(out, size, _("Drawing queries and keys for every d ..."));
        return ROLE_DIM;
    }
    return remark_on_weights(stage, at, out, size);
}

/* ---- the script */

static void put_measures(const struct study *s, uint64_t seed, struct buf *out)
{
    buf_puts(
        out,
        "\ndef measure(d):\n"
        "    \"\"\"Many queries, each with keys of its own: what a softmax makes of their scores.\"\"\"\n"
        "    n = min(max(2**16 // d // 16 * 16, 256), 4096)\n");
    buf_printf(out, "    torch.manual_seed(%" PRIu64 ")\n", seed);
    buf_printf(
        out,
        "    q = torch.randn(n, d).double()\n"
        "    k = torch.randn(n, %zu, d).double()\n"
        "    scores = torch.bmm(k, q.unsqueeze(2)).squeeze(2)\n"
        "    row = [d]\n"
        "    measures = []\n"
        "    for s in (scores, scores / math.sqrt(d)):\n"
        "        a = torch.softmax(s, dim=1)\n"
        "        jacobian = torch.diag_embed(a) - a.unsqueeze(2) * a.unsqueeze(1)\n"
        "        measures.append([s.var(unbiased=False), a.max(dim=1).values.mean(),\n"
        "                         torch.special.entr(a).sum(dim=1).mean(), "
        "jacobian.flatten(1).norm(dim=1).mean()])\n"
        "    for plain, scaled in zip(*measures):\n"
        "        row += [plain.item(), scaled.item()]\n"
        "    return row\n"
        "\n\n"
        "def by_d():\n"
        "    names = [\"d\", \"var\", \"var_scaled\", \"max_weight\", \"max_weight_scaled\", \"entropy\", "
        "\"entropy_scaled\",\n"
        "             \"gradient\", \"gradient_scaled\"]\n",
        s->m);
    buf_puts(out, "    rows = [measure(d) for d in (");
    for (size_t i = 0; i < s->n_d; i++)
        buf_printf(out, "%s%zu", i > 0 ? ", " : "", s->by_d[i].d);
    buf_puts(out, ")]\n"
                  "    return dict(zip(names, zip(*rows)))\n"
                  "\n\n");
}

static void put_training(const struct stage *stage, struct buf *out)
{
    const struct study *s = state_of(stage);
    torch_seed(stage, out);
    buf_printf(out,
               "queries = torch.randn(%zu, %zu).double()\n"
               "keys = torch.randn(%zu, %zu).double()\n"
               "wanted = torch.eye(%zu, %zu).double()  # query t is to find key t\n"
               "scale = 1 / math.sqrt(keys.shape[1])\n"
               "num_epochs = %zu\n"
               "lr = ",
               s->n, s->d, s->m, s->d, s->n, s->m, s->run[WAY_SCALED].cursor);
    torch_number(stage->values[P_LR].number, out);
    buf_puts(out,
             "\n\n\n"
             "def train(scale):\n"
             "    \"\"\"Moves the queries; returns them, and losses and gradients' lengths, the start's "
             "first.\"\"\"\n"
             "    q = queries.clone().requires_grad_()\n"
             "    trainer = torch.optim.SGD([q], lr=lr)\n"
             "    losses, lengths = [], []\n"
             "    for epoch in range(num_epochs + 1):\n"
             "        trainer.zero_grad()\n"
             "        loss = ((torch.softmax(q @ keys.T * scale, dim=1) - wanted) ** 2).sum(dim=1).mean()\n"
             "        loss.backward()\n"
             "        losses.append(loss.item())\n"
             "        lengths.append(q.grad.norm().item())\n"
             "        if epoch < num_epochs:\n"
             "            trainer.step()\n"
             "    return q.detach(), losses, lengths\n"
             "\n\n");
}

static void scale_torch(const struct stage *stage, struct buf *out)
{
    const struct study *s = state_of(stage);
    put_measures(s, stage->values[P_SEED].seed, out);
    put_training(stage, out);
    buf_printf(out,
               "q_plain, loss, gradient = train(1)\n"
               "q_scaled, loss_scaled, gradient_scaled = train(scale)\n"
               "score = q_plain[%zu] @ keys.T\n"
               "score_scaled = q_scaled[%zu] @ keys.T * scale\n\n",
               s->row, s->row);
    buf_puts(out,
             "tables = {\n"
             "    \"by_d\": by_d,\n"
             "    \"history\": {\"epoch\": range(num_epochs + 1), \"loss\": loss, \"gradient\": gradient,\n"
             "                \"loss_scaled\": loss_scaled, \"gradient_scaled\": gradient_scaled},\n"
             "    \"row\": {\"key\": range(len(keys)), \"score\": score, \"weight\": torch.softmax(score, "
             "dim=0),\n"
             "            \"score_scaled\": score_scaled, \"weight_scaled\": torch.softmax(score_scaled, "
             "dim=0)},\n"
             "}\n");
}

const struct demo demo_scale = {
    .name = "scale",
    .title = N_("why scores are divided by \u221ad"),
    .summary = N_("what many dimensions do to a softmax, and to training"),
    .params = params,
    .n_params = ALEN(params),
    .panes = panes,
    .n_panes = ALEN(panes),
    .tables = scale_tables,
    .n_tables = ALEN(scale_tables),
    .open = scale_open,
    .copy = scale_copy,
    .restored = scale_restored,
    .discard = discard,
    .apply = scale_apply,
    .work = scale_work,
    .position = scale_position,
    .known = scale_known,
    .end = scale_end,
    .go = scale_go,
    .reset = scale_reset,
    .select = scale_select,
    .layout = scale_layout,
    .formula = scale_formula,
    .progress = scale_progress,
    .remark = scale_remark,
    .torch = scale_torch,
};
