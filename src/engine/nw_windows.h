/* The Nadaraya-Watson sums of many points under a compact kernel without looking at every pair. Within its
 * reach such a kernel is a polynomial of the distance, so its sums are differences of running sums of powers
 * of x. These are kept in twice a double's digits, for what is left of the difference is a small part of
 * them. The time is proportional to the number of points, whatever the number of pairs. */
#ifndef ATTNLAB_ENGINE_NW_WINDOWS_H
#define ATTNLAB_ENGINE_NW_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/nw.h"
#include "engine/nw_sum.h"

/* The unevaluated sum of two doubles, LO below the last digit of HI. */
struct nw_long {
    double hi, lo;
};

/* Sums over the points before one: of (x - origin)^p and, times y - middle, of the same. */
struct nw_running {
    struct nw_long x[3], xy[3]; /* by p; x[0] is not used, it is the number of points */
};

struct nw_windows {
    enum nw_kernel kernel;
    struct nw_data sorted; /* borrowed */
    double w;
    double origin, middle;      /* a key and the mean of y, to which every x and y are relative */
    struct nw_running *running; /* (n + 1), owned; NULL: there are none */
    size_t first, end;          /* the window of the last point asked for */
};

/* Windows for a KERNEL that is not Gaussian among SORTED points. None (running NULL) where they would save no
 * time, or where the values are too large or the window too narrow for the digits. */
struct nw_windows nw_windows_new(enum nw_kernel kernel, struct nw_data sorted, double w);

/* The sums over all keys as seen from point I, itself LEFT_OUT or not; y_near is windows->middle. Points are
 * asked for in ascending order. False where pair by pair is quicker, or better since little is left of the
 * sums. */
bool nw_window_sums(struct nw_windows *windows, size_t i, bool left_out, struct nw_sums *sums);

void nw_windows_free(struct nw_windows *windows);

#endif
