#include "engine/nw_windows.h"

#include <math.h>
#include <stdlib.h>

#include "engine/mem.h"

enum {
    FEW_POINTS = 500, /* so few need no help, and pairs are right to the last digit */
    FEW_KEYS = 32,    /* in a window: pairs are as quick */
    POWERS = 3,
};

/* A sum below this part of the number of keys is of keys at the edge, whose rounding would be visible. */
#define LEAST_PART 1e-2

/* Of x and y, beyond which their products might overflow. */
#define LARGEST 1e60

/* Of the range of x to the kernel's width: x - origin has been rounded, which more would make visible. */
#define MOST_WIDTHS 1e4

/* a + b and its rounding error (Knuth). */
static struct nw_long two_sum(double a, double b)
{
    const double sum = a + b, part = sum - a;

    return (struct nw_long){sum, (a - (sum - part)) + (b - part)};
}

/* a b and its rounding error (Dekker), without the fused operation that not every machine has. */
static struct nw_long two_product(double a, double b)
{
    const double splitter = 0x1p27 + 1, product = a * b;
    const double big_a = splitter * a, big_b = splitter * b;
    const double a_hi = big_a - (big_a - a), a_lo = a - a_hi;
    const double b_hi = big_b - (big_b - b), b_lo = b - b_hi;

    return (struct nw_long){product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

static struct nw_long add(struct nw_long a, struct nw_long b)
{
    const struct nw_long hi = two_sum(a.hi, b.hi), lo = two_sum(a.lo, b.lo);
    const struct nw_long sum = two_sum(hi.hi, hi.lo + lo.hi);

    return two_sum(sum.hi, sum.lo + lo.lo);
}

static struct nw_long scale(struct nw_long a, double by)
{
    const struct nw_long product = two_product(a.hi, by);

    return two_sum(product.hi, product.lo + a.lo * by);
}

static struct nw_long minus(struct nw_long a, struct nw_long b)
{
    return add(a, (struct nw_long){-b.hi, -b.lo});
}

static double rounded(struct nw_long a)
{
    return a.hi + a.lo;
}

/* The mean; exactly the value itself if all are equal. */
static double mean_of(const double *v, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += v[i] - v[0];
    return v[0] + sum / (double)n;
}

static double farthest(const double *v, size_t n, double from)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(v[i] - from));
    return most;
}

static bool has_digits(const struct nw_windows *windows)
{
    const struct nw_data data = windows->sorted;
    const double x = farthest(data.x, data.n, windows->origin);
    const double y = farthest(data.y, data.n, windows->middle);

    return x < LARGEST && y < LARGEST && x * fabs(windows->w) < MOST_WIDTHS;
}

static struct nw_running *running_sums(const struct nw_windows *windows)
{
    const struct nw_data data = windows->sorted;
    struct nw_running *const running = mem_new(data.n + 1, sizeof(*running));

    running[0] = (struct nw_running){0};
    for (size_t i = 0; i < data.n; i++) {
        const double x = data.x[i] - windows->origin, y = data.y[i] - windows->middle;
        struct nw_long power = {1, 0};

        for (size_t p = 0; p < POWERS; p++) {
            running[i + 1].x[p] = add(running[i].x[p], power);
            running[i + 1].xy[p] = add(running[i].xy[p], scale(power, y));
            power = scale(power, x);
        }
    }
    return running;
}

struct nw_windows nw_windows_new(enum nw_kernel kernel, struct nw_data sorted, double w)
{
    /* Average pooling is a boxcar that reaches everything. */
    struct nw_windows windows = {.kernel = kernel, .w = kernel == NW_CONSTANT ? 0 : w, .sorted = sorted};

    if (kernel == NW_GAUSSIAN || sorted.n < FEW_POINTS)
        return windows;
    windows.origin = sorted.x[sorted.n / 2];
    windows.middle = mean_of(sorted.y, sorted.n);
    if (has_digits(&windows))
        windows.running = running_sums(&windows);
    return windows;
}

/* As the kernels themselves decide, to the last bit. */
static bool is_within(const struct nw_windows *windows, size_t key, double query)
{
    return fabs(windows->sorted.x[key] - query) * fabs(windows->w) < 1;
}

/* Both ends only ever move on, for the query does. */
static void move_to(struct nw_windows *windows, size_t i)
{
    const double query = windows->sorted.x[i];

    if (windows->end <= i)
        windows->end = i + 1;
    while (windows->end < windows->sorted.n && is_within(windows, windows->end, query))
        windows->end++;
    while (!is_within(windows, windows->first, query))
        windows->first++;
}

/* What the running sums grow by from one point to another. */
static struct nw_running between(const struct nw_windows *windows, size_t first, size_t end)
{
    const struct nw_running *const a = &windows->running[first], *const b = &windows->running[end];
    struct nw_running grown;

    for (size_t p = 0; p < POWERS; p++) {
        grown.x[p] = minus(b->x[p], a->x[p]);
        grown.xy[p] = minus(b->xy[p], a->xy[p]);
    }
    return grown;
}

/* sum (x - q), from sums of powers of x. */
static struct nw_long beyond(const struct nw_long power[POWERS], double q)
{
    return minus(power[1], scale(power[0], q));
}

/* sum (x - q)^2 = sum x (x - q) - q sum (x - q). */
static struct nw_long squared(const struct nw_long power[POWERS], double q)
{
    return minus(minus(power[2], scale(power[1], q)), scale(beyond(power, q), q));
}

static struct nw_sums boxcar(const struct nw_windows *windows)
{
    const struct nw_running in = between(windows, windows->first, windows->end);

    return (struct nw_sums){.k = rounded(in.x[0]), .ky = rounded(in.xy[0])};
}

/* The distance is x - q on the right and q - x on the left. */
static struct nw_sums triangular(const struct nw_windows *windows, size_t i, double q)
{
    const struct nw_running left = between(windows, windows->first, i),
                            right = between(windows, i, windows->end);
    const double w = fabs(windows->w);
    const struct nw_long h = minus(beyond(right.x, q), beyond(left.x, q)),
                         hy = minus(beyond(right.xy, q), beyond(left.xy, q));

    return (struct nw_sums){
        .k = rounded(minus(add(left.x[0], right.x[0]), scale(h, w))),
        .ky = rounded(minus(add(left.xy[0], right.xy[0]), scale(hy, w))),
        .h = rounded(h),
        .hy = rounded(hy),
    };
}

static struct nw_sums epanechnikov(const struct nw_windows *windows, double q)
{
    const struct nw_running in = between(windows, windows->first, windows->end);
    const double w = fabs(windows->w);
    const struct nw_long h = squared(in.x, q), hy = squared(in.xy, q);

    return (struct nw_sums){
        .k = rounded(minus(in.x[0], scale(scale(h, w), w))),
        .ky = rounded(minus(in.xy[0], scale(scale(hy, w), w))),
        .h = rounded(h),
        .hy = rounded(hy),
    };
}

bool nw_window_sums(struct nw_windows *windows, size_t i, bool left_out, struct nw_sums *sums)
{
    const double q = windows->sorted.x[i] - windows->origin;
    size_t n;

    move_to(windows, i);
    n = windows->end - windows->first;
    if (n < FEW_KEYS)
        return false;
    if (windows->kernel == NW_TRIANGULAR)
        *sums = triangular(windows, i, q);
    else
        *sums = windows->kernel == NW_EPANECHNIKOV ? epanechnikov(windows, q) : boxcar(windows);
    if (left_out) { /* at distance 0 */
        sums->k -= 1;
        sums->ky -= windows->sorted.y[i] - windows->middle;
    }
    return sums->k >= LEAST_PART * (double)n;
}

void nw_windows_free(struct nw_windows *windows)
{
    free(windows->running);
    *windows = (struct nw_windows){0};
}
