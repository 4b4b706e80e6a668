#include "draw/frame.h"

#include <stdbool.h>

#include "data/utf8.h"

static void put_glyph(struct buf *out, const struct cell *cell)
{
    char bytes[5];

    buf_add(out, bytes, utf8_put(cell->glyph, bytes));
    for (int i = 0; i < CELL_MARKS && cell->mark[i] != 0; i++)
        buf_add(out, bytes, utf8_put(cell->mark[i], bytes));
}

void frame_text(const struct frame *frame, struct buf *out)
{
    for (int y = 0; y < frame->rows; y++) {
        int end = frame->cols;

        while (end > 0 && frame_at(frame, end - 1, y)->glyph == ' ' &&
               frame_at(frame, end - 1, y)->width == 1 && frame_at(frame, end - 1, y)->mark[0] == 0)
            end--;
        for (int x = 0; x < end; x++)
            if (frame_at(frame, x, y)->width > 0)
                put_glyph(out, frame_at(frame, x, y));
        buf_putc(out, '\n');
    }
}

/* What a terminal would paint the next character with. */
struct sgr {
    int fg, bg, attr;
};

static const struct sgr sgr_reset = {-1, -1, 0};

static void put_color(struct buf *out, enum depth depth, int color, bool is_bg)
{
    int base = is_bg ? 40 : 30;

    if (color < 0)
        buf_printf(out, "%d;", base + 9);
    else if (depth == DEPTH_TRUE)
        buf_printf(out, "%d;2;%d;%d;%d;", base + 8, color >> 16, color >> 8 & 0xff, color & 0xff);
    else if (depth == DEPTH_256)
        buf_printf(out, "%d;5;%d;", base + 8, color);
    else
        buf_printf(out, "%d;", color < 8 ? base + color : base + 60 + color - 8);
}

/* Changes *NOW into WANTED with as few parameters as do it. */
static void put_sgr(struct buf *out, enum depth depth, struct sgr *now, struct sgr wanted)
{
    static const struct {
        int attr;
        const char *on;
    } attributes[] = {{ATTR_BOLD, "1;"}, {ATTR_DIM, "2;"}, {ATTR_UNDERLINE, "4;"}, {ATTR_REVERSE, "7;"}};

    if (now->fg == wanted.fg && now->bg == wanted.bg && now->attr == wanted.attr)
        return;
    buf_puts(out, "\033[");
    if ((now->attr & ~wanted.attr) != 0) {
        buf_puts(out, "0;");
        *now = sgr_reset;
    }
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if ((wanted.attr & ~now->attr & attributes[i].attr) != 0)
            buf_puts(out, attributes[i].on);
    if (now->fg != wanted.fg)
        put_color(out, depth, wanted.fg, false);
    if (now->bg != wanted.bg)
        put_color(out, depth, wanted.bg, true);
    out->at[out->len - 1] = 'm';
    *now = wanted;
}

/* A blank shows only its background, unless the pen is reversed or underlined. */
static bool is_plain_blank(const struct cell *cell)
{
    return cell->glyph == ' ' && cell->width == 1 && cell->mark[0] == 0 &&
           (cell->pen.attr & (ATTR_REVERSE | ATTR_UNDERLINE)) == 0;
}

static void ansi_line(const struct frame *frame, const struct look *look, int y, struct buf *out)
{
    struct sgr now = sgr_reset;
    int end = frame->cols;

    while (end > 0 && is_plain_blank(frame_at(frame, end - 1, y)) &&
           frame_color_index(look, frame_at(frame, end - 1, y)->pen.bg) < 0)
        end--;
    for (int x = 0; x < end; x++) {
        const struct cell *cell = frame_at(frame, x, y);
        struct sgr wanted = {.fg = frame_color_index(look, cell->pen.fg),
                             .bg = frame_color_index(look, cell->pen.bg),
                             .attr = cell->pen.attr};

        if (cell->width == 0)
            continue;
        if (is_plain_blank(cell) && (now.attr & (ATTR_REVERSE | ATTR_UNDERLINE)) == 0) {
            wanted.fg = now.fg;
            wanted.attr = now.attr;
        }
        put_sgr(out, look->depth, &now, wanted);
        put_glyph(out, cell);
    }
    if (now.fg != sgr_reset.fg || now.bg != sgr_reset.bg || now.attr != sgr_reset.attr)
        buf_puts(out, "\033[0m");
    buf_putc(out, '\n');
}

void frame_ansi(const struct frame *frame, const struct look *look, struct buf *out)
{
    for (int y = 0; y < frame->rows; y++)
        ansi_line(frame, look, y, out);
}
