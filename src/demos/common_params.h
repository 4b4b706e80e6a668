/* Parameters that several demos offer, for their tables: [P_SEED] = SEED_PARAM. */
#ifndef ATTNLAB_DEMOS_COMMON_PARAMS_H
#define ATTNLAB_DEMOS_COMMON_PARAMS_H

#include "data/lang.h"
#include "demos/param.h"

#define SEED_PARAM                                                                                           \
    {                                                                                                        \
        .name = "seed", .label = N_("seed"), .kind = PARAM_SEED, .step = 1, .steps = STEPS_LINEAR,           \
        .initial = "42", .unit = "", .help = N_("draws the same numbers as torch.manual_seed(seed)")         \
    }

/* How many there are of something, from 1 to MOST, where another number draws anew. */
#define SIZE_PARAM(typed, read, most, default_size, words)                                                   \
    {                                                                                                        \
        .name = (typed), .label = (read), .kind = PARAM_INTEGER, .lo = 1, .hi = (most), .step = 1,           \
        .steps = STEPS_LINEAR, .initial = (default_size), .unit = "", .help = (words)                        \
    }

/* The names of enum nw_kernel, NULL-terminated. */
extern const char *const kernel_names[];

#define KERNEL_PARAM(words)                                                                                  \
    {                                                                                                        \
        .name = "kernel", .label = N_("kernel"), .kind = PARAM_CHOICE, .choices = kernel_names,              \
        .initial = "gaussian", .unit = "", .help = (words)                                                   \
    }

/* The regressions' data: the book's points, MOST at most, and their noise; or a file's columns, x and y. */
#define N_POINTS_PARAM(most)                                                                                 \
    {                                                                                                        \
        .name = "n", .label = N_("points"), .kind = PARAM_INTEGER, .lo = 2, .hi = (most), .usual_lo = 2,     \
        .usual_hi = 200, .step = 1, .steps = STEPS_LINEAR, .initial = "50", .unit = "",                      \
        .help = N_("number of training points drawn")                                                        \
    }

#define NOISE_PARAM                                                                                          \
    {                                                                                                        \
        .name = "noise", .label = N_("noise"), .kind = PARAM_REAL, .lo = 0, .hi = 100, .usual_lo = 0,        \
        .usual_hi = 2, .step = 0.1, .steps = STEPS_LINEAR, .initial = "0.5", .unit = "",                     \
        .help = N_("standard deviation of the normal noise on y")                                            \
    }

#define COLUMN_PARAM(typed, read, words)                                                                     \
    {                                                                                                        \
        .name = (typed), .label = (read), .kind = PARAM_TEXT, .of_file = true, .initial = "", .unit = "",    \
        .hidden = true, .help = (words)                                                                      \
    }

#define X_COLUMN_PARAM COLUMN_PARAM("x", N_("x column"), N_("the file's column for x: its name or number"))
#define Y_COLUMN_PARAM COLUMN_PARAM("y", N_("y column"), N_("the file's column for y: its name or number"))

/* The x whose attention the regressions show. */
#define QUERY_PARAM                                                                                          \
    {                                                                                                        \
        .name = "query", .label = N_("query"), .kind = PARAM_REAL, .lo = -1e300, .hi = 1e300, .step = 0.1,   \
        .steps = STEPS_LINEAR, .initial = "", .unit = "",                                                    \
        .help = N_("the x that is asked about: its row and its sum are shown")                               \
    }

#endif
