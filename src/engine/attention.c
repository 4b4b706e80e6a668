#include "engine/attention.h"

#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void attention_project(const double *x, size_t n, size_t in, const double *weight, size_t out_size,
                       double *out)
{
    for (size_t i = 0; i < n; i++)
        for (size_t o = 0; o < out_size; o++)
            out[i * out_size + o] = dot(x + i * in, weight + o * in, in);
}

void attention_multiply(const double *x, size_t n, size_t rows, const double *w, size_t cols, double *out)
{
    memset(out, 0, n * cols * sizeof *out);
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < rows; r++)
            for (size_t c = 0; c < cols; c++)
                out[i * cols + c] += x[i * rows + r] * w[r * cols + c];
}

void attention_additive(const struct attention_shape *shape, const double *projected_q,
                        const double *projected_k, const double *w_v, double *features, double *score)
{
    const size_t h = shape->hidden, n_pairs = shape->batch * shape->n_q * shape->n_k;

    for (size_t i = 0; i < n_pairs; i++) {
        const size_t query = i / shape->n_k, key = query / shape->n_q * shape->n_k + i % shape->n_k;
        double sum = 0;

        for (size_t u = 0; u < h; u++) {
            const double feature = tanh(projected_q[query * h + u] + projected_k[key * h + u]);

            if (features)
                features[i * h + u] = feature;
            sum += feature * w_v[u];
        }
        score[i] = sum;
    }
}

void attention_dot(const struct attention_shape *shape, const double *q, const double *k, double scale,
                   double *score)
{
    const size_t d = shape->d_k, n_pairs = shape->batch * shape->n_q * shape->n_k;

    for (size_t i = 0; i < n_pairs; i++) {
        const size_t query = i / shape->n_k, key = query / shape->n_q * shape->n_k + i % shape->n_k;

        score[i] = dot(q + query * d, k + key * d, d) * scale;
    }
}

void attention_gaussian(const struct attention_shape *shape, const double *q, const double *k, double *score)
{
    const size_t d = shape->d_k, n_pairs = shape->batch * shape->n_q * shape->n_k;

    for (size_t i = 0; i < n_pairs; i++) {
        const size_t query = i / shape->n_k, key = query / shape->n_q * shape->n_k + i % shape->n_k;
        double sum = 0;

        for (size_t c = 0; c < d; c++) {
            const double gap = q[query * d + c] - k[key * d + c];

            sum += gap * gap;
        }
        score[i] = 0 - sum / 2;
    }
}

void attention_pool(const struct attention_shape *shape, const double *weight, const double *values,
                    double *output)
{
    const size_t d = shape->d_v, n_pairs = shape->batch * shape->n_q * shape->n_k;

    memset(output, 0, shape->batch * shape->n_q * d * sizeof *output);
    for (size_t i = 0; i < n_pairs; i++) {
        const size_t query = i / shape->n_k, key = query / shape->n_q * shape->n_k + i % shape->n_k;

        for (size_t c = 0; c < d && weight[i] != 0; c++)
            output[query * d + c] += weight[i] * values[key * d + c];
    }
}

void attention_dropout(const double *weight, const bool *keep, size_t n, double p, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = keep[i] ? weight[i] / (1 - p) : 0;
}
