/* A dense matrix of doubles, row-major. A zeroed struct is the empty matrix. */
#ifndef ATTNLAB_ENGINE_MATRIX_H
#define ATTNLAB_ENGINE_MATRIX_H

#include <stddef.h>

struct matrix {
    size_t rows, cols;
    double *at; /* rows * cols values, owned */
};

/* A zeroed matrix of ROWS x COLS. */
struct matrix matrix_new(size_t rows, size_t cols);

/* Gives M the shape ROWS x COLS; the contents are undefined afterwards. Keeps the memory if it suffices. */
void matrix_reshape(struct matrix *m, size_t rows, size_t cols);

/* Releases M and makes it the empty matrix. */
void matrix_free(struct matrix *m);

static inline double *matrix_row(const struct matrix *m, size_t row)
{
    return m->at + row * m->cols;
}

#endif
