/* Attention, step by step: how a query and a key become a score, and how weights pool the values.
 *
 * Tensors are row-major and written with their shapes: queries (b, n_q, d_q), keys (b, n_k, d_k), values
 * (b, n_k, d_v), scores and weights (b, n_q, n_k). Everything between input and output is an output too, so
 * that it can be looked at. Masking and softmax are in engine/softmax.h. */
#ifndef ATTNLAB_ENGINE_ATTENTION_H
#define ATTNLAB_ENGINE_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>

enum score {
    SCORE_ADDITIVE, /* w_v . tanh(W_q q + W_k k) */
    SCORE_DOT,      /* q . k */
    SCORE_SCALED,   /* q . k / sqrt(d) */
    SCORE_GAUSSIAN, /* -|q - k|^2 / 2 */
    SCORE_BILINEAR, /* q . W k: q and k may differ in size */
    SCORES
};

struct attention_shape {
    size_t batch, n_q, n_k;
    size_t d_q, d_k; /* equal for dot, scaled dot and Gaussian scores */
    size_t hidden;   /* additive only */
    size_t d_v;
};

/* OUT (n, out) = X (n, in) times WEIGHT (out, in) transposed: nn.Linear without a bias. */
void attention_project(const double *x, size_t n, size_t in, const double *weight, size_t out_size,
                       double *out);

/* OUT (n, cols) = X (n, rows) times W (rows, cols). */
void attention_multiply(const double *x, size_t n, size_t rows, const double *w, size_t cols, double *out);

/* FEATURES (b, n_q, n_k, hidden) = tanh of the sum of PROJECTED_Q (b, n_q, hidden) and PROJECTED_K (b, n_k,
 * hidden); SCORE (b, n_q, n_k) = features . W_V (hidden). FEATURES may be NULL. */
void attention_additive(const struct attention_shape *shape, const double *projected_q,
                        const double *projected_k, const double *w_v, double *features, double *score);

/* SCORE = q . k times SCALE: 1, or 1 / sqrt(d). Both have d_k numbers: for the bilinear score Q is
 * attention_multiply(queries, W). */
void attention_dot(const struct attention_shape *shape, const double *q, const double *k, double scale,
                   double *score);

/* SCORE = -|q - k|^2 / 2, over d_k numbers. */
void attention_gaussian(const struct attention_shape *shape, const double *q, const double *k, double *score);

/* OUTPUT (b, n_q, d_v) = WEIGHT (b, n_q, n_k) times VALUES (b, n_k, d_v). Keys of weight 0 are skipped: a NaN
 * in a masked value does not reach the output. */
void attention_pool(const struct attention_shape *shape, const double *weight, const double *values,
                    double *output);

/* Dropout of N weights in training: OUT = WEIGHT / (1 - p) where KEEP, else 0. P in [0, 1]; OUT may be
 * WEIGHT. */
void attention_dropout(const double *weight, const bool *keep, size_t n, double p, double *out);

#endif
