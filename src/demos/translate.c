/* Translation: one fixed vector for the whole sentence against a context for each output word. The weights
 * are set by hand or learned. */
#include "demos/demo.h"

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
#include "draw/decimal.h"
#include "draw/heatmap.h"
#include "engine/align.h"
#include "engine/matrix.h"
#include "engine/mem.h"
#include "engine/run.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* ---- the sentence */

/* Word for word in the same order, so that the right alignment is the diagonal. */
/* clang-format off */
static const struct {
    const char *source, *output;
} sentence[] = {
    {"I", "我"}, {"Love", "爱"}, {"You", "你"}, {"and", "和"}, {"your", "你的"},
    {"family", "家人"}, {"because", "因为"}, {"you", "你们"}, {"always", "总是"}, {"help", "帮助"},
    {"me", "我"}, {"when", "当"}, {"I", "我"}, {"learn", "学习"}, {"new", "新"},
    {"words", "词"}, {"every", "每"}, {"day", "天"}, {"we", "我们"}, {"read", "读"},
    {"books", "书"}, {"drink", "喝"}, {"red", "红"}, {"tea", "茶"}, {"write", "写"},
    {"letters", "信"}, {"sing", "唱"}, {"songs", "歌"}, {"and", "和"}, {"watch", "看"},
    {"old", "老"}, {"films", "电影"}, {"then", "然后"}, {"we", "我们"}, {"walk", "走"},
    {"home", "回家"}, {"and", "和"}, {"talk", "谈"}, {"about", "关于"}, {"tomorrow", "明天"},
    {"if", "如果"}, {"it", "它"}, {"rains", "下雨"}, {"we", "我们"}, {"stay", "留在"},
    {"inside", "里面"}, {"and", "和"}, {"cook", "做"}, {"good", "好"}, {"soup", "汤"},
};
/* clang-format on */

_Static_assert(ALEN(sentence) == ALIGN_WORDS_MAX, "a word for each of the model's");

/* ---- parameters */

enum { P_ALPHA, P_BY, P_SCORE, P_LENGTH, P_D, P_LR, P_EPOCHS, P_SEED };

enum { BY_HAND, BY_LEARNING };

static const char *const ways[] = {[BY_HAND] = "hand", [BY_LEARNING] = "learned", NULL};
static const char *const scores[] = {"additive", "dot", NULL};

static const struct param params[] = {
    [P_ALPHA] =
        {.name = "alpha",
         .label = N_("weights by hand"),
         .kind = PARAM_LIST,
         .lo = 0,
         .hi = 1000,
         .step = 0.1,
         .initial = "0.8,0.1,0.1",
         .unit = "",
         .help =
             N_("the first output word's weights of the source words; each next output word looks one word "
                "further on; they are divided by their sum")},
    [P_BY] = {.name = "by",
              .label = N_("weights from"),
              .kind = PARAM_CHOICE,
              .choices = ways,
              .initial = "hand",
              .unit = "",
              .help = N_("who says where to look: alpha by hand, or scores that are learned")},
    [P_SCORE] = {.name = "score",
                 .label = N_("score"),
                 .kind = PARAM_CHOICE,
                 .choices = scores,
                 .initial = "dot",
                 .unit = "",
                 .help = N_(
                     "what is trained: w\u1d65\u00b7tanh(W_q q + W_k h), or (W_q q)\u00b7(W_k h) / \u221ad")},
    [P_LENGTH] = {.name = "length",
                  .label = N_("words"),
                  .kind = PARAM_INTEGER,
                  .lo = 3,
                  .hi = ALIGN_WORDS_MAX,
                  .step = 1,
                  .steps = STEPS_LINEAR,
                  .initial = "3",
                  .unit = "",
                  .help = N_("words in the sentence: one vector has to stand for all of them")},
    [P_D] = {.name = "d",
             .label = N_("numbers a vector"),
             .kind = PARAM_INTEGER,
             .lo = 2,
             .hi = 16,
             .step = 1,
             .steps = STEPS_LINEAR,
             .initial = "5",
             .unit = "",
             .help = N_("each word is a vector of d numbers, and so is a context")},
    [P_LR] = {.name = "lr",
              .label = N_("learning rate"),
              .kind = PARAM_REAL,
              .lo = 0,
              .hi = 1e6,
              .usual_lo = 0,
              .usual_hi = 10,
              .step = 0.01,
              .steps = STEPS_ONE_TWO_FIVE,
              .initial = "1",
              .unit = "",
              .help = N_("each epoch moves W_q, W_k (and w_v) by lr times the gradient, downhill")},
    [P_EPOCHS] = {.name = "epochs",
                  .label = N_("epochs"),
                  .kind = PARAM_INTEGER,
                  .lo = 1,
                  .hi = 500,
                  .usual_lo = 1,
                  .usual_hi = 100,
                  .step = 5,
                  .steps = STEPS_LINEAR,
                  .initial = "30",
                  .unit = "",
                  .help = N_("where playing stops")},
    [P_SEED] = SEED_PARAM,
};

/* ---- state */

/* The error over the sentence's length. Fixed: known at once; attention: trained anew for every length, as
 * long as the longest need. */
enum { LENGTH_EPOCHS = 300 };

static const size_t lengths[] = {3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50};

struct by_length {
    double fixed[ALEN(lengths)], attention[ALEN(lengths)];
    size_t n;      /* lengths done */
    size_t epoch;  /* of the one in hand */
    double *theta; /* its parameters; NULL: not begun */
};

struct translate {
    struct align_draw draw;
    struct align model;
    struct run run;
    size_t goal;       /* the epoch that `work` is on the way to */
    size_t row, col;   /* the selected output word and source word */
    bool has_switched; /* the last command turned `by` the other way, unasked */
    struct by_length by_length;

    /* What is shown at the cursor. */
    struct matrix weights, context; /* (n, n), (n, d) */
    struct matrix one;              /* (n, d): the fixed vector, the same for each output word */
    double fixed_error, error;
};

static struct translate *state_of(const struct stage *stage)
{
    return stage->state;
}

static bool is_learned(const struct stage *stage)
{
    return stage->values[P_BY].number == BY_LEARNING;
}

static void evaluate(const void *data, const double *theta, double *loss, double *gradient)
{
    *loss = align_loss(data, theta, NULL, NULL, gradient);
}

static struct objective objective_of(const struct translate *t)
{
    return (struct objective){align_dim(t->model.score, t->model.d), evaluate, &t->model};
}

/* Roughly what one loss with its gradient costs, in nanoseconds. */
static long loss_cost(const struct align *model)
{
    size_t pair = model->score == SCORE_ADDITIVE ? 40 : 8;
    return (long)(model->n * model->d * (model->n * pair + model->d * 8) + 3000);
}

/* ---- weights by hand */

static double alpha_sum(const struct value *alpha)
{
    double sum = 0;
    for (size_t j = 0; j < alpha->n_list; j++)
        sum += alpha->list[j];
    return sum;
}

/* Output word T's weight of source word J: alpha, moved on by one source word for each output word. */
static double hand_weight(const struct value *alpha, size_t t, size_t j)
{
    size_t n = alpha->n_list;
    return alpha->list[(j + n - t) % n] / alpha_sum(alpha);
}

/* Most of the weight on the word itself, the rest shared, in round numbers. */
static void default_alpha(struct value *alpha, size_t n)
{
    *alpha = (struct value){.n_list = n, .n_rows = 1};
    for (size_t j = 0; j < n; j++)
        alpha->list[j] = j == 0 ? 0.8 : round(200 / (double)(n - 1)) / 1000;
}

static bool check_alpha(const struct stage *stage, struct error *error)
{
    const struct value *alpha = &stage->values[P_ALPHA];
    size_t n = (size_t)stage->values[P_LENGTH].number;
    if (alpha->n_list != n)
        return error_set(error, STATUS_USAGE, _("alpha has %zu numbers, the sentence has %zu words"),
                         alpha->n_list, n);
    if (!(alpha_sum(alpha) > 0))
        return error_set(error, STATUS_USAGE, "%s", _("alpha: at least one weight must be above 0"));
    return true;
}

/* ---- what follows from the state */

static void refresh(struct stage *stage)
{
    struct translate *t = state_of(stage);
    size_t n = t->model.n, d = t->model.d;
    matrix_reshape(&t->weights, n, n);
    matrix_reshape(&t->context, n, d);
    matrix_reshape(&t->one, n, d);
    t->fixed_error = align_fixed(&t->model, t->one.at);
    for (size_t i = 1; i < n; i++)
        memcpy(matrix_row(&t->one, i), t->one.at, d * sizeof(double));
    if (is_learned(stage)) {
        const double *theta = t->run.theta + t->run.cursor * t->run.dim;
        align_loss(&t->model, theta, t->weights.at, t->context.at, NULL);
    } else {
        const struct attention_shape shape = {.batch = 1, .n_q = n, .n_k = n, .d_v = d};
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                matrix_row(&t->weights, i)[j] = hand_weight(&stage->values[P_ALPHA], i, j);
        attention_pool(&shape, t->weights.at, t->model.source, t->context.at);
    }
    t->error = align_error(&t->model, t->context.at);
}

/* ---- the error by length */

static struct align model_of_length(const struct translate *t, size_t n)
{
    struct align model = t->model;
    model.n = n;
    return model;
}

static void by_length_start(struct translate *t)
{
    double mean[16];
    free(t->by_length.theta);
    t->by_length = (struct by_length){.n = 0};
    for (size_t i = 0; i < ALEN(lengths); i++) {
        struct align model = model_of_length(t, lengths[i]);
        t->by_length.fixed[i] = align_fixed(&model, mean);
    }
}

/* One epoch further. Where training diverges there is no error to show: NaN. */
static long by_length_step(struct stage *stage)
{
    struct translate *t = state_of(stage);
    struct by_length *b = &t->by_length;
    struct align model = model_of_length(t, lengths[b->n]);
    size_t dim = align_dim(model.score, model.d);
    bool last = b->epoch == LENGTH_EPOCHS;
    if (!b->theta)
        b->theta = mem_copy(t->draw.theta, dim, sizeof(double));
    double *gradient = mem_new(dim, sizeof *gradient);
    double loss = align_loss(&model, b->theta, NULL, NULL, last ? NULL : gradient);
    for (size_t i = 0; i < dim; i++)
        b->theta[i] -= stage->values[P_LR].number * gradient[i];
    free(gradient);
    b->epoch++;
    if (last || !isfinite(loss)) {
        b->attention[b->n++] = isfinite(loss) ? loss : (double)NAN;
        b->epoch = 0;
        free(b->theta);
        b->theta = NULL;
    }
    return loss_cost(&model);
}

/* ---- opening */

/* Draws what D and the seed ask for and starts the run there. */
static void start(struct stage *stage)
{
    struct translate *t = state_of(stage);
    const struct value *v = stage->values;
    align_draw_free(&t->draw);
    t->draw = align_draw_new(v[P_SEED].seed, (size_t)v[P_D].number);
    t->model = (struct align){
        .score = v[P_SCORE].number == 0 ? SCORE_ADDITIVE : SCORE_SCALED,
        .n = (size_t)v[P_LENGTH].number,
        .d = t->draw.d,
        .source = t->draw.source,
        .query = t->draw.query,
    };
}

static void start_run(struct stage *stage)
{
    struct translate *t = state_of(stage);
    size_t last = t->model.n - 1;
    run_start(&t->run, objective_of(t), t->draw.theta);
    t->goal = 0;
    t->row = t->row < last ? t->row : last;
    t->col = t->col < last ? t->col : last;
    by_length_start(t);
    refresh(stage);
}

static void discard(void *state)
{
    struct translate *t = state;
    align_draw_free(&t->draw);
    run_free(&t->run);
    free(t->by_length.theta);
    matrix_free(&t->weights);
    matrix_free(&t->context);
    matrix_free(&t->one);
    free(t);
}

static bool translate_open(struct stage *stage, struct error *error)
{
    struct value *v = stage->values;
    size_t words = v[P_ALPHA].n_list;
    if (v[P_ALPHA].given && !v[P_LENGTH].given && words >= 3 && words <= ALIGN_WORDS_MAX)
        v[P_LENGTH].number = (double)words;
    if (!v[P_ALPHA].given && words != (size_t)v[P_LENGTH].number)
        default_alpha(&v[P_ALPHA], (size_t)v[P_LENGTH].number);
    if (!check_alpha(stage, error))
        return false;
    stage->state = mem_new(1, sizeof(struct translate));
    start(stage);
    start_run(stage);
    return true;
}

static void *translate_copy(const void *state)
{
    const struct translate *from = state;
    struct translate *t = mem_copy(from, 1, sizeof *from);
    t->run = run_copy(&from->run);
    t->draw = (struct align_draw){0};
    t->weights = t->context = t->one = (struct matrix){0};
    t->by_length.theta = NULL;
    t->by_length.epoch = 0;
    t->goal = t->run.cursor;
    return t;
}

static void translate_restored(struct stage *stage)
{
    start(stage);
    refresh(stage);
}

/* ---- changing */

/* Keeps the curve under the name of what was in force before parameter P took its new value. */
static void branch(struct translate *t, const struct param *p, const struct value *old)
{
    char text[64], label[128];
    param_show(p, old, 24, text, sizeof text);
    snprintf(label, sizeof label, "%s %s", p->name, text);
    run_branch(&t->run, label);
}

static void apply_rate(struct stage *stage, const struct value *old)
{
    struct translate *t = state_of(stage);
    t->goal = t->run.cursor;
    if (t->run.cursor + 1 < t->run.n)
        branch(t, &params[P_LR], old);
    t->run.diverged = false;
    by_length_start(t);
}

static bool translate_apply(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    struct translate *t = state_of(stage);
    struct value *v = stage->values;
    t->has_switched = false;
    switch (changed) {
    case P_ALPHA:
        if (!check_alpha(stage, error))
            return false;
        t->has_switched = is_learned(stage);
        v[P_BY].number = BY_HAND;
        break;
    case P_BY:
    case P_EPOCHS:
        break;
    case P_LR:
        apply_rate(stage, old);
        break;
    default:
        if (changed == P_LENGTH && v[P_ALPHA].n_list != (size_t)v[P_LENGTH].number)
            default_alpha(&v[P_ALPHA], (size_t)v[P_LENGTH].number);
        branch(t, &params[changed], old);
        start(stage);
        start_run(stage);
        return true;
    }
    refresh(stage);
    return true;
}

/* alpha with the selected source word's weight moved by STEPS tenths. */
static bool translate_adjust(struct stage *stage, size_t param, int steps, struct value *value)
{
    const struct translate *t = state_of(stage);
    const struct param *p = &params[param];
    size_t item = (t->col + value->n_list - t->row) % value->n_list;
    double moved = round((value->list[item] / p->step + steps) * 1e6) / 1e6 * p->step;
    /* Tenths that read as typed: 0.3, not 0.30000000000000004. */
    moved = round(moved * 1e9) / 1e9;
    value->list[item] = fmin(fmax(moved, p->lo), p->hi);
    return true;
}

static bool translate_nudge(struct stage *stage, int steps, struct error *error)
{
    struct value old = stage->values[P_ALPHA];
    translate_adjust(stage, P_ALPHA, steps, &stage->values[P_ALPHA]);
    stage->values[P_ALPHA].given = true;
    if (translate_apply(stage, P_ALPHA, &old, error))
        return true;
    stage->values[P_ALPHA] = old;
    return false;
}

/* ---- the timeline */

static size_t translate_position(const struct stage *stage)
{
    return state_of(stage)->run.cursor;
}

static size_t translate_known(const struct stage *stage)
{
    return state_of(stage)->run.n - 1;
}

static size_t translate_end(const struct stage *stage)
{
    return run_end(&state_of(stage)->run, (size_t)stage->values[P_EPOCHS].number);
}

/* Whoever steps wants to see what is learned. */
static void translate_go(struct stage *stage, size_t target)
{
    struct translate *t = state_of(stage);
    if (target != t->run.cursor) {
        t->has_switched = stage->values[P_BY].number == BY_HAND;
        stage->values[P_BY].number = BY_LEARNING;
    }
    t->goal = target;
    run_seek(&t->run, target);
    refresh(stage);
}

static void translate_reset(struct stage *stage)
{
    struct translate *t = state_of(stage);
    run_seek(&t->run, 0);
    run_forget(&t->run);
    t->goal = 0;
    refresh(stage);
}

static bool translate_work(struct stage *stage, long budget)
{
    struct translate *t = state_of(stage);
    bool moved = false;
    while (budget > 0 && t->goal > t->run.cursor) {
        if (run_forward(&t->run, objective_of(t), stage->values[P_LR].number) == RUN_DIVERGED)
            t->goal = t->run.cursor;
        else
            moved = true;
        budget -= loss_cost(&t->model);
    }
    if (moved)
        refresh(stage);
    while (budget > 0 && t->by_length.n < ALEN(lengths))
        budget -= by_length_step(stage);
    return t->goal > t->run.cursor || t->by_length.n < ALEN(lengths);
}

/* ---- selecting */

static void move_cell(struct stage *stage, int dx, int dy)
{
    struct translate *t = state_of(stage);
    t->row = index_moved(t->row, dy, t->model.n);
    t->col = index_moved(t->col, dx, t->model.n);
}

/* Where source words stand below each other. */
static void move_source(struct stage *stage, int dx, int dy)
{
    move_cell(stage, dy, dx);
}

static void move_output(struct stage *stage, int dx, int dy)
{
    move_cell(stage, 0, dx + dy);
}

static bool translate_select(struct stage *stage, long row, long column, struct error *error)
{
    struct translate *t = state_of(stage);
    if (row >= (long)t->model.n || column >= (long)t->model.n)
        return error_set(error, STATUS_USAGE, _("select: there are output words and source words 0 to %zu"),
                         t->model.n - 1);
    t->row = (size_t)row;
    if (column >= 0)
        t->col = (size_t)column;
    return true;
}

/* ---- tables */

static struct table table_weights(const struct stage *stage)
{
    const struct translate *t = state_of(stage);
    return table_from_matrix(t->weights.at, t->weights.rows, t->weights.cols);
}

static struct table table_context(const struct stage *stage)
{
    const struct translate *t = state_of(stage);
    return table_from_matrix(t->context.at, t->context.rows, t->context.cols);
}

static struct table table_source(const struct stage *stage)
{
    const struct translate *t = state_of(stage);
    return table_from_matrix(t->model.source, t->model.n, t->model.d);
}

static struct table table_fixed(const struct stage *stage)
{
    const struct translate *t = state_of(stage);
    return table_from_matrix(t->one.at, 1, t->model.d);
}

static double norm(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

static struct table table_history(const struct stage *stage)
{
    const struct translate *t = state_of(stage);
    struct table table = table_new(t->run.cursor + 1);
    double *epoch = table_add_numbers(&table, "epoch"), *loss = table_add_numbers(&table, "loss"),
           *gradient = table_add_numbers(&table, "gradient");
    for (size_t i = 0; i <= t->run.cursor; i++) {
        epoch[i] = (double)i;
        loss[i] = t->run.loss[i];
        gradient[i] = norm(t->run.gradient + i * t->run.dim, t->run.dim);
    }
    return table;
}

static struct table table_by_length(const struct stage *stage)
{
    const struct by_length *b = &state_of(stage)->by_length;
    struct table table = table_new(ALEN(lengths));
    double *length = table_add_numbers(&table, "length"), *fixed = table_add_numbers(&table, "fixed"),
           *attention = table_add_numbers(&table, "attention");
    for (size_t i = 0; i < ALEN(lengths); i++) {
        length[i] = (double)lengths[i];
        fixed[i] = b->fixed[i];
        if (i < b->n)
            attention[i] = b->attention[i];
    }
    return table;
}

static const struct demo_table translate_tables[] = {
    {"weights", N_("the attention weights, output words x source words"), table_weights},
    {"context", N_("a context for each output word"), table_context},
    {"history", N_("epoch, loss, the gradient's length; row 0 is the start"), table_history},
    {"by_length",
     N_("the error of one vector, and of attention after 300 epochs, over the sentence's length"),
     table_by_length},
    {"source", N_("the source words' vectors h"), table_source},
    {"fixed", N_("the one vector that serves all output words best"), table_fixed},
};

/* ---- panes */

enum {
    PANE_WEIGHTS,
    PANE_FIXED,
    PANE_CONTEXT,
    PANE_LOSS,
    PANE_LENGTH,
    PANE_SUM,
    PANE_SOURCE,
    PANE_PARAMETERS
};

static const uint32_t glyph_line = 0x2501, glyph_dashes = 0x2509, glyph_here = 0x25c6;

static const char *show(char out[NUMBER_TEXT], double value)
{
    return number_show(out, value, 3, 7);
}

static void label_output(const void *context, size_t i, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "%s", sentence[i].output);
}

static void label_source(const void *context, size_t i, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "%s", sentence[i].source);
}

static void error_figure(struct area corner, double error)
{
    char text[64], number[NUMBER_TEXT];
    snprintf(text, sizeof text, _("error %s"), show(number, error));
    figure_text(corner, text);
}

static void weights_figure(const struct stage *stage, struct area corner)
{
    const struct translate *t = state_of(stage);
    char text[96], number[NUMBER_TEXT];
    snprintf(text, sizeof text, "\u03b1(%s, %s) = %s", sentence[t->row].output, sentence[t->col].source,
             show(number, matrix_row(&t->weights, t->row)[t->col]));
    if (utf8_columns(text) + 2 > corner.cols)
        snprintf(text, sizeof text, "%s", number);
    figure_text(corner, text);
}

static void weights_draw(const struct stage *stage, struct area inside)
{
    const struct translate *t = state_of(stage);
    struct matrix_view view = {
        .value = t->weights.at,
        .batch = 1,
        .rows = t->model.n,
        .cols = t->model.n,
        .lo = 0,
        .hi = 1,
        .row_label = label_output,
        .col_label = label_source,
        .at_batch = 0,
        .at_row = t->row,
        .at_col = t->col,
        .row_sums = true,
    };
    if (matrix_view_fits(inside, &view, 4)) {
        matrix_view_draw(inside, &view);
        return;
    }
    view.row_sums = false;
    if (matrix_view_fits(inside, &view, 4)) {
        matrix_view_draw(inside, &view);
        return;
    }
    struct heatmap h = {
        .value = t->weights.at,
        .n_q = t->model.n,
        .n_k = t->model.n,
        .lo = 0,
        .hi = 1,
        .scale = HEAT_ROOT,
        .pooling = POOL_MAX,
        .q_title = _("output words"),
        .k_title = _("source words \u2192"),
        .q_label = label_output,
        .k_label = label_source,
        .selected_q = t->row,
        .selected_k = t->col,
        .color_bar = true,
    };
    heatmap_draw(inside, &h);
}

/* One colour scale for all vectors, symmetric about 0. */
static double largest(const struct translate *t)
{
    double most = 0;
    for (size_t i = 0; i < t->model.n * t->model.d; i++)
        most = fmax(most, fabs(t->model.source[i]));
    return most;
}

/* What a pane of vectors shows: N of them, and how far each is from its word. */
struct vectors {
    const struct translate *of;
    const double *at; /* (n, d) */
};

static void note_error(const void *context, size_t batch, size_t row, char *out, size_t size)
{
    const struct vectors *vectors = context;
    const struct align *model = &vectors->of->model;
    const struct align word = {.n = 1, .d = model->d, .source = model->source + row * model->d};
    char number[NUMBER_TEXT];
    (void)batch;
    snprintf(out, size, " %-5s", number_show(number, align_error(&word, vectors->at + row * model->d), 2, 5));
}

static struct matrix_view view_of_vectors(const struct vectors *vectors, view_label *label, size_t selected)
{
    const struct align *model = &vectors->of->model;
    double most = largest(vectors->of);
    return (struct matrix_view){
        .value = vectors->at,
        .batch = 1,
        .rows = model->n,
        .cols = model->d,
        .lo = -most,
        .hi = most,
        .row_label = label,
        .label_context = vectors,
        .at_batch = 0,
        .at_row = selected,
        .at_col = VIEW_NONE,
    };
}

/* Adds what only a wide pane has room for: numbered columns, and the NOTES. */
static void widen_view(struct area inside, struct matrix_view *view, bool notes)
{
    struct matrix_view noted = *view;
    noted.row_note = note_error;
    noted.note_title = _("error");
    noted.col_prefix = "";
    if (!matrix_view_fits(inside, &noted, 5))
        return;
    view->col_prefix = "";
    if (notes)
        *view = noted;
}

/* The vectors that the output words get, each with its error where there is room. */
static void draw_contexts(const struct translate *t, struct area inside, const struct matrix *contexts)
{
    const struct vectors vectors = {t, contexts->at};
    struct matrix_view view = view_of_vectors(&vectors, label_output, t->row);
    widen_view(inside, &view, true);
    matrix_view_draw(inside, &view);
}

/* What the vectors are, on screens without the pane that shows h. */
static void explain(struct area *inside, const char *text)
{
    enum { COLS_WITH_SOURCE = 100, ROWS_WITH_SOURCE = 34 };
    bool is_shown = inside->frame->cols >= COLS_WITH_SOURCE && inside->frame->rows >= ROWS_WITH_SOURCE;
    if (is_shown || inside->rows < 5)
        return;
    struct area line = area_cut_bottom(inside, 1);
    area_text_fit(line, 0, 0, line.cols, look_pen(line.look, ROLE_DIM), text);
}

static void source_figure(const struct stage *stage, struct area corner)
{
    const struct translate *t = state_of(stage);
    figure_shape(corner, 0, t->model.n, t->model.d);
}

static void source_draw(const struct stage *stage, struct area inside)
{
    const struct translate *t = state_of(stage);
    const struct vectors vectors = {t, t->model.source};
    struct matrix_view view = view_of_vectors(&vectors, label_source, t->col);
    widen_view(inside, &view, false);
    matrix_view_draw(inside, &view);
}

static void fixed_figure(const struct stage *stage, struct area corner)
{
    error_figure(corner, state_of(stage)->fixed_error);
}

static void fixed_draw(const struct stage *stage, struct area inside)
{
    const struct translate *t = state_of(stage);
    explain(&inside, _("the mean of all words' vectors h"));
    draw_contexts(t, inside, &t->one);
}

static void context_figure(const struct stage *stage, struct area corner)
{
    error_figure(corner, state_of(stage)->error);
}

static void context_draw(const struct stage *stage, struct area inside)
{
    const struct translate *t = state_of(stage);
    explain(&inside, _("\u03a3 \u03b1\u00b7h; h is a source word's vector"));
    draw_contexts(t, inside, &t->context);
}

static void loss_figure(const struct stage *stage, struct area corner)
{
    const struct translate *t = state_of(stage);
    char text[64], loss[NUMBER_TEXT], one[64];
    snprintf(one, sizeof one, "%s", _("one vector"));
    /* By hand the curve is not of the weights on show, but of those that wait to be learned. */
    snprintf(text, sizeof text,
             is_learned(stage)   ? "%s"
             : t->run.cursor > 0 ? _("learned: %s")
                                 : _("to be learned: %s"),
             show(loss, t->run.loss[t->run.cursor]));
    const struct legend entries[] = {{ROLE_DATA, glyph_dashes, one}, {ROLE_ACCENT, glyph_line, text}};
    int wanted = utf8_columns(one) + utf8_columns(text) + 7;
    if (wanted <= corner.cols)
        legend_figure(corner, entries, ALEN(entries));
    else
        figure_text(corner, text);
}

static void loss_draw(const struct stage *stage, struct area inside)
{
    const struct translate *t = state_of(stage);
    const struct loss_curve curve = {&t->run, ROLE_ACCENT, LINE_PLAIN};
    loss_curves_draw(inside, &curve, 1, translate_end(stage), t->fixed_error);
}

static void length_figure(const struct stage *stage, struct area corner)
{
    const struct by_length *b = &state_of(stage)->by_length;
    char text[64];
    const struct legend entries[] = {{ROLE_DATA, glyph_dashes, _("one vector")},
                                     {ROLE_ACCENT, glyph_line, _("attention")}};
    if (b->n < ALEN(lengths)) {
        snprintf(text, sizeof text, "%zu %%", b->n * 100 / ALEN(lengths));
        figure_text(corner, text);
    } else {
        legend_figure(corner, entries, ALEN(entries));
    }
}

static void length_draw(const struct stage *stage, struct area inside)
{
    const struct translate *t = state_of(stage);
    const struct by_length *b = &t->by_length;
    const struct look *look = inside.look;
    double length[ALEN(lengths)];
    for (size_t i = 0; i < ALEN(lengths); i++)
        length[i] = (double)lengths[i];
    if (inside.rows > 9) {
        char note[128];
        struct area line = area_cut_bottom(&inside, 1);
        snprintf(note, sizeof note, _("after %d epochs at each length; \u25c6 now"), LENGTH_EPOCHS);
        if (utf8_columns(note) > line.cols)
            snprintf(note, sizeof note, _("after %d epochs; \u25c6 now"), LENGTH_EPOCHS);
        if (utf8_columns(note) > line.cols)
            snprintf(note, sizeof note, _("after %d epochs"), LENGTH_EPOCHS);
        area_text_fit(line, 0, 0, line.cols, look_pen(look, ROLE_DIM), note);
    }
    struct axis x = {.lo = 0, .hi = ALIGN_WORDS_MAX + 1, .whole = true, .label = _("words")},
                y = {.lo = 0, .hi = 1};
    range_over(&y.lo, &y.hi, b->fixed, ALEN(lengths));
    range_over(&y.lo, &y.hi, b->attention, b->n);
    y.hi *= 1.05;
    struct plot plot = plot_begin(inside, &x, &y);
    plot_line(&plot, length, b->fixed, ALEN(lengths), LINE_DASHED, look_pen(look, ROLE_DATA));
    plot_line(&plot, length, b->attention, b->n, LINE_PLAIN, look_pen(look, ROLE_ACCENT));
    plot_vertical(&plot, (double)t->model.n, look_pen(look, ROLE_FAINT));
    plot_end(&plot);
    plot_point(&plot, (double)t->model.n, t->fixed_error, look_pen(look, ROLE_SELECT), glyph_here);
    plot_point(&plot, (double)t->model.n, t->error, look_pen(look, ROLE_SELECT), glyph_here);
}

/* ---- the selected context, written out */

/* "(1.93, 1.49, 0.90)" in at most COLS columns; an ellipsis for what does not fit. */
static void list_vector(const double *v, size_t n, int cols, struct buf *out)
{
    int used = 1;
    buf_puts(out, "(");
    for (size_t i = 0; i < n; i++) {
        char text[NUMBER_TEXT];
        struct decimal rounded;
        bool last = i + 1 == n;
        if (!decimal_round(&rounded, v[i], 2) || !decimal_fixed(text, sizeof text, rounded))
            show(text, v[i]);
        used += (int)strlen(text) + (last ? 1 : 2);
        if (used + (last ? 0 : 2) > cols) {
            buf_puts(out, "\u2026");
            break;
        }
        buf_printf(out, "%s%s", text, last ? "" : ", ");
    }
    buf_puts(out, ")");
}

static void sum_figure(const struct stage *stage, struct area corner)
{
    const struct translate *t = state_of(stage);
    char text[96];
    snprintf(text, sizeof text, "c(%s) = \u03a3 \u03b1\u00b7h", sentence[t->row].output);
    figure_text(corner, text);
}

enum { SUM_WORD = 10, SUM_WEIGHT = 8, SUM_BAR = 12, SUM_NUMBER = 7 };

/* Where the vectors begin: after a bar, if there is room for one. */
static int sum_vectors(const struct translate *t, int cols)
{
    int without = SUM_WORD + SUM_WEIGHT;
    return cols >= without + SUM_BAR + 5 + SUM_NUMBER * (int)t->model.d ? without + SUM_BAR : without;
}

/* "Love    0.80  ======   a h = (1.10, -0.30, ...)" */
static void draw_term(const struct translate *t, struct area line, size_t j)
{
    const struct look *look = line.look;
    size_t d = t->model.d;
    double weight = matrix_row(&t->weights, t->row)[j], term[16];
    struct pen pen = look_pen(look, j == t->col ? ROLE_SELECT : ROLE_TEXT);
    char text[NUMBER_TEXT];
    struct buf vector = {0};
    int x = sum_vectors(t, line.cols), bar = x - SUM_WORD - SUM_WEIGHT;
    for (size_t h = 0; h < d; h++)
        term[h] = weight * t->model.source[j * d + h];
    area_text_fit(line, 0, 0, SUM_WORD - 1, pen, sentence[j].source);
    show(text, weight);
    area_text(line, SUM_WORD + SUM_WEIGHT - 2 - utf8_columns(text), 0, pen, text);
    if (bar > 0)
        bar_draw(line, SUM_WORD + SUM_WEIGHT - 1, 0, bar - 1, weight, look_pen(look, ROLE_ACCENT));
    list_vector(term, d, line.cols - x - 4, &vector);
    area_textf(line, x, 0, pen, "\u03b1\u00b7h %s", vector.at);
    buf_free(&vector);
}

static void draw_total(const struct translate *t, struct area line, const char *name, const double *v,
                       enum role role)
{
    int x = sum_vectors(t, line.cols) + 4;
    struct buf vector = {0};
    struct pen pen = look_pen(line.look, role);
    list_vector(v, t->model.d, line.cols - x, &vector);
    area_text_fit(line, 0, 0, x - 1, pen, name);
    area_text(line, x, 0, pen, vector.at);
    buf_free(&vector);
}

static void sum_draw(const struct stage *stage, struct area inside)
{
    const struct translate *t = state_of(stage);
    size_t n = t->model.n;
    struct area totals = area_cut_bottom(&inside, inside.rows > 4 ? 3 : inside.rows > 2 ? 1 : 0);
    int room = inside.rows;
    size_t first = (int)n > room && t->col > (size_t)room / 2 ? t->col - (size_t)room / 2 : 0;
    first = (int)n > room && first > n - (size_t)room ? n - (size_t)room : first;
    for (size_t j = first; j < n && inside.rows > 0; j++)
        draw_term(t, area_cut_top(&inside, 1), j);
    area_cut_top(&inside, inside.rows);
    if (totals.rows == 3 && room > (int)n)
        totals.y -= room - (int)n;
    draw_total(t, area_cut_top(&totals, 1), _("c, their sum"), matrix_row(&t->context, t->row), ROLE_STRONG);
    draw_total(t, area_cut_top(&totals, 1), _("should be: h"), t->model.source + t->row * t->model.d,
               ROLE_TRUTH);
    draw_total(t, area_cut_top(&totals, 1), _("the one vector"), t->one.at, ROLE_DATA);
}

static const struct pane panes[] = {
    [PANE_WEIGHTS] =
        {"weights", N_("weights \u03b1"), weights_figure, weights_draw, move_cell,
         N_("a row an output word, a column a source word: how much it attends to it; each row sums to 1")},
    [PANE_FIXED] =
        {"fixed", N_("one vector for all"), fixed_figure, fixed_draw, move_output,
         N_("without attention: every output word gets the same vector, the mean of the sentence")},
    [PANE_CONTEXT] = {"context", N_("a context for each"), context_figure, context_draw, move_output,
                      N_("with attention: every output word gets its own mixture of the source vectors")},
    [PANE_LOSS] =
        {"loss", N_("loss"), loss_figure, loss_draw, move_output,
         N_("the loss while the alignment is learned, \u25cf where you are; dashed the one vector for all")},
    [PANE_LENGTH] =
        {"by_length", N_("error by length"), length_figure, length_draw, move_output,
         N_("the error after training for each sentence length: one vector fails where attention does not")},
    [PANE_SUM] = {"sum", N_("the selected context"), sum_figure, sum_draw, move_source,
                  N_("the chosen output word's context, summed up source word by source word")},
    [PANE_SOURCE] = {"source", N_("source words h"), source_figure, source_draw, move_source,
                     N_("the source words as vectors: what the weights mix")},
    [PANE_PARAMETERS] = {"parameters", N_("parameters"), NULL, panel_draw, move_cell, PANEL_HELP},
};

/* ---- layout */

/* Vectors above; below weights, a curve and the parameters. What is focused takes the place of its like. */
static void layout_medium(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    size_t focus = stage->focus;
    int wanted = (int)stage->values[P_LENGTH].number + 4, most = a.rows * 2 / 5;
    struct area vectors = area_cut_top(&a, wanted < most ? wanted : most);
    out[focus == PANE_SOURCE ? PANE_SOURCE : PANE_FIXED] = area_cut_left(&vectors, vectors.cols / 2);
    out[PANE_CONTEXT] = vectors;
    out[PANE_PARAMETERS] = area_cut_right(&a, a.cols * 36 / 100);
    if (focus == PANE_SUM) {
        out[PANE_SUM] = a;
        return;
    }
    /* By hand there is no loss to watch yet. */
    bool length = focus == PANE_LENGTH || (!is_learned(stage) && focus != PANE_LOSS);
    out[length ? PANE_LENGTH : PANE_LOSS] = area_cut_right(&a, a.cols * 46 / 100);
    out[PANE_WEIGHTS] = a;
}

static void layout_large(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    /* The sum takes what its words need: curves and matrices make better use of the rest. */
    int words = (int)stage->values[P_LENGTH].number + 6, most = (a.rows - a.rows * 31 / 100) * 46 / 100;
    int strip = words < 12 ? 12 : words;
    struct area vectors = area_cut_top(&a, a.rows * 31 / 100),
                lower = area_cut_bottom(&a, strip < most ? strip : most);
    out[PANE_SOURCE] = area_cut_left(&vectors, vectors.cols / 3);
    out[PANE_FIXED] = area_cut_left(&vectors, vectors.cols / 2);
    out[PANE_CONTEXT] = vectors;
    out[PANE_LENGTH] = area_cut_right(&a, a.cols / 3);
    out[PANE_LOSS] = area_cut_right(&a, a.cols / 2);
    out[PANE_WEIGHTS] = a;
    out[PANE_PARAMETERS] = area_cut_right(&lower, lower.cols * 42 / 100);
    out[PANE_SUM] = lower;
}

static void translate_layout(const struct stage *stage, struct area area, struct area out[PANES_MAX])
{
    static const struct layouts layouts = {PANE_PARAMETERS, PANE_WEIGHTS, layout_medium, layout_large};

    layout_by_room(&layouts, stage, area, out);
}

/* ---- words */

static void translate_formula(const struct stage *stage, struct area line)
{
    const struct translate *t = state_of(stage);
    const double *weight = matrix_row(&t->weights, t->row);
    size_t n = t->model.n, terms = n < 3 ? n : 3;
    struct buf text = {0};
    char number[NUMBER_TEXT];
    buf_printf(&text, "c(%s) = ", sentence[t->row].output);
    for (size_t j = 0; j < terms; j++)
        buf_printf(&text, "%s%s\u00b7h(%s)", j ? " + " : "", show(number, weight[j]), sentence[j].source);
    buf_puts(&text, n > terms ? " + \u2026" : "");
    int x = area_text(line, 0, 0, look_pen(line.look, ROLE_TEXT), text.at);
    buf_free(&text);

    struct pen select = look_pen_bold(line.look, ROLE_SELECT);
    buf_puts(&text, " = ");
    list_vector(matrix_row(&t->context, t->row), t->model.d, line.cols - x - 3, &text);
    if (x + utf8_columns(text.at) <= line.cols)
        x += area_text(line, x, 0, select, text.at) + 3;
    buf_free(&text);

    const char *score = !is_learned(stage) ? _("\u03b1 by hand")
                        : t->model.score == SCORE_ADDITIVE
                            ? "\u03b1 = softmax(w\u1d65\u00b7tanh(W_q q + W_k h))"
                            : "\u03b1 = softmax((W_q q)\u00b7(W_k h) / \u221ad)";
    if (x + utf8_columns(score) <= line.cols)
        area_text(line, x, 0, look_pen(line.look, ROLE_DIM), score);
}

static void translate_progress(const struct stage *stage, char *out, size_t size)
{
    if (is_learned(stage))
        epoch_text(state_of(stage)->run.cursor, (size_t)stage->values[P_EPOCHS].number, out, size);
    else
        snprintf(out, size, "%s", _("by hand"));
}

/* Output words whose largest weight lies on their own source word; LEAST is the smallest weight there. */
static size_t count_found(const struct translate *t, double *least)
{
    size_t found = 0;
    *least = 1;
    for (size_t i = 0; i < t->model.n; i++) {
        const double *row = matrix_row(&t->weights, i);
        bool is_largest = true;
        for (size_t j = 0; j < t->model.n; j++)
            is_largest = is_largest && (j == i || row[j] < row[i]);
        found += is_largest;
        *least = fmin(*least, row[i]);
    }
    return found;
}

static enum role remark_by_hand(const struct translate *t, char *out, size_t size)
{
    double least;
    char a[NUMBER_TEXT], b[NUMBER_TEXT];
    if (t->has_switched) {
        snprintf(out, size, _("Your weights now (by = hand): error %s. Press n to go on learning."),
                 show(a, t->error));
        return ROLE_STRONG;
    }
    if (t->error >= t->fixed_error * (1 - 1e-9)) {
        snprintf(out, size,
                 _("No better than one vector for all: every output word sees a mixture (error %s)."),
                 show(a, t->error));
        return ROLE_WARN;
    }
    if (count_found(t, &least) == t->model.n)
        snprintf(out, size, _("A context each: error %s; one vector for all: %s. Press n to learn."),
                 show(a, t->error), show(b, t->fixed_error));
    else
        snprintf(out, size, _("Some output words look at other words more than at their own (error %s)."),
                 show(a, t->error));
    return ROLE_DIM;
}

static bool remark_trouble(const struct translate *t, char *out, size_t size)
{
    size_t k = t->run.cursor;
    char a[NUMBER_TEXT], b[NUMBER_TEXT];
    if (t->run.diverged && k == t->run.n - 1)
        snprintf(out, size, _("Diverged after epoch %zu: the next step is not a finite number. Lower lr."),
                 k);
    else if (k > 0 && t->run.loss[k] > t->run.loss[k - 1] * (1 + 1e-9))
        snprintf(out, size, _("The loss rose from %s to %s: the step was too long. Lower lr."),
                 show(a, t->run.loss[k - 1]), show(b, t->run.loss[k]));
    else if (k > 0 && t->error > 0.1 && norm(t->run.gradient + k * t->run.dim, t->run.dim) < 1e-9)
        snprintf(out, size, "%s", _("Stuck: one-hot on wrong words, so the gradient is 0. Lower lr."));
    else
        return false;
    return true;
}

static enum role translate_remark(const struct stage *stage, char *out, size_t size)
{
    const struct translate *t = state_of(stage);
    size_t n = t->model.n, k = t->run.cursor;
    double least;
    char a[NUMBER_TEXT], b[NUMBER_TEXT];
    if (!is_learned(stage))
        return remark_by_hand(t, out, size);
    if (remark_trouble(t, out, size))
        return ROLE_WARN;
    if (t->has_switched) {
        snprintf(out, size, _("The weights are learned now (by = learned): epoch %zu, error %s."), k,
                 show(a, t->error));
        return ROLE_STRONG;
    }
    size_t found = count_found(t, &least);
    if (k == 0) {
        snprintf(out, size, _("Untrained: nearly equal weights, every context nearly the mean. Press n."));
        return ROLE_DIM;
    }
    if (found == n && least > 0.5) {
        snprintf(out, size, _("Every output word has found its source word: error %s instead of %s."),
                 show(a, t->error), show(b, t->fixed_error));
        return ROLE_TRUTH;
    }
    snprintf(out, size, _("Epoch %zu: %zu of %zu output words found their source word; loss %s."), k, found,
             n, show(a, t->error));
    return ROLE_DIM;
}

/* ---- the script */

/* The run's epochs up to the cursor, those of one learning rate together. */
static void put_epochs(const struct stage *stage, struct buf *out)
{
    const struct run *run = &state_of(stage)->run;
    double lr = stage->values[P_LR].number;
    for (size_t k = 0, n; k < run->cursor; k += n) {
        double rate = torch_rate(run->theta, run->gradient, run->dim, k, lr, 1);
        for (n = 1; k + n < run->cursor; n++)
            if (torch_rate(run->theta, run->gradient, run->dim, k + n, rate, 1) != rate)
                break;
        buf_printf(out, "train(model, num_epochs=%zu, lr=", n);
        torch_number(rate, out);
        buf_puts(out, ")\n");
    }
}

static void put_model(const struct translate *t, struct buf *out)
{
    bool is_additive = t->model.score == SCORE_ADDITIVE;
    buf_printf(out,
               "\n"
               "class Alignment(nn.Module):\n"
               "    \"\"\"Attention from each output word over the source words.\"\"\"\n"
               "\n"
               "    def __init__(self, length):\n"
               "        super().__init__()\n"
               "        self.h, self.q = hidden_states[:length], queries[:length]\n"
               "        self.W_q, self.W_k%s = (nn.Parameter(w.clone()) for w in %s)\n"
               "        self.history = {\"epoch\": [], \"loss\": [], \"gradient\": []}\n"
               "        self.evaluate()\n"
               "\n",
               is_additive ? ", self.w_v" : "", is_additive ? "weights" : "weights[:2]");
    buf_printf(out,
               "    def evaluate(self):\n"
               "        q, k = self.q @ self.W_q.T, self.h @ self.W_k.T\n"
               "        self.attention_weights = torch.softmax(%s, dim=1)\n"
               "        loss = ((self.attention_weights @ self.h - self.h) ** 2).mean()\n"
               "        self.zero_grad()\n"
               "        loss.backward()\n"
               "        length = torch.cat([p.grad.flatten() for p in self.parameters()]).norm()\n"
               "        for column, value in zip(self.history.values(), (len(self.history[\"epoch\"]), loss, "
               "length)):\n"
               "            column.append(float(value))\n"
               "\n\n"
               "def train(model, num_epochs, lr):\n"
               "    trainer = torch.optim.SGD(model.parameters(), lr=lr)\n"
               "    for _ in range(num_epochs):\n"
               "        trainer.step()\n"
               "        model.evaluate()\n"
               "\n\n",
               is_additive ? "(torch.tanh(q.unsqueeze(1) + k) @ self.w_v.T).squeeze(-1)"
                           : "q @ k.T / math.sqrt(q.shape[1])");
}

static void put_by_length(const struct stage *stage, struct buf *out)
{
    buf_puts(out, "def by_length():\n"
                  "    \"\"\"The error of one vector for all words, and of attention trained anew for each "
                  "length.\"\"\"\n"
                  "    lengths = [");
    for (size_t i = 0; i < ALEN(lengths); i++)
        buf_printf(out, "%s%zu", i > 0 ? ", " : "", lengths[i]);
    buf_puts(out, "]\n"
                  "    table = {\"length\": lengths, \"fixed\": [], \"attention\": []}\n"
                  "    for n in lengths:\n"
                  "        h = hidden_states[:n]\n"
                  "        table[\"fixed\"].append(((h.mean(dim=0) - h) ** 2).mean().item())\n"
                  "        model = Alignment(n)\n");
    buf_printf(out, "        train(model, num_epochs=%d, lr=", LENGTH_EPOCHS);
    torch_number(stage->values[P_LR].number, out);
    buf_puts(out, ")\n"
                  "        error = model.history[\"loss\"][-1]\n"
                  "        table[\"attention\"].append(error if math.isfinite(error) else math.nan)\n"
                  "    return table\n"
                  "\n\n");
}

static void put_draws(const struct stage *stage, struct buf *out)
{
    torch_seed(stage, out);
    buf_printf(out,
               "d = %zu\n"
               "hidden_states = torch.randn(%d, d).double()  # the encoder's, one a source word\n"
               "hidden_states *= math.sqrt(d) / hidden_states.norm(dim=1, keepdim=True)\n"
               "# What an output word needs, said in another language.\n"
               "queries = hidden_states @ torch.randn(d, d).double().T / math.sqrt(d)\n"
               "weights = [nn.Linear(d, n, bias=False).weight.detach().double() for n in (d, d, 1)]  # W_q, "
               "W_k, w_v\n",
               state_of(stage)->model.d, (int)ALIGN_WORDS_MAX);
}

static void translate_torch(const struct stage *stage, struct buf *out)
{
    const struct translate *t = state_of(stage);
    put_model(t, out);
    put_by_length(stage, out);
    put_draws(stage, out);
    buf_printf(out, "\nmodel = Alignment(%zu)\n", t->model.n);
    put_epochs(stage, out);
    if (is_learned(stage)) {
        buf_puts(out, "attention_weights = model.attention_weights.detach()\n");
    } else {
        const struct value *alpha = &stage->values[P_ALPHA];
        buf_puts(out, "# Each output word looks one source word further on than the one before.\n");
        torch_tensor("alpha", alpha->list, &alpha->n_list, 1, out);
        buf_puts(
            out,
            "attention_weights = torch.stack([alpha.roll(t) for t in range(len(alpha))]) / alpha.sum()\n");
    }
    buf_puts(out, "\ntables = {\n"
                  "    \"weights\": attention_weights,\n"
                  "    \"context\": attention_weights @ model.h,\n"
                  "    \"history\": model.history,\n"
                  "    \"by_length\": by_length,\n"
                  "    \"source\": model.h,\n"
                  "    \"fixed\": model.h.mean(dim=0),\n"
                  "}\n");
}

const struct demo demo_translate = {
    .name = "translate",
    .title = N_("a context for each output word"),
    .summary = N_("one fixed vector against attention, by hand and learned"),
    .params = params,
    .n_params = ALEN(params),
    .panes = panes,
    .n_panes = ALEN(panes),
    .tables = translate_tables,
    .n_tables = ALEN(translate_tables),
    .open = translate_open,
    .copy = translate_copy,
    .restored = translate_restored,
    .discard = discard,
    .apply = translate_apply,
    .work = translate_work,
    .position = translate_position,
    .known = translate_known,
    .end = translate_end,
    .go = translate_go,
    .reset = translate_reset,
    .select = translate_select,
    .nudge = translate_nudge,
    .adjust = translate_adjust,
    .layout = translate_layout,
    .formula = translate_formula,
    .progress = translate_progress,
    .remark = translate_remark,
    .torch = translate_torch,
};
