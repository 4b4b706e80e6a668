/* Reads points (x, y) from separated values as people have them: any of the usual separators, decimal signs,
 * line ends, quotes, headers and gaps. What had to be guessed is said. */
#ifndef ATTNLAB_DATA_CSV_H
#define ATTNLAB_DATA_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "data/error.h"
#include "data/progress.h"

enum { CSV_NAME = 64, CSV_LINES_TOLD = 3 };

/* A column as its file calls it. */
struct csv_column {
    size_t place;          /* from 1; 0: no column but the row's number */
    char header[CSV_NAME]; /* cleaned; "" if there is none */
};

/* Rows left out: how many, and where the first ones are. */
struct csv_left_out {
    size_t n;
    size_t line[CSV_LINES_TOLD];
};

/* What was guessed about a file, in no language yet: that can change while the points are on stage. */
struct csv_guess {
    size_t n_columns; /* 0: there is no file */
    char separator;
    bool has_decimal_comma, has_header;
    struct csv_column x, y;
    struct csv_left_out missing, infinite;
    size_t n_comments;       /* lines before the rows */
    size_t n_words;          /* columns of words that the default columns have passed over */
    struct csv_column words; /* the first of them */
};

struct csv_points {
    size_t n;
    double *x, *y; /* (n) each, owned, in the file's order */
    struct csv_guess guess;
};

/* Parses N BYTES of the file NAME (for messages). X_COLUMN and Y_COLUMN are a header's name, a 1-based
 * number, or "" for the first two columns whose first rows are numbers, x before y (a single column is
 * y over the row number). Errors read NAME:LINE: what, expected; a column that is not there is a
 * STATUS_USAGE. PROGRESS is told of bytes; to be stopped by it is an error too. */
bool csv_points_parse(const char *name, const char *bytes, size_t n, const char *x_column,
                      const char *y_column, struct progress progress, struct csv_points *out,
                      struct error *error);

/* The header, else "column 1" or "row", in OUT; returns OUT. */
const char *csv_column_name(const struct csv_column *column, char out[CSV_NAME]);

/* GUESS in a line: separator, decimal sign, header, columns, what was left out. Returns OUT. */
char *csv_guess_text(const struct csv_guess *guess, char *out, size_t size);

void csv_points_free(struct csv_points *points);

#endif
