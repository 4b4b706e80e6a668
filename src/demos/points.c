#include "demos/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/csv.h"
#include "data/lang.h"
#include "data/npy.h"
#include "engine/mem.h"

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void alloc_points(struct points *points, size_t n)
{
    points_free(points);
    points->n = n;
    points->n_owners = mem_new(1, sizeof *points->n_owners);
    *points->n_owners = 1;
    points->x = mem_new(n, sizeof *points->x);
    points->y = mem_new(n, sizeof *points->y);
    points->u = mem_new(n, sizeof *points->u);
    points->v = mem_new(n, sizeof *points->v);
}

/* Fills u and v from x and y. */
static void standardise(struct points *points, double x_shift, double x_scale, double y_shift, double y_scale)
{
    points->x_shift = x_shift;
    points->x_scale = x_scale;
    points->y_shift = y_shift;
    points->y_scale = y_scale * y_scale > 0 ? y_scale : 1;
    points->y_lo = points->y_hi = points->y[0];
    for (size_t i = 0; i < points->n; i++)
        points_put(points, i, points->x[i], points->y[i]);
}

void points_draw(struct points *points, struct rng *rng, size_t n, double noise, enum nw_target target)
{
    float *x = mem_new(n, sizeof *x), *eps = mem_new(n, sizeof *eps);
    rng_rand(rng, x, n);
    for (size_t i = 0; i < n; i++)
        x[i] *= 5;
    qsort(x, n, sizeof *x, compare_floats);
    rng_normal(rng, 0, noise, eps, n);

    alloc_points(points, n);
    for (size_t i = 0; i < n; i++) {
        float y = nw_target(target, x[i]) + eps[i];
        points->x[i] = (double)x[i];
        points->y[i] = (double)y;
    }
    points->has_truth = true;
    points->target = target;
    standardise(points, 0, 1, 0, 1);
    free(x);
    free(eps);
}

struct pair {
    double x, y;
    size_t place; /* keeps the file's order among equal x, whatever qsort does */
};

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->place > q->place) - (p->place < q->place);
}

static bool ascends(const double *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (x[i] < x[i - 1])
            return false;
    return true;
}

static void take_sorted(struct points *points, const struct csv_points *csv)
{
    alloc_points(points, csv->n);
    if (ascends(csv->x, csv->n)) {
        memcpy(points->x, csv->x, csv->n * sizeof *points->x);
        memcpy(points->y, csv->y, csv->n * sizeof *points->y);
        return;
    }
    struct pair *pair = mem_new(csv->n, sizeof *pair);
    for (size_t i = 0; i < csv->n; i++)
        pair[i] = (struct pair){csv->x[i], csv->y[i], i};
    qsort(pair, csv->n, sizeof *pair, compare_pairs);
    for (size_t i = 0; i < csv->n; i++) {
        points->x[i] = pair[i].x;
        points->y[i] = pair[i].y;
    }
    free(pair);
}

/* Mean of N values, and their standard deviation, without overflow for values near the largest double. */
static void moments(const double *v, size_t n, double *mean, double *deviation)
{
    double sum = 0, largest = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(v[i] - sum));
    for (size_t i = 0; i < n && largest > 0; i++) {
        double z = (v[i] - sum) / largest;
        squares += z * z;
    }
    *mean = sum;
    *deviation = largest * sqrt(squares / (double)n);
}

bool points_parse(struct points *points, const struct source *source, const char *x_column,
                  const char *y_column, struct error *error)
{
    struct csv_points csv = {0};
    if (npy_is(source->bytes, source->n))
        return error_set(error, STATUS_FAILED,
                         _("%s: a NumPy file, expected points: attnlab heatmap %s shows it"), source->name,
                         source->name);
    if (npy_is_archive(source->bytes, source->n))
        return error_set(error, STATUS_FAILED,
                         _("%s: a zip archive or a spreadsheet, expected text: save it as csv"),
                         source->name);
    if (!csv_points_parse(source->name, source->bytes, source->n, x_column, y_column, source->progress, &csv,
                          error))
        return false;
    double x_mean, x_deviation, y_mean, y_deviation;
    take_sorted(points, &csv);
    moments(points->x, points->n, &x_mean, &x_deviation);
    moments(points->y, points->n, &y_mean, &y_deviation);
    standardise(points, x_mean, x_deviation, y_mean, y_deviation);
    points->guess = csv.guess;
    csv_points_free(&csv);
    return true;
}

void points_describe(const struct points *points, struct buf *out)
{
    char text[512];
    if (points->guess.n_columns > 0)
        buf_puts(out, csv_guess_text(&points->guess, text, sizeof text));
}

void points_report(const struct points *points, struct stage *stage)
{
    if (points->guess.n_columns == 0)
        return;
    buf_printf(&stage->report, "%s: ", stage->source.name);
    points_describe(points, &stage->report);
    buf_putc(&stage->report, '\n');
}

bool points_may_change(const struct stage *stage, size_t changed, bool is_column, struct error *error)
{
    bool is_file = stage->source.name[0] != '\0';
    return is_file == is_column || error_set(error, STATUS_USAGE,
                                             is_file ? _("%s belongs to drawn points; these come from a file")
                                                     : _("%s belongs to a file's points; these are drawn"),
                                             stage->demo->params[changed].name);
}

struct points points_like(const struct points *from, size_t n)
{
    struct points to = {0}, empty = *from;
    alloc_points(&to, n);
    empty.n = n;
    empty.n_owners = to.n_owners;
    empty.x = to.x;
    empty.y = to.y;
    empty.u = to.u;
    empty.v = to.v;
    empty.y_lo = HUGE_VAL;
    empty.y_hi = -HUGE_VAL;
    return empty;
}

void points_put(struct points *points, size_t i, double x, double y)
{
    points->x[i] = x;
    points->y[i] = y;
    points->u[i] = (x - points->x_shift) / points->x_scale;
    points->v[i] = y - points->y_shift;
    points->y_lo = fmin(points->y_lo, y);
    points->y_hi = fmax(points->y_hi, y);
}

struct points points_copy(const struct points *from)
{
    if (from->n_owners)
        ++*from->n_owners;
    return *from;
}

void points_free(struct points *points)
{
    if (points->n_owners && --*points->n_owners == 0) {
        free(points->n_owners);
        free(points->x);
        free(points->y);
        free(points->u);
        free(points->v);
    }
    *points = (struct points){0};
}
