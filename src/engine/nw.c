#include "engine/nw.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "engine/mem.h"
#include "engine/nw_boxes.h"
#include "engine/nw_sum.h"
#include "engine/nw_windows.h"

#define ONE_HOT 0.999

/* Whether A is nearer to QUERY than B, told by the sign of a product rather than by two distances, which from
 * far away are the same number. */
static bool is_nearer(double a, double b, double query)
{
    const double around = (a - query) + (b - query);

    return (a < b && around > 0) || (a > b && around < 0);
}

/* NW_NO_KEY if there is no key but LEFT_OUT. */
static size_t nearest_key(struct nw_data data, double query, size_t left_out)
{
    size_t nearest = NW_NO_KEY;

    for (size_t i = 0; i < data.n; i++)
        if (i != left_out && (nearest == NW_NO_KEY || is_nearer(data.x[i], data.x[nearest], query)))
            nearest = i;
    return nearest;
}

static void set_all(double *out, size_t n, double value)
{
    for (size_t i = 0; i < n; i++)
        out[i] = value;
}

/* The prediction; NaN if no key is in reach. K (n values) receives the kernel's values, SUM_K their sum. */
static double predict(enum nw_kernel kernel, struct nw_data data, double w, double query, size_t left_out,
                      double *k, double *sum_k)
{
    const size_t nearest = nearest_key(data, query, left_out);
    struct nw_view view = {0};
    struct nw_sums sums;

    *sum_k = 0;
    if (nearest != NW_NO_KEY) {
        view = nw_look(kernel, data, w, query, left_out, nearest);
        *sum_k = nw_largest_k(&view);
    }
    if (*sum_k <= 0) {
        set_all(k, data.n, 0);
        return nan("");
    }
    sums = nw_sum(&view, data, 0, data.n, k);
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

        row->score[i] = kernel == NW_GAUSSIAN ? fmax(-u * u / 2, -DBL_MAX) : fmin(fabs(u), DBL_MAX);
        row->weight[i] = row->empty ? 0 : row->expo[i] / sum;
        squares += row->expo[i] * row->expo[i];
    }
    row->n_eff = row->empty ? 0 : sum * (sum / squares);
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

static struct nw_sums sum_in_reach(const struct nw_view *view, struct nw_data sorted)
{
    const double far = nw_reach(view);
    const size_t first = lower_bound(sorted.x, sorted.n, view->query - far, false);
    const size_t end = lower_bound(sorted.x, sorted.n, view->query + far, true);

    return nw_sum(view, sorted, first, end, NULL);
}

/* What one training point adds to the loss. */
struct residual {
    double y_hat;
    double error;    /* y_hat - y */
    double gradient; /* d y_hat / d w */
    double top;      /* the largest weight */
    bool empty;
};

/* From sums relative to the value REFERENCE and the largest k in them. */
static struct residual residual(struct nw_sums sums, double reference, double y, double slope_factor,
                                double largest_k)
{
    const double mean = sums.ky / sums.k;

    return (struct residual){
        .y_hat = reference + mean,
        .error = (reference - y) + mean,
        .gradient = slope_factor * ((sums.hy - mean * sums.h) / sums.k),
        .top = largest_k / sums.k,
    };
}

static struct residual by_pairs(struct nw_spec spec, struct nw_data sorted, double w, size_t i)
{
    const size_t nearest = nearest_to_point(sorted, i, spec.leave_one_out);
    struct nw_view view;
    double largest;

    if (nearest == NW_NO_KEY)
        return (struct residual){.empty = true};
    view = nw_look(spec.kernel, sorted, w, sorted.x[i], spec.leave_one_out ? i : NW_NO_KEY, nearest);
    largest = nw_largest_k(&view);
    if (largest <= 0)
        return (struct residual){.empty = true};
    return residual(sum_in_reach(&view, sorted), view.y_near, sorted.y[i], nw_slope_factor(spec.kernel, w),
                    largest);
}

/* A point's own key has k = 1 and distance 0: leaving it out is a subtraction. */
static struct residual by_box(struct nw_spec spec, struct nw_data sorted, const struct nw_boxes *boxes,
                              const struct nw_box *box, size_t i)
{
    struct nw_sums sums = nw_box_sums(boxes, box, sorted.x[i]);

    if (spec.leave_one_out) {
        sums.k -= 1;
        sums.ky -= sorted.y[i] - boxes->middle;
    }
    return residual(sums, boxes->middle, sorted.y[i], nw_slope_factor(spec.kernel, boxes->w), 1);
}

static struct residual by_window(struct nw_spec spec, struct nw_data sorted, struct nw_windows *windows,
                                 size_t i)
{
    struct nw_sums sums;
    struct nw_view view;

    if (!nw_window_sums(windows, i, spec.leave_one_out, &sums))
        return by_pairs(spec, sorted, windows->w, i);
    view = nw_look(spec.kernel, sorted, windows->w, sorted.x[i], NW_NO_KEY,
                   nearest_to_point(sorted, i, spec.leave_one_out));
    return residual(sums, windows->middle, sorted.y[i], nw_slope_factor(spec.kernel, windows->w),
                    nw_largest_k(&view));
}

static void add(struct nw_loss_value *value, struct residual r)
{
    if (r.empty) {
        value->n_empty++;
        return;
    }
    value->loss += r.error * r.error;
    value->gradient += 2 * r.error * r.gradient;
    value->n_one_hot += r.top > ONE_HOT;
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

static struct nw_loss_value loss_sorted(struct nw_spec spec, struct nw_data sorted, double w, double *y_hat)
{
    struct nw_boxes boxes = spec.kernel == NW_GAUSSIAN ? nw_boxes_new(sorted, w) : (struct nw_boxes){0};
    const struct nw_box *box = boxes.box;
    struct nw_windows windows = nw_windows_new(spec.kernel, sorted, w);
    struct nw_loss_value value = {0};
    double scale;

    for (size_t i = 0; i < sorted.n; i++) {
        struct residual r;

        if (box && i == box->end)
            box++;
        if (box && !box->sparse)
            r = by_box(spec, sorted, &boxes, box, i);
        else
            r = windows.running ? by_window(spec, sorted, &windows, i) : by_pairs(spec, sorted, w, i);
        add(&value, r);
        if (y_hat)
            y_hat[i] = r.empty ? nan("") : r.y_hat;
    }
    scale = loss_scale(spec.loss, sorted.n - value.n_empty);
    value.loss *= scale;
    value.gradient *= scale;
    nw_boxes_free(&boxes);
    nw_windows_free(&windows);
    return value;
}

/* Sorted data as it is, else a sorted copy. */
static struct sorted in_order(struct nw_data data)
{
    if (is_sorted(data.x, data.n))
        return (struct sorted){.data = data};
    return sort_data(data);
}

static void sorted_free(struct sorted *sorted)
{
    free(sorted->memory);
    free(sorted->index);
}

struct nw_loss_value nw_loss(struct nw_spec spec, struct nw_data data, double w, double *y_hat)
{
    struct sorted sorted = in_order(data);
    double *const in_turn = sorted.index && y_hat ? mem_new(data.n, sizeof(double)) : y_hat;
    const struct nw_loss_value value = loss_sorted(spec, sorted.data, w, in_turn);

    if (in_turn != y_hat) {
        for (size_t i = 0; i < data.n; i++)
            y_hat[sorted.index[i]] = in_turn[i];
        free(in_turn);
    }
    sorted_free(&sorted);
    return value;
}

static size_t nearest_sorted(struct nw_data sorted, double query)
{
    const size_t above = lower_bound(sorted.x, sorted.n, query, false);

    if (above == 0)
        return sorted.n > 0 ? 0 : NW_NO_KEY;
    if (above == sorted.n)
        return above - 1;
    return query - sorted.x[above - 1] <= sorted.x[above] - query ? above - 1 : above;
}

static double predict_sorted(enum nw_kernel kernel, struct nw_data sorted, double w, double query)
{
    const size_t nearest = nearest_sorted(sorted, query);
    struct nw_view view;
    struct nw_sums sums;

    if (nearest == NW_NO_KEY)
        return nan("");
    view = nw_look(kernel, sorted, w, query, NW_NO_KEY, nearest);
    if (nw_largest_k(&view) <= 0)
        return nan("");
    sums = sum_in_reach(&view, sorted);
    return view.y_near + sums.ky / sums.k;
}

static double predict_in_box(const struct nw_boxes *boxes, const struct nw_box *box, double query)
{
    const struct nw_sums sums = nw_box_sums(boxes, box, query);

    return boxes->middle + sums.ky / sums.k;
}

static void predict_with_weights(enum nw_kernel kernel, struct nw_data data, double w, const double *query,
                                 size_t n_q, double *weight, double *y_hat)
{
    for (size_t q = 0; q < n_q; q++) {
        double *const row = weight + q * data.n;
        double sum;

        y_hat[q] = predict(kernel, data, w, query[q], NW_NO_KEY, row, &sum);
        for (size_t i = 0; sum > 0 && i < data.n; i++)
            row[i] /= sum;
    }
}

void nw_predict(enum nw_kernel kernel, struct nw_data data, double w, const double *query, size_t n_q,
                double *weight, double *y_hat)
{
    enum { MANY_QUERIES = 64 }; /* worth a pass over the points to put them into boxes */
    struct sorted sorted;
    struct nw_boxes boxes = {0};

    if (weight) {
        predict_with_weights(kernel, data, w, query, n_q, weight, y_hat);
        return;
    }
    sorted = in_order(data);
    if (kernel == NW_GAUSSIAN && n_q >= MANY_QUERIES)
        boxes = nw_boxes_new(sorted.data, w);
    for (size_t q = 0; q < n_q; q++) {
        const struct nw_box *const box = nw_boxes_find(&boxes, sorted.data, query[q]);

        y_hat[q] =
            box ? predict_in_box(&boxes, box, query[q]) : predict_sorted(kernel, sorted.data, w, query[q]);
    }
    nw_boxes_free(&boxes);
    sorted_free(&sorted);
}

/* A loss over few points is no better than one over more of them: fewer empty points come first. */
static bool better(struct nw_loss_value a, struct nw_loss_value b)
{
    return a.n_empty != b.n_empty ? a.n_empty < b.n_empty : a.loss < b.loss;
}

/* Golden section: the least loss within log w in [LO, HI], which holds one minimum. 0.618^40 is 4e-9, and no
 * minimum is known better than to the square root of the precision. */
static double refine(struct nw_spec spec, struct nw_data sorted, double lo, double hi)
{
    enum { CUTS = 40 };
    const double golden = 0.6180339887498949;
    double left = hi - golden * (hi - lo), right = lo + golden * (hi - lo);
    struct nw_loss_value at_left = loss_sorted(spec, sorted, exp(left), NULL);
    struct nw_loss_value at_right = loss_sorted(spec, sorted, exp(right), NULL);

    for (int cut = 0; cut < CUTS; cut++) {
        if (better(at_right, at_left)) {
            lo = left;
            left = right;
            at_left = at_right;
            right = lo + golden * (hi - lo);
            at_right = loss_sorted(spec, sorted, exp(right), NULL);
        } else {
            hi = right;
            right = left;
            at_right = at_left;
            left = hi - golden * (hi - lo);
            at_left = loss_sorted(spec, sorted, exp(left), NULL);
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
        const struct nw_loss_value value = loss_sorted(spec, sorted.data, exp(first + i * step), NULL);

        if (i == 0 || better(value, least)) {
            least = value;
            best = i;
        }
    }
    w = exp(refine(spec, sorted.data, first + (best > 0 ? best - 1 : 0) * step,
                   first + (best < STEPS ? best + 1 : STEPS) * step));
    if (!better(loss_sorted(spec, sorted.data, w, NULL), least))
        w = exp(first + best * step);
    sorted_free(&sorted);
    return fmin(fmax(w, lo), hi);
}

/* Computed in double and rounded once, within an ulp of what PyTorch's vector library gives. */
float nw_target(enum nw_target target, float x)
{
    const double exponent = (double)0.8f;
    const float wave = 2 * (float)sin((double)x);

    return wave + (target == NW_TARGET_POWER ? (float)pow((double)x, exponent) : x);
}
