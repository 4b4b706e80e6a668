/* How the regression demos show a struct regression: the fit, the attention weights, the selected query's
 * sum. */
#ifndef ATTNLAB_DEMOS_REGRESSION_VIEW_H
#define ATTNLAB_DEMOS_REGRESSION_VIEW_H

#include <stddef.h>

#include "data/buf.h"
#include "data/number.h"
#include "demos/regression.h"
#include "draw/area.h"
#include "draw/heatmap.h"

/* Four digits in eight columns: what fits a table of nine-column cells. */
const char *show_number(char out[NUMBER_TEXT], double value);

/* A pane's figure: "o data - truth - prediction". Left out where CORNER is too small. IS_SMALL: of
 * small panels, whose points are dots. */
void regression_legend(const struct regression *r, struct area corner, bool is_small);

/* Of very many points every so manieth is drawn: where a million overlap it looks the same and is there at
 * once. */
size_t regression_stride(const struct regression *r);

/* Points, truth, prediction and the selected query. AVERAGE is average pooling's flat line, NaN: none. */
void regression_draw_fit(const struct regression *r, struct area inside, double average);

/* The same picture of another width: Y_HAT in place of the prediction, nothing selected. */
void regression_draw_small_fit(const struct regression *r, struct area inside, const double *y_hat);

/* The heatmap of ATTENDED on a SCALE from 0 to HI, rows without a key hatched. */
struct heatmap regression_heatmap(const struct regression *r, const struct attended *attended, double hi,
                                  enum heat_scale scale);

/* The columns of a screen of COLS that the pane with the weights should have: what gives every key a column
 * of its own, within reason. */
int regression_weights_cols(const struct regression *r, int cols);

/* The heatmap of all queries, with a line that tells what a pooled cell stands for. */
void regression_draw_weights(const struct regression *r, struct area inside, double hi,
                             enum heat_scale scale);
void regression_weights_figure(const struct regression *r, struct area corner);

/* The selected query's sum, key by key, the largest weights first. */
void regression_draw_sum(const struct regression *r, struct area inside);
void regression_sum_figure(const struct regression *r, struct area corner);

/* N_(): said while a change is put off. */
extern const char *const remark_put_off;

/* The estimator's formula, in symbols. */
const char *regression_formula(enum nw_kernel kernel);

/* The sum with the current numbers put in: "y(2) = 0.67*3.8 + 0.29*4.7 + ... = 4.07". */
void regression_sum_text(const struct regression *r, struct buf *out);

#endif
