/* Small instruments: bars, sliders and the rails of what scrolls. */
#ifndef ATTNLAB_DRAW_BARS_H
#define ATTNLAB_DRAW_BARS_H

#include <stddef.h>

#include "draw/area.h"

/* A horizontal bar of LENGTH in [0, 1] of COLS columns from (X, Y) on, in eighths of a cell where the tier
 * has them. A length above 0 always shows something. */
void bar_draw(struct area a, int x, int y, int cols, double length, struct pen pen);

/* The same that grows from its right end to the left, in half cells where the tier has them. */
void bar_draw_left(struct area a, int x, int y, int cols, double length, struct pen pen);

/* A slider: a thin rail of COLS columns with a knob at PLACE in [0, 1]. */
void slider_draw(struct area a, int x, int y, int cols, double place, struct pen filled, struct pen rail);

/* A rail of one column beside a list of N rows of which those from FIRST on, N_SHOWN of them, are on show:
 * the thick part stands for these. It reaches an end of the rail only where the list does. */
void scroll_draw(struct area rail, size_t n, size_t first, size_t n_shown);

#endif
