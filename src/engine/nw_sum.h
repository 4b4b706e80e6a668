/* The sums behind one query's attention, for nw.c. */
#ifndef ATTNLAB_ENGINE_NW_SUM_H
#define ATTNLAB_ENGINE_NW_SUM_H

#include <stddef.h>

#include "engine/nw.h"

/* One query's point of view. All that is summed is relative to its nearest key: to its distance and its
 * value. */
struct nw_view {
    enum nw_kernel kernel;
    double w; /* |w| */
    double query;
    double x_near, y_near; /* the nearest key and its value */
    double near;           /* its distance */
    size_t left_out;       /* an index, or NW_NO_KEY */
};

/* Sums over keys: of k, k (y - y_near), h, h (y - y_near), where dk/dw = nw_slope_factor h. */
struct nw_sums {
    double k, ky, h, hy;
};

/* QUERY looks at DATA, whose key NEAREST is the nearest one that is not left out. */
struct nw_view nw_look(enum nw_kernel kernel, struct nw_data data, double w, double query, size_t left_out,
                       size_t nearest);

/* Sums over the keys FIRST .. END-1. KEEP (NULL or a value for each key of DATA) receives their k. */
struct nw_sums nw_sum(const struct nw_view *view, struct nw_data data, size_t first, size_t end,
                      double *keep);

/* The largest k of a row: that of its nearest key, since every kernel falls with the distance. 0: no key in
 * reach. */
double nw_largest_k(const struct nw_view *view);

/* Keys farther away than this add nothing to the sums. */
double nw_reach(const struct nw_view *view);

/* W with its sign. */
double nw_slope_factor(enum nw_kernel kernel, double w);

#endif
