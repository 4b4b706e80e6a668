/* A demo on stage without a screen, for tests that use cmocka: opened with settings, driven by commands, read
 * by its tables. Every function fails the running test where it cannot do what it says. */
#ifndef ATTNLAB_TESTS_ON_STAGE_H
#define ATTNLAB_TESTS_ON_STAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "data/error.h"
#include "data/table.h"
#include "session/session.h"

/* Opens DEMO with SETTINGS ("seed=1 lr=0.1", separated by blanks; NULL: none) in a truecolor unicode dark
 * look. */
struct session *on_stage(const char *demo, const char *settings);

/* The same on FILE. */
struct session *on_stage_file(const char *demo, const char *file, const char *settings);

/* What opening gives where it must fail. */
struct error on_stage_refused(const char *demo, const char *settings);

/* Runs the command line, which must succeed. */
void perform(struct session *session, const char *line);

/* Runs the command line, which must be refused, and gives the error. */
struct error refused(struct session *session, const char *line);

/* A table by name; the caller frees it. */
struct table table_of(const struct session *session, const char *name);

/* The numbers of a column of TABLE; they belong to the table. */
const double *column(const struct table *table, const char *name);

/* A matrix table's values, row-major (n_rows, n_columns); owned by the caller. */
double *matrix_values(const struct table *table);

/* Fails unless the N values of the matrix table NAME, row-major, are EXPECTED: |got - expected| <= TOLERANCE
 * + 10 TOLERANCE |expected| each. */
void assert_table_close(const struct session *session, const char *name, const double *expected, size_t n,
                        double tolerance);

/* Fails unless the matrix table NAME, or column NAME of TABLE, holds the numbers of TENSOR in the golden
 * FILE: |got - expected| <= 1e-6 + 1e-5 |expected| each. */
void assert_golden_table(const struct session *session, const char *name, const char *file,
                         const char *tensor);
void assert_golden_column(const struct session *session, const char *table, const char *name,
                          const char *file, const char *tensor);

/* Fails unless the matrix table NAME is the same in A and B to the last bit. */
void assert_same_table(const struct session *a, const struct session *b, const char *name);

/* What printing gives in FORMAT, of COLS x ROWS; owned by the caller. */
char *printed(struct session *session, const char *format, int cols, int rows);

/* The same as text. */
char *screen_text(struct session *session, int cols, int rows);

/* Fails unless TEXT stands (does not stand) on a screen of 120x40. */
void assert_on_screen(struct session *session, const char *text);
void assert_not_on_screen(struct session *session, const char *text);

#endif
