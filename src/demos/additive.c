/* Additive attention: queries and keys of different sizes meet in a hidden layer. */
#include "demos/demo.h"

#include "data/lang.h"
#include "demos/common_params.h"
#include "demos/pipeline.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* ---- parameters */

enum { P_HIDDEN = PIPELINE_PARAMS, P_QUERY_SIZE, P_KEY_SIZE };

static const struct param params[] = {
    PIPELINE_PARAM_TABLE,
    [P_HIDDEN] = SIZE_PARAM("hidden", N_("hidden units"), PIPELINE_SIZE_MAX, "8",
                            N_("rows of W_q and W_k: where q and k meet")),
    [P_QUERY_SIZE] =
        SIZE_PARAM("query_size", N_("query size"), PIPELINE_SIZE_MAX, "20", N_("numbers in a query")),
    [P_KEY_SIZE] = SIZE_PARAM("key_size", N_("key size"), PIPELINE_SIZE_MAX, "2", N_("numbers in a key")),
};

static struct pipeline_spec spec_of(const struct stage *stage)
{
    const struct value *const v = stage->values;
    const size_t d_q = (size_t)v[P_QUERY_SIZE].number, d_k = (size_t)v[P_KEY_SIZE].number;

    return (struct pipeline_spec){
        .score = SCORE_ADDITIVE,
        .rival = d_q == d_k ? SCORE_SCALED : SCORE_BILINEAR,
        .d_q = d_q,
        .d_k = d_k,
        .hidden = (size_t)v[P_HIDDEN].number,
    };
}

static bool additive_open(struct stage *stage, struct error *error)
{
    if (!pipeline_typed_is_sound(stage, error))
        return false;
    if (!stage->values[P_QUERY_SIZE].given)
        pipeline_adopt_size(stage, PIPELINE_Q, P_QUERY_SIZE);
    if (!stage->values[P_KEY_SIZE].given)
        pipeline_adopt_size(stage, PIPELINE_K, P_KEY_SIZE);
    const struct pipeline_spec spec = spec_of(stage);

    return pipeline_open(stage, &spec, error);
}

static bool additive_apply(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    (void)old;
    if (!pipeline_typed_is_sound(stage, error))
        return false;
    if (changed == PIPELINE_Q || changed == PIPELINE_K)
        pipeline_adopt_size(stage, changed, changed == PIPELINE_Q ? P_QUERY_SIZE : P_KEY_SIZE);
    const struct pipeline_spec spec = spec_of(stage);

    pipeline_drop_unfit(stage, spec.d_q, spec.d_k);
    return pipeline_apply(stage, &spec, changed, error);
}

/* ---- tables */

PIPELINE_TABLE(queries, T_QUERIES)
PIPELINE_TABLE(keys, T_KEYS)
PIPELINE_TABLE(values, T_VALUES)
PIPELINE_TABLE(w_q, T_W_Q)
PIPELINE_TABLE(w_k, T_W_K)
PIPELINE_TABLE(w_v, T_W_V)
PIPELINE_TABLE(features, T_FEATURES)
PIPELINE_TABLE(scores, T_SCORES)
PIPELINE_TABLE(weights, T_WEIGHTS)
PIPELINE_TABLE(kept, T_KEPT)
PIPELINE_TABLE(output, T_OUTPUT)

static const struct demo_table tables[] = {
    {"queries", N_("the queries, a row for each item"), table_queries},
    {"keys", N_("the keys, item after item"), table_keys},
    {"W_q", N_("the queries' projection, hidden x query size"), table_w_q},
    {"W_k", N_("the keys' projection, hidden x key size"), table_w_k},
    {"w_v", N_("the weight of each hidden unit in a score"), table_w_v},
    {"scores", N_("the scores, items x keys"), table_scores},
    {"weights", N_("the attention weights before dropout, items x keys"), table_weights},
    {"output", N_("the weighted sums of the values, a row for each item"), table_output},
    {"values", N_("the values, item after item"), table_values},
    {"features", N_("tanh of the summed projections, a row for each pair"), table_features},
    {"masked", N_("the scores with masked ones at -inf, items x keys"), pipeline_table_masked},
    {"kept", N_("the weights after dropout, items x keys"), table_kept},
};

/* ---- panes */

enum { PANE_PROJECTED = PIPE_PANES, PANE_FEATURES };

static const struct pane panes[] = {
    PIPELINE_PANE_TABLE,
    [PANE_PROJECTED] = {"projections", N_("projections"), pipeline_projected_figure, pipeline_projected_draw,
                        pipeline_move_unit,
                        N_("queries and keys brought to the same hidden size: W_q q and W_k k")},
    [PANE_FEATURES] = {"features", N_("tanh(W_q q + W_k k)"), pipeline_features_figure,
                       pipeline_features_draw, pipeline_move_unit,
                       N_("the tanh of the sum for every pair of query and key; w_v makes its score of it")},
};

static void additive_layout(const struct stage *stage, struct area area, struct area out[PANES_MAX])
{
    static const size_t beside_keys[] = {PANE_PROJECTED, PANE_FEATURES};
    static const struct pipeline_places places = {beside_keys, ALEN(beside_keys), PIPE_COMPARE};

    pipeline_layout(stage, &places, area, out);
}

static void additive_formula(const struct stage *stage, struct area line)
{
    pipeline_formula(stage, line, "a(q, k) = w_v\u1d40 tanh(W_q q + W_k k)");
}

const struct demo demo_additive = {
    .name = "additive",
    .title = N_("additive attention"),
    .summary = N_("queries and keys of different sizes meet in hidden units"),
    .params = params,
    .n_params = ALEN(params),
    .panes = panes,
    .n_panes = ALEN(panes),
    .tables = tables,
    .n_tables = ALEN(tables),
    .open = additive_open,
    PIPELINE_FUNCTIONS,
    .apply = additive_apply,
    .layout = additive_layout,
    .formula = additive_formula,
};
