#include "demos/tensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/lang.h"
#include "engine/mem.h"

static void widen(struct matrix *m, float *drawn)
{
    for (size_t i = 0; i < m->rows * m->cols; i++)
        m->at[i] = (double)drawn[i];
    free(drawn);
}

void tensor_normal(struct matrix *m, size_t rows, size_t cols, struct rng *rng)
{
    float *const drawn = mem_new(rows * cols, sizeof *drawn);

    matrix_reshape(m, rows, cols);
    rng_normal(rng, 0, 1, drawn, rows * cols);
    widen(m, drawn);
}

void tensor_linear(struct matrix *m, size_t in, size_t out, struct rng *rng)
{
    float *const drawn = mem_new(in * out, sizeof *drawn);

    matrix_reshape(m, out, in);
    rng_linear(rng, in, out, drawn);
    widen(m, drawn);
}

struct matrix tensor_copy(const struct matrix *m)
{
    return (struct matrix){m->rows, m->cols, mem_copy(m->at, m->rows * m->cols, sizeof *m->at)};
}

size_t typed_row_length(const struct value *v)
{
    return v->n_rows > 0 ? v->n_list / v->n_rows : 0;
}

void typed_forget(struct value *v)
{
    v->n_list = v->n_rows = 0;
}

double tensor_nudged(double v, int steps)
{
    static const double digits = 1e9;

    return fmin(fmax(round((v + 0.1 * steps) * digits) / digits, -TYPED_LIMIT), TYPED_LIMIT) + 0.0;
}

size_t index_moved(size_t at, long by, size_t n)
{
    const long to = (long)at + by;

    return to < 0 ? 0 : to >= (long)n ? n - 1 : (size_t)to;
}

bool pair_exists(long query, size_t n_queries, long key, size_t n_keys, struct error *error)
{
    if (query < (long)n_queries && key < (long)n_keys)
        return true;
    return error_set(error, STATUS_USAGE, _("select: there are queries 0 to %zu and keys 0 to %zu"),
                     n_queries - 1, n_keys - 1);
}

size_t index_at_most(size_t v, size_t most)
{
    return v < most ? v : most;
}

void describe_softmax(const double *score, size_t n, size_t key, int digits, struct buf *out)
{
    double max = -HUGE_VAL, sum = 0;
    char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT], d[NUMBER_TEXT], operand[NUMBER_FACTOR];

    for (size_t i = 0; i < n; i++)
        max = fmax(max, score[i]);
    for (size_t i = 0; i < n; i++)
        sum += exp(score[i] - max);
    buf_printf(out, "\u03b1 = exp(%s \u2212 %s) / %s = %s", number_show(a, score[key], digits, 8),
               number_factor(operand, number_show(b, max, digits, 8)), number_show(c, sum, digits, 6),
               number_show(d, exp(score[key] - max) / sum, digits, 6));
}
