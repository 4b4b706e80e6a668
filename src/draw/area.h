/* An area: a rectangle of a frame to draw in, with its own coordinates. Nothing drawn in an area leaves it.
 * Areas are passed by value; layouts are made by cutting pieces off. */
#ifndef ATTNLAB_DRAW_AREA_H
#define ATTNLAB_DRAW_AREA_H

#include <stdbool.h>

#include "draw/frame.h"
#include "draw/look.h"

struct area {
    struct frame *frame;
    const struct look *look;
    int x, y, cols, rows; /* within the frame; cols and rows may be 0, never less */
};

/* For lengths and places in cells. */
static inline int min_int(int a, int b)
{
    return a < b ? a : b;
}

static inline int max_int(int a, int b)
{
    return a > b ? a : b;
}

struct area area_all(struct frame *frame, const struct look *look);

/* The part at (X, Y) of size COLS x ROWS, clipped to A. */
struct area area_part(struct area a, int x, int y, int cols, int rows);

/* Cuts ROWS (COLS) off one side of *A and returns the piece; *A is what remains. More than there is: all of
 * it. */
struct area area_cut_top(struct area *a, int rows);
struct area area_cut_bottom(struct area *a, int rows);
struct area area_cut_left(struct area *a, int cols);
struct area area_cut_right(struct area *a, int cols);

/* A without DX columns at both sides and DY rows at top and bottom. */
struct area area_inset(struct area a, int dx, int dy);

static inline bool area_is_empty(struct area a)
{
    return a.cols <= 0 || a.rows <= 0;
}

/* Text from (X, Y) on, one line, clipped at both sides by cells (a wide character cut in half becomes a
 * blank); control characters are shown as U+FFFD. A pen whose bg is PEN_KEEP leaves the background as it is.
 * Return the columns that TEXT takes. */
int area_text(struct area a, int x, int y, struct pen pen, const char *text);
int area_textf(struct area a, int x, int y, struct pen pen, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* As area_text, but ending at the area's right edge minus INSET; returns the column where it begins. */
int area_text_right(struct area a, int inset, int y, struct pen pen, const char *text);
int area_text_center(struct area a, int y, struct pen pen, const char *text);

/* Text in COLS columns at most: if it does not fit, its end is replaced by an ellipsis. */
int area_text_fit(struct area a, int x, int y, int cols, struct pen pen, const char *text);

/* Text broken at blanks (between any two wide characters too) into the area from line Y on; returns the lines
 * used. */
int area_text_wrap(struct area a, int y, struct pen pen, const char *text);

void area_put(struct area a, int x, int y, struct pen pen, uint32_t glyph);
void area_fill(struct area a, struct pen pen, uint32_t glyph);

/* Only the pens of cells, their glyphs stay: highlights a region's background. */
void area_tint(struct area a, rgb bg);

/* A thin frame along the area's edge. */
void area_box(struct area a, struct pen pen, bool rounded);

/* A pane: a thin rounded frame that carries the title at its left and the figure (may be NULL) at its right,
 * in the accent colour if FOCUSED. Title and figure never run over the corner; the figure goes first where
 * both do not fit. Returns the inside, one column of air at both sides. */
struct area area_pane(struct area a, const char *title, const char *figure, bool focused);

/* The left edge of the pane whose inside, as area_pane returned it, is INSIDE: for an arrow that comes in
 * there. */
struct area area_left_border(struct area inside);

/* The column of air at the right of such an inside, for a rail that the contents have no column for. */
struct area area_right_air(struct area inside);

#define PEN_KEEP 0x1000000u /* as a bg: leave what is there */

#endif
