/* An attention layer whose scores are learned, forward and backward: scores of projected queries and keys,
 * their softmax over the valid keys, and the weighted sum of the values. Row-major arrays, shapes beside
 * them. */
#ifndef ATTNLAB_ENGINE_ATTEND_H
#define ATTNLAB_ENGINE_ATTEND_H

#include <stddef.h>

#include "engine/attention.h"

/* The layer's inputs, borrowed. */
struct attend {
    enum score score;        /* SCORE_ADDITIVE, SCORE_DOT or SCORE_SCALED */
    size_t n_q, n_k, d, d_v; /* d: of the projected queries and keys, additive's hidden size */
    const double *q;         /* (n_q, d) */
    const double *k;         /* (n_k, d) */
    const double *v;         /* (n_k, d_v) */
    const double *w_v;       /* (d); additive only */
    const size_t *valid_len; /* (n_q): query i sees the first valid_len[i] keys; NULL: all */
};

/* FEATURES (n_q, n_k, d; additive only, else NULL), WEIGHT (n_q, n_k) and CONTEXT (n_q, d_v). What stands in
 * keys beyond valid_len, NaN too, has no effect. A query without a valid key has weights and context 0. */
void attend_forward(const struct attend *a, double *features, double *weight, double *context);

/* Where the derivatives go, shaped as the inputs; NULL: not wanted. Owned by the caller. */
struct attend_gradient {
    double *q, *k, *v, *w_v;
};

/* From d loss / d context (n_q, d_v) and what attend_forward gave to the derivatives by the inputs. What is
 * asked for is overwritten. A key that no query may see gets gradient exactly 0. */
void attend_backward(const struct attend *a, const double *features, const double *weight,
                     const double *grad_context, struct attend_gradient gradient);

/* GRAD_WEIGHT (out, in) = GRAD_OUT (n, out) transposed times X (n, in), overwritten: attention_project
 * backward. */
void attend_project_backward(const double *x, const double *grad_out, size_t n, size_t in, size_t out_size,
                             double *grad_weight);

#endif
