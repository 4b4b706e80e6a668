#include "draw/frame.h"

#include <stdlib.h>

#include "data/utf8.h"
#include "engine/mem.h"

enum { REPLACEMENT = 0xfffd };

static struct cell blank(struct pen pen)
{
    return (struct cell){.glyph = ' ', .pen = pen, .width = 1};
}

void frame_reset(struct frame *frame, int cols, int rows, struct pen pen)
{
    size_t n = (size_t)cols * (size_t)rows;

    if (frame->cell == NULL || n > (size_t)frame->cols * (size_t)frame->rows)
        frame->cell = mem_grow(frame->cell, n, sizeof *frame->cell);
    frame->cols = cols;
    frame->rows = rows;
    for (size_t i = 0; i < n; i++)
        frame->cell[i] = blank(pen);
}

void frame_free(struct frame *frame)
{
    free(frame->cell);
    *frame = (struct frame){0};
}

/* Frees the cell at X from a wide glyph that covers it, whichever half it is. */
static void break_wide(struct cell *row, int x)
{
    if (row[x].width == 2)
        row[x + 1] = blank(row[x + 1].pen);
    else if (row[x].width == 0)
        row[x - 1] = blank(row[x - 1].pen);
}

void frame_put(struct frame *frame, int x, int y, struct pen pen, uint32_t glyph)
{
    int width = utf8_width(glyph);
    struct cell *row;

    if (x < 0 || y < 0 || x >= frame->cols || y >= frame->rows)
        return;
    if (width < 1) {
        glyph = REPLACEMENT;
        width = 1;
    }
    if (width == 2 && x + 1 >= frame->cols) {
        glyph = ' ';
        width = 1;
    }
    row = frame_at(frame, 0, y);
    for (int i = 0; i < width; i++)
        break_wide(row, x + i);
    row[x] = (struct cell){.glyph = glyph, .pen = pen, .width = (uint8_t)width};
    if (width == 2)
        row[x + 1] = (struct cell){.glyph = ' ', .pen = pen, .width = 0};
}
