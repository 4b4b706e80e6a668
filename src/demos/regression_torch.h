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

/* Defines scaled(x), and query(), the table of the query looked at, for kernel and width of R, the width
 * being the Python expression W. */
void regression_torch_query(const struct regression *r, const char *w, struct buf *out);

/* Defines others(rows): each point's keys and values without itself, the points in portions. */
void regression_torch_others(struct buf *out);

#endif
