#include "engine/attend.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/mem.h"
#include "engine/softmax.h"

static size_t n_valid(const struct attend *a, size_t i)
{
    return a->valid_len && a->valid_len[i] < a->n_k ? a->valid_len[i] : a->n_k;
}

static double scale_of(const struct attend *a)
{
    return a->score == SCORE_SCALED ? 1 / sqrt((double)a->d) : 1;
}

void attend_forward(const struct attend *a, double *features, double *weight, double *context)
{
    const struct attention_shape shape = {
        .batch = 1, .n_q = a->n_q, .n_k = a->n_k, .d_q = a->d, .d_k = a->d, .hidden = a->d, .d_v = a->d_v};
    if (a->score == SCORE_ADDITIVE)
        attention_additive(&shape, a->q, a->k, a->w_v, features, weight);
    else
        attention_dot(&shape, a->q, a->k, scale_of(a), weight);
    for (size_t i = 0; i < a->n_q; i++) {
        double *row = weight + i * a->n_k;
        softmax_row(row, a->n_k, n_valid(a, i), row);
    }
    attention_pool(&shape, weight, a->v, context);
}

/* Adds what a query and a key pass on, G being d loss / d their score; FEATURE (d) is theirs. */
static void score_backward(const struct attend *a, size_t i, size_t j, double g, const double *feature,
                           struct attend_gradient gradient)
{
    const double *q = a->q + i * a->d, *k = a->k + j * a->d;
    double scaled = g * scale_of(a);
    assert(feature || a->score != SCORE_ADDITIVE);
    for (size_t h = 0; h < a->d; h++) {
        double by_q = scaled * k[h], by_k = scaled * q[h];
        if (a->score == SCORE_ADDITIVE)
            by_q = by_k = g * a->w_v[h] * (1 - feature[h] * feature[h]);
        if (a->score == SCORE_ADDITIVE && gradient.w_v)
            gradient.w_v[h] += g * feature[h];
        if (gradient.q)
            gradient.q[i * a->d + h] += by_q;
        if (gradient.k)
            gradient.k[j * a->d + h] += by_k;
    }
}

/* GRAD_SCORE of one query, and what its context passes on to the values. */
static void context_backward(const struct attend *a, size_t i, const double *weight,
                             const double *grad_context, double *grad_score, double *grad_v)
{
    const double *by_c = grad_context + i * a->d_v;
    size_t valid = n_valid(a, i);
    for (size_t j = 0; j < valid; j++) {
        const double *v = a->v + j * a->d_v;
        grad_score[j] = 0;
        for (size_t h = 0; h < a->d_v; h++)
            grad_score[j] += by_c[h] * v[h];
        for (size_t h = 0; grad_v && h < a->d_v; h++)
            grad_v[j * a->d_v + h] += weight[i * a->n_k + j] * by_c[h];
    }
    softmax_row_backward(weight + i * a->n_k, grad_score, a->n_k, valid, grad_score);
}

static void zero(double *at, size_t n)
{
    if (at)
        memset(at, 0, n * sizeof *at);
}

void attend_backward(const struct attend *a, const double *features, const double *weight,
                     const double *grad_context, struct attend_gradient gradient)
{
    double *grad_score = mem_new(a->n_k, sizeof *grad_score);
    zero(gradient.q, a->n_q * a->d);
    zero(gradient.k, a->n_k * a->d);
    zero(gradient.v, a->n_k * a->d_v);
    zero(gradient.w_v, a->d);
    for (size_t i = 0; i < a->n_q; i++) {
        context_backward(a, i, weight, grad_context, grad_score, gradient.v);
        for (size_t j = 0; j < n_valid(a, i); j++)
            score_backward(a, i, j, grad_score[j], features ? features + (i * a->n_k + j) * a->d : NULL,
                           gradient);
    }
    free(grad_score);
}

void attend_project_backward(const double *x, const double *grad_out, size_t n, size_t in, size_t out_size,
                             double *grad_weight)
{
    zero(grad_weight, out_size * in);
    for (size_t i = 0; i < n; i++)
        for (size_t o = 0; o < out_size; o++)
            for (size_t h = 0; h < in; h++)
                grad_weight[o * in + h] += grad_out[i * out_size + o] * x[i * in + h];
}
