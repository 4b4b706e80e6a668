/* Matrices of one shape side by side, one of whose cells is selected: their colour scales, the window that is
 * shown when they are zoomed, and what a row of weights says. */
#ifndef ATTNLAB_DEMOS_PANELS_H
#define ATTNLAB_DEMOS_PANELS_H

#include <stdbool.h>
#include <stddef.h>

struct range {
    double lo, hi;
};

struct panels {
    size_t n, columns; /* panels, and how many stand side by side */
    size_t queries, keys;
    double *at;          /* (n, queries, keys), owned */
    struct range *range; /* (n) each one's colour scale, from 0 where nothing is negative; owned */
    struct range all;    /* of all panels */
    size_t n_nan;        /* cells of all panels */

    size_t panel, query, key; /* the selection */

    size_t zoom;                   /* the window shows one of ZOOM parts of either axis, rounded up */
    size_t first_query, first_key; /* the window's corner; at zoom 1 both are 0 */
};

/* Gives P room for N panels of (QUERIES, KEYS), all 0, in place of what it has. False if there is not so much
 * memory; P is then as before. */
bool panels_resize(struct panels *p, size_t n, size_t columns, size_t queries, size_t keys);

/* Brings scales, selection and window up to the panels' values. */
void panels_refresh(struct panels *p);

void panels_free(struct panels *p);

const double *panel_values(const struct panels *p, size_t panel);

/* The selected row (keys). */
const double *panels_row(const struct panels *p);

/* Every row of N values (N a multiple of KEYS) becomes its softmax; a score of -inf gets the weight 0, and a
 * row of nothing else becomes the empty row. */
void rows_softmax(double *at, size_t n, size_t keys);

/* Moves the selected cell; at a panel's edge it goes over to the panel beside it. */
void panels_move(struct panels *p, int dx, int dy);

/* Shows other parts of the axes, around the selection. */
void panels_zoom(struct panels *p, size_t zoom);

/* The window's size. */
size_t panels_shown_queries(const struct panels *p);
size_t panels_shown_keys(const struct panels *p);

/* Moves the window as little as brings the selection into it. */
void panels_follow(struct panels *p);

struct row_facts {
    double sum, entropy;      /* the entropy in nats; 0 unless these are weights */
    bool is_weights;          /* none negative, and the sum is 1 within the tolerance */
    bool is_empty;            /* all 0: there was no valid key */
    size_t n_nan, n_infinite; /* with any of these there is no sum */
    size_t largest;           /* the first largest of those that are numbers */
};

struct row_facts row_facts(const double *row, size_t n, double tolerance);

#endif
