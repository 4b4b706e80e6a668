/* What the floor's own files share about colours: how a theme's colours fare where there are few. */
#ifndef ATTNLAB_DRAW_PALETTE_H
#define ATTNLAB_DRAW_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

#include "draw/look.h"

struct role_style {
    rgb fg, bg; /* bg 0: the theme's background */
    uint8_t attr;
    int8_t ansi16,
        ansi8;    /* the colour's number with 16 and 8 colours, chosen by hand; -1: the terminal's default */
    uint8_t mono; /* attributes that stand for the colour where there is none */
};

/* The role whose text has the colour FG, or NULL. */
const struct role_style *palette_role(const struct look *look, rgb fg);

/* A channel of COLOR, at SHIFT, as light: sRGB made linear, in [0, 1]. */
double color_linear(rgb color, int shift);

/* Relative luminance as in WCAG 2, in [0, 1]. */
double color_luminance(rgb color);

/* The colours 16 to 255 that terminals with 256 know: a cube, whose channels have the levels palette_cube,
 * and greys. Those before are anyone's. */
enum { CUBE_BASE = 16, CUBE = 6, GREY_BASE = 232, GREYS = 24 };
extern const int palette_cube[CUBE];
rgb palette_xterm(int index);

/* Stands in for RAMP with those colours: FEW are the nearest (the sum of squared distances in OKLab is the
 * least) of all that keep order. From one level to the next their luminance never falls where RAMP's rises or
 * stays, and never rises where it falls; each on its own would have its nearest, they would not. */
void palette_ramp(const rgb ramp[HEAT_LEVELS], rgb few[HEAT_LEVELS]);

/* Whether BG is that of a key cap or of the row under the cursor. */
bool palette_is_raised(const struct look *look, rgb bg);

#endif
