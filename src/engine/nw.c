#include "engine/nw.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "engine/exp.h"
#include "engine/mem.h"
#include "engine/twice.h"

/* Sums run in this many lanes whatever the width of the machine's registers, so that they round alike
 * everywhere. */
enum { LANES = 4, BLOCK = 256 };

#define ONE_HOT 0.999

/* A Gaussian score below -700 has weight exactly 0 (exp.h), so keys with u^2 / 2 > 700 need not be looked at.
 */
#define GAUSSIAN_REACH_2 1400.0

/* One query's point of view. All that a row sums is relative to the nearest key: its distance and its value.
 */
struct view {
    enum nw_kernel kernel;
    double w; /* |w| */
    double query;
    double x_near, y_near; /* the nearest key and its value */
    double near;           /* its distance */
    size_t left_out;
};

/* Sums over the keys: of k, k (y - y_near), and of h, h (y - y_near), where dk/dw = slope_factor h. */
struct sums {
    double k, ky, h, hy;
};

struct lanes {
    double k[LANES], ky[LANES], h[LANES], hy[LANES];
};

TWICE_BODY double min(double a, double b)
{
    return a < b ? a : b;
}

/* k = exp((near^2 - d^2) w^2 / 2), before exp. Factored, so that nothing cancels and 0 times infinity cannot
 * arise from any finite w. The left-out key may be nearer than the nearest; it counts as equally near until
 * it is struck. */
TWICE_BODY void gaussian(const struct view *v, const double *x, size_t n, double *k, double *h)
{
    for (size_t i = 0; i < n; i++) {
        const double d = fabs(x[i] - v->query);
        const double beyond = d > v->near ? d - v->near : 0;
        const double both = d + v->near;

        k[i] = -0.5 * (beyond * v->w) * min(both * v->w, DBL_MAX);
        h[i] = min(beyond * both, DBL_MAX);
    }
    exp_array(k, n);
    for (size_t i = 0; i < n; i++)
        h[i] *= k[i];
}

TWICE_BODY void boxcar(const struct view *v, const double *x, size_t n, double *k, double *h)
{
    for (size_t i = 0; i < n; i++) {
        k[i] = fabs(x[i] - v->query) * v->w < 1 ? 1 : 0;
        h[i] = 0;
    }
}

TWICE_BODY void triangular(const struct view *v, const double *x, size_t n, double *k, double *h)
{
    for (size_t i = 0; i < n; i++) {
        const double d = fabs(x[i] - v->query), u = d * v->w;

        k[i] = u < 1 ? 1 - u : 0;
        h[i] = u < 1 ? d : 0;
    }
}

TWICE_BODY void epanechnikov(const struct view *v, const double *x, size_t n, double *k, double *h)
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

TWICE_BODY void kernel_values(const struct view *v, const double *x, size_t n, double *k, double *h)
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

/* d k / d w is this times h; W with its sign. */
static double slope_factor(enum nw_kernel kernel, double w)
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

    for (; i + LANES <= n; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            add_lane(&local, lane, k[i + lane], h[i + lane], y[i + lane] - y_near);
    for (size_t lane = 0; i + lane < n; lane++)
        add_lane(&local, lane, k[i + lane], h[i + lane], y[i + lane] - y_near);
    *s = local;
}

static double across(const double lane[LANES])
{
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/* Sums over the keys FIRST .. END-1. KEEP (NULL or one value for each key of DATA) receives their k. */
TWICE_BODY struct sums sum_keys(const struct view *v, struct nw_data data, size_t first, size_t end,
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
    return (struct sums){across(s.k), across(s.ky), across(s.h), across(s.hy)};
}

typedef struct sums sum_function(const struct view *v, struct nw_data data, size_t first, size_t end,
                                 double *keep);

static struct sums sum_baseline(const struct view *v, struct nw_data data, size_t first, size_t end,
                                double *keep)
{
    return sum_keys(v, data, first, end, keep);
}

TWICE_AVX2 static struct sums sum_avx2(const struct view *v, struct nw_data data, size_t first, size_t end,
                                       double *keep)
{
    return sum_keys(v, data, first, end, keep);
}

static sum_function *choose_sum(void)
{
    return TWICE_HAVE_AVX2() ? sum_avx2 : sum_baseline;
}

/* The largest k of a row: that of its nearest key, since every kernel falls with the distance. */
static double largest_k(const struct view *v)
{
    double k = 1, h;

    kernel_values(v, &v->x_near, 1, &k, &h);
    return k;
}

static struct view look(enum nw_kernel kernel, struct nw_data data, double w, double query, size_t left_out,
                        size_t nearest)
{
    return (struct view){
        .kernel = kernel,
        .w = fabs(w),
        .query = query,
        .x_near = data.x[nearest],
        .y_near = data.y[nearest],
        .near = fabs(data.x[nearest] - query),
        .left_out = left_out,
    };
}

/* NW_NO_KEY if there is no key but LEFT_OUT. */
static size_t nearest_key(struct nw_data data, double query, size_t left_out)
{
    size_t nearest = NW_NO_KEY;

    for (size_t i = 0; i < data.n; i++)
        if (i != left_out &&
            (nearest == NW_NO_KEY || fabs(data.x[i] - query) < fabs(data.x[nearest] - query)))
            nearest = i;
    return nearest;
}

static void set_all(double *out, size_t n, double value)
{
    for (size_t i = 0; i < n; i++)
        out[i] = value;
}

/* The prediction; NaN and K all zero if no key is in reach. K (n values or NULL) receives the kernel's
 * values. */
static double predict(enum nw_kernel kernel, struct nw_data data, double w, double query, size_t left_out,
                      double *k, double *sum_k)
{
    const size_t nearest = nearest_key(data, query, left_out);
    struct view view;
    struct sums sums;

    *sum_k = 0;
    if (nearest != NW_NO_KEY) {
        view = look(kernel, data, w, query, left_out, nearest);
        *sum_k = largest_k(&view);
    }
    if (*sum_k <= 0) {
        if (k)
            set_all(k, data.n, 0);
        return nan("");
    }
    sums = choose_sum()(&view, data, 0, data.n, k);
    *sum_k = sums.k;
    return view.y_near + sums.ky / sums.k;
}

void nw_attend(enum nw_kernel kernel, struct nw_data data, double w, double query, size_t left_out,
               struct nw_row *row)
{
    double sum, squares = 0;

    row->y_hat = predict(kernel, data, w, query, left_out, row->expo, &sum);
    row->empty = sum <= 0;
    for (size_t i = 0; i < data.n; i++) {
        const double u = (query - data.x[i]) * w;

        row->score[i] = kernel == NW_GAUSSIAN ? -u * u / 2 : fabs(u);
        row->weight[i] = row->empty ? 0 : row->expo[i] / sum;
        squares += row->expo[i] * row->expo[i];
    }
    row->n_eff = row->empty ? 0 : sum * (sum / squares);
}

void nw_predict(enum nw_kernel kernel, struct nw_data data, double w, const double *query, size_t n_q,
                double *weight, double *y_hat)
{
    for (size_t q = 0; q < n_q; q++) {
        double *const row = weight ? weight + q * data.n : NULL;
        double sum;

        y_hat[q] = predict(kernel, data, w, query[q], NW_NO_KEY, row, &sum);
        for (size_t i = 0; row && sum > 0 && i < data.n; i++)
            row[i] /= sum;
    }
}

struct point {
    double x, y;
    size_t index; /* in the caller's order */
};

/* Ties keep the caller's order, or the sums would round as the C library's qsort likes. */
static int compare_points(const void *a, const void *b)
{
    const struct point *const p = a, *const q = b;

    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

static bool is_sorted(const double *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (x[i - 1] > x[i])
            return false;
    return true;
}

/* The data in ascending x, owned, with the place where each point stood. */
struct sorted {
    struct nw_data data;
    double *memory;
    size_t *index;
};

static struct sorted sort_data(struct nw_data data)
{
    struct point *points = mem_new(data.n, sizeof(*points));
    struct sorted sorted = {.memory = mem_new(2 * data.n, sizeof(double)),
                            .index = mem_new(data.n, sizeof(size_t))};

    for (size_t i = 0; i < data.n; i++)
        points[i] = (struct point){data.x[i], data.y[i], i};
    qsort(points, data.n, sizeof(*points), compare_points);
    for (size_t i = 0; i < data.n; i++) {
        sorted.memory[i] = points[i].x;
        sorted.memory[data.n + i] = points[i].y;
        sorted.index[i] = points[i].index;
    }
    sorted.data = (struct nw_data){.x = sorted.memory, .y = sorted.memory + data.n, .n = data.n};
    free(points);
    return sorted;
}

/* The nearest key of point I in sorted data: itself, or a neighbour if it is left out. */
static size_t nearest_to_point(struct nw_data data, size_t i, bool leave_one_out)
{
    if (!leave_one_out)
        return i;
    if (i == 0)
        return data.n > 1 ? 1 : NW_NO_KEY;
    if (i + 1 == data.n)
        return i - 1;
    return data.x[i] - data.x[i - 1] <= data.x[i + 1] - data.x[i] ? i - 1 : i + 1;
}

/* No key farther than this has a kernel value other than 0; a little more than that, for the rounding. */
static double reach(const struct view *v)
{
    const double margin = 1 + 1e-9;

    switch (v->kernel) {
    case NW_GAUSSIAN:
        return margin * hypot(v->near, sqrt(GAUSSIAN_REACH_2) / v->w);
    case NW_CONSTANT:
        return HUGE_VAL;
    default:
        return margin / v->w;
    }
}

/* The first of the sorted values that is at least LIMIT (or above it, if STRICT). */
static size_t lower_bound(const double *x, size_t n, double limit, bool strict)
{
    size_t first = 0, end = n;

    while (first < end) {
        const size_t middle = first + (end - first) / 2;

        if (x[middle] < limit || (strict && x[middle] == limit))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* What one training point adds to the loss. */
struct residual {
    double y_hat;
    double error;    /* y_hat - y */
    double gradient; /* d y_hat / d w */
    double top;      /* the largest weight */
    bool empty;
};

static struct residual residual(struct nw_spec spec, struct nw_data sorted, double w, size_t i,
                                sum_function *sum)
{
    const size_t nearest = nearest_to_point(sorted, i, spec.leave_one_out);
    struct view view;
    struct sums s;
    double top, far, mean;
    size_t first, end;

    if (nearest == NW_NO_KEY)
        return (struct residual){.empty = true};
    view = look(spec.kernel, sorted, w, sorted.x[i], spec.leave_one_out ? i : NW_NO_KEY, nearest);
    top = largest_k(&view);
    if (top <= 0)
        return (struct residual){.empty = true};
    far = reach(&view);
    first = lower_bound(sorted.x, i, view.query - far, false);
    end = i + lower_bound(sorted.x + i, sorted.n - i, view.query + far, true);
    s = sum(&view, sorted, first, end, NULL);
    mean = s.ky / s.k;
    return (struct residual){
        .y_hat = view.y_near + mean,
        .error = (view.y_near - sorted.y[i]) + mean,
        .gradient = slope_factor(spec.kernel, w) * ((s.hy - mean * s.h) / s.k),
        .top = top / s.k,
    };
}

static double loss_scale(enum nw_loss loss, size_t n)
{
    switch (loss) {
    case NW_LOSS_HALF:
        return 0.5;
    case NW_LOSS_MEAN:
        return n > 0 ? 1 / (double)n : 0;
    default:
        return 1;
    }
}

static struct nw_loss_value loss_sorted(struct nw_spec spec, struct nw_data sorted, double w,
                                        const size_t *index, double *y_hat)
{
    sum_function *const sum = choose_sum();
    struct nw_loss_value value = {0};
    double scale;

    for (size_t i = 0; i < sorted.n; i++) {
        const struct residual r = residual(spec, sorted, w, i, sum);

        if (y_hat)
            y_hat[index ? index[i] : i] = r.empty ? nan("") : r.y_hat;
        if (r.empty) {
            value.n_empty++;
            continue;
        }
        value.loss += r.error * r.error;
        value.gradient += 2 * r.error * r.gradient;
        value.n_one_hot += r.top > ONE_HOT;
    }
    scale = loss_scale(spec.loss, sorted.n - value.n_empty);
    value.loss *= scale;
    value.gradient *= scale;
    return value;
}

/* Sorted data as it is, else a sorted copy. */
static struct sorted in_order(struct nw_data data)
{
    return is_sorted(data.x, data.n) ? (struct sorted){.data = data} : sort_data(data);
}

static void sorted_free(struct sorted *sorted)
{
    free(sorted->memory);
    free(sorted->index);
}

struct nw_loss_value nw_loss(struct nw_spec spec, struct nw_data data, double w, double *y_hat)
{
    struct sorted sorted = in_order(data);
    const struct nw_loss_value value = loss_sorted(spec, sorted.data, w, sorted.index, y_hat);

    sorted_free(&sorted);
    return value;
}

/* A loss over few points is no better than one over more of them: fewer empty points come first. */
static bool better(struct nw_loss_value a, struct nw_loss_value b)
{
    return a.n_empty != b.n_empty ? a.n_empty < b.n_empty : a.loss < b.loss;
}

/* Golden section: the least loss within log w in [LO, HI], which holds one minimum. */
static double refine(struct nw_spec spec, struct nw_data sorted, double lo, double hi)
{
    enum {
        CUTS = 40
    }; /* 0.618^40 = 4e-9: a minimum is not known better than to the square root of the precision */
    const double golden = 0.6180339887498949;
    double left = hi - golden * (hi - lo), right = lo + golden * (hi - lo);
    struct nw_loss_value at_left = loss_sorted(spec, sorted, exp(left), NULL, NULL);
    struct nw_loss_value at_right = loss_sorted(spec, sorted, exp(right), NULL, NULL);

    for (int cut = 0; cut < CUTS; cut++) {
        if (better(at_right, at_left)) {
            lo = left;
            left = right;
            at_left = at_right;
            right = lo + golden * (hi - lo);
            at_right = loss_sorted(spec, sorted, exp(right), NULL, NULL);
        } else {
            hi = right;
            right = left;
            at_right = at_left;
            left = hi - golden * (hi - lo);
            at_left = loss_sorted(spec, sorted, exp(left), NULL, NULL);
        }
    }
    return better(at_right, at_left) ? right : left;
}

double nw_best_w(struct nw_spec spec, struct nw_data data, double lo, double hi)
{
    enum { STEPS = 96 };
    struct sorted sorted = in_order(data);
    const double first = log(lo), step = (log(hi) - first) / STEPS;
    struct nw_loss_value least = {0};
    int best = 0;
    double w;

    for (int i = 0; i <= STEPS; i++) {
        const struct nw_loss_value value = loss_sorted(spec, sorted.data, exp(first + i * step), NULL, NULL);

        if (i == 0 || better(value, least)) {
            least = value;
            best = i;
        }
    }
    w = exp(refine(spec, sorted.data, first + (best > 0 ? best - 1 : 0) * step,
                   first + (best < STEPS ? best + 1 : STEPS) * step));
    if (!better(loss_sorted(spec, sorted.data, w, NULL, NULL), least))
        w = exp(first + best * step);
    sorted_free(&sorted);
    return w;
}

/* Computed in double and rounded once, within an ulp of what PyTorch's vector library gives. */
float nw_target(enum nw_target target, float x)
{
    const double exponent = (double)0.8f;
    const float wave = 2 * (float)sin((double)x);

    return wave + (target == NW_TARGET_POWER ? (float)pow((double)x, exponent) : x);
}
