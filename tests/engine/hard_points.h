/* Points on which fast sums may go wrong: as spread, clustered or equal as a user's may be. */
#ifndef ATTNLAB_TESTS_ENGINE_HARD_POINTS_H
#define ATTNLAB_TESTS_ENGINE_HARD_POINTS_H

#include <stddef.h>
#include <stdint.h>

/* Where a point is put: U is uniform in [0, 1), G is normal. */
typedef double distribution(double u, double g);

distribution uniform, whole_numbers, one_outlier;

/* N points distributed as SHAPE says: X ascending; Y a wave with noise, far from 0. */
void draw_hard_points(distribution *shape, uint64_t seed, size_t n, double *x, double *y);

#endif
