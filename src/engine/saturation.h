/* Why scores are divided by the square root of d: what dot products of random queries and keys do to a
 * softmax, and what that does to training. */
#ifndef ATTNLAB_ENGINE_SATURATION_H
#define ATTNLAB_ENGINE_SATURATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/rng.h"

enum { WAY_PLAIN, WAY_SCALED, WAYS }; /* scores q.k, and q.k / sqrt(d) */

/* How far a softmax row has given up: the largest weight, the entropy in nats, and the size of its
 * derivative. */
struct saturation {
    double max_weight, entropy;
    double gradient; /* Frobenius norm of d weight / d score: sqrt(S2 - 2 S3 + S2^2), S_p = sum of weight^p */
};

struct saturation saturation_of(const double *weight, size_t m);

/* A sample of R queries, each with M keys of its own, drawn bit by bit and summed up:
 * torch.manual_seed(seed); q = randn(R, d); k = randn(R, m, d). */
struct saturation_sample {
    size_t d, m, rows; /* R */
    size_t drawn;      /* numbers of q drawn so far */
    size_t done;       /* queries summed so far */
    struct rng rng;
    float *q, *k;                  /* (R, d), and room for the keys of a few queries; owned */
    double sum, sum_squares;       /* of q.k */
    struct saturation total[WAYS]; /* sums over the queries done */
};

/* R by d: enough for the variance of q.k to be known within about 3 % (one standard deviation), see the test.
 */
size_t saturation_rows(size_t d);

struct saturation_sample saturation_sample_new(uint64_t seed, size_t d, size_t m);

/* Draws and sums up a little more, about 10^4 numbers; false once the sample is complete. */
bool saturation_sample_step(struct saturation_sample *sample);

/* The variance of the scores about their mean; divided by d for WAY_SCALED. Of a complete sample. */
double saturation_variance(const struct saturation_sample *sample, int way);

/* The mean over the queries of a complete sample. */
struct saturation saturation_mean(const struct saturation_sample *sample, int way);

void saturation_sample_free(struct saturation_sample *sample);

/* N queries that are to find their keys, query t the key t, by moving themselves: theta is q (n, d). The loss
 * is the mean over queries of the squared distance between its weights and those of a perfect match, sum_j
 * (w_j - [j=t])^2. */
struct search {
    size_t n, m, d;  /* n <= m */
    const double *k; /* (m, d), borrowed */
    int way;         /* WAY_PLAIN or WAY_SCALED */
};

/* WEIGHT (n, m) and GRADIENT (n, d) are filled in where not NULL. */
double search_loss(const struct search *search, const double *q, double *weight, double *gradient);

#endif
