/* What the regression demos have in common: points as keys and values, a row of queries, what each of them
 * pays attention to, and one query that is looked at closely. */
#ifndef ATTNLAB_DEMOS_REGRESSION_H
#define ATTNLAB_DEMOS_REGRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "data/table.h"
#include "demos/points.h"
#include "engine/matrix.h"
#include "engine/nw.h"

/* All queries' attention under one kernel and one width. A zeroed struct holds nothing. */
struct attended {
    double *y_hat;         /* (n_q), in the user's units; NaN where no key is in reach */
    struct matrix weights; /* (n_q, regression_n_shown); zeros where no key is in reach */
    unsigned char *empty;  /* of the weights' shape: 1 in every cell of such a row */
    size_t n_empty;        /* rows without a key in reach */
};

/* What a kernel and a width make of the points, worked out before it is asked for. */
struct foresight;

/* A zeroed struct holds nothing. All arrays are owned. */
struct regression {
    struct points points;
    double *query, *truth; /* (n_q), rising; TRUTH is NULL where nobody knows it */
    size_t n_q;

    enum nw_kernel kernel; /* as of the last regression_attend */
    double theta;          /* likewise: w in the engine's units */
    struct attended all;

    struct foresight *foresight; /* NULL: none */

    double x;                  /* the query looked at, any real */
    size_t row, key;           /* the queries' nearest to it, and the key looked at */
    bool key_is_chosen;        /* else the key is the one with the largest weight */
    struct nw_glance selected; /* the attention of query X */
    size_t *order;             /* (n_order) keys by falling weight, of equals the nearest first */
    size_t n_order;            /* n, but of many keys only the first */
};

/* Of more than REGRESSION_ALL keys a sample stands for all where each has a cell: the weights of 100 queries
 * on a million keys would be 800 MB, and no screen has the columns. */
enum { REGRESSION_ALL = 20000, REGRESSION_SAMPLE = 2000, REGRESSION_ORDER = 512 };

/* How many keys have a column in the weights, which key column I is, and the column that is nearest to key
 * KEY. Among the sampled ones weights sum to 1, too; predictions are always from all keys. */
size_t regression_n_shown(const struct regression *r);
size_t regression_shown_key(const struct regression *r, size_t i);
size_t regression_shown_column(const struct regression *r, size_t key);

/* Puts queries over the points: the book's 0, 0.1 .. 4.9 where they were drawn, else from the first to the
 * last x. */
void regression_make_queries(struct regression *r);

/* Whether KERNEL can be shown on so many points: all but the Gaussian look at every pair. */
bool regression_affords(const struct points *points, enum nw_kernel kernel, struct error *error);

/* The query to look at first. */
double regression_first_query(const struct regression *r);

/* So many points that what takes a pass over them is better foreseen than waited for. */
bool regression_is_large(const struct regression *r);

/* Works out the loss under SPEC and THETA, and of many points all queries' predictions, up to *BUDGET
 * nanoseconds, which are taken off it. True once that is done: from then on, until something else is
 * foreseen, regression_loss and regression_attend find it there. */
bool regression_foresee(struct regression *r, struct nw_spec spec, double theta, long *budget);

/* The loss over the points; foreseen, if it has not been. */
struct nw_loss_value regression_loss(struct regression *r, struct nw_spec spec, double theta);

/* Attends from all queries, and then from the one looked at. THETA is w times points.x_scale. */
void regression_attend(struct regression *r, enum nw_kernel kernel, double theta);

/* Looks at query X under the kernel and width of the last regression_attend. */
void regression_ask(struct regression *r, double x);

/* The same for row ROW of the queries, moved into their range; returns its x. */
double regression_ask_row(struct regression *r, long row);
void regression_choose_key(struct regression *r, long key);

/* Moves by BY columns of the weights. */
void regression_step_key(struct regression *r, long by);

/* What query X gets; undefined where selected.empty. */
double regression_answer(const struct regression *r);

/* The index of the one of N SORTED values that is nearest to X, the first of equals. */
size_t regression_nearest(const double *sorted, size_t n, double x);

/* X in the engine's units. */
double regression_to_engine(const struct regression *r, double x);

/* Attends from all queries into OUT, which belongs to the caller. */
void regression_attend_into(const struct regression *r, enum nw_kernel kernel, double theta,
                            struct attended *out);
void attended_free(struct attended *attended);

/* Score, weight and all of KEY as query X sees it. */
struct nw_key regression_key(const struct regression *r, size_t key);

/* A copy without what regression_attend can compute anew. */
struct regression regression_copy(const struct regression *from);
void regression_free(struct regression *r);

/* The tables fit (x, truth, y_hat), data (x, y), weights (queries x keys) and query (the sum, key by key). */
struct table regression_fit_table(const struct regression *r);
struct table regression_data_table(const struct regression *r);
struct table regression_weights_table(const struct regression *r);
struct table regression_query_table(const struct regression *r);

#endif
