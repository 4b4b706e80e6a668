#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "draw/area.h"

static struct look make(enum theme theme, enum depth depth)
{
    struct error error = {0};
    struct look look;

    if (!look_make(&look, theme, "reds", NULL, &error))
        fail_msg("%s", error.text);
    look.depth = depth;
    return look;
}

/* "ab" red on blue and bold, "c" red on blue, blanks on the theme's background. */
static void draw(struct frame *frame, const struct look *look)
{
    struct pen pen = {.fg = 0xff0000, .bg = 0x0000af, .attr = ATTR_BOLD};
    struct area all;

    frame_reset(frame, 5, 1, look_pen(look, ROLE_TEXT));
    all = area_all(frame, look);
    area_text(all, 0, 0, pen, "ab");
    pen.attr = 0;
    area_text(all, 2, 0, pen, "c");
    frame_degrade(frame, look);
}

static void assert_ansi(enum depth depth, const char *expected)
{
    struct look look = make(THEME_LIGHT, depth);
    struct frame frame = {0};
    struct buf out = {0};

    draw(&frame, &look);
    frame_ansi(&frame, &look, &out);
    assert_string_equal(out.at, expected);
    buf_free(&out);
    frame_free(&frame);
}

/* #fcfcfa is 252;252;250, and nearest to 231 of 256. Red on blue is not read in 16 colours: it becomes white.
 */
static void test_ansi_in_every_depth(void **state)
{
    (void)state;
    assert_ansi(DEPTH_TRUE, "\033[1;38;2;255;0;0;48;2;0;0;175mab\033[0;38;2;255;0;0;48;2;0;0;175mc"
                            "\033[48;2;252;252;250m  \033[0m\n");
    assert_ansi(DEPTH_256, "\033[1;38;5;196;48;5;19mab\033[0;38;5;196;48;5;19mc\033[48;5;231m  \033[0m\n");
    assert_ansi(DEPTH_16, "\033[1;97;44mab\033[0;97;44mc\033[0m\n");
    assert_ansi(DEPTH_8, "\033[1;37;44mab\033[0;37;44mc\033[0m\n");
    assert_ansi(DEPTH_MONO, "\033[1mab\033[0mc\n");
}

/* Blanks do not care for the text's colour, so it is not set for them. */
static void test_ansi_changes_only_what_shows(void **state)
{
    struct look look = make(THEME_DARK, DEPTH_16);
    struct pen a = {.fg = 0xff0000, .bg = look_background(&look)}, b = a;
    struct frame frame = {0};
    struct buf out = {0};

    (void)state;
    b.fg = 0x00ff00;
    frame_reset(&frame, 5, 2, a);
    frame_put(&frame, 0, 0, a, 'x');
    frame_put(&frame, 1, 0, b, ' ');
    frame_put(&frame, 2, 0, a, 'y');
    frame_put(&frame, 3, 0, b, 'z');
    b.attr = ATTR_REVERSE;
    frame_put(&frame, 0, 1, b, ' ');
    frame_degrade(&frame, &look);
    frame_ansi(&frame, &look, &out);
    assert_string_equal(out.at, "\033[91mx y\033[92mz\033[0m\n\033[7;92m \033[0m\n");
    buf_free(&out);
    frame_free(&frame);
}

static void test_text_has_no_trailing_blanks(void **state)
{
    struct look look = make(THEME_DARK, DEPTH_TRUE);
    struct frame frame = {0};
    struct buf out = {0};

    (void)state;
    frame_reset(&frame, 6, 3, look_pen(&look, ROLE_TEXT));
    area_text(area_all(&frame, &look), 1, 0, look_pen(&look, ROLE_BAR), "我 x  ");
    area_text(area_all(&frame, &look), 4, 2, look_pen(&look, ROLE_TEXT), "你");
    frame_text(&frame, &out);
    assert_string_equal(out.at, " 我 x\n\n    你\n");
    buf_free(&out);
    frame_free(&frame);
}

static void to_svg(const char *text, struct pen pen, struct buf *out)
{
    struct look look = make(THEME_DARK, DEPTH_TRUE);
    struct frame frame = {0};

    frame_reset(&frame, 8, 1, look_pen(&look, ROLE_TEXT));
    area_text(area_all(&frame, &look), 0, 0, pen, text);
    frame_svg(&frame, &look, out);
    frame_free(&frame);
}

static void assert_svg_has(const char *text, struct pen pen, const char *const expected[])
{
    struct buf out = {0};

    to_svg(text, pen, &out);
    for (size_t i = 0; expected[i] != NULL; i++)
        if (strstr(out.at, expected[i]) == NULL)
            fail_msg("no %s in %s", expected[i], out.at);
    buf_free(&out);
}

static const struct pen red = {.fg = 0xff0000, .bg = 0x111318};

static void test_svg_frame(void **state)
{
    (void)state;
    assert_svg_has(
        "", red,
        (const char *const[]){"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"40\" "
                              "viewBox=\"-10 -10 100 40\"",
                              "<rect x=\"-10\" y=\"-10\" width=\"100\" height=\"40\" fill=\"#111318\"/>",
                              "</svg>\n", NULL});
}

/* Each word begins and ends at its columns, a wide character stands in the middle of its two. */
static void test_svg_words(void **state)
{
    (void)state;
    assert_svg_has(
        "a<b &我\u0301", (struct pen){.fg = 0xff0000, .bg = 0x111318, .attr = ATTR_BOLD},
        (const char *const[]){
            "<text x=\"0\" y=\"15\" textLength=\"30\" fill=\"#ff0000\" font-weight=\"bold\">a&lt;b</text>",
            "<text x=\"40\" y=\"15\" textLength=\"10\" fill=\"#ff0000\" font-weight=\"bold\">&amp;</text>",
            "<text x=\"60\" y=\"15\" text-anchor=\"middle\" fill=\"#ff0000\" "
            "font-weight=\"bold\">我\u0301</text>",
            NULL});
}

static void test_svg_backgrounds_are_merged(void **state)
{
    (void)state;
    assert_svg_has(
        "a b", (struct pen){.fg = 0xff0000, .bg = 0x004000},
        (const char *const[]){"<rect x=\"0\" y=\"0\" width=\"30\" height=\"20\" fill=\"#004000\"/>", NULL});
    assert_svg_has(
        "ab", (struct pen){.fg = 0xff0000, .bg = 0x004000, .attr = ATTR_REVERSE},
        (const char *const[]){"<rect x=\"0\" y=\"0\" width=\"20\" height=\"20\" fill=\"#ff0000\"/>",
                              "fill=\"#004000\">ab</text>", NULL});
}

/* Lines run through 5.5 and 10.5, 1 thick, from edge to edge; blocks fill their part of the cell. */
static void test_svg_shapes(void **state)
{
    (void)state;
    assert_svg_has("───", red,
                   (const char *const[]){
                       "<rect x=\"-0.3\" y=\"10\" width=\"30.6\" height=\"1\" fill=\"#ff0000\"/>", NULL});
    assert_svg_has("┃", red,
                   (const char *const[]){
                       "<rect x=\"4\" y=\"-0.3\" width=\"3\" height=\"20.6\" fill=\"#ff0000\"/>", NULL});
    assert_svg_has(
        "┌", red,
        (const char *const[]){"<rect x=\"5\" y=\"10\" width=\"5.3\" height=\"1\" fill=\"#ff0000\"/>",
                              "<rect x=\"5\" y=\"10\" width=\"1\" height=\"10.3\" fill=\"#ff0000\"/>", NULL});
    assert_svg_has(
        "▀▀", red,
        (const char *const[]){"<rect x=\"0\" y=\"0\" width=\"20\" height=\"10\" fill=\"#ff0000\"/>", NULL});
    assert_svg_has(
        "█▍", red,
        (const char *const[]){"<rect x=\"0\" y=\"0\" width=\"10\" height=\"20\" fill=\"#ff0000\"/>",
                              "<rect x=\"10\" y=\"0\" width=\"3.7\" height=\"20\" fill=\"#ff0000\"/>", NULL});
    assert_svg_has(
        "▂▟", red,
        (const char *const[]){"<rect x=\"0\" y=\"15\" width=\"10\" height=\"5\" fill=\"#ff0000\"/>",
                              "<rect x=\"15\" y=\"0\" width=\"5\" height=\"10\" fill=\"#ff0000\"/>",
                              "<rect x=\"10\" y=\"10\" width=\"5\" height=\"10\" fill=\"#ff0000\"/>", NULL});
    assert_svg_has(
        "▒", (struct pen){.fg = 0xff0000, .bg = 0x000000},
        (const char *const[]){"<rect x=\"0\" y=\"0\" width=\"10\" height=\"20\" fill=\"#800000\"/>", NULL});
    assert_svg_has(
        " ⠃⢀", red,
        (const char *const[]){"<path d=\"M12.5 2.5h0M12.5 7.5h0M27.5 17.5h0\" stroke=\"#ff0000\"/>", NULL});
}

/* Shapes are no letters: they are not set twice. */
static void test_svg_sets_no_shape_as_text(void **state)
{
    struct buf out = {0};

    (void)state;
    to_svg("╭─█⠃●╱┄▒", red, &out);
    assert_null(strstr(out.at, "<text"));
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ansi_in_every_depth),
        cmocka_unit_test(test_ansi_changes_only_what_shows),
        cmocka_unit_test(test_text_has_no_trailing_blanks),
        cmocka_unit_test(test_svg_frame),
        cmocka_unit_test(test_svg_words),
        cmocka_unit_test(test_svg_backgrounds_are_merged),
        cmocka_unit_test(test_svg_shapes),
        cmocka_unit_test(test_svg_sets_no_shape_as_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
