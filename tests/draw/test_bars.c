#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "draw/bars.h"

static const struct pen pen = {.fg = 0xffffff, .bg = 0}, rail = {.fg = 0x808080, .bg = 0};

static void assert_bar(enum glyphs glyphs, double length, const char *expected)
{
    struct look look = {.depth = DEPTH_TRUE, .glyphs = glyphs};
    struct frame frame = {0};
    struct buf text = {0};

    frame_reset(&frame, 6, 1, pen);
    bar_draw(area_all(&frame, &look), 1, 0, 4, length, pen);
    frame_text(&frame, &text);
    assert_string_equal(text.at, expected);
    buf_free(&text);
    frame_free(&frame);
}

static void test_a_bar_counts_eighths(void **state)
{
    (void)state;
    assert_bar(GLYPHS_UNICODE, 0, "\n");
    assert_bar(GLYPHS_UNICODE, 1, " ████\n");
    assert_bar(GLYPHS_UNICODE, 0.5, " ██\n");
    assert_bar(GLYPHS_UNICODE, 11.0 / 32, " █▍\n");
    assert_bar(GLYPHS_UNICODE, 31.0 / 32, " ███▉\n");
    assert_bar(GLYPHS_UNICODE, 1e-9, " ▏\n");
    assert_bar(GLYPHS_UNICODE, 2, " ████\n");
    assert_bar(GLYPHS_UNICODE, -1, "\n");
    assert_bar(GLYPHS_UNICODE, NAN, "\n");
}

static void test_a_bar_in_the_poorer_tiers(void **state)
{
    (void)state;
    assert_bar(GLYPHS_CONSOLE, 3.0 / 8, " █▌\n");
    assert_bar(GLYPHS_CONSOLE, 1, " ████\n");
    assert_bar(GLYPHS_CONSOLE, 1e-9, " ▌\n");
    assert_bar(GLYPHS_ASCII, 0.75, " ###\n");
    assert_bar(GLYPHS_ASCII, 1e-9, " |\n");
    assert_bar(GLYPHS_ASCII, 0, "\n");
}

static void assert_left_bar(enum glyphs glyphs, double length, const char *expected)
{
    struct look look = {.depth = DEPTH_TRUE, .glyphs = glyphs};
    struct frame frame = {0};
    struct buf text = {0};

    frame_reset(&frame, 6, 1, pen);
    bar_draw_left(area_all(&frame, &look), 1, 0, 4, length, pen);
    frame_text(&frame, &text);
    assert_string_equal(text.at, expected);
    buf_free(&text);
    frame_free(&frame);
}

static void test_a_bar_to_the_left_ends_at_the_right(void **state)
{
    (void)state;
    assert_left_bar(GLYPHS_UNICODE, 0, "\n");
    assert_left_bar(GLYPHS_UNICODE, 1, " ████\n");
    assert_left_bar(GLYPHS_UNICODE, 0.5, "   ██\n");
    assert_left_bar(GLYPHS_UNICODE, 3.0 / 8, "   ▐█\n");
    assert_left_bar(GLYPHS_UNICODE, 1e-9, "    ▐\n");
    assert_left_bar(GLYPHS_ASCII, 0.75, "  ###\n");
    assert_left_bar(GLYPHS_ASCII, 1e-9, "    |\n");
    assert_left_bar(GLYPHS_ASCII, NAN, "\n");
}

static void assert_slider(double place, const char *expected)
{
    struct look look = {.depth = DEPTH_TRUE, .glyphs = GLYPHS_UNICODE};
    struct frame frame = {0};
    struct buf text = {0};

    frame_reset(&frame, 5, 1, pen);
    slider_draw(area_all(&frame, &look), 0, 0, 5, place, pen, rail);
    frame_text(&frame, &text);
    assert_string_equal(text.at, expected);
    buf_free(&text);
    assert_int_equal(frame_at(&frame, 4, 0)->pen.fg, place < 1 ? rail.fg : pen.fg);
    frame_free(&frame);
}

static void test_a_slider_has_its_knob_at_the_place(void **state)
{
    (void)state;
    assert_slider(0, "●────\n");
    assert_slider(0.5, "━━●──\n");
    assert_slider(1, "━━━━●\n");
    assert_slider(7, "━━━━●\n");
    assert_slider(-7, "●────\n");
}

/* A list of N rows beside a rail of eight, of which SHOWN are on show from FIRST on. */
static void assert_rail(size_t n, size_t first, size_t shown, const char *expected)
{
    struct look look = {.depth = DEPTH_TRUE, .glyphs = GLYPHS_UNICODE};
    struct frame frame = {0};
    char rows[9] = "";

    frame_reset(&frame, 1, 8, pen);
    scroll_draw(area_all(&frame, &look), n, first, shown);
    for (int i = 0; i < 8; i++)
        rows[i] = frame.cell[i].glyph == 0x2503 ? '#' : frame.cell[i].glyph == 0x2502 ? '|' : ' ';
    assert_string_equal(rows, expected);
    frame_free(&frame);
}

/* Half the list is half the rail; the ends of the rail are for the ends of the list. */
static void test_a_rail_shows_the_part(void **state)
{
    (void)state;
    assert_rail(16, 0, 8, "####||||");
    assert_rail(16, 1, 8, "|####|||");
    assert_rail(16, 4, 8, "||####||");
    assert_rail(16, 7, 8, "|||####|");
    assert_rail(16, 8, 8, "||||####");
    assert_rail(800, 1, 8, "|#||||||");
    assert_rail(9, 0, 8, "#######|");
    assert_rail(9, 1, 8, "|#######");
    assert_rail(8, 0, 8, "        ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_rail_shows_the_part),
        cmocka_unit_test(test_a_bar_to_the_left_ends_at_the_right),
        cmocka_unit_test(test_a_bar_counts_eighths),
        cmocka_unit_test(test_a_bar_in_the_poorer_tiers),
        cmocka_unit_test(test_a_slider_has_its_knob_at_the_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
