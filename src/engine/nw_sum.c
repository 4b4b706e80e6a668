#include "engine/nw_sum.h"

#include <float.h>
#include <math.h>

#include "engine/exp.h"
#include "engine/twice.h"

/* Sums run in this many lanes whatever the width of the machine's registers, so that they round alike
 * everywhere. */
enum { LANES = 4, BLOCK = 256 };

/* Keys with u^2 above this, beyond the nearest one's, weigh less than exp(-50) of it: all of them together
 * are lost in the rounding of the sums. */
#define GAUSSIAN_REACH_2 100.0

struct lanes {
    double k[LANES], ky[LANES], h[LANES], hy[LANES];
};

TWICE_BODY double min(double a, double b)
{
    return a < b ? a : b;
}

TWICE_BODY double max(double a, double b)
{
    return a > b ? a : b;
}

/* k = exp((near^2 - d^2) w^2 / 2), before exp. The difference is taken as a product in which the keys meet
 * before the query comes in: however far away that is, it keeps what tells them apart. The left-out key may
 * be nearer than the nearest; it counts as equally near until it is struck. Factors are bounded lest 0 times
 * infinity arise from any finite w. */
TWICE_BODY void gaussian(const struct nw_view *v, const double *x, size_t n, double *k, double *h)
{
    for (size_t i = 0; i < n; i++) {
        const double apart = x[i] - v->x_near;
        const double around = (x[i] - v->query) + (v->x_near - v->query);
        const double between = fabs(apart);
        const double both = max(apart < 0 ? -around : around, 0);

        k[i] = -0.5 * min(between * v->w, DBL_MAX) * min(both * v->w, DBL_MAX);
        h[i] = min(between * both, DBL_MAX);
    }
    exp_array(k, n);
    for (size_t i = 0; i < n; i++)
        h[i] *= k[i];
}

TWICE_BODY void boxcar(const struct nw_view *v, const double *x, size_t n, double *k, double *h)
{
    for (size_t i = 0; i < n; i++) {
        k[i] = fabs(x[i] - v->query) * v->w < 1 ? 1 : 0;
        h[i] = 0;
    }
}

TWICE_BODY void triangular(const struct nw_view *v, const double *x, size_t n, double *k, double *h)
{
    for (size_t i = 0; i < n; i++) {
        const double d = fabs(x[i] - v->query), u = d * v->w;

        k[i] = u < 1 ? 1 - u : 0;
        h[i] = u < 1 ? d : 0;
    }
}

TWICE_BODY void epanechnikov(const struct nw_view *v, const double *x, size_t n, double *k, double *h)
{
    for (size_t i = 0; i < n; i++) {
        const double d = fabs(x[i] - v->query), u = d * v->w;

        k[i] = u < 1 ? (1 - u) * (1 + u) : 0;
        h[i] = u < 1 ? d * d : 0;
    }
}

TWICE_BODY void constant(size_t n, double *k, double *h)
{
    for (size_t i = 0; i < n; i++) {
        k[i] = 1;
        h[i] = 0;
    }
}

TWICE_BODY void kernel_values(const struct nw_view *v, const double *x, size_t n, double *k, double *h)
{
    switch (v->kernel) {
    case NW_GAUSSIAN:
        gaussian(v, x, n, k, h);
        break;
    case NW_BOXCAR:
        boxcar(v, x, n, k, h);
        break;
    case NW_TRIANGULAR:
        triangular(v, x, n, k, h);
        break;
    case NW_EPANECHNIKOV:
        epanechnikov(v, x, n, k, h);
        break;
    case NW_CONSTANT:
    case NW_KERNELS:
        constant(n, k, h);
        break;
    }
}

TWICE_BODY void add_lane(struct lanes *s, size_t lane, double k, double h, double dy)
{
    s->k[lane] += k;
    s->ky[lane] += k * dy;
    s->h[lane] += h;
    s->hy[lane] += h * dy;
}

TWICE_BODY void add_block(struct lanes *s, const double *k, const double *h, const double *y, double y_near,
                          size_t n)
{
    struct lanes local = *s; /* in registers: the stores to *s could alias the arrays */
    size_t i = 0;

    for (; i + LANES <= n; i += LANES) {
#pragma omp simd
        for (size_t lane = 0; lane < LANES; lane++)
            add_lane(&local, lane, k[i + lane], h[i + lane], y[i + lane] - y_near);
    }
    for (size_t lane = 0; i + lane < n; lane++)
        add_lane(&local, lane, k[i + lane], h[i + lane], y[i + lane] - y_near);
    *s = local;
}

static double across(const double lane[LANES])
{
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

TWICE_BODY struct nw_sums sum_keys(const struct nw_view *v, struct nw_data data, size_t first, size_t end,
                                   double *keep)
{
    double k[BLOCK], h[BLOCK];
    struct lanes s = {{0}, {0}, {0}, {0}};

    for (size_t at = first; at < end; at += BLOCK) {
        const size_t n = end - at < BLOCK ? end - at : BLOCK;

        kernel_values(v, data.x + at, n, k, h);
        if (v->left_out >= at && v->left_out < at + n)
            k[v->left_out - at] = h[v->left_out - at] = 0;
        add_block(&s, k, h, data.y + at, v->y_near, n);
        for (size_t i = 0; keep && i < n; i++)
            keep[at + i] = k[i];
    }
    return (struct nw_sums){across(s.k), across(s.ky), across(s.h), across(s.hy)};
}

static struct nw_sums sum_baseline(const struct nw_view *v, struct nw_data data, size_t first, size_t end,
                                   double *keep)
{
    return sum_keys(v, data, first, end, keep);
}

TWICE_AVX2 static struct nw_sums sum_avx2(const struct nw_view *v, struct nw_data data, size_t first,
                                          size_t end, double *keep)
{
    return sum_keys(v, data, first, end, keep);
}

struct nw_sums nw_sum(const struct nw_view *view, struct nw_data data, size_t first, size_t end, double *keep)
{
    return (TWICE_HAVE_AVX2() ? sum_avx2 : sum_baseline)(view, data, first, end, keep);
}

double nw_largest_k(const struct nw_view *view)
{
    double k = 1, h;

    if (view->kernel != NW_GAUSSIAN) /* whose k are relative to this one */
        kernel_values(view, &view->x_near, 1, &k, &h);
    return k;
}

/* A little more than the exact distance, for the rounding. */
double nw_reach(const struct nw_view *view)
{
    const double margin = 1 + 1e-9;

    switch (view->kernel) {
    case NW_GAUSSIAN:
        return margin * hypot(view->near, sqrt(GAUSSIAN_REACH_2) / view->w);
    case NW_CONSTANT:
        return HUGE_VAL;
    default:
        return margin / view->w;
    }
}

struct nw_view nw_look(enum nw_kernel kernel, struct nw_data data, double w, double query, size_t left_out,
                       size_t nearest)
{
    return (struct nw_view){
        .kernel = kernel,
        .w = fabs(w),
        .query = query,
        .x_near = data.x[nearest],
        .y_near = data.y[nearest],
        .near = fabs(data.x[nearest] - query),
        .left_out = left_out,
    };
}

double nw_slope_factor(enum nw_kernel kernel, double w)
{
    switch (kernel) {
    case NW_GAUSSIAN:
        return -w;
    case NW_TRIANGULAR:
        return w == 0 ? 0 : -copysign(1, w);
    case NW_EPANECHNIKOV:
        return -2 * w;
    default:
        return 0;
    }
}
