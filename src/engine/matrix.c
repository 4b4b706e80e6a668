#include "engine/matrix.h"

#include <stdint.h>
#include <stdlib.h>

#include "engine/mem.h"

/* A product that does not fit becomes a size that mem refuses. */
static size_t cells(size_t rows, size_t cols)
{
    return cols > 0 && rows > SIZE_MAX / cols ? SIZE_MAX : rows * cols;
}

struct matrix matrix_new(size_t rows, size_t cols)
{
    return (struct matrix){
        .rows = rows,
        .cols = cols,
        .at = mem_new(cells(rows, cols), sizeof(double)),
    };
}

void matrix_reshape(struct matrix *m, size_t rows, size_t cols)
{
    if (!m->at || cells(rows, cols) > cells(m->rows, m->cols))
        m->at = mem_grow(m->at, cells(rows, cols), sizeof(double));
    m->rows = rows;
    m->cols = cols;
}

void matrix_free(struct matrix *m)
{
    free(m->at);
    *m = (struct matrix){0};
}
