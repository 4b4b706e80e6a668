/* Points (x, y) for the regression demos: drawn as the book draws them, or from a user's file. */
#ifndef ATTNLAB_DEMOS_POINTS_H
#define ATTNLAB_DEMOS_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "data/csv.h"
#include "data/error.h"
#include "demos/demo.h"
#include "engine/nw.h"
#include "engine/rng.h"

/* A zeroed struct holds nothing. All arrays are sorted by x and never change: copies share them, so that a
 * million points are kept once, whatever undo remembers. */
struct points {
    size_t n;
    size_t *n_owners;                 /* of the arrays, the struct's own share among them */
    double *x, *y;                    /* as the user knows them */
    double *u, *v;                    /* as the engine gets them: (x - x_shift) / x_scale and y - y_shift */
    double x_shift, x_scale, y_shift; /* 0, 1, 0 for the book's points */
    double y_scale;                   /* 1 for them, else y's standard deviation (1 if it squares to 0) */
    double y_lo, y_hi;                /* the range of y */
    bool has_truth;                   /* drawn from TARGET */
    enum nw_target target;
    struct csv_guess guess; /* about the file; all 0 for the book's points */
};

/* The book's points: x = sort(rand(n) 5), y = target(x) + normal(0, noise), in float32 as PyTorch has them.
 */
void points_draw(struct points *points, struct rng *rng, size_t n, double noise, enum nw_target target);

/* Points from SOURCE's columns X_COLUMN, Y_COLUMN (see csv_points_parse). x is standardised for the engine
 * and y centred. On failure POINTS is unchanged. */
bool points_parse(struct points *points, const struct source *source, const char *x_column,
                  const char *y_column, struct error *error);

/* Appends what was guessed about POINTS' file, if they are from one. */
void points_describe(const struct points *points, struct buf *out);

/* Reports the same about STAGE's file. */
void points_report(const struct points *points, struct stage *stage);

/* Refuses to change parameter CHANGED where it means nothing: how points are drawn for a file's, a file's
 * column (IS_COLUMN) for drawn ones. */
bool points_may_change(const struct stage *stage, size_t changed, bool is_column, struct error *error);

/* Room for N points of FROM's kind and scale, to be filled by points_put in the order of x. */
struct points points_like(const struct points *from, size_t n);
void points_put(struct points *points, size_t i, double x, double y);

/* Another owner of FROM's arrays. */
struct points points_copy(const struct points *from);

/* Gives up POINTS' share in the arrays and zeroes it. */
void points_free(struct points *points);

/* LR as it acts on the loss in the user's units: as it would on the loss of a y whose standard deviation is
 * 1, so that a learning rate means the same for years and seconds, for grams and tons. */
static inline double points_rate(const struct points *points, double lr)
{
    return lr / (points->y_scale * points->y_scale);
}

static inline struct nw_data points_data(const struct points *points)
{
    return (struct nw_data){points->u, points->v, points->n};
}

#endif
