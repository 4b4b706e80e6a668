/* Parametric Nadaraya-Watson regression: one scalar w, learned by SGD, epoch by epoch. */
#include "demos/demo.h"

#include <limits.h>
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
#include "demos/points_edit.h"
#include "demos/regression.h"
#include "demos/regression_torch.h"
#include "demos/regression_view.h"
#include "demos/tensors.h"
#include "demos/torch_script.h"
#include "draw/plot.h"
#include "engine/mem.h"
#include "engine/nw.h"
#include "engine/rng.h"
#include "engine/run.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* ---- parameters */

enum {
    P_W,
    P_LR,
    P_EPOCHS,
    P_N,
    P_NOISE,
    P_LOSS,
    P_LOO,
    P_KERNEL,
    P_TARGET,
    P_QUERY,
    P_AXIS,
    P_SEED,
    P_X,
    P_Y,
    P_LANDSCAPE,
};

enum { AXIS_LOG, AXIS_LINEAR, AXIS_CLOSE };

enum { PANE_FIT, PANE_WEIGHTS, PANE_LOSS, PANE_LANDSCAPE, PANE_QUERY, PANE_PARAMETERS };

static const char *const losses[] = {
    [NW_LOSS_SUM] = "sum", [NW_LOSS_HALF] = "half", [NW_LOSS_MEAN] = "mean", NULL};
static const char *const on_off[] = {"off", "on", NULL};
static const char *const targets[] = {[NW_TARGET_POWER] = "power", [NW_TARGET_LINEAR] = "linear", NULL};
static const char *const axes[] = {
    [AXIS_LOG] = "log", [AXIS_LINEAR] = "linear", [AXIS_CLOSE] = "close", NULL};

static const struct param params[] = {
    [P_W] = {.name = "w",
             .label = "w",
             .kind = PARAM_REAL,
             .lo = -1e300,
             .hi = 1e300,
             .usual_lo = 0,
             .usual_hi = 100,
             .step = 0.01,
             .steps = STEPS_DIGIT,
             .initial = "",
             .unit = "",
             .help = N_("the learned scalar: distances are multiplied by it; 1/|w| is the kernel's width")},
    [P_LR] = {.name = "lr",
              .label = N_("learning rate"),
              .kind = PARAM_REAL,
              .lo = 0,
              .hi = 1e9,
              .usual_lo = 0,
              .usual_hi = 1000,
              .step = 0.001,
              .steps = STEPS_ONE_TWO_FIVE,
              .initial = "0.5",
              .unit = "",
              .help = N_("each epoch moves w by lr times the gradient, downhill; a file's x and y count as "
                         "standardised")},
    [P_EPOCHS] = {.name = "epochs",
                  .label = N_("epochs"),
                  .kind = PARAM_INTEGER,
                  .lo = 1,
                  .hi = 100000,
                  .usual_lo = 1,
                  .usual_hi = 50,
                  .step = 1,
                  .steps = STEPS_LINEAR,
                  .initial = "5",
                  .unit = "",
                  .help = N_("where playing stops")},
    [P_N] = N_POINTS_PARAM(5000),
    [P_NOISE] = NOISE_PARAM,
    [P_LOSS] = {.name = "loss",
                .label = N_("loss"),
                .kind = PARAM_CHOICE,
                .choices = losses,
                .initial = "sum",
                .unit = "",
                .help = N_("squared errors summed, halved, or averaged; a file starts with mean")},
    [P_LOO] = {.name = "loo",
               .label = N_("leave-one-out"),
               .kind = PARAM_CHOICE,
               .choices = on_off,
               .initial = "on",
               .unit = "",
               .help = N_("in training a point does not attend to itself")},
    [P_KERNEL] = KERNEL_PARAM(N_("how a distance becomes a weight")),
    [P_TARGET] = {.name = "target",
                  .label = N_("target"),
                  .kind = PARAM_CHOICE,
                  .choices = targets,
                  .initial = "power",
                  .unit = "",
                  .help = N_("the true function: power is 2 sin x + x^0.8, linear is 2 sin x + x")},
    [P_QUERY] = QUERY_PARAM,
    [P_AXIS] = {.name = "axis",
                .label = N_("loss axis"),
                .kind = PARAM_CHOICE,
                .choices = axes,
                .initial = "log",
                .unit = "",
                .help = N_("log, linear, or a close-up without epoch 0")},
    [P_SEED] = SEED_PARAM,
    [P_X] = X_COLUMN_PARAM,
    [P_Y] = Y_COLUMN_PARAM,
    [P_LANDSCAPE] = {.name = "landscape",
                     .label = N_("landscape"),
                     .kind = PARAM_LIST,
                     .lo = -1e300,
                     .hi = 1e300,
                     .initial = "",
                     .unit = "",
                     .hidden = true,
                     .help = N_("values of w for the landscape table; without it a grid and the run's path")},
};

/* ---- state */

enum { PER_DECADE = 20, DECADES = 5, GRID = PER_DECADE * DECADES + 2, GOLDEN_STEPS = 30, FILE_QUERIES = 100 };

/* The loss over w >= 0, worked out bit by bit: a grid first, then golden section around its least value. All
 * in the engine's units of x. */
struct landscape {
    double w[GRID], loss[GRID], gradient[GRID];
    size_t n_empty[GRID];           /* points without a key in reach, which are not in the loss */
    size_t n, n_grid;               /* grid points known, and of all */
    int n_golden, golden_steps;     /* inner points tried, two before the first step, and of all */
    double lo, hi, in[2], at_in[2]; /* the bracket in ln w, its inner points and the loss there */
    int inner;                      /* the inner point whose loss comes next */
    double best_w, best_loss;       /* known once N == N_GRID; a loss of more points is the better one */
    size_t best_empty;
    struct nw_task *task; /* owned: the next loss */
};

/* Where a state has its w from. */
enum origin { ORIGIN_DRAWN, ORIGIN_HAND, ORIGIN_FIT, ORIGIN_KEPT /* but other things were changed */ };

/* A change of the w, as it is set or drawn, or of what the loss is: it takes a pass over the points. */
struct change {
    size_t param;
    struct value old; /* the parameter's, before */
    struct nw_spec spec;
    double theta;
    enum origin origin;
};

enum { CHANGES = 2 };

struct train {
    struct regression reg;
    struct nw_spec spec;
    struct run run;
    size_t goal;            /* the epoch that `work` is on the way to */
    size_t replaced;        /* states there were when the last one was put by hand; 0: never */
    enum origin start, put; /* of the first state, and of the last one put by hand */
    struct landscape landscape;
    struct change change[CHANGES]; /* put off: the one at work, and the last one made since */
    size_t n_changes;
    int opened;          /* parts of the opened step on show, 0: closed */
    size_t focus_before; /* the pane that had the focus before the step was opened */

    struct nw_loss_value at; /* loss and gradient at the cursor */
    size_t probe;            /* the training point nearest to the query */
    struct nw_glance probed; /* its attention in training, while the step is open */
};

static struct train *state_of(const struct stage *stage)
{
    return stage->state;
}

static double theta_at(const struct train *t, size_t epoch)
{
    return t->run.theta[epoch];
}

/* w as the user knows it, in 1 / unit of x. */
static double shown_w(const struct train *t, double theta)
{
    return theta / t->reg.points.x_scale;
}

static double current_w(const struct train *t)
{
    return shown_w(t, theta_at(t, t->run.cursor));
}

static void evaluate(const void *data, const double *theta, double *loss, double *gradient)
{
    struct train *const t = *(struct train *const *)data;
    struct nw_loss_value value = regression_loss(&t->reg, t->spec, *theta);
    *loss = value.loss;
    *gradient = value.gradient;
}

static struct objective objective_of(struct train *const *t)
{
    return (struct objective){.dim = 1, .evaluate = evaluate, .data = t};
}

/* What the gradient is multiplied by in a step. */
static double rate_of(const struct stage *stage)
{
    return points_rate(&state_of(stage)->reg.points, stage->values[P_LR].number);
}

/* ---- the landscape */

/* A loss over very many points takes long, so they get a coarser grid. */
static void landscape_start(struct landscape *landscape, size_t n_points)
{
    enum { MANY = 20000, FEW_PER_DECADE = 4, FEW_GOLDEN_STEPS = 10 };
    size_t per_decade = n_points > MANY ? FEW_PER_DECADE : PER_DECADE;
    nw_task_free(landscape->task);
    *landscape = (struct landscape){
        .n_grid = per_decade * DECADES + 2,
        .golden_steps = 2 + (n_points > MANY ? FEW_GOLDEN_STEPS : GOLDEN_STEPS),
    };
    for (size_t i = 1; i < landscape->n_grid; i++) {
        /* Two significant digits: round numbers that a reader can type. */
        double exact = pow(10, -2 + (double)(i - 1) / (double)per_decade),
               unit = pow(10, floor(log10(exact)) - 1);
        landscape->w[i] = round(exact / unit + 1e-9) * unit;
    }
}

static void bracket_best(struct landscape *l)
{
    static const double inner = 0.3819660112501051; /* 2 - golden ratio */
    size_t best = 1;
    for (size_t i = 1; i < l->n_grid; i++)
        if (l->n_empty[i] < l->n_empty[best] ||
            (l->n_empty[i] == l->n_empty[best] && l->loss[i] < l->loss[best]))
            best = i;
    l->best_w = l->w[best];
    l->best_loss = l->loss[best];
    l->best_empty = l->n_empty[best];
    l->lo = log(l->w[best > 1 ? best - 1 : best]);
    l->hi = log(l->w[best + 1 < l->n_grid ? best + 1 : best]);
    l->in[0] = l->lo + inner * (l->hi - l->lo);
    l->in[1] = l->hi - inner * (l->hi - l->lo);
}

/* Leaves an inner point to be tried in place of the worse one. */
static void narrow_bracket(struct landscape *l)
{
    l->inner = l->at_in[1] < l->at_in[0] ? 1 : 0;
    if (l->inner == 0) {
        l->hi = l->in[1];
        l->in[1] = l->in[0];
        l->at_in[1] = l->at_in[0];
        l->in[0] = l->lo + l->hi - l->in[1];
    } else {
        l->lo = l->in[0];
        l->in[0] = l->in[1];
        l->at_in[0] = l->at_in[1];
        l->in[1] = l->lo + l->hi - l->in[0];
    }
}

static bool landscape_is_done(const struct landscape *l)
{
    return l->n == l->n_grid && l->n_golden == l->golden_steps;
}

/* Where the next loss is wanted. */
static double landscape_next(const struct landscape *l)
{
    return l->n < l->n_grid ? l->w[l->n] : exp(l->in[l->inner]);
}

/* The bracket is narrowed as soon as that can be, never when the next loss is begun: a copy begins that anew.
 */
static void landscape_take(struct landscape *l, struct nw_loss_value value)
{
    if (l->n < l->n_grid) {
        l->loss[l->n] = value.loss;
        l->n_empty[l->n] = value.n_empty;
        l->gradient[l->n++] = value.gradient;
        if (l->n == l->n_grid)
            bracket_best(l);
        return;
    }
    double loss = value.n_empty > l->best_empty ? HUGE_VAL : value.loss;
    l->at_in[l->inner] = loss;
    if (loss < l->best_loss) {
        l->best_loss = loss;
        l->best_w = exp(l->in[l->inner]);
    }
    l->n_golden++;
    if (l->n_golden < 2)
        l->inner = 1;
    else
        narrow_bracket(l);
}

/* Works on it up to *BUDGET; true while more is left. */
static bool landscape_work(struct train *t, long *budget)
{
    struct landscape *l = &t->landscape;
    while (!landscape_is_done(l) && *budget > 0) {
        if (!l->task)
            l->task = nw_task_new(t->spec, points_data(&t->reg.points), landscape_next(l), NULL, 0);
        if (nw_task_work(l->task, budget))
            break;
        landscape_take(l, nw_task_loss(l->task));
        nw_task_free(l->task);
        l->task = NULL;
    }
    return !landscape_is_done(l);
}

static void landscape_finish(struct train *t)
{
    long all = LONG_MAX;
    landscape_work(t, &all);
}

/* ---- what follows from the state */

/* The opened step is told by the training point nearest to the query. */
static void attend_probe(struct train *t)
{
    t->probe = regression_nearest(t->reg.points.x, t->reg.points.n, t->reg.x);
    if (t->opened > 0)
        t->probed = nw_glance(t->spec.kernel, points_data(&t->reg.points), theta_at(t, t->run.cursor),
                              t->reg.points.u[t->probe], t->spec.leave_one_out ? t->probe : NW_NO_KEY);
}

/* Attends under the cursor's w. */
static void attend(struct stage *stage)
{
    struct train *t = state_of(stage);
    t->reg.x = stage->values[P_QUERY].number;
    regression_attend(&t->reg, t->spec.kernel, theta_at(t, t->run.cursor));
    attend_probe(t);
    stage->values[P_W].number = current_w(t);
}

/* Brings everything that is shown up to the cursor's w. */
static void refresh(struct stage *stage)
{
    struct train *t = state_of(stage);
    t->at = regression_loss(&t->reg, t->spec, theta_at(t, t->run.cursor));
    attend(stage);
}

/* ---- opening */

/* Draws or reads the points, and w0 after them. KEPT are those of a file that has been read, or NULL. */
static bool make_points(const struct stage *stage, const struct points *kept, struct points *points,
                        double *drawn_w, struct error *error)
{
    const struct value *v = stage->values;
    struct rng rng;
    float w;
    rng_seed(&rng, v[P_SEED].seed, RNG_PATH_AVX2);
    if (stage->source.name[0] && kept) {
        *points = points_copy(kept);
    } else if (stage->source.name[0]) {
        if (!points_parse(points, &stage->source, v[P_X].text, v[P_Y].text, error))
            return false;
    } else {
        points_draw(points, &rng, (size_t)v[P_N].number, v[P_NOISE].number,
                    (enum nw_target)v[P_TARGET].number);
    }
    rng_rand(&rng, &w, 1);
    *drawn_w = (double)w;
    return true;
}

static struct nw_spec spec_of(const struct stage *stage)
{
    const struct value *v = stage->values;
    return (struct nw_spec){
        .kernel = (enum nw_kernel)v[P_KERNEL].number,
        .loss = (enum nw_loss)v[P_LOSS].number,
        .leave_one_out = v[P_LOO].number != 0,
    };
}

/* Whether loss and gradient are finite there. They are for values that are no giants, whatever theta: errors
 * never exceed their range, and the engine gets x standardised. */
static bool has_finite_loss(const struct points *points, struct nw_spec spec, double theta)
{
    enum { TAME = 100 /* decimal digits of a number whose square is no giant either */ };
    double largest = fmax(fabs(points->y_lo - points->y_shift), fabs(points->y_hi - points->y_shift));
    if (!isfinite(theta))
        return false;
    if (largest < pow(10, TAME))
        return true;
    struct nw_loss_value value = nw_loss(spec, points_data(points), theta, NULL);
    return isfinite(value.loss) && isfinite(value.gradient);
}

static bool not_finite(struct error *error)
{
    return error_set(error, STATUS_FAILED, "%s",
                     _("the loss is not a finite number here: the values of y are too large to square"));
}

static void start_queries(struct stage *stage)
{
    struct train *t = state_of(stage);
    regression_make_queries(&t->reg);
    struct value *query = &stage->values[P_QUERY];
    if (!query->given || !isfinite(query->number))
        query->number = regression_first_query(&t->reg);
}

static void start_run(struct train *t, double theta, enum origin origin)
{
    run_start(&t->run, objective_of(&t), &theta);
    t->goal = 0;
    t->replaced = 0;
    t->start = origin;
    t->opened = 0;
}

/* Starts the run anew on the points as the parameters have them. A w that the user
 * gave stays, else it is drawn. */
static bool start(struct stage *stage, struct error *error)
{
    struct train *t = state_of(stage);
    struct points points = {0};
    double theta;
    if (!make_points(stage, NULL, &points, &theta, error))
        return false;
    if (!regression_affords(&points, spec_of(stage).kernel, error)) {
        points_free(&points);
        return false;
    }
    struct points old = t->reg.points;
    struct nw_spec old_spec = t->spec;
    t->reg.points = points;
    t->spec = spec_of(stage);
    if (stage->values[P_W].given)
        theta = stage->values[P_W].number * points.x_scale;
    if (!has_finite_loss(&points, t->spec, theta)) {
        t->reg.points = old;
        t->spec = old_spec;
        points_free(&points);
        return not_finite(error);
    }
    points_free(&old);
    start_queries(stage);
    start_run(t, theta, stage->values[P_W].given ? ORIGIN_HAND : ORIGIN_DRAWN);
    landscape_start(&t->landscape, t->reg.points.n);
    refresh(stage);
    points_report(&points, stage);
    return true;
}

static void discard(void *state)
{
    struct train *t = state;
    regression_free(&t->reg);
    run_free(&t->run);
    nw_task_free(t->landscape.task);
    free(t);
}

static bool train_open(struct stage *stage, struct error *error)
{
    /* The summed loss of many points makes the first step as long as they are many. */
    if (stage->source.name[0] && !stage->values[P_LOSS].given)
        stage->values[P_LOSS].number = NW_LOSS_MEAN;
    stage->state = mem_new(1, sizeof(struct train));
    return start(stage, error);
}

static void *train_copy(const void *state)
{
    const struct train *from = state;
    struct train *t = mem_copy(from, 1, sizeof *from);
    t->reg = regression_copy(&from->reg);
    t->run = run_copy(&from->run);
    t->landscape.task = NULL;
    t->goal = t->run.cursor;
    return t;
}

/* ---- changing */

/* Keeps the curve as a ghost named LABEL. Turning a knob gives many values in a row: only the first of them
 * leaves a ghost. */
static void branch_as(struct train *t, const char *label)
{
    t->goal = t->run.cursor;
    if (t->replaced != t->run.n || t->run.cursor + 1 != t->run.n)
        run_branch(&t->run, label);
}

/* The same under the name of what was in force before parameter P took its new value. */
static void branch(struct train *t, const struct param *p, const struct value *old)
{
    char text[64], label[128];
    param_show(p, old, 24, text, sizeof text);
    snprintf(label, sizeof label, "%s %s", p->name, text);
    branch_as(t, label);
}

static void replace_state(struct train *t, double theta, enum origin origin)
{
    run_replace(&t->run, objective_of(&t), &theta);
    t->replaced = t->run.n;
    t->put = origin;
    if (t->run.cursor == 0 && origin != ORIGIN_KEPT)
        t->start = origin;
}

static bool apply_data(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    struct train *t = state_of(stage);
    const struct param *p = &params[changed];
    if (changed != P_SEED && !points_may_change(stage, changed, changed == P_X || changed == P_Y, error))
        return false;
    /* New points mean a new start, so a w set by hand before is not carried over. */
    struct run before = run_copy(&t->run);
    bool w_given = stage->values[P_W].given;
    branch(t, p, old);
    stage->values[P_W].given = false;
    if (start(stage, error)) {
        run_free(&before);
        return true;
    }
    stage->values[P_W].given = w_given;
    run_free(&t->run);
    t->run = before;
    return false;
}

static void make_change(struct stage *stage, const struct change *change)
{
    struct train *t = state_of(stage);
    struct value old = change->old;
    if (change->param == P_W)
        old.number = current_w(t);
    branch(t, &params[change->param], &old);
    if (change->param == P_SEED) {
        start_run(t, change->theta, change->origin);
        t->reg.key_is_chosen = false;
    } else {
        t->spec = change->spec;
        replace_state(t, change->theta, change->origin);
    }
    if (change->param != P_W && change->param != P_SEED)
        landscape_start(&t->landscape, t->reg.points.n);
    refresh(stage);
}

/* Makes the changes that were put off; true if all are made before the BUDGET is spent. What is on show stays
 * as it was until then: it is the picture of one w, never of two. */
static bool make_changes(struct stage *stage, long *budget)
{
    struct train *t = state_of(stage);
    while (t->n_changes > 0) {
        struct change change = t->change[0];
        if (!regression_foresee(&t->reg, change.spec, change.theta, budget))
            return false;
        double asked = stage->values[P_W].number;
        t->change[0] = t->change[1];
        t->n_changes--;
        make_change(stage, &change);
        if (t->n_changes > 0 && change.param == P_W)
            stage->values[P_W].number = asked;
    }
    return true;
}

static void catch_up(struct stage *stage)
{
    long all = LONG_MAX;
    make_changes(stage, &all);
}

/* Of very many points a change is put off until it has been worked out. Turning a knob gives many values in a
 * row: those that come meanwhile are only waited for in the end, the last one. */
static bool change(struct stage *stage, const struct change *change, struct error *error)
{
    struct train *t = state_of(stage);
    if (!has_finite_loss(&t->reg.points, change->spec, change->theta))
        return not_finite(error);
    if (!regression_is_large(&t->reg)) {
        make_change(stage, change);
        return true;
    }
    if (t->n_changes == CHANGES)
        t->n_changes--;
    t->change[t->n_changes++] = *change;
    return true;
}

static bool apply_w(struct stage *stage, const struct value *old, enum origin origin, struct error *error)
{
    struct train *t = state_of(stage);
    double theta = stage->values[P_W].number * t->reg.points.x_scale;
    return change(stage, &(struct change){P_W, *old, t->spec, theta, origin}, error);
}

static bool apply_spec(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    struct train *t = state_of(stage);
    struct nw_spec spec = spec_of(stage);
    return regression_affords(&t->reg.points, spec.kernel, error) &&
           change(stage, &(struct change){changed, *old, spec, theta_at(t, t->run.cursor), ORIGIN_KEPT},
                  error);
}

static bool apply_rate(struct stage *stage, const struct value *old)
{
    struct train *t = state_of(stage);
    if (t->run.cursor + 1 < t->run.n)
        branch(t, &params[P_LR], old);
    t->run.diverged = false;
    t->goal = t->run.cursor;
    return true;
}

/* Another w is drawn for the same file. */
static bool apply_seed(struct stage *stage, const struct value *old, struct error *error)
{
    struct train *t = state_of(stage);
    struct points same = {0};
    double theta = 0;
    if (!make_points(stage, &t->reg.points, &same, &theta, error))
        return false;
    points_free(&same);
    stage->values[P_W].given = false;
    return change(stage, &(struct change){P_SEED, *old, t->spec, theta, ORIGIN_DRAWN}, error);
}

static bool train_apply(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    struct train *t = state_of(stage);
    if (t->n_changes > 0 && t->change[0].param != changed) {
        struct value value = stage->values[changed];
        catch_up(stage);
        stage->values[changed] = value;
    }
    switch (changed) {
    case P_W:
        return apply_w(stage, old, ORIGIN_HAND, error);
    case P_LR:
        return apply_rate(stage, old);
    case P_LOSS:
    case P_LOO:
    case P_KERNEL:
        return apply_spec(stage, changed, old, error);
    case P_SEED:
        return stage->source.name[0] ? apply_seed(stage, old, error) : apply_data(stage, changed, old, error);
    case P_QUERY:
        t->reg.key_is_chosen = false;
        regression_ask(&t->reg, stage->values[P_QUERY].number);
        attend_probe(t);
        return true;
    case P_EPOCHS:
    case P_AXIS:
    case P_LANDSCAPE:
        return true;
    default:
        return apply_data(stage, changed, old, error);
    }
}

/* How points are drawn means nothing for a file's. */
static bool train_is_idle(const struct stage *stage, size_t param)
{
    return stage->source.name[0] && (param == P_N || param == P_NOISE || param == P_TARGET);
}

/* ---- the timeline */

static size_t train_position(const struct stage *stage)
{
    return state_of(stage)->run.cursor;
}

static size_t train_known(const struct stage *stage)
{
    return state_of(stage)->run.n - 1;
}

static size_t train_end(const struct stage *stage)
{
    return run_end(&state_of(stage)->run, (size_t)stage->values[P_EPOCHS].number);
}

static void train_go(struct stage *stage, size_t target)
{
    struct train *t = state_of(stage);
    catch_up(stage);
    t->goal = target;
    if (target > t->run.n - 1 || target == t->run.cursor || regression_is_large(&t->reg))
        return;
    run_seek(&t->run, target);
    refresh(stage);
}

static void train_reset(struct stage *stage)
{
    struct train *t = state_of(stage);
    catch_up(stage);
    run_seek(&t->run, 0);
    run_forget(&t->run);
    /* What was changed since the start (the points, the kernel) holds from here on. */
    double theta = theta_at(t, 0);
    run_replace(&t->run, objective_of(&t), &theta);
    t->goal = 0;
    t->opened = 0;
    refresh(stage);
}

/* Moves the cursor a state nearer to the goal, or on to it where that is known. False if the BUDGET is spent
 * before the loss there is. */
static bool approach_goal(struct stage *stage, long *budget)
{
    struct train *t = state_of(stage);
    struct run *run = &t->run;
    size_t last = run->n - 1;
    bool is_known = t->goal < run->cursor || run->cursor < last;
    size_t target = !is_known ? run->cursor + 1 : t->goal < last ? t->goal : last;
    double theta = is_known ? theta_at(t, target)
                            : theta_at(t, run->cursor) - rate_of(stage) * run->gradient[run->cursor];
    if (isfinite(theta) && !regression_foresee(&t->reg, t->spec, theta, budget))
        return false;
    if (is_known) {
        run_seek(run, target);
    } else if (run_forward(run, objective_of(&t), rate_of(stage)) == RUN_DIVERGED) {
        t->goal = run->cursor;
        return true;
    } else if (t->replaced == run->n) {
        t->replaced = 0;
    }
    t->at = regression_loss(&t->reg, t->spec, theta);
    return true;
}

static bool train_work(struct stage *stage, long budget)
{
    struct train *t = state_of(stage);
    if (!make_changes(stage, &budget))
        return true;
    size_t shown = t->run.cursor;
    while (budget > 0 && t->goal != t->run.cursor && approach_goal(stage, &budget)) {
        /* What has been foreseen of many points is lost with the next look ahead. */
        if (regression_is_large(&t->reg) && t->run.cursor != shown) {
            attend(stage);
            shown = t->run.cursor;
        }
    }
    if (t->run.cursor != shown)
        attend(stage);
    return t->goal != t->run.cursor;
}

static bool train_look_ahead(struct stage *stage, long budget)
{
    return landscape_work(state_of(stage), &budget);
}

static void train_restored(struct stage *stage)
{
    struct train *t = state_of(stage);
    if (t->n_changes > 0)
        catch_up(stage);
    else
        refresh(stage);
}

/* ---- selecting */

static void select_row(struct stage *stage, long row)
{
    struct train *t = state_of(stage);
    stage->values[P_QUERY].number = regression_ask_row(&t->reg, row);
    attend_probe(t);
}

/* Queries lie along x in the fit and downwards in the heatmap. */
static void move_in_fit(struct stage *stage, int dx, int dy)
{
    select_row(stage, (long)state_of(stage)->reg.row + dx + dy);
}

static void move_in_heatmap(struct stage *stage, int dx, int dy)
{
    if (dy)
        select_row(stage, (long)state_of(stage)->reg.row + dy);
    if (dx)
        regression_step_key(&state_of(stage)->reg, dx);
}

static bool train_select(struct stage *stage, long row, long column, struct error *error)
{
    struct train *t = state_of(stage);
    if (!pair_exists(row, t->reg.n_q, column, t->reg.points.n, error))
        return false;
    select_row(stage, row);
    if (column >= 0)
        regression_choose_key(&state_of(stage)->reg, column);
    return true;
}

/* ---- commands */

static bool command_fit(struct stage *stage, const char *args, struct error *error)
{
    struct train *t = state_of(stage);
    char w[NUMBER_TEXT], loss[NUMBER_TEXT];
    (void)args;
    catch_up(stage);
    landscape_finish(t);
    struct value old = stage->values[P_W];
    stage->values[P_W].number = shown_w(t, t->landscape.best_w);
    if (!apply_w(stage, &old, ORIGIN_FIT, error)) {
        stage->values[P_W] = old;
        return false;
    }
    buf_printf(&stage->report, _("Best w: %s, loss %s (the least within the landscape)\n"),
               number_show(w, shown_w(t, t->landscape.best_w), 6, 12),
               number_show(loss, t->landscape.best_loss, 6, 12));
    return true;
}

static bool command_ghosts(struct stage *stage, const char *args, struct error *error)
{
    struct train *t = state_of(stage);
    catch_up(stage);
    if (strcmp(args, "clear") == 0) {
        run_clear_ghosts(&t->run);
        return true;
    }
    if (*args && strcmp(args, "list") != 0)
        return error_arguments(error, "ghosts", args, _("list or clear"));
    if (t->run.n_ghosts == 0)
        buf_printf(&stage->report, "%s\n", _("no earlier runs"));
    for (size_t i = 0; i < t->run.n_ghosts; i++) {
        const struct ghost *ghost = &t->run.ghost[i];
        char loss[NUMBER_TEXT], w[NUMBER_TEXT];
        buf_printf(&stage->report, _("%zu  %-20s %zu epochs, last w %s, last loss %s\n"), i + 1, ghost->label,
                   ghost->n - 1, number_show(w, shown_w(t, ghost->theta[ghost->n - 1]), 6, 12),
                   number_show(loss, ghost->loss[ghost->n - 1], 6, 12));
    }
    return true;
}

/* Other points under the same w: the run branches here, and the loss has another landscape. */
static bool command_point(struct stage *stage, const char *args, struct error *error)
{
    struct train *t = state_of(stage);
    struct points edited, before = t->reg.points;
    double query, theta = theta_at(t, t->run.cursor); /* of so few points no change is put off */
    char label[64];
    if (!points_edit(&t->reg, args, &edited, &query, error))
        return false;
    if (!has_finite_loss(&edited, t->spec, theta)) {
        points_free(&edited);
        return not_finite(error);
    }
    t->reg.points = edited;
    snprintf(label, sizeof label, _("%zu points"), before.n);
    points_free(&before);
    regression_make_queries(&t->reg);
    branch_as(t, label);
    replace_state(t, theta, ORIGIN_KEPT);
    landscape_start(&t->landscape, t->reg.points.n);
    stage->values[P_QUERY].number = query;
    refresh(stage);
    return true;
}

enum { STEP_PARTS = 6 };

/* The update is the next epoch, whose first part is then on show. */
static void close_epoch(struct stage *stage)
{
    struct train *t = state_of(stage);
    size_t k = t->run.cursor;
    double next = shown_w(t, theta_at(t, k) - rate_of(stage) * t->run.gradient[k]);
    char w[NUMBER_TEXT];
    if (isfinite(next))
        buf_printf(&stage->report, _("The update was done: this is epoch %zu now, w = %s.\n"), k + 1,
                   show_number(w, next));
    train_go(stage, k + 1);
    while (train_work(stage, LONG_MAX))
        continue;
    t->opened = 1;
}

static bool command_open(struct stage *stage, const char *args, struct error *error)
{
    struct train *t = state_of(stage);
    (void)args;
    (void)error;
    stage->playing = false;
    if (t->opened == 0)
        t->focus_before = stage->focus;
    stage->focus = PANE_QUERY;
    if (t->opened < STEP_PARTS)
        t->opened++;
    else
        close_epoch(stage);
    attend_probe(t);
    return true;
}

static bool command_close(struct stage *stage, const char *args, struct error *error)
{
    struct train *t = state_of(stage);
    (void)args;
    (void)error;
    if (t->opened > 0 && stage->focus == PANE_QUERY)
        stage->focus = t->focus_before;
    t->opened = 0;
    return true;
}

static void train_describe_file(const struct stage *stage, struct buf *out)
{
    points_describe(&state_of(stage)->reg.points, out);
}

static const struct demo_command train_commands[] = {
    {"fit", "", N_("put w at the least loss of the landscape"), true, command_fit},
    {"ghosts", "[list|clear]", N_("list or forget the curves of earlier runs"), true, command_ghosts},
    {"open", "", N_("open the next step, one part more each time"), false, command_open},
    {"close", "", N_("close the opened step"), false, command_close},
    {"point", POINTS_EDIT_USAGE, POINTS_EDIT_HELP, true, command_point},
};

/* ---- tables */

static struct table table_history(const struct stage *stage)
{
    const struct train *t = state_of(stage);
    struct table table = table_new(t->run.cursor + 1);
    double *epoch = table_add_numbers(&table, "epoch"), *w = table_add_numbers(&table, "w"),
           *loss = table_add_numbers(&table, "loss"), *gradient = table_add_numbers(&table, "gradient");
    for (size_t i = 0; i <= t->run.cursor; i++) {
        epoch[i] = (double)i;
        w[i] = shown_w(t, theta_at(t, i));
        loss[i] = t->run.loss[i];
        gradient[i] = t->run.gradient[i] * t->reg.points.x_scale;
    }
    return table;
}

static struct table table_fit(const struct stage *stage)
{
    return regression_fit_table(&state_of(stage)->reg);
}

static struct table table_data(const struct stage *stage)
{
    return regression_data_table(&state_of(stage)->reg);
}

static struct table table_weights(const struct stage *stage)
{
    return regression_weights_table(&state_of(stage)->reg);
}

struct landscape_point {
    double w, loss, gradient;
};

static int compare_landscape(const void *a, const void *b)
{
    const struct landscape_point *p = a, *q = b;
    return (p->w > q->w) - (p->w < q->w);
}

/* The points of the landscape table in the engine's units: those asked for, or the grid and the run's path.
 */
static struct landscape_point *collect_landscape(const struct stage *stage, size_t *n)
{
    const struct train *t = state_of(stage);
    const struct value *asked = &stage->values[P_LANDSCAPE];
    struct landscape_point *points = mem_new(GRID + t->run.n + VALUE_LIST_MAX, sizeof *points);
    *n = 0;
    for (size_t i = 0; i < asked->n_list; i++) {
        double theta = asked->list[i] * t->reg.points.x_scale;
        struct nw_loss_value value = nw_loss(t->spec, points_data(&t->reg.points), theta, NULL);
        points[(*n)++] = (struct landscape_point){theta, value.loss, value.gradient};
    }
    if (*n > 0)
        return points;
    for (size_t i = 0; i < t->landscape.n; i++)
        points[(*n)++] =
            (struct landscape_point){t->landscape.w[i], t->landscape.loss[i], t->landscape.gradient[i]};
    for (size_t i = 0; i <= t->run.cursor; i++)
        points[(*n)++] = (struct landscape_point){theta_at(t, i), t->run.loss[i], t->run.gradient[i]};
    qsort(points, *n, sizeof *points, compare_landscape);
    return points;
}

static struct table table_landscape(const struct stage *stage)
{
    struct train *t = state_of(stage);
    size_t n;
    if (stage->values[P_LANDSCAPE].n_list == 0)
        landscape_finish(t);
    struct landscape_point *points = collect_landscape(stage, &n);
    struct table table = table_new(n);
    double *w = table_add_numbers(&table, "w"), *loss = table_add_numbers(&table, "loss"),
           *gradient = table_add_numbers(&table, "gradient");
    for (size_t i = 0; i < n; i++) {
        w[i] = shown_w(t, points[i].w);
        loss[i] = points[i].loss;
        gradient[i] = points[i].gradient * t->reg.points.x_scale;
    }
    free(points);
    return table;
}

static struct table table_query(const struct stage *stage)
{
    return regression_query_table(&state_of(stage)->reg);
}

static const struct demo_table train_tables[] = {
    {"history", N_("epoch, w, loss, gradient; row 0 is the start"), table_history},
    {"fit", N_("the queries, the truth and the prediction"), table_fit},
    {"data", N_("the training points"), table_data},
    {"weights", N_("the attention weights, queries x keys"), table_weights},
    {"landscape", N_("loss and gradient over w"), table_landscape},
    {"query", N_("the selected query's sum, key by key"), table_query},
};

/* ---- panes */

static const uint32_t glyph_here = 0x25cf, glyph_best = 0x25bc, glyph_line = 0x2501;

static void fit_figure(const struct stage *stage, struct area corner)
{
    regression_legend(&state_of(stage)->reg, corner, false);
}

static void fit_draw(const struct stage *stage, struct area inside)
{
    regression_draw_fit(&state_of(stage)->reg, inside, (double)NAN);
}

static void weights_figure(const struct stage *stage, struct area corner)
{
    regression_weights_figure(&state_of(stage)->reg, corner);
}

static void weights_draw(const struct stage *stage, struct area inside)
{
    /* Before training every weight is small; the scale must do for them and for the one-hot rows of the end.
     */
    regression_draw_weights(&state_of(stage)->reg, inside, 1, HEAT_ROOT);
}

/* ---- the loss over epochs */

static void loss_figure(const struct stage *stage, struct area corner)
{
    const struct train *t = state_of(stage);
    const struct run *run = &t->run;
    const char *ghost = run->n_ghosts > 0 ? run->ghost[run->n_ghosts - 1].label : NULL;
    char loss[NUMBER_TEXT];
    number_show(loss, run->loss[run->cursor], 5, 9);
    figure_text(corner, loss);
    int cols = ghost ? utf8_columns(ghost) + 3 : 0;
    struct area place = area_part(corner, corner.cols - utf8_columns(loss) - 3 - cols, 0, cols + 1, 1);
    if (!ghost || place.cols <= cols || corner.cols - utf8_columns(loss) - 3 < cols)
        return;
    area_fill(place, look_pen(corner.look, ROLE_DIM), ' ');
    legend_entry(place, 1, 0, look_pen(corner.look, ROLE_GHOST), glyph_line, ghost);
}

static void count_up(double *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (double)i;
}

static void loss_draw(const struct stage *stage, struct area inside)
{
    const struct train *t = state_of(stage);
    const struct look *look = inside.look;
    int choice = (int)stage->values[P_AXIS].number;
    size_t skip = choice == AXIS_CLOSE && t->run.n > 2 ? 1 : 0, longest = train_end(stage);
    struct axis x = {.whole = true, .label = _("epoch")}, y = {.lo = HUGE_VAL, .hi = -HUGE_VAL};
    range_over(&y.lo, &y.hi, t->run.loss + skip, t->run.n - skip);
    longest = t->run.n - 1 > longest ? t->run.n - 1 : longest;
    for (size_t i = 0; i < t->run.n_ghosts; i++) {
        const struct ghost *ghost = &t->run.ghost[i];
        size_t from = ghost->n > skip + 1 ? skip : 0;
        range_over(&y.lo, &y.hi, ghost->loss + from, ghost->n - from);
        longest = ghost->n - 1 > longest ? ghost->n - 1 : longest;
    }
    x.lo = -0.02 * (double)longest;
    x.hi = (double)longest * 1.02;
    bool is_log = choice == AXIS_LOG && y.lo > 0 && y.hi > y.lo * 1.05;
    y.scale = is_log ? SCALE_LOG : SCALE_LINEAR;
    if (is_log) {
        double air = pow(y.hi / y.lo, 0.08);
        y.lo /= air;
        y.hi *= air;
    } else {
        range_pad(&y.lo, &y.hi, 0.08);
    }

    double *epoch = mem_new(longest + 1, sizeof *epoch);
    count_up(epoch, longest + 1);
    struct plot plot = plot_begin(inside, &x, &y);
    for (size_t i = 0; i < t->run.n_ghosts; i++)
        plot_line(&plot, epoch, t->run.ghost[i].loss, t->run.ghost[i].n, LINE_THIN,
                  look_pen(look, ROLE_GHOST));
    plot_line(&plot, epoch, t->run.loss, t->run.n, LINE_PLAIN, look_pen(look, ROLE_ACCENT));
    plot_end(&plot);
    plot_point(&plot, (double)t->run.cursor, t->run.loss[t->run.cursor], look_pen(look, ROLE_SELECT),
               glyph_here);
    free(epoch);
}

/* ---- the loss over w */

/* What the marks mean, where there is room for it (a zoomed pane), and the best w where there is any. */
static void landscape_legend(struct area corner, const char *best)
{
    const struct legend entries[] = {
        {ROLE_TRUTH, glyph_best, best},      {ROLE_SELECT, glyph_here, _("w now")},
        {ROLE_ACCENT, 0x2022, _("epochs")},  {ROLE_SELECT, 0x25b6, _("next step")},
        {ROLE_SELECT, 0x2500, _("tangent")},
    };
    legend_figure(corner, entries, ALEN(entries));
}

static void landscape_figure(const struct stage *stage, struct area corner)
{
    const struct train *t = state_of(stage);
    char text[4][64], w[NUMBER_TEXT], few[NUMBER_TEXT];
    if (t->landscape.n < t->landscape.n_grid) {
        snprintf(text[0], sizeof text[0], "%zu %%", t->landscape.n * 100 / t->landscape.n_grid);
        figure_text(corner, text[0]);
        return;
    }
    show_number(w, shown_w(t, t->landscape.best_w));
    number_show(few, shown_w(t, t->landscape.best_w), 3, 6);
    snprintf(text[0], sizeof text[0], _("best %s"), w);
    snprintf(text[1], sizeof text[1], "\u25bc %s", w);
    snprintf(text[2], sizeof text[2], "\u25bc %s", few);
    snprintf(text[3], sizeof text[3], "\u25bc%s", few);
    size_t shortest = 0;
    while (shortest + 1 < ALEN(text) && utf8_columns(text[shortest]) + 2 > corner.cols)
        shortest++;
    figure_text(corner, text[shortest]);
    landscape_legend(corner, text[0]);
}

/* The shown range of w: the bend of the landscape, and the run's path. */
static void landscape_range(const struct train *t, struct axis *x)
{
    x->lo = 0;
    x->hi = 20 / t->reg.points.x_scale;
    for (size_t i = 0; i < t->run.n; i++) {
        double w = shown_w(t, theta_at(t, i));
        x->lo = fmin(x->lo, w * 1.3);
        x->hi = fmax(x->hi, w * 1.3);
    }
}

/* L(w) = L(-w): the known grid, mirrored where the axis reaches below 0. Returns the number of points. */
static size_t mirrored_landscape(const struct train *t, bool mirrored, double *w, double *loss)
{
    size_t n = 0;
    for (size_t i = mirrored ? t->landscape.n : 0; i-- > 1;) {
        w[n] = -shown_w(t, t->landscape.w[i]);
        loss[n++] = t->landscape.loss[i];
    }
    for (size_t i = 0; i < t->landscape.n; i++) {
        w[n] = shown_w(t, t->landscape.w[i]);
        loss[n++] = t->landscape.loss[i];
    }
    return n;
}

/* The tangent at the current w, as far as it stays near the curve. */
static void draw_tangent(struct plot *plot, const struct train *t)
{
    double w = current_w(t), slope = t->run.gradient[t->run.cursor] * t->reg.points.x_scale;
    double loss = t->run.loss[t->run.cursor], tangent_w[17], tangent_loss[17];
    double reach = fabs(slope) > 0 ? 0.2 * (plot->y.hi - plot->y.lo) / fabs(slope) : HUGE_VAL;
    reach = fmin(reach, fmax(fabs(w) * 0.5, plot->x.knee));
    for (int i = 0; i < 17; i++) {
        double d = reach * (i - 8) / 8;
        tangent_w[i] = w + d;
        tangent_loss[i] = loss + slope * d;
    }
    plot_line(plot, tangent_w, tangent_loss, 17, LINE_THIN, look_pen(plot->inside.look, ROLE_SELECT));
}

/* Where the next step leads: an arrow of length lr * gradient at the height of the current loss. */
static void draw_step_arrow(const struct stage *stage, const struct plot *plot)
{
    const struct train *t = state_of(stage);
    double theta = theta_at(t, t->run.cursor), gradient = t->run.gradient[t->run.cursor];
    double next = shown_w(t, theta - rate_of(stage) * gradient), w = shown_w(t, theta);
    double loss = t->run.loss[t->run.cursor];
    int from, to, row, unused;
    struct pen pen = look_pen(plot->inside.look, ROLE_SELECT);
    next = fmin(fmax(next, plot->x.lo), plot->x.hi);
    if (!plot_cell(plot, w, loss, &from, &row) || !plot_cell(plot, next, loss, &to, &unused) || from == to)
        return;
    int by = to > from ? 1 : -1;
    for (int column = from + by; column != to; column += by)
        area_put(plot->inside, column, row, pen, 0x2500);
    area_put(plot->inside, to, row, pen, by > 0 ? 0x25b6 : 0x25c0);
}

static void landscape_draw(const struct stage *stage, struct area inside)
{
    const struct train *t = state_of(stage);
    const struct look *look = inside.look;
    struct axis x = {.scale = SCALE_ASINH, .knee = 0.5 / t->reg.points.x_scale, .label = "w"},
                y = {.lo = HUGE_VAL, .hi = -HUGE_VAL};
    double w[2 * GRID], loss[2 * GRID];
    landscape_range(t, &x);
    size_t n = mirrored_landscape(t, x.lo < 0, w, loss);
    range_over(&y.lo, &y.hi, loss, n);
    range_over(&y.lo, &y.hi, t->run.loss, t->run.n);
    range_pad(&y.lo, &y.hi, 0.08);

    double *path = mem_new(t->run.n, sizeof *path);
    for (size_t i = 0; i < t->run.n; i++)
        path[i] = shown_w(t, theta_at(t, i));
    struct plot plot = plot_begin(inside, &x, &y);
    plot_line(&plot, w, loss, n, LINE_PLAIN, look_pen(look, ROLE_DIM));
    plot_line(&plot, path, t->run.loss, t->run.n, LINE_THIN, look_pen(look, ROLE_ACCENT));
    draw_tangent(&plot, t);
    plot_end(&plot);
    for (size_t i = 0; i < t->run.n && t->run.n < 400; i++)
        plot_point(&plot, path[i], t->run.loss[i], look_pen(look, ROLE_ACCENT), 0x2022);
    draw_step_arrow(stage, &plot);
    if (t->landscape.n == t->landscape.n_grid)
        plot_point(&plot, shown_w(t, t->landscape.best_w), t->landscape.best_loss, look_pen(look, ROLE_TRUTH),
                   glyph_best);
    plot_point(&plot, current_w(t), t->run.loss[t->run.cursor], look_pen(look, ROLE_SELECT), glyph_here);
    free(path);
}

/* ---- the selected query's sum, or the opened step */

/* TEXT if it fits COLS, else the shorter one. */
static const char *whichever_fits(const char *text, const char *shorter, int cols)
{
    return utf8_columns(text) <= cols ? text : shorter;
}

static void query_figure(const struct stage *stage, struct area corner)
{
    const struct train *t = state_of(stage);
    size_t k = t->run.cursor;
    char text[160], shorter[96], x[NUMBER_TEXT];
    if (!t->opened) {
        regression_sum_figure(&t->reg, corner);
        return;
    }
    snprintf(text, sizeof text, _("training point x = %s: epoch %zu \u2192 %zu, part %d of %d"),
             show_number(x, t->reg.points.x[t->probe]), k, k + 1, t->opened, STEP_PARTS);
    snprintf(shorter, sizeof shorter, _("epoch %zu \u2192 %zu, part %d of %d"), k, k + 1, t->opened,
             STEP_PARTS);
    figure_text(corner, whichever_fits(text, shorter, corner.cols - 2));
}

/* "0.62  0.31  0.05  ..." : as many of the probe's numbers as fit COLS, nearest keys first. */
static void list_nearest(const struct train *t, int part, int cols, struct buf *out)
{
    enum { MOST = 12, GAP = 2, REST = 3 /* of the ellipsis */ };
    size_t n = t->reg.points.n, from = t->probe >= 2 ? t->probe - 2 : 0, shown = 0;
    for (size_t i = from; i < n && shown < MOST; i++) {
        struct nw_key key = nw_glance_key(&t->probed, points_data(&t->reg.points), i);
        char text[NUMBER_TEXT];
        if (t->spec.leave_one_out && i == t->probe)
            continue;
        int width = utf8_columns(show_number(text, part == 1 ? key.score : key.weight)) + (shown ? GAP : 0);
        if (utf8_columns(out->at) + width + REST > cols)
            break;
        buf_printf(out, "%s%s", shown++ ? "  " : "", text);
    }
    buf_puts(out, shown + (size_t)t->spec.leave_one_out < n ? "  \u2026" : "");
}

/* The scores as the kernel at work has them, and the weights: the first one that leaves room for numbers. */
static void describe_nearest(const struct train *t, int part, int cols, struct buf *out)
{
    enum { TWO_NUMBERS = 26 };
    bool is_gaussian = t->spec.kernel == NW_GAUSSIAN;
    char text[96], x[NUMBER_TEXT];
    const char *shorter = part == 1 ? (is_gaussian ? "s: " : "|u|: ") : "\u03b1: ";
    show_number(x, t->reg.points.x[t->probe]);
    if (part == 2)
        snprintf(text, sizeof text,
                 "%s:  ", is_gaussian ? "\u03b1 = softmax(s)" : "\u03b1 = K(u) / \u03a3 K(u)");
    else if (is_gaussian)
        snprintf(text, sizeof text, "s\u2c7c = \u2212((%s \u2212 x\u2c7c)\u00b7w)\u00b2/2:  ", x);
    else
        snprintf(text, sizeof text, "|u\u2c7c| = |(%s \u2212 x\u2c7c)\u00b7w|:  ", x);
    buf_puts(out, whichever_fits(text, shorter, cols - TWO_NUMBERS));
    list_nearest(t, part, cols, out);
}

static void describe_error(const struct train *t, int part, int cols, struct buf *out)
{
    double y = t->reg.points.y[t->probe], y_hat = t->probed.y_hat + t->reg.points.y_shift;
    char text[160], shorter[96], a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT], d[NUMBER_FACTOR];
    show_number(c, y_hat - y);
    if (part == 3) {
        show_number(a, y_hat);
        show_number(b, y);
        snprintf(text, sizeof text, _("\u0177 = \u03a3 \u03b1\u00b7y = %s   target %s   error %s"), a, b, c);
        snprintf(shorter, sizeof shorter, "\u0177 \u2212 y = %s \u2212 %s = %s", a, number_factor(d, b), c);
    } else {
        show_number(a, t->run.loss[t->run.cursor]);
        snprintf(text, sizeof text, _("L = %s over %zu points   this one: %s\u00b2 = %s"), a, t->reg.points.n,
                 number_factor(d, c), show_number(b, (y_hat - y) * (y_hat - y)));
        snprintf(shorter, sizeof shorter, _("L = %s over %zu points"), a, t->reg.points.n);
    }
    buf_puts(out, whichever_fits(text, shorter, cols));
}

/* In a file's units the step is lr times the gradient over the variances of x and y, which are 1 inside. */
static void describe_update(const struct stage *stage, int cols, struct buf *out)
{
    const struct train *t = state_of(stage);
    const struct points *p = &t->reg.points;
    double theta = theta_at(t, t->run.cursor), gradient = t->run.gradient[t->run.cursor];
    char over[NUMBER_TEXT + 4] = "", numbers[160], text[240], w[NUMBER_TEXT], next[NUMBER_TEXT],
                            rate[NUMBER_TEXT], slope[NUMBER_TEXT], factor[NUMBER_FACTOR];
    show_number(w, shown_w(t, theta));
    show_number(next, shown_w(t, theta - rate_of(stage) * gradient));
    show_number(slope, gradient * p->x_scale);
    if (!p->has_truth)
        snprintf(over, sizeof over, "/%s\u00b2", show_number(rate, p->x_scale * p->y_scale));
    show_number(rate, stage->values[P_LR].number);
    snprintf(numbers, sizeof numbers, "%s \u2212 %s\u00b7%s%s = %s", w, rate, number_factor(factor, slope),
             over, next);
    snprintf(text, sizeof text, "w \u2190 w \u2212 lr\u00b7dL/dw%s = %s",
             p->has_truth ? "" : "/(\u03c3x\u03c3y)\u00b2", numbers);
    buf_puts(out, whichever_fits(text, numbers, cols));
}

static void describe_gradient(const struct train *t, struct buf *out)
{
    double gradient = t->run.gradient[t->run.cursor] * t->reg.points.x_scale;
    char text[NUMBER_TEXT];
    buf_printf(out, "dL/dw = %s", show_number(text, gradient));
    if (gradient != 0)
        buf_printf(out, "   %s",
                   gradient < 0 ? _("a larger w lowers the loss") : _("a smaller w lowers the loss"));
}

/* Part PART of the step, in COLS columns. */
static void describe_part(const struct stage *stage, int part, int cols, struct buf *out)
{
    const struct train *t = state_of(stage);
    switch (part) {
    case 1:
    case 2:
        describe_nearest(t, part, cols, out);
        break;
    case 3:
    case 4:
        describe_error(t, part, cols, out);
        break;
    case 5:
        describe_gradient(t, out);
        break;
    default:
        describe_update(stage, cols, out);
        break;
    }
}

static void draw_opened(const struct stage *stage, struct area inside)
{
    const struct train *t = state_of(stage);
    const char *const names[STEP_PARTS] = {_("scores"), _("weights"),  _("prediction"),
                                           _("loss"),   _("gradient"), _("update")};
    enum { NAMED = 48, NAME_COLS = 14, NUMBER_COLS = 2 };
    bool is_named = inside.cols >= NAMED;
    int left = is_named ? NAME_COLS : NUMBER_COLS, pitch = inside.rows >= 2 * STEP_PARTS - 1 ? 2 : 1;
    for (int part = 1; part <= STEP_PARTS; part++) {
        bool known = part <= t->opened, latest = part == t->opened;
        struct pen pen = look_pen(inside.look, latest ? ROLE_SELECT : known ? ROLE_TEXT : ROLE_FAINT);
        struct area line = area_part(inside, 0, (part - 1) * pitch, inside.cols, 1);
        struct buf text = {0};
        area_textf(line, 0, 0, pen, "%d", part);
        if (is_named || !known)
            area_text(line, NUMBER_COLS, 0, pen, names[part - 1]);
        if (known)
            describe_part(stage, part, inside.cols - left, &text);
        area_text_fit(line, left, 0, line.cols - left, pen, text.at ? text.at : "");
        buf_free(&text);
    }
}

static void query_draw(const struct stage *stage, struct area inside)
{
    if (state_of(stage)->opened)
        draw_opened(stage, inside);
    else
        regression_draw_sum(&state_of(stage)->reg, inside);
}

static const struct pane panes[] = {
    [PANE_FIT] = {"fit", N_("fit"), fit_figure, fit_draw, move_in_fit,
                  N_("\u25cb the data, dashed the truth, the line the prediction; \u25c6 the query whose "
                     "weights are shown")},
    [PANE_WEIGHTS] = {"weights", N_("attention weights"), weights_figure, weights_draw, move_in_heatmap,
                      N_("a row a query, a column a key, the colour its weight; \u25b8 \u25c2 the "
                         "query's row, \u25c6 the chosen key")},
    [PANE_LOSS] = {"loss", N_("loss"), loss_figure, loss_draw, move_in_fit,
                   N_("the loss after each epoch, \u25cf where you are; thin lines are ghosts: runs that a "
                      "change left behind")},
    [PANE_LANDSCAPE] = {"landscape", N_("loss over w"), landscape_figure, landscape_draw, move_in_fit,
                        N_("the loss for every w: \u25bc the best, \u25cf now, \u2022 the epochs, arrow = "
                           "the next step, yellow = the tangent")},
    [PANE_QUERY] =
        {"query", N_("the query's sum"), query_figure, query_draw, move_in_fit,
         N_("how the query's prediction comes about: its heaviest keys, each with score, weight and share")},
    [PANE_PARAMETERS] = {"parameters", N_("parameters"), NULL, panel_draw, move_in_fit, PANEL_HELP},
};

/* ---- layout */

/* Two panes above three. */
static void layout_medium(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    enum { OPENED_ROWS = STEP_PARTS + 2 };
    int strip = a.rows * 2 / 5;
    bool is_opened = state_of(stage)->opened > 0;
    struct area lower = area_cut_bottom(&a, is_opened && strip < OPENED_ROWS ? OPENED_ROWS : strip);
    out[PANE_FIT] = area_cut_left(&a, a.cols * 52 / 100);
    out[PANE_WEIGHTS] = a;
    if (!is_opened || stage->focus == PANE_PARAMETERS)
        out[PANE_PARAMETERS] = area_cut_right(&lower, lower.cols * 36 / 100);
    if (stage->focus == PANE_QUERY || is_opened) {
        out[PANE_QUERY] = lower;
    } else {
        out[PANE_LOSS] = area_cut_left(&lower, lower.cols / 2);
        out[PANE_LANDSCAPE] = lower;
    }
}

/* 100x30 and more: all six. The heatmap gets what gives every key a column of its own, within reason. */
static void layout_large(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    int strip = a.rows / 4 < 8 ? 8 : a.rows / 4 - 1;
    struct area lower = area_cut_bottom(&a, strip);
    out[PANE_PARAMETERS] = area_cut_right(&lower, lower.cols * 38 / 100);
    out[PANE_QUERY] = lower;
    out[PANE_WEIGHTS] = area_cut_right(&a, regression_weights_cols(&state_of(stage)->reg, a.cols));
    struct area left = a;
    struct area curves = area_cut_bottom(&left, left.rows * 38 / 100);
    out[PANE_FIT] = left;
    out[PANE_LOSS] = area_cut_left(&curves, curves.cols / 2);
    out[PANE_LANDSCAPE] = curves;
}

static void train_layout(const struct stage *stage, struct area area, struct area out[PANES_MAX])
{
    static const struct layouts layouts = {PANE_PARAMETERS, PANE_FIT, layout_medium, layout_large};

    layout_by_room(&layouts, stage, area, out);
}

/* ---- words */

static void train_formula(const struct stage *stage, struct area line)
{
    const struct train *t = state_of(stage);
    char a[NUMBER_TEXT], b[NUMBER_TEXT], text[160];
    double w = current_w(t);
    struct pen dim = look_pen(line.look, ROLE_DIM), select = look_pen_bold(line.look, ROLE_SELECT);
    int x = area_text(line, 0, 0, look_pen(line.look, ROLE_TEXT), regression_formula(t->spec.kernel)) + 3;
    x += area_textf(line, x, 0, select, "w = %s", number_show(a, w, 6, 12)) + 3;

    struct buf sum = {0};
    regression_sum_text(&t->reg, &sum);
    if (x + utf8_columns(sum.at) <= line.cols)
        x += area_text(line, x, 0, look_pen(line.look, ROLE_TEXT), sum.at) + 3;
    buf_free(&sum);

    snprintf(text, sizeof text, _("width 1/|w| %s   keys that count %s"),
             w != 0 ? show_number(a, 1 / fabs(w)) : "\u221e", number_show(b, t->reg.selected.n_eff, 2, 6));
    if (x + utf8_columns(text) <= line.cols)
        area_text(line, x, 0, dim, text);
}

static void train_progress(const struct stage *stage, char *out, size_t size)
{
    epoch_text(state_of(stage)->run.cursor, (size_t)stage->values[P_EPOCHS].number, out, size);
}

/* The last state put by hand is the one on show. */
static bool is_put(const struct train *t)
{
    return t->replaced == t->run.cursor + 1;
}

/* The largest rate of the row 1, 2, 5, 10, ... whose step from state K does not lead past the best w; 0 where
 * that is not known. */
static double fitting_rate(const struct train *t, size_t k)
{
    static const double digits[] = {5, 2, 1};
    double distance = fabs(t->landscape.best_w - fabs(theta_at(t, k))), gradient = fabs(t->run.gradient[k]);
    double variance = t->reg.points.y_scale * t->reg.points.y_scale;
    double most = distance / gradient * variance, power = pow(10, floor(log10(most)));
    if (t->landscape.n < t->landscape.n_grid || !isfinite(most) || most <= 0)
        return 0;
    for (size_t i = 0; i < ALEN(digits); i++)
        if (digits[i] * power <= most)
            return digits[i] * power;
    return power;
}

/* What to do about a step from state K that was too long: "Try lr 0.05." */
static const char *advise_rate(const struct stage *stage, size_t k, char *out, size_t size)
{
    double rate = fitting_rate(state_of(stage), k);
    char text[NUMBER_TEXT];
    if (rate > 0 && rate < stage->values[P_LR].number)
        snprintf(out, size, _("Try lr %s."), number_show(text, rate, 1, 9));
    else
        snprintf(out, size, "%s", _("Lower lr."));
    return out;
}

/* A and B with as many digits as tell them apart; false if they need too many for that. */
static bool show_apart(char a[NUMBER_TEXT], char b[NUMBER_TEXT], double from, double to)
{
    for (int digits = 4; digits <= 7; digits++)
        if (strcmp(number_show(a, from, digits, 12), number_show(b, to, digits, 12)) != 0)
            return true;
    return false;
}

/* Trouble with the step that led to the cursor. */
static bool remark_step(const struct stage *stage, char *out, size_t size)
{
    const struct train *t = state_of(stage);
    char a[NUMBER_TEXT], b[NUMBER_TEXT], advice[64];
    size_t k = t->run.cursor;
    if (t->run.diverged && k == t->run.n - 1)
        snprintf(out, size, _("Diverged after epoch %zu: the next w is not a finite number. %s"), k,
                 advise_rate(stage, k, advice, sizeof advice));
    else if (k > 0 && !is_put(t) && t->run.loss[k] > t->run.loss[k - 1] &&
             show_apart(a, b, t->run.loss[k - 1], t->run.loss[k]))
        snprintf(out, size, _("The loss rose from %s to %s: the step was too long. %s"), a, b,
                 advise_rate(stage, k - 1, advice, sizeof advice));
    else
        return false;
    return true;
}

/* Trouble with the state at the cursor: the first sentence whose condition holds is said. */
static bool remark_trouble(const struct stage *stage, char *out, size_t size)
{
    const struct train *t = state_of(stage);
    size_t k = t->run.cursor, n = t->reg.points.n;
    double theta = theta_at(t, k), gradient = t->run.gradient[k];
    if (t->at.n_empty == n)
        snprintf(out, size, "%s",
                 _("No key is within any point's reach: nothing is learned. Bring w nearer to 0."));
    else if (t->at.n_empty > 0)
        snprintf(out, size, _("%zu of %zu points have no key within reach and do not count in the loss."),
                 t->at.n_empty, n);
    else if (theta == 0)
        snprintf(out, size, "%s",
                 _("w = 0: all keys weigh the same, the gradient is 0, and SGD stays here."));
    else if (fabs(theta) < 0.05 &&
             fabs(gradient) < 0.05 * (t->reg.points.y_scale * t->reg.points.y_scale + t->run.loss[k]))
        snprintf(out, size, "%s", _("w is near 0, where the loss is flat: all keys weigh nearly the same."));
    else if (t->spec.kernel == NW_GAUSSIAN && gradient == 0 && t->run.loss[k] > 0)
        snprintf(out, size, "%s",
                 _("A plateau: only the nearest key counts and the gradient is 0. Lower w."));
    else
        return false;
    return true;
}

/* The first epoch up to the cursor whose step passed over the best w, 0 if none; what was put by hand is no
 * step. */
static size_t jumped_over_best(const struct train *t)
{
    double best = t->landscape.best_w;
    bool is_behind = t->replaced > 0 && t->replaced <= t->run.cursor + 1;
    for (size_t k = is_behind ? t->replaced : 1; k <= t->run.cursor; k++)
        if (fabs(theta_at(t, k - 1)) < best && fabs(theta_at(t, k)) > 2 * best)
            return k;
    return 0;
}

/* Where the w on show comes from, if no step led to it. */
static bool remark_origin(const struct stage *stage, char *out, size_t size)
{
    const struct train *t = state_of(stage);
    char w[NUMBER_TEXT], loss[NUMBER_TEXT];
    enum origin origin = is_put(t) && t->put != ORIGIN_KEPT ? t->put : t->start;
    show_number(w, current_w(t));
    show_number(loss, t->run.loss[t->run.cursor]);
    if (t->run.cursor > 0 && !is_put(t))
        return false;
    if (t->run.cursor > 0 && t->put == ORIGIN_KEPT)
        snprintf(out, size, _("Epoch %zu: the loss is %s now, at the same w = %s."), t->run.cursor, loss, w);
    else if (origin == ORIGIN_FIT)
        snprintf(out, size, _("w = %s is where the loss is least: %s."), w, loss);
    else if (origin == ORIGIN_HAND)
        snprintf(out, size, _("w = %s was set by hand. Press space to train from here."), w);
    else if (stage->param == P_W)
        snprintf(out, size, _("w = %s was drawn at random. Space trains it; \u2190 and \u2192 change it."),
                 w);
    else
        snprintf(out, size, _("w = %s was drawn at random. Space trains it."), w);
    return true;
}

static enum role remark_epoch(const struct train *t, char *out, size_t size)
{
    char a[NUMBER_TEXT], b[NUMBER_TEXT];
    size_t k = t->run.cursor;
    if (show_apart(a, b, t->run.loss[k - 1], t->run.loss[k])) {
        snprintf(out, size, _("Epoch %zu: the loss fell from %s to %s."), k, a, b);
        return ROLE_TRUTH;
    }
    snprintf(out, size, _("Epoch %zu: the loss hardly changed, it is %s."), k,
             show_number(a, t->run.loss[k]));
    return ROLE_DIM;
}

static enum role train_remark(const struct stage *stage, char *out, size_t size)
{
    const struct train *t = state_of(stage);
    char a[NUMBER_TEXT], b[NUMBER_TEXT], advice[64];
    /* Of few points a step is there with the next picture. */
    if (t->n_changes > 0 || (regression_is_large(&t->reg) && t->goal != t->run.cursor)) {
        snprintf(out, size, "%s", _(remark_put_off));
        return ROLE_DIM;
    }
    if (remark_step(stage, out, size) || remark_trouble(stage, out, size))
        return ROLE_WARN;
    size_t jump = t->landscape.n == t->landscape.n_grid ? jumped_over_best(t) : 0;
    if (jump > 0) {
        double step = theta_at(t, jump) - theta_at(t, jump - 1);
        snprintf(out, size, _("Epoch %zu jumped over the best w (%s), by a step of %s. %s"), jump,
                 show_number(a, shown_w(t, t->landscape.best_w)), show_number(b, fabs(shown_w(t, step))),
                 advise_rate(stage, jump - 1, advice, sizeof advice));
        return ROLE_WARN;
    }
    if (t->at.n_one_hot * 2 > t->reg.points.n) {
        snprintf(out, size, _("%zu of %zu points listen to a single key: the weights have become one-hot."),
                 t->at.n_one_hot, t->reg.points.n);
        return ROLE_WARN;
    }
    if (t->run.cursor == 0 && t->replaced == 0 && t->reg.points.guess.n_columns > 0) {
        csv_guess_text(&t->reg.points.guess, out, size);
        return ROLE_DIM;
    }
    return remark_origin(stage, out, size) ? ROLE_DIM : remark_epoch(t, out, size);
}

/* ---- the script */

static const char *const network_text =
    "class NWKernelRegression(nn.Module):\n"
    "    \"\"\"Nadaraya-Watson regression: attention whose width is learned.\"\"\"\n"
    "\n"
    "    def __init__(self, w, kernel):\n"
    "        super().__init__()\n"
    "        self.w = nn.Parameter(w)\n"
    "        self.kernel = kernel\n"
    "\n"
    "    def forward(self, queries, keys, values):\n"
    "        self.attention_weights = self.kernel((queries.unsqueeze(1) - keys) * self.w)\n"
    "        return (self.attention_weights * values).sum(dim=1)\n"
    "\n\n";

static const char *const loss_text =
    "def loss_and_gradient():\n"
    "    \"\"\"At net.w; the points in portions, for the memory's sake. Those without a key in reach are "
    "left out.\"\"\"\n"
    "    net.zero_grad()\n"
    "    total, count = 0.0, 0\n"
    "    for rows in torch.arange(len(x_train)).split(1000):\n"
    "        keys, values = others(rows) if leave_one_out else (x_train, y_train)\n"
    "        y_hat = net(x_train[rows], keys, values)\n"
    "        reached = net.attention_weights.sum(dim=1) > 0\n"
    "        l = ((y_hat - y_train[rows])[reached] ** 2).sum()\n"
    "        l.backward()\n"
    "        total, count = total + l.item(), count + reached.sum().item()\n"
    "    factor = {\"sum\": 1, \"half\": 1 / 2, \"mean\": 1 / max(count, 1)}[loss]\n"
    "    net.w.grad *= factor\n"
    "    return total * factor, net.w.grad.item()\n"
    "\n\n";

/* The script's functions that keep the history; a file's w and gradient are shown in its units. */
static void put_training(const struct regression *r, struct buf *out)
{
    const char *over = regression_torch_unit(r, " / x_std"), *times = regression_torch_unit(r, " * x_std");
    buf_puts(out, "history = {\"epoch\": [], \"w\": [], \"loss\": [], \"gradient\": []}\n"
                  "\n\n"
                  "def record():\n"
                  "    l, gradient = loss_and_gradient()\n");
    buf_printf(out,
               "    row = (len(history[\"epoch\"]), net.w.item()%s, l, gradient%s)\n"
               "    for column, value in zip(history.values(), row):\n"
               "        column.append(value)\n"
               "\n\n",
               over, times);
    buf_printf(out,
               "def train(num_epochs, lr):\n"
               "    trainer = torch.optim.SGD(net.parameters(), lr=lr%s)\n",
               regression_torch_unit(r, " / y_std**2"));
    buf_puts(out, "    for epoch in range(num_epochs):\n"
                  "        trainer.step()  # with the gradient of the last record\n"
                  "        record()\n"
                  "\n\n"
                  "def set_w(w):\n"
                  "    net.w.data.fill_(w)\n"
                  "    record()\n");
}

static bool is_spec_at(const struct train *t, struct nw_spec spec, size_t k)
{
    struct nw_loss_value value = nw_loss(spec, points_data(&t->reg.points), theta_at(t, k), NULL);
    return value.loss == t->run.loss[k] && value.gradient == t->run.gradient[k];
}

/* Finds what state K was evaluated under: *SPEC, unless the loss or the kernel have been changed since. False
 * if neither explains it: the points have been changed. */
static bool find_spec(const struct train *t, size_t k, struct nw_spec *spec)
{
    if (is_spec_at(t, *spec, k))
        return true;
    for (int i = 0; i < NW_KERNELS * 2 * (NW_LOSS_MEAN + 1); i++) {
        struct nw_spec tried = {(enum nw_kernel)(i % NW_KERNELS), (enum nw_loss)(i / NW_KERNELS / 2),
                                i / NW_KERNELS % 2 != 0};
        if (regression_affords(&t->reg.points, tried.kernel, NULL) && is_spec_at(t, tried, k)) {
            *spec = tried;
            return true;
        }
    }
    return false;
}

/* Fills SPECS (cursor + 1) from the returned epoch on: before that, states belong to other points. */
static size_t find_specs(const struct train *t, struct nw_spec *specs)
{
    struct nw_spec spec = t->spec;
    size_t k = t->run.cursor + 1;
    specs[k - 1] = spec;
    while (k > 0 && find_spec(t, k - 1, &spec))
        specs[--k] = spec;
    return k > t->run.cursor ? t->run.cursor : k;
}

static bool same_spec(struct nw_spec a, struct nw_spec b)
{
    return a.kernel == b.kernel && a.loss == b.loss && a.leave_one_out == b.leave_one_out;
}

static void put_spec(struct nw_spec spec, struct buf *out)
{
    buf_printf(out, "loss, leave_one_out = \"%s\", %s\n", losses[spec.loss],
               spec.leave_one_out ? "True" : "False");
}

/* States whose points are no more, as they were. */
static void put_past(const struct train *t, size_t n, struct buf *out)
{
    struct matrix past = matrix_new(n, 4);
    for (size_t k = 0; k < n; k++) {
        double *row = matrix_row(&past, k), scale = t->reg.points.x_scale;
        row[0] = (double)k;
        row[1] = shown_w(t, theta_at(t, k));
        row[2] = t->run.loss[k];
        row[3] = t->run.gradient[k] * scale;
    }
    buf_puts(out, "# What the history has from before the points were changed.\n");
    torch_tensor("past", past.at, (const size_t[]){n, 4}, 2, out);
    buf_puts(out, "for row in past.tolist():\n"
                  "    for column, value in zip(history.values(), row):\n"
                  "        column.append(value)\n");
    matrix_free(&past);
}

/* The run from epoch FIRST to the cursor: epochs of one learning rate together, and what was changed. */
static void put_run(const struct stage *stage, const struct nw_spec *specs, size_t first, struct buf *out)
{
    const struct train *t = state_of(stage);
    double lr = stage->values[P_LR].number, variance = t->reg.points.y_scale * t->reg.points.y_scale;
    buf_puts(out, "record()\n");
    for (size_t k = first, n; k < t->run.cursor; k += n) {
        double rate = torch_rate(t->run.theta, t->run.gradient, 1, k, lr, variance);
        if (!same_spec(specs[k + 1], specs[k])) {
            put_spec(specs[k + 1], out);
            buf_printf(out, "net.kernel = %s\n", torch_kernel_name(specs[k + 1].kernel));
        }
        for (n = 1; k + n < t->run.cursor && same_spec(specs[k + n + 1], specs[k + 1]); n++)
            if (torch_rate(t->run.theta, t->run.gradient, 1, k + n, rate, variance) != rate)
                break;
        if (isnan(rate))
            buf_puts(out, "set_w(");
        else
            buf_printf(out, "train(num_epochs=%zu, lr=", n);
        torch_number(isnan(rate) ? theta_at(t, k + 1) : rate, out);
        buf_puts(out, ")\n");
    }
}

static void put_kernels(const struct nw_spec *specs, size_t first, size_t n, struct buf *out)
{
    bool is_used[NW_KERNELS] = {false};
    for (size_t k = first; k < n; k++)
        is_used[specs[k].kernel] = true;
    for (int kernel = 0; kernel < NW_KERNELS; kernel++) {
        if (is_used[kernel]) {
            torch_kernel((enum nw_kernel)kernel, out);
            buf_puts(out, "\n\n");
        }
    }
}

/* The w of epoch FIRST: as it was drawn, unless it was given. */
static void put_start(const struct stage *stage, size_t first, enum nw_kernel kernel, struct buf *out)
{
    const struct train *t = state_of(stage);
    struct points points = {0};
    double drawn = (double)NAN;
    if (make_points(stage, &t->reg.points, &points, &drawn, NULL))
        points_free(&points);
    if (drawn != theta_at(t, first)) {
        buf_puts(out, "w = torch.tensor([");
        torch_number(theta_at(t, first), out);
        buf_puts(out, "], dtype=torch.float64)  # given, not drawn\n");
    }
    buf_printf(out, "net = NWKernelRegression(w, %s)\n", torch_kernel_name(kernel));
}

static void put_landscape(const struct stage *stage, struct buf *out)
{
    const struct train *t = state_of(stage);
    const struct value *asked = &stage->values[P_LANDSCAPE];
    double grid[GRID + VALUE_LIST_MAX];
    size_t n = asked->n_list > 0 ? asked->n_list : t->landscape.n_grid;
    for (size_t i = 0; i < n; i++)
        grid[i] = asked->n_list > 0 ? asked->list[i] * t->reg.points.x_scale : t->landscape.w[i];
    buf_puts(out, "\n\n");
    torch_tensor("grid", grid, &n, 1, out);
    buf_puts(out, "\n\ndef landscape():\n    rows = ");
    buf_puts(out, asked->n_list > 0
                      ? "[]\n"
                      : "list(zip(history[\"w\"], history[\"loss\"], history[\"gradient\"]))\n");
    buf_printf(out,
               "    for w in grid.tolist():\n"
               "        net.w.data.fill_(w)\n"
               "        l, gradient = loss_and_gradient()\n"
               "        rows.append((w%s, l, gradient%s))\n"
               "    return dict(zip((\"w\", \"loss\", \"gradient\"), zip(*%s)))\n",
               regression_torch_unit(&t->reg, " / x_std"), regression_torch_unit(&t->reg, " * x_std"),
               asked->n_list > 0 ? "rows" : "sorted(rows)");
}

static void put_tables(const struct stage *stage, struct buf *out)
{
    buf_puts(out, "\nw = net.w.item()\n"
                  "attention_weights, y_hat = attend(net.kernel, w)\n");
    regression_torch_query(&state_of(stage)->reg, out);
    put_landscape(stage, out);
    buf_puts(out, "\n\ntables = {\n"
                  "    \"history\": history,\n"
                  "    \"fit\": {\"x\": x_test, \"truth\": y_truth, \"y_hat\": y_hat},\n"
                  "    \"data\": {\"x\": x_data, \"y\": y_data},\n"
                  "    \"weights\": attention_weights,\n"
                  "    \"landscape\": landscape,\n"
                  "    \"query\": query,\n"
                  "}\n");
}

static void train_torch(const struct stage *stage, struct buf *out)
{
    const struct train *t = state_of(stage);
    size_t n = t->run.cursor + 1;
    struct nw_spec *specs = mem_new(n, sizeof *specs);
    size_t first = find_specs(t, specs);
    buf_putc(out, '\n');
    put_kernels(specs, first, n, out);
    buf_puts(out, network_text);
    regression_torch_others(out);
    buf_puts(out, loss_text);
    regression_torch_attend(&t->reg, out);
    regression_torch_points(stage, &t->reg, stage->values[P_NOISE].number, "w = torch.rand(1).double()\n",
                            out);
    put_start(stage, first, specs[first].kernel, out);
    put_spec(specs[first], out);
    put_training(&t->reg, out);
    buf_puts(out, "\n\n");
    if (first > 0)
        put_past(t, first, out);
    put_run(stage, specs, first, out);
    put_tables(stage, out);
    free(specs);
}

const struct demo demo_train = {
    .name = "train",
    .title = N_("parametric attention pooling"),
    .summary = N_("learn the width of the kernel: one scalar w, by SGD"),
    .params = params,
    .n_params = ALEN(params),
    .panes = panes,
    .n_panes = ALEN(panes),
    .tables = train_tables,
    .n_tables = ALEN(train_tables),
    .commands = train_commands,
    .n_commands = ALEN(train_commands),
    .takes_file = true,
    .describe_file = train_describe_file,
    .open = train_open,
    .copy = train_copy,
    .restored = train_restored,
    .discard = discard,
    .apply = train_apply,
    .is_idle = train_is_idle,
    .work = train_work,
    .look_ahead = train_look_ahead,
    .catch_up = catch_up,
    .position = train_position,
    .known = train_known,
    .end = train_end,
    .go = train_go,
    .reset = train_reset,
    .select = train_select,
    .layout = train_layout,
    .formula = train_formula,
    .progress = train_progress,
    .remark = train_remark,
    .torch = train_torch,
};
