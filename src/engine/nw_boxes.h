/* The Gaussian Nadaraya-Watson sums of many points without looking at every pair: a fast Gauss transform.
 *
 * The points are put into boxes half a bandwidth wide, or narrower. Within a box the sums are so smooth that
 * their values at a few Chebyshev nodes tell them everywhere: the points are gathered at the nodes, the nodes
 * attend to nodes, and every point reads its sums off a series. The time is proportional to the number of
 * points plus some microseconds a box, whatever the number of pairs. */
#ifndef ATTNLAB_ENGINE_NW_BOXES_H
#define ATTNLAB_ENGINE_NW_BOXES_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/nw.h"
#include "engine/nw_sum.h"

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
    size_t first, end;    /* its points */
    bool sparse;          /* its sums are not to be trusted: too few keys about, or a crowd beside them */
    struct nw_nodes n, y; /* its points and their values, gathered at the nodes */
    struct nw_nodes k, ky, h, hy; /* Chebyshev coefficients of the sums over all keys (struct nw_sums) */
};

struct nw_boxes {
    struct nw_box *box; /* those that hold points, in ascending order; owned */
    size_t n;
    double width, w;
    double middle;                           /* the mean of y, to which every y is relative */
    struct nw_nodes chebyshev[NW_BOX_NODES]; /* polynomial j at the nodes */

    struct nw_data sorted; /* borrowed */
    size_t phase, at;      /* of the work: how many phases are done, and how much of the next one */
    struct nw_place place; /* of the last point looked at */
    size_t current;        /* the box at work */
    double sum;
    double moment_n[NW_BOX_NODES], moment_y[NW_BOX_NODES]; /* of its points so far */
    struct nw_meeting *meeting;                            /* owned, while there is work */
};

/* Boxes for Gaussian attention among SORTED points, to be worked out by nw_boxes_work. */
struct nw_boxes nw_boxes_begin(struct nw_data sorted, double w);

/* Does some *BUDGET nanoseconds of the work and takes them off it; true while more is left. Then there are
 * boxes, or none (n = 0) where they would save no time. */
bool nw_boxes_work(struct nw_boxes *boxes, long *budget);

/* All at once. */
struct nw_boxes nw_boxes_new(struct nw_data sorted, double w);

/* The sums over all keys as seen from X within a box that is not sparse; y_near is boxes->middle. */
struct nw_sums nw_box_sums(const struct nw_boxes *boxes, const struct nw_box *box, double x);

/* The box X falls into; NULL if there is none, or a sparse one. */
const struct nw_box *nw_boxes_find(const struct nw_boxes *boxes, struct nw_data sorted, double x);

void nw_boxes_free(struct nw_boxes *boxes);

#endif
