#include "engine/exp.h"

#include <stdint.h>
#include <string.h>

#include "engine/twice.h"

/* Below this the result is 0: well before exp leaves the normal numbers, so that the exponent needs no care.
 */
#define SMALLEST (-700.0)

/* Added to a number of less than 2^51, this leaves its nearest integer in the sum's low bits. */
#define ROUNDER 0x1.8p52

#define LOG2_E 0x1.71547652b82fep+0
#define LN2_HI 0x1.62e42fee00000p-1 /* 32 bits: exact in a product with an integer below 2^21 */
#define LN2_LO 0x1.a39ef35793c76p-33

/* (exp(r) - 1 - r) / r^2 on |r| <= ln 2 / 2: the Chebyshev interpolant of degree 9, off by at most 1.1e-16.
 */
TWICE_BODY double tail(double r)
{
    double p = 0x1.af38a9b0ec855p-26;

    p = p * r + 0x1.289185613a3d6p-22;
    p = p * r + 0x1.71de0dae63bb3p-19;
    p = p * r + 0x1.a019b90d2ae7ap-16;
    p = p * r + 0x1.a01a01a7c41d5p-13;
    p = p * r + 0x1.6c16c1788bd90p-10;
    p = p * r + 0x1.11111111109b3p-7;
    p = p * r + 0x1.5555555553d63p-5;
    p = p * r + 0x1.5555555555556p-3;
    p = p * r + 0x1.0000000000001p-1;
    return p;
}

/* exp(x) = 2^k exp(r) with k = round(x / ln 2) and |r| <= ln 2 / 2; no branch, so that the loop vectorises.
 */
TWICE_BODY double exp_one(double x)
{
    const double clamped = x < SMALLEST ? SMALLEST : x;
    const double shifted = clamped * LOG2_E + ROUNDER;
    const double k = shifted - ROUNDER;
    const double r = (clamped - k * LN2_HI) - k * LN2_LO;
    const double mantissa = 1 + (r + r * r * tail(r));
    uint64_t bits;
    double power;

    memcpy(&bits, &shifted, sizeof(bits));
    bits = (bits + 1023) << 52;
    memcpy(&power, &bits, sizeof(power));
    return x < SMALLEST ? 0 : mantissa * power;
}

TWICE_BODY void exp_all(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = exp_one(x[i]);
}

static void exp_baseline(double *x, size_t n)
{
    exp_all(x, n);
}

TWICE_AVX2 static void exp_avx2(double *x, size_t n)
{
    exp_all(x, n);
}

void exp_array(double *x, size_t n)
{
    (TWICE_HAVE_AVX2() ? exp_avx2 : exp_baseline)(x, n);
}
