#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "draw/area.h"

struct fixture {
    struct look look;
    struct frame frame;
    struct area all;
    struct pen pen;
};

static void setup(struct fixture *f, int cols, int rows)
{
    struct error error = {0};

    *f = (struct fixture){0};
    if (!look_make(&f->look, THEME_DARK, "gray", NULL, &error))
        fail_msg("%s", error.text);
    f->pen = look_pen(&f->look, ROLE_TEXT);
    frame_reset(&f->frame, cols, rows, f->pen);
    f->all = area_all(&f->frame, &f->look);
}

/* Compares the frame's text and frees it. */
static void assert_shows(struct fixture *f, const char *expected)
{
    struct buf text = {0};

    frame_text(&f->frame, &text);
    assert_string_equal(text.at, expected);
    buf_free(&text);
    frame_free(&f->frame);
}

static void assert_area(struct area a, int x, int y, int cols, int rows)
{
    assert_int_equal(a.x, x);
    assert_int_equal(a.y, y);
    assert_int_equal(a.cols, cols);
    assert_int_equal(a.rows, rows);
}

static void test_cutting(void **state)
{
    struct fixture f;
    struct area a;

    (void)state;
    setup(&f, 10, 8);
    a = f.all;
    assert_area(area_cut_top(&a, 2), 0, 0, 10, 2);
    assert_area(area_cut_bottom(&a, 1), 0, 7, 10, 1);
    assert_area(area_cut_left(&a, 3), 0, 2, 3, 5);
    assert_area(area_cut_right(&a, 4), 6, 2, 4, 5);
    assert_area(a, 3, 2, 3, 5);
    assert_area(area_inset(a, 1, 1), 4, 3, 1, 3);
    assert_true(area_is_empty(area_inset(a, 2, 1)));
    assert_area(area_cut_right(&a, 99), 3, 2, 3, 5);
    assert_true(area_is_empty(a));
    a = f.all;
    assert_area(area_cut_bottom(&a, -1), 0, 8, 10, 0);
    assert_area(area_part(a, -2, 6, 5, 9), 0, 6, 3, 2);
    assert_true(area_is_empty(area_part(a, 20, 0, 5, 5)));
    frame_free(&f.frame);
}

static void test_text_is_clipped_at_both_sides(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 8, 4);
    assert_int_equal(area_text(area_part(f.all, 2, 0, 4, 4), -1, 0, f.pen, "abcdefgh"), 8);
    assert_int_equal(area_text(area_part(f.all, 2, 1, 4, 1), 0, 1, f.pen, "below"), 5);
    assert_int_equal(area_textf(f.all, 6, 2, f.pen, "%d!", 42), 3);
    assert_shows(&f, "  bcde\n\n      42\n\n");
}

static void test_half_a_wide_character_is_a_blank(void **state)
{
    struct fixture f;
    struct area part;

    (void)state;
    setup(&f, 7, 1);
    area_text(f.all, 0, 0, f.pen, "xxxxxxx");
    part = area_part(f.all, 1, 0, 5, 1);
    assert_int_equal(area_text(part, -1, 0, f.pen, "我爱你我"), 8);
    assert_shows(&f, "x 爱你x\n");

    setup(&f, 6, 1);
    area_text(f.all, 0, 0, f.pen, "xxxxxx");
    area_text(area_part(f.all, 1, 0, 4, 1), 1, 0, f.pen, "我爱");
    assert_shows(&f, "xx我 x\n");
}

static void test_marks_and_controls(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 8, 1);
    assert_int_equal(area_text(f.all, 0, 0, f.pen, "e\u0301|"), 2);
    assert_int_equal(area_text(f.all, 2, 0, f.pen, "x\u0301\u0302\u0303|"), 2); /* a third mark is dropped */
    assert_int_equal(area_text(f.all, 4, 0, f.pen, "a\tb\x1b"), 4);
    assert_shows(&f, "e\u0301|x\u0301\u0302|a\ufffdb\ufffd\n");

    setup(&f, 4, 1);
    assert_int_equal(area_text(f.all, 0, 0, f.pen, "我\u0301"), 2);
    assert_shows(&f, "我\u0301\n");
}

/* A mark must not find a glyph of someone else. */
static void test_a_leading_mark_is_dropped(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 4, 1);
    area_text(f.all, 0, 0, f.pen, "ab");
    area_text(f.all, 1, 0, f.pen, "\u0301c");
    assert_shows(&f, "ac\n");
}

static void test_right_and_center(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 9, 3);
    assert_int_equal(area_text_right(f.all, 1, 0, f.pen, "end"), 5);
    assert_int_equal(area_text_center(f.all, 1, f.pen, "mid"), 3);
    assert_int_equal(area_text_right(f.all, 0, 2, f.pen, "longer than it"), -5);
    assert_shows(&f, "     end\n   mid\nr than it\n");
}

static void test_fit(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 8, 5);
    assert_int_equal(area_text_fit(f.all, 0, 0, 5, f.pen, "exact"), 5);
    assert_int_equal(area_text_fit(f.all, 0, 1, 5, f.pen, "longer"), 5);
    assert_int_equal(area_text_fit(f.all, 0, 2, 4, f.pen, "我爱你"), 3);
    assert_int_equal(area_text_fit(f.all, 0, 3, 1, f.pen, "ab"), 1);
    assert_int_equal(area_text_fit(f.all, 0, 4, 0, f.pen, "ab"), 0);
    assert_shows(&f, "exact\nlong…\n我…\n…\n\n");
}

static void test_wrap(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 10, 4);
    assert_int_equal(area_text_wrap(f.all, 0, f.pen, "a weighted  average of values"), 3);
    assert_shows(&f, "a weighted\naverage of\nvalues\n\n");

    setup(&f, 4, 5);
    assert_int_equal(area_text_wrap(f.all, 1, f.pen, "unbroken x\ny"), 4);
    assert_shows(&f, "\nunbr\noken\nx\ny\n");

    setup(&f, 3, 2);
    assert_int_equal(area_text_wrap(f.all, 0, f.pen, "more than two lines"), 2);
    assert_shows(&f, "mor\ne\n");
}

static void test_wrap_wide(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 7, 4);
    assert_int_equal(area_text_wrap(f.all, 0, f.pen, "注意力是加权平均"), 3);
    assert_shows(&f, "注意力\n是加权\n平均\n\n");

    setup(&f, 6, 3); /* a full stop begins no line, a word of letters stays whole */
    assert_int_equal(area_text_wrap(f.all, 0, f.pen, "注意力。abc是"), 3);
    assert_shows(&f, "注意\n力。\nabc是\n");

    setup(&f, 1, 3); /* what never fits is left out, but the end is reached */
    assert_int_equal(area_text_wrap(f.all, 0, f.pen, "我a"), 2);
    assert_shows(&f, "\na\n\n");
}

static void test_pens(void **state)
{
    struct fixture f;
    struct pen keep = {.fg = 0x123456, .bg = PEN_KEEP};

    (void)state;
    setup(&f, 4, 2);
    area_tint(area_part(f.all, 0, 0, 2, 1), 0x400000);
    area_text(f.all, 0, 0, keep, "abc");
    assert_int_equal(frame_at(&f.frame, 1, 0)->pen.bg, 0x400000);
    assert_int_equal(frame_at(&f.frame, 1, 0)->pen.fg, 0x123456);
    assert_int_equal(frame_at(&f.frame, 2, 0)->pen.bg, f.pen.bg);
    area_fill(area_part(f.all, 1, 0, 2, 2), f.pen, '.');
    area_tint(area_part(f.all, 1, 1, 1, 1), 0x004000);
    assert_int_equal(frame_at(&f.frame, 1, 1)->pen.bg, 0x004000);
    assert_shows(&f, "a..\n ..\n");
}

static void test_pane(void **state)
{
    struct fixture f;
    struct area inside;

    (void)state;
    setup(&f, 22, 4);
    inside = area_pane(f.all, "loss", "22.71", false);
    assert_area(inside, 2, 1, 18, 2);
    assert_int_equal(frame_at(&f.frame, 0, 0)->pen.fg, look_pen(&f.look, ROLE_FAINT).fg);
    assert_int_equal(frame_at(&f.frame, 3, 0)->pen.attr, ATTR_BOLD);
    assert_int_equal(frame_at(&f.frame, 15, 0)->pen.fg, look_pen(&f.look, ROLE_DIM).fg);
    assert_shows(&f, "╭─ loss ───── 22.71 ─╮\n"
                     "│                    │\n"
                     "│                    │\n"
                     "╰────────────────────╯\n");

    setup(&f, 8, 2);
    area_pane(f.all, "", NULL, true);
    assert_int_equal(frame_at(&f.frame, 0, 0)->pen.fg, look_pen(&f.look, ROLE_ACCENT).fg);
    assert_shows(&f, "╭──────╮\n╰──────╯\n");
}

/* The figure goes first, then the title is cut; neither touches a corner. */
static void test_a_narrow_pane(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f, 18, 2); /* 12 columns: loss, blank, rule, blank, 22.71 */
    area_pane(f.all, "loss", "22.71", false);
    assert_shows(&f, "╭─ loss ─ 22.71 ─╮\n╰────────────────╯\n");
    setup(&f, 17, 2);
    area_pane(f.all, "loss", "22.71", false);
    assert_shows(&f, "╭─ loss ────────╮\n╰───────────────╯\n");
    setup(&f, 9, 2);
    area_pane(f.all, "losses", "1", false);
    assert_shows(&f, "╭─ lo… ─╮\n╰───────╯\n");
    setup(&f, 3, 2);
    area_pane(f.all, "loss", "1", false);
    assert_shows(&f, "╭─╮\n╰─╯\n");
    setup(&f, 1, 1);
    assert_true(area_is_empty(area_pane(f.all, "loss", "1", false)));
    assert_shows(&f, "\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cutting),
        cmocka_unit_test(test_text_is_clipped_at_both_sides),
        cmocka_unit_test(test_half_a_wide_character_is_a_blank),
        cmocka_unit_test(test_marks_and_controls),
        cmocka_unit_test(test_a_leading_mark_is_dropped),
        cmocka_unit_test(test_right_and_center),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_wrap_wide),
        cmocka_unit_test(test_pens),
        cmocka_unit_test(test_pane),
        cmocka_unit_test(test_a_narrow_pane),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
