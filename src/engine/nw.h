/* Nadaraya-Watson regression: y_hat(q) = sum_i alpha_i y_i, alpha_i = k((q - x_i) w) / sum_j k((q - x_j) w).
 *
 * One scalar w scales every distance; 1/|w| is the width of the kernel. All sums are taken relative to the
 * nearest key, so a query far from all data gets the nearest key's value instead of 0/0, even
 * where its distances to all keys round to the same number. */
#ifndef ATTNLAB_ENGINE_NW_H
#define ATTNLAB_ENGINE_NW_H

#include <stdbool.h>
#include <stddef.h>

enum nw_kernel {
    NW_GAUSSIAN,     /* exp(-u^2 / 2) */
    NW_BOXCAR,       /* 1 for |u| < 1 */
    NW_TRIANGULAR,   /* max(0, 1 - |u|) */
    NW_EPANECHNIKOV, /* max(0, 1 - u^2) */
    NW_CONSTANT,     /* 1: average pooling */
    NW_KERNELS
};

enum nw_loss {
    NW_LOSS_SUM,  /* sum of squared errors: the book's */
    NW_LOSS_HALF, /* half of the sum: the book's other edition */
    NW_LOSS_MEAN, /* the sum over the number of points in it */
};

struct nw_spec {
    enum nw_kernel kernel;
    enum nw_loss loss;
    bool leave_one_out; /* a training point does not attend to itself */
};

/* N keys x with their values y, borrowed. The order does not matter. */
struct nw_data {
    const double *x, *y;
    size_t n;
};

/* One query's attention, everything that a reader wants to see. The arrays hold n values each and are the
 * caller's. */
struct nw_row {
    double *score;  /* gaussian: -((q - x_i) w)^2 / 2; others: u = |(q - x_i) w|; within +-DBL_MAX */
    double *expo;   /* k(u_i) relative to the nearest key: exp(score - max score); others: k(u_i) itself */
    double *weight; /* alpha_i, summing to 1, or all 0 if EMPTY */
    double y_hat;   /* sum alpha_i y_i; undefined if EMPTY */
    double n_eff;   /* 1 / sum alpha_i^2: the number of keys that count */
    bool empty;     /* no key in reach of the kernel */
};

#define NW_NO_KEY ((size_t)-1)

/* Attends from QUERY to all keys of DATA but LEFT_OUT (an index, or NW_NO_KEY), which keeps its score but has
 * expo and weight 0. The arrays of ROW must be set. */
void nw_attend(enum nw_kernel kernel, struct nw_data data, double w, double query, size_t left_out,
               struct nw_row *row);

/* The same without what is to be seen of each key: of very many keys few are looked at. */
struct nw_glance {
    enum nw_kernel kernel;
    double w, query;
    size_t left_out;
    size_t nearest; /* the nearest key that is not left out */
    double sum;     /* of all keys' expo */
    double y_hat, n_eff;
    bool empty;
};

struct nw_glance nw_glance(enum nw_kernel kernel, struct nw_data ascending, double w, double query,
                           size_t left_out);

struct nw_key {
    double score, expo, weight; /* as in struct nw_row */
};

/* What a glance at ASCENDING was at KEY. */
struct nw_key nw_glance_key(const struct nw_glance *glance, struct nw_data ascending, size_t key);

/* The same for many queries, with nothing but weights (n_q, n) and predictions (n_q) kept; a query without a
 * key in reach has y_hat NaN and a row of zeros. WEIGHT may be NULL, which is much faster for large n, more
 * so if x ascends. */
void nw_predict(enum nw_kernel kernel, struct nw_data data, double w, const double *query, size_t n_q,
                double *weight, double *y_hat);

struct nw_loss_value {
    double loss;
    double gradient;  /* d loss / d w */
    size_t n_empty;   /* training points left out of the sum because no key is in their reach */
    size_t n_one_hot; /* training points whose largest weight exceeds 0.999 */
};

/* Loss and gradient over the training points themselves. Y_HAT (n values, NaN where empty) may be NULL.
 * Gaussian: d y_hat_i / d w = -w sum_j alpha_j d_ij^2 (y_j - y_hat_i), with d^2 taken relative to the nearest
 * key's, which changes nothing in the sum and keeps it exact for w up to 1e300. The slope of the triangular
 * kernel, whose peak is sharp, counts as 0 at w = 0. From some hundred points on a Gaussian is summed over
 * boxes (nw_boxes.h), the others over windows (nw_windows.h): a loss within 1e-11 of the exact one, in time
 * proportional to n. An x that ascends spares a sort. */
struct nw_loss_value nw_loss(struct nw_spec spec, struct nw_data data, double w, double *y_hat);

/* The loss, and predictions for some queries, worked out bit by bit: for so many points that it takes longer
 * than somebody can be kept waiting. */
struct nw_task;

/* The points, whose x must ascend, are borrowed; the queries (n_q) are copied. */
struct nw_task *nw_task_new(struct nw_spec spec, struct nw_data ascending, double w, const double *query,
                            size_t n_q);

/* Does some *BUDGET nanoseconds of the work and takes them off it; true while more is left. */
bool nw_task_work(struct nw_task *task, long *budget);

/* Once it is done: as nw_loss, and as nw_predict (n_q values, the task's). */
struct nw_loss_value nw_task_loss(const struct nw_task *task);
const double *nw_task_predictions(const struct nw_task *task);
void nw_task_free(struct nw_task *task);

/* The w > 0 of least loss within [LO, HI], by a scan over log w and golden-section refinement (some 140
 * losses). Leave-one-out makes this least-squares cross-validation of the bandwidth 1/w. Of compact kernels
 * only those w are compared that leave the fewest points without a key, else the narrowest kernel would win.
 */
double nw_best_w(struct nw_spec spec, struct nw_data data, double lo, double hi);

/* The book's targets, rounded as PyTorch's float32 does: 2 sin x + x^0.8, and 2 sin x + x. */
enum nw_target { NW_TARGET_POWER, NW_TARGET_LINEAR };
float nw_target(enum nw_target target, float x);

#endif
