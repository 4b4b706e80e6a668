/* Reads a matrix from separated values: bare numbers, or with labels above the columns, before the rows, or
 * both. What had to be guessed is said. */
#ifndef ATTNLAB_DATA_CSV_MATRIX_H
#define ATTNLAB_DATA_CSV_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#include "data/error.h"
#include "data/labels.h"

struct csv_matrix {
    size_t rows, cols;
    double *at;                         /* (rows, cols), owned; a missing number is NaN, infinities stay */
    struct labels row_label, col_label; /* n is 0 or the number of rows, of columns */
    char separator;                     /* '\0': a single column */
    bool has_decimal_comma;
    size_t n_comments; /* lines before the matrix */
};

/* Parses N BYTES of the file NAME (for messages). The first record holds labels if most of its fields are
 * words, the first column if most of its fields are or if the first record leaves its place empty or has none
 * for it; numbered rows and columns under an empty corner, as pandas writes them, are labels too. Rows of
 * different lengths are refused. On failure OUT is empty. */
bool csv_matrix_parse(const char *name, const char *bytes, size_t n, struct csv_matrix *out,
                      struct error *error);

/* What was guessed about MATRIX's file in a line: separator, decimal sign, labels. Returns OUT. */
char *csv_matrix_text(const struct csv_matrix *matrix, char *out, size_t size);

void csv_matrix_free(struct csv_matrix *matrix);

#endif
