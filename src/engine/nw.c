#include "engine/nw.h"

#include <float.h>
#include <limits.h>
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

static double score(enum nw_kernel kernel, double u)
{
    return kernel == NW_GAUSSIAN ? fmax(0 - u * u / 2, -DBL_MAX) : fmin(fabs(u), DBL_MAX);
}

void nw_attend(enum nw_kernel kernel, struct nw_data data, double w, double query, size_t left_out,
               struct nw_row *row)
{
    double sum, squares = 0;

    row->y_hat = predict(kernel, data, w, query, left_out, row->expo, &sum);
    row->empty = sum <= 0;
    for (size_t i = 0; i < data.n; i++) {
        const double u = (query - data.x[i]) * w;

        row->score[i] = score(kernel, u);
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

/* N_KEYS receives how many keys that are. */
static struct nw_sums sum_in_reach(const struct nw_view *view, struct nw_data sorted, size_t *n_keys)
{
    const double far = nw_reach(view);
    const size_t first = lower_bound(sorted.x, sorted.n, view->query - far, false);
    const size_t end = lower_bound(sorted.x, sorted.n, view->query + far, true);

    *n_keys = end - first;
    return nw_sum(view, sorted, first, end, NULL);
}

/* What one training point adds to the loss. */
struct residual {
    double y_hat;
    double error;    /* y_hat - y */
    double gradient; /* d y_hat / d w */
    double top;      /* the largest weight */
    size_t n_keys;   /* that were looked at one by one */
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
    struct nw_sums sums;
    struct residual r;
    double largest;
    size_t n_keys;

    if (nearest == NW_NO_KEY)
        return (struct residual){.empty = true};
    view = nw_look(spec.kernel, sorted, w, sorted.x[i], spec.leave_one_out ? i : NW_NO_KEY, nearest);
    largest = nw_largest_k(&view);
    if (largest <= 0)
        return (struct residual){.empty = true};
    sums = sum_in_reach(&view, sorted, &n_keys);
    r = residual(sums, view.y_near, sorted.y[i], nw_slope_factor(spec.kernel, w), largest);
    r.n_keys = n_keys;
    return r;
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

struct nw_task {
    struct nw_spec spec;
    struct nw_data sorted; /* borrowed */
    double w;
    struct nw_boxes boxes;
    struct nw_windows windows;
    const struct nw_box *box; /* of the next point */
    size_t at;                /* the next point */
    struct nw_loss_value value;
    double *fitted; /* (n) predictions for the points themselves, borrowed; or NULL */

    double *query, *y_hat; /* (n_q), owned */
    size_t n_q, at_q;      /* AT_Q is the next query */
};

static struct nw_task task_begin(struct nw_spec spec, struct nw_data sorted, double w)
{
    struct nw_task task = {.spec = spec, .sorted = sorted, .w = w};

    if (spec.kernel == NW_GAUSSIAN)
        task.boxes = nw_boxes_begin(sorted, w);
    else
        task.windows = nw_windows_new(spec.kernel, sorted, w);
    return task;
}

static void task_end(struct nw_task *task)
{
    nw_boxes_free(&task->boxes);
    nw_windows_free(&task->windows);
    free(task->query);
    free(task->y_hat);
}

/* Nanoseconds, roughly: what every point costs, and every key that is looked at for it. */
enum { POINT_COST = 25, WINDOW_COST = 120, KEY_COST = 2, QUERY_COST = 200 };

static struct residual residual_at(struct nw_task *task, size_t i)
{
    if (!task->box)
        task->box = task->boxes.box;
    if (task->box && i == task->box->end)
        task->box++;
    if (task->box && !task->box->sparse)
        return by_box(task->spec, task->sorted, &task->boxes, task->box, i);
    return task->windows.running ? by_window(task->spec, task->sorted, &task->windows, i)
                                 : by_pairs(task->spec, task->sorted, task->w, i);
}

static void scale_value(struct nw_task *task)
{
    const double scale = loss_scale(task->spec.loss, task->sorted.n - task->value.n_empty);

    task->value.loss *= scale;
    task->value.gradient *= scale;
}

static void work_on_points(struct nw_task *task, long *budget)
{
    const long cost = task->windows.running ? WINDOW_COST : POINT_COST;

    if (task->at == task->sorted.n)
        return;
    while (task->at<task->sorted.n && * budget> 0) {
        const struct residual r = residual_at(task, task->at);

        add(&task->value, r);
        if (task->fitted)
            task->fitted[task->at] = r.empty ? nan("") : r.y_hat;
        task->at++;
        *budget -= cost + (long)r.n_keys * KEY_COST;
    }
    if (task->at == task->sorted.n)
        scale_value(task);
}

static struct nw_loss_value loss_sorted(struct nw_spec spec, struct nw_data sorted, double w, double *y_hat)
{
    struct nw_task task = task_begin(spec, sorted, w);
    long all = LONG_MAX;

    task.fitted = y_hat;
    nw_task_work(&task, &all);
    task_end(&task);
    return task.value;
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

static double predict_sorted(enum nw_kernel kernel, struct nw_data sorted, double w, double query,
                             size_t *n_keys)
{
    const size_t nearest = nearest_sorted(sorted, query);
    struct nw_view view;
    struct nw_sums sums;

    *n_keys = 0;
    if (nearest == NW_NO_KEY)
        return nan("");
    view = nw_look(kernel, sorted, w, query, NW_NO_KEY, nearest);
    if (nw_largest_k(&view) <= 0)
        return nan("");
    sums = sum_in_reach(&view, sorted, n_keys);
    return view.y_near + sums.ky / sums.k;
}

static double predict_in_box(const struct nw_boxes *boxes, const struct nw_box *box, double query)
{
    const struct nw_sums sums = nw_box_sums(boxes, box, query);

    return boxes->middle + sums.ky / sums.k;
}

static double predict_at(const struct nw_boxes *boxes, enum nw_kernel kernel, struct nw_data sorted, double w,
                         double query, size_t *n_keys)
{
    const struct nw_box *const box = nw_boxes_find(boxes, sorted, query);

    *n_keys = 0;
    return box ? predict_in_box(boxes, box, query) : predict_sorted(kernel, sorted, w, query, n_keys);
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
    size_t n_keys;

    if (weight) {
        predict_with_weights(kernel, data, w, query, n_q, weight, y_hat);
        return;
    }
    sorted = in_order(data);
    if (kernel == NW_GAUSSIAN && n_q >= MANY_QUERIES)
        boxes = nw_boxes_new(sorted.data, w);
    for (size_t q = 0; q < n_q; q++)
        y_hat[q] = predict_at(&boxes, kernel, sorted.data, w, query[q], &n_keys);
    nw_boxes_free(&boxes);
    sorted_free(&sorted);
}

struct nw_task *nw_task_new(struct nw_spec spec, struct nw_data ascending, double w, const double *query,
                            size_t n_q)
{
    struct nw_task *const task = mem_new(1, sizeof(*task));

    *task = task_begin(spec, ascending, w);
    task->query = mem_copy(query, n_q, sizeof(*query));
    task->y_hat = mem_new(n_q, sizeof(*task->y_hat));
    task->n_q = n_q;
    return task;
}

static void work_on_queries(struct nw_task *task, long *budget)
{
    while (task->at_q<task->n_q && * budget> 0) {
        size_t n_keys;

        task->y_hat[task->at_q] = predict_at(&task->boxes, task->spec.kernel, task->sorted, task->w,
                                             task->query[task->at_q], &n_keys);
        task->at_q++;
        *budget -= QUERY_COST + (long)n_keys * KEY_COST;
    }
}

bool nw_task_work(struct nw_task *task, long *budget)
{
    if (task->spec.kernel == NW_GAUSSIAN && nw_boxes_work(&task->boxes, budget))
        return true;
    work_on_points(task, budget);
    work_on_queries(task, budget);
    return task->at < task->sorted.n || task->at_q < task->n_q;
}

struct nw_loss_value nw_task_loss(const struct nw_task *task)
{
    return task->value;
}

const double *nw_task_predictions(const struct nw_task *task)
{
    return task->y_hat;
}

void nw_task_free(struct nw_task *task)
{
    if (task)
        task_end(task);
    free(task);
}

/* The nearest key in sorted data that is not left out: of equally near ones the first. */
static size_t nearest_but(struct nw_data sorted, double query, size_t left_out)
{
    size_t above = lower_bound(sorted.x, sorted.n, query, false), below = above;

    if (above < sorted.n && above == left_out)
        above++;
    if (below > 0 && below - 1 == left_out)
        below--;
    if (below == 0)
        return above < sorted.n ? above : NW_NO_KEY;
    below = lower_bound(sorted.x, below, sorted.x[below - 1], false);
    if (below == left_out) /* a twin of it stands behind it */
        below++;
    if (above == sorted.n)
        return below;
    return query - sorted.x[below] <= sorted.x[above] - query ? below : above;
}

static struct nw_view view_of(const struct nw_glance *glance, struct nw_data data)
{
    return nw_look(glance->kernel, data, glance->w, glance->query, glance->left_out, glance->nearest);
}

struct nw_glance nw_glance(enum nw_kernel kernel, struct nw_data ascending, double w, double query,
                           size_t left_out)
{
    enum { PART = 8192 }; /* so many sums of weights fit the processor's cache */
    struct nw_glance glance = {.kernel = kernel, .w = w, .query = query, .left_out = left_out, .empty = true};
    struct nw_view view;
    double k[PART], ky = 0, squares = 0;

    glance.nearest = nearest_but(ascending, query, left_out);
    if (glance.nearest == NW_NO_KEY)
        return glance;
    view = view_of(&glance, ascending);
    if (nw_largest_k(&view) <= 0)
        return glance;
    for (size_t first = 0; first < ascending.n; first += PART) {
        const size_t left = ascending.n - first, n = left < PART ? left : PART;
        const struct nw_data part = {ascending.x + first, ascending.y + first, n};
        struct nw_sums sums;

        view.left_out = left_out - first; /* beyond the part where it is not in it */
        sums = nw_sum(&view, part, 0, n, k);
        glance.sum += sums.k;
        ky += sums.ky;
        for (size_t i = 0; i < n; i++)
            squares += k[i] * k[i];
    }
    glance.empty = false;
    glance.y_hat = view.y_near + ky / glance.sum;
    glance.n_eff = glance.sum * (glance.sum / squares);
    return glance;
}

struct nw_key nw_glance_key(const struct nw_glance *glance, struct nw_data ascending, size_t key)
{
    const double u = (glance->query - ascending.x[key]) * glance->w;
    struct nw_key at = {.score = score(glance->kernel, u)};
    struct nw_view view;

    if (glance->empty || key == glance->left_out)
        return at;
    view = view_of(glance, ascending);
    view.left_out = NW_NO_KEY;
    nw_sum(&view, (struct nw_data){ascending.x + key, ascending.y + key, 1}, 0, 1, &at.expo);
    at.weight = at.expo / glance->sum;
    return at;
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
