/* Axes: from values to places, ranges, and the round numbers that axes carry. */
#ifndef ATTNLAB_DRAW_AXIS_H
#define ATTNLAB_DRAW_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum scale {
    SCALE_LINEAR,
    SCALE_LOG,   /* lo > 0 */
    SCALE_ASINH, /* linear near 0 (within KNEE), logarithmic beyond, both signs */
};

struct axis {
    double lo, hi; /* finite; ends equal to 12 digits are widened */
    enum scale scale;
    double knee;       /* SCALE_ASINH only, > 0 */
    const char *label; /* may be NULL */
    bool whole;        /* ticks at whole numbers only */
};

/* AXIS with ends that can be drawn: lo < hi, both finite, both positive on a log scale. What is unfit (an
 * empty range, equal ends) is replaced as range_pad does. */
struct axis axis_sound(const struct axis *axis);

/* Where V lies between the axis' ends, 0 to 1 (outside too). NaN stays NaN. */
double axis_place(const struct axis *axis, double v);

enum { TICKS_MAX = 16 };

struct ticks {
    int n;
    double at[TICKS_MAX];
    char text[TICKS_MAX][16]; /* on a linear scale all with the same decimals */
};

/* At most MOST (>= 2) round numbers within the axis, 1-2-5 steps (1-2-5 per decade on log and asinh,
 * thinned). Where the steps that fit give fewer than two, the outermost two of the finer step. */
struct ticks axis_ticks(const struct axis *axis, int most);

/* As axis_ticks, for a linear axis CELLS character cells long: where stretching the upper end by an eighth at
 * most puts the ticks a whole number of cells apart, *AXIS is stretched so. */
struct ticks axis_ticks_even(struct axis *axis, int most, double cells);

/* Extends [*LO, *HI] over the finite values of V. Start with lo > hi (an empty range). */
void range_over(double *lo, double *hi, const double *v, size_t n);

/* Widens a range by FRACTION of its length at both ends; an empty one becomes 0..1, a single point v becomes
 * v -+ max(|v|, 1) / 2. */
void range_pad(double *lo, double *hi, double fraction);

#endif
