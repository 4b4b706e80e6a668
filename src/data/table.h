/* Tables as values: named columns of numbers or texts, and their csv and json. */
#ifndef ATTNLAB_DATA_TABLE_H
#define ATTNLAB_DATA_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "data/buf.h"

struct table_column {
    char *name; /* owned */
    bool is_text;
    double *number; /* (n_rows), owned; NaN is a missing value; NULL if is_text */
    char **text;    /* (n_rows), owned, entries may be NULL; NULL unless is_text */
};

/* A zeroed struct is the empty table. */
struct table {
    bool is_matrix; /* bare rows in csv, rows of numbers in json; columns then need no names */
    size_t n_rows, n_columns;
    struct table_column *column; /* owned */
};

/* A table of N_ROWS rows without columns. */
struct table table_new(size_t n_rows);

/* Adds a column of missing numbers and returns its n_rows places. */
double *table_add_numbers(struct table *table, const char *name);

/* Adds a column of texts, all NULL. Entries are set with table_set_text, which copies. */
size_t table_add_texts(struct table *table, const char *name);
void table_set_text(struct table *table, size_t column, size_t row, const char *text);

/* A matrix (rows, cols), copied. */
struct table table_from_matrix(const double *at, size_t rows, size_t cols);

void table_free(struct table *table);

/* RFC 4180 with LF line ends; a missing number is an empty field, in a matrix nan; +-inf are written inf,
 * -inf. Control characters in names and texts are replaced. */
void table_csv(const struct table *table, struct buf *out);

/* One JSON value: a list of rows for a matrix, else an object of columns {"name": [...]}; missing is null,
 * and so are infinities. */
void table_json(const struct table *table, struct buf *out);

/* A JSON string with quotes, escaped; bad UTF-8 replaced. */
void json_string(const char *text, struct buf *out);

#endif
