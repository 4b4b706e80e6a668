/* Attention is a weighted average: values, weights, and what comes out. */
#include "demos/demo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/lang.h"
#include "data/number.h"
#include "demos/items_view.h"
#include "demos/layout.h"
#include "demos/tensors.h"
#include "demos/torch_script.h"
#include "draw/plot.h"
#include "engine/mem.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* ---- parameters */

enum { P_FOCUS, P_WEIGHTS, P_VALUES };

enum { FOCUS_EQUAL, FOCUS_BOOK, FOCUS_CUSTOM };

static const char *const focuses[] = {
    [FOCUS_EQUAL] = "equal", [FOCUS_BOOK] = "book", [FOCUS_CUSTOM] = "custom", NULL};

static const struct param params[] = {
    [P_FOCUS] =
        {.name = "focus",
         .label = N_("attend to"),
         .kind = PARAM_CHOICE,
         .choices = focuses,
         .initial = "equal",
         .unit = "",
         .help = N_("equal: every value counts alike; book: 0.01 each and the rest on the last; custom: your "
                    "weights")},
    [P_WEIGHTS] = {.name = "weights",
                   .label = N_("weights"),
                   .kind = PARAM_LIST,
                   .lo = 0,
                   .hi = 1e6,
                   .step = 0.01,
                   .steps = STEPS_DIGIT,
                   .initial = "1,1,1,1,1",
                   .unit = "",
                   .help = N_("one a value; they are divided by their sum, so only their proportions count")},
    [P_VALUES] = {.name = "values",
                  .label = N_("values"),
                  .kind = PARAM_LIST,
                  .lo = -1e12,
                  .hi = 1e12,
                  .step = 0.1,
                  .steps = STEPS_DIGIT,
                  .initial = "0.1,0.2,10,0.3,0.4",
                  .unit = "",
                  .help = N_("what is averaged")},
};

/* ---- state */

struct average {
    size_t n, at; /* items, and the selected one */
    double alpha[VALUE_LIST_MAX], product[VALUE_LIST_MAX];
    double weight_sum, output; /* OUTPUT is NaN where all weights are 0 */
};

static struct average *state_of(const struct stage *stage)
{
    return stage->state;
}

static const double *weights_of(const struct stage *stage)
{
    return stage->values[P_WEIGHTS].list;
}

static const double *values_of(const struct stage *stage)
{
    return stage->values[P_VALUES].list;
}

static void compute(struct stage *stage)
{
    struct average *a = state_of(stage);
    const double *weight = weights_of(stage), *value = values_of(stage);
    a->n = stage->values[P_VALUES].n_list;
    a->at = a->at < a->n ? a->at : a->n - 1;
    a->weight_sum = 0;
    for (size_t i = 0; i < a->n; i++)
        a->weight_sum += weight[i];
    a->output = a->weight_sum > 0 ? 0 : (double)NAN;
    for (size_t i = 0; i < a->n; i++) {
        a->alpha[i] = a->weight_sum > 0 ? weight[i] / a->weight_sum : 0;
        a->product[i] = a->alpha[i] * value[i];
        a->output += a->product[i];
    }
}

/* The weights that the chosen focus gives. */
static void take_focus(struct stage *stage)
{
    struct value *weights = &stage->values[P_WEIGHTS];
    size_t n = weights->n_list;
    int focus = (int)stage->values[P_FOCUS].number;
    if (focus == FOCUS_CUSTOM)
        return;
    for (size_t i = 0; i < n; i++)
        weights->list[i] = focus == FOCUS_EQUAL ? 1 : 0.01;
    if (focus == FOCUS_BOOK)
        weights->list[n - 1] = round((1 - 0.01 * (double)(n - 1)) * 100) / 100;
}

static bool check_counts(const struct stage *stage, struct error *error)
{
    size_t weights = stage->values[P_WEIGHTS].n_list, values = stage->values[P_VALUES].n_list;
    return weights == values ||
           error_set(error, STATUS_USAGE, _("weights: expected one for each of the %zu values, got %zu"),
                     values, weights);
}

static bool average_open(struct stage *stage, struct error *error)
{
    struct value *weights = &stage->values[P_WEIGHTS], *focus = &stage->values[P_FOCUS];
    if (weights->given && !focus->given)
        focus->number = FOCUS_CUSTOM;
    if (weights->given && focus->number != FOCUS_CUSTOM)
        return error_set(error, STATUS_USAGE, _("focus=%s makes its own weights: give one of the two"),
                         focuses[(int)focus->number]);
    if (!weights->given)
        items_follow(weights, stage->values[P_VALUES].n_list);
    if (!check_counts(stage, error))
        return false;
    take_focus(stage);
    stage->state = mem_new(1, sizeof(struct average));
    state_of(stage)->at = weights->n_list / 2;
    compute(stage);
    return true;
}

static void *average_copy(const void *state)
{
    return mem_copy(state, 1, sizeof(struct average));
}

static bool average_apply(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    (void)old;
    if (changed == P_VALUES)
        items_follow(&stage->values[P_WEIGHTS], stage->values[P_VALUES].n_list);
    if (!check_counts(stage, error))
        return false;
    if (changed == P_WEIGHTS)
        stage->values[P_FOCUS].number = FOCUS_CUSTOM;
    take_focus(stage);
    compute(stage);
    return true;
}

static bool average_adjust(struct stage *stage, size_t param, int steps, struct value *value)
{
    items_adjust(&params[param], value, state_of(stage)->at, steps);
    return true;
}

static bool average_nudge(struct stage *stage, int steps, struct error *error)
{
    struct value old = stage->values[P_WEIGHTS];
    items_adjust(&params[P_WEIGHTS], &stage->values[P_WEIGHTS], state_of(stage)->at, steps);
    return average_apply(stage, P_WEIGHTS, &old, error);
}

static void move_item(struct stage *stage, int dx, int dy)
{
    struct average *a = state_of(stage);
    a->at = index_moved(a->at, dx + dy, a->n);
}

static bool average_select(struct stage *stage, long row, long column, struct error *error)
{
    struct average *a = state_of(stage);
    (void)column;
    return items_select(&a->at, a->n, row, error);
}

/* ---- tables */

static struct table table_items(const struct stage *stage)
{
    const struct average *a = state_of(stage);
    struct table table = table_new(a->n);
    double *value = table_add_numbers(&table, "value"), *weight = table_add_numbers(&table, "weight"),
           *alpha = table_add_numbers(&table, "normalised"), *product = table_add_numbers(&table, "product");
    for (size_t i = 0; i < a->n; i++) {
        value[i] = values_of(stage)[i];
        weight[i] = weights_of(stage)[i];
        alpha[i] = a->alpha[i];
        product[i] = a->product[i];
    }
    return table;
}

static struct table table_output(const struct stage *stage)
{
    struct table table = table_new(1);
    table_add_numbers(&table, "output")[0] = state_of(stage)->output;
    return table;
}

static const struct demo_table average_tables[] = {
    {"items", N_("value, weight as given and normalised, and their product"), table_items},
    {"output", N_("the weighted average; empty where all weights are 0"), table_output},
};

/* ---- panes */

enum {
    PANE_ITEMS = LAYOUT_ITEMS,
    PANE_BALANCE = LAYOUT_PLOT,
    PANE_ITEM = LAYOUT_ITEM,
    PANE_PARAMETERS = LAYOUT_PARAMETERS,
};

static void name_item(const void *context, size_t i, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "x%zu", i);
}

static void items_figure(const struct stage *stage, struct area corner)
{
    const struct average *a = state_of(stage);
    char text[96], number[NUMBER_TEXT];
    snprintf(text, sizeof text, _("output %s"), items_number(number, a->output));
    figure_text(corner, isnan(a->output) ? _("no output") : text);
}

static void items_draw(const struct stage *stage, struct area inside)
{
    const struct average *a = state_of(stage);
    double longest = fabs(a->product[0]), none = (double)NAN;
    for (size_t i = 0; i < a->n; i++)
        longest = fmax(longest, fabs(a->product[i]));
    const struct items_column columns[] = {
        {_("value"), values_of(stage), 0, ROLE_DATA, none, false},
        {_("weight"), weights_of(stage), 0, ROLE_DIM, a->weight_sum, true},
        {_("\u03b1 = w/\u03a3w"), a->alpha, 1, ROLE_ACCENT, a->weight_sum > 0 ? 1 : 0, false},
        {_("\u03b1\u00b7value"), a->product, longest, ROLE_TRUTH, a->output, false},
    };
    items_view_draw(inside, &(struct items_view){
                                .n = a->n,
                                .name = name_item,
                                .name_title = "",
                                .column = columns,
                                .n_columns = ALEN(columns),
                                .at = a->at,
                            });
}

static void balance_figure(const struct stage *stage, struct area corner)
{
    const struct average *a = state_of(stage);
    char text[96], number[NUMBER_TEXT];
    snprintf(text, sizeof text, "\u25b2 %s", items_number(number, a->output));
    if (!isnan(a->output))
        figure_text(corner, text);
}

/* Each value a pole as tall as its weight, on a beam; the average is where the beam must be held to balance.
 */
static void balance_draw(const struct stage *stage, struct area inside)
{
    const struct average *a = state_of(stage);
    const struct look *look = inside.look;
    const double *value = values_of(stage);
    struct axis x = {.lo = HUGE_VAL, .hi = -HUGE_VAL},
                y = {.lo = -2.0 / inside.rows, .hi = 1, .label = "\u03b1"};
    range_over(&x.lo, &x.hi, value, a->n);
    range_pad(&x.lo, &x.hi, 0.1);
    struct plot plot = plot_begin(inside, &x, &y);
    plot_line(&plot, (double[]){x.lo, x.hi}, (double[]){0, 0}, 2, LINE_THIN, look_pen(look, ROLE_TEXT));
    for (size_t i = 0; i < a->n; i++)
        plot_pole(&plot, value[i], 0, a->alpha[i], look_pen(look, i == a->at ? ROLE_SELECT : ROLE_ACCENT));
    plot_end(&plot);
    for (size_t i = 0; i < a->n; i++)
        plot_point(&plot, value[i], a->alpha[i], look_pen(look, i == a->at ? ROLE_SELECT : ROLE_ACCENT),
                   0x25cf);
    int column, row;
    if (plot_cell(&plot, a->output, 0, &column, &row))
        area_put(plot.inside, column, row + 1, look_pen(look, ROLE_TRUTH), 0x25b2);
}

static void item_figure(const struct stage *stage, struct area corner)
{
    char text[32];
    snprintf(text, sizeof text, "x%zu", state_of(stage)->at);
    figure_text(corner, text);
}

static void item_draw(const struct stage *stage, struct area inside)
{
    const struct average *a = state_of(stage);
    size_t i = a->at;
    char w[NUMBER_TEXT], sum[NUMBER_TEXT], alpha[NUMBER_TEXT], x[NUMBER_TEXT], product[NUMBER_TEXT],
        output[NUMBER_TEXT], left[NUMBER_FACTOR], right[NUMBER_FACTOR];
    struct pen text = look_pen(inside.look, ROLE_TEXT), strong = look_pen(inside.look, ROLE_SELECT);
    items_number(w, weights_of(stage)[i]);
    items_number(sum, a->weight_sum);
    items_number(alpha, a->alpha[i]);
    items_number(x, values_of(stage)[i]);
    items_number(product, a->product[i]);
    if (isnan(a->output)) {
        area_text_wrap(inside, 0, text, _("The weights add up to 0: they cannot be divided by their sum."));
        return;
    }
    area_textf(inside, 0, 0, text, "\u03b1 = %s / %s = %s", w, sum, alpha);
    area_textf(inside, 0, 1, strong, "\u03b1\u00b7x = %s\u00b7%s = %s", number_factor(left, alpha),
               number_factor(right, x), product);
    area_textf(inside, 0, 2, text, _("+ %s from the others = %s"), items_number(w, a->output - a->product[i]),
               items_number(output, a->output));
}

static const struct pane panes[] = {
    [PANE_ITEMS] = {"items", N_("values and weights"), items_figure, items_draw, move_item,
                    N_("each value, its weight, its share \u03b1 of all weights, and the product "
                       "\u03b1\u00b7x; the output is their sum")},
    [PANE_BALANCE] = {"balance", N_("the balance"), balance_figure, balance_draw, move_item,
                      N_("each value where it lies, as tall as its weight \u03b1; \u25b2 the output, where "
                         "the beam balances")},
    [PANE_ITEM] = {"item", N_("this value"), item_figure, item_draw, move_item,
                   N_("the arithmetic of the chosen value's share, written out")},
    [PANE_PARAMETERS] = {"parameters", N_("parameters"), NULL, panel_draw, move_item, PANEL_HELP},
};

static void average_layout(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    if (layout_room(a) == ROOM_SMALL)
        layout_small(stage, a, PANE_PARAMETERS, PANE_ITEMS, out);
    else
        layout_items(a, state_of(stage)->n, 3, out);
}

/* ---- words */

static void average_formula(const struct stage *stage, struct area line)
{
    const struct average *a = state_of(stage);
    int at = area_text(line, 0, 0, look_pen(line.look, ROLE_DIM), "\u03a3 \u03b1\u1d62x\u1d62 = ");
    if (isnan(a->output))
        area_text(line, at, 0, look_pen_bold(line.look, ROLE_SELECT), _("no output: all weights are 0"));
    else
        items_sum_draw(line, at, a->alpha, values_of(stage), a->n, a->output);
}

static enum role average_remark(const struct stage *stage, char *out, size_t size)
{
    const struct average *a = state_of(stage);
    size_t most = 0;
    bool is_equal = true;
    char x[NUMBER_TEXT], part[NUMBER_TEXT], y[NUMBER_TEXT];
    if (isnan(a->output)) {
        snprintf(out, size, "%s", _("All weights are 0: nothing is listened to, so there is no output."));
        return ROLE_WARN;
    }
    for (size_t i = 0; i < a->n; i++) {
        most = a->alpha[i] > a->alpha[most] ? i : most;
        is_equal = is_equal && a->alpha[i] == a->alpha[0];
    }
    items_number(x, values_of(stage)[most]);
    items_number(y, a->output);
    number_show(part, 100 * a->alpha[most], 3, 8);
    if (is_equal)
        snprintf(out, size, _("Equal weights give the plain average %s. Change the weights with + and -."),
                 y);
    else if (a->alpha[most] == 1)
        snprintf(out, size, _("All the weight is on %s: the output is that value."), x);
    else if (a->alpha[most] > 0.5)
        snprintf(out, size, _("%s %% of the weight is on %s, so the output %s is near it."), part, x, y);
    else
        snprintf(out, size, _("The largest weight, %s %%, is on %s; the output is %s."), part, x, y);
    return ROLE_DIM;
}

/* ---- the script */

static void average_torch(const struct stage *stage, struct buf *out)
{
    const size_t n = state_of(stage)->n;
    torch_tensor("values", values_of(stage), &n, 1, out);
    torch_tensor("weights", weights_of(stage), &n, 1, out);
    buf_puts(
        out,
        "\n"
        "# Weights that are all 0 have no average.\n"
        "attention_weights = weights / weights.sum() if weights.sum() > 0 else torch.zeros_like(weights)\n"
        "products = attention_weights * values\n"
        "output = products.sum().item() if weights.sum() > 0 else math.nan\n\n"
        "tables = {\n"
        "    \"items\": {\"value\": values, \"weight\": weights, \"normalised\": attention_weights, "
        "\"product\": products},\n"
        "    \"output\": {\"output\": [output]},\n"
        "}\n");
}

const struct demo demo_average = {
    .name = "average",
    .title = N_("attention is a weighted average"),
    .summary = N_("values, weights that sum to 1, and the sum of products"),
    .params = params,
    .n_params = ALEN(params),
    .panes = panes,
    .n_panes = ALEN(panes),
    .tables = average_tables,
    .n_tables = ALEN(average_tables),
    .open = average_open,
    .copy = average_copy,
    .restored = compute,
    .discard = free,
    .apply = average_apply,
    .select = average_select,
    .nudge = average_nudge,
    .adjust = average_adjust,
    .layout = average_layout,
    .formula = average_formula,
    .remark = average_remark,
    .torch = average_torch,
};
