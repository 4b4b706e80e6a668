/* Softmax over the valid keys of a row. Invalid keys are skipped, never filled and multiplied: whatever
 * stands in them (NaN too) cannot reach the result. */
#ifndef ATTNLAB_ENGINE_SOFTMAX_H
#define ATTNLAB_ENGINE_SOFTMAX_H

#include <stdbool.h>
#include <stddef.h>

/* WEIGHT[j] = exp(s_j - max) / sum over the first VALID_LEN of N scores, 0 for the rest. Scores of +inf share
 * the weight equally. Returns false, with all weights 0, where there is no valid key or all valid scores are
 * -inf. WEIGHT may be SCORE. A NaN among the valid scores gives NaN weights on the valid keys. */
bool softmax_row(const double *score, size_t n, size_t valid_len, double *weight);

/* The book's convention: invalid keys get the score FILL (-1e6) and take part. FILL = -inf gives NaN on a row
 * without valid keys, as a framework does. */
void softmax_row_filled(const double *score, size_t n, size_t valid_len, double fill, double *weight);

/* Backward: GRAD_SCORE[j] = w_j (g_j - sum_k w_k g_k); exactly 0 for invalid keys. */
void softmax_row_backward(const double *weight, const double *grad_weight, size_t n, size_t valid_len,
                          double *grad_score);

/* -sum w ln w, in nats; 0 ln 0 = 0. */
double softmax_entropy(const double *weight, size_t n);

#endif
