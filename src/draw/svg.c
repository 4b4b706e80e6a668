/* A frame as SVG. Letters are set in whatever monospaced font there is, a word at a time and stretched to its
 * columns; lines, blocks, dots and marks are drawn as shapes, as fonts leave gaps between them. */
#include "draw/frame.h"

#include <stdbool.h>

#include "data/utf8.h"

/* A cell is 10 x 20 units, so that braille dots lie on a square grid; lines run through pixels' middles. */
enum { CELL_W = 10, CELL_H = 20, MARGIN = 10, MID_X2 = 11, MID_Y2 = 21, BASELINE = 15 };

enum {
    BOX = 0x2500,
    BOX_END = 0x2580,
    BLOCK = 0x2580,
    BLOCK_END = 0x25a0,
    BRAILLE = 0x2800,
    BRAILLE_END = 0x2900,
};

static const char font_family[] = "'DejaVu Sans Mono',Menlo,'JetBrains Mono','Cascadia Mono',Consolas,"
                                  "'Liberation Mono','Sarasa Mono SC','Noto Sans Mono CJK SC',"
                                  "'Noto Sans CJK SC','PingFang SC','Microsoft YaHei',monospace";

struct svg {
    const struct frame *frame;
    struct buf *out;
};

static const struct cell *at(const struct svg *svg, int x, int y)
{
    return frame_at(svg->frame, x, y);
}

static rgb background(const struct cell *cell)
{
    return (cell->pen.attr & ATTR_REVERSE) != 0 ? cell->pen.fg : cell->pen.bg;
}

static rgb ink(const struct cell *cell)
{
    rgb fg = (cell->pen.attr & ATTR_REVERSE) != 0 ? cell->pen.bg : cell->pen.fg;

    return (cell->pen.attr & ATTR_DIM) != 0 ? color_mix(fg, background(cell), 0.35) : fg;
}

/* A length given in tenths. */
static void put_length(struct buf *out, int tenths)
{
    if (tenths % 10 == 0)
        buf_printf(out, "%d", tenths / 10);
    else
        buf_printf(out, "%s%d.%d", tenths < 0 ? "-" : "", (tenths < 0 ? -tenths : tenths) / 10,
                   (tenths < 0 ? -tenths : tenths) % 10);
}

static void put_rect(struct svg *svg, int x, int y, int w, int h, rgb fill)
{
    const int tenths[] = {x, y, w, h};
    static const char *const name[] = {"<rect x=\"", "\" y=\"", "\" width=\"", "\" height=\""};

    for (int i = 0; i < 4; i++) {
        buf_puts(svg->out, name[i]);
        put_length(svg->out, tenths[i]);
    }
    buf_printf(svg->out, "\" fill=\"#%06x\"/>\n", (unsigned)fill);
}

/* Backgrounds, runs of one colour merged; the theme's own is one rectangle for all. */
static void put_backgrounds(struct svg *svg, rgb plain)
{
    for (int y = 0; y < svg->frame->rows; y++)
        for (int x = 0, end; x < svg->frame->cols; x = end) {
            rgb bg = background(at(svg, x, y));

            for (end = x + 1; end < svg->frame->cols && background(at(svg, end, y)) == bg; end++)
                ;
            if (bg != plain)
                put_rect(svg, 10 * CELL_W * x, 10 * CELL_H * y, 10 * CELL_W * (end - x), 10 * CELL_H, bg);
        }
}

/* The columns from X on that show the same glyph in the same colours. */
static int same_run(const struct svg *svg, int x, int y)
{
    const struct cell *first = at(svg, x, y);
    int end = x + 1;

    while (end < svg->frame->cols && at(svg, end, y)->glyph == first->glyph &&
           ink(at(svg, end, y)) == ink(first) && background(at(svg, end, y)) == background(first))
        end++;
    return end - x;
}

/* Part of a cell in eighths of its sides. */
struct part {
    int x, y, w, h;
};

/* The rectangle of a block element other than quadrants; shades fill the cell. */
static struct part block_part(uint32_t glyph)
{
    int i = (int)(glyph - BLOCK);

    switch (i) {
    case 0x00:
        return (struct part){0, 0, 8, 4};
    case 0x10:
        return (struct part){4, 0, 4, 8};
    case 0x14:
        return (struct part){0, 0, 8, 1};
    case 0x15:
        return (struct part){7, 0, 1, 8};
    default:
        if (i <= 0x08)
            return (struct part){0, 8 - i, 8, i};
        return (struct part){0, 0, i < 0x10 ? 0x10 - i : 8, 8};
    }
}

static void put_part(struct svg *svg, int x, int y, int run, struct part part, rgb fill)
{
    int w = part.w == 8 ? 10 * CELL_W * run : 10 * CELL_W * part.w / 8;

    put_rect(svg, 10 * CELL_W * x + 10 * CELL_W * part.x / 8, 10 * CELL_H * y + 10 * CELL_H * part.y / 8, w,
             10 * CELL_H * part.h / 8, fill);
}

/* Draws the block at (X, Y) and its likes to the right; returns their number. */
static int put_block(struct svg *svg, int x, int y)
{
    /* U+2596 on: bits for the upper left, upper right, lower left and lower right quarter. */
    static const unsigned char quarters[] = {4, 8, 1, 13, 9, 7, 11, 2, 6, 14};
    const struct cell *cell = at(svg, x, y);
    int i = (int)(cell->glyph - BLOCK);
    rgb fill = ink(cell);

    if (i >= 0x16) {
        for (int q = 0; q < 4; q++)
            if ((quarters[i - 0x16] >> q & 1) != 0)
                put_part(svg, x, y, 1, (struct part){q % 2 * 4, q / 2 * 4, 4, 4}, fill);
        return 1;
    }
    if (i >= 0x11 && i <= 0x13)
        fill = color_mix(background(cell), fill, (i - 0x10) / 4.0);
    if (block_part(cell->glyph).w != 8) {
        put_part(svg, x, y, 1, block_part(cell->glyph), fill);
        return 1;
    }
    put_part(svg, x, y, same_run(svg, x, y), block_part(cell->glyph), fill);
    return same_run(svg, x, y);
}

static void put_blocks(struct svg *svg)
{
    for (int y = 0; y < svg->frame->rows; y++)
        for (int x = 0; x < svg->frame->cols;) {
            uint32_t glyph = at(svg, x, y)->glyph;

            x += glyph >= BLOCK && glyph < BLOCK_END ? put_block(svg, x, y) : 1;
        }
}

/* The arms of U+2500 on: two bits each for left, right, up and down; 1 light, 2 heavy, 3 double. Dashed
 * lines, arcs and diagonals are 0. */
static const unsigned char box_arms[BOX_END - BOX] = {
    0x05, 0x0a, 0x50, 0xa0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x44, 0x48, 0x84, 0x88, //
    0x41, 0x42, 0x81, 0x82, 0x14, 0x18, 0x24, 0x28, 0x11, 0x12, 0x21, 0x22, 0x54, 0x58, 0x64, 0x94, //
    0xa4, 0x68, 0x98, 0xa8, 0x51, 0x52, 0x61, 0x91, 0xa1, 0x62, 0x92, 0xa2, 0x45, 0x46, 0x49, 0x4a, //
    0x85, 0x86, 0x89, 0x8a, 0x15, 0x16, 0x19, 0x1a, 0x25, 0x26, 0x29, 0x2a, 0x55, 0x56, 0x59, 0x5a, //
    0x65, 0x95, 0xa5, 0x66, 0x69, 0x96, 0x99, 0x6a, 0x9a, 0xa6, 0xa9, 0xaa, 0x00, 0x00, 0x00, 0x00, //
    0x0f, 0xf0, 0x4c, 0xc4, 0xcc, 0x43, 0xc1, 0xc3, 0x1c, 0x34, 0x3c, 0x13, 0x31, 0x33, 0x5c, 0xf4, //
    0xfc, 0x53, 0xf1, 0xf3, 0x4f, 0xc5, 0xcf, 0x1f, 0x35, 0x3f, 0x5f, 0xf5, 0xff, 0x00, 0x00, 0x00, //
    0x00, 0x00, 0x00, 0x00, 0x01, 0x10, 0x04, 0x40, 0x02, 0x20, 0x08, 0x80, 0x09, 0x90, 0x06, 0x60,
};

enum side { LEFT, RIGHT, UP, DOWN };
enum weight { NONE, LIGHT, HEAVY, DOUBLE };

/* Half the extent of a line of each weight, in tenths; the distance of a double line's strokes from its
 * middle. */
static const int half_extent[] = {[NONE] = 0, [LIGHT] = 5, [HEAVY] = 15, [DOUBLE] = 25};
enum { DOUBLE_OFFSET = 20, STROKE = 10, OVERLAP = 3 };

static enum weight arm(unsigned arms, enum side side)
{
    return (enum weight)(arms >> (2 * side) & 3);
}

/* Where, in tenths from the cell's middle towards SIDE, a stroke of that arm begins. OFFSET is the stroke's
 * place across: negative is up or left. */
static int arm_begin(unsigned arms, enum side side, int offset)
{
    enum side before = side <= RIGHT ? UP : LEFT, after = side <= RIGHT ? DOWN : RIGHT;
    enum weight b = arm(arms, before), a = arm(arms, after), widest = b > a ? b : a;
    bool has_opposite = arm(arms, side ^ 1) != NONE;

    if (widest != DOUBLE)
        return -half_extent[widest];
    if (offset < 0 ? b != NONE : offset > 0 && a != NONE)
        return DOUBLE_OFFSET - STROKE / 2;
    if (offset == 0 && b != NONE && a != NONE && !has_opposite)
        return DOUBLE_OFFSET - STROKE / 2;
    return offset == 0 && has_opposite ? 0 : -half_extent[DOUBLE];
}

/* One stroke of an arm of CELLS cells' length, as a rectangle. */
static void put_stroke(struct svg *svg, int x, int y, int cells, enum side side, int begin, int offset,
                       int width)
{
    int mid_x = 10 * CELL_W * x + 5 * MID_X2, mid_y = 10 * CELL_H * y + 5 * MID_Y2;
    rgb fill = ink(at(svg, x, y));

    if (side <= RIGHT) {
        int end = (side == RIGHT ? 10 * CELL_W * cells - 5 * MID_X2 : 5 * MID_X2) + OVERLAP;

        put_rect(svg, side == RIGHT ? mid_x + begin : mid_x - end, mid_y + offset - width / 2, end - begin,
                 width, fill);
    } else {
        int end = (side == DOWN ? 10 * CELL_H * cells - 5 * MID_Y2 : 5 * MID_Y2) + OVERLAP;

        put_rect(svg, mid_x + offset - width / 2, side == DOWN ? mid_y + begin : mid_y - end, width,
                 end - begin, fill);
    }
}

static void put_arms(struct svg *svg, int x, int y, unsigned arms)
{
    for (int side = LEFT; side <= DOWN; side++) {
        enum weight weight = arm(arms, side);

        if (weight == DOUBLE)
            for (int offset = -DOUBLE_OFFSET; offset <= DOUBLE_OFFSET; offset += 2 * DOUBLE_OFFSET)
                put_stroke(svg, x, y, 1, side, arm_begin(arms, side, offset), offset, STROKE);
        else if (weight != NONE)
            put_stroke(svg, x, y, 1, side, arm_begin(arms, side, 0), 0, 2 * half_extent[weight]);
    }
}

static bool is_same_line(const struct svg *svg, int x, int y, const struct cell *cell)
{
    return x >= 0 && y >= 0 && x < svg->frame->cols && y < svg->frame->rows &&
           at(svg, x, y)->glyph == cell->glyph && ink(at(svg, x, y)) == ink(cell);
}

/* A straight light or heavy line is one stroke over all of its cells, drawn at the first of them. */
static void put_straight(struct svg *svg, int x, int y, bool is_vertical, int width)
{
    const struct cell *cell = at(svg, x, y);
    int dx = !is_vertical, dy = is_vertical, n = 1;

    if (is_same_line(svg, x - dx, y - dy, cell))
        return;
    while (is_same_line(svg, x + n * dx, y + n * dy, cell))
        n++;
    put_stroke(svg, x, y, n, is_vertical ? DOWN : RIGHT,
               is_vertical ? -5 * MID_Y2 - OVERLAP : -5 * MID_X2 - OVERLAP, 0, width);
}

static void put_dashes(struct svg *svg, int x, int y, int i)
{
    static const unsigned char counts[] = {3, 3, 3, 3, 4, 4, 4, 4, 2, 2, 2, 2};
    int kind = i < 0x0c ? i - 0x04 : i - 0x4c + 8;
    bool is_vertical = (kind & 2) != 0;
    int width = (kind & 1) != 0 ? 2 * half_extent[HEAVY] : 2 * half_extent[LIGHT];
    int length = is_vertical ? 10 * CELL_H : 10 * CELL_W, period = length / counts[kind];
    int first = is_vertical ? -5 * MID_Y2 : -5 * MID_X2;
    rgb fill = ink(at(svg, x, y));
    int mid_x = 10 * CELL_W * x + 5 * MID_X2, mid_y = 10 * CELL_H * y + 5 * MID_Y2;

    for (int dash = 0; dash < counts[kind]; dash++) {
        int begin = first + dash * period + period / 5, drawn = period * 3 / 5;

        if (is_vertical)
            put_rect(svg, mid_x - width / 2, mid_y + begin, width, drawn, fill);
        else
            put_rect(svg, mid_x + begin, mid_y - width / 2, drawn, width, fill);
    }
}

static void put_box(struct svg *svg, int x, int y)
{
    int i = (int)(at(svg, x, y)->glyph - BOX);

    if (i <= 0x03)
        put_straight(svg, x, y, i >= 0x02, (i & 1) != 0 ? 2 * half_extent[HEAVY] : 2 * half_extent[LIGHT]);
    else if (i <= 0x0b || (i >= 0x4c && i <= 0x4f))
        put_dashes(svg, x, y, i);
    else
        put_arms(svg, x, y, box_arms[i]);
}

static void put_boxes(struct svg *svg)
{
    for (int y = 0; y < svg->frame->rows; y++)
        for (int x = 0; x < svg->frame->cols; x++)
            if (at(svg, x, y)->glyph >= BOX && at(svg, x, y)->glyph < BOX_END)
                put_box(svg, x, y);
}

/* Marks that are drawn rather than set: a path within the cell, filled or stroked. */
static const struct mark_shape {
    uint32_t glyph;
    bool is_stroked;
    const char *path;
} mark_shapes[] = {
    {U'╭', true, "M10.3 10.5H10A4.5 4.5 0 0 0 5.5 15V20.3"},
    {U'╮', true, "M-.3 10.5H1A4.5 4.5 0 0 1 5.5 15V20.3"},
    {U'╯', true, "M-.3 10.5H1A4.5 4.5 0 0 0 5.5 6V-.3"},
    {U'╰', true, "M10.3 10.5H10A4.5 4.5 0 0 1 5.5 6V-.3"},
    {U'╱', true, "M0 20L10 0"},
    {U'╲', true, "M0 0L10 20"},
    {U'╳', true, "M0 20L10 0M0 0L10 20"},
    {U'●', false, "M.9 10.5a4.6 4.6 0 1 1 9.2 0a4.6 4.6 0 1 1-9.2 0"},
    {U'○', true, "M1.5 10.5a4 4 0 1 1 8 0a4 4 0 1 1-8 0z"},
    {U'•', false, "M3 10.5a2.5 2.5 0 1 1 5 0a2.5 2.5 0 1 1-5 0"},
    {U'·', false, "M4.2 10.5a1.3 1.3 0 1 1 2.6 0a1.3 1.3 0 1 1-2.6 0"},
    {U'◆', false, "M5.5 4.5l4.8 6-4.8 6-4.8-6z"},
    {U'◇', true, "M5.5 5.3l4.2 5.2-4.2 5.2-4.2-5.2z"},
    {U'■', false, "M1.5 6.5h8v8h-8z"},
    {U'□', true, "M2 7h7v7h-7z"},
    {U'▮', false, "M2.5 4.5h5v12h-5z"},
    {U'▲', false, "M5.5 5.5l4.7 9.5H.8z"},
    {U'▼', false, "M5.5 15.5L.8 6h9.4z"},
    {U'▶', false, "M1 5l8.8 5.5L1 16z"},
    {U'◀', false, "M9 5L.2 10.5 9 16z"},
    {U'▴', false, "M5.5 7.5l3.4 6.2H2.1z"},
    {U'▾', false, "M5.5 13.7L2.1 7.5h6.8z"},
    {U'▸', false, "M2.5 7l6 3.5-6 3.5z"},
    {U'◂', false, "M7.5 7l-6 3.5 6 3.5z"},
    {U'►', false, "M1 6l8.8 4.5L1 15z"},
    {U'◄', false, "M9 6L.2 10.5 9 15z"},
};

static const struct mark_shape *mark_shape(uint32_t glyph)
{
    for (size_t i = 0; i < sizeof mark_shapes / sizeof *mark_shapes; i++)
        if (mark_shapes[i].glyph == glyph)
            return &mark_shapes[i];
    return NULL;
}

static void put_mark_shapes(struct svg *svg)
{
    for (int y = 0; y < svg->frame->rows; y++)
        for (int x = 0; x < svg->frame->cols; x++) {
            const struct mark_shape *shape = mark_shape(at(svg, x, y)->glyph);

            if (shape == NULL)
                continue;
            buf_printf(svg->out, "<path transform=\"translate(%d %d)\" d=\"%s\" ", CELL_W * x, CELL_H * y,
                       shape->path);
            buf_printf(svg->out,
                       shape->is_stroked ? "fill=\"none\" stroke=\"#%06x\"/>\n" : "fill=\"#%06x\"/>\n",
                       (unsigned)ink(at(svg, x, y)));
        }
}

static bool is_braille(const struct cell *cell)
{
    return cell->glyph >= BRAILLE && cell->glyph < BRAILLE_END;
}

/* The dots of one cell as strokes of no length, whose round caps make them discs. */
static void put_dots(struct svg *svg, int x, int y)
{
    /* Dots 1 to 8 in the order of their bits. */
    static const struct {
        unsigned char column, row;
    } dots[] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}};
    uint32_t bits = at(svg, x, y)->glyph - BRAILLE;

    for (int i = 0; i < 8; i++)
        if ((bits >> i & 1) != 0)
            buf_printf(svg->out, "M%d.5 %d.5h0", CELL_W * x + 2 + 5 * dots[i].column,
                       CELL_H * y + 2 + 5 * dots[i].row);
}

static void put_braille(struct svg *svg)
{
    for (int y = 0; y < svg->frame->rows; y++)
        for (int x = 0; x < svg->frame->cols; x++) {
            rgb stroke = ink(at(svg, x, y));

            if (!is_braille(at(svg, x, y)))
                continue;
            buf_puts(svg->out, "<path d=\"");
            put_dots(svg, x, y);
            while (x + 1 < svg->frame->cols && is_braille(at(svg, x + 1, y)) &&
                   ink(at(svg, x + 1, y)) == stroke)
                put_dots(svg, ++x, y);
            buf_printf(svg->out, "\" stroke=\"#%06x\"/>\n", (unsigned)stroke);
        }
}

static void put_character(struct buf *out, uint32_t c)
{
    char bytes[5];

    if (c == '&')
        buf_puts(out, "&amp;");
    else if (c == '<')
        buf_puts(out, "&lt;");
    else if (c == '>')
        buf_puts(out, "&gt;");
    else
        buf_add(out, bytes, utf8_put(c == 0xfffe || c == 0xffff ? 0xfffd : c, bytes));
}

static bool is_shape(uint32_t glyph)
{
    return (glyph >= BOX && glyph < BLOCK_END) || (glyph >= BRAILLE && glyph < BRAILLE_END) ||
           mark_shape(glyph) != NULL;
}

/* A cell whose glyph every monospaced font has in the same width. */
static bool is_plain_letter(const struct cell *cell)
{
    return cell->glyph > ' ' && cell->glyph < 0x7f && cell->mark[0] == 0;
}

static bool is_same_style(const struct cell *a, const struct cell *b)
{
    return ink(a) == ink(b) && (a->pen.attr & ATTR_BOLD) == (b->pen.attr & ATTR_BOLD);
}

/* A word of plain letters, or any other glyph on its own, in the middle of its cells. Returns the cells. */
static int put_word(struct svg *svg, int x, int y)
{
    const struct cell *cell = at(svg, x, y);
    bool is_word = is_plain_letter(cell);
    int n = is_word ? 1 : cell->width;

    while (is_word && x + n < svg->frame->cols && is_plain_letter(at(svg, x + n, y)) &&
           is_same_style(cell, at(svg, x + n, y)))
        n++;
    if (is_word)
        buf_printf(svg->out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\"", CELL_W * x, CELL_H * y + BASELINE,
                   CELL_W * n);
    else
        buf_printf(svg->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\"", CELL_W * x + CELL_W * n / 2,
                   CELL_H * y + BASELINE);
    buf_printf(svg->out, " fill=\"#%06x\"%s>", (unsigned)ink(cell),
               (cell->pen.attr & ATTR_BOLD) != 0 ? " font-weight=\"bold\"" : "");
    for (int i = 0; i < (is_word ? n : 1); i++)
        put_character(svg->out, at(svg, x + i, y)->glyph);
    for (int i = 0; i < CELL_MARKS && cell->mark[i] != 0; i++)
        put_character(svg->out, cell->mark[i]);
    buf_puts(svg->out, "</text>\n");
    return n;
}

static void put_words(struct svg *svg)
{
    for (int y = 0; y < svg->frame->rows; y++)
        for (int x = 0; x < svg->frame->cols;) {
            const struct cell *cell = at(svg, x, y);
            bool is_blank = cell->width == 0 || (cell->glyph == ' ' && cell->mark[0] == 0);

            x += is_blank || is_shape(cell->glyph) ? 1 : put_word(svg, x, y);
        }
}

static void put_underlines(struct svg *svg)
{
    for (int y = 0; y < svg->frame->rows; y++)
        for (int x = 0; x < svg->frame->cols; x++)
            if ((at(svg, x, y)->pen.attr & ATTR_UNDERLINE) != 0)
                put_rect(svg, 10 * CELL_W * x, 10 * CELL_H * y + 10 * (BASELINE + 2), 10 * CELL_W, STROKE,
                         ink(at(svg, x, y)));
}

void frame_svg(const struct frame *frame, const struct look *look, struct buf *out)
{
    struct svg svg = {.frame = frame, .out = out};
    int w = CELL_W * frame->cols + 2 * MARGIN, h = CELL_H * frame->rows + 2 * MARGIN;

    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\" "
               "font-family=\"%s\" font-size=\"16.6\">\n",
               w, h, -MARGIN, -MARGIN, w, h, font_family);
    put_rect(&svg, -10 * MARGIN, -10 * MARGIN, 10 * w, 10 * h, look_background(look));
    buf_puts(out, "<g shape-rendering=\"crispEdges\">\n");
    put_backgrounds(&svg, look_background(look));
    put_blocks(&svg);
    buf_puts(out, "</g>\n");
    put_boxes(&svg);
    put_underlines(&svg);
    buf_puts(out, "<g fill=\"none\" stroke-width=\"4\" stroke-linecap=\"round\">\n");
    put_braille(&svg);
    buf_puts(out, "</g>\n");
    put_mark_shapes(&svg);
    put_words(&svg);
    buf_puts(out, "</svg>\n");
}
