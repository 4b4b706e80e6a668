#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/utf8.h"
#include "dice.h"
#include "draw/plot.h"

enum { BRAILLE = 0x2800, Y_TICK = 0x2524, X_TICK = 0x252c, UNTOUCHED = 'Z' };

#define RED   0xff0000
#define GREEN 0x00ff00
#define BLUE  0x0000ff

static const struct pen red = {.fg = RED}, green = {.fg = GREEN}, blue = {.fg = BLUE};
static const struct axis ten = {.lo = 0, .hi = 10};

struct fixture {
    struct look look;
    struct frame frame;
    struct area all;
};

static void setup(struct fixture *f, enum glyphs glyphs, int cols, int rows, uint32_t fill)
{
    struct error error = {0};

    *f = (struct fixture){0};
    if (!look_make(&f->look, THEME_DARK, "gray", NULL, &error))
        fail_msg("%s", error.text);
    f->look.glyphs = glyphs;
    frame_reset(&f->frame, cols, rows, look_pen(&f->look, ROLE_TEXT));
    f->all = area_all(&f->frame, &f->look);
    area_fill(f->all, look_pen(&f->look, ROLE_TEXT), fill);
}

static const struct cell *inside_cell(const struct plot *plot, int column, int row)
{
    return frame_at(plot->inside.frame, plot->inside.x + column, plot->inside.y + row);
}

static int dots_in(const struct cell *cell)
{
    int n = 0;
    for (uint32_t bits = cell->glyph >= BRAILLE ? cell->glyph - BRAILLE : 0; bits; bits &= bits - 1)
        n++;
    return n;
}

static void test_corners_are_corner_cells(void **state)
{
    const struct {
        int cols, rows;
    } sizes[] = {{4, 2}, {9, 5}, {40, 12}, {120, 50}};
    (void)state;
    for (size_t i = 0; i < 4 * GLYPH_TIERS; i++) {
        struct fixture f;
        int column, row;
        setup(&f, (enum glyphs)(i / 4), sizes[i % 4].cols, sizes[i % 4].rows, ' ');
        struct plot plot = plot_begin(f.all, &ten, &ten);
        assert_true(plot_cell(&plot, plot.x.lo, plot.y.lo, &column, &row));
        assert_int_equal(column, 0);
        assert_int_equal(row, plot.inside.rows - 1);
        assert_true(plot_cell(&plot, plot.x.hi, plot.y.hi, &column, &row));
        assert_int_equal(column, plot.inside.cols - 1);
        assert_int_equal(row, 0);
        assert_false(plot_cell(&plot, -0.01, 5, &column, &row));
        assert_false(plot_cell(&plot, 5, plot.y.hi * 1.01, &column, &row));
        assert_false(plot_cell(&plot, (double)NAN, 5, &column, &row));
        assert_false(plot_cell(&plot, 5, HUGE_VAL, &column, &row));
        plot_end(&plot);
        frame_free(&f.frame);
    }
}

static void test_nothing_below_the_least_size(void **state)
{
    const double v[] = {0, 10};
    (void)state;
    for (int cols = 0; cols <= 4; cols++)
        for (int rows = 0; rows <= 2; rows++) {
            struct fixture f;
            setup(&f, GLYPHS_UNICODE, 10, 10, UNTOUCHED);
            struct plot plot = plot_begin(area_part(f.all, 2, 2, cols, rows), &ten, &ten);
            plot_line(&plot, v, v, 2, LINE_PLAIN, red);
            plot_band(&plot, v, v, v, 2, RED);
            plot_vertical(&plot, 5, red);
            plot_end(&plot);
            plot_point(&plot, 5, 5, red, 'o');
            int touched = 0;
            for (int i = 0; i < 100; i++)
                touched += f.frame.cell[i].glyph != UNTOUCHED;
            assert_int_equal(touched > 0, cols == 4 && rows == 2);
            frame_free(&f.frame);
        }
}

/* A plain line is two dots thick: in every cell between its ends both columns have two dots. */
static void test_plain_lines_are_two_dots_thick(void **state)
{
    const double x[] = {0, 10}, y[] = {5.1, 5.1};
    struct fixture f;
    int column, row;
    (void)state;
    setup(&f, GLYPHS_UNICODE, 40, 12, ' ');
    struct plot plot = plot_begin(f.all, &ten, &ten);
    plot_line(&plot, x, y, 2, LINE_PLAIN, red);
    plot_end(&plot);
    assert_true(plot_cell(&plot, 5, 5.1, &column, &row));
    for (int i = 0; i < plot.inside.cols; i++) {
        int n = 0;
        for (int r = 0; r < plot.inside.rows; r++)
            n += dots_in(inside_cell(&plot, i, r));
        assert_int_equal(n, 4);
        assert_true(dots_in(inside_cell(&plot, i, row)) >= 2);
    }
    frame_free(&f.frame);
}

static void test_thin_lines_have_one_dot_a_column(void **state)
{
    const double x[] = {0, 10}, y[] = {1, 8};
    struct fixture f;
    (void)state;
    setup(&f, GLYPHS_UNICODE, 60, 9, ' ');
    struct plot plot = plot_begin(f.all, &ten, &ten);
    plot_line(&plot, x, y, 2, LINE_THIN, red);
    plot_end(&plot);
    for (int i = 0; i < plot.inside.cols; i++) {
        int n = 0;
        for (int r = 0; r < plot.inside.rows; r++)
            n += dots_in(inside_cell(&plot, i, r));
        assert_int_equal(n, 2);
    }
    frame_free(&f.frame);
}

/* Draws one line into a frame of its own. */
static struct plot line_in(struct fixture *f, const double *x, const double *y, size_t n,
                           enum line_style style)
{
    setup(f, GLYPHS_UNICODE, 37, 14, ' ');
    struct plot plot = plot_begin(f->all, &ten, &ten);
    plot_line(&plot, x, y, n, style, red);
    plot_end(&plot);
    return plot;
}

static void assert_same_lines(const double *x, const double *y, const double *clipped_x,
                              const double *clipped_y)
{
    struct fixture f, g;
    line_in(&f, x, y, 2, LINE_PLAIN);
    line_in(&g, clipped_x, clipped_y, 2, LINE_PLAIN);
    for (int i = 0; i < f.frame.cols * f.frame.rows; i++)
        assert_int_equal(f.frame.cell[i].glyph, g.frame.cell[i].glyph);
    frame_free(&f.frame);
    frame_free(&g.frame);
}

/* What lies outside changes nothing inside, however far it is. */
static void test_clipped_lines_keep_their_way(void **state)
{
    const double five[] = {5, 5}, whole[] = {0, 10};
    const double beyond[] = {-4, 14}, far[] = {-1e300, 1e300}, back[] = {1e300, -1e300}, down[] = {10, 0};
    (void)state;
    assert_same_lines(beyond, five, whole, five);
    assert_same_lines(five, beyond, five, (double[]){0, 12});
    assert_same_lines(five, far, five, (double[]){0, 12});
    assert_same_lines(far, five, whole, five);
    assert_same_lines(back, five, down, five);
    /* From (5, 5) steeply up: the part inside is as good as vertical. */
    assert_same_lines((double[]){5, 6}, (double[]){5, 1e300}, five, (double[]){5, 12});
    assert_same_lines((double[]){6, 5}, (double[]){1e300, 5}, five, (double[]){12, 5});
    /* y = x - 3 leaves the area through the lower edge. */
    assert_same_lines((double[]){-4, 8}, (double[]){-7, 5}, (double[]){3, 8}, (double[]){0, 5});
}

static void test_lines_outside_leave_no_trace(void **state)
{
    const double cases[][4] = {
        {-5, -1, 0, 10},    {11, 20, 3, 3}, {0, 10, -9, -1},
        {0, 10, 14, 1e300}, {-5, 4, 4, 25}, {(double)NAN, 5, 5, (double)NAN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        struct plot plot = line_in(&f, cases[i], cases[i] + 2, 2, LINE_PLAIN);
        for (int k = 0; k < plot.inside.cols * plot.inside.rows; k++)
            assert_int_equal(inside_cell(&plot, k % plot.inside.cols, k / plot.inside.cols)->glyph, ' ');
        frame_free(&f.frame);
    }
}

static void test_nan_makes_a_gap(void **state)
{
    const double x[] = {0, 3, 5, 7, 10}, y[] = {5, 5, (double)NAN, 5, 5};
    struct fixture f;
    int column, row;
    (void)state;
    struct plot plot = line_in(&f, x, y, 5, LINE_PLAIN);
    for (int v = 0; v <= 10; v++) {
        assert_true(plot_cell(&plot, v, 5, &column, &row));
        assert_int_equal(dots_in(inside_cell(&plot, column, row)) > 0, v <= 3 || v >= 7);
    }
    frame_free(&f.frame);
}

/* Neither line hides the other where they run together: cell by cell the colours take turns. */
static void test_dashed_lines_take_turns(void **state)
{
    const double x[] = {0, 10}, flat[] = {5, 5}, up[] = {0, 10};
    const double *const ways[][2] = {{x, flat}, {flat, x}, {x, up}};
    (void)state;
    for (int i = 0; i < 3 * GLYPH_TIERS * 2; i++) {
        const double *const *way = ways[i % 3];
        struct fixture f;
        int n[2] = {0, 0};
        setup(&f, (enum glyphs)(i / 6), 60, 24, ' ');
        struct plot plot = plot_begin(f.all, &ten, &ten);
        /* In either order. */
        plot_line(&plot, way[0], way[1], 2, i % 2 ? LINE_PLAIN : LINE_DASHED, i % 2 ? green : red);
        plot_line(&plot, way[0], way[1], 2, i % 2 ? LINE_DASHED : LINE_PLAIN, i % 2 ? red : green);
        plot_end(&plot);
        for (int k = 0; k < plot.inside.cols * plot.inside.rows; k++) {
            const struct cell *cell = inside_cell(&plot, k % plot.inside.cols, k / plot.inside.cols);
            n[0] += cell->glyph != ' ' && cell->pen.fg == RED;
            n[1] += cell->glyph != ' ' && cell->pen.fg == GREEN;
        }
        assert_true(n[0] >= 8 && n[1] >= 8);
        assert_true(n[0] >= (n[0] + n[1]) / 3 && n[1] >= (n[0] + n[1]) / 3);
        frame_free(&f.frame);
    }
}

static void test_dashed_lines_have_gaps(void **state)
{
    const double x[] = {0, 10}, y[] = {5, 5};
    struct fixture f;
    (void)state;
    struct plot plot = line_in(&f, x, y, 2, LINE_DASHED);
    int dots = 0, all = 2 * 2 * plot.inside.cols;
    for (int k = 0; k < plot.inside.cols * plot.inside.rows; k++)
        dots += dots_in(inside_cell(&plot, k % plot.inside.cols, k / plot.inside.cols));
    assert_in_range(dots, all / 2, all * 3 / 4);
    frame_free(&f.frame);
}

static void test_later_plain_lines_lie_above(void **state)
{
    const double x[] = {0, 10}, y[] = {5, 5};
    struct fixture f;
    (void)state;
    setup(&f, GLYPHS_UNICODE, 40, 12, ' ');
    struct plot plot = plot_begin(f.all, &ten, &ten);
    plot_line(&plot, x, y, 2, LINE_PLAIN, green);
    plot_line(&plot, x, y, 2, LINE_PLAIN, blue);
    plot_end(&plot);
    for (int k = 0; k < plot.inside.cols * plot.inside.rows; k++) {
        const struct cell *cell = inside_cell(&plot, k % plot.inside.cols, k / plot.inside.cols);
        assert_true(cell->glyph == ' ' || cell->pen.fg == BLUE);
    }
    frame_free(&f.frame);
}

/* The band of height 4 around 5 of 10: cells whose middle lies in it are tinted, those a cell away are not.
 */
static void test_bands_tint_what_they_cover(void **state)
{
    const double x[] = {0, 10}, lo[] = {3, 3}, hi[] = {7, 7};
    struct fixture f;
    int column, row;
    (void)state;
    setup(&f, GLYPHS_UNICODE, 60, 30, ' ');
    struct plot plot = plot_begin(f.all, &ten, &ten);
    plot_band(&plot, x, lo, hi, 2, BLUE);
    plot_line(&plot, x, lo, 2, LINE_PLAIN, red);
    plot_end(&plot);
    plot_point(&plot, 5, 5, red, 'o');
    double cell_height = (plot.y.hi - plot.y.lo) / plot.inside.rows;
    for (int r = 0; r < plot.inside.rows; r++) {
        double middle = plot.y.hi - (r + 0.5) * cell_height;
        for (int c = 0; c < plot.inside.cols; c++) {
            bool tinted = inside_cell(&plot, c, r)->pen.bg == BLUE;
            if (middle > 3 + cell_height && middle < 7 - cell_height)
                assert_true(tinted);
            if (middle < 3 - cell_height || middle > 7 + cell_height)
                assert_false(tinted);
        }
    }
    assert_true(plot_cell(&plot, 5, 5, &column, &row));
    assert_int_equal(inside_cell(&plot, column, row)->glyph, 'o');
    assert_int_equal(inside_cell(&plot, column, row)->pen.fg, RED);
    assert_int_equal(inside_cell(&plot, column, row)->pen.bg, BLUE);
    frame_free(&f.frame);
}

static void test_guides_cross_the_data_area(void **state)
{
    (void)state;
    for (int tier = 0; tier < GLYPH_TIERS; tier++) {
        struct fixture f;
        int column, row, down = 0, across = 0;
        setup(&f, (enum glyphs)tier, 50, 20, ' ');
        struct plot plot = plot_begin(f.all, &ten, &ten);
        plot_vertical(&plot, 2.3, red);
        plot_horizontal(&plot, 6, red);
        plot_vertical(&plot, 11, green);
        plot_horizontal(&plot, (double)NAN, green);
        plot_end(&plot);
        assert_true(plot_cell(&plot, 2.3, 6, &column, &row));
        for (int k = 0; k < plot.inside.cols * plot.inside.rows; k++) {
            int c = k % plot.inside.cols, r = k / plot.inside.cols;
            bool drawn = inside_cell(&plot, c, r)->glyph != ' ';
            assert_true(!drawn || c == column || r == row);
            down += drawn && c == column;
            across += drawn && r == row;
        }
        assert_in_range(down, plot.inside.rows * 3 / 5, plot.inside.rows);
        assert_in_range(across, plot.inside.cols * 3 / 5, plot.inside.cols);
        frame_free(&f.frame);
    }
}

static void test_coarse_tiers_use_their_own_glyphs(void **state)
{
    const double x[] = {0, 10}, y[] = {2, 9};
    static const struct {
        enum glyphs tier;
        const uint32_t glyph[5];
    } cases[] = {{GLYPHS_ASCII, {' ', '*', '.', '+'}}, {GLYPHS_CONSOLE, {' ', 0x2580, 0x2584, 0x2588}}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        setup(&f, cases[i].tier, 50, 20, ' ');
        struct plot plot = plot_begin(f.all, &ten, &ten);
        plot_line(&plot, x, y, 2, LINE_PLAIN, red);
        plot_line(&plot, y, x, 2, LINE_DASHED, red);
        plot_line(&plot, x, x, 2, LINE_THIN, red);
        plot_end(&plot);
        for (int k = 0; k < plot.inside.cols * plot.inside.rows; k++) {
            uint32_t glyph = inside_cell(&plot, k % plot.inside.cols, k / plot.inside.cols)->glyph;
            int known = 0;
            for (int g = 0; g < 4; g++)
                known += glyph == cases[i].glyph[g];
            assert_int_equal(known, 1);
        }
        frame_free(&f.frame);
    }
}

/* The text of one frame row between two columns; single-width glyphs only. */
static void row_text(const struct frame *frame, int y, int begin, int end, char *out)
{
    for (int x = begin; x < end; x++) {
        char one[5];
        utf8_put(frame_at(frame, x, y)->glyph, one);
        strcpy(out, one);
        out += strlen(one);
    }
    *out = '\0';
}

/* Numbers stand at their ticks: right beside those of the y axis, around those of the x axis, two blanks
 * apart. */
static void test_numbers_stand_at_their_ticks(void **state)
{
    uint64_t dice = 7;
    (void)state;
    for (int i = 0; i < 600; i++) {
        struct fixture f;
        double lo = dice_wild(&dice, i % 4 ? 4 : 250), length = fabs(dice_wild(&dice, i % 4 ? 4 : 250));
        struct axis x = {.lo = lo, .hi = lo + length}, y = {.lo = -length, .hi = lo < 0 ? -lo : lo};
        if (i % 5 == 0)
            x = (struct axis){.lo = length, .hi = 1e5 * length, .scale = SCALE_LOG};
        if (i % 7 == 0)
            y = (struct axis){.lo = -length, .hi = length, .scale = SCALE_ASINH, .knee = length / 1000};
        setup(&f, GLYPHS_UNICODE, 20 + dice_below(&dice, 100), 8 + dice_below(&dice, 40), ' ');
        struct plot plot = plot_begin(f.all, &x, &y);
        plot_end(&plot);

        int left = plot.inside.x, bottom = plot.inside.y + plot.inside.rows, last_row = -1;
        char text[512];
        for (int row = 0; row < bottom; row++) {
            bool tick = frame_at(&f.frame, left - 1, row)->glyph == Y_TICK;
            row_text(&f.frame, row, 0, left - 1, text);
            assert_int_equal(tick, strspn(text, " ") < strlen(text));
            if (!tick)
                continue;
            int column, r;
            double v = strtod(text, NULL), slack = (plot.y.hi / 2 - plot.y.lo / 2) * 1e-6;
            v = fmin(fmax(v, plot.y.lo + slack), plot.y.hi - slack);
            assert_true(plot_cell(&plot, plot.x.lo, v, &column, &r));
            assert_in_range(r + 1, row, row + 2);
            assert_true(text[strlen(text) - 1] != ' ');
            assert_true(last_row < 0 || row - last_row >= 2);
            last_row = row;
        }
        int ticks = 0, words = 0;
        for (int c = 0; c < plot.inside.cols; c++) {
            if (frame_at(&f.frame, left + c, bottom)->glyph != X_TICK)
                continue;
            ticks++;
            assert_true(frame_at(&f.frame, left + c, bottom + 1)->glyph != ' ');
        }
        row_text(&f.frame, bottom + 1, 0, f.frame.cols, text);
        for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
            size_t length_of = strcspn(at, " ");
            int column, r, begin = (int)(at - text) - left;
            double v = strtod(at, NULL), slack = (plot.x.hi / 2 - plot.x.lo / 2) * 1e-6;
            v = fmin(fmax(v, plot.x.lo + slack), plot.x.hi - slack);
            assert_true(plot_cell(&plot, v, plot.y.lo, &column, &r));
            assert_in_range(column + 1, begin + 1 + ((int)length_of - 1) / 2 - 1,
                            begin + 1 + ((int)length_of - 1) / 2 + 1);
            words++;
            at += length_of;
            assert_true(*at == '\0' || strspn(at, " ") >= 2 || strspn(at, " ") == strlen(at));
        }
        assert_int_equal(words, ticks);
        /* Numbers with more digits than a text or the area holds are left out. */
        assert_in_range(ticks, length > 1e-3 * fabs(lo) && f.frame.cols >= 40 ? 2 : 0, TICKS_MAX);
        frame_free(&f.frame);
    }
}

/* On a linear axis the rows between numbers differ by one at most, and not at all where the axis was
 * stretched. */
static void test_y_numbers_are_evenly_placed(void **state)
{
    uint64_t dice = 8;
    (void)state;
    for (int i = 0; i < 500; i++) {
        struct fixture f;
        double lo = dice_wild(&dice, 3), length = fabs(dice_wild(&dice, 3)) + 1e-3;
        struct axis y = {.lo = lo, .hi = lo + length};
        setup(&f, (enum glyphs)(i % GLYPH_TIERS), 60, 8 + dice_below(&dice, 50), ' ');
        struct plot plot = plot_begin(f.all, &ten, &y);
        int last = -1, least = 1000, most = 0, n = 0;
        for (int row = 0; row < plot.inside.rows; row++) {
            if (frame_at(&f.frame, plot.inside.x - 1, plot.inside.y + row)->glyph != Y_TICK)
                continue;
            if (n++ > 0) {
                least = row - last < least ? row - last : least;
                most = row - last > most ? row - last : most;
            }
            last = row;
        }
        assert_true(n >= 2);
        assert_in_range(most - least, 0, plot.y.hi == y.hi ? 1 : 0);
        plot_end(&plot);
        frame_free(&f.frame);
    }
}

static void test_titles(void **state)
{
    const struct axis x = {.lo = 0, .hi = 5, .label = "epoch"}, y = {.lo = 0, .hi = 1, .label = "loss"};
    struct fixture f;
    struct buf text = {0};
    (void)state;
    setup(&f, GLYPHS_UNICODE, 40, 14, ' ');
    struct plot plot = plot_begin(f.all, &x, &y);
    plot_end(&plot);
    frame_text(&f.frame, &text);
    assert_non_null(strstr(text.at, "epoch"));
    assert_memory_equal(text.at, "loss", 4);
    buf_free(&text);
    frame_free(&f.frame);
}

static double any_number(uint64_t *dice)
{
    static const double special[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 1e300, -1e300,
                                     1.7e308,     -1.7e308, 0,         1e-320};
    int kind = dice_below(dice, 20);
    if (kind < 9)
        return special[kind];
    return kind < 13 ? dice_wild(dice, 300) : 40 * dice_real(dice) - 20;
}

static void draw_anything(struct plot *plot, uint64_t *dice)
{
    double x[6], y[6], z[6];
    for (int i = 0; i < 6; i++) {
        x[i] = any_number(dice);
        y[i] = any_number(dice);
        z[i] = any_number(dice);
    }
    plot_band(plot, x, y, z, 6, RED);
    plot_line(plot, x, y, 6, LINE_PLAIN, red);
    plot_line(plot, y, z, 6, LINE_DASHED, green);
    plot_line(plot, z, x, 6, LINE_THIN, blue);
    plot_vertical(plot, x[0], red);
    plot_horizontal(plot, y[0], red);
    plot_end(plot);
    for (int i = 0; i < 6; i++)
        plot_point(plot, x[i], y[i], red, 'o');
}

/* Random lines on random axes at every size: nothing outside the area, nothing over the axes. */
static void test_nothing_leaves_the_area(void **state)
{
    uint64_t dice = 9;
    (void)state;
    for (int i = 0; i < 61 * 31; i++) {
        struct fixture f;
        int cols = i % 61, rows = i / 61;
        setup(&f, (enum glyphs)dice_below(&dice, GLYPH_TIERS), cols + 5, rows + 4, UNTOUCHED);
        struct area a = area_part(f.all, 3, 2, cols, rows);
        struct axis x = {.lo = any_number(&dice), .hi = any_number(&dice), .label = "x"};
        struct axis y = {
            .lo = any_number(&dice), .hi = any_number(&dice), .knee = any_number(&dice), .label = "a title"};
        x.scale = (enum scale)dice_below(&dice, 3);
        y.scale = (enum scale)dice_below(&dice, 3);
        struct plot plot = plot_begin(a, &x, &y);
        size_t size = (size_t)f.frame.cols * (size_t)f.frame.rows;
        struct cell *before = malloc(size * sizeof *before);
        memcpy(before, f.frame.cell, size * sizeof *before);
        draw_anything(&plot, &dice);
        for (int k = 0; k < (int)size; k++) {
            int column = k % f.frame.cols - plot.inside.x, row = k / f.frame.cols - plot.inside.y;
            bool inside = column >= 0 && row >= 0 && column < plot.inside.cols && row < plot.inside.rows;
            bool in_area = k % f.frame.cols >= 3 && k % f.frame.cols < 3 + cols && k / f.frame.cols >= 2 &&
                           k / f.frame.cols < 2 + rows;
            assert_true(in_area || before[k].glyph == UNTOUCHED);
            assert_true(in_area || !inside);
            assert_true(inside || memcmp(&before[k], &f.frame.cell[k], sizeof *before) == 0);
        }
        free(before);
        frame_free(&f.frame);
    }
}

static void test_legend_entries_return_their_columns(void **state)
{
    struct fixture f;
    struct buf text = {0};
    (void)state;
    setup(&f, GLYPHS_UNICODE, 20, 1, ' ');
    int columns = legend_entry(f.all, 1, 0, red, 'o', "data");
    assert_int_equal(columns, 6);
    assert_int_equal(legend_entry(f.all, 1 + columns + 2, 0, green, '-', "真"), 4);
    assert_int_equal(frame_at(&f.frame, 1, 0)->pen.fg, RED);
    frame_text(&f.frame, &text);
    assert_string_equal(text.at, " o data  - 真\n");
    buf_free(&text);
    frame_free(&f.frame);
}

/* A pole's dots are in the column of its head, wherever the dots within the cells come to lie. */
static void test_a_pole_carries_its_point(void **state)
{
    (void)state;
    for (int tier = 0; tier < GLYPH_TIERS; tier++)
        for (double x = 0; x <= 10; x += 0.37) {
            struct fixture f;
            int column, row;
            setup(&f, (enum glyphs)tier, 30, 12, ' ');
            struct plot plot = plot_begin(f.all, &ten, &ten);
            plot_pole(&plot, x, 0, 8, red);
            plot_end(&plot);
            assert_true(plot_cell(&plot, x, 8, &column, &row));
            for (int i = 0; i < plot.inside.cols * plot.inside.rows; i++) {
                const struct cell *cell = inside_cell(&plot, i % plot.inside.cols, i / plot.inside.cols);
                bool is_pole = i % plot.inside.cols == column && i / plot.inside.cols >= row;
                assert_int_equal(cell->glyph != ' ' && cell->pen.fg == RED, is_pole);
            }
            frame_free(&f.frame);
        }
}

static struct plot crossing(struct fixture *f, bool has_guide, bool has_line)
{
    setup(f, GLYPHS_UNICODE, 30, 12, ' ');
    struct plot plot = plot_begin(f->all, &ten, &ten);
    if (has_guide)
        plot_vertical(&plot, 5, green);
    if (has_line)
        plot_line(&plot, (double[]){4, 5, 5, 6}, (double[]){0, 2, 7, 8}, 4, LINE_DASHED, blue);
    plot_end(&plot);
    return plot;
}

/* A cell in which a line has dots is as if there were no guide, any other as if there were no line. */
static void test_guides_stay_behind_lines(void **state)
{
    (void)state;
    struct fixture both, guide, line;
    struct plot plot = crossing(&both, true, true), one = crossing(&guide, true, false),
                other = crossing(&line, false, true);
    for (int row = 0; row < plot.inside.rows; row++)
        for (int column = 0; column < plot.inside.cols; column++) {
            const struct cell *cell = inside_cell(&plot, column, row);
            const struct cell *alone = inside_cell(&other, column, row);
            if (alone->glyph == ' ')
                alone = inside_cell(&one, column, row);
            assert_int_equal(cell->glyph, alone->glyph);
            if (cell->glyph != ' ')
                assert_int_equal(cell->pen.fg, alone->pen.fg);
        }
    frame_free(&both.frame);
    frame_free(&guide.frame);
    frame_free(&line.frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corners_are_corner_cells),
        cmocka_unit_test(test_nothing_below_the_least_size),
        cmocka_unit_test(test_plain_lines_are_two_dots_thick),
        cmocka_unit_test(test_thin_lines_have_one_dot_a_column),
        cmocka_unit_test(test_clipped_lines_keep_their_way),
        cmocka_unit_test(test_lines_outside_leave_no_trace),
        cmocka_unit_test(test_nan_makes_a_gap),
        cmocka_unit_test(test_dashed_lines_take_turns),
        cmocka_unit_test(test_dashed_lines_have_gaps),
        cmocka_unit_test(test_later_plain_lines_lie_above),
        cmocka_unit_test(test_bands_tint_what_they_cover),
        cmocka_unit_test(test_guides_cross_the_data_area),
        cmocka_unit_test(test_coarse_tiers_use_their_own_glyphs),
        cmocka_unit_test(test_numbers_stand_at_their_ticks),
        cmocka_unit_test(test_y_numbers_are_evenly_placed),
        cmocka_unit_test(test_titles),
        cmocka_unit_test(test_nothing_leaves_the_area),
        cmocka_unit_test(test_legend_entries_return_their_columns),
        cmocka_unit_test(test_a_pole_carries_its_point),
        cmocka_unit_test(test_guides_stay_behind_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
