/* Small tensors as the attention demos use them: drawn as PyTorch draws them, changed by hand, put in words.
 */
#ifndef ATTNLAB_DEMOS_TENSORS_H
#define ATTNLAB_DEMOS_TENSORS_H

#include <stdbool.h>
#include <stddef.h>

#include "data/buf.h"
#include "data/error.h"
#include "data/number.h"
#include "demos/param.h"
#include "engine/matrix.h"
#include "engine/rng.h"

/* M becomes torch.normal(0, 1, (ROWS, COLS)). */
void tensor_normal(struct matrix *m, size_t rows, size_t cols, struct rng *rng);

/* M (OUT, IN) becomes the weight of nn.Linear(IN, OUT, bias=False). */
void tensor_linear(struct matrix *m, size_t in, size_t out, struct rng *rng);

struct matrix tensor_copy(const struct matrix *m);

/* Numbers in a row of a typed list; 0 for none. */
size_t typed_row_length(const struct value *v);

void typed_forget(struct value *v);

enum { TYPED_LIMIT = 100 }; /* the range of numbers that are typed or nudged */

/* A parameter for rows that are typed in place of drawn ones. */
#define TYPED_PARAM(typed, read, words)                                                                      \
    {                                                                                                        \
        .name = (typed), .label = (read), .kind = PARAM_LIST, .lo = -TYPED_LIMIT, .hi = TYPED_LIMIT,         \
        .rows = true, .optional = true, .initial = "none", .unit = "", .help = (words)                       \
    }

/* V by STEPS tenths, within the limit, without the noise that sums of tenths leave. */
double tensor_nudged(double v, int steps);

/* The index AT of N moved by BY, stopping at the ends. */
size_t index_moved(size_t at, long by, size_t n);

/* Whether there are a query QUERY of so many and a key KEY of so many; else ERROR says for `select` what
 * there is. */
bool pair_exists(long query, size_t n_queries, long key, size_t n_keys, struct error *error);

size_t index_at_most(size_t v, size_t most);

/* "alpha = exp(0.21 - 0.47) / 1.77 = 0.44": the softmax over N scores at KEY, with the largest taken off;
 * all with DIGITS digits. */
void describe_softmax(const double *score, size_t n, size_t key, int digits, struct buf *out);

#endif
