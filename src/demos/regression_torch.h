/* What the scripts of the regression demos have in common. In a script x_train and y_train are the points as
 * they are computed with, x_data and y_data as the user knows them: a file's are standardised. */
#ifndef ATTNLAB_DEMOS_REGRESSION_TORCH_H
#define ATTNLAB_DEMOS_REGRESSION_TORCH_H

#include "data/buf.h"
#include "demos/regression.h"

/* Seeds, and sets x_train, y_train, x_data, y_data, x_test (the queries, in the user's units) and y_truth:
 * drawn with NOISE as STAGE says, or R's points themselves where they are a file's or were changed since.
 * DRAWN is a line that draws more after the points; "" for none. */
void regression_torch_points(const struct stage *stage, const struct regression *r, double noise,
                             const char *drawn, struct buf *out);

/* " / x_std" and the like for a file's points, "" for drawn ones. */
const char *regression_torch_unit(const struct regression *r, const char *text);

/* Defines attend(kernel, w), from all queries, w being in the units of x_train. */
void regression_torch_attend(const struct regression *r, struct buf *out);

/* Defines query(), the table of the query looked at under R's kernel and a w that has been set, in the same
 * units. */
void regression_torch_query(const struct regression *r, struct buf *out);

/* Defines others(rows): each point's keys and values without itself, the points in portions. */
void regression_torch_others(struct buf *out);

#endif
