/* A demo's state as a Python script for PyTorch that rebuilds it and prints its tables: what the demos'
 * scripts have in common. The scripts are in English, whatever the language on stage. */
#ifndef ATTNLAB_DEMOS_TORCH_SCRIPT_H
#define ATTNLAB_DEMOS_TORCH_SCRIPT_H

#include <stddef.h>

#include "data/buf.h"
#include "demos/demo.h"
#include "engine/nw.h"

/* The whole script: what the demo on STAGE has to say between imports and a tail that prints a table as csv,
 * TABLE (NULL: the demo's first) or the one that is named when the script is run. */
void torch_script(const struct stage *stage, const char *table, struct buf *out);

/* ---- for the demos' part. It ends by setting `tables`, a dict of every table of the demo by name: a tensor
 * for a matrix, a dict of columns for another table, or a function that returns either. Of what is imported
 * and defined for all scripts (csv, sys, torch; math and nn where the part mentions them) nothing need be
 * repeated. */

/* "torch.manual_seed(42)" and a line end, by the stage's parameter of that kind. */
void torch_seed(const struct stage *stage, struct buf *out);

/* A number that Python reads back to the same double. */
void torch_number(double v, struct buf *out);

/* TEXT in quotes, escaped. */
void torch_text(const char *text, struct buf *out);

/* "(2, 1, 20)": RANK sizes. */
void torch_shape(const size_t *shape, size_t rank, struct buf *out);

/* "NAME = torch.tensor(...)" of float64 and a line end: the numbers AT, row-major. Many are written packed.
 */
void torch_tensor(const char *name, const double *at, const size_t *shape, size_t rank, struct buf *out);

/* What masked keys get in the script's masked_softmax. */
enum torch_fill {
    TORCH_FILL_NONE,     /* left out; a row without a valid key has no weights at all */
    TORCH_FILL_LOW,      /* -1e6, the book's */
    TORCH_FILL_INFINITE, /* -inf: NaN in a row without a valid key */
};

/* Defines masked_scores(scores, valid_lens) and masked_softmax(scores, valid_lens) for scores (b, q, k). */
void torch_masked_softmax(enum torch_fill fill, struct buf *out);

/* "valid_lens = ..." and a line end, from the parameter V: a tensor of one or two axes, or None. */
void torch_valid_lens(const struct value *v, struct buf *out);

/* Defines a function by KERNEL's name: from scaled distances u to the weights of the keys, its last axis. */
void torch_kernel(enum nw_kernel kernel, struct buf *out);
const char *torch_kernel_name(enum nw_kernel kernel);

/* Python expressions over u, a vector of scaled distances: the score and exp columns of a query's table. */
const char *torch_kernel_score(enum nw_kernel kernel);
const char *torch_kernel_expo(enum nw_kernel kernel);

/* The learning rate that led from state K to K + 1 of a run (dim, theta and gradient as in engine/run.h)
 * whose steps are the gradient times rate / OVER: LR if it did, else the shortest decimal that did. NaN if
 * none: theta was set by hand. */
double torch_rate(const double *theta, const double *gradient, size_t dim, size_t k, double lr, double over);

#endif
