/* A frame: a grid of character cells as a value. Everything is drawn into one; curses, ANSI, SVG and the
 * tests are writers of it. */
#ifndef ATTNLAB_DRAW_FRAME_H
#define ATTNLAB_DRAW_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "data/buf.h"
#include "draw/look.h"

enum { CELL_MARKS = 2 };

struct cell {
    uint32_t glyph;            /* never a control or combining character */
    uint32_t mark[CELL_MARKS]; /* combining marks, 0 where there are fewer; further ones are dropped */
    struct pen pen;
    uint8_t width; /* 1; 2 for a wide glyph; 0 for the cell that a wide glyph covers */
};

/* A zeroed struct is the empty frame. */
struct frame {
    int cols, rows;
    struct cell *cell; /* (rows, cols), owned */
};

/* Makes FRAME COLS x ROWS (>= 1 each) blanks of PEN; keeps memory where it can. */
void frame_reset(struct frame *frame, int cols, int rows, struct pen pen);
void frame_free(struct frame *frame);

static inline struct cell *frame_at(const struct frame *frame, int x, int y)
{
    return frame->cell + (size_t)y * (size_t)frame->cols + (size_t)x;
}

/* Puts one glyph at (X, Y); outside, nothing happens. A wide glyph that would reach past the right edge
 * becomes a blank; what is left of a wide glyph overwritten in part becomes a blank. */
void frame_put(struct frame *frame, int x, int y, struct pen pen, uint32_t glyph);

/* Replaces what LOOK's glyph tier cannot show (draw/degrade.c has the one table) and its colours by those of
 * LOOK's depth: afterwards pens hold only colours that frame_color_index can name. Text keeps a colour unlike
 * its background's. What one character cannot say takes more where there is room (draw/degrade_words.h). */
void frame_degrade(struct frame *frame, const struct look *look);

/* The number by which a terminal of DEPTH knows COLOR of a degraded frame: 0-255, 0xRRGGBB, or -1 for the
 * terminal's own default (the theme's background and text in 16 colours or fewer). */
int frame_color_index(const struct look *look, rgb color);

/* Writers; the frame should have been degraded for LOOK. Lines end in LF, in text without trailing blanks;
 * ANSI has nothing but SGR, reset at each line's end; SVG is self-contained and sharp at any size. */
void frame_text(const struct frame *frame, struct buf *out);
void frame_ansi(const struct frame *frame, const struct look *look, struct buf *out);
void frame_svg(const struct frame *frame, const struct look *look, struct buf *out);

#endif
