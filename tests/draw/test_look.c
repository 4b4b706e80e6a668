#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/file.h"
#include "draw/frame.h"
#include "draw/look.h"

static struct look make(enum theme theme, const char *colormap)
{
    struct error error = {0};
    struct look look;

    if (!look_make(&look, theme, colormap, NULL, &error))
        fail_msg("%s", error.text);
    return look;
}

/* WCAG's own examples: black on white is 21:1, #767676 is the lightest grey with 4.5:1 on white. */
static void test_contrast(void **state)
{
    (void)state;
    assert_true(fabs(color_contrast(0x000000, 0xffffff) - 21) < 1e-9);
    assert_true(color_contrast(0x767676, 0xffffff) >= 4.5);
    assert_true(color_contrast(0x777777, 0xffffff) < 4.5);
    assert_true(fabs(color_contrast(0xffffff, 0xff0000) - 3.998) < 0.001);
}

static void test_roles_can_be_read(void **state)
{
    (void)state;
    for (int theme = 0; theme < THEMES; theme++) {
        struct look look = make(theme, "reds");

        for (int role = 0; role < ROLES; role++) {
            struct pen pen = look_pen(&look, role);

            assert_true(color_contrast(pen.fg, pen.bg) >= (role == ROLE_FAINT ? 1.8 : 4.5));
        }
        assert_int_not_equal(look_pen(&look, ROLE_KEY).bg, look_background(&look));
        assert_int_not_equal(look_pen(&look, ROLE_BAR).bg, look_background(&look));
    }
}

/* What is written on a highlighted row stays readable. */
static void test_roles_on_the_bar(void **state)
{
    static const enum role roles[] = {ROLE_TEXT, ROLE_STRONG, ROLE_DIM, ROLE_ACCENT, ROLE_SELECT};

    (void)state;
    for (int theme = 0; theme < THEMES; theme++) {
        struct look look = make(theme, "reds");
        rgb bar = look_pen(&look, ROLE_BAR).bg;

        for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
            struct pen pen = look_pen_on(&look, roles[i], bar);

            assert_int_equal(pen.bg, bar);
            assert_true(color_contrast(pen.fg, pen.bg) >= 4.5);
        }
    }
}

static void test_mix(void **state)
{
    (void)state;
    assert_int_equal(color_mix(0x102030, 0xffffff, 0), 0x102030);
    assert_int_equal(color_mix(0x102030, 0xffffff, 1), 0xffffff);
    assert_int_equal(color_mix(0x000000, 0xff8040, 0.5), 0x804020);
    assert_int_equal(color_mix(0x000000, 0xffffff, 7), 0xffffff);
    assert_int_equal(color_mix(0x102030, 0xffffff, NAN), 0x102030);
}

static void test_on(void **state)
{
    (void)state;
    assert_int_equal(color_on(0x000000), 0xffffff);
    assert_int_equal(color_on(0xffffff), 0x000000);
    assert_int_equal(color_on(0x67000d), 0xffffff);
    assert_int_equal(color_on(0xffff00), 0x000000);
}

static double distance_to_background(const struct look *look, double t)
{
    return color_contrast(look_heat(look, t), look_background(look));
}

/* viridis and cividis are what they are; the other two have a variant a theme. */
static void test_zero_is_near_the_background(void **state)
{
    static const char *const names[] = {"reds", "gray"};

    (void)state;
    for (int theme = 0; theme < THEMES; theme++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            struct look look = make(theme, names[i]);

            assert_string_equal(look.colormap.name, names[i]);
            assert_true(distance_to_background(&look, 0) < 1.2);
            assert_true(distance_to_background(&look, 0.5) > 1.5);
            assert_true(distance_to_background(&look, 1) > 10);
        }
}

static void test_heat_has_64_levels(void **state)
{
    struct look look = make(THEME_DARK, "gray");
    rgb last = look_heat(&look, 0);
    int levels = 1;

    (void)state;
    for (int i = 1; i <= 10000; i++) {
        rgb color = look_heat(&look, i / 10000.0);

        levels += color != last;
        last = color;
    }
    assert_int_equal(levels, 64);
    assert_int_equal(look_heat(&look, -1), look.colormap.color[0]);
    assert_int_equal(look_heat(&look, 2), look.colormap.color[COLORMAP_STEPS - 1]);
    assert_int_equal(look_heat(&look, NAN), look.colormap.color[0]);
}

/* The rank that a heat cell has for the eye: how much ink there is, or how far the lightness has come from
 * 0's end. */
static double rank(const struct look *look, const struct cell *cell)
{
    static const char ascii[] = " .:-=+*#%@";
    static const uint32_t shades[] = U" ·░▒▓█";

    if (look->depth >= DEPTH_256)
        return color_contrast(cell->pen.bg,
                              color_on(look->colormap.color[0]) == 0xffffff ? 0x000000 : 0xffffff);
    if (look->glyphs == GLYPHS_ASCII)
        return (double)(strchr(ascii, (int)cell->glyph) - ascii);
    for (int i = 0; shades[i] != 0; i++)
        if (shades[i] == cell->glyph)
            return i;
    fail_msg("U+%04x is no shade", (unsigned)cell->glyph);
    return 0;
}

static void check_heat_cells(const struct look *look)
{
    struct frame frame = {0};
    double last = 0, before = -1;
    int levels = 0;

    frame_reset(&frame, 1, 1, look_pen(look, ROLE_TEXT));
    for (int i = 0; i <= 1000; i++) {
        struct heat_cell heat = look_heat_cell(look, i / 1000.0);

        frame_put(&frame, 0, 0, heat.pen, heat.glyph);
        frame_degrade(&frame, look);
        last = rank(look, frame.cell);
        assert_true(last >= before);
        levels += last > before;
        before = last;
    }
    assert_true(levels >= 5);
    frame_free(&frame);
}

static void test_heat_cells_can_be_told_apart_and_rise(void **state)
{
    (void)state;
    for (int theme = 0; theme < THEMES; theme++)
        for (size_t i = 0; i < n_colormaps; i++) {
            struct look look = make(theme, colormap_names[i]);

            for (int depth = 0; depth < DEPTHS; depth++)
                for (int glyphs = 0; glyphs < GLYPH_TIERS; glyphs++) {
                    look.depth = depth;
                    look.glyphs = glyphs;
                    check_heat_cells(&look);
                }
        }
}

struct lab {
    double lightness, chroma, hue; /* hue in degrees */
};

/* CIE L*a*b* under D65, in polar form. */
static struct lab lab_of(rgb color)
{
    static const double to_xyz[3][3] = {
        {0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}};
    static const double white[] = {0.9505, 1, 1.089};
    double f[3], a, b;

    for (int i = 0; i < 3; i++) {
        double sum = 0;

        for (int k = 0; k < 3; k++) {
            double c = (double)(color >> (16 - 8 * k) & 0xff) / 255;

            sum += to_xyz[i][k] / white[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
        }
        f[i] = sum > 216.0 / 24389 ? cbrt(sum) : (24389.0 / 27 * sum + 16) / 116;
    }
    a = 500 * (f[0] - f[1]);
    b = 200 * (f[1] - f[2]);
    return (struct lab){116 * f[1] - 16, hypot(a, b), atan2(b, a) * 180 / acos(-1)};
}

/* What a terminal shows for the value T. */
static rgb shown(const struct look *look, double t)
{
    struct frame frame = {0};
    rgb color;

    frame_reset(&frame, 1, 1, (struct pen){.bg = look_heat(look, t)});
    frame_degrade(&frame, look);
    color = frame.cell->pen.bg;
    frame_free(&frame);
    return color;
}

/* MAP as shown in 256 colours beside FULL, the same look in all: the same direction at each level, hardly any
 * other lightness, and no hue more than an eighth of the circle away (where both have one worth the name). */
static int count_steps(const struct look *map, const struct look *full)
{
    struct lab last = {0}, last_true = {0};
    rgb before = 0;
    int steps = 0;

    for (int level = 0; level < HEAT_LEVELS; level++) {
        rgb color = shown(map, level / (HEAT_LEVELS - 1.0));
        struct lab lab = lab_of(color), wanted = lab_of(look_heat(full, level / (HEAT_LEVELS - 1.0)));
        double turn = fabs(remainder(lab.hue - wanted.hue, 360));
        double chroma = fmin(lab.chroma, wanted.chroma);

        if (level > 0)
            assert_true((lab.lightness - last.lightness) * (wanted.lightness - last_true.lightness) >= 0);
        assert_true(fabs(lab.lightness - wanted.lightness) <= 10);
        assert_true(chroma < 15 || turn <= 45);
        steps += level == 0 || color != before;
        before = color;
        last = lab;
        last_true = wanted;
    }
    return steps;
}

/* The palette has 24 greys and a few between them in the cube, six pure reds and as many paler ones, and of
 * viridis' hues about a dozen. */
static void test_256_colors_keep_the_order_of_a_colormap(void **state)
{
    static const struct {
        const char *name;
        int least_steps;
    } maps[] = {{"reds", 13}, {"viridis", 12}, {"cividis", 16}, {"gray", 25}};

    (void)state;
    for (int theme = 0; theme < THEMES; theme++)
        for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
            struct look full = make(theme, maps[i].name), few = full;

            few.depth = DEPTH_256;
            assert_true(count_steps(&few, &full) >= maps[i].least_steps);
        }
}

/* In fewer colours than 256 glyphs carry the value, and a colour that changed with it would contradict them.
 */
static void test_few_colors_are_one_color(void **state)
{
    (void)state;
    for (int theme = 0; theme < THEMES; theme++)
        for (size_t i = 0; i < n_colormaps; i++) {
            struct look look = make(theme, colormap_names[i]);

            for (look.depth = DEPTH_MONO; look.depth < DEPTH_256; look.depth++)
                for (int k = 0; k <= 100; k++) {
                    struct pen pen = look_heat_cell(&look, k / 100.0).pen;

                    struct pen first = look_heat_cell(&look, 0).pen;

                    assert_int_equal(pen.fg, first.fg);
                    assert_int_equal(pen.bg, first.bg);
                }
        }
}

static void test_half_blocks(void **state)
{
    struct look look = make(THEME_DARK, "reds");

    (void)state;
    assert_true(look_has_half_blocks(&look));
    look.depth = DEPTH_16;
    assert_false(look_has_half_blocks(&look));
    look.depth = DEPTH_256;
    look.glyphs = GLYPHS_CONSOLE;
    assert_true(look_has_half_blocks(&look));
    look.glyphs = GLYPHS_ASCII;
    assert_false(look_has_half_blocks(&look));
}

static void test_an_unknown_colormap_is_a_usage_error(void **state)
{
    struct error error = {0};
    struct look look;

    (void)state;
    assert_false(look_make(&look, THEME_DARK, "jet", NULL, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_non_null(strstr(error.text, "jet"));
    assert_non_null(strstr(error.text, "cividis"));
}

/* A directory that is removed with what is in colormaps/reds.csv. */
static bool make_from(const char *csv, struct look *look, struct error *error)
{
    char directory[] = "/tmp/attnlab-look-XXXXXX", path[80], maps[64];
    bool ok;

    assert_non_null(mkdtemp(directory));
    snprintf(maps, sizeof maps, "%s/colormaps", directory);
    snprintf(path, sizeof path, "%s/reds.csv", maps);
    assert_int_equal(mkdir(maps, 0700), 0);
    assert_true(file_write(path, csv, strlen(csv), true, error));
    ok = look_make(look, THEME_DARK, "reds", directory, error);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(maps), 0);
    assert_int_equal(rmdir(directory), 0);
    return ok;
}

static void test_a_colormap_is_interpolated(void **state)
{
    struct error error = {0};
    struct look look;

    (void)state;
    assert_true(make_from("position,light,dark\n0,#ffffff,#000000\n0.2,#ffffff,#330000\n1,#ffffff,#3300ff\n",
                          &look, &error));
    assert_int_equal(look.colormap.color[0], 0x000000);
    assert_int_equal(look.colormap.color[25], 0x190000); /* 25/51 of the way to 0x33 */
    assert_int_equal(look.colormap.color[51], 0x330000);
    assert_int_equal(look.colormap.color[204], 0x3300bf); /* 3/4 of the way to 0xff: 191.25 */
    assert_int_equal(look.colormap.color[255], 0x3300ff);
}

/* A map of one's own may turn back half way. */
static void test_a_diverging_colormap_keeps_its_order_in_256_colors(void **state)
{
    struct error error = {0};
    struct look full, few;

    (void)state;
    assert_true(make_from("position,light,dark\n0,#053061,#053061\n0.5,#f7f7f7,#f7f7f7\n1,#67001f,#67001f\n",
                          &full, &error));
    few = full;
    few.depth = DEPTH_256;
    assert_true(count_steps(&few, &full) >= 12);
}

static void test_a_bad_colormap_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "position,light,dark\n",
        "position,light,dark\n0,#ffffff,#000000\n",
        "position,light,dark\n0.1,#ffffff,#000000\n1,#ffffff,#000000\n",
        "position,light,dark\n0,#ffffff,#000000\n0,#ffffff,#000000\n1,#ffffff,#000000\n",
        "position,light,dark\n0,#ffffff,#00000\n1,#ffffff,#000000\n",
        "position,light,dark\n0,ffffff,#000000\n1,#ffffff,#000000\n",
        "position,light,dark\n0,#ffffff\n1,#ffffff,#000000\n",
        "position,light,dark\nx,#ffffff,#000000\n1,#ffffff,#000000\n",
        "position,light,dark\n0,#ffffff,#000000\n1,#ffffff,#00gg00\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error error = {0};
        struct look look;

        assert_false(make_from(bad[i], &look, &error));
        assert_int_equal(error.status, STATUS_FAILED);
        assert_non_null(strstr(error.text, "reds.csv"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contrast),
        cmocka_unit_test(test_roles_can_be_read),
        cmocka_unit_test(test_roles_on_the_bar),
        cmocka_unit_test(test_mix),
        cmocka_unit_test(test_on),
        cmocka_unit_test(test_zero_is_near_the_background),
        cmocka_unit_test(test_heat_has_64_levels),
        cmocka_unit_test(test_heat_cells_can_be_told_apart_and_rise),
        cmocka_unit_test(test_256_colors_keep_the_order_of_a_colormap),
        cmocka_unit_test(test_few_colors_are_one_color),
        cmocka_unit_test(test_half_blocks),
        cmocka_unit_test(test_an_unknown_colormap_is_a_usage_error),
        cmocka_unit_test(test_a_colormap_is_interpolated),
        cmocka_unit_test(test_a_diverging_colormap_keeps_its_order_in_256_colors),
        cmocka_unit_test(test_a_bad_colormap_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
