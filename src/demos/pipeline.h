/* What the additive and the dot demo share: a small attention layer from the queries and keys to the output,
 * with every tensor on the way kept and shown. One query an item, values 0, 1, 2, ... as in the book. The
 * stage's state is a struct pipeline in both. */
#ifndef ATTNLAB_DEMOS_PIPELINE_H
#define ATTNLAB_DEMOS_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "demos/common_params.h"
#include "demos/demo.h"
#include "demos/lens.h"
#include "demos/tensors.h"
#include "engine/attention.h"
#include "engine/matrix.h"
#include "engine/rng.h"

/* ---- parameters that both have; those of a demo's own follow */

enum {
    PIPELINE_VALID_LENS,
    PIPELINE_KEYS,
    PIPELINE_DROPOUT,
    PIPELINE_MODE,
    PIPELINE_PASS,
    PIPELINE_Q,
    PIPELINE_K,
    PIPELINE_SEED,
    PIPELINE_PARAMS
};

enum keys_kind { KEYS_ONES, KEYS_RANDOM, KEYS_IDENTITY };
enum mode { MODE_EVAL, MODE_TRAIN };

extern const char *const pipeline_key_kinds[];
extern const char *const pipeline_modes[];

enum { PIPELINE_SIZE_MAX = 32, PIPELINE_ITEMS_MAX = 8, PIPELINE_KEYS_MAX = 32 };

#define PIPELINE_PARAM_TABLE                                                                                 \
    [PIPELINE_VALID_LENS] = LENS_PARAM("2,6"),                                                               \
    [PIPELINE_KEYS] = {.name = "keys",                                                                       \
                       .label = N_("keys"),                                                                  \
                       .kind = PARAM_CHOICE,                                                                 \
                       .choices = pipeline_key_kinds,                                                        \
                       .initial = "ones",                                                                    \
                       .unit = "",                                                                           \
                                                                                                             \
                       .help = N_("all ones as in the book, drawn at random, or an identity matrix")},       \
    [PIPELINE_DROPOUT] = {.name = "dropout",                                                                 \
                          .label = N_("dropout"),                                                            \
                          .kind = PARAM_REAL,                                                                \
                          .lo = 0,                                                                           \
                          .hi = 1,                                                                           \
                          .step = 0.1,                                                                       \
                          .steps = STEPS_LINEAR,                                                             \
                          .initial = "0.1",                                                                  \
                          .unit = "",                                                                        \
                          .help = N_("the part of the weights that training drops at random")},              \
    [PIPELINE_MODE] = {.name = "mode",                                                                       \
                       .label = N_("mode"),                                                                  \
                       .kind = PARAM_CHOICE,                                                                 \
                       .choices = pipeline_modes,                                                            \
                       .initial = "eval",                                                                    \
                       .unit = "",                                                                           \
                       .help = N_("in eval nothing is dropped; in train each forward pass drops others")},   \
    [PIPELINE_PASS] = {.name = "pass",                                                                       \
                       .label = N_("forward pass"),                                                          \
                       .kind = PARAM_INTEGER,                                                                \
                       .lo = 1,                                                                              \
                       .hi = 1000,                                                                           \
                       .usual_lo = 1,                                                                        \
                       .usual_hi = 20,                                                                       \
                       .step = 1,                                                                            \
                       .steps = STEPS_LINEAR,                                                                \
                       .initial = "1",                                                                       \
                       .unit = "",                                                                           \
                       .help = N_("the forward pass since the seed: in train it decides what is dropped")},  \
    [PIPELINE_Q] = TYPED_PARAM("q", N_("typed queries"),                                                     \
                               N_("queries instead of drawn ones, a row for each batch item: 1,2/3,4")),     \
    [PIPELINE_K] = TYPED_PARAM("k", N_("typed keys"),                                                        \
                               N_("keys instead of ones or drawn ones, a row for each key: 1,0/0,1")),       \
    [PIPELINE_SEED] = SEED_PARAM

/* ---- state */

enum tensor {
    T_QUERIES,     /* (b, 1, d_q) */
    T_KEYS,        /* (b, n_k, d_k) */
    T_VALUES,      /* (b, n_k, d_v) */
    T_W_K,         /* (hidden, d_k) */
    T_W_Q,         /* (hidden, d_q) */
    T_W_V,         /* (1, hidden) */
    T_W,           /* (d_q, d_k): the bilinear form; the identity without one */
    T_BILINEAR_Q,  /* (b, 1, d_k): queries times W */
    T_PROJECTED_Q, /* (b, 1, hidden) */
    T_PROJECTED_K, /* (b, n_k, hidden) */
    T_FEATURES,    /* (b, 1, n_k, hidden) */
    T_SCORES,      /* (b, 1, n_k) */
    T_WEIGHTS,     /* (b, 1, n_k): before dropout */
    T_KEPT,        /* (b, 1, n_k): after dropout */
    T_OUTPUT,      /* (b, 1, d_v) */
    T_RIVAL_SCORES,
    T_RIVAL_WEIGHTS,
    T_RIVAL_OUTPUT,
    TENSORS
};

/* What is computed, as the demo's parameters have it. */
struct pipeline_spec {
    enum score score, rival; /* the rival sees the same queries and keys; one of the two is additive */
    size_t d_q, d_k, hidden;
};

struct pipeline {
    struct pipeline_spec spec;
    struct attention_shape shape;
    struct matrix tensor[TENSORS]; /* the leading dimensions in the rows */
    struct lens lens;
    struct rng rng;                   /* after the draws: dropout goes on from here */
    unsigned char *masked, *dropped;  /* (b, 1, n_k) */
    double dropout;                   /* 0 in eval */
    bool edited;                      /* a number was changed by hand since the last draw */
    size_t item, key;                 /* the selected pair */
    size_t at_q, at_k, at_unit, at_v; /* the selected component of query, key, features, value */
};

static inline struct pipeline *pipeline_of(const struct stage *stage)
{
    return stage->state;
}

/* Makes or remakes the state's tensors from the stage's values; OPENING: valid lengths that the user gave
 * must fit. On failure nothing has changed. */
bool pipeline_start(struct stage *stage, const struct pipeline_spec *spec, bool opening, struct error *error);

/* For open: makes the state, then pipeline_start. */
bool pipeline_open(struct stage *stage, const struct pipeline_spec *spec, struct error *error);

/* For apply: takes over a parameter that is common to both demos. */
bool pipeline_apply(struct stage *stage, const struct pipeline_spec *spec, size_t changed,
                    struct error *error);

/* Whether the typed queries and keys are few and small enough to be shown. */
bool pipeline_typed_is_sound(const struct stage *stage, struct error *error);

/* Parameter SIZE becomes the length of the rows that are typed in parameter LIST, if any are. */
void pipeline_adopt_size(struct stage *stage, size_t list, size_t size);

/* Typed queries or keys that are not of these sizes are forgotten: the size was changed. */
void pipeline_drop_unfit(struct stage *stage, size_t d_q, size_t d_k);

void *pipeline_copy(const void *state);
void pipeline_restored(struct stage *stage);
void pipeline_discard(void *state);
bool pipeline_select(struct stage *stage, long row, long column, struct error *error);
bool pipeline_nudge(struct stage *stage, int steps, struct error *error);
bool pipeline_adjust(struct stage *stage, size_t param, int steps, struct value *value);

/* Index of the selected pair in scores and weights. */
static inline size_t pipeline_pair(const struct pipeline *p)
{
    return p->item * p->shape.n_k + p->key;
}

/* ---- tables */

struct table pipeline_table(const struct stage *stage, enum tensor tensor);
struct table pipeline_table_masked(const struct stage *stage);

#define PIPELINE_TABLE(name, tensor)                                                                         \
    static struct table table_##name(const struct stage *stage)                                              \
    {                                                                                                        \
        return pipeline_table(stage, tensor);                                                                \
    }

/* ---- panes: those that both demos have come first, in this order */

enum {
    PIPE_WEIGHTS,
    PIPE_SCORES,
    PIPE_MASKED,
    PIPE_OUTPUT,
    PIPE_CHOSEN,
    PIPE_QUERIES,
    PIPE_KEYS,
    PIPE_VALUES,
    PIPE_COMPARE,
    PIPE_PARAMETERS,
    PIPE_PANES
};

/* The initialisers of those panes. */
#define PIPELINE_PANE_TABLE                                                                                  \
    [PIPE_WEIGHTS] = {"weights",                                                                             \
                      N_("attention weights"),                                                               \
                      pipeline_weights_figure,                                                               \
                      pipeline_weights_draw,                                                                 \
                      pipeline_move_pair,                                                                    \
                      N_("the softmax of each row: hatched = masked, weight 0; \u03a3 is the row's sum")},   \
    [PIPE_SCORES] = {"scores",                                                                               \
                     N_("scores"),                                                                           \
                     pipeline_pairs_figure,                                                                  \
                     pipeline_scores_draw,                                                                   \
                     pipeline_move_pair,                                                                     \
                     N_("raw scores: a row a query, a column a key; the framed cell is the chosen one")},    \
    [PIPE_MASKED] = {"masked",                                                                               \
                     N_("masked scores"),                                                                    \
                     pipeline_pairs_figure,                                                                  \
                     pipeline_masked_draw,                                                                   \
                     pipeline_move_pair,                                                                     \
                     N_("the scores with the keys beyond the valid length hatched: they are replaced "       \
                        "before the softmax")},                                                              \
    [PIPE_OUTPUT] = {"output",                                                                               \
                     N_("weights \u00d7 values"),                                                            \
                     pipeline_output_figure,                                                                 \
                     pipeline_output_draw,                                                                   \
                     pipeline_move_output,                                                                   \
                     N_("the weighted sum of the values, a row a query: what attention gives")},             \
    [PIPE_CHOSEN] = {"pair",                                                                                 \
                     N_("the selected pair"),                                                                \
                     pipeline_chosen_figure,                                                                 \
                     pipeline_chosen_draw,                                                                   \
                     pipeline_move_chosen,                                                                   \
                     N_("the chosen query and key: score, weight and product, written out")},                \
    [PIPE_QUERIES] = {"queries",                                                                             \
                      N_("queries"),                                                                         \
                      pipeline_queries_figure,                                                               \
                      pipeline_queries_draw,                                                                 \
                      pipeline_move_query,                                                                   \
                      N_("the queries, a row each")},                                                        \
    [PIPE_KEYS] = {"keys",                                                                                   \
                   N_("keys"),                                                                               \
                   pipeline_keys_figure,                                                                     \
                   pipeline_keys_draw,                                                                       \
                   pipeline_move_key,                                                                        \
                   N_("the keys, a row each")},                                                              \
    [PIPE_VALUES] = {"values",                                                                               \
                     N_("values"),                                                                           \
                     pipeline_values_figure,                                                                 \
                     pipeline_values_draw,                                                                   \
                     pipeline_move_value,                                                                    \
                     N_("the values, a row a key: what the weights mix")},                                   \
    [PIPE_COMPARE] = {"compare",                                                                             \
                      N_("both methods compared"),                                                           \
                      pipeline_compare_figure,                                                               \
                      pipeline_compare_draw,                                                                 \
                      pipeline_move_pair,                                                                    \
                      N_("the weights of scaled dot-product and additive attention, row by row")},           \
    [PIPE_PARAMETERS] = {"parameters", N_("parameters"), NULL, panel_draw, pipeline_move_pair, PANEL_HELP}

void pipeline_weights_figure(const struct stage *stage, struct area corner);
void pipeline_weights_draw(const struct stage *stage, struct area inside);
void pipeline_pairs_figure(const struct stage *stage, struct area corner);
void pipeline_scores_draw(const struct stage *stage, struct area inside);
void pipeline_masked_draw(const struct stage *stage, struct area inside);
void pipeline_output_figure(const struct stage *stage, struct area corner);
void pipeline_output_draw(const struct stage *stage, struct area inside);
void pipeline_chosen_figure(const struct stage *stage, struct area corner);
void pipeline_chosen_draw(const struct stage *stage, struct area inside);
void pipeline_queries_figure(const struct stage *stage, struct area corner);
void pipeline_queries_draw(const struct stage *stage, struct area inside);
void pipeline_keys_figure(const struct stage *stage, struct area corner);
void pipeline_keys_draw(const struct stage *stage, struct area inside);
void pipeline_values_figure(const struct stage *stage, struct area corner);
void pipeline_values_draw(const struct stage *stage, struct area inside);
void pipeline_compare_figure(const struct stage *stage, struct area corner);
void pipeline_compare_draw(const struct stage *stage, struct area inside);
void pipeline_projected_figure(const struct stage *stage, struct area corner);
void pipeline_projected_draw(const struct stage *stage, struct area inside);
void pipeline_features_figure(const struct stage *stage, struct area corner);
void pipeline_features_draw(const struct stage *stage, struct area inside);

void pipeline_move_pair(struct stage *stage, int dx, int dy);
void pipeline_move_output(struct stage *stage, int dx, int dy);
void pipeline_move_chosen(struct stage *stage, int dx, int dy);
void pipeline_move_query(struct stage *stage, int dx, int dy);
void pipeline_move_key(struct stage *stage, int dx, int dy);
void pipeline_move_value(struct stage *stage, int dx, int dy);
void pipeline_move_unit(struct stage *stage, int dx, int dy);

/* ---- words and places */

/* Where the panes go that only one of the demos has, or has room for elsewhere. */
struct pipeline_places {
    const size_t *beside_keys; /* (n) from left to right, on a large screen */
    size_t n;
    size_t below; /* beside the selected pair, on a wide screen */
};

void pipeline_layout(const struct stage *stage, const struct pipeline_places *places, struct area area,
                     struct area out[PANES_MAX]);

/* FORMULA and then the selected weight and output with their numbers. */
void pipeline_formula(const struct stage *stage, struct area line, const char *formula);

/* Says that a drawn number was changed. */
void pipeline_progress(const struct stage *stage, char *out, size_t size);

/* Their scripts for PyTorch. */
void pipeline_torch(const struct stage *stage, struct buf *out);

/* What both demos may have to say. */
enum role pipeline_remark(const struct stage *stage, char *out, size_t size);

/* The initialisers of the functions that both demos have. */
#define PIPELINE_FUNCTIONS                                                                                   \
    .copy = pipeline_copy, .restored = pipeline_restored, .discard = pipeline_discard,                       \
    .select = pipeline_select, .nudge = pipeline_nudge, .adjust = pipeline_adjust,                           \
    .progress = pipeline_progress, .remark = pipeline_remark, .torch = pipeline_torch

#endif
