#include "demos/regression.h"

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

void nw_row_resize(struct nw_row *row, size_t n)
{
    row->score = mem_grow(row->score, n, sizeof *row->score);
    row->expo = mem_grow(row->expo, n, sizeof *row->expo);
    row->weight = mem_grow(row->weight, n, sizeof *row->weight);
}

void nw_row_free(struct nw_row *row)
{
    free(row->score);
    free(row->expo);
    free(row->weight);
    *row = (struct nw_row){0};
}

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
    nw_predict(kernel, points_data(&r->points), theta, query, r->n_q, NULL, out->y_hat);
    free(y_hat);
}

void regression_attend_into(const struct regression *r, enum nw_kernel kernel, double theta,
                            struct attended *out)
{
    size_t n = regression_n_shown(r);
    double *query = mem_new(r->n_q, sizeof *query);
    for (size_t i = 0; i < r->n_q; i++)
        query[i] = regression_to_engine(r, r->query[i]);
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
    nw_row_resize(&r->selected, r->points.n);
    r->n_order = r->points.n > REGRESSION_ALL ? REGRESSION_ORDER : r->points.n;
    r->order = mem_grow(r->order, r->n_order, sizeof *r->order);
    regression_ask(r, r->x);
}

/* ---- the query looked at */

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

static struct ranked ranked_key(const struct regression *r, size_t i)
{
    const double *x = r->points.x;
    const double inside = fmin(fmax(r->x, x[0]), x[r->points.n - 1]);
    return (struct ranked){r->selected.weight[i], fabs(inside - x[i]), i};
}

/* Sinks ranked[0] into its place in a heap whose top ranks last. */
static void sink(struct ranked *ranked, size_t n)
{
    for (size_t at = 0, child = 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && compare_ranked(&ranked[child + 1], &ranked[child]) > 0)
            child++;
        if (compare_ranked(&ranked[child], &ranked[at]) <= 0)
            return;
        struct ranked swapped = ranked[at];
        ranked[at] = ranked[child];
        ranked[child] = swapped;
        at = child;
    }
}

static void rank_keys(struct regression *r)
{
    size_t n = r->n_order;
    struct ranked *ranked = mem_new(n, sizeof *ranked);
    /* Falling ranks, as qsort leaves them reversed, are a heap already. */
    for (size_t i = 0; i < n; i++)
        ranked[i] = ranked_key(r, i);
    qsort(ranked, n, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i < n / 2 && n < r->points.n; i++) {
        struct ranked swapped = ranked[i];
        ranked[i] = ranked[n - 1 - i];
        ranked[n - 1 - i] = swapped;
    }
    for (size_t i = n; i < r->points.n; i++) {
        struct ranked next = ranked_key(r, i);
        if (compare_ranked(&next, &ranked[0]) < 0) {
            ranked[0] = next;
            sink(ranked, n);
        }
    }
    if (n < r->points.n)
        qsort(ranked, n, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i < n; i++)
        r->order[i] = ranked[i].key;
    free(ranked);
}

size_t regression_nearest(const double *sorted, size_t n, double x)
{
    /* From far outside all distances are the same number: the outermost value is asked instead. */
    const double inside = fmin(fmax(x, sorted[0]), sorted[n - 1]);
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (fabs(sorted[i] - inside) < fabs(sorted[best] - inside))
            best = i;
    return best;
}

void regression_ask(struct regression *r, double x)
{
    r->x = x;
    nw_attend(r->kernel, points_data(&r->points), r->theta, regression_to_engine(r, x), NW_NO_KEY,
              &r->selected);
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
    copy.selected = (struct nw_row){0};
    copy.order = NULL;
    return copy;
}

void regression_free(struct regression *r)
{
    points_free(&r->points);
    free(r->query);
    free(r->truth);
    attended_free(&r->all);
    nw_row_free(&r->selected);
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
    memcpy(score, r->selected.score, n * sizeof *score);
    memcpy(expo, r->selected.expo, n * sizeof *expo);
    memcpy(weight, r->selected.weight, n * sizeof *weight);
    for (size_t i = 0; i < n; i++) {
        distance[i] = r->x - key[i];
        contribution[i] = weight[i] * value[i];
    }
    return table;
}
