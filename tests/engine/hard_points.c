#include "hard_points.h"

#include <math.h>
#include <stdlib.h>

#include "engine/mem.h"
#include "engine/rng.h"

double uniform(double u, double g)
{
    (void)g;
    return 5 * u;
}

double whole_numbers(double u, double g)
{
    (void)g;
    return floor(30 * u);
}

double one_outlier(double u, double g)
{
    (void)g;
    return u < 0.999 ? u : 1e12 * u;
}

static int compare_doubles(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;

    return p < q ? -1 : p > q;
}

void draw_hard_points(distribution *shape, uint64_t seed, size_t n, double *x, double *y)
{
    float *const u = mem_new(3 * n, sizeof(float)), *const g = u + n, *const noise = g + n;
    struct rng rng;

    rng_seed(&rng, seed, RNG_PATH_AVX2);
    rng_rand(&rng, u, n);
    rng_normal(&rng, 0, 1, g, n);
    rng_normal(&rng, 0, 0.5, noise, n);
    for (size_t i = 0; i < n; i++)
        x[i] = shape((double)u[i], (double)g[i]);
    qsort(x, n, sizeof(double), compare_doubles);
    for (size_t i = 0; i < n; i++)
        y[i] = 100 + 2 * sin(x[i]) + (double)noise[i];
    free(u);
}
