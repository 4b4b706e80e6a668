#include "draw/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/utf8.h"
#include "engine/mem.h"

enum {
    LEAST_COLS = 4, /* of an area in which anything is drawn */
    LEAST_ROWS = 2,
    LEAST_ROWS_LINE = 3,    /* ... the x axis */
    LEAST_ROWS_TEXT = 5,    /* ... its numbers */
    LEAST_ROWS_TITLES = 10, /* ... titles on lines of their own */
    LEAST_COLS_TEXT = 8,    /* of a data area beside which the y axis' numbers stand */
    ROWS_PER_TICK = 3,
    COLS_PER_TICK = 7,
    TEXT_GAP = 2, /* blanks between neighbours on the x axis */
};

enum {
    GLYPH_BRAILLE = 0x2800,
    GLYPH_Y_AXIS = 0x2502,
    GLYPH_Y_TICK = 0x2524,
    GLYPH_CORNER = 0x2514,
    GLYPH_X_AXIS = 0x2500,
    GLYPH_X_TICK = 0x252c,
};

/* Two layers a cell: what is dashed does not replace what is not. */
struct dot_cell {
    uint8_t solid, dashed; /* a bit a dot */
    bool dashed_first;     /* whose colour the cell has where both layers have dots */
    bool tinted;
    rgb tint;
    enum line_style solid_style;
    struct pen solid_pen, dashed_pen;
    uint32_t guide; /* a glyph, or 0; shown where no line has dots */
    struct pen guide_pen;
};

struct point {
    double at[2]; /* x, y in dots; the centre of the first dot is 0 */
};

/* A line on its way: where its dashes are, and how many cells it has entered. */
struct stroke {
    enum line_style style;
    bool thick, is_guide;
    struct pen pen;
    double travelled; /* dots */
    int cell;
    bool odd;
};

/* Where things go around the data area. */
struct margins {
    int left, top, bottom;
    bool x_line, x_text, x_title, y_text, y_title;
};

static int dots_across(const struct plot *plot)
{
    return plot->inside.cols * plot->dots_x;
}

static int dots_down(const struct plot *plot)
{
    return plot->inside.rows * plot->dots_y;
}

static struct point dot_of(const struct plot *plot, double x, double y)
{
    return (struct point){{axis_place(&plot->x, x) * (dots_across(plot) - 1),
                           (1 - axis_place(&plot->y, y)) * (dots_down(plot) - 1)}};
}

/* The cell of a place in [0, 1] among N dots. The slack keeps ticks that are whole cells apart in step. */
static int cell_of(double place, int n, int dots)
{
    int dot = (int)floor(place * (n - 1) + 0.5 + 1e-9);
    return (dot < 0 ? 0 : dot >= n ? n - 1 : dot) / dots;
}

static int tick_column(const struct plot *plot, double v)
{
    return cell_of(axis_place(&plot->x, v), dots_across(plot), plot->dots_x);
}

static int tick_row(const struct plot *plot, double v)
{
    return cell_of(1 - axis_place(&plot->y, v), dots_down(plot), plot->dots_y);
}

bool plot_cell(const struct plot *plot, double x, double y, int *column, int *row)
{
    double px = axis_place(&plot->x, x), py = axis_place(&plot->y, y);
    const double slack = 1e-9;

    if (area_is_empty(plot->inside) || !(px >= -slack && px <= 1 + slack && py >= -slack && py <= 1 + slack))
        return false;
    *column = tick_column(plot, x);
    *row = tick_row(plot, y);
    return true;
}

/* The first column of a tick's text, from the data area's left edge. */
static int text_column(const struct plot *plot, const struct ticks *ticks, int i)
{
    return tick_column(plot, ticks->at[i]) - (utf8_columns(ticks->text[i]) - 1) / 2;
}

static int text_end(const struct plot *plot, const struct ticks *ticks, int i)
{
    return text_column(plot, ticks, i) + utf8_columns(ticks->text[i]);
}

static bool x_texts_collide(const struct plot *plot, const struct ticks *ticks)
{
    for (int i = 1; i < ticks->n; i++)
        if (text_column(plot, ticks, i) < text_end(plot, ticks, i - 1) + TEXT_GAP)
            return true;
    return false;
}

static bool y_texts_collide(const struct plot *plot, const struct ticks *ticks)
{
    for (int i = 1; i < ticks->n; i++)
        if (tick_row(plot, ticks->at[i - 1]) - tick_row(plot, ticks->at[i]) < 2)
            return true;
    return false;
}

static bool are_even(const struct plot *plot, const struct ticks *ticks)
{
    for (int i = 2; i < ticks->n; i++)
        if (tick_row(plot, ticks->at[i]) - tick_row(plot, ticks->at[i - 1]) !=
            tick_row(plot, ticks->at[1]) - tick_row(plot, ticks->at[0]))
            return false;
    return true;
}

static struct ticks x_ticks(const struct plot *plot)
{
    struct ticks ticks = axis_ticks(&plot->x, plot->inside.cols / COLS_PER_TICK + 1);
    while (ticks.n > 2 && x_texts_collide(plot, &ticks))
        ticks = axis_ticks(&plot->x, ticks.n - 1);
    if (x_texts_collide(plot, &ticks))
        ticks.n = 1;
    return ticks;
}

static struct ticks y_ticks(struct plot *plot)
{
    int most = plot->inside.rows / ROWS_PER_TICK + 1;
    struct ticks ticks = axis_ticks(&plot->y, most);
    if (!are_even(plot, &ticks))
        ticks = axis_ticks_even(&plot->y, most, (double)(dots_down(plot) - 1) / plot->dots_y);
    while (ticks.n > 2 && y_texts_collide(plot, &ticks))
        ticks = axis_ticks(&plot->y, ticks.n - 1);
    if (y_texts_collide(plot, &ticks))
        ticks.n = 1;
    return ticks;
}

/* Drops the ticks whose texts do not lie between two columns. */
static void keep_between(const struct plot *plot, struct ticks *ticks, int begin, int end)
{
    struct ticks kept = {.n = 0};
    for (int i = 0; i < ticks->n; i++) {
        if (text_column(plot, ticks, i) < begin || text_end(plot, ticks, i) > end)
            continue;
        kept.at[kept.n] = ticks->at[i];
        memcpy(kept.text[kept.n], ticks->text[i], sizeof kept.text[0]);
        kept.n++;
    }
    *ticks = kept;
}

static int widest_text(const struct ticks *ticks)
{
    int widest = 0;
    for (int i = 0; i < ticks->n; i++) {
        int columns = utf8_columns(ticks->text[i]);
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

static bool has_text(const char *text)
{
    return text && *text;
}

/* The columns between which the x axis' title fits beside the numbers: at the right end, else in the last gap
 * that is wide enough. False: nowhere. */
static bool title_column(const struct plot *plot, const struct ticks *ticks, int right, int *column)
{
    int columns = utf8_columns(plot->x.label);
    int end = right;

    for (int i = ticks->n - 1; i >= 0; i--) {
        int begin = text_end(plot, ticks, i) + TEXT_GAP;
        if (end - begin >= columns) {
            *column = end == right ? right - columns : begin + (end - begin - columns) / 2;
            return true;
        }
        end = text_column(plot, ticks, i) - TEXT_GAP;
    }
    return false;
}

/* Fixes the data area within A: the y numbers are measured first, then the x numbers get what is left. */
static void lay_out(struct plot *plot, struct area a, struct margins *m, struct ticks *x, struct ticks *y)
{
    m->bottom = m->x_line + m->x_text + m->x_title;
    plot->inside = area_part(a, 1, m->top, a.cols - 1, a.rows - m->top - m->bottom);
    *y = y_ticks(plot);
    int widest = widest_text(y);
    m->y_text = a.cols - widest - 1 >= LEAST_COLS_TEXT;
    m->left = m->y_text ? widest + 1 : 1;

    int cols = a.cols - m->left;
    plot->inside = area_part(a, m->left, m->top, cols, plot->inside.rows);
    *x = x_ticks(plot);
    int over = m->x_text && x->n > 0 ? text_end(plot, x, x->n - 1) - cols : 0;
    if (over > 0 && over < cols / 4) {
        plot->inside = area_part(a, m->left, m->top, cols - over, plot->inside.rows);
        *x = x_ticks(plot);
    }
    keep_between(plot, x, -m->left, cols);
}

static struct pen pen_of(const struct look *look, enum role role)
{
    return look_pen_on(look, role, PEN_KEEP);
}

static void draw_y_axis(const struct plot *plot, struct area a, const struct margins *m,
                        const struct ticks *ticks)
{
    struct pen line = pen_of(a.look, ROLE_FAINT), text = pen_of(a.look, ROLE_DIM),
               title = pen_of(a.look, ROLE_TEXT);

    for (int row = 0; row < plot->inside.rows; row++)
        area_put(a, m->left - 1, m->top + row, line, GLYPH_Y_AXIS);
    if (m->y_title)
        area_text_fit(a, 0, 0, a.cols, title, plot->y.label);
    for (int i = 0; m->y_text && i < ticks->n; i++) {
        int row = m->top + tick_row(plot, ticks->at[i]);
        area_put(a, m->left - 1, row, line, GLYPH_Y_TICK);
        area_text(a, m->left - 1 - utf8_columns(ticks->text[i]), row, text, ticks->text[i]);
    }
}

static void draw_x_axis(const struct plot *plot, struct area a, const struct margins *m,
                        const struct ticks *ticks)
{
    struct pen line = pen_of(a.look, ROLE_FAINT), text = pen_of(a.look, ROLE_DIM),
               title = pen_of(a.look, ROLE_TEXT);
    int row = m->top + plot->inside.rows, column;

    if (!m->x_line)
        return;
    area_put(a, m->left - 1, row, line, GLYPH_CORNER);
    for (int i = 0; i < plot->inside.cols; i++)
        area_put(a, m->left + i, row, line, GLYPH_X_AXIS);
    if (!m->x_text)
        return;
    for (int i = 0; i < ticks->n; i++) {
        area_put(a, m->left + tick_column(plot, ticks->at[i]), row, line, GLYPH_X_TICK);
        area_text(a, m->left + text_column(plot, ticks, i), row + 1, text, ticks->text[i]);
    }
    if (m->x_title)
        area_text_right(a, 0, row + 2, title, plot->x.label);
    else if (has_text(plot->x.label) && title_column(plot, ticks, a.cols - m->left, &column))
        area_text(a, m->left + column, row + 1, title, plot->x.label);
}

static void choose_dots(struct plot *plot, enum glyphs glyphs)
{
    plot->dots_x = glyphs == GLYPHS_UNICODE ? 2 : 1;
    plot->dots_y = glyphs == GLYPHS_UNICODE ? 4 : glyphs == GLYPHS_CONSOLE ? 2 : 1;
}

struct plot plot_begin(struct area a, const struct axis *x, const struct axis *y)
{
    struct plot plot = {.inside = area_part(a, 0, 0, 0, 0), .x = axis_sound(x), .y = axis_sound(y)};
    choose_dots(&plot, a.look->glyphs);
    if (a.cols < LEAST_COLS || a.rows < LEAST_ROWS)
        return plot;

    struct margins m = {.x_line = a.rows >= LEAST_ROWS_LINE,
                        .x_text = a.rows >= LEAST_ROWS_TEXT,
                        .y_title = has_text(y->label) && a.rows >= LEAST_ROWS_TITLES};
    m.top = m.y_title;
    struct ticks x_marks, y_marks;
    int column;
    lay_out(&plot, a, &m, &x_marks, &y_marks);
    if (has_text(x->label) && a.rows >= LEAST_ROWS_TITLES && utf8_columns(x->label) <= a.cols &&
        !title_column(&plot, &x_marks, a.cols - m.left, &column)) {
        m.x_title = true;
        plot.y = axis_sound(y);
        lay_out(&plot, a, &m, &x_marks, &y_marks);
    }
    draw_y_axis(&plot, a, &m, &y_marks);
    draw_x_axis(&plot, a, &m, &x_marks);
    plot.dots = mem_new((size_t)plot.inside.cols * (size_t)plot.inside.rows, sizeof *plot.dots);
    return plot;
}

/* The bit of the dot at column X, row Y of a cell; braille counts the left column first, but the lowest dots
 * last. */
static uint8_t dot_bit(const struct plot *plot, int x, int y)
{
    static const uint8_t braille[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    return plot->dots_y == 4 ? braille[y][x] : (uint8_t)(1 << y);
}

static void put_dot(struct plot *plot, const struct stroke *stroke, int x, int y, bool visible)
{
    long at = (long)(y / plot->dots_y) * plot->inside.cols + x / plot->dots_x;
    struct dot_cell *cell = plot->dots + at;
    uint8_t bit = dot_bit(plot, x % plot->dots_x, y % plot->dots_y);

    if (stroke->is_guide) {
        cell->guide |= visible ? GLYPH_BRAILLE | bit : 0;
        cell->guide_pen = stroke->pen;
    } else if (stroke->style == LINE_DASHED) {
        cell->dashed |= visible ? bit : 0;
        cell->dashed_pen = stroke->pen;
        cell->dashed_first = stroke->odd;
    } else {
        cell->solid |= bit;
        cell->solid_pen = stroke->pen;
        cell->solid_style = stroke->style;
    }
}

/* Dashes: five dots of eight in braille, of which a thick line's brush is one; a single dot a cell needs no
 * gaps, its glyph says it. */
static bool is_in_dash(const struct plot *plot, const struct stroke *stroke)
{
    if (stroke->style != LINE_DASHED || plot->dots_y == 1)
        return true;
    if (plot->dots_y < 4)
        return fmod(stroke->travelled, 3) < 2;
    return fmod(stroke->travelled, 8) < (stroke->thick ? 4 : 5);
}

/* Notes the cell of dot (X, Y), which the line is in now. */
static void enter_cell(const struct plot *plot, struct stroke *stroke, int x, int y)
{
    int cell = y / plot->dots_y * plot->inside.cols + x / plot->dots_x;
    if (cell != stroke->cell)
        stroke->odd = !stroke->odd;
    stroke->cell = cell;
}

/* The first of the SIZE dots nearest to AT. The brush stays inside, so that lines along an edge are as thick
 * as elsewhere. */
static int brush_begin(double at, int size, int dots)
{
    double begin = floor(at + (size == 1 ? 0.5 : 0));
    return (int)fmax(fmin(begin, dots - size), 0);
}

static void stamp(struct plot *plot, struct stroke *stroke, struct point p)
{
    int size = stroke->thick ? 2 : 1;
    int x = brush_begin(p.at[0], size, dots_across(plot)), y = brush_begin(p.at[1], size, dots_down(plot));
    bool visible = is_in_dash(plot, stroke);

    enter_cell(plot, stroke, x, y);
    for (int i = 0; i < size * size; i++)
        put_dot(plot, stroke, x + i % size, y + i / size, visible);
}

/* Moves OUT along the segment to where coordinate K is EDGE. Measured from the near end, which is the exact
 * one. */
static void cut(struct point *out, const struct point *in, int k, double edge)
{
    double t = (edge - in->at[k]) / (out->at[k] - in->at[k]);
    out->at[1 - k] = in->at[1 - k] + t * (out->at[1 - k] - in->at[1 - k]);
    out->at[k] = edge;
}

/* Keeps the part of the segment on the inner side of one edge: below it for SIDE 1, above it for -1. */
static bool clip_edge(struct point *p, struct point *q, int k, int side, double edge)
{
    bool p_out = side * p->at[k] > side * edge, q_out = side * q->at[k] > side * edge;
    if (p_out && q_out)
        return false;
    if (p_out)
        cut(p, q, k, edge);
    else if (q_out)
        cut(q, p, k, edge);
    return true;
}

static bool clip(const struct plot *plot, struct point *p, struct point *q)
{
    const double edge[2] = {dots_across(plot) - 1, dots_down(plot) - 1};
    for (int k = 0; k < 2; k++)
        if (!clip_edge(p, q, k, -1, 0) || !clip_edge(p, q, k, 1, edge[k]))
            return false;
    for (int k = 0; k < 2; k++)
        if (!isfinite(p->at[k]) || !isfinite(q->at[k]))
            return false;
    return true;
}

static void draw_segment(struct plot *plot, struct stroke *stroke, struct point p, struct point q)
{
    if (!clip(plot, &p, &q))
        return;
    double dx = q.at[0] - p.at[0], dy = q.at[1] - p.at[1];
    int steps = (int)ceil(fmax(fabs(dx), fabs(dy)));
    double begin = stroke->travelled, length = hypot(dx, dy);

    for (int i = 0; i <= steps; i++) {
        double t = steps > 0 ? (double)i / steps : 0;
        stroke->travelled = begin + t * length;
        stamp(plot, stroke, (struct point){{p.at[0] + t * dx, p.at[1] + t * dy}});
    }
}

/* Only braille has dots small enough to need two side by side. */
static bool has_thick_lines(const struct plot *plot)
{
    return plot->dots_y == 4;
}

void plot_line(struct plot *plot, const double *x, const double *y, size_t n, enum line_style style,
               struct pen pen)
{
    struct stroke stroke = {
        .style = style, .thick = style != LINE_THIN && has_thick_lines(plot), .pen = pen, .cell = -1};
    struct point last = {{(double)NAN, (double)NAN}};

    if (!plot->dots)
        return;
    for (size_t i = 0; i < n; i++) {
        struct point p = dot_of(plot, x[i], y[i]);
        bool joined = isfinite(last.at[0]) && isfinite(last.at[1]);
        if (isfinite(p.at[0]) && isfinite(p.at[1]))
            draw_segment(plot, &stroke, joined ? last : p, p);
        last = p;
    }
}

/* A thin dashed line from edge to edge; where dots are as coarse as cells, GLYPH in all its cells. */
static void draw_guide(struct plot *plot, struct point p, struct point q, struct pen pen, uint32_t glyph)
{
    struct stroke stroke = {.style = LINE_DASHED, .is_guide = true, .pen = pen, .cell = -1};

    if (!plot->dots || !isfinite(p.at[0]) || !isfinite(p.at[1]) || !clip(plot, &p, &q))
        return;
    if (has_thick_lines(plot)) {
        draw_segment(plot, &stroke, p, q);
        return;
    }
    int column = (int)floor(p.at[0] + 0.5) / plot->dots_x, row = (int)floor(p.at[1] + 0.5) / plot->dots_y;
    for (int i = 0; i < plot->inside.cols * plot->inside.rows; i++)
        if (glyph == GLYPH_Y_AXIS ? i % plot->inside.cols == column : i / plot->inside.cols == row) {
            plot->dots[i].guide = glyph;
            plot->dots[i].guide_pen = pen;
        }
}

void plot_vertical(struct plot *plot, double v, struct pen pen)
{
    draw_guide(plot, dot_of(plot, v, plot->y.lo), dot_of(plot, v, plot->y.hi), pen, GLYPH_Y_AXIS);
}

void plot_horizontal(struct plot *plot, double v, struct pen pen)
{
    draw_guide(plot, dot_of(plot, plot->x.lo, v), dot_of(plot, plot->x.hi, v), pen, GLYPH_X_AXIS);
}

void plot_pole(struct plot *plot, double x, double lo, double hi, struct pen pen)
{
    struct stroke stroke = {.style = LINE_PLAIN, .pen = pen};
    int column, row;

    if (!plot->dots || !plot_cell(plot, x, lo, &column, &row) || !plot_cell(plot, x, hi, &column, &row))
        return;
    int top = (int)floor(dot_of(plot, x, hi).at[1] + 0.5),
        bottom = (int)floor(dot_of(plot, x, lo).at[1] + 0.5);
    for (int y = top; y <= bottom; y++)
        for (int i = 0; i < plot->dots_x; i++)
            put_dot(plot, &stroke, column * plot->dots_x + i, y, true);
}

/* Tints the cells of COLUMN between two heights in dots; a band thinner than a cell keeps the one it is in.
 */
static void tint_column(struct plot *plot, int column, double top, double bottom, rgb tint)
{
    double last = dots_down(plot) - 1;
    if (!isfinite(top) || !isfinite(bottom) || fmax(top, bottom) < 0 || fmin(top, bottom) > last)
        return;
    double high = fmax(fmin(top, bottom), 0), low = fmin(fmax(top, bottom), last);
    int begin = (int)floor((high + 0.5) / plot->dots_y + 0.5),
        end = (int)floor((low + 0.5) / plot->dots_y + 0.5);
    if (begin >= end) {
        begin = (int)floor((high + low + 1) / 2 / plot->dots_y);
        end = begin + 1;
    }
    for (int row = begin; row < end && row < plot->inside.rows; row++) {
        struct dot_cell *cell = plot->dots + (size_t)row * (size_t)plot->inside.cols + column;
        cell->tinted = true;
        cell->tint = tint;
    }
}

void plot_band(struct plot *plot, const double *x, const double *lo, const double *hi, size_t n, rgb tint)
{
    if (!plot->dots)
        return;
    for (size_t i = 1; i < n; i++) {
        struct point a = dot_of(plot, x[i - 1], hi[i - 1]), b = dot_of(plot, x[i], hi[i]);
        double a_low = dot_of(plot, x[i - 1], lo[i - 1]).at[1], b_low = dot_of(plot, x[i], lo[i]).at[1];
        double length = b.at[0] - a.at[0];
        if (!isfinite(length))
            continue;
        double left = fmin(a.at[0], b.at[0]), right = fmax(a.at[0], b.at[0]);
        for (int column = 0; column < plot->inside.cols; column++) {
            double centre = (column + 0.5) * plot->dots_x - 0.5;
            if (centre < left || centre > right)
                continue;
            double t = length != 0 ? (centre - a.at[0]) / length : 0;
            tint_column(plot, column, a.at[1] + t * (b.at[1] - a.at[1]), a_low + t * (b_low - a_low), tint);
        }
    }
}

static uint32_t dots_glyph(const struct plot *plot, uint8_t dots, enum line_style style)
{
    static const uint32_t half_block[] = {' ', 0x2580, 0x2584, 0x2588};
    static const uint32_t character[] = {[LINE_PLAIN] = '*', [LINE_THIN] = '+', [LINE_DASHED] = '.'};

    if (plot->dots_y == 4)
        return GLYPH_BRAILLE + dots;
    return plot->dots_y == 2 ? half_block[dots] : character[style];
}

static void write_cell(const struct plot *plot, int column, int row, const struct dot_cell *cell)
{
    uint8_t dots = cell->solid | cell->dashed;
    /* Also in the gap of a dash: so the two colours take turns wherever the lines run together. */
    bool dashed = cell->dashed_first || !cell->solid;
    struct pen pen = !dots ? cell->guide_pen : dashed ? cell->dashed_pen : cell->solid_pen;

    pen.bg = PEN_KEEP;
    if (cell->tinted)
        area_put(plot->inside, column, row, (struct pen){.fg = cell->tint, .bg = cell->tint}, ' ');
    if (dots)
        area_put(plot->inside, column, row, pen,
                 dots_glyph(plot, dots, dashed ? LINE_DASHED : cell->solid_style));
    else if (cell->guide)
        area_put(plot->inside, column, row, pen, cell->guide);
}

void plot_end(struct plot *plot)
{
    if (!plot->dots)
        return;
    for (int row = 0; row < plot->inside.rows; row++)
        for (int column = 0; column < plot->inside.cols; column++)
            write_cell(plot, column, row, plot->dots + (size_t)row * (size_t)plot->inside.cols + column);
    free(plot->dots);
    plot->dots = NULL;
}

void plot_point(const struct plot *plot, double x, double y, struct pen pen, uint32_t glyph)
{
    int column, row;
    if (!plot_cell(plot, x, y, &column, &row))
        return;
    pen.bg = PEN_KEEP;
    area_put(plot->inside, column, row, pen, glyph);
}

int legend_entry(struct area a, int x, int y, struct pen pen, uint32_t glyph, const char *text)
{
    bool is_line = glyph == 0x2501 || glyph == 0x2509;
    pen.bg = PEN_KEEP;
    /* As plot_line draws them where there is no braille. */
    if (a.look->glyphs == GLYPHS_ASCII && is_line)
        glyph = glyph == 0x2501 ? '*' : '.';
    area_put(a, x, y, pen, glyph);
    return 2 + area_text(a, x + 2, y, pen_of(a.look, ROLE_DIM), text);
}
