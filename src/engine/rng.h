/* PyTorch's CPU random numbers, bit for bit: MT19937 and the ways in which rand, normal, nn.Linear and
 * dropout use its words. What was checked against which PyTorch is said at each function's definition. */
#ifndef ATTNLAB_ENGINE_RNG_H
#define ATTNLAB_ENGINE_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* PyTorch has two float32 paths that differ in the last bits. Both are plain C here, the same on every
 * machine. */
enum rng_path {
    RNG_PATH_AVX2,   /* x86-64 machines with AVX2: what nearly everyone sees (the default) */
    RNG_PATH_SCALAR, /* ARM and old machines; needs glibc's logf, sinf, cosf to be equal in the last bit */
};

struct rng {
    uint32_t state[624];
    unsigned next; /* index of the next unused word; 624: the state must be renewed */
    enum rng_path path;
    bool has_normal; /* the one-slot cache of small normal draws; only seeding clears it */
    double normal;
};

/* torch.manual_seed(seed): only the low 32 bits count; PyTorch's -1 is 2^64-1. */
void rng_seed(struct rng *rng, uint64_t seed, enum rng_path path);

uint32_t rng_u32(struct rng *rng);
uint64_t rng_u64(struct rng *rng); /* two words, the first one is the high half */

/* torch.rand(n): N values in [0, 1). */
void rng_rand(struct rng *rng, float *out, size_t n);

/* tensor.uniform_(lo, hi). */
void rng_uniform(struct rng *rng, double lo, double hi, float *out, size_t n);

/* torch.normal(mean, std, (n,)); torch.randn is mean 0, std 1. N < 16 takes PyTorch's other route (double
 * pairs). */
void rng_normal(struct rng *rng, double mean, double std, float *out, size_t n);

/* nn.Linear(in, out, bias=False): WEIGHT is (out, in). */
void rng_linear(struct rng *rng, size_t in, size_t out, float *weight);

/* The keep mask of dropout(p) in training mode, as PyTorch builds without MKL draw it; p <= 0 or p >= 1 draw
 * nothing. */
void rng_dropout(struct rng *rng, double p, bool *keep, size_t n);

/* torch.arange(start, end, step) in float32, with the rounding of its 8-lane vector loop. Returns the number
 * of values; writes at most CAPACITY of them. */
size_t torch_arange(double start, double end, double step, float *out, size_t capacity);

#endif
