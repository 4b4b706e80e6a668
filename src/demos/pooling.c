/* Average pooling against attention pooling with kernels that are not learned: Nadaraya-Watson regression. */
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
#include "demos/layout.h"
#include "demos/matrix_view.h"
#include "demos/points_edit.h"
#include "demos/regression.h"
#include "demos/regression_torch.h"
#include "demos/regression_view.h"
#include "demos/tensors.h"
#include "demos/torch_script.h"
#include "draw/heatmap.h"
#include "draw/plot.h"
#include "engine/mem.h"
#include "engine/rng.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* ---- parameters */

enum { P_SIGMA, P_W, P_KERNEL, P_PANELS, P_EDITION, P_N, P_NOISE, P_QUERY, P_SEED, P_X, P_Y };

enum { PANELS_ONE, PANELS_FOUR };

static const char *const editions[] = {[NW_TARGET_POWER] = "power", [NW_TARGET_LINEAR] = "linear", NULL};
static const char *const panels[] = {[PANELS_ONE] = "one", [PANELS_FOUR] = "four", NULL};

/* What the book's two editions draw, and how they show it. */
static const struct {
    double n, noise;
    int panels;
} presets[] = {
    [NW_TARGET_POWER] = {50, 0.5, PANELS_ONE},
    [NW_TARGET_LINEAR] = {40, 1, PANELS_FOUR},
};

/* The widths that the linear edition compares. */
static const double widths[] = {0.1, 0.2, 0.5, 1};
enum { WIDTHS = ALEN(widths) };

static const struct param params[] = {
    [P_SIGMA] = {.name = "sigma",
                 .label = N_("width"),
                 .kind = PARAM_REAL,
                 .lo = 0,
                 .hi = 1e300,
                 .above_lo = true,
                 .usual_lo = 0.01,
                 .usual_hi = 10,
                 .step = 0.01,
                 .steps = STEPS_DIGIT,
                 .initial = "1",
                 .unit = "",
                 .help = N_("the kernel's width: how far a query looks; w = 1/sigma follows")},
    [P_W] = {.name = "w",
             .label = N_("1/sigma"),
             .kind = PARAM_REAL,
             .lo = 0,
             .hi = 1e300,
             .above_lo = true,
             .usual_lo = 0.1,
             .usual_hi = 100,
             .step = 0.01,
             .steps = STEPS_DIGIT,
             .initial = "1",
             .unit = "",
             .help = N_("distances are multiplied by it; sigma = 1/w follows")},
    [P_KERNEL] = KERNEL_PARAM(N_("how a distance becomes a weight; constant is average pooling")),
    [P_PANELS] = {.name = "panels",
                  .label = N_("panels"),
                  .kind = PARAM_CHOICE,
                  .choices = panels,
                  .initial = "one",
                  .unit = "",
                  .help = N_("one: the width that is set; four: widths 0.1, 0.2, 0.5 and 1 side by side")},
    [P_EDITION] = {.name = "edition",
                   .label = N_("edition"),
                   .kind = PARAM_CHOICE,
                   .choices = editions,
                   .initial = "power",
                   .unit = "",
                   .help = N_("the book's data: power is 2 sin x + x^0.8, 50 points, noise 0.5; linear is "
                              "2 sin x + x, 40 points, noise 1, four panels")},
    [P_N] = N_POINTS_PARAM(1000),
    [P_NOISE] = NOISE_PARAM,
    [P_QUERY] = QUERY_PARAM,
    [P_SEED] = SEED_PARAM,
    [P_X] = X_COLUMN_PARAM,
    [P_Y] = Y_COLUMN_PARAM,
};

/* ---- state */

/* How well a prediction does. */
struct score {
    double
        error; /* mean squared error to the truth; for a file, leave-one-out to the data; NaN if undefined */
    size_t n_empty; /* queries without a prediction */
};

/* What the parameters ask for. */
struct aim {
    enum nw_kernel kernel;
    double sigma, w;
    bool four;
};

struct pooled {
    struct regression reg;
    struct aim shown;
    struct aim next; /* what is worked out, if IS_BEHIND; the parameters may be further already */
    bool is_behind;
    double average; /* average pooling's prediction, whatever the query */
    struct score score, average_score;
    struct attended wide[WIDTHS]; /* under each of the widths, if four panels were asked for */
    struct score wide_score[WIDTHS];
    size_t n_wide; /* of them known, under WIDE_KERNEL */
    enum nw_kernel wide_kernel;
    bool touched; /* something was changed since the points came */
};

static struct pooled *state_of(const struct stage *stage)
{
    return stage->state;
}

static enum nw_kernel kernel_of(const struct stage *stage)
{
    return (enum nw_kernel)stage->values[P_KERNEL].number;
}

static struct aim aim_of(const struct stage *stage)
{
    return (struct aim){
        .kernel = kernel_of(stage),
        .sigma = stage->values[P_SIGMA].number,
        .w = stage->values[P_W].number,
        .four = stage->values[P_PANELS].number == PANELS_FOUR,
    };
}

static bool same_aim(const struct aim *a, const struct aim *b)
{
    return a->kernel == b->kernel && a->sigma == b->sigma && a->w == b->w && a->four == b->four;
}

static bool shows_four(const struct stage *stage)
{
    return state_of(stage)->shown.four;
}

/* w for the engine: kept finite, so that a width of nothing is the nearest neighbour. */
static double theta_of(const struct pooled *p, double w)
{
    return fmin(w * p->reg.points.x_scale, 1e300);
}

/* What tells the error where nobody knows the truth. */
static struct nw_spec spec_of(enum nw_kernel kernel)
{
    return (struct nw_spec){.kernel = kernel, .loss = NW_LOSS_MEAN, .leave_one_out = true};
}

static struct score score_of(struct pooled *p, enum nw_kernel kernel, double theta, const double *y_hat)
{
    struct regression *r = &p->reg;
    struct score score = {.error = (double)NAN};
    double sum = 0;
    for (size_t i = 0; i < r->n_q; i++) {
        if (isnan(y_hat[i]))
            score.n_empty++;
        else if (r->truth)
            sum += (y_hat[i] - r->truth[i]) * (y_hat[i] - r->truth[i]);
    }
    if (r->truth && score.n_empty < r->n_q)
        score.error = sum / (double)(r->n_q - score.n_empty);
    if (!r->truth) {
        struct nw_loss_value value = regression_loss(r, spec_of(kernel), theta);
        if (value.n_empty < r->points.n && isfinite(value.loss))
            score.error = value.loss;
    }
    return score;
}

static void average_points(struct pooled *p)
{
    const struct regression *r = &p->reg;
    double n = (double)r->points.n, sum = 0, squares = 0;
    for (size_t i = 0; i < r->points.n; i++)
        sum += r->points.v[i];
    p->average = sum / n + r->points.y_shift;
    for (size_t i = 0; i < r->n_q && r->truth; i++)
        squares += (p->average - r->truth[i]) * (p->average - r->truth[i]);
    p->average_score = (struct score){.error = squares / (double)r->n_q};
    if (r->truth)
        return;
    /* Left out itself, a point is n / (n - 1) times as far from the others' average. */
    for (size_t i = 0; i < r->points.n; i++)
        squares += (r->points.v[i] - sum / n) * (r->points.v[i] - sum / n);
    p->average_score.error = squares / n * (n / (n - 1)) * (n / (n - 1));
}

/* Works out what a width is judged by; true once it is known. */
static bool foresee(struct pooled *p, enum nw_kernel kernel, double w, long *budget)
{
    return p->reg.truth || regression_foresee(&p->reg, spec_of(kernel), theta_of(p, w), budget);
}

/* Whatever the width that is set, the others stay as they are. */
static bool attend_widths(struct pooled *p, long *budget)
{
    enum nw_kernel kernel = p->next.kernel;
    if (p->wide_kernel != kernel)
        p->n_wide = 0;
    p->wide_kernel = kernel;
    for (size_t i; (i = p->n_wide) < WIDTHS; p->n_wide++) {
        double theta = theta_of(p, 1 / widths[i]);
        if (!foresee(p, kernel, 1 / widths[i], budget))
            return false;
        regression_attend_into(&p->reg, kernel, theta, &p->wide[i]);
        p->wide_score[i] = score_of(p, kernel, theta, p->wide[i].y_hat);
    }
    return true;
}

/* Brings everything that is shown up to the parameters; true once it is. Until then all is that of one aim
 * before. */
static bool advance(struct stage *stage, long *budget)
{
    struct pooled *p = state_of(stage);
    while (p->is_behind) {
        const struct aim *next = &p->next;
        if ((next->four && !attend_widths(p, budget)) || !foresee(p, next->kernel, next->w, budget))
            return false;
        double theta = theta_of(p, next->w);
        p->shown = *next;
        p->reg.x = stage->values[P_QUERY].number;
        regression_attend(&p->reg, next->kernel, theta);
        p->score = score_of(p, next->kernel, theta, p->reg.all.y_hat);
        p->next = aim_of(stage);
        p->is_behind = !same_aim(&p->next, &p->shown);
    }
    return true;
}

static void catch_up(struct stage *stage)
{
    long all = LONG_MAX;
    advance(stage, &all);
}

/* Other parameters than are on show: of very many points what follows is left to `work`. */
static void take_aim(struct stage *stage)
{
    struct pooled *p = state_of(stage);
    if (!p->is_behind)
        p->next = aim_of(stage);
    p->is_behind = true;
    if (!regression_is_large(&p->reg))
        catch_up(stage);
}

/* Everything anew, at once. */
static void refresh(struct stage *stage)
{
    struct pooled *p = state_of(stage);
    p->n_wide = 0;
    p->next = aim_of(stage);
    p->is_behind = true;
    catch_up(stage);
}

static bool pooling_work(struct stage *stage, long budget)
{
    return !advance(stage, &budget);
}

/* ---- opening */

static bool start(struct stage *stage, struct error *error)
{
    struct pooled *p = state_of(stage);
    const struct value *v = stage->values;
    if (stage->source.name[0]) {
        struct points points = {0};
        if (!points_parse(&points, &stage->source, v[P_X].text, v[P_Y].text, error))
            return false;
        if (!regression_affords(&points, kernel_of(stage), error)) {
            points_free(&points);
            return false;
        }
        points_free(&p->reg.points);
        p->reg.points = points;
    } else {
        struct rng rng;
        rng_seed(&rng, v[P_SEED].seed, RNG_PATH_AVX2);
        points_draw(&p->reg.points, &rng, (size_t)v[P_N].number, v[P_NOISE].number,
                    (enum nw_target)v[P_EDITION].number);
    }
    regression_make_queries(&p->reg);
    struct value *query = &stage->values[P_QUERY];
    if (!query->given || !isfinite(query->number))
        query->number = regression_first_query(&p->reg);
    average_points(p);
    points_report(&p->reg.points, stage);
    refresh(stage);
    return true;
}

static void discard(void *state)
{
    struct pooled *p = state;
    regression_free(&p->reg);
    for (size_t i = 0; i < WIDTHS; i++)
        attended_free(&p->wide[i]);
    free(p);
}

/* Takes over the edition's numbers, but not where the user gave others. */
static void take_edition(struct stage *stage)
{
    size_t edition = (size_t)stage->values[P_EDITION].number;
    const struct {
        size_t param;
        double number;
    } preset[] = {
        {P_N, presets[edition].n}, {P_NOISE, presets[edition].noise}, {P_PANELS, presets[edition].panels}};
    for (size_t i = 0; i < ALEN(preset); i++)
        if (!stage->values[preset[i].param].given)
            stage->values[preset[i].param].number = preset[i].number;
}

/* Sets the width's other name from parameter CHANGED, P_SIGMA or P_W. */
static bool link_width(struct stage *stage, size_t changed, struct error *error)
{
    size_t other = changed == P_SIGMA ? P_W : P_SIGMA;
    double inverse = 1 / stage->values[changed].number;
    if (!(inverse > 0 && inverse <= params[other].hi))
        return error_set(error, STATUS_USAGE, _("%s: expected a number (1e-300 to 1e300), for %s = 1/%s"),
                         params[changed].name, params[other].name, params[changed].name);
    stage->values[other].number = inverse;
    return true;
}

static bool pooling_open(struct stage *stage, struct error *error)
{
    const struct value *sigma = &stage->values[P_SIGMA], *w = &stage->values[P_W];
    if (sigma->given && w->given && !(fabs(sigma->number * w->number - 1) < 1e-6))
        return error_set(error, STATUS_USAGE, "%s",
                         _("sigma and w are one thing, w = 1/sigma: give one of them"));
    take_edition(stage);
    if (!link_width(stage, w->given && !sigma->given ? P_W : P_SIGMA, error))
        return false;
    stage->state = mem_new(1, sizeof(struct pooled));
    return start(stage, error);
}

static void *pooling_copy(const void *state)
{
    const struct pooled *from = state;
    struct pooled *p = mem_copy(from, 1, sizeof *from);
    p->reg = regression_copy(&from->reg);
    memset(p->wide, 0, sizeof p->wide);
    p->n_wide = 0;
    return p;
}

/* ---- changing */

static bool pooling_apply(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    struct pooled *p = state_of(stage);
    (void)old;
    switch (changed) {
    case P_SIGMA:
    case P_W:
        if (!link_width(stage, changed, error))
            return false;
        break;
    case P_KERNEL:
        if (!regression_affords(&p->reg.points, kernel_of(stage), error))
            return false;
        break;
    case P_PANELS:
        break;
    case P_QUERY:
        p->reg.key_is_chosen = false;
        regression_ask(&p->reg, stage->values[P_QUERY].number);
        p->touched = true;
        return true;
    default:
        if (!points_may_change(stage, changed, changed == P_X || changed == P_Y, error))
            return false;
        if (changed == P_EDITION) {
            stage->values[P_N].given = stage->values[P_NOISE].given = stage->values[P_PANELS].given = false;
            take_edition(stage);
        }
        p->touched = false;
        return start(stage, error);
    }
    p->touched = true;
    take_aim(stage);
    return true;
}

/* How points are drawn means nothing for a file's. */
static bool pooling_is_idle(const struct stage *stage, size_t param)
{
    bool draws = param == P_EDITION || param == P_N || param == P_NOISE || param == P_SEED;
    return draws && stage->source.name[0];
}

static void select_row(struct stage *stage, long row)
{
    stage->values[P_QUERY].number = regression_ask_row(&state_of(stage)->reg, row);
}

/* Queries lie along x in the fit and downwards in the heatmap. */
static void move_in_fit(struct stage *stage, int dx, int dy)
{
    select_row(stage, (long)state_of(stage)->reg.row + dx + dy);
}

static void move_in_heatmap(struct stage *stage, int dx, int dy)
{
    struct regression *r = &state_of(stage)->reg;
    if (dy)
        select_row(stage, (long)r->row + dy);
    if (dx)
        regression_step_key(r, dx);
}

static bool pooling_select(struct stage *stage, long row, long column, struct error *error)
{
    struct regression *r = &state_of(stage)->reg;
    if (!pair_exists(row, r->n_q, column, r->points.n, error))
        return false;
    select_row(stage, row);
    if (column >= 0)
        regression_choose_key(r, column);
    return true;
}

/* ---- tables */

static struct table table_fit(const struct stage *stage)
{
    const struct pooled *p = state_of(stage);
    struct table table = regression_fit_table(&p->reg);
    double *average = table_add_numbers(&table, "average");
    for (size_t i = 0; i < p->reg.n_q; i++)
        average[i] = p->average;
    return table;
}

static struct table table_data(const struct stage *stage)
{
    return regression_data_table(&state_of(stage)->reg);
}

static struct table table_weights(const struct stage *stage)
{
    return regression_weights_table(&state_of(stage)->reg);
}

static struct table table_query(const struct stage *stage)
{
    return regression_query_table(&state_of(stage)->reg);
}

static struct table table_errors(const struct stage *stage)
{
    struct pooled *p = state_of(stage);
    struct attended scratch = {0};
    struct table table = table_new(2 + WIDTHS);
    size_t kernel = table_add_texts(&table, "kernel");
    double *sigma = table_add_numbers(&table, "sigma"), *w = table_add_numbers(&table, "w"),
           *error = table_add_numbers(&table, "error"), *empty = table_add_numbers(&table, "empty");
    for (size_t i = 0; i < table.n_rows; i++) {
        struct score score = i == 0 ? p->average_score : p->score;
        double width = i == 1 ? p->shown.sigma : i > 1 ? widths[i - 2] : (double)NAN;
        if (i > 1) {
            double theta = theta_of(p, 1 / width);
            long all = LONG_MAX;
            foresee(p, p->reg.kernel, 1 / width, &all);
            regression_attend_into(&p->reg, p->reg.kernel, theta, &scratch);
            score = score_of(p, p->reg.kernel, theta, scratch.y_hat);
        }
        table_set_text(&table, kernel, i, kernel_names[i == 0 ? NW_CONSTANT : p->reg.kernel]);
        sigma[i] = width;
        w[i] = 1 / width;
        error[i] = score.error;
        empty[i] = (double)score.n_empty;
    }
    attended_free(&scratch);
    return table;
}

static bool command_point(struct stage *stage, const char *args, struct error *error)
{
    struct pooled *p = state_of(stage);
    struct points edited;
    double query;
    if (!points_edit(&p->reg, args, &edited, &query, error))
        return false;
    points_free(&p->reg.points);
    p->reg.points = edited;
    p->touched = true;
    regression_make_queries(&p->reg);
    stage->values[P_QUERY].number = query;
    average_points(p);
    refresh(stage);
    return true;
}

static void pooling_describe_file(const struct stage *stage, struct buf *out)
{
    points_describe(&state_of(stage)->reg.points, out);
}

static const struct demo_command pooling_commands[] = {
    {"point", POINTS_EDIT_USAGE, POINTS_EDIT_HELP, true, command_point},
};

static const struct demo_table pooling_tables[] = {
    {"fit", N_("the queries, the truth, the prediction and the average"), table_fit},
    {"data", N_("the training points"), table_data},
    {"weights", N_("the attention weights, queries x keys"), table_weights},
    {"query", N_("the selected query's sum, key by key"), table_query},
    {"errors", N_("mean squared errors: average pooling, the width that is set, four widths"), table_errors},
};

/* ---- panes */

enum { PANE_FIT, PANE_WEIGHTS, PANE_KERNEL, PANE_QUERY, PANE_PARAMETERS };

/* The colour scale's end: the largest weight on show, rounded up so that it seldom changes. */
static double largest_shown(const struct stage *stage)
{
    static const double ends[] = {0.02, 0.05, 0.1, 0.2, 0.5};
    const struct pooled *p = state_of(stage);
    double lo = 0, hi = 0;
    for (size_t i = 0; i < WIDTHS && shows_four(stage); i++)
        view_range(&lo, &hi, p->wide[i].weights.at, NULL, p->reg.n_q * regression_n_shown(&p->reg));
    if (!shows_four(stage))
        view_range(&lo, &hi, p->reg.all.weights.at, NULL, p->reg.n_q * regression_n_shown(&p->reg));
    for (size_t i = 0; i < ALEN(ends); i++)
        if (hi <= ends[i])
            return ends[i];
    return 1;
}

static void fit_figure(const struct stage *stage, struct area corner)
{
    regression_legend(&state_of(stage)->reg, corner, shows_four(stage));
}

/* The heading of one of the four panels; what remains of AREA below it. */
static struct area small_panel(const struct stage *stage, struct area area, size_t i)
{
    const struct pooled *p = state_of(stage);
    bool current = p->shown.sigma == widths[i];
    struct area head = area_cut_top(&area, 1);
    struct pen pen = look_pen(head.look, current ? ROLE_SELECT : ROLE_STRONG);
    char text[96], error[NUMBER_TEXT], sigma[NUMBER_TEXT];
    int x = area_textf(head, 1, 0, pen, "\u03c3 %s", number_text(sigma, widths[i])) + 3;
    if (isfinite(p->wide_score[i].error))
        snprintf(text, sizeof text, _("error %s"), number_show(error, p->wide_score[i].error, 4, 8));
    else
        snprintf(text, sizeof text, "%s", _("no prediction"));
    if (p->wide[i].n_empty > 0 && x + 24 < head.cols) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, _(", %zu empty"), p->wide[i].n_empty);
    }
    for (int digits = 3; utf8_columns(text) > head.cols - x && digits > 0; digits--)
        number_show(text, p->wide_score[i].error, digits, 8);
    area_text_fit(head, x, 0, head.cols - x, look_pen(head.look, ROLE_DIM), text);
    return area;
}

/* The quarter I of AREA: above the first two, below the others. */
static struct area quarter(struct area area, size_t i)
{
    int rows = area.rows / 2, cols = area.cols / 2;
    return area_part(area, i % 2 ? cols : 0, i / 2 ? rows : 0, i % 2 ? area.cols - cols : cols,
                     i / 2 ? area.rows - rows : rows);
}

static void fit_draw(const struct stage *stage, struct area inside)
{
    const struct pooled *p = state_of(stage);
    if (!shows_four(stage)) {
        regression_draw_fit(&p->reg, inside, p->average);
        return;
    }
    for (size_t i = 0; i < WIDTHS; i++)
        regression_draw_small_fit(&p->reg, small_panel(stage, quarter(inside, i), i), p->wide[i].y_hat);
}

static void weights_figure(const struct stage *stage, struct area corner)
{
    const struct regression *r = &state_of(stage)->reg;
    char text[64];
    if (!shows_four(stage)) {
        regression_weights_figure(r, corner);
        return;
    }
    snprintf(text, sizeof text, _("four widths, one scale   %zu \u00d7 %zu"), r->n_q, r->points.n);
    figure_text(corner, text);
}

static void weights_draw(const struct stage *stage, struct area inside)
{
    const struct pooled *p = state_of(stage);
    double hi = largest_shown(stage);
    if (!shows_four(stage)) {
        regression_draw_weights(&p->reg, inside, hi, HEAT_LINEAR);
        return;
    }
    /* By the root, since the widths' largest weights lie far apart. */
    int bar = color_bar_columns(0, hi, HEAT_ROOT);
    if (inside.cols > 4 * bar) {
        color_bar(area_cut_right(&inside, bar), 0, hi, HEAT_ROOT);
        area_cut_right(&inside, 1);
    }
    for (size_t i = 0; i < WIDTHS; i++) {
        struct heatmap h = regression_heatmap(&p->reg, &p->wide[i], hi, HEAT_ROOT);
        h.color_bar = false;
        h.q_title = h.k_title = NULL;
        heatmap_draw(small_panel(stage, quarter(inside, i), i), &h);
    }
}

static double kernel_value(enum nw_kernel kernel, double u)
{
    u = fabs(u);
    switch (kernel) {
    case NW_GAUSSIAN:
        return exp(-0.5 * u * u);
    case NW_BOXCAR:
        return u < 1 ? 1 : 0;
    case NW_TRIANGULAR:
        return u < 1 ? 1 - u : 0;
    case NW_EPANECHNIKOV:
        return u < 1 ? 1 - u * u : 0;
    default:
        return 1;
    }
}

static void kernel_figure(const struct stage *stage, struct area corner)
{
    const struct pooled *p = state_of(stage);
    char text[96], w[NUMBER_TEXT], sigma[NUMBER_TEXT];
    snprintf(text, sizeof text, "w = 1/\u03c3 = 1/%s = %s", number_show(sigma, p->shown.sigma, 4, 8),
             number_show(w, p->shown.w, 4, 8));
    figure_text(corner, p->shown.kernel == NW_CONSTANT ? _("no width") : text);
}

/* The kernel around the selected query, and where on it the keys lie: each key's height is what it counts. */
static void kernel_draw(const struct stage *stage, struct area inside)
{
    enum { STEPS = 400 };
    const struct regression *r = &state_of(stage)->reg;
    const struct look *look = inside.look;
    double reach = 0.5 * (r->points.x[r->points.n - 1] - r->points.x[0]), w = state_of(stage)->shown.w;
    double d[STEPS + 1], k[STEPS + 1];
    struct axis x = {.lo = -reach, .hi = reach, .label = _("x\u1d62 \u2212 x")}, y = {.lo = 0, .hi = 1.1};
    range_pad(&x.lo, &x.hi, 0.01);
    for (int i = 0; i <= STEPS; i++) {
        d[i] = x.lo + (x.hi - x.lo) * i / STEPS;
        k[i] = kernel_value(r->kernel, d[i] * w);
    }
    struct plot plot = plot_begin(inside, &x, &y);
    plot_vertical(&plot, 0, look_pen(look, ROLE_SELECT));
    plot_line(&plot, d, k, STEPS + 1, LINE_PLAIN, look_pen(look, ROLE_ACCENT));
    plot_end(&plot);
    for (size_t i = 0; i < r->points.n; i += regression_stride(r)) {
        double at = r->points.x[i] - r->x;
        plot_point(&plot, at, kernel_value(r->kernel, at * w), look_pen(look, ROLE_DATA), 0x2022);
    }
    double at = r->points.x[r->key] - r->x;
    plot_point(&plot, at, kernel_value(r->kernel, at * w), look_pen(look, ROLE_SELECT), 0x25c6);
}

static void query_figure(const struct stage *stage, struct area corner)
{
    regression_sum_figure(&state_of(stage)->reg, corner);
}

static void query_draw(const struct stage *stage, struct area inside)
{
    regression_draw_sum(&state_of(stage)->reg, inside);
}

static const struct pane panes[] = {
    [PANE_FIT] =
        {"fit", N_("fit"), fit_figure, fit_draw, move_in_fit,
         N_("\u25cb the data, dashed the truth and the average, the line the prediction; \u25c6 the query")},
    [PANE_WEIGHTS] = {"weights", N_("attention weights"), weights_figure, weights_draw, move_in_heatmap,
                      N_("a row a query, a column a key, the colour its weight; \u25b8 \u25c2 the "
                         "query's row, \u25c6 the chosen key")},
    [PANE_KERNEL] = {"kernel", N_("kernel"), kernel_figure, kernel_draw, move_in_fit,
                     N_("how much a key counts by its distance from the query; \u2022 the keys there are, "
                        "\u25c6 the chosen one")},
    [PANE_QUERY] =
        {"query", N_("the query's sum"), query_figure, query_draw, move_in_fit,
         N_("how the query's prediction comes about: its heaviest keys, each with score, weight and share")},
    [PANE_PARAMETERS] = {"parameters", N_("parameters"), NULL, panel_draw, move_in_fit, PANEL_HELP},
};

/* Two panes above two, and the query's sum as a fifth where the screen is large. */
static void pooling_layout(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    enum room room = layout_room(a);
    bool is_large = room == ROOM_LARGE;
    if (room == ROOM_SMALL) {
        layout_small(stage, a, PANE_PARAMETERS, PANE_FIT, out);
        return;
    }
    int strip = !is_large ? a.rows * 2 / 5 : a.rows * 3 / 10 < 14 ? 14 : a.rows * 3 / 10;
    struct area lower = area_cut_bottom(&a, strip);
    out[PANE_WEIGHTS] = area_cut_right(&a, is_large ? regression_weights_cols(&state_of(stage)->reg, a.cols)
                                                    : a.cols * 48 / 100);
    out[PANE_FIT] = a;
    out[PANE_PARAMETERS] = area_cut_right(&lower, lower.cols * (is_large ? 32 : 44) / 100);
    if (is_large)
        out[PANE_KERNEL] = area_cut_left(&lower, lower.cols * (lower.cols < 100 ? 28 : 42) / 100);
    out[is_large || stage->focus == PANE_QUERY ? PANE_QUERY : PANE_KERNEL] = lower;
}

/* ---- words */

static void pooling_formula(const struct stage *stage, struct area line)
{
    const struct pooled *p = state_of(stage);
    struct pen strong = look_pen_bold(line.look, ROLE_SELECT), text = look_pen(line.look, ROLE_TEXT),
               dim = look_pen(line.look, ROLE_DIM);
    char error[NUMBER_TEXT], average[NUMBER_TEXT], long_text[160], short_text[64];
    const char *name = p->reg.truth ? _("error to the truth") : _("error, leave-one-out");
    number_show(error, p->score.error, 4, 8);
    number_show(average, p->average_score.error, 4, 8);
    snprintf(short_text, sizeof short_text, _("mean squared error %s"), error);
    snprintf(long_text, sizeof long_text, _("mean squared %s %s (average pooling %s)"), name, error, average);
    int x = area_text(line, 0, 0, text, regression_formula(p->reg.kernel)) + 3;
    const char *figure = x + utf8_columns(long_text) <= line.cols ? long_text : short_text;
    if (x + utf8_columns(figure) > line.cols)
        snprintf(short_text, sizeof short_text, _("error %s"), error);
    x += area_text_fit(line, x, 0, line.cols - x, strong, figure) + 3;
    struct buf sum = {0};
    regression_sum_text(&p->reg, &sum);
    if (x + utf8_columns(sum.at) <= line.cols)
        area_text(line, x, 0, dim, sum.at);
    buf_free(&sum);
}

/* "0, 0.3, 4.9, ...": the first queries without a key. */
static void list_empty(const struct regression *r, struct buf *out)
{
    size_t shown = 0;
    for (size_t i = 0; i < r->n_q; i++) {
        char text[NUMBER_TEXT];
        if (!r->all.empty[i * regression_n_shown(r)])
            continue;
        if (shown++ == 3) {
            buf_puts(out, ", \u2026");
            return;
        }
        buf_printf(out, "%s%s", shown > 1 ? ", " : "", number_show(text, r->query[i], 4, 8));
    }
}

static void remark_empty(const struct stage *stage, char *out, size_t size)
{
    const struct regression *r = &state_of(stage)->reg;
    char sigma[NUMBER_TEXT], x[NUMBER_TEXT];
    struct buf empty = {0};
    number_show(sigma, state_of(stage)->shown.sigma, 4, 8);
    list_empty(r, &empty);
    if (r->all.n_empty == r->n_q)
        snprintf(out, size, _("No query has a key within %s: every window is empty. Raise sigma."), sigma);
    else if (r->selected.empty)
        snprintf(out, size, _("The window of x = %s is empty: no key within %s. Raise sigma."),
                 show_number(x, r->x), sigma);
    else
        snprintf(out, size, _("%zu of %zu windows are empty (x = %s): gaps. Raise sigma."), r->all.n_empty,
                 r->n_q, empty.at);
    buf_free(&empty);
}

static enum role pooling_remark(const struct stage *stage, char *out, size_t size)
{
    const struct pooled *p = state_of(stage);
    const struct regression *r = &p->reg;
    double n = (double)r->points.n, n_eff = r->selected.n_eff;
    char a[NUMBER_TEXT], b[NUMBER_TEXT];
    if (p->is_behind) {
        snprintf(out, size, "%s", _(remark_put_off));
        return ROLE_DIM;
    }
    if (r->selected.empty || r->all.n_empty > 0) {
        remark_empty(stage, out, size);
        return ROLE_WARN;
    }
    if (!p->touched && r->points.guess.n_columns > 0)
        csv_guess_text(&r->points.guess, out, size);
    else if (r->kernel == NW_CONSTANT)
        snprintf(out, size, _("Every key weighs 1/%zu: average pooling. The answer is always %s."),
                 r->points.n, show_number(a, p->average));
    else if (r->x < r->points.x[0] && n_eff < 1.5)
        snprintf(out, size, _("x = %s lies left of all data: the nearest key decides alone."),
                 show_number(a, r->x));
    else if (r->x > r->points.x[r->points.n - 1] && n_eff < 1.5)
        snprintf(out, size, _("x = %s lies right of all data: the nearest key decides alone."),
                 show_number(a, r->x));
    else if (n_eff > 0.9 * n)
        snprintf(out, size, _("All keys weigh nearly the same: little is left but the average %s."),
                 show_number(a, p->average));
    else if (n_eff < 1.5)
        snprintf(out, size, "%s",
                 _("The query listens to its nearest key alone: the curve follows the noise."));
    else if (r->kernel == NW_BOXCAR)
        snprintf(out, size, _("%s of %zu keys count at x = %s, all alike."), number_show(a, n_eff, 3, 8),
                 r->points.n, show_number(b, r->x));
    else
        snprintf(out, size, _("About %s of %zu keys count at x = %s: the nearer, the more."),
                 number_show(a, n_eff, 3, 8), r->points.n, show_number(b, r->x));
    return ROLE_DIM;
}

/* ---- the script */

static const char loo_text[] =
    "def error_of(kernel, w, y_hat):\n"
    "    \"\"\"Nobody knows the truth: every point is predicted from the others.\"\"\"\n"
    "    total, count = 0.0, 0\n"
    "    for rows in torch.arange(len(x_train)).split(1000):\n"
    "        keys, values = others(rows)\n"
    "        weights = kernel((x_train[rows].unsqueeze(1) - keys) * w)\n"
    "        reached = weights.sum(dim=1) > 0\n"
    "        errors = ((weights * values).sum(dim=1) - y_train[rows])[reached]\n"
    "        total, count = total + (errors**2).sum().item(), count + len(errors)\n"
    "    return total / count if count > 0 else math.nan\n\n\n";

static const char truth_text[] = "def error_of(kernel, w, y_hat):\n"
                                 "    return torch.nanmean((y_hat - y_truth) ** 2).item()\n\n\n";

static void put_errors(const struct stage *stage, struct buf *out)
{
    const char *kernel = torch_kernel_name(kernel_of(stage));
    buf_puts(out,
             "\n\ndef errors():\n"
             "    \"\"\"Average pooling, which has no width, the width that is set, and four widths.\"\"\"\n"
             "    table = {\"kernel\": [], \"sigma\": [], \"w\": [], \"error\": [], \"empty\": []}\n"
             "    widths = [");
    for (size_t i = 0; i <= WIDTHS; i++) {
        buf_puts(out, i > 0 ? ", " : "");
        torch_number(i == 0 ? state_of(stage)->shown.sigma : widths[i - 1], out);
    }
    buf_printf(out,
               "]\n"
               "    for kernel, sigma in [(constant, math.nan), *((%s, width) for width in widths)]:\n",
               kernel);
    buf_printf(out, "        w = 1 / sigma%s if kernel is not constant else 1.0\n",
               regression_torch_unit(&state_of(stage)->reg, " * x_std"));
    buf_puts(out, "        _, y_hat = attend(kernel, w)\n"
                  "        error, n_empty = error_of(kernel, w, y_hat), y_hat.isnan().sum().item()\n"
                  "        row = (kernel.__name__, sigma, 1 / sigma, error, n_empty)\n"
                  "        for column, value in zip(table.values(), row):\n"
                  "            column.append(value)\n"
                  "    return table\n");
}

static void pooling_torch(const struct stage *stage, struct buf *out)
{
    const struct pooled *p = state_of(stage);
    const struct regression *r = &p->reg;
    buf_putc(out, '\n');
    torch_kernel(NW_CONSTANT, out);
    buf_puts(out, "\n\n");
    if (kernel_of(stage) != NW_CONSTANT)
        torch_kernel(kernel_of(stage), out);
    buf_puts(out, "\n\n");
    regression_torch_attend(r, out);
    if (!r->points.has_truth)
        regression_torch_others(out);
    buf_puts(out, r->points.has_truth ? truth_text : loo_text);
    regression_torch_points(stage, r, stage->values[P_NOISE].number, "", out);
    buf_puts(out, "w = ");
    torch_number(stage->values[P_W].number, out);
    buf_printf(out,
               "%s  # 1 / sigma\n"
               "attention_weights, y_hat = attend(%s, w)\n",
               regression_torch_unit(r, " * x_std"), torch_kernel_name(kernel_of(stage)));
    regression_torch_query(r, out);
    put_errors(stage, out);
    buf_puts(out, "\n\ntables = {\n"
                  "    \"fit\": {\"x\": x_test, \"truth\": y_truth, \"y_hat\": y_hat,\n"
                  "            \"average\": y_data.mean().repeat(len(x_test))},\n"
                  "    \"data\": {\"x\": x_data, \"y\": y_data},\n"
                  "    \"weights\": attention_weights,\n"
                  "    \"query\": query,\n"
                  "    \"errors\": errors,\n"
                  "}\n");
}

const struct demo demo_pooling = {
    .name = "pooling",
    .title = N_("average pooling and fixed kernels"),
    .summary = N_("a kernel gives the weights: the nearer the key, the more"),
    .params = params,
    .n_params = ALEN(params),
    .panes = panes,
    .n_panes = ALEN(panes),
    .tables = pooling_tables,
    .n_tables = ALEN(pooling_tables),
    .commands = pooling_commands,
    .n_commands = ALEN(pooling_commands),
    .takes_file = true,
    .describe_file = pooling_describe_file,
    .open = pooling_open,
    .copy = pooling_copy,
    .restored = refresh,
    .discard = discard,
    .apply = pooling_apply,
    .is_idle = pooling_is_idle,
    .work = pooling_work,
    .catch_up = catch_up,
    .select = pooling_select,
    .layout = pooling_layout,
    .formula = pooling_formula,
    .remark = pooling_remark,
    .torch = pooling_torch,
};
