/* Queries, keys, values: looking up a weight by a waist that is not in the list, softly. */
#include "demos/demo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/lang.h"
#include "data/number.h"
#include "demos/common_params.h"
#include "demos/curves.h"
#include "demos/items_view.h"
#include "demos/layout.h"
#include "demos/tensors.h"
#include "demos/torch_script.h"
#include "draw/plot.h"
#include "engine/mem.h"
#include "engine/nw.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* ---- parameters */

enum { P_Q, P_W, P_KERNEL, P_KEYS, P_VALUES };

static const struct param params[] = {
    [P_Q] = {.name = "q",
             .label = N_("query: waist"),
             .kind = PARAM_REAL,
             .lo = -10000,
             .hi = 10000,
             .usual_lo = 45,
             .usual_hi = 65,
             .step = 0.5,
             .steps = STEPS_LINEAR,
             .initial = "57",
             .unit = "cm",
             .help = N_("the waist that is asked about; it need not be a key")},
    [P_W] = {.name = "w",
             .label = N_("sharpness"),
             .kind = PARAM_REAL,
             .lo = 0,
             .hi = 1000,
             .usual_lo = 0,
             .usual_hi = 10,
             .step = 0.01,
             .steps = STEPS_DIGIT,
             .initial = "1",
             .unit = "",
             .help = N_("distances are multiplied by it: 0 listens to all keys alike, a large one to the "
                        "nearest alone")},
    [P_KERNEL] = KERNEL_PARAM(N_("how a distance becomes a weight")),
    [P_KEYS] = {.name = "keys",
                .label = N_("keys: waists"),
                .kind = PARAM_LIST,
                .lo = -10000,
                .hi = 10000,
                .step = 0.5,
                .steps = STEPS_LINEAR,
                .initial = "51,56,58",
                .unit = "",
                .help = N_("the waists that are known, in cm; arrows change the selected one")},
    [P_VALUES] = {.name = "values",
                  .label = N_("values: kg"),
                  .kind = PARAM_LIST,
                  .lo = -10000,
                  .hi = 10000,
                  .step = 0.5,
                  .steps = STEPS_LINEAR,
                  .initial = "40,43,48",
                  .unit = "",
                  .help = N_("the body weight that belongs to each key, in kg")},
};

/* ---- state */

struct lookup {
    size_t n, at; /* items, and the selected one */
    double score[VALUE_LIST_MAX], expo[VALUE_LIST_MAX], weight[VALUE_LIST_MAX], contribution[VALUE_LIST_MAX];
    struct nw_row row; /* its arrays are those above */
};

static struct lookup *state_of(const struct stage *stage)
{
    return stage->state;
}

static struct nw_data data_of(const struct stage *stage)
{
    return (struct nw_data){stage->values[P_KEYS].list, stage->values[P_VALUES].list,
                            stage->values[P_KEYS].n_list};
}

static enum nw_kernel kernel_of(const struct stage *stage)
{
    return (enum nw_kernel)stage->values[P_KERNEL].number;
}

static double query_of(const struct stage *stage)
{
    return stage->values[P_Q].number;
}

static void compute(struct stage *stage)
{
    struct lookup *l = state_of(stage);
    struct nw_data data = data_of(stage);
    l->n = data.n;
    l->at = l->at < l->n ? l->at : l->n - 1;
    l->row = (struct nw_row){.score = l->score, .expo = l->expo, .weight = l->weight};
    nw_attend(kernel_of(stage), data, stage->values[P_W].number, query_of(stage), NW_NO_KEY, &l->row);
    for (size_t i = 0; i < l->n; i++)
        l->contribution[i] = l->weight[i] * data.y[i];
}

static double answer_of(const struct lookup *l)
{
    return l->row.empty ? (double)NAN : l->row.y_hat;
}

static bool qkv_open(struct stage *stage, struct error *error)
{
    struct value *keys = &stage->values[P_KEYS], *values = &stage->values[P_VALUES];
    if (keys->given && values->given && keys->n_list != values->n_list)
        return error_set(error, STATUS_USAGE, _("every key has a value: got %zu keys and %zu values"),
                         keys->n_list, values->n_list);
    if (values->given)
        items_follow(keys, values->n_list);
    else
        items_follow(values, keys->n_list);
    stage->state = mem_new(1, sizeof(struct lookup));
    compute(stage);
    return true;
}

static void *qkv_copy(const void *state)
{
    return mem_copy(state, 1, sizeof(struct lookup));
}

static bool qkv_apply(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    (void)old;
    (void)error;
    if (changed == P_KEYS)
        items_follow(&stage->values[P_VALUES], stage->values[P_KEYS].n_list);
    if (changed == P_VALUES)
        items_follow(&stage->values[P_KEYS], stage->values[P_VALUES].n_list);
    compute(stage);
    return true;
}

static bool qkv_adjust(struct stage *stage, size_t param, int steps, struct value *value)
{
    items_adjust(&params[param], value, state_of(stage)->at, steps);
    return true;
}

/* The selected item's key; its value while the values are the selected parameter. */
static bool qkv_nudge(struct stage *stage, int steps, struct error *error)
{
    size_t param = stage->param == P_VALUES ? P_VALUES : P_KEYS;
    struct value old = stage->values[param];
    items_adjust(&params[param], &stage->values[param], state_of(stage)->at, steps);
    return qkv_apply(stage, param, &old, error);
}

static void move_item(struct stage *stage, int dx, int dy)
{
    struct lookup *l = state_of(stage);
    l->at = index_moved(l->at, dx + dy, l->n);
}

static bool qkv_select(struct stage *stage, long row, long column, struct error *error)
{
    struct lookup *l = state_of(stage);
    (void)column;
    return items_select(&l->at, l->n, row, error);
}

/* ---- tables */

static struct table table_items(const struct stage *stage)
{
    const struct lookup *l = state_of(stage);
    struct nw_data data = data_of(stage);
    struct table table = table_new(l->n);
    double *key = table_add_numbers(&table, "key"), *value = table_add_numbers(&table, "value"),
           *score = table_add_numbers(&table, "score"), *weight = table_add_numbers(&table, "weight"),
           *contribution = table_add_numbers(&table, "contribution");
    for (size_t i = 0; i < l->n; i++) {
        key[i] = data.x[i];
        value[i] = data.y[i];
        score[i] = l->score[i];
        weight[i] = l->weight[i];
        contribution[i] = l->contribution[i];
    }
    return table;
}

static struct table table_output(const struct stage *stage)
{
    struct table table = table_new(1);
    table_add_numbers(&table, "query")[0] = query_of(stage);
    table_add_numbers(&table, "output")[0] = answer_of(state_of(stage));
    return table;
}

static const struct demo_table qkv_tables[] = {
    {"items", N_("key, value, score, weight and contribution of each item"), table_items},
    {"output", N_("the query and what is looked up; empty where no key is in reach"), table_output},
};

/* ---- panes */

enum {
    PANE_ITEMS = LAYOUT_ITEMS,
    PANE_CURVE = LAYOUT_PLOT,
    PANE_ITEM = LAYOUT_ITEM,
    PANE_PARAMETERS = LAYOUT_PARAMETERS,
};

static void name_item(const void *context, size_t i, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "k%zu", i);
}

static void items_figure(const struct stage *stage, struct area corner)
{
    char text[96], q[NUMBER_TEXT], y[NUMBER_TEXT];
    snprintf(text, sizeof text, _("query %s cm \u2192 %s kg"), items_number(q, query_of(stage)),
             items_number(y, answer_of(state_of(stage))));
    figure_text(corner, state_of(stage)->row.empty ? _("no key in reach") : text);
}

static void items_draw(const struct stage *stage, struct area inside)
{
    const struct lookup *l = state_of(stage);
    double none = (double)NAN, answer = answer_of(l);
    const struct items_column columns[] = {
        {_("key"), data_of(stage).x, 0, ROLE_DATA, none, false},
        {kernel_of(stage) == NW_GAUSSIAN ? _("score") : "|u|", l->score, 0, ROLE_TEXT, none, true},
        {_("weight \u03b1"), l->weight, 1, ROLE_ACCENT, l->row.empty ? 0 : 1, false},
        {_("value"), data_of(stage).y, 0, ROLE_TRUTH, none, false},
        {_("\u03b1\u00b7value"), l->contribution, 0, ROLE_TEXT, answer, true},
    };
    items_view_draw(inside, &(struct items_view){
                                .n = l->n,
                                .name = name_item,
                                .name_title = "",
                                .column = columns,
                                .n_columns = ALEN(columns),
                                .at = l->at,
                            });
}

static void curve_figure(const struct stage *stage, struct area corner)
{
    const struct legend legend[] = {
        {ROLE_DATA, 0x25cb, _("items")},
        {ROLE_ACCENT, 0x2501, _("every query")},
    };
    (void)stage;
    legend_figure(corner, legend, ALEN(legend));
}

/* What every query would get, the items themselves, and the current query on the curve. */
static void curve_draw(const struct stage *stage, struct area inside)
{
    enum { QUERIES = 241 };
    const struct lookup *l = state_of(stage);
    const struct look *look = inside.look;
    struct nw_data data = data_of(stage);
    double q[QUERIES], y[QUERIES];
    struct axis x_axis = {.lo = HUGE_VAL, .hi = -HUGE_VAL, .label = _("cm")},
                y_axis = {.lo = HUGE_VAL, .hi = -HUGE_VAL, .label = _("kg")};
    range_over(&x_axis.lo, &x_axis.hi, data.x, data.n);
    range_over(&x_axis.lo, &x_axis.hi, &stage->values[P_Q].number, 1);
    range_over(&y_axis.lo, &y_axis.hi, data.y, data.n);
    range_pad(&x_axis.lo, &x_axis.hi, 0.15);
    range_pad(&y_axis.lo, &y_axis.hi, 0.1);
    for (int i = 0; i < QUERIES; i++)
        q[i] = x_axis.lo + (x_axis.hi - x_axis.lo) * i / (QUERIES - 1);
    nw_predict(kernel_of(stage), data, stage->values[P_W].number, q, QUERIES, NULL, y);
    struct plot plot = plot_begin(inside, &x_axis, &y_axis);
    plot_vertical(&plot, query_of(stage), look_pen(look, ROLE_SELECT));
    plot_line(&plot, q, y, QUERIES, LINE_PLAIN, look_pen(look, ROLE_ACCENT));
    plot_end(&plot);
    for (size_t i = 0; i < data.n; i++)
        plot_point(&plot, data.x[i], data.y[i], look_pen(look, i == l->at ? ROLE_SELECT : ROLE_DATA), 0x25cb);
    if (!l->row.empty)
        plot_point(&plot, query_of(stage), l->row.y_hat, look_pen(look, ROLE_SELECT), 0x25c6);
}

static void item_figure(const struct stage *stage, struct area corner)
{
    char text[64], key[NUMBER_TEXT];
    snprintf(text, sizeof text, _("key %s"), items_number(key, data_of(stage).x[state_of(stage)->at]));
    figure_text(corner, text);
}

/* How the selected key's weight comes about, one step a line. */
static void item_draw(const struct stage *stage, struct area inside)
{
    const struct lookup *l = state_of(stage);
    struct nw_data data = data_of(stage);
    struct pen text = look_pen(inside.look, ROLE_TEXT), strong = look_pen(inside.look, ROLE_SELECT);
    size_t i = l->at;
    bool is_gaussian = kernel_of(stage) == NW_GAUSSIAN;
    double sum = 0;
    for (size_t k = 0; k < l->n; k++)
        sum += l->expo[k];
    char q[NUMBER_TEXT], key[NUMBER_TEXT], w[NUMBER_TEXT], score[NUMBER_TEXT], expo[NUMBER_TEXT],
        total[NUMBER_TEXT], weight[NUMBER_TEXT], value[NUMBER_TEXT], part[NUMBER_TEXT], factor[NUMBER_FACTOR],
        minus[NUMBER_FACTOR];
    items_number(q, query_of(stage));
    items_number(key, data.x[i]);
    items_number(w, stage->values[P_W].number);
    items_number(score, l->score[i]);
    items_number(expo, l->expo[i]);
    items_number(total, sum);
    items_number(weight, l->weight[i]);
    items_number(value, data.y[i]);
    items_number(part, l->contribution[i]);
    area_textf(inside, 0, 0, text,
               is_gaussian ? "s = \u2212((%s \u2212 %s)\u00b7%s)\u00b2/2 = %s"
                           : "|u| = |(%s \u2212 %s)\u00b7%s| = %s",
               q, number_factor(minus, key), number_factor(factor, w), score);
    area_textf(inside, 0, 1, text, is_gaussian ? "exp(s \u2212 max s) = %s" : "k(u) = %s", expo);
    if (l->row.empty) {
        area_text_wrap(inside, 2, strong, _("no key is in reach: nothing to divide by"));
        return;
    }
    area_textf(inside, 0, 2, strong, "\u03b1 = %s / %s = %s", expo, total, weight);
    area_textf(inside, 0, 3, text, "\u03b1\u00b7v = %s\u00b7%s = %s", weight, number_factor(factor, value),
               part);
}

static const struct pane panes[] = {
    [PANE_ITEMS] =
        {"items", N_("keys and values"), items_figure, items_draw, move_item,
         N_("the keys, their scores and weights for this query, and the values that the weights mix")},
    [PANE_CURVE] = {"curve", N_("the look-up"), curve_figure, curve_draw, move_item,
                    N_("the answer for every query: \u25cb the items, \u25c6 the query asked now")},
    [PANE_ITEM] = {"item", N_("this key's weight"), item_figure, item_draw, move_item,
                   N_("the arithmetic of the chosen key's weight, written out")},
    [PANE_PARAMETERS] = {"parameters", N_("parameters"), NULL, panel_draw, move_item, PANEL_HELP},
};

static void qkv_layout(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    if (layout_room(a) == ROOM_SMALL) {
        layout_small(stage, a, PANE_PARAMETERS, PANE_ITEMS, out);
        return;
    }
    layout_items(a, state_of(stage)->n, 4, out);
}

/* ---- words */

static void qkv_formula(const struct stage *stage, struct area line)
{
    const struct lookup *l = state_of(stage);
    char q[NUMBER_TEXT];
    int x = area_textf(line, 0, 0, look_pen(line.look, ROLE_DIM),
                       "f(%s) = \u03a3 \u03b1\u1d62v\u1d62 = ", items_number(q, query_of(stage)));
    if (l->row.empty)
        area_text(line, x, 0, look_pen_bold(line.look, ROLE_SELECT), _("no key in reach"));
    else
        items_sum_draw(line, x, l->weight, data_of(stage).y, l->n, l->row.y_hat);
}

static enum role qkv_remark(const struct stage *stage, char *out, size_t size)
{
    const struct lookup *l = state_of(stage);
    struct nw_data data = data_of(stage);
    size_t most = 0, least = 0;
    char q[NUMBER_TEXT], key[NUMBER_TEXT], weight[NUMBER_TEXT], y[NUMBER_TEXT];
    if (l->row.empty) {
        snprintf(out, size, _("No key lies within reach of %s: there is no answer. Bring w nearer to 0."),
                 items_number(q, query_of(stage)));
        return ROLE_WARN;
    }
    for (size_t i = 0; i < l->n; i++) {
        most = l->weight[i] > l->weight[most] ? i : most;
        least = l->weight[i] < l->weight[least] ? i : least;
    }
    items_number(q, query_of(stage));
    items_number(y, l->row.y_hat);
    if (l->weight[most] == l->weight[least])
        snprintf(out, size, _("All keys weigh the same: %s is the plain average of the values."), y);
    else if (l->weight[most] > 0.9999)
        snprintf(out, size, _("The query %s listens to key %s alone: almost a look-up in a dictionary."), q,
                 items_number(key, data.x[most]));
    else if (l->weight[least] == 0)
        snprintf(out, size, _("The answer is %s. Key %s is out of reach: its weight is 0."), y,
                 items_number(key, data.x[least]));
    else
        snprintf(out, size, _("Key %s is far from %s: it weighs %s, little but not nothing."),
                 items_number(key, data.x[least]), q, items_number(weight, l->weight[least]));
    return ROLE_DIM;
}

/* ---- the script */

static void qkv_torch(const struct stage *stage, struct buf *out)
{
    const struct nw_data data = data_of(stage);
    const char *kernel = torch_kernel_name(kernel_of(stage));
    buf_putc(out, '\n');
    torch_kernel(kernel_of(stage), out);
    buf_puts(out, "\n\nquery = ");
    torch_number(query_of(stage), out);
    buf_puts(out, "\nw = ");
    torch_number(stage->values[P_W].number, out);
    buf_putc(out, '\n');
    torch_tensor("keys", data.x, &data.n, 1, out);
    torch_tensor("values", data.y, &data.n, 1, out);
    buf_printf(out,
               "\n"
               "u = (query - keys) * w\n"
               "scores = %s\n"
               "attention_weights = %s(u)\n"
               "contributions = attention_weights * values\n"
               "output = contributions.sum().item() if attention_weights.sum() > 0 else math.nan\n\n"
               "tables = {\n"
               "    \"items\": {\"key\": keys, \"value\": values, \"score\": scores, \"weight\": "
               "attention_weights,\n"
               "              \"contribution\": contributions},\n"
               "    \"output\": {\"query\": [query], \"output\": [output]},\n"
               "}\n",
               torch_kernel_score(kernel_of(stage)), kernel);
}

const struct demo demo_qkv = {
    .name = "qkv",
    .title = N_("a soft look-up: query, keys, values"),
    .summary = N_("look up a body weight by a waist that is not in the list"),
    .params = params,
    .n_params = ALEN(params),
    .panes = panes,
    .n_panes = ALEN(panes),
    .tables = qkv_tables,
    .n_tables = ALEN(qkv_tables),
    .open = qkv_open,
    .copy = qkv_copy,
    .restored = compute,
    .discard = free,
    .apply = qkv_apply,
    .select = qkv_select,
    .nudge = qkv_nudge,
    .adjust = qkv_adjust,
    .layout = qkv_layout,
    .formula = qkv_formula,
    .remark = qkv_remark,
    .torch = qkv_torch,
};
