#include "draw/bars.h"

#include <math.h>

enum {
    FULL_BLOCK = 0x2588, /* followed by seven eighths down to one: FULL_BLOCK + 8 - eighths */
    LEFT_HALF = 0x258c,
    RIGHT_HALF = 0x2590,
    EIGHTHS = 8,
};

static double clamp01(double t)
{
    return t > 0 ? fmin(t, 1) : 0;
}

/* What stands for a cell filled to EIGHTHS (1 to 8) from the left. */
static uint32_t part_glyph(enum glyphs tier, int eighths)
{
    switch (tier) {
    case GLYPHS_UNICODE:
        return (uint32_t)(FULL_BLOCK + EIGHTHS - eighths);
    case GLYPHS_CONSOLE:
        return eighths <= EIGHTHS / 2 ? LEFT_HALF : FULL_BLOCK;
    default:
        return eighths < EIGHTHS / 2 ? '|' : '#';
    }
}

void bar_draw(struct area a, int x, int y, int cols, double length, struct pen pen)
{
    static const int steps[GLYPH_TIERS] = {
        [GLYPHS_ASCII] = 1, [GLYPHS_CONSOLE] = 2, [GLYPHS_UNICODE] = EIGHTHS};
    int unit = EIGHTHS / steps[a.look->glyphs];
    int eighths = unit * (int)lround(clamp01(length) * cols * steps[a.look->glyphs]);

    if (eighths == 0 && length > 0)
        eighths = 1;
    for (int i = 0; i < cols && eighths > 0; i++, eighths -= EIGHTHS)
        area_put(a, x + i, y, pen, part_glyph(a.look->glyphs, eighths < EIGHTHS ? eighths : EIGHTHS));
}

void bar_draw_left(struct area a, int x, int y, int cols, double length, struct pen pen)
{
    const bool ascii = a.look->glyphs == GLYPHS_ASCII;
    int halves = ascii ? 2 * (int)lround(clamp01(length) * cols) : (int)lround(clamp01(length) * cols * 2);

    if (halves == 0 && length > 0)
        halves = 1;
    for (int i = cols - 1; i >= 0 && halves > 0; i--, halves -= 2)
        area_put(a, x + i, y, pen, halves > 1 ? (ascii ? '#' : FULL_BLOCK) : ascii ? '|' : RIGHT_HALF);
}

void slider_draw(struct area a, int x, int y, int cols, double place, struct pen filled, struct pen rail)
{
    int knob = (int)lround(clamp01(place) * (cols - 1));

    for (int i = 0; i < cols; i++)
        area_put(a, x + i, y, i <= knob ? filled : rail, i < knob ? 0x2501 : i == knob ? 0x25cf : 0x2500);
}

/* The thick part is at least a row and never the whole rail: something is out of sight. */
void scroll_draw(struct area rail, size_t n, size_t first, size_t n_shown)
{
    if (area_is_empty(rail) || n <= n_shown)
        return;
    size_t rows = (size_t)rail.rows, length = n_shown * rows / n, rest = n - n_shown;
    length = length == 0 ? 1 : length;
    size_t room = rows - length, start = first * room / rest;
    /* With two rows or more to move in, only the ends of the list are at the ends of the rail. */
    if (room >= 2 && first > 0 && start == 0)
        start = 1;
    if (room >= 2 && first < rest && start == room)
        start = room - 1;
    for (size_t y = 0; y < rows; y++) {
        bool thumb = y >= start && y < start + length;
        area_put(rail, 0, (int)y, look_pen(rail.look, thumb ? ROLE_TEXT : ROLE_FAINT),
                 thumb ? 0x2503 : 0x2502);
    }
}
