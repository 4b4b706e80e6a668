/* A handful of items with their numbers and bars, one line each: how the small demos show keys, values and
 * weights; and what lists of numbers in parameters need, item by item. */
#ifndef ATTNLAB_DEMOS_ITEMS_VIEW_H
#define ATTNLAB_DEMOS_ITEMS_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "data/error.h"
#include "data/number.h"
#include "demos/matrix_view.h"
#include "demos/param.h"
#include "draw/area.h"

enum { ITEMS_PITCH_MOST = 4 }; /* lines from one item to the next */

struct items_column {
    const char *title;    /* translated */
    const double *number; /* (n); NaN: nothing is shown */
    double longest;       /* > 0: with a bar, this number's being the longest */
    enum role role;       /* of the numbers and the bar */
    double total;         /* in the line below the items; NaN: none */
    bool spare;           /* left out where there is too little room */
};

struct items_view {
    size_t n;
    view_label *name; /* of item I; NULL: its number */
    const void *name_context;
    const char *name_title; /* translated */
    const struct items_column *column;
    size_t n_columns;
    size_t at; /* the selected item */
};

/* Draws the items in A: a line of titles, the items (all lines the same height, more where there is room; the
 * part around the selected one where not all fit), a line of totals if there are any. */
void items_view_draw(struct area a, const struct items_view *view);

/* VALUE as the lines show it: five digits in ten columns, which a small weight, 1.2555e-08, just fits.
 * Returns OUT. */
const char *items_number(char out[NUMBER_TEXT], double value);

/* Writes into LINE from column X on the sum of N products, OUTPUT: "0.5*2 + 0.3*(-4) + ... = 1.2", with as
 * many products as fit. */
void items_sum_draw(struct area line, int x, const double *weight, const double *value, size_t n,
                    double output);

/* Moves AT to item ROW of N; else ERROR says for `select` which there are. */
bool items_select(size_t *at, size_t n, long row, struct error *error);

/* Moves number ITEM of list V by STEPS key presses as P says. */
void items_adjust(const struct param *p, struct value *v, size_t item, int steps);

/* Gives list V N numbers: cut off, or the last one repeated. */
void items_follow(struct value *v, size_t n);

#endif
