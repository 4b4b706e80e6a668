/* Reads points (x, y) from separated values as people have them: any of the usual separators, decimal signs,
 * line ends, quotes, headers and gaps. What had to be guessed is said. */
#ifndef ATTNLAB_DATA_CSV_H
#define ATTNLAB_DATA_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "data/error.h"
#include "data/progress.h"

struct csv_points {
    size_t n;
    double *x, *y;                /* (n) each, owned, in the file's order */
    char x_name[64], y_name[64];  /* cleaned; "column 1" or "row" without a header */
    size_t n_missing, n_infinite; /* rows left out */
    char note[256];               /* one line: separator, decimal sign, header, columns, rows left out */
};

/* Parses N BYTES of the file NAME (for messages). X_COLUMN and Y_COLUMN are a header's name, a 1-based
 * number, or "" for the first columns still free, x before y (a single column is y over the row number).
 * Errors read NAME:LINE: what, expected; a column that is not there is a STATUS_USAGE. PROGRESS is told of bytes; to
 * be stopped by it is an error too. */
bool csv_points_parse(const char *name, const char *bytes, size_t n, const char *x_column, const char *y_column,
                      struct progress progress, struct csv_points *out, struct error *error);

void csv_points_free(struct csv_points *points);

#endif
