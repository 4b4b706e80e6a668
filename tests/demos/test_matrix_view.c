#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "data/buf.h"
#include "demos/matrix_view.h"

enum { COLS_MAX = 64, THICK = 0x2503, THIN = 0x2502 };

static struct look look; /* made by main */

/* A pane's inside of COLS x ROWS with a column of air at its right. */
struct picture {
    struct frame frame;
    struct area inside;
};

static void draw(struct picture *p, int cols, int rows, const struct matrix_view *view)
{
    *p = (struct picture){.frame = {0}};
    frame_reset(&p->frame, cols + 1, rows, look_pen(&look, ROLE_TEXT));
    p->inside = area_part(area_all(&p->frame, &look), 0, 0, cols, rows);
    matrix_view_draw(p->inside, view);
}

static void discard(struct picture *p)
{
    frame_free(&p->frame);
}

static const struct cell *cell_at(const struct picture *p, int x, int y)
{
    return &p->frame.cell[y * p->frame.cols + x];
}

static char *text_of(const struct picture *p)
{
    struct buf text = {0};
    frame_text(&p->frame, &text);
    return text.at;
}

static size_t count_glyph(const struct picture *p, uint32_t glyph)
{
    size_t n = 0;
    for (int i = 0; i < p->frame.cols * p->frame.rows; i++)
        n += p->frame.cell[i].glyph == glyph;
    return n;
}

static size_t count_digits(const struct picture *p)
{
    size_t n = 0;
    for (uint32_t digit = '0'; digit <= '9'; digit++)
        n += count_glyph(p, digit);
    return n;
}

/* A view without labels, one cell of COLS columns beside the other. */
static struct matrix_view view_of(const double *value, size_t rows, size_t cols)
{
    struct matrix_view view = {.value = value,
                               .batch = 1,
                               .rows = rows,
                               .cols = cols,
                               .lo = HUGE_VAL,
                               .hi = -HUGE_VAL,
                               .at_batch = VIEW_NONE,
                               .at_row = VIEW_NONE,
                               .at_col = VIEW_NONE};
    view_range(&view.lo, &view.hi, value, NULL, rows * cols);
    return view;
}

/* -1 would fit cells of three columns, -0.25 does not: so neither stands there. */
static void all_cells_have_numbers_or_none(void **unused)
{
    static const double value[] = {-1, -0.25, 0.5, 0.75};
    struct matrix_view view = view_of(value, 2, 2);
    struct picture p;
    (void)unused;
    draw(&p, 2 * 3, 2, &view);
    assert_int_equal(count_digits(&p), 0);
    discard(&p);
    draw(&p, 2 * 8, 2, &view);
    char *text = text_of(&p);
    for (size_t i = 0; i < 4; i++) {
        static const char *const shown[] = {"-1.00", "-0.25", "0.50", "0.75"};
        assert_non_null(strstr(text, shown[i]));
    }
    free(text);
    discard(&p);
}

/* What masked cells say does not make the others keep silent, nor does it stand alone where they do. */
static void masked_cells_follow_the_others(void **unused)
{
    static const double value[] = {1, -0.25};
    static const unsigned char masked[] = {1, 0};
    struct matrix_view view = view_of(value, 1, 2);
    struct picture p;
    (void)unused;
    view.masked = masked;
    view.masked_text = "0";
    draw(&p, 2 * 3, 1, &view);
    assert_int_equal(count_digits(&p), 0);
    discard(&p);
    draw(&p, 2 * 8, 1, &view);
    assert_int_equal(count_digits(&p), 1 + 3);
    discard(&p);
}

static void assert_colours(const double *value, bool are_equal)
{
    enum { CELL = 7 };
    struct matrix_view view = view_of(value, 1, 2);
    struct picture p;
    draw(&p, 2 * CELL, 1, &view);
    assert_int_equal(cell_at(&p, 0, 0)->pen.bg == cell_at(&p, CELL, 0)->pen.bg, are_equal);
    assert_true(!are_equal || cell_at(&p, 0, 0)->pen.bg == look_heat(&look, 0.5));
    discard(&p);
}

/* In seven columns both of NOISE are 0.329, on either side of a step of the colormap's. */
static void numbers_that_look_equal_have_one_colour(void **unused)
{
    static const double noise[] = {0.32891, 0.32907}, zeros[] = {1e-9, 1e-9}, apart[] = {0.1, 0.9};
    (void)unused;
    assert_colours(noise, true);
    assert_colours(apart, false);
    struct matrix_view view = view_of(zeros, 1, 2);
    view_widen(&view.lo, &view.hi);
    assert_true(view.lo < 1e-9 && view.hi > 1e-9);
}

static void assert_widened(double lo, double hi, double wide_lo, double wide_hi)
{
    view_widen(&lo, &hi);
    assert_true(fabs(lo - wide_lo) < 1e-12 && fabs(hi - wide_hi) < 1e-12);
}

/* By the largest magnitude, about the middle, where the range is less than a hundredth of it. */
static void narrow_scales_are_widened(void **unused)
{
    (void)unused;
    assert_widened(10, 10, 5, 15);
    assert_widened(-8, -8, -12, -4);
    assert_widened(0, 0, -0.5, 0.5);
    assert_widened(99.5, 100, 49.75, 149.75);
    assert_widened(98, 100, 98, 100);
    assert_widened(-1, 1, -1, 1);
    assert_widened(HUGE_VAL, -HUGE_VAL, 0, 1);
}

/* Ten rows in six lines: the heading stays, the selected row is among those on show, the rail is as long as
 * they and thick for their part. */
static void a_part_says_that_it_is_one(void **unused)
{
    static const double value[10] = {0};
    (void)unused;
    for (size_t row = 0; row < 10; row++) {
        struct matrix_view view = view_of(value, 10, 1);
        struct picture p;
        char name[16];
        view.row_prefix = "r";
        view.col_prefix = "c";
        view.at_row = row;
        snprintf(name, sizeof name, "r%zu", row);
        draw(&p, 10, 6, &view);
        char *text = text_of(&p);
        assert_non_null(strstr(text, "c0"));
        assert_non_null(strstr(text, name));
        assert_int_equal(count_glyph(&p, THICK) + count_glyph(&p, THIN), 6);
        assert_true(count_glyph(&p, THICK) > 0 && count_glyph(&p, THIN) > 0);
        free(text);
        discard(&p);
        draw(&p, 10, 11, &view);
        assert_int_equal(count_glyph(&p, THICK) + count_glyph(&p, THIN), 0);
        discard(&p);
    }
}

/* Two matrices of five rows in ten lines: without headings they would just fit, and look like one. */
static void matrices_are_told_apart(void **unused)
{
    static const double value[20] = {0};
    struct matrix_view view = view_of(value, 5, 2);
    struct picture p;
    (void)unused;
    view.batch = 2;
    view.row_prefix = "q";
    view.col_prefix = "k";
    view.batch_name = "item";
    draw(&p, 30, 10, &view);
    char *text = text_of(&p);
    assert_non_null(strstr(text, "item 0"));
    assert_non_null(strstr(text, "item 1"));
    assert_true(count_glyph(&p, THICK) > 0);
    free(text);
    discard(&p);
}

/* The long name stands where it ends before the first column's label. */
static void headings_are_brief_where_they_must(void **unused)
{
    static const double value[4] = {0};
    struct matrix_view view = view_of(value, 1, 2);
    struct picture p;
    (void)unused;
    view.batch = 2;
    view.row_prefix = "q";
    view.col_prefix = "k";
    view.batch_name = "item";
    view.batch_brief = "i";
    draw(&p, 3 + 2 * 4, 4, &view);
    char *text = text_of(&p);
    assert_non_null(strstr(text, "i1"));
    assert_null(strstr(text, "item"));
    free(text);
    discard(&p);
    draw(&p, 3 + 2 * 12, 4, &view);
    text = text_of(&p);
    assert_non_null(strstr(text, "item 1"));
    free(text);
    discard(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cells_have_numbers_or_none),
        cmocka_unit_test(masked_cells_follow_the_others),
        cmocka_unit_test(numbers_that_look_equal_have_one_colour),
        cmocka_unit_test(narrow_scales_are_widened),
        cmocka_unit_test(a_part_says_that_it_is_one),
        cmocka_unit_test(matrices_are_told_apart),
        cmocka_unit_test(headings_are_brief_where_they_must),
    };
    struct error error = {0};
    if (!look_make(&look, THEME_DARK, "viridis", NULL, &error))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
