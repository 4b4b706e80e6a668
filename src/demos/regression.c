#include "demos/regression.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/lang.h"
#include "engine/mem.h"
#include "engine/rng.h"

enum { BOOK_QUERIES = 64, FILE_QUERIES = 100 };

/* ---- queries */

static void make_book_queries(struct regression *r)
{
    float query[BOOK_QUERIES];
    r->n_q = torch_arange(0, 5, 0.1, query, BOOK_QUERIES);
    r->query = mem_grow(r->query, r->n_q, sizeof *r->query);
    r->truth = mem_grow(r->truth, r->n_q, sizeof *r->truth);
    for (size_t i = 0; i < r->n_q; i++) {
        r->query[i] = (double)query[i];
        r->truth[i] = (double)nw_target(r->points.target, query[i]);
    }
}

static void make_file_queries(struct regression *r)
{
    double lo = r->points.x[0], hi = r->points.x[r->points.n - 1];
    r->n_q = FILE_QUERIES;
    r->query = mem_grow(r->query, r->n_q, sizeof *r->query);
    free(r->truth);
    r->truth = NULL;
    for (size_t i = 0; i < r->n_q; i++) {
        double part = (double)i / (FILE_QUERIES - 1);
        r->query[i] = lo * (1 - part) + hi * part;
    }
}

void regression_make_queries(struct regression *r)
{
    if (r->points.has_truth)
        make_book_queries(r);
    else
        make_file_queries(r);
    r->key_is_chosen = false;
}

bool regression_affords(const struct points *points, enum nw_kernel kernel, struct error *error)
{
    return points->n <= REGRESSION_ALL || kernel == NW_GAUSSIAN ||
           error_set(error, STATUS_USAGE,
                     _("kernel: these %zu points are more than the %d that kernels other than gaussian are "
                       "quick for"),
                     points->n, REGRESSION_ALL);
}

double regression_first_query(const struct regression *r)
{
    return r->points.has_truth ? 2 : r->query[r->n_q / 2];
}

double regression_to_engine(const struct regression *r, double x)
{
    return (x - r->points.x_shift) / r->points.x_scale;
}

/* ---- attention */

size_t regression_n_shown(const struct regression *r)
{
    return r->points.n > REGRESSION_ALL ? REGRESSION_SAMPLE : r->points.n;
}

size_t regression_shown_key(const struct regression *r, size_t i)
{
    return r->points.n > REGRESSION_ALL ? i * (r->points.n - 1) / (REGRESSION_SAMPLE - 1) : i;
}

size_t regression_shown_column(const struct regression *r, size_t key)
{
    if (r->points.n <= REGRESSION_ALL)
        return key;
    return (size_t)round((double)key * (REGRESSION_SAMPLE - 1) / (double)(r->points.n - 1));
}

/* All queries in the engine's units, to be freed. */
static double *queries_to_engine(const struct regression *r)
{
    double *query = mem_new(r->n_q, sizeof *query);
    for (size_t i = 0; i < r->n_q; i++)
        query[i] = regression_to_engine(r, r->query[i]);
    return query;
}

/* ---- what is foreseen */

struct foresight {
    struct nw_spec spec;
    double theta;
    struct points points; /* kept, so that other points are never taken for these */
    struct nw_task *task;
    bool is_done;
};

static void foresight_free(struct foresight *f)
{
    if (f) {
        nw_task_free(f->task);
        points_free(&f->points);
    }
    free(f);
}

bool regression_is_large(const struct regression *r)
{
    return r->points.n > REGRESSION_ALL;
}

/* The queries follow from the points. */
static bool is_about(const struct foresight *f, const struct regression *r, double theta)
{
    return f && f->points.u == r->points.u && f->theta == theta;
}

static struct foresight *foresight_new(const struct regression *r, struct nw_spec spec, double theta)
{
    struct foresight *f = mem_new(1, sizeof *f);
    double *query = queries_to_engine(r);
    *f = (struct foresight){.spec = spec, .theta = theta, .points = points_copy(&r->points)};
    f->task = nw_task_new(spec, points_data(&f->points), theta, query, regression_is_large(r) ? r->n_q : 0);
    free(query);
    return f;
}

bool regression_foresee(struct regression *r, struct nw_spec spec, double theta, long *budget)
{
    struct foresight *f = r->foresight;
    if (!is_about(f, r, theta) || f->spec.kernel != spec.kernel || f->spec.loss != spec.loss ||
        f->spec.leave_one_out != spec.leave_one_out) {
        foresight_free(f);
        f = r->foresight = foresight_new(r, spec, theta);
    }
    if (!f->is_done)
        f->is_done = !nw_task_work(f->task, budget);
    return f->is_done;
}

struct nw_loss_value regression_loss(struct regression *r, struct nw_spec spec, double theta)
{
    long all = LONG_MAX;
    regression_foresee(r, spec, theta, &all);
    return nw_task_loss(r->foresight->task);
}

/* The queries' predictions from all points. */
static void predict(const struct regression *r, enum nw_kernel kernel, double theta, const double *query,
                    double *y_hat)
{
    const struct foresight *f = r->foresight;
    if (is_about(f, r, theta) && f->is_done && f->spec.kernel == kernel)
        memcpy(y_hat, nw_task_predictions(f->task), r->n_q * sizeof *y_hat);
    else
        nw_predict(kernel, points_data(&r->points), theta, query, r->n_q, NULL, y_hat);
}

/* ---- all queries */

/* Predictions from all keys, and weights among those that are shown. */
static void attend_sampled(const struct regression *r, enum nw_kernel kernel, double theta,
                           const double *query, struct attended *out)
{
    double u[REGRESSION_SAMPLE], v[REGRESSION_SAMPLE];
    double *y_hat = mem_new(r->n_q, sizeof *y_hat);
    for (size_t i = 0; i < REGRESSION_SAMPLE; i++) {
        u[i] = r->points.u[regression_shown_key(r, i)];
        v[i] = r->points.v[regression_shown_key(r, i)];
    }
    nw_predict(kernel, (struct nw_data){u, v, REGRESSION_SAMPLE}, theta, query, r->n_q, out->weights.at,
               y_hat);
    predict(r, kernel, theta, query, out->y_hat);
    free(y_hat);
}

void regression_attend_into(const struct regression *r, enum nw_kernel kernel, double theta,
                            struct attended *out)
{
    size_t n = regression_n_shown(r);
    double *query = queries_to_engine(r);
    matrix_reshape(&out->weights, r->n_q, n);
    out->y_hat = mem_grow(out->y_hat, r->n_q, sizeof *out->y_hat);
    out->empty = mem_grow(out->empty, r->n_q * n, sizeof *out->empty);
    out->n_empty = 0;
    if (n < r->points.n)
        attend_sampled(r, kernel, theta, query, out);
    else
        nw_predict(kernel, points_data(&r->points), theta, query, r->n_q, out->weights.at, out->y_hat);
    for (size_t i = 0; i < r->n_q; i++) {
        bool is_empty = isnan(out->y_hat[i]);
        out->n_empty += is_empty;
        memset(out->empty + i * n, is_empty, n);
        out->y_hat[i] += r->points.y_shift;
    }
    free(query);
}

void attended_free(struct attended *attended)
{
    free(attended->y_hat);
    free(attended->empty);
    matrix_free(&attended->weights);
    *attended = (struct attended){0};
}

void regression_attend(struct regression *r, enum nw_kernel kernel, double theta)
{
    r->kernel = kernel;
    r->theta = theta;
    regression_attend_into(r, kernel, theta, &r->all);
    r->n_order = r->points.n > REGRESSION_ORDER ? REGRESSION_ORDER : r->points.n;
    r->order = mem_grow(r->order, r->n_order, sizeof *r->order);
    regression_ask(r, r->x);
}

/* ---- the query looked at */

struct nw_key regression_key(const struct regression *r, size_t key)
{
    return nw_glance_key(&r->selected, points_data(&r->points), key);
}

struct ranked {
    double weight, distance;
    size_t key;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *p = a, *q = b;
    if (p->weight != q->weight)
        return p->weight > q->weight ? -1 : 1;
    if (p->distance != q->distance)
        return p->distance < q->distance ? -1 : 1;
    return (p->key > q->key) - (p->key < q->key);
}

static struct ranked ranked_key(const struct regression *r, size_t i, double inside)
{
    return (struct ranked){regression_key(r, i).weight, fabs(inside - r->points.x[i]), i};
}

/* From far outside all distances are the same number: the outermost value is asked instead. */
static double move_inside(const double *sorted, size_t n, double x)
{
    return fmin(fmax(x, sorted[0]), sorted[n - 1]);
}

/* The first of N SORTED values that is at least X, which is not beyond the last. */
static size_t first_at_least(const double *sorted, size_t n, double x)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (sorted[middle] < x)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* No key outweighs a nearer one, so the first are found on both sides of the query. */
static void rank_keys(struct regression *r)
{
    size_t n = r->points.n;
    const double *x = r->points.x, inside = move_inside(x, n, r->x);
    struct ranked *ranked = mem_new(r->n_order, sizeof *ranked);
    size_t left = first_at_least(x, n, inside), right = left;
    for (size_t i = 0; i < r->n_order; i++) {
        bool goes_left = right == n || (left > 0 && inside - x[left - 1] <= x[right] - inside);
        ranked[i] = ranked_key(r, goes_left ? --left : right++, inside);
    }
    qsort(ranked, r->n_order, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i < r->n_order; i++)
        r->order[i] = ranked[i].key;
    free(ranked);
}

size_t regression_nearest(const double *sorted, size_t n, double x)
{
    double inside = move_inside(sorted, n, x);
    size_t above = first_at_least(sorted, n, inside);
    if (above == 0 || inside - sorted[above - 1] > sorted[above] - inside)
        return above;
    return first_at_least(sorted, n, sorted[above - 1]);
}

void regression_ask(struct regression *r, double x)
{
    r->x = x;
    r->selected =
        nw_glance(r->kernel, points_data(&r->points), r->theta, regression_to_engine(r, x), NW_NO_KEY);
    rank_keys(r);
    r->row = regression_nearest(r->query, r->n_q, x);
    if (!r->key_is_chosen)
        r->key = r->order[0];
}

double regression_ask_row(struct regression *r, long row)
{
    long last = (long)r->n_q - 1;
    r->key_is_chosen = false;
    regression_ask(r, r->query[row < 0 ? 0 : row > last ? last : row]);
    return r->x;
}

void regression_choose_key(struct regression *r, long key)
{
    long last = (long)r->points.n - 1;
    r->key = (size_t)(key < 0 ? 0 : key > last ? last : key);
    r->key_is_chosen = true;
}

void regression_step_key(struct regression *r, long by)
{
    long last = (long)regression_n_shown(r) - 1, column = (long)regression_shown_column(r, r->key) + by;
    regression_choose_key(r, (long)regression_shown_key(r, (size_t)(column < 0      ? 0
                                                                    : column > last ? last
                                                                                    : column)));
}

double regression_answer(const struct regression *r)
{
    return r->selected.y_hat + r->points.y_shift;
}

/* ---- copies */

struct regression regression_copy(const struct regression *from)
{
    struct regression copy = *from;
    copy.points = points_copy(&from->points);
    copy.query = mem_copy(from->query, from->n_q, sizeof *from->query);
    copy.truth = from->truth ? mem_copy(from->truth, from->n_q, sizeof *from->truth) : NULL;
    copy.all = (struct attended){0};
    copy.foresight = NULL;
    copy.order = NULL;
    return copy;
}

void regression_free(struct regression *r)
{
    points_free(&r->points);
    free(r->query);
    free(r->truth);
    attended_free(&r->all);
    foresight_free(r->foresight);
    free(r->order);
    *r = (struct regression){0};
}

/* ---- tables */

struct table regression_fit_table(const struct regression *r)
{
    struct table table = table_new(r->n_q);
    double *x = table_add_numbers(&table, "x"), *truth = table_add_numbers(&table, "truth"),
           *y_hat = table_add_numbers(&table, "y_hat");
    memcpy(x, r->query, r->n_q * sizeof *x);
    memcpy(y_hat, r->all.y_hat, r->n_q * sizeof *y_hat);
    if (r->truth)
        memcpy(truth, r->truth, r->n_q * sizeof *truth);
    return table;
}

struct table regression_data_table(const struct regression *r)
{
    struct table table = table_new(r->points.n);
    memcpy(table_add_numbers(&table, "x"), r->points.x, r->points.n * sizeof(double));
    memcpy(table_add_numbers(&table, "y"), r->points.y, r->points.n * sizeof(double));
    return table;
}

struct table regression_weights_table(const struct regression *r)
{
    return table_from_matrix(r->all.weights.at, r->all.weights.rows, r->all.weights.cols);
}

struct table regression_query_table(const struct regression *r)
{
    size_t n = r->points.n;
    struct table table = table_new(n);
    double *key = table_add_numbers(&table, "key"), *value = table_add_numbers(&table, "value"),
           *distance = table_add_numbers(&table, "distance"), *score = table_add_numbers(&table, "score"),
           *expo = table_add_numbers(&table, "exp"), *weight = table_add_numbers(&table, "weight"),
           *contribution = table_add_numbers(&table, "contribution");
    memcpy(key, r->points.x, n * sizeof *key);
    memcpy(value, r->points.y, n * sizeof *value);
    for (size_t i = 0; i < n; i++) {
        struct nw_key at = regression_key(r, i);
        score[i] = at.score;
        expo[i] = at.expo;
        weight[i] = at.weight;
        distance[i] = r->x - key[i];
        contribution[i] = weight[i] * value[i];
    }
    return table;
}
