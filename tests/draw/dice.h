/* Random numbers for tests that try many inputs: the same ones every time, and no business of the program's
 * own generator. */
#ifndef ATTNLAB_TESTS_DICE_H
#define ATTNLAB_TESTS_DICE_H

#include <math.h>
#include <stdint.h>

static inline uint32_t dice_next(uint64_t *dice)
{
    *dice = *dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*dice >> 32);
}

/* 0 .. N-1 */
static inline int dice_below(uint64_t *dice, int n)
{
    return (int)(dice_next(dice) % (uint32_t)n);
}

/* [0, 1) */
static inline double dice_real(uint64_t *dice)
{
    return dice_next(dice) / 0x1p32;
}

/* Of either sign and any size from 10^-MOST to 10^MOST. */
static inline double dice_wild(uint64_t *dice, double most)
{
    return (2 * dice_real(dice) - 1) * pow(10, most * (2 * dice_real(dice) - 1));
}

#endif
