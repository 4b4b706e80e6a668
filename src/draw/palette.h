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

/* Whether BG is that of a key cap or of the row under the cursor. */
bool palette_is_raised(const struct look *look, rgb bg);

#endif
