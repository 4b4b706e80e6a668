/* The Gaussian Nadaraya-Watson sums of many points without looking at every pair: a fast Gauss transform.
 *
 * The points are put into boxes at most one bandwidth wide. Within a box everything smooth is known by its
 * values at a few Chebyshev nodes: the points are gathered there once, nodes attend to nodes, and the loss is
 * summed over nodes. The time is one pass over the points plus some microseconds a box, whatever the number
 * of pairs. */
#ifndef ATTNLAB_ENGINE_NW_BOXES_H
#define ATTNLAB_ENGINE_NW_BOXES_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/nw.h"

enum { NW_BOX_NODES = 12 };

/* One value for each node of a box. */
struct nw_nodes {
    double at[NW_BOX_NODES];
};

/* Where a box lies: it begins OFFSET widths, a whole number, after the point ANCHOR. */
struct nw_place {
    double anchor, offset;
    double order; /* a whole number; the difference of two is their distance in widths, or more than can be
                     seen */
};

struct nw_box {
    struct nw_place place;
    size_t first, end;        /* its points */
    bool poor;                /* too few keys about, or a crowd beside it: compute its points one by one */
    struct nw_nodes n, y, yy; /* its points: sums of 1, y, y^2, gathered at the nodes */
    struct nw_nodes k, ky;    /* what the nodes see: sums of k and k y over all keys */
    struct nw_nodes slope, slopey; /* and their derivatives by w */
};

struct nw_boxes {
    struct nw_box *box; /* those that hold points, in ascending order; owned */
    size_t n;
    double width, w;
    double middle;                        /* every y is relative to it */
    struct nw_nodes cosine[NW_BOX_NODES]; /* Chebyshev polynomial j at the nodes */
};

/* Boxes for Gaussian attention among SORTED points. None (n = 0) where they would save no time. */
struct nw_boxes nw_boxes_new(struct nw_data sorted, double w);

/* The sum of squared errors over a box's points, and its derivative by w. Not for a poor box. */
void nw_box_loss(const struct nw_box *box, bool leave_one_out, double *loss, double *gradient);

/* Y_HAT[i] for the points FIRST .. END-1 of a box that is not poor. */
void nw_box_predict_points(const struct nw_boxes *boxes, const struct nw_box *box, struct nw_data sorted,
                           bool leave_one_out, double *y_hat);

/* The prediction at X within a box that is not poor, from all points. */
double nw_box_predict(const struct nw_boxes *boxes, const struct nw_box *box, double x);

/* The box X falls into; NULL if there is none, or a poor one. */
const struct nw_box *nw_boxes_find(const struct nw_boxes *boxes, struct nw_data sorted, double x);

void nw_boxes_free(struct nw_boxes *boxes);

#endif
