#include "engine/saturation.h"

#include <math.h>
#include <stdlib.h>

#include "engine/attend.h"
#include "engine/matrix.h"
#include "engine/mem.h"
#include "engine/softmax.h"

enum {
    BLOCK = 16, /* torch.randn draws in blocks of 16: pieces of whole blocks are the same numbers */
    PIECE = 1 << 13,
    ROWS_LEAST = 256,
    ROWS_MOST = 4096,
};

struct saturation saturation_of(const double *weight, size_t m)
{
    struct saturation s = {.entropy = softmax_entropy(weight, m)};
    double squares = 0, cubes = 0;
    for (size_t j = 0; j < m; j++) {
        s.max_weight = fmax(s.max_weight, weight[j]);
        squares += weight[j] * weight[j];
        cubes += weight[j] * weight[j] * weight[j];
    }
    /* Rounding can make the difference of a one-hot row negative. */
    s.gradient = sqrt(fmax(squares - 2 * cubes + squares * squares, 0));
    return s;
}

size_t saturation_rows(size_t d)
{
    size_t rows = ((size_t)1 << 16) / d / BLOCK * BLOCK;
    return rows < ROWS_LEAST ? ROWS_LEAST : rows > ROWS_MOST ? ROWS_MOST : rows;
}

struct saturation_sample saturation_sample_new(uint64_t seed, size_t d, size_t m)
{
    struct saturation_sample sample = {.d = d, .m = m, .rows = saturation_rows(d)};
    sample.q = mem_new(sample.rows * d, sizeof(float));
    sample.k = mem_new(BLOCK * m * d, sizeof(float));
    rng_seed(&sample.rng, seed, RNG_PATH_AVX2);
    return sample;
}

static void add_query(struct saturation_sample *sample, const float *q, const float *k, double *score)
{
    size_t d = sample->d, m = sample->m;
    double *scaled = score + m;
    for (size_t j = 0; j < m; j++) {
        score[j] = 0;
        for (size_t h = 0; h < d; h++)
            score[j] += (double)q[h] * (double)k[j * d + h];
        sample->sum += score[j];
        sample->sum_squares += score[j] * score[j];
        scaled[j] = score[j] / sqrt((double)d);
    }
    for (int way = 0; way < WAYS; way++) {
        double *weight = way == WAY_PLAIN ? score : scaled;
        softmax_row(weight, m, m, weight);
        struct saturation s = saturation_of(weight, m);
        sample->total[way].max_weight += s.max_weight;
        sample->total[way].entropy += s.entropy;
        sample->total[way].gradient += s.gradient;
    }
}

bool saturation_sample_step(struct saturation_sample *sample)
{
    size_t d = sample->d, m = sample->m, n_q = sample->rows * d;
    if (sample->drawn < n_q) {
        size_t piece = n_q - sample->drawn < PIECE ? n_q - sample->drawn : PIECE;
        rng_normal(&sample->rng, 0, 1, sample->q + sample->drawn, piece);
        sample->drawn += piece;
        return true;
    }
    if (sample->done == sample->rows)
        return false;
    /* So many queries that their keys are whole blocks. */
    size_t group = (m * d) % BLOCK == 0 ? 1 : BLOCK;
    double *score = mem_new(2 * m, sizeof *score);
    rng_normal(&sample->rng, 0, 1, sample->k, group * m * d);
    for (size_t i = 0; i < group; i++)
        add_query(sample, sample->q + (sample->done + i) * d, sample->k + i * m * d, score);
    sample->done += group;
    free(score);
    return sample->done < sample->rows;
}

double saturation_variance(const struct saturation_sample *sample, int way)
{
    double n = (double)(sample->rows * sample->m), mean = sample->sum / n;
    double variance = sample->sum_squares / n - mean * mean;
    return way == WAY_PLAIN ? variance : variance / (double)sample->d;
}

struct saturation saturation_mean(const struct saturation_sample *sample, int way)
{
    double n = (double)sample->rows;
    const struct saturation *total = &sample->total[way];
    return (struct saturation){total->max_weight / n, total->entropy / n, total->gradient / n};
}

void saturation_sample_free(struct saturation_sample *sample)
{
    free(sample->q);
    free(sample->k);
    *sample = (struct saturation_sample){0};
}

/* The values are the unit vectors, so a context is the row of weights itself. */
static struct matrix unit_vectors(size_t m)
{
    struct matrix unit = matrix_new(m, m);
    for (size_t j = 0; j < m; j++)
        matrix_row(&unit, j)[j] = 1;
    return unit;
}

double search_loss(const struct search *search, const double *q, double *weight, double *gradient)
{
    size_t n = search->n, m = search->m;
    struct matrix unit = unit_vectors(m), own = matrix_new(n, m), context = matrix_new(n, m);
    struct attend layer = {
        .score = search->way == WAY_SCALED ? SCORE_SCALED : SCORE_DOT,
        .n_q = n,
        .n_k = m,
        .d = search->d,
        .d_v = m,
        .q = q,
        .k = search->k,
        .v = unit.at,
    };
    double loss = 0;
    weight = weight ? weight : own.at;
    attend_forward(&layer, NULL, weight, context.at);
    for (size_t t = 0; t < n; t++) {
        for (size_t j = 0; j < m; j++) {
            double *c = matrix_row(&context, t) + j, error = *c - (j == t);
            loss += error * error / (double)n;
            *c = 2 * error / (double)n;
        }
    }
    if (gradient)
        attend_backward(&layer, NULL, weight, context.at, (struct attend_gradient){.q = gradient});
    matrix_free(&unit);
    matrix_free(&own);
    matrix_free(&context);
    return loss;
}
