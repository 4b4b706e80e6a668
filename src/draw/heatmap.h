/* Heatmaps: matrices of weights as coloured cells with a colour bar, axes and a selection. */
#ifndef ATTNLAB_DRAW_HEATMAP_H
#define ATTNLAB_DRAW_HEATMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "draw/area.h"

enum pooling {
    POOL_MAX,  /* a shown cell is the largest of the values it stands for: a thin diagonal stays visible */
    POOL_MEAN, /* their mean */
};

/* How a value becomes a colour between the scale's ends. */
enum heat_scale {
    HEAT_LINEAR,
    HEAT_ROOT, /* by the square root of its distance to LO: small weights beside large ones stay visible */
};

/* Text for the tick of row or column I, "" for none. */
typedef void heatmap_label(const void *context, size_t i, char *out, size_t size);

struct heatmap {
    const double *value; /* (n_q, n_k), row-major; NaN cells are hatched, -inf is the scale's low end */
    const unsigned char
        *masked; /* (n_q, n_k) or NULL; cells that are not 0 are hatched and not on the scale */
    size_t n_q, n_k;
    double lo, hi; /* the colour scale's ends, fixed while stepping */
    enum heat_scale scale;
    enum pooling pooling;
    const char *q_title, *k_title;    /* axis titles; may be NULL */
    heatmap_label *q_label, *k_label; /* NULL: 0-based numbers */
    const void *label_context;
    size_t selected_q, selected_k; /* HEATMAP_NONE: none */
    bool color_bar;
};

#define HEATMAP_NONE ((size_t)-1)

/* What heatmap_draw made of the matrix, to be said in the pane's figure. */
struct heatmap_fit {
    size_t values_per_cell_q,
        values_per_cell_k; /* 1 where every value has its cell (the largest count otherwise) */
};

/* Draws H in A: labels at the left and below (both ends always labelled where there is room for labels at
 * all), arrows at the selected row, the selected cell marked, colour bar with numbers at the right. Uses half
 * blocks (two values a character) where LOOK allows, whole multiples of a cell where there is room, the
 * numbers in the cells where they fit, and pools by H->pooling where there is too little. Row boundaries
 * under pooling: shown row r stands for values floor(r n / rows) .. floor((r+1) n / rows) - 1. */
struct heatmap_fit heatmap_draw(struct area a, const struct heatmap *h);

/* The same arithmetic without drawing. */
struct heatmap_fit heatmap_measure(struct area a, const struct heatmap *h);

/* A vertical colour bar with its numbers: hi at the top, lo at the bottom, between them what there is room
 * for, each at its place on the scale. */
void color_bar(struct area a, double lo, double hi, enum heat_scale scale);

/* The columns that such a bar takes. */
int color_bar_columns(double lo, double hi, enum heat_scale scale);

#endif
