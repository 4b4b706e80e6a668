/* A stack of small matrices with their numbers in big coloured cells: how every demo shows scores, weights,
 * queries, keys and outputs. Where the cells would get too small for numbers they keep their colours; larger
 * matrices belong to draw/heatmap.h. */
#ifndef ATTNLAB_DEMOS_MATRIX_VIEW_H
#define ATTNLAB_DEMOS_MATRIX_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "draw/area.h"
#include "draw/heatmap.h"

#define VIEW_NONE ((size_t)-1)

/* Writes the label of row or column I. */
typedef void view_label(const void *context, size_t i, char *out, size_t size);

/* Writes what stands at the right of row ROW of matrix BATCH, a few columns. */
typedef void view_note(const void *context, size_t batch, size_t row, char *out, size_t size);

struct matrix_view {
    const double *value; /* (batch, rows, cols); NaN cells are shown as NaN, off the scale */
    const unsigned char
        *masked;              /* (batch, rows, cols) or NULL: cells not 0 are hatched and carry MASKED_TEXT */
    const unsigned char *lit; /* likewise: cells not 0 are marked as belonging to the selection */
    const unsigned char *ahead; /* likewise: cells not 0 are not reached yet: a dot stands for the number */
    const char *masked_text;    /* NULL: nothing */
    size_t batch, rows, cols;
    double lo, hi; /* the colour scale's ends, widened as by view_widen; equal: cells stay uncoloured */
    const char *batch_name;  /* "batch": headings "batch 0", ...; NULL: none */
    const char *batch_brief; /* "b": headings "b0", ... where the long ones do not fit; NULL: room is made */
    const char *row_prefix, *col_prefix; /* "q" labels rows q0, q1, ...; NULL: no labels */
    view_label *row_label, *col_label;   /* instead of the prefixes, may be NULL */
    view_note *row_note;                 /* may be NULL */
    const char *note_title;              /* the heading above the notes, may be NULL */
    const void *label_context;
    size_t at_batch, at_row, at_col; /* the selection; VIEW_NONE: none, or the whole row (column) */
    bool row_sums;                   /* "Sum 1" at the right of each row; an empty row (all 0) says so */
};

/* Draws VIEW in A, the top matrices first; where not all rows fit, the part around the selection is shown
 * (with AT_BATCH alone: that matrix) and a rail at the right says which part that is. All cells have their
 * numbers or none, and numbers that are the same to the eye have the same colour. */
void matrix_view_draw(struct area a, const struct matrix_view *view);

/* The columns, and the lines, that VIEW takes with cells of a given size. */
int matrix_view_columns(const struct matrix_view *view, int cell_cols);
int matrix_view_lines(const struct matrix_view *view, int cell_rows);

/* The lines that a cell of CELL_COLS columns has at most: a narrow one does not become a tower. */
int matrix_view_tallest(int cell_cols);

/* The rows and columns that A can show with numbers of WIDTH columns (0: colours alone). */
bool matrix_view_fits(struct area a, const struct matrix_view *view, int width);

/* A pane's figure: TEXT right aligned and dim in CORNER, left out where it does not fit. */
void figure_text(struct area corner, const char *text);

/* A pane's figure: the shape "(2, 2, 4)"; batch 0 leaves the first number out. */
void figure_shape(struct area corner, size_t batch, size_t rows, size_t cols);

/* Cuts a line off the bottom of *A that says what a cell of H drawn in *A stands for, if it stands for
 * several values and A has the room. */
void cut_pooling_note(struct area *a, const struct heatmap *h);

/* Extends [*LO, *HI] over the values that are finite and not masked (MASKED may be NULL). Start with lo > hi.
 */
void view_range(double *lo, double *hi, const double *value, const unsigned char *masked, size_t n);

/* Makes a colour scale of the range [*LO, *HI]: where it is less than a hundredth of the largest magnitude in
 * it, it is widened about its middle until noise in the last digits is no longer told apart by colour.
 * Without any value (LO > HI) it is 0 to 1. */
void view_widen(double *lo, double *hi);

#endif
