#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "draw/frame.h"

static const struct pen pen = {.fg = 0x111111, .bg = 0x222222};

static void assert_text(const struct frame *frame, const char *expected)
{
    struct buf text = {0};

    frame_text(frame, &text);
    assert_string_equal(text.at, expected);
    buf_free(&text);
}

static void test_put_clips_to_the_frame(void **state)
{
    struct frame frame = {0};

    (void)state;
    frame_reset(&frame, 3, 2, pen);
    frame_put(&frame, 0, 0, pen, 'a');
    frame_put(&frame, 2, 1, pen, 'b');
    frame_put(&frame, -1, 0, pen, 'x');
    frame_put(&frame, 3, 0, pen, 'x');
    frame_put(&frame, 0, 2, pen, 'x');
    frame_put(&frame, 0, -1, pen, 'x');
    assert_text(&frame, "a\n  b\n");
    frame_free(&frame);
}

static void test_a_wide_glyph_covers_two_cells(void **state)
{
    struct frame frame = {0};

    (void)state;
    frame_reset(&frame, 4, 1, pen);
    frame_put(&frame, 1, 0, pen, U'我');
    assert_int_equal(frame_at(&frame, 1, 0)->width, 2);
    assert_int_equal(frame_at(&frame, 2, 0)->width, 0);
    assert_text(&frame, " 我\n");
    frame_put(&frame, 3, 0, pen, U'我'); /* reaches past the edge */
    assert_text(&frame, " 我\n");
    frame_free(&frame);
}

static void test_half_a_wide_glyph_is_a_blank(void **state)
{
    struct frame frame = {0};

    (void)state;
    frame_reset(&frame, 6, 1, pen);
    frame_put(&frame, 0, 0, pen, U'我');
    frame_put(&frame, 1, 0, pen, 'x');
    assert_text(&frame, " x\n");
    frame_put(&frame, 2, 0, pen, U'爱');
    frame_put(&frame, 2, 0, pen, 'y');
    assert_text(&frame, " xy\n");
    frame_put(&frame, 2, 0, pen, U'我');
    frame_put(&frame, 4, 0, pen, U'你');
    frame_put(&frame, 3, 0, pen, U'爱'); /* halves both of its neighbours */
    assert_text(&frame, " x 爱\n");
    assert_int_equal(frame_at(&frame, 5, 0)->width, 1);
    frame_free(&frame);
}

static void test_controls_and_marks_are_no_glyphs(void **state)
{
    struct frame frame = {0};

    (void)state;
    frame_reset(&frame, 2, 1, pen);
    frame_put(&frame, 0, 0, pen, 0x1b);
    frame_put(&frame, 1, 0, pen, 0x0301);
    assert_text(&frame, "\ufffd\ufffd\n");
    frame_free(&frame);
}

static void test_reset_makes_blanks_of_any_size(void **state)
{
    struct frame frame = {0};

    (void)state;
    frame_reset(&frame, 2, 2, pen);
    frame_put(&frame, 0, 0, pen, 'a');
    frame_reset(&frame, 1, 1, pen);
    frame_reset(&frame, 30, 20, pen);
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 30; x++) {
            assert_int_equal(frame_at(&frame, x, y)->glyph, ' ');
            assert_int_equal(frame_at(&frame, x, y)->pen.bg, pen.bg);
        }
    frame_free(&frame);
    assert_null(frame.cell);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put_clips_to_the_frame),
        cmocka_unit_test(test_a_wide_glyph_covers_two_cells),
        cmocka_unit_test(test_half_a_wide_glyph_is_a_blank),
        cmocka_unit_test(test_controls_and_marks_are_no_glyphs),
        cmocka_unit_test(test_reset_makes_blanks_of_any_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
