#include "engine/rng.h"

#include <math.h>
#include <string.h>

#include "engine/twice.h"

enum { WORDS = 624, AHEAD = 397, BLOCK = 16 };

#define TWO_PI 6.283185307179586

/* Checked bit for bit against PyTorch 1.13: the words, rand, normal of both paths, linear, dropout (a build
 * without MKL; builds with MKL draw another mask), arange (scalar and AVX2 builds). */

void rng_seed(struct rng *rng, uint64_t seed, enum rng_path path)
{
    *rng = (struct rng){.next = WORDS, .path = path};
    rng->state[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < WORDS; i++) {
        const uint32_t before = rng->state[i - 1];

        rng->state[i] = 1812433253u * (before ^ before >> 30) + i;
    }
}

static uint32_t renewed(uint32_t word, uint32_t next, uint32_t ahead)
{
    const uint32_t joined = (word & 0x80000000u) | (next & 0x7fffffffu);

    return ahead ^ joined >> 1 ^ (joined & 1 ? 0x9908b0dfu : 0);
}

/* The MT19937 recurrence, for all words at once; in pieces, for a remainder at each word would cost more than
 * the rest. */
static void renew(struct rng *rng)
{
    uint32_t *const s = rng->state;

    for (unsigned i = 0; i < WORDS - AHEAD; i++)
        s[i] = renewed(s[i], s[i + 1], s[i + AHEAD]);
    for (unsigned i = WORDS - AHEAD; i < WORDS - 1; i++)
        s[i] = renewed(s[i], s[i + 1], s[i + AHEAD - WORDS]);
    s[WORDS - 1] = renewed(s[WORDS - 1], s[0], s[AHEAD - 1]);
    rng->next = 0;
}

uint32_t rng_u32(struct rng *rng)
{
    uint32_t word;

    if (rng->next >= WORDS)
        renew(rng);
    word = rng->state[rng->next++];
    word ^= word >> 11;
    word ^= word << 7 & 0x9d2c5680u;
    word ^= word << 15 & 0xefc60000u;
    return word ^ word >> 18;
}

uint64_t rng_u64(struct rng *rng)
{
    const uint64_t high = rng_u32(rng);

    return high << 32 | rng_u32(rng);
}

static float uniform_float(struct rng *rng)
{
    return (float)(rng_u32(rng) & 0xffffffu) * 0x1p-24f;
}

static double uniform_double(struct rng *rng)
{
    return (double)(rng_u64(rng) & ((UINT64_C(1) << 53) - 1)) * 0x1p-53;
}

void rng_rand(struct rng *rng, float *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = uniform_float(rng);
}

void rng_uniform(struct rng *rng, double lo, double hi, float *out, size_t n)
{
    const float low = (float)lo, range = (float)hi - low;

    for (size_t i = 0; i < n; i++) {
        const float u = uniform_float(rng);

        out[i] = rng->path == RNG_PATH_AVX2 ? fmaf(u, range, low) : u * range + low;
    }
}

/* x = m 2^e with 1/2 <= m < 1, as frexpf gives it, for a normal x > 0; without a branch, so that loops
 * vectorise. */
TWICE_BODY float split(float x, float *e)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    *e = (float)((int32_t)(bits >> 23) - 126);
    bits = (bits & 0x7fffffu) | 0x3f000000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* log x in single precision by Cephes' polynomial for a normal x > 0, contracted as gcc does it for PyTorch's
 * AVX2 file. */
TWICE_BODY float cephes_log(float x)
{
    float y = 7.0376836292e-2f, z, e;

    x = split(x, &e);
    const bool is_small = x < 0.707106781186547524f;
    e = is_small ? e - 1 : e;
    x = is_small ? (x - 1) + x : x - 1;
    z = x * x;
    y = fmaf(y, x, -1.1514610310e-1f);
    y = fmaf(y, x, 1.1676998740e-1f);
    y = fmaf(y, x, -1.2420140846e-1f);
    y = fmaf(y, x, 1.4249322787e-1f);
    y = fmaf(y, x, -1.6668057665e-1f);
    y = fmaf(y, x, 2.0000714765e-1f);
    y = fmaf(y, x, -2.4999993993e-1f);
    y = fmaf(y, x, 3.3333331174e-1f);
    y *= x;
    y = fmaf(y, z, e * -2.12194440e-4f);
    y = fmaf(-z, 0.5f, y);
    return fmaf(e, 0.693359375f, x + y);
}

/* sin x and cos x for x >= 0, likewise. */
TWICE_BODY void cephes_sincos(float x, float *sine, float *cosine)
{
    const int octant = ((int)(x * 1.27323954473516f) + 1) & ~1;
    const float k = (float)octant;
    float z, c = 2.443315711809948e-5f, s = -1.9515295891e-4f;

    x = fmaf(k, -0.78515625f, x);
    x = fmaf(k, -2.4187564849853515625e-4f, x);
    x = fmaf(k, -3.77489497744594108e-8f, x);
    z = x * x;
    c = fmaf(c, z, -1.388731625493765e-3f);
    c = fmaf(c, z, 4.166664568298827e-2f);
    c *= z;
    c = fmaf(c, z, -(z * 0.5f)) + 1;
    s = fmaf(s, z, 8.3321608736e-3f);
    s = fmaf(s, z, -1.6666654611e-1f);
    s *= z;
    s = fmaf(s, x, x);
    const float by_sine = octant & 2 ? c : s, by_cosine = octant & 2 ? s : c;
    *sine = octant & 4 ? -by_sine : by_sine;
    *cosine = (octant - 2) & 4 ? by_cosine : -by_cosine;
}

/* Box-Muller on 16 uniforms in place: the first eight give the radius, the others the angle. */
TWICE_BODY void cephes_block(float mean, float std, float d[BLOCK])
{
#pragma omp simd
    for (int j = 0; j < BLOCK / 2; j++) {
        float sine, cosine;
        const float radius = sqrtf(-2 * cephes_log(1 - d[j]));

        cephes_sincos((float)TWO_PI * d[j + BLOCK / 2], &sine, &cosine);
        d[j] = fmaf(radius * cosine, std, mean);
        d[j + BLOCK / 2] = fmaf(radius * sine, std, mean);
    }
}

static void cephes_block_baseline(float mean, float std, float d[BLOCK])
{
    cephes_block(mean, std, d);
}

TWICE_AVX2_FMA static void cephes_block_fma(float mean, float std, float d[BLOCK])
{
    cephes_block(mean, std, d);
}

static void libm_block(float mean, float std, float d[BLOCK])
{
    for (int j = 0; j < BLOCK / 2; j++) {
        const float u1 = 1 - d[j], u2 = d[j + BLOCK / 2];
        const float radius = sqrtf(-2 * logf(u1)), theta = (float)(TWO_PI * (double)u2);

        d[j] = radius * cosf(theta) * std + mean;
        d[j + BLOCK / 2] = radius * sinf(theta) * std + mean;
    }
}

static void normal_block(enum rng_path path, float mean, float std, float d[BLOCK])
{
    if (path != RNG_PATH_AVX2)
        libm_block(mean, std, d);
    else
        (TWICE_HAVE_FMA() ? cephes_block_fma : cephes_block_baseline)(mean, std, d);
}

/* PyTorch's route for fewer than 16 values: pairs in double, the second kept for the next draw. */
static double normal_small(struct rng *rng)
{
    double u1, u2, radius;

    if (rng->has_normal) {
        rng->has_normal = false;
        return rng->normal;
    }
    u1 = uniform_double(rng);
    u2 = uniform_double(rng);
    radius = sqrt(-2 * log1p(-u2));
    rng->normal = radius * sin(TWO_PI * u1);
    rng->has_normal = true;
    return radius * cos(TWO_PI * u1);
}

void rng_normal(struct rng *rng, double mean, double std, float *out, size_t n)
{
    if (n < BLOCK) {
        for (size_t i = 0; i < n; i++)
            out[i] = (float)(normal_small(rng) * std + mean);
        return;
    }
    rng_rand(rng, out, n);
    for (size_t i = 0; i + BLOCK <= n; i += BLOCK)
        normal_block(rng->path, (float)mean, (float)std, out + i);
    if (n % BLOCK != 0) {
        rng_rand(rng, out + n - BLOCK, BLOCK);
        normal_block(rng->path, (float)mean, (float)std, out + n - BLOCK);
    }
}

/* kaiming_uniform_ with a = sqrt(5): in exact arithmetic the bound is 1 / sqrt(in); PyTorch's order of
 * operations decides its last bit. */
void rng_linear(struct rng *rng, size_t in, size_t out, float *weight)
{
    const double gain = sqrt(2.0 / (1 + 5));
    const double bound = sqrt(3.0) * (gain / sqrt((double)in));

    rng_uniform(rng, -bound, bound, weight, in * out);
}

void rng_dropout(struct rng *rng, double p, bool *keep, size_t n)
{
    for (size_t i = 0; i < n; i++)
        keep[i] = p <= 0 || (p < 1 && uniform_double(rng) < 1 - p);
}

/* PyTorch takes two vectors at a time while both fit; each counts from its own first value, rounded to
 * float32. */
size_t torch_arange(double start, double end, double step, float *out, size_t capacity)
{
    enum { LANES = 8 };
    const double length = ceil((end - start) / step);
    const size_t n = length > 0 && length < 0x1p53 ? (size_t)length : 0;
    const size_t vectored = n - n % (2 * LANES);

    for (size_t i = 0; i < n && i < capacity; i++) {
        const size_t lane = i < vectored ? i % LANES : 0;
        const float base = (float)(start + step * (double)(i - lane));

        out[i] = lane > 0 ? (float)((double)base + (double)lane * step) : base;
    }
    return n;
}
