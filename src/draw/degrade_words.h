/* What must be said in more characters than one where glyphs are few: 2^2 is not 22. */
#ifndef ATTNLAB_DRAW_DEGRADE_WORDS_H
#define ATTNLAB_DRAW_DEGRADE_WORDS_H

#include <stdbool.h>

#include "draw/frame.h"

/* Spells out powers, roots, sums, infinity and comparisons in FRAME, as drawn for the unicode tier: a small 2
 * as ^2, a root as sqrt, minus infinity as -inf. The characters more come out of the blanks, hatching or
 * rules beside the text; frames, curves and whatever has another background stay in their places, and texts
 * stay apart. Where there is no room the glyph is left. IS_ASCII: also what the console has a glyph for. */
void degrade_words(struct frame *frame, bool is_ascii);

#endif
