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
#include "draw/heatmap.h"

enum {
    UNTOUCHED = 'Z',
    UPPER_HALF = 0x2580,
    HATCH = 0x2571,
    ARROW_RIGHT = 0x25b8,
    ARROW_LEFT = 0x25c2,
    LEVELS = 64, /* of the colour scale */
};

struct fixture {
    struct look look;
    struct frame frame;
    struct area all;
};

static void setup(struct fixture *f, int cols, int rows, uint32_t fill)
{
    struct error error = {0};

    *f = (struct fixture){0};
    if (!look_make(&f->look, THEME_LIGHT, "viridis", NULL, &error))
        fail_msg("%s", error.text);
    frame_reset(&f->frame, cols, rows, look_pen(&f->look, ROLE_TEXT));
    f->all = area_all(&f->frame, &f->look);
    area_fill(f->all, look_pen(&f->look, ROLE_TEXT), fill);
}

static struct heatmap map_of(const double *value, size_t n_q, size_t n_k)
{
    return (struct heatmap){.value = value,
                            .n_q = n_q,
                            .n_k = n_k,
                            .lo = 0,
                            .hi = 1,
                            .selected_q = HEATMAP_NONE,
                            .selected_k = HEATMAP_NONE};
}

/* N values in the middle of the colour scale's levels, in a fixed order that is not sorted. */
static double *level_values(size_t n)
{
    double *value = malloc(n * sizeof *value);
    for (size_t i = 0; i < n; i++)
        value[i] = (double)(i * 37 % LEVELS) / (LEVELS - 1);
    return value;
}

/* The colours of a character's halves. */
static rgb half_color(const struct frame *frame, int x, int y, int half)
{
    const struct cell *cell = frame_at(frame, x, y);
    return cell->glyph == UPPER_HALF && half == 0 ? cell->pen.fg : cell->pen.bg;
}

static bool has_heat(const struct fixture *f, int x, int y, int half)
{
    return half_color(&f->frame, x, y, half) != look_background(&f->look);
}

/* The coloured rectangle: X, Y, COLS in characters, UNITS in halves. */
struct grid {
    int x, y, cols, units;
};

static struct grid find_grid(const struct fixture *f)
{
    struct grid g = {.x = -1};
    for (int y = 0; y < f->frame.rows; y++)
        for (int x = 0; x < f->frame.cols; x++)
            for (int half = 0; half < 2; half++) {
                if (!has_heat(f, x, y, half))
                    continue;
                if (g.x < 0) {
                    g.x = x;
                    g.y = y;
                }
                g.cols = x - g.x + 1;
                g.units = 2 * (y - g.y) + half + 1;
            }
    return g;
}

/* A frame row as UTF-8 text; the cells that wide glyphs cover are left out. */
static void row_text(const struct frame *frame, int y, int begin, int end, char *out)
{
    for (int x = begin; x < end; x++) {
        char one[5];
        if (frame_at(frame, x, y)->width == 0)
            continue;
        utf8_put(frame_at(frame, x, y)->glyph, one);
        strcpy(out, one);
        out += strlen(one);
    }
    *out = '\0';
}

static bool frame_has(const struct frame *frame, const char *words)
{
    char text[2048];
    for (int y = 0; y < frame->rows; y++) {
        row_text(frame, y, 0, frame->cols, text);
        if (strstr(text, words))
            return true;
    }
    return false;
}

/* Unit u of a direction of LENGTH units shows value floor(u n / LENGTH), so cells differ by one unit at most;
 * checked against the colour of every unit. */
static void test_every_unit_has_its_values_colour(void **state)
{
    static const struct {
        size_t n_q, n_k;
        int cols, rows;
    } cases[] = {{8, 8, 60, 20}, {50, 50, 100, 40}, {50, 50, 60, 30}, {3, 4, 60, 16},
                 {1, 7, 40, 9},  {20, 1, 30, 24},   {13, 17, 11, 9},  {2, 3, 3, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        size_t n_q = cases[i].n_q, n_k = cases[i].n_k;
        double *value = level_values(n_q * n_k);
        struct heatmap h = map_of(value, n_q, n_k);
        setup(&f, cases[i].cols, cases[i].rows, ' ');
        struct heatmap_fit fit = heatmap_draw(f.all, &h);
        struct grid g = find_grid(&f);
        /* Cells with numbers have whole characters: both halves are one unit. */
        int unit = g.cols >= 6 * (int)n_k && 2 * (int)n_q <= g.units ? 2 : 1;
        for (int u = 0; u < g.units; u++)
            for (int c = 0; c < g.cols; c++) {
                size_t q = (size_t)(u / unit * unit) * n_q / (size_t)g.units,
                       k = (size_t)c * n_k / (size_t)g.cols;
                if (fit.values_per_cell_q > 1 || fit.values_per_cell_k > 1)
                    continue;
                rgb shown = half_color(&f.frame, g.x + c, g.y + u / 2, u % 2);
                assert_int_equal(shown, look_heat(&f.look, value[q * n_k + k]));
            }
        size_t most_q = (n_q + (size_t)g.units - 1) / (size_t)g.units;
        size_t most_k = (n_k + (size_t)g.cols - 1) / (size_t)g.cols;
        assert_int_equal(fit.values_per_cell_q, most_q);
        assert_int_equal(fit.values_per_cell_k, most_k);
        free(value);
        frame_free(&f.frame);
    }
}

/* Where every value has a cell all cells have one size, the largest with which they fit; the others fill the
 * pane. */
static void test_the_pane_is_filled(void **state)
{
    uint64_t dice = 10;
    (void)state;
    for (int i = 0; i < 300; i++) {
        struct fixture f;
        size_t n_q = 4 + (size_t)dice_below(&dice, 40), n_k = n_q + (size_t)dice_below(&dice, 8);
        double *value = level_values(n_q * n_k);
        struct heatmap h = map_of(value, n_q, n_k);
        setup(&f, 30 + dice_below(&dice, 60), 12 + dice_below(&dice, 30), ' ');
        heatmap_draw(f.all, &h);
        struct grid g = find_grid(&f);
        /* Columns: all but labels of 1 or 2, arrows of 2; rows: all but the labels'. Or cells too wide for
         * their height, or the other way round. */
        int across = f.frame.cols - (n_q > 10 ? 4 : 3), down = 2 * (f.frame.rows - 1);
        int keys = (int)n_k, queries = (int)n_q;
        assert_int_equal(g.cols % (keys <= across ? keys : across), 0);
        assert_int_equal(g.units % (queries <= down ? queries : down), 0);
        assert_true(g.cols + keys > across || g.cols * queries >= 4 * g.units * keys);
        /* Cells with numbers, six columns wide, have whole rows. */
        int unit = 6 * keys <= across && 2 * queries <= down ? 2 : 1;
        assert_true(g.units + unit * queries > down || g.units * keys >= 2 * g.cols * queries);
        free(value);
        frame_free(&f.frame);
    }
}

static void test_pooling_by_max_keeps_a_diagonal(void **state)
{
    enum { N = 100 };
    struct fixture f;
    double *value = calloc(N * N, sizeof *value);
    struct heatmap h = map_of(value, N, N);
    (void)state;
    for (size_t i = 0; i < N; i++)
        value[i * N + i] = 1;
    setup(&f, 40, 18, ' ');
    struct heatmap_fit fit = heatmap_draw(f.all, &h);
    struct grid g = find_grid(&f);
    assert_true(fit.values_per_cell_q > 1 && fit.values_per_cell_k > 1);
    for (int u = 0; u < g.units; u++) {
        int bright = 0;
        for (int c = 0; c < g.cols; c++)
            bright += half_color(&f.frame, g.x + c, g.y + u / 2, u % 2) == look_heat(&f.look, 1);
        assert_true(bright >= 1);
    }
    for (int c = 0; c < g.cols; c++) {
        int bright = 0;
        for (int u = 0; u < g.units; u++)
            bright += half_color(&f.frame, g.x + c, g.y + u / 2, u % 2) == look_heat(&f.look, 1);
        assert_true(bright >= 1);
    }
    free(value);
    frame_free(&f.frame);
}

/* 8 x 6 values in 2 units by 3 columns: blocks of 4 x 2. */
static void test_pooled_blocks(void **state)
{
    double value[48], most[2][3] = {{0}}, mean[2][3] = {{0}};
    struct heatmap h = map_of(value, 8, 6);
    (void)state;
    for (int i = 0; i < 48; i++) {
        value[i] = i * 37 % 48 / 47.0;
        most[i / 24][i % 6 / 2] = fmax(most[i / 24][i % 6 / 2], value[i]);
        mean[i / 24][i % 6 / 2] += value[i] / 8;
    }
    for (int pooling = POOL_MAX; pooling <= POOL_MEAN; pooling++) {
        struct fixture f;
        setup(&f, 3, 1, ' ');
        h.pooling = (enum pooling)pooling;
        struct heatmap_fit fit = heatmap_draw(f.all, &h);
        assert_int_equal(fit.values_per_cell_q, 4);
        assert_int_equal(fit.values_per_cell_k, 2);
        for (int u = 0; u < 2; u++)
            for (int c = 0; c < 3; c++) {
                double pooled = pooling == POOL_MAX ? most[u][c] : mean[u][c];
                assert_int_equal(half_color(&f.frame, c, 0, u), look_heat(&f.look, pooled));
            }
        frame_free(&f.frame);
    }
}

static void test_hatched_values_do_not_count_when_pooling(void **state)
{
    const double value[] = {0.25, (double)NAN, 1, 0.75};
    const unsigned char masked[] = {0, 0, 1, 0};
    struct heatmap h = map_of(value, 4, 1);
    struct fixture f;
    (void)state;
    h.masked = masked;
    h.pooling = POOL_MEAN;
    setup(&f, 1, 1, ' ');
    heatmap_draw(f.all, &h);
    assert_int_equal(half_color(&f.frame, 0, 0, 0), look_heat(&f.look, 0.25));
    assert_int_equal(half_color(&f.frame, 0, 0, 1), look_heat(&f.look, 0.75));
    frame_free(&f.frame);
}

static void test_hatches(void **state)
{
    double value[12];
    unsigned char masked[12] = {0};
    struct heatmap h = map_of(value, 3, 4);
    (void)state;
    for (int i = 0; i < 12; i++)
        value[i] = i / 11.0;
    value[5] = (double)NAN;
    masked[2] = masked[3] = 1;
    h.masked = masked;
    for (int tier = 0; tier < GLYPH_TIERS; tier++) {
        struct fixture f;
        setup(&f, 44, 11, ' ');
        f.look.glyphs = (enum glyphs)tier;
        heatmap_draw(f.all, &h);
        struct grid g = find_grid(&f);
        int nan_glyphs = 0;
        for (int c = 0; c < g.cols; c++)
            for (int y = 0; y < g.units / 2; y++) {
                size_t i = (size_t)(y * 2 * 3 / g.units) * 4 + (size_t)(c * 4 / g.cols);
                const struct cell *cell = frame_at(&f.frame, g.x + c, g.y + y);
                uint32_t hatch = tier == GLYPHS_UNICODE ? HATCH : '/';
                bool hatched = i == 5 || i == 2 || i == 3;
                /* Where numbers have their place, the hatching gives way to the word. */
                if (i == 5 && cell->glyph != hatch)
                    nan_glyphs += cell->glyph == 'N' || cell->glyph == 'a';
                else
                    assert_int_equal(cell->glyph == hatch, hatched);
                if (hatched)
                    assert_int_equal(cell->pen.bg, look_background(&f.look));
            }
        assert_int_equal(nan_glyphs, 3);
        frame_free(&f.frame);
    }
}

/* Every number stands in its own cell, rounded as printf rounds, in the better of black and white. */
static void test_numbers_in_cells(void **state)
{
    static const struct {
        int cols, decimals;
    } cases[] = {{70, 4}, {37, 4}, {31, 3}};
    double value[15];
    struct heatmap h = map_of(value, 3, 5);
    (void)state;
    for (int i = 0; i < 15; i++)
        value[i] = i * 7 % 15 / 14.1 + 0.00003;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        setup(&f, cases[i].cols + 3, 12, ' ');
        heatmap_draw(f.all, &h);
        struct grid g = find_grid(&f);
        for (int n = 0; n < 15; n++) {
            char expected[32], text[512];
            int begin = (n % 5 * g.cols + 4) / 5, end = ((n % 5 + 1) * g.cols + 4) / 5, found = 0;
            snprintf(expected, sizeof expected, "%.*f", cases[i].decimals, value[n]);
            for (int y = 0; y < g.units / 2; y++) {
                if (y * 2 * 3 / g.units != n / 5)
                    continue;
                row_text(&f.frame, g.y + y, g.x + begin, g.x + end, text);
                found += strstr(text, expected) != NULL;
                for (int x = begin; x < end; x++) {
                    const struct cell *cell = frame_at(&f.frame, g.x + x, g.y + y);
                    if (cell->glyph != ' ')
                        assert_int_equal(cell->pen.fg, color_on(cell->pen.bg));
                }
            }
            assert_int_equal(found, 1);
        }
        frame_free(&f.frame);
    }
}

static void test_no_numbers_where_cells_are_small(void **state)
{
    double *value = level_values(100);
    struct heatmap h = map_of(value, 10, 10);
    struct fixture f;
    (void)state;
    setup(&f, 60, 30, ' ');
    heatmap_draw(f.all, &h);
    assert_false(frame_has(&f.frame, "0."));
    free(value);
    frame_free(&f.frame);
}

static void test_big_numbers_still_fit_their_cells(void **state)
{
    const double value[] = {-1e12, 3.5, 1e-9, 123456789, 1e300, -7};
    struct heatmap h = map_of(value, 2, 3);
    struct fixture f;
    char text[512];
    (void)state;
    h.lo = -1;
    setup(&f, 27, 6, ' ');
    heatmap_draw(f.all, &h);
    struct grid g = find_grid(&f);
    for (int n = 0; n < 6; n++) {
        int begin = (n % 3 * g.cols + 2) / 3, end = ((n % 3 + 1) * g.cols + 2) / 3, found = 0;
        for (int y = 0; y < g.units / 2; y++) {
            if (y * 2 * 2 / g.units != n / 3)
                continue;
            row_text(&f.frame, g.y + y, g.x + begin, g.x + end, text);
            if (strspn(text, " ") == strlen(text))
                continue;
            double shown = strtod(text, NULL);
            assert_true(fabs(shown - value[n]) <= 0.06 * fabs(value[n]));
            found++;
        }
        assert_int_equal(found, 1);
    }
    frame_free(&f.frame);
}

static void tenths(const void *context, size_t i, char *out, size_t size)
{
    snprintf(out, size, "%s%.1f", (const char *)context, (double)i / 10);
}

/* Both ends of both axes carry their labels, at the first and last row and column. */
static void test_both_ends_are_labelled(void **state)
{
    static const struct {
        size_t n_q, n_k;
        int cols, rows;
    } cases[] = {{50, 50, 80, 36},  {50, 50, 37, 20}, {2, 4, 40, 12}, {300, 1000, 60, 30},
                 {2, 12345, 50, 9}, {7, 9, 20, 5},    {30, 2, 24, 18}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        size_t n_q = cases[i / 2].n_q, n_k = cases[i / 2].n_k;
        double *value = level_values(n_q * n_k);
        struct heatmap h = map_of(value, n_q, n_k);
        char first[16] = "0", last_q[16], last_k[16], text[1024];
        snprintf(last_q, sizeof last_q, "%zu", n_q - 1);
        snprintf(last_k, sizeof last_k, "%zu", n_k - 1);
        if (i % 2) {
            h.q_label = h.k_label = tenths;
            h.label_context = "";
            h.q_title = "queries";
            h.k_title = "keys";
            h.color_bar = true;
            tenths("", 0, first, sizeof first);
            tenths("", n_q - 1, last_q, sizeof last_q);
            tenths("", n_k - 1, last_k, sizeof last_k);
        }
        setup(&f, cases[i / 2].cols, cases[i / 2].rows, ' ');
        heatmap_draw(f.all, &h);
        struct grid g = find_grid(&f);
        int bottom = g.y + (g.units - 1) / 2;
        char top_text[256] = "", bottom_text[256] = "";
        for (int y = g.y; y <= bottom; y++) {
            row_text(&f.frame, y, 0, g.x, text);
            if (strspn(text, " ") == strlen(text))
                continue;
            if (!*top_text)
                strcpy(top_text, text);
            strcpy(bottom_text, text);
        }
        assert_non_null(strstr(top_text, first));
        assert_non_null(strstr(bottom_text, last_q));
        row_text(&f.frame, bottom + 1, 0, f.frame.cols, text);
        const char *begin = text + strspn(text, " ");
        assert_memory_equal(begin, first, strlen(first));
        size_t end = strlen(text);
        while (text[end - 1] == ' ')
            end--;
        assert_memory_equal(text + end - strlen(last_k), last_k, strlen(last_k));
        free(value);
        frame_free(&f.frame);
    }
}

static void test_titles_stand_in_the_gap_where_rows_are_dear(void **state)
{
    double *value = level_values(36);
    struct heatmap h = map_of(value, 6, 6);
    struct fixture f;
    char text[512];
    (void)state;
    h.k_title = "keys";
    setup(&f, 40, 5, ' ');
    heatmap_draw(f.all, &h);
    struct grid g = find_grid(&f);
    row_text(&f.frame, g.y + (g.units + 1) / 2, 0, 40, text);
    assert_non_null(strstr(text, "keys"));
    assert_non_null(strchr(text, '0'));
    assert_non_null(strchr(text, '5'));
    free(value);
    frame_free(&f.frame);
}

/* Arrows at both sides of the row of the selected query, its label and the key's in the selection's colour.
 */
static void test_the_selection_is_marked(void **state)
{
    enum { N = 20 };
    double *value = level_values(N * N);
    struct heatmap h = map_of(value, N, N);
    struct fixture plain;
    (void)state;
    setup(&plain, 60, 30, ' ');
    heatmap_draw(plain.all, &h);
    struct grid g = find_grid(&plain);
    for (size_t q = 0; q < N; q++) {
        struct fixture f;
        size_t k = (q * 7 + 3) % N;
        h.selected_q = q;
        h.selected_k = k;
        setup(&f, 60, 30, ' ');
        heatmap_draw(f.all, &h);
        rgb select = look_pen(&f.look, ROLE_SELECT).fg;
        int right = 0, left = 0, marked = 0;
        for (int y = 0; y < f.frame.rows; y++)
            for (int x = 0; x < f.frame.cols; x++) {
                const struct cell *cell = frame_at(&f.frame, x, y), *before = frame_at(&plain.frame, x, y);
                int first = 2 * (y - g.y) * N / g.units, last = (2 * (y - g.y) + 1) * N / g.units;
                bool in_row = y >= g.y && first <= (int)q && last >= (int)q;
                bool in_grid = x >= g.x && x < g.x + g.cols && y >= g.y && y <= g.y + (g.units - 1) / 2;
                right += cell->glyph == ARROW_RIGHT && x == g.x - 1 && in_row && cell->pen.fg == select;
                left += cell->glyph == ARROW_LEFT && x == g.x + g.cols && in_row && cell->pen.fg == select;
                if (!in_grid || (cell->glyph == before->glyph && cell->pen.fg == before->pen.fg))
                    continue;
                assert_true(in_row && (x - g.x) * N / g.cols == (int)k);
                marked++;
            }
        assert_int_equal(right, 1);
        assert_int_equal(left, 1);
        assert_true(marked >= 1);
        frame_free(&f.frame);
    }
    frame_free(&plain.frame);
    free(value);
}

static void test_colour_bar(void **state)
{
    struct fixture f;
    char text[128];
    (void)state;
    setup(&f, 10, 16, ' ');
    color_bar(f.all, -2, 6, HEAT_LINEAR);
    for (int u = 0; u < 32; u++)
        assert_int_equal(half_color(&f.frame, 0, u / 2, u % 2), look_heat(&f.look, 1 - u / 31.0));
    row_text(&f.frame, 0, 2, 10, text);
    assert_true(strtod(text, NULL) == 6);
    row_text(&f.frame, 7, 2, 10, text);
    assert_true(strtod(text, NULL) == 2);
    row_text(&f.frame, 15, 2, 10, text);
    assert_true(strtod(text, NULL) == -2);
    frame_free(&f.frame);
}

/* On the root scale a quarter of the way has the colour of the middle; numbers stand at their colours. */
static void test_root_scale(void **state)
{
    const double value[] = {0, 0.01, 0.04, 0.25, 1};
    struct heatmap h = {.value = value, .n_q = 1, .n_k = 5, .lo = 0, .hi = 1, .scale = HEAT_ROOT};
    const double colour[] = {0, 0.1, 0.2, 0.5, 1};
    struct fixture f;
    char text[128];
    (void)state;
    setup(&f, 40, 1, ' ');
    h.selected_q = h.selected_k = HEATMAP_NONE;
    heatmap_draw(f.all, &h);
    for (size_t k = 0, x = 0; k < 5; k++) {
        while ((int)x < f.frame.cols &&
               frame_at(&f.frame, (int)x, 0)->pen.bg != look_heat(&f.look, colour[k]))
            x++;
        assert_true((int)x < f.frame.cols);
    }
    frame_free(&f.frame);

    setup(&f, 12, 21, ' ');
    color_bar(f.all, 0, 4, HEAT_ROOT);
    row_text(&f.frame, 10, 2, 12, text);
    assert_true(strtod(text, NULL) == 1); /* a quarter of 4 at the middle row */
    row_text(&f.frame, 0, 2, 12, text);
    assert_true(strtod(text, NULL) == 4);
    frame_free(&f.frame);
}

/* Without half blocks every character is one value's heat cell. */
static void test_coarse_tiers_show_one_value_a_character(void **state)
{
    double *value = level_values(100);
    struct heatmap h = map_of(value, 10, 10);
    (void)state;
    for (int depth = DEPTH_MONO; depth < DEPTH_256; depth++) {
        struct fixture f;
        setup(&f, 10, 10, ' ');
        f.look.depth = (enum depth)depth;
        f.look.glyphs = depth == DEPTH_MONO ? GLYPHS_ASCII : GLYPHS_CONSOLE;
        struct area a = area_part(f.all, 0, 0, 3, 10);
        struct heatmap narrow = h;
        narrow.n_k = 3;
        narrow.n_q = 10;
        heatmap_draw(a, &narrow);
        for (int y = 0; y < 10; y++)
            for (int x = 0; x < 3; x++) {
                struct heat_cell expected = look_heat_cell(&f.look, value[y * 3 + x]);
                const struct cell *cell = frame_at(&f.frame, x, y);
                assert_int_equal(cell->glyph, expected.glyph);
                assert_int_equal(cell->pen.fg, expected.pen.fg);
            }
        frame_free(&f.frame);
    }
    free(value);
}

static void words(const void *context, size_t i, char *out, size_t size)
{
    static const char *const word[] = {"newspaper", "", "红色的杯子", "a label that is very long", "x"};
    (void)context;
    snprintf(out, size, "%s", word[i % 5]);
}

/* Anything at every size: nothing outside the area, and what heatmap_measure says is what heatmap_draw does.
 */
static void test_nothing_leaves_the_area(void **state)
{
    uint64_t dice = 11;
    double value[40 * 40];
    unsigned char masked[40 * 40];
    (void)state;
    for (int i = 0; i < 61 * 61; i++) {
        struct fixture f;
        int cols = i % 61, rows = i / 61;
        setup(&f, cols + 5, rows + 4, UNTOUCHED);
        f.look.glyphs = (enum glyphs)dice_below(&dice, GLYPH_TIERS);
        f.look.depth = (enum depth)dice_below(&dice, DEPTHS);
        for (int k = 0; k < 40 * 40; k++) {
            value[k] = dice_below(&dice, 9) ? dice_real(&dice) : dice_wild(&dice, 300);
            value[k] = dice_below(&dice, 30) ? value[k] : dice_below(&dice, 2) ? (double)NAN : HUGE_VAL;
            masked[k] = dice_below(&dice, 10) == 0;
        }
        struct heatmap h = map_of(value, (size_t)dice_below(&dice, 41), (size_t)dice_below(&dice, 41));
        if (i % 3 == 0)
            h.n_q = h.n_k = 1 + (size_t)dice_below(&dice, 4);
        h.masked = dice_below(&dice, 2) ? masked : NULL;
        h.lo = dice_wild(&dice, i % 2 ? 300 : 1);
        h.hi = dice_below(&dice, 5) ? dice_wild(&dice, i % 2 ? 300 : 1) : h.lo;
        h.pooling = (enum pooling)dice_below(&dice, 2);
        h.q_title = dice_below(&dice, 2) ? "queries, 查询 ↓" : NULL;
        h.k_title = dice_below(&dice, 2) ? "keys  x_train →" : NULL;
        h.q_label = dice_below(&dice, 2) ? words : NULL;
        h.k_label = dice_below(&dice, 2) ? words : NULL;
        h.selected_q = dice_below(&dice, 2) ? (size_t)dice_below(&dice, 50) : HEATMAP_NONE;
        h.selected_k = dice_below(&dice, 2) ? (size_t)dice_below(&dice, 50) : HEATMAP_NONE;
        h.color_bar = dice_below(&dice, 2);
        struct area a = area_part(f.all, 3, 2, cols, rows);
        struct heatmap_fit fit = heatmap_draw(a, &h), measured = heatmap_measure(a, &h);
        assert_int_equal(fit.values_per_cell_q, measured.values_per_cell_q);
        assert_int_equal(fit.values_per_cell_k, measured.values_per_cell_k);
        for (int k = 0; k < f.frame.cols * f.frame.rows; k++) {
            int x = k % f.frame.cols - 3, y = k / f.frame.cols - 2;
            if (x < 0 || y < 0 || x >= cols || y >= rows)
                assert_int_equal(f.frame.cell[k].glyph, UNTOUCHED);
        }
        frame_free(&f.frame);
    }
}

static void label_token(const void *context, size_t i, char *out, size_t size)
{
    const char *const *tokens = context;
    snprintf(out, size, "%s", tokens[i]);
}

/* Where TEXT stands, whole and with blanks or the edge around it, row by row; -1: nowhere. */
static int row_with(const struct frame *frame, const char *text, int from, int to)
{
    for (int y = from; y < to; y++) {
        char line[256] = " ";
        for (int x = 0; x < frame->cols; x++) {
            uint32_t glyph = frame_at(frame, x, y)->glyph;
            line[x + 1] = glyph < 128 ? (char)glyph : ' ';
        }
        char word[64];
        line[frame->cols + 1] = ' ';
        snprintf(word, sizeof word, " %s ", text);
        if (strstr(line, word))
            return y;
    }
    return -1;
}

/* Five tokens in a row each of one line and a half, and in columns that just hold their words, all have
 * names. */
static void few_labels_are_all_shown(void **unused)
{
    (void)unused;
    static const char *const tokens[] = {"the", "cat", "sat", "on", "mats"};
    double *value = level_values(25);
    struct heatmap h = map_of(value, 5, 5);
    h.q_label = h.k_label = label_token;
    h.label_context = tokens;
    struct fixture f;
    setup(&f, 26, 9, ' ');
    heatmap_draw(f.all, &h);
    int last = -1;
    for (size_t i = 0; i < 5; i++) {
        int y = row_with(&f.frame, tokens[i], 0, 7), below = row_with(&f.frame, tokens[i], 8, 9);
        if (y <= last)
            fail_msg("row \"%s\" is not named", tokens[i]);
        if (below < 0)
            fail_msg("column \"%s\" is not named", tokens[i]);
        last = y;
    }
    frame_free(&f.frame);
    free(value);
}

/* In cells of two columns only every other word fits, and the last. */
static void as_many_labels_as_fit_are_shown(void **unused)
{
    (void)unused;
    static const char *const tokens[] = {"the", "cat", "saw", "one", "of", "us", "sat"};
    double *value = level_values(7);
    struct heatmap h = map_of(value, 1, 7);
    h.q_label = h.k_label = label_token;
    h.label_context = tokens;
    struct fixture f;
    setup(&f, 3 + 2 + 2 * 7, 5, ' ');
    heatmap_draw(f.all, &h);
    for (size_t i = 0; i < 7; i++) {
        bool shown = row_with(&f.frame, tokens[i], 1, 5) >= 0;
        if (shown != (i % 2 == 0))
            fail_msg("column \"%s\" is %s", tokens[i], shown ? "named" : "not named");
    }
    frame_free(&f.frame);
    free(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_unit_has_its_values_colour),
        cmocka_unit_test(test_the_pane_is_filled),
        cmocka_unit_test(test_pooling_by_max_keeps_a_diagonal),
        cmocka_unit_test(test_pooled_blocks),
        cmocka_unit_test(test_hatched_values_do_not_count_when_pooling),
        cmocka_unit_test(test_hatches),
        cmocka_unit_test(test_numbers_in_cells),
        cmocka_unit_test(test_no_numbers_where_cells_are_small),
        cmocka_unit_test(test_big_numbers_still_fit_their_cells),
        cmocka_unit_test(test_both_ends_are_labelled),
        cmocka_unit_test(test_titles_stand_in_the_gap_where_rows_are_dear),
        cmocka_unit_test(test_the_selection_is_marked),
        cmocka_unit_test(test_colour_bar),
        cmocka_unit_test(test_root_scale),
        cmocka_unit_test(test_coarse_tiers_show_one_value_a_character),
        cmocka_unit_test(test_nothing_leaves_the_area),
        cmocka_unit_test(few_labels_are_all_shown),
        cmocka_unit_test(as_many_labels_as_fit_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
