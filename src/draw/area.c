#include "draw/area.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/utf8.h"

enum { REPLACEMENT = 0xfffd, ELLIPSIS = 0x2026 };

struct area area_all(struct frame *frame, const struct look *look)
{
    return (struct area){.frame = frame, .look = look, .cols = frame->cols, .rows = frame->rows};
}

struct area area_part(struct area a, int x, int y, int cols, int rows)
{
    int left = min_int(max_int(x, 0), a.cols), top = min_int(max_int(y, 0), a.rows);
    int right = max_int(min_int(x + max_int(cols, 0), a.cols), left);
    int bottom = max_int(min_int(y + max_int(rows, 0), a.rows), top);

    a.x += left;
    a.y += top;
    a.cols = right - left;
    a.rows = bottom - top;
    return a;
}

struct area area_cut_top(struct area *a, int rows)
{
    struct area piece = area_part(*a, 0, 0, a->cols, rows);

    *a = area_part(*a, 0, piece.rows, a->cols, a->rows - piece.rows);
    return piece;
}

struct area area_cut_bottom(struct area *a, int rows)
{
    int kept = a->rows - min_int(max_int(rows, 0), a->rows);
    struct area piece = area_part(*a, 0, kept, a->cols, a->rows - kept);

    *a = area_part(*a, 0, 0, a->cols, kept);
    return piece;
}

struct area area_cut_left(struct area *a, int cols)
{
    struct area piece = area_part(*a, 0, 0, cols, a->rows);

    *a = area_part(*a, piece.cols, 0, a->cols - piece.cols, a->rows);
    return piece;
}

struct area area_cut_right(struct area *a, int cols)
{
    int kept = a->cols - min_int(max_int(cols, 0), a->cols);
    struct area piece = area_part(*a, kept, 0, a->cols - kept, a->rows);

    *a = area_part(*a, 0, 0, kept, a->rows);
    return piece;
}

struct area area_inset(struct area a, int dx, int dy)
{
    return area_part(a, dx, dy, a.cols - 2 * dx, a.rows - 2 * dy);
}

static struct cell *cell_at(struct area a, int x, int y)
{
    if (x < 0 || y < 0 || x >= a.cols || y >= a.rows)
        return NULL;
    return frame_at(a.frame, a.x + x, a.y + y);
}

void area_put(struct area a, int x, int y, struct pen pen, uint32_t glyph)
{
    bool is_wide = utf8_width(glyph) == 2;
    struct cell *cell = cell_at(a, x, y);

    if (is_wide && (cell == NULL || cell_at(a, x + 1, y) == NULL)) {
        /* Half of it is outside: what is inside becomes a blank. */
        if (cell == NULL)
            cell = cell_at(a, ++x, y);
        glyph = ' ';
    }
    if (cell == NULL)
        return;
    if (pen.bg == PEN_KEEP)
        pen.bg = cell->pen.bg;
    frame_put(a.frame, a.x + x, a.y + y, pen, glyph);
}

/* A combining mark goes to the glyph that ends before column X. */
static void put_mark(struct area a, int x, int y, uint32_t mark)
{
    struct cell *cell = cell_at(a, x - 1, y);

    if (cell != NULL && cell->width == 0)
        cell = cell_at(a, x - 2, y);
    for (int i = 0; cell != NULL && i < CELL_MARKS; i++)
        if (cell->mark[i] == 0) {
            cell->mark[i] = mark;
            return;
        }
}

/* The glyphs of TEXT from (X, Y) on as far as END (NULL: all) and COLS go; returns the columns used. Marks
 * join the last glyph also where no column is left. */
static int put_span(struct area a, int x, int y, int cols, struct pen pen, const char *text, const char *end)
{
    int used = 0;

    while (*text != '\0' && (end == NULL || text < end)) {
        uint32_t glyph = utf8_next(&text);
        int width = utf8_width(glyph);

        if (width == 0) {
            if (used > 0)
                put_mark(a, x + used, y, glyph);
            continue;
        }
        if (width < 0) {
            glyph = REPLACEMENT;
            width = 1;
        }
        if (used + width > cols)
            break;
        area_put(a, x + used, y, pen, glyph);
        used += width;
    }
    return used;
}

int area_text(struct area a, int x, int y, struct pen pen, const char *text)
{
    return put_span(a, x, y, utf8_columns(text), pen, text, NULL);
}

int area_textf(struct area a, int x, int y, struct pen pen, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return area_text(a, x, y, pen, text);
}

int area_text_right(struct area a, int inset, int y, struct pen pen, const char *text)
{
    int x = a.cols - inset - utf8_columns(text);

    area_text(a, x, y, pen, text);
    return x;
}

int area_text_center(struct area a, int y, struct pen pen, const char *text)
{
    int x = (a.cols - utf8_columns(text)) / 2;

    area_text(a, x, y, pen, text);
    return x;
}

int area_text_fit(struct area a, int x, int y, int cols, struct pen pen, const char *text)
{
    int used;

    if (utf8_columns(text) <= cols)
        return area_text(a, x, y, pen, text);
    if (cols < 1)
        return 0;
    used = put_span(a, x, y, cols - 1, pen, text, NULL);
    area_put(a, x + used, y, pen, ELLIPSIS);
    return used + 1;
}

int area_text_wrap(struct area a, int y, struct pen pen, const char *text)
{
    int lines = 0;

    while (*text != '\0' && a.cols > 0 && y + lines < a.rows) {
        const char *end = utf8_line_end(text, a.cols);

        put_span(a, 0, y + lines, a.cols, pen, text, end);
        lines++;
        text = end;
        if (*text == '\n')
            text++;
        else
            text += strspn(text, " ");
    }
    return lines;
}

void area_fill(struct area a, struct pen pen, uint32_t glyph)
{
    int step = utf8_width(glyph) == 2 ? 2 : 1;

    for (int y = 0; y < a.rows; y++)
        for (int x = 0; x < a.cols; x += step)
            area_put(a, x, y, pen, glyph);
}

void area_tint(struct area a, rgb bg)
{
    for (int y = 0; y < a.rows; y++)
        for (int x = 0; x < a.cols; x++)
            cell_at(a, x, y)->pen.bg = bg;
}

void area_box(struct area a, struct pen pen, bool rounded)
{
    static const uint32_t corners[2][4] = {{0x250c, 0x2510, 0x2514, 0x2518},
                                           {0x256d, 0x256e, 0x2570, 0x256f}};
    const uint32_t *corner = corners[rounded];
    int right = a.cols - 1, bottom = a.rows - 1;

    for (int x = 1; x < right; x++) {
        area_put(a, x, 0, pen, 0x2500);
        area_put(a, x, bottom, pen, 0x2500);
    }
    for (int y = 1; y < bottom; y++) {
        area_put(a, 0, y, pen, 0x2502);
        area_put(a, right, y, pen, 0x2502);
    }
    area_put(a, 0, 0, pen, corner[0]);
    area_put(a, right, 0, pen, corner[1]);
    area_put(a, 0, bottom, pen, corner[2]);
    area_put(a, right, bottom, pen, corner[3]);
}

/* Corner, rule and blank at each side of the title, and a rule between title and figure. */
enum { PANE_MARGIN = 3, PANE_GAP = 3 };

struct area area_pane(struct area a, const char *title, const char *figure, bool focused)
{
    struct pen border = look_pen(a.look, focused ? ROLE_ACCENT : ROLE_FAINT);
    struct pen strong = look_pen(a.look, ROLE_STRONG), dim = look_pen(a.look, ROLE_DIM);
    int room = a.cols - 2 * PANE_MARGIN, title_cols = utf8_columns(title);
    int figure_cols = figure != NULL ? utf8_columns(figure) : 0;

    if (a.cols < 2 || a.rows < 2)
        return area_part(a, 0, 0, 0, 0);
    border.bg = strong.bg = dim.bg = PEN_KEEP;
    area_box(a, border, true);
    if (title_cols > 0 && room > 0) {
        int used = area_text_fit(a, PANE_MARGIN, 0, room, strong, title);

        area_put(a, PANE_MARGIN - 1, 0, border, ' ');
        area_put(a, PANE_MARGIN + used, 0, border, ' ');
    }
    if (figure_cols > 0 && (title_cols > 0 ? title_cols + PANE_GAP : 0) + figure_cols <= room) {
        int x = area_text_right(a, PANE_MARGIN, 0, dim, figure);

        area_put(a, x - 1, 0, border, ' ');
        area_put(a, a.cols - PANE_MARGIN, 0, border, ' ');
    }
    return area_inset(a, 2, 1);
}

struct area area_left_border(struct area inside)
{
    inside.x -= 2;
    inside.cols = 1;
    return inside;
}

struct area area_right_air(struct area inside)
{
    bool is_there = inside.x + inside.cols < inside.frame->cols;
    return (struct area){inside.frame, inside.look, inside.x + inside.cols, inside.y, is_there, inside.rows};
}
