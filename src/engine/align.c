#include "engine/align.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/attend.h"
#include "engine/matrix.h"
#include "engine/mem.h"
#include "engine/rng.h"

static void widen(const float *from, size_t n, double factor, double *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (double)from[i] * factor;
}

static double length(const float *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)v[i] * (double)v[i];
    return sqrt(sum);
}

struct align_draw align_draw_new(uint64_t seed, size_t d)
{
    struct align_draw draw = {
        .d = d,
        .source = mem_new(ALIGN_WORDS_MAX * d, sizeof(double)),
        .query = mem_new(ALIGN_WORDS_MAX * d, sizeof(double)),
        .theta = mem_new(align_dim(SCORE_ADDITIVE, d), sizeof(double)),
    };
    double *m = mem_new(d * d, sizeof *m);
    float *drawn = mem_new((ALIGN_WORDS_MAX + d) * d, sizeof *drawn);
    struct rng rng;
    rng_seed(&rng, seed, RNG_PATH_AVX2);
    rng_normal(&rng, 0, 1, drawn, ALIGN_WORDS_MAX * d);
    for (size_t t = 0; t < ALIGN_WORDS_MAX; t++)
        widen(drawn + t * d, d, sqrt((double)d) / length(drawn + t * d, d), draw.source + t * d);
    rng_normal(&rng, 0, 1, drawn, d * d);
    widen(drawn, d * d, 1 / sqrt((double)d), m);
    for (size_t i = 0; i < 2; i++) {
        rng_linear(&rng, d, d, drawn);
        widen(drawn, d * d, 1, draw.theta + i * d * d);
    }
    rng_linear(&rng, d, 1, drawn);
    widen(drawn, d, 1, draw.theta + 2 * d * d);
    attention_project(draw.source, ALIGN_WORDS_MAX, d, m, d, draw.query);
    free(drawn);
    free(m);
    return draw;
}

void align_draw_free(struct align_draw *draw)
{
    free(draw->source);
    free(draw->query);
    free(draw->theta);
    *draw = (struct align_draw){0};
}

size_t align_dim(enum score score, size_t d)
{
    return 2 * d * d + (score == SCORE_ADDITIVE ? d : 0);
}

double align_error(const struct align *model, const double *context)
{
    size_t n = model->n * model->d;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (context[i] - model->source[i]) * (context[i] - model->source[i]);
    return sum / (double)n;
}

/* From the layer's outputs to the gradient by W_q, W_k and w_v. */
static void backward(const struct align *model, const struct attend *layer, const double *features,
                     const double *weight, const double *context, double *gradient)
{
    size_t n = model->n, d = model->d;
    struct matrix by_c = matrix_new(n, d), by_q = matrix_new(n, d), by_k = matrix_new(n, d);
    for (size_t i = 0; i < n * d; i++)
        by_c.at[i] = 2 * (context[i] - model->source[i]) / (double)(n * d);
    struct attend_gradient wanted = {.q = by_q.at, .k = by_k.at};
    if (model->score == SCORE_ADDITIVE)
        wanted.w_v = gradient + 2 * d * d;
    attend_backward(layer, features, weight, by_c.at, wanted);
    attend_project_backward(model->query, by_q.at, n, d, d, gradient);
    attend_project_backward(model->source, by_k.at, n, d, d, gradient + d * d);
    matrix_free(&by_c);
    matrix_free(&by_q);
    matrix_free(&by_k);
}

double align_loss(const struct align *model, const double *theta, double *weight, double *context,
                  double *gradient)
{
    size_t n = model->n, d = model->d;
    struct matrix q = matrix_new(n, d), k = matrix_new(n, d), own_weight = {0}, own_context = {0};
    struct matrix features = matrix_new(model->score == SCORE_ADDITIVE ? n * n : 0, d);
    if (!weight) {
        own_weight = matrix_new(n, n);
        weight = own_weight.at;
    }
    if (!context) {
        own_context = matrix_new(n, d);
        context = own_context.at;
    }
    attention_project(model->query, n, d, theta, d, q.at);
    attention_project(model->source, n, d, theta + d * d, d, k.at);
    struct attend layer = {
        .score = model->score,
        .n_q = n,
        .n_k = n,
        .d = d,
        .d_v = d,
        .q = q.at,
        .k = k.at,
        .v = model->source,
        .w_v = theta + 2 * d * d,
    };
    attend_forward(&layer, features.at, weight, context);
    if (gradient)
        backward(model, &layer, features.at, weight, context, gradient);
    double loss = align_error(model, context);
    matrix_free(&q);
    matrix_free(&k);
    matrix_free(&features);
    matrix_free(&own_weight);
    matrix_free(&own_context);
    return loss;
}

double align_fixed(const struct align *model, double *mean)
{
    size_t n = model->n, d = model->d;
    double sum = 0;
    for (size_t h = 0; h < d; h++) {
        mean[h] = 0;
        for (size_t t = 0; t < n; t++)
            mean[h] += model->source[t * d + h] / (double)n;
        for (size_t t = 0; t < n; t++)
            sum += (model->source[t * d + h] - mean[h]) * (model->source[t * d + h] - mean[h]);
    }
    return sum / (double)(n * d);
}
