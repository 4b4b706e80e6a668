#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>

#include "data/utf8.h"
#include "draw/area.h"

static struct look make(enum theme theme, enum depth depth, enum glyphs glyphs)
{
    struct error error = {0};
    struct look look;

    if (!look_make(&look, theme, "reds", NULL, &error))
        fail_msg("%s", error.text);
    look.depth = depth;
    look.glyphs = glyphs;
    return look;
}

static void assert_degrades_in(int cols, enum glyphs glyphs, const char *shown, const char *expected)
{
    struct look look = make(THEME_DARK, DEPTH_TRUE, glyphs);
    struct frame frame = {0};
    struct buf text = {0};

    frame_reset(&frame, cols, 1, look_pen(&look, ROLE_TEXT));
    area_text(area_all(&frame, &look), 0, 0, look_pen(&look, ROLE_TEXT), shown);
    frame_degrade(&frame, &look);
    frame_text(&frame, &text);
    assert_string_equal(text.at, expected);
    buf_free(&text);
    frame_free(&frame);
}

static void assert_degrades(enum glyphs glyphs, const char *shown, const char *expected)
{
    assert_degrades_in(40, glyphs, shown, expected);
}

static void test_ascii(void **state)
{
    (void)state;
    assert_degrades(GLYPHS_ASCII, "╭─ fit ─╮│╰╯", "+- fit -+|++\n");
    assert_degrades(GLYPHS_ASCII, "ŷ(x) = Σ α·y ≤ 3", "y(x) = sum a*y <= 3\n");
    assert_degrades(GLYPHS_ASCII, "σ² −½ xᵢ k₁₂", "s^2 -1/2 xi k12\n");
    assert_degrades(GLYPHS_ASCII, "━━●── ██▌ ╱╱", "==O-- ### //\n");
    assert_degrades(GLYPHS_ASCII, "← → ↑ ↓ ▸ ◂ ▲", "< > ^ v > < ^\n");
    assert_degrades(GLYPHS_ASCII, "x\u0302 é Ångström", "x e Angstrom\n");
    assert_degrades(GLYPHS_ASCII, "我 爱，你|", "?? ??, ??|\n");
    assert_degrades(GLYPHS_ASCII, "（ａ）", "( a )\n");
    assert_degrades(GLYPHS_ASCII, "⠀⠁⠿⣿", " .##\n");
    assert_degrades(GLYPHS_ASCII, "\x07 \xff", "? ?\n");
}

static void test_console(void **state)
{
    (void)state;
    assert_degrades(GLYPHS_CONSOLE, "╭─ fit ─╮│╰╯", "┌─ fit ─┐│└┘\n");
    assert_degrades(GLYPHS_CONSOLE, "ŷ(x) = Σ α·y ≤ 3", "y(x) = Σ α·y ≤ 3\n");
    assert_degrades(GLYPHS_CONSOLE, "━━●── ██▍ ╱╱", "══•── ██▌ //\n");
    assert_degrades(GLYPHS_CONSOLE, "◆ ▸ × …", "♦ ► x .\n");
    assert_degrades(GLYPHS_CONSOLE, "我", "??\n");
}

static void test_unicode_stays(void **state)
{
    (void)state;
    assert_degrades(GLYPHS_UNICODE, "╭ŷ▍⣿我x\u0302", "╭ŷ▍⣿我x\u0302\n");
}

/* Code page 437 beyond ASCII, with its pictures for control characters. */
static const uint32_t cp437[] =
    U"ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
    U"αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼";

static bool is_in_cp437(uint32_t glyph)
{
    for (const uint32_t *c = cp437; *c != 0; c++)
        if (*c == glyph)
            return true;
    return glyph >= ' ' && glyph < 0x7f;
}

static void test_each_tier_shows_only_what_it_has(void **state)
{
    struct look console = make(THEME_DARK, DEPTH_TRUE, GLYPHS_CONSOLE);
    struct look ascii = make(THEME_DARK, DEPTH_TRUE, GLYPHS_ASCII);
    struct pen pen = look_pen(&ascii, ROLE_TEXT);
    struct frame frame = {0};

    (void)state;
    for (uint32_t c = ' '; c < 0x11000; c++) {
        frame_reset(&frame, 2, 1, pen);
        frame_put(&frame, 0, 0, pen, c);
        frame_degrade(&frame, &console);
        assert_true(is_in_cp437(frame.cell[0].glyph) && is_in_cp437(frame.cell[1].glyph));
        frame_reset(&frame, 2, 1, pen);
        frame_put(&frame, 0, 0, pen, c);
        frame_degrade(&frame, &ascii);
        for (int i = 0; i < 2; i++) {
            assert_true(frame.cell[i].glyph >= ' ' && frame.cell[i].glyph < 0x7f);
            assert_int_equal(frame.cell[i].width, 1);
        }
    }
    frame_free(&frame);
}

/* A square is not a factor 2: what one character cannot say takes more where there is room, and frames, texts
 * and the columns of numbers stay where they are. */
static void test_words(void **state)
{
    static const struct {
        const char *text, *in_ascii;
    } cases[] = {
        {"((x − xᵢ)·w)²/2  ", "((x - xi)*w)^2/2\n"},
        {"lr 10⁻⁴, 2³ ≤ 9    ", "lr 10^-4, 2^3 <= 9\n"},
        {"QKᵀ/√d       |", "QK^T/sqrt d  |\n"},
        {"√(a) + Σ αᵢ       ", "sqrt(a) + sum ai\n"},
        {"Σₖ a, Σα           ", "sum_k a, sum a\n"},
        {"1 ± 2, 65 → 1, ←→ x    ", "1 +- 2, 65 -> 1, <> x\n"},
        {"│  1.5     −∞ 0.5│", "|  1.5   -inf 0.5|\n"},
        {"│  1.5  −∞  │", "|  1.5 -inf |\n"},
        {"│ q²   k   v │", "| q^2  k   v |\n"},
        {"│╱╱−∞╱│1│", "|-inf/|1|\n"},
        {"│  0.5  0.5╱−∞╱╱╱│", "|  0.5  0.5/-inf/|\n"},
        {"│  0.5╱╱−∞╱╱╱−∞╱│", "|  0.5/-inf/-inf|\n"},
        {"╭──── 65 → 1 ─╮", "+--- 65 -> 1 -+\n"},
        {"│ k3    Σ │", "| k3  sum |\n"},
        {"╭─ by √d ──────╮", "+- by sqrt d --+\n"},
        {"│x²  ●──── 1│", "|x^2 O---- 1|\n"},
        {"│x² ●──── 1│", "|x2 O---- 1|\n"},
        {"│x²│y │", "|x2|y |\n"},
        {"⣿x²⣿   │", "#x2#   |\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_degrades_in(utf8_columns(cases[i].text), GLYPHS_ASCII, cases[i].text, cases[i].in_ascii);
    assert_degrades(GLYPHS_CONSOLE, "√2 ≤ x², 10⁻⁴", "√2 ≤ x², 10^-4\n");
}

/* A key cap's own blanks are not room. */
static void test_words_leave_other_backgrounds(void **state)
{
    struct look look = make(THEME_DARK, DEPTH_TRUE, GLYPHS_ASCII);
    struct frame frame = {0};
    struct buf out = {0};

    (void)state;
    frame_reset(&frame, 12, 1, look_pen(&look, ROLE_TEXT));
    area_text(area_all(&frame, &look), 0, 0, look_pen(&look, ROLE_TEXT), "x²");
    area_text(area_all(&frame, &look), 2, 0, look_pen(&look, ROLE_KEY), "    q");
    frame_degrade(&frame, &look);
    frame_text(&frame, &out);
    assert_string_equal(out.at, "x2    q\n");
    assert_int_equal(frame_at(&frame, 2, 0)->pen.bg, look_pen(&look, ROLE_KEY).bg);
    buf_free(&out);
    frame_free(&frame);
}

static struct cell degraded(const struct look *look, struct pen pen, uint32_t glyph)
{
    struct frame frame = {0};
    struct cell cell;

    frame_reset(&frame, 1, 1, pen);
    frame_put(&frame, 0, 0, pen, glyph);
    frame_degrade(&frame, look);
    cell = frame.cell[0];
    frame_free(&frame);
    return cell;
}

static int index_of(enum depth depth, rgb color)
{
    struct look look = make(THEME_DARK, depth, GLYPHS_UNICODE);

    return frame_color_index(&look, degraded(&look, (struct pen){.fg = color}, 'x').pen.fg);
}

/* The corners and greys of xterm's palette as everyone numbers them. */
static void test_256_colors(void **state)
{
    (void)state;
    assert_int_equal(index_of(DEPTH_256, 0xff0000), 196);
    assert_int_equal(index_of(DEPTH_256, 0xffffff), 231);
    assert_int_equal(index_of(DEPTH_256, 0x5f87af), 67);
    assert_int_equal(index_of(DEPTH_256, 0x8a8a8a), 245);
    assert_int_equal(index_of(DEPTH_256, 0x121212), 233);
    assert_int_equal(index_of(DEPTH_256, 0xfc0203), 196);
    assert_int_equal(index_of(DEPTH_256, 0x0000fe), 21);
    assert_int_equal(index_of(DEPTH_TRUE, 0x123456), 0x123456);
}

/* Every index must name the very colour that the frame then holds. */
static void test_256_is_exact_on_its_own_colors(void **state)
{
    struct look look = make(THEME_DARK, DEPTH_256, GLYPHS_UNICODE);
    static const int level[] = {0, 95, 135, 175, 215, 255};

    (void)state;
    for (int i = 0; i < 216; i++) {
        rgb color = (rgb)(level[i / 36] << 16 | level[i / 6 % 6] << 8 | level[i % 6]);

        assert_int_equal(frame_color_index(&look, color), 16 + i);
        assert_int_equal(degraded(&look, (struct pen){.bg = color}, ' ').pen.bg, color);
    }
    for (int i = 0; i < 24; i++)
        assert_int_equal(frame_color_index(&look, (rgb)(8 + 10 * i) * 0x010101), 232 + i);
}

/* But for blue, which is not read on a dark background in 8 colours. */
static void test_hues_survive_in_16_and_8_colors(void **state)
{
    static const struct {
        rgb color;
        int in_16, in_8;
    } cases[] = {
        {0xcb181d, 1, 1}, {0xfb6a4a, 9, 1},  {0x2ca02c, 2, 2},   {0x80ff80, 10, 2},
        {0xc8b400, 3, 3}, {0xffe050, 11, 3}, {0x6060ff, 12, -1}, {0xb040b0, 5, 5},
        {0x30c0c0, 6, 6}, {0xfefefe, 15, 7}, {0x808080, 8, 7},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(index_of(DEPTH_16, cases[i].color), cases[i].in_16);
        assert_int_equal(index_of(DEPTH_8, cases[i].color), cases[i].in_8);
    }
}

static void test_the_theme_is_the_terminals_default(void **state)
{
    (void)state;
    for (int theme = 0; theme < THEMES; theme++)
        for (int depth = DEPTH_MONO; depth <= DEPTH_16; depth++) {
            struct look look = make(theme, depth, GLYPHS_UNICODE);
            struct cell cell = degraded(&look, look_pen(&look, ROLE_TEXT), 'x');

            assert_int_equal(frame_color_index(&look, cell.pen.fg), -1);
            assert_int_equal(frame_color_index(&look, cell.pen.bg), -1);
        }
}

static void test_key_caps_and_the_bar_stay_visible(void **state)
{
    static const enum role roles[] = {ROLE_KEY, ROLE_BAR};

    (void)state;
    for (int theme = 0; theme < THEMES; theme++)
        for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
            for (int depth = DEPTH_MONO; depth < DEPTHS; depth++) {
                struct look look = make(theme, depth, GLYPHS_UNICODE);
                struct pen pen = degraded(&look, look_pen(&look, roles[i]), 'x').pen;
                struct pen plain = degraded(&look, look_pen(&look, ROLE_TEXT), 'x').pen;

                if (depth <= DEPTH_8)
                    assert_true((pen.attr & ATTR_REVERSE) != 0);
                else
                    assert_int_not_equal(frame_color_index(&look, pen.bg),
                                         frame_color_index(&look, plain.bg));
            }
}

/* As far as anyone can tell from xterm's palette: each role is seen on the theme's background. */
static void test_roles_are_seen_in_few_colors(void **state)
{
    (void)state;
    for (int theme = 0; theme < THEMES; theme++)
        for (int depth = DEPTH_8; depth <= DEPTH_256; depth++) {
            struct look look = make(theme, depth, GLYPHS_UNICODE);

            for (int role = 0; role < ROLES; role++) {
                struct pen pen = degraded(&look, look_pen(&look, role), 'x').pen;

                assert_true(color_contrast(pen.fg, pen.bg) >= 1.8);
            }
        }
}

static void test_mono_has_bold_and_reverse_only(void **state)
{
    struct look look = make(THEME_LIGHT, DEPTH_MONO, GLYPHS_UNICODE);

    (void)state;
    for (int role = 0; role < ROLES; role++) {
        struct pen pen = look_pen(&look, role);

        pen.attr |= ATTR_DIM | ATTR_UNDERLINE;
        pen = degraded(&look, pen, 'x').pen;
        assert_int_equal(pen.attr & ~(ATTR_BOLD | ATTR_REVERSE), 0);
        assert_int_equal(frame_color_index(&look, pen.fg), -1);
        assert_int_equal(frame_color_index(&look, pen.bg), -1);
    }
    assert_true((degraded(&look, look_pen(&look, ROLE_ACCENT), 'x').pen.attr & ATTR_BOLD) != 0);
    assert_true((degraded(&look, look_pen(&look, ROLE_SELECT), 'x').pen.attr & ATTR_BOLD) != 0);
}

static void check_text(const struct look *look, struct pen pen, uint32_t glyph)
{
    struct cell cell = degraded(look, pen, glyph);
    int fg = frame_color_index(look, cell.pen.fg), bg = frame_color_index(look, cell.pen.bg);
    int most = look->depth == DEPTH_MONO ? -1
               : look->depth == DEPTH_8  ? 7
               : look->depth == DEPTH_16 ? 15
                                         : 255;

    if (look->depth < DEPTH_TRUE) {
        assert_in_range(fg + 1, 0, most + 1);
        assert_in_range(bg + 1, 0, most + 1);
    }
    if (cell.glyph != ' ' && (fg != -1 || bg != -1))
        assert_int_not_equal(fg, bg);
}

static void test_text_never_has_its_backgrounds_color(void **state)
{
    (void)state;
    for (int theme = 0; theme < THEMES; theme++)
        for (int depth = 0; depth < DEPTHS; depth++) {
            struct look look = make(theme, depth, GLYPHS_UNICODE);

            for (int i = 0; i <= 64; i++) {
                rgb bg = i < 64 ? look_heat(&look, i / 63.0) : look_pen(&look, ROLE_BAR).bg;

                for (int role = 0; role < ROLES; role++)
                    check_text(&look, look_pen_on(&look, role, bg), 'x');
                check_text(&look, (struct pen){.fg = bg, .bg = bg}, 'x');
                check_text(&look, (struct pen){.fg = bg, .bg = look_heat(&look, (i + 1) / 63.0)}, U'▀');
                check_text(&look, (struct pen){.fg = bg, .bg = look_background(&look)}, U'█');
            }
        }
}

/* Where it is read on a colour of few, it can be: 3:1 at least. */
static void test_numbers_in_heat_cells_can_be_read(void **state)
{
    (void)state;
    for (int theme = 0; theme < THEMES; theme++)
        for (int depth = DEPTH_8; depth < DEPTHS; depth++) {
            struct look look = make(theme, depth, GLYPHS_UNICODE);

            for (int i = 0; i < 64; i++) {
                rgb bg = look_heat(&look, i / 63.0);
                struct pen pen = degraded(&look, (struct pen){.fg = color_on(bg), .bg = bg}, '1').pen;

                assert_true(color_contrast(pen.fg, pen.bg) >= 3);
            }
        }
}

static void test_a_half_block_of_one_color_is_a_blank(void **state)
{
    struct look look = make(THEME_DARK, DEPTH_256, GLYPHS_UNICODE);
    struct cell cell = degraded(&look, (struct pen){.fg = 0xff0000, .bg = 0xfe0101}, U'▀');

    (void)state;
    assert_int_equal(cell.glyph, ' ');
    assert_int_equal(frame_color_index(&look, cell.pen.bg), 196);
    cell = degraded(&look, (struct pen){.fg = 0xff0000, .bg = 0x0000ff}, U'▀');
    assert_int_equal(cell.glyph, U'▀');
    assert_int_equal(frame_color_index(&look, cell.pen.fg), 196);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ascii),
        cmocka_unit_test(test_console),
        cmocka_unit_test(test_unicode_stays),
        cmocka_unit_test(test_each_tier_shows_only_what_it_has),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_words_leave_other_backgrounds),
        cmocka_unit_test(test_256_colors),
        cmocka_unit_test(test_256_is_exact_on_its_own_colors),
        cmocka_unit_test(test_hues_survive_in_16_and_8_colors),
        cmocka_unit_test(test_the_theme_is_the_terminals_default),
        cmocka_unit_test(test_key_caps_and_the_bar_stay_visible),
        cmocka_unit_test(test_roles_are_seen_in_few_colors),
        cmocka_unit_test(test_mono_has_bold_and_reverse_only),
        cmocka_unit_test(test_text_never_has_its_backgrounds_color),
        cmocka_unit_test(test_numbers_in_heat_cells_can_be_read),
        cmocka_unit_test(test_a_half_block_of_one_color_is_a_blank),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
