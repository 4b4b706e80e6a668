/* Scaled dot-product attention, and the bilinear form that lets queries and keys differ in size. */
#include "demos/demo.h"

#include "data/lang.h"
#include "demos/common_params.h"
#include "demos/pipeline.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* ---- parameters */

enum { P_D = PIPELINE_PARAMS, P_SCALE, P_SCORE, P_D_K };

enum { FORM_DOT, FORM_BILINEAR };

static const char *const on_off[] = {"off", "on", NULL};
static const char *const forms[] = {[FORM_DOT] = "dot", [FORM_BILINEAR] = "bilinear", NULL};

static const struct param params[] = {
    PIPELINE_PARAM_TABLE,
    [P_D] = SIZE_PARAM("d", N_("size"), PIPELINE_SIZE_MAX, "2",
                       N_("numbers in a query, and in a key where the score is a dot product")),
    [P_SCALE] = {.name = "scale",
                 .label = N_("divide by \u221ad"),
                 .kind = PARAM_CHOICE,
                 .choices = on_off,
                 .initial = "on",
                 .unit = "",
                 .help = N_("divide the dot product by the square root of d")},
    [P_SCORE] = {.name = "score",
                 .label = N_("score"),
                 .kind = PARAM_CHOICE,
                 .choices = forms,
                 .initial = "dot",
                 .unit = "",
                 .help = N_("dot is q.k; bilinear is q W k, where q and k may differ in size")},
    [P_D_K] = SIZE_PARAM("d_k", N_("key size"), PIPELINE_SIZE_MAX, "2",
                         N_("numbers in a key; differs from d only with score=bilinear")),
};

static bool is_bilinear(const struct stage *stage)
{
    return stage->values[P_SCORE].number == FORM_BILINEAR;
}

enum { HIDDEN = 8 };

static struct pipeline_spec spec_of(const struct stage *stage)
{
    const struct value *const v = stage->values;

    return (struct pipeline_spec){
        .score = is_bilinear(stage)       ? SCORE_BILINEAR
                 : v[P_SCALE].number != 0 ? SCORE_SCALED
                                          : SCORE_DOT,
        .rival = SCORE_ADDITIVE,
        .d_q = (size_t)v[P_D].number,
        .d_k = (size_t)v[P_D_K].number,
        .hidden = HIDDEN,
    };
}

/* A dot product makes queries and keys as large as the ones that lead. */
static void match_sizes(struct stage *stage, bool keys_lead)
{
    struct value *const v = stage->values;

    if (!is_bilinear(stage))
        v[keys_lead ? P_D : P_D_K].number = v[keys_lead ? P_D_K : P_D].number;
}

static bool dot_open(struct stage *stage, struct error *error)
{
    struct value *const v = stage->values;
    const bool keys_lead = !v[P_D].given && v[PIPELINE_Q].n_list == 0 && v[PIPELINE_K].n_list > 0;
    const double key_size = v[P_D_K].number;

    if (!pipeline_typed_is_sound(stage, error))
        return false;
    if (!v[P_D].given)
        pipeline_adopt_size(stage, PIPELINE_Q, P_D);
    if (!v[P_D_K].given)
        pipeline_adopt_size(stage, PIPELINE_K, P_D_K);
    match_sizes(stage, keys_lead);
    if (v[P_D_K].given && v[P_D_K].number != key_size)
        return error_set(
            error, STATUS_USAGE,
            _("d_k: a dot product needs queries and keys of one size, %g; score=bilinear allows %g"),
            v[P_D].number, key_size);
    const struct pipeline_spec spec = spec_of(stage);

    return pipeline_open(stage, &spec, error);
}

static bool dot_apply(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    (void)old;
    if (changed == P_D_K && !is_bilinear(stage))
        return error_set(
            error, STATUS_USAGE, "%s",
            _("d_k: a dot product needs queries and keys of one size; set d, or score=bilinear first"));
    if (!pipeline_typed_is_sound(stage, error))
        return false;
    if (changed == PIPELINE_Q || changed == PIPELINE_K)
        pipeline_adopt_size(stage, changed, changed == PIPELINE_Q ? P_D : P_D_K);
    match_sizes(stage, changed == PIPELINE_K);
    const struct pipeline_spec spec = spec_of(stage);

    pipeline_drop_unfit(stage, spec.d_q, spec.d_k);
    return pipeline_apply(stage, &spec, changed, error);
}

/* ---- tables */

PIPELINE_TABLE(queries, T_QUERIES)
PIPELINE_TABLE(keys, T_KEYS)
PIPELINE_TABLE(values, T_VALUES)
PIPELINE_TABLE(form, T_W)
PIPELINE_TABLE(scores, T_SCORES)
PIPELINE_TABLE(weights, T_WEIGHTS)
PIPELINE_TABLE(kept, T_KEPT)
PIPELINE_TABLE(output, T_OUTPUT)

static const struct demo_table tables[] = {
    {"queries", N_("the queries, a row for each item"), table_queries},
    {"keys", N_("the keys, item after item"), table_keys},
    {"scores", N_("the scores, items x keys"), table_scores},
    {"masked", N_("the scores with masked ones at -inf, items x keys"), pipeline_table_masked},
    {"weights", N_("the attention weights before dropout, items x keys"), table_weights},
    {"output", N_("the weighted sums of the values, a row for each item"), table_output},
    {"values", N_("the values, item after item"), table_values},
    {"W", N_("the bilinear form, query size x key size; the identity for a dot product"), table_form},
    {"kept", N_("the weights after dropout, items x keys"), table_kept},
};

/* ---- panes */

enum { PANE_LENS = PIPE_PANES };

static void lens_pane_figure(const struct stage *stage, struct area corner)
{
    lens_figure(&pipeline_of(stage)->lens, corner);
}

static void lens_pane_draw(const struct stage *stage, struct area inside)
{
    const struct pipeline *const p = pipeline_of(stage);

    lens_draw(&p->lens, p->item, 0, inside);
}

static const struct pane panes[] = {
    PIPELINE_PANE_TABLE,
    [PANE_LENS] = {"valid_lens", N_("valid lengths"), lens_pane_figure, lens_pane_draw, pipeline_move_pair,
                   N_("how many keys each row may attend to; + and - change the chosen one")},
};

static void dot_layout(const struct stage *stage, struct area area, struct area out[PANES_MAX])
{
    static const size_t beside_keys[] = {PIPE_QUERIES, PIPE_COMPARE};
    static const struct pipeline_places places = {beside_keys, ALEN(beside_keys), PANE_LENS};

    pipeline_layout(stage, &places, area, out);
}

static void dot_formula(const struct stage *stage, struct area line)
{
    static const char *const formulas[SCORES] = {
        [SCORE_DOT] = "a(q, k) = q\u00b7k",
        [SCORE_SCALED] = "a(q, k) = q\u00b7k / \u221ad",
        [SCORE_BILINEAR] = "a(q, k) = q W k",
    };

    pipeline_formula(stage, line, formulas[pipeline_of(stage)->spec.score]);
}

const struct demo demo_dot = {
    .name = "dot",
    .title = N_("scaled dot-product attention"),
    .summary = N_("the dot product as a score, step by step; or bilinear"),
    .params = params,
    .n_params = ALEN(params),
    .panes = panes,
    .n_panes = ALEN(panes),
    .tables = tables,
    .n_tables = ALEN(tables),
    .open = dot_open,
    PIPELINE_FUNCTIONS,
    .apply = dot_apply,
    .layout = dot_layout,
    .formula = dot_formula,
};
