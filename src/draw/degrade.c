/* The one place that knows what a terminal with fewer glyphs or colours shows instead. The glyphs of the
 * console tier are those of code page 437, which every Linux console font descends from. */
#include "draw/frame.h"

#include <assert.h>
#include <stdbool.h>

#include "data/utf8.h"
#include "draw/degrade_words.h"
#include "draw/palette.h"

/* A block of Unicode from FIRST on: what stands for each character in the console and the ascii tier. */
struct range {
    uint32_t first, n;
    const uint32_t *console;
    const char *ascii;
};

static const uint32_t latin_console[] = U" ¡¢£*¥|§\"ca«¬-r-°±²3'µ¶·,1º»¼½/¿AAAAÄÅÆÇEÉEEIIIIDÑOOOOÖxOUUUÜYPß"
                                        U"àáâaäåæçèéêëìíîïdñòóôoö÷oùúûüypÿAaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGg"
                                        U"GgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSs"
                                        U"SsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";
static const char latin_ascii[] = " !cL*Y|S\"ca<~-r-o+23'uP*,1o>///?AAAAAAACEEEEIIIIDNOOOOOxOUUUUYPs"
                                  "aaaaaaaceeeeiiiidnooooo/ouuuuypyAaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGg"
                                  "GgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSs"
                                  "SsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";
static const uint32_t greek_console[] = U"ABΓDEZHΘIKLMNXOπR?ΣTUΦCYΩ?\?\?\?\?\?\?αßgδεzhΘiklµnxoπrsστuφcyw";
static const char greek_ascii[] = "ABGDEZHTIKLMNXOPR?STUFCYW?\?\?\?\?\?\?abgdezhtiklmnxoprsstufcyw";
static const uint32_t script_console[] = U"0i?\?456789+-=()ⁿ0123456789+-=()?aeox?hklmnpst";
static const char script_ascii[] = "0i?\?456789+-=()n0123456789+-=()?aeox?hklmnpst";
static const uint32_t box_console[] = U"─═│║─═│║─═│║┌┌┌┌┐┐┐┐└└└└┘┘┘┘├├├├├├├├┤┤┤┤┤┤┤┤┬┬┬┬┬┬┬┬┴┴┴┴┴┴┴┴┼┼┼┼"
                                      U"┼┼┼┼┼┼┼┼┼┼┼┼─═│║═║╒╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡╢╣╤╥╦╧╨╩╪╫╬┌┐┘└/\\x─│─│═║═║─│─│";
static const char box_ascii[] = "-=||-=||-=||++++++++++++++++++++++++++++++++++++++++++++++++++++"
                                "++++++++++++-=||=|+++++++++++++++++++++++++++++++/\\x-|-|=|=|-|-|";
static const uint32_t block_console[] = U"▀__▄▄▄██████▌▌▌▌▐░▒▓▀▐▄▄▀█▒██▀▒█";
static const char block_ascii[] = "\"__.-=+######|||#.:%-|..'#%##'%#";

#define RANGE(first, name)                                                                                   \
    {                                                                                                        \
        first, sizeof name##_ascii - 1, name##_console, name##_ascii                                         \
    }
#define SAME_LENGTH(name) (sizeof name##_console / sizeof *name##_console == sizeof name##_ascii)

static const struct range ranges[] = {
    RANGE(0x00a0, latin), RANGE(0x0391, greek), RANGE(0x2070, script),
    RANGE(0x2500, box),   RANGE(0x2580, block),
};

static_assert(SAME_LENGTH(latin) && SAME_LENGTH(greek) && SAME_LENGTH(script),
              "one stand-in a character and tier");
static_assert(SAME_LENGTH(box) && SAME_LENGTH(block), "one stand-in a character and tier");
static_assert(sizeof box_ascii == 0x80 + 1 && sizeof block_ascii == 0x20 + 1, "whole blocks");

/* Characters on their own; those of a group share their stand-ins. */
static const struct group {
    const uint32_t *glyphs;
    uint32_t console;
    char ascii;
} groups[] = {
    {U"‐‑‒–−⁃", '-', '-'},
    {U"—―", U'─', '-'},
    {U"‘’‚′ʹ", '\'', '\''},
    {U"“”„″", '"', '"'},
    {U"…", '.', '.'},
    {U"‹⟨〈", '<', '<'},
    {U"›⟩〉", '>', '>'},
    {U"⁄∕", '/', '/'},
    {U"∖", '\\', '\\'},
    {U"‖∥", U'║', '|'},
    {U"∣", '|', '|'},
    {U"•", U'•', '*'},
    {U"∙⋅", U'∙', '.'},
    {U"⋯", U'∙', '.'},
    {U"⋮", ':', ':'},
    {U"†‡", '+', '+'},
    {U"←⇐⟵⇦↤", U'←', '<'},
    {U"→⇒⟶⇨↦⇥", U'→', '>'},
    {U"↑⇑⇧", U'↑', '^'},
    {U"↓⇓⇩", U'↓', 'v'},
    {U"↔⇔⟷", U'↔', '-'},
    {U"↕⇕", U'↕', '|'},
    {U"↵⏎↲⌫", U'←', '<'},
    {U"↶↺⟲", U'←', '<'},
    {U"↷↻⟳", U'→', '>'},
    {U"∀", 'A', 'A'},
    {U"∂", 'd', 'd'},
    {U"∃∈∊", U'ε', 'e'},
    {U"∅⌀", '0', '0'},
    {U"∆△", U'▲', 'D'},
    {U"∇▽", U'▼', 'V'},
    {U"∏", U'π', 'P'},
    {U"∑", U'Σ', 'S'},
    {U"∓", U'±', '+'},
    {U"∗⋆★☆✱", '*', '*'},
    {U"∘○◦◯◌◎◍", U'○', 'o'},
    {U"√✓✔", U'√', 'v'},
    {U"∝∼~", '~', '~'},
    {U"∞", U'∞', 'I'},
    {U"∧", '^', '^'},
    {U"∨", 'v', 'v'},
    {U"∩", U'∩', 'n'},
    {U"∪", 'U', 'U'},
    {U"∫", U'⌠', 'S'},
    {U"≃≅≈", U'≈', '~'},
    {U"≠", '#', '#'},
    {U"≡", U'≡', '='},
    {U"≤⩽", U'≤', '<'},
    {U"≥⩾", U'≥', '>'},
    {U"≪", U'«', '<'},
    {U"≫", U'»', '>'},
    {U"⊕", '+', '+'},
    {U"⊗⊙", '*', '*'},
    {U"⊤ᵀ", 'T', 'T'},
    {U"⊥", '_', '_'},
    {U"⌈⌊", '[', '['},
    {U"⌉⌋", ']', ']'},
    {U"■◼▮▪◾", U'■', '#'},
    {U"□◻▯▫▢☐", U'○', 'o'},
    {U"▬▭⎯", U'▬', '='},
    {U"▲▴⏶", U'▲', '^'},
    {U"▼▾⏷", U'▼', 'v'},
    {U"▶▸►⏵▷▹", U'►', '>'},
    {U"◀◂◄⏴◁◃", U'◄', '<'},
    {U"◆◇◈⬥⬦♦", U'♦', '*'},
    {U"●⬤◉◐◑", U'•', 'O'},
    {U"✕✖✗✘☒", 'x', 'x'},
    {U"☑", U'√', 'x'},
    {U"⏸", U'║', '|'},
    {U"⏮", U'◄', '<'},
    {U"⏭", U'►', '>'},
    {U"⚠", '!', '!'},
    {U"♥♠♣", U'♥', '*'},
    {U"☺☻", U'☺', ':'},
    {U"♪♫", U'♪', 'd'},
    {U"ƒ", U'ƒ', 'f'},
    {U"€", 'E', 'E'},
    {U"ℓ", 'l', 'l'},
    {U"ℝ", 'R', 'R'},
    {U"ᵢ", 'i', 'i'},
    {U"ᵣ", 'r', 'r'},
    {U"ᵤ", 'u', 'u'},
    {U"ᵥ", 'v', 'v'},
    {U"ⱼ", 'j', 'j'},
    {U"ᵈ", 'd', 'd'},
    {U"ᵏ", 'k', 'k'},
    {U"ᵐ", 'm', 'm'},
    {U"ᵗ", 't', 't'},
    {U"\u2009\u200a\u202f\u2003\u2002\u3000", ' ', ' '},
    {U"，、", ',', ','},
    {U"。．", '.', '.'},
    {U"「」『』", '"', '"'},
    {U"《", '<', '<'},
    {U"》", '>', '>'},
    {U"【", '[', '['},
    {U"】", ']', ']'},
};

enum {
    BRAILLE = 0x2800,
    BRAILLE_END = 0x2900,
    FULLWIDTH = 0xff01, /* the wide forms of ASCII's 0x21 to 0x7e */
    FULLWIDTH_END = 0xff5f,
    UPPER_HALF = 0x2580,
    LOWER_HALF = 0x2584,
    BLOCKS_END = 0x25a0,
};

/* A braille pattern by the number of its dots. */
static uint32_t braille_glyph(uint32_t glyph, bool is_ascii)
{
    static const uint32_t console[] = U" ···••■■■";
    static const char ascii[] = " ..:::###";
    int dots = 0;

    for (uint32_t bits = glyph - BRAILLE; bits != 0; bits &= bits - 1)
        dots++;
    return is_ascii ? (uint32_t)ascii[dots] : console[dots];
}

/* What stands for GLYPH in the tier, '?' where nothing does. */
static uint32_t stand_in(uint32_t glyph, bool is_ascii)
{
    if (glyph < 0x80)
        return glyph;
    if (glyph >= BRAILLE && glyph < BRAILLE_END)
        return braille_glyph(glyph, is_ascii);
    if (glyph >= FULLWIDTH && glyph < FULLWIDTH_END)
        return glyph - FULLWIDTH + '!';
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        uint32_t place = glyph - ranges[i].first;

        if (glyph >= ranges[i].first && place < ranges[i].n)
            return is_ascii ? (uint32_t)ranges[i].ascii[place] : ranges[i].console[place];
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        for (const uint32_t *member = groups[i].glyphs; *member != 0; member++)
            if (*member == glyph)
                return is_ascii ? (uint32_t)groups[i].ascii : groups[i].console;
    return '?';
}

/* A wide glyph makes two cells: its stand-in and a blank, or two question marks. */
static void degrade_glyph(struct cell *cell, bool is_ascii)
{
    bool is_wide = cell->width == 2;
    uint32_t glyph = stand_in(cell->glyph, is_ascii);

    for (int i = 0; i < CELL_MARKS; i++)
        cell->mark[i] = 0;
    cell->glyph = glyph;
    cell->width = 1;
    if (is_wide)
        cell[1] = (struct cell){.glyph = glyph == '?' ? '?' : ' ', .pen = cell[1].pen, .width = 1};
}

/* xterm's first sixteen colours: what the numbers look like is the terminal's business, but their hues are
 * not. */
static const rgb ansi[] = {
    0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
    0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
};

enum { DEFAULT_COLOR = -1, BRIGHT = 8 };

static int channel(rgb color, int shift)
{
    return (int)(color >> shift & 0xff);
}

static int distance(rgb a, rgb b)
{
    int sum = 0;

    for (int shift = 0; shift <= 16; shift += 8) {
        int d = channel(a, shift) - channel(b, shift);

        sum += d * d;
    }
    return sum;
}

static int lightness(rgb color)
{
    return (54 * channel(color, 16) + 183 * channel(color, 8) + 19 * channel(color, 0)) / 256;
}

/* The last level not above VALUE. */
static int level_below(int value)
{
    int level = CUBE - 1;

    while (palette_cube[level] > value)
        level--;
    return level;
}

/* Lightness counts beside the channels: what is light stays light. */
static int mismatch(rgb a, rgb b)
{
    int d = lightness(a) - lightness(b);

    return distance(a, b) + 6 * d * d;
}

static void keep_nearer(int *best, int index, rgb color)
{
    if (mismatch(palette_xterm(index), color) < mismatch(palette_xterm(*best), color))
        *best = index;
}

/* The nearest of the cube's corners around COLOR and the two greys beside it; the sixteen colours before the
 * cube are anyone's. */
static int nearest_256(rgb color)
{
    int grey = GREY_BASE + (lightness(color) - 8) / 10, best = CUBE_BASE;

    for (int corner = 0; corner < 8; corner++) {
        int index = CUBE_BASE;

        for (int shift = 0, step = 1; shift <= 16; shift += 8, step *= CUBE) {
            int level = level_below(channel(color, shift)) + (corner >> shift / 8 & 1);

            index += step * (level < CUBE ? level : CUBE - 1);
        }
        keep_nearer(&best, index, color);
    }
    for (int i = grey; i <= grey + 1; i++)
        keep_nearer(&best, i < GREY_BASE + GREYS ? i : GREY_BASE + GREYS - 1, color);
    return best;
}

/* One of N = 8 or 16 colours of the same hue, or of the same lightness where there is hardly a hue. */
static int nearest_ansi(rgb color, int n)
{
    static const int greys[] = {0, 7, 8, 15};
    int r = channel(color, 16), g = channel(color, 8), b = channel(color, 0);
    int high = r > g ? (r > b ? r : b) : (g > b ? g : b), low = r < g ? (r < b ? r : b) : (g < b ? g : b);
    int best = 0, middle = (high + low + 1) / 2;

    if (high - low >= 48 && high >= 64)
        return (r >= middle) | (g >= middle) << 1 | (b >= middle) << 2 |
               (n > BRIGHT && high >= 0xe0 ? BRIGHT : 0);
    for (int i = 1; i < (n > BRIGHT ? 4 : 2); i++)
        if (distance(color, ansi[greys[i]]) < distance(color, ansi[greys[best]]))
            best = i;
    return greys[best];
}

/* Contrasts at which a tint is worth a colour of its own, and below which text gets another. */
static const double tint_contrast = 1.35, least_contrast = 2, least_contrast_on_color = 3;

static rgb default_text(const struct look *look)
{
    return look_pen(look, ROLE_TEXT).fg;
}

static rgb few_background(const struct look *look, rgb bg, int n)
{
    rgb plain = look_background(look);

    if (palette_is_raised(look, bg))
        return ansi[look->theme == THEME_DARK ? 8 : 7];
    return color_contrast(bg, plain) < tint_contrast ? plain : ansi[nearest_ansi(bg, n)];
}

/* BG is already one of the few. On the default background a colour must differ from it, on another one it
 * must be read, and the terminal's own text colour is no answer there as nobody knows it. */
static rgb few_text(const struct look *look, rgb fg, rgb bg, int n)
{
    const struct role_style *role = palette_role(look, fg);
    bool on_plain = bg == look_background(look);
    int index = role == NULL ? nearest_ansi(fg, n) : n > BRIGHT ? role->ansi16 : role->ansi8;
    rgb text = index == DEFAULT_COLOR ? default_text(look) : ansi[index];

    if (on_plain)
        return role != NULL || color_contrast(text, bg) >= least_contrast ? text : default_text(look);
    if (index != DEFAULT_COLOR && color_contrast(text, bg) >= least_contrast_on_color)
        return text;
    return ansi[nearest_ansi(color_on(bg), n)];
}

static struct pen few_colors(const struct look *look, struct pen pen, int n)
{
    struct pen few = {.attr = pen.attr};

    if (n <= BRIGHT && palette_is_raised(look, pen.bg)) {
        few.attr |= ATTR_REVERSE;
        pen.bg = look_background(look);
    }
    few.bg = few_background(look, pen.bg, n);
    few.fg = few_text(look, pen.fg, few.bg, n);
    return few;
}

static struct pen no_colors(const struct look *look, struct pen pen)
{
    const struct role_style *role = palette_role(look, pen.fg);
    int attr = pen.attr & (ATTR_BOLD | ATTR_REVERSE);

    attr |= role != NULL ? role->mono : 0;
    attr |= palette_is_raised(look, pen.bg) ? ATTR_REVERSE : 0;
    return (struct pen){.fg = default_text(look), .bg = look_background(look), .attr = (uint8_t)attr};
}

static struct pen degrade_pen(const struct look *look, struct pen pen)
{
    switch (look->depth) {
    case DEPTH_MONO:
        return no_colors(look, pen);
    case DEPTH_8:
        return few_colors(look, pen, 8);
    case DEPTH_16:
        return few_colors(look, pen, 16);
    case DEPTH_256:
        pen.fg = palette_xterm(nearest_256(pen.fg));
        pen.bg = palette_xterm(nearest_256(pen.bg));
        return pen;
    default:
        return pen;
    }
}

/* Where fg and bg have become one: a half block, or any block that was of one colour, is a blank of that
 * colour; all else must be seen. WAS is the pen before. */
static void keep_visible(const struct look *look, struct cell *cell, struct pen was)
{
    bool is_half = cell->glyph == UPPER_HALF || cell->glyph == LOWER_HALF;
    bool is_block = cell->glyph >= UPPER_HALF && cell->glyph < BLOCKS_END;

    if (cell->glyph == ' ' || cell->pen.fg != cell->pen.bg)
        return;
    if (is_half || (is_block && was.fg == was.bg))
        cell->glyph = ' ';
    else
        cell->pen.fg = color_on(cell->pen.bg);
    if (look->depth == DEPTH_8 && cell->pen.fg == 0xffffff)
        cell->pen.fg = ansi[7];
}

void frame_degrade(struct frame *frame, const struct look *look)
{
    size_t n = (size_t)frame->cols * (size_t)frame->rows;
    struct pen was = {0}, now = degrade_pen(look, was);

    if (look->glyphs != GLYPHS_UNICODE)
        degrade_words(frame, look->glyphs == GLYPHS_ASCII);
    for (size_t i = 0; i < n; i++) {
        struct cell *cell = &frame->cell[i];

        if (look->glyphs != GLYPHS_UNICODE)
            degrade_glyph(cell, look->glyphs == GLYPHS_ASCII);
        /* Neighbours mostly share a pen, and contrasts are dear. */
        if (cell->pen.fg != was.fg || cell->pen.bg != was.bg || cell->pen.attr != was.attr) {
            was = cell->pen;
            now = degrade_pen(look, was);
        }
        cell->pen = now;
        keep_visible(look, cell, was);
    }
}

int frame_color_index(const struct look *look, rgb color)
{
    int n = look->depth == DEPTH_8 ? 8 : 16;

    if (look->depth == DEPTH_TRUE)
        return (int)color;
    if (look->depth == DEPTH_256)
        return nearest_256(color);
    if (look->depth == DEPTH_MONO || color == look_background(look) || color == default_text(look))
        return DEFAULT_COLOR;
    for (int i = 0; i < n; i++)
        if (ansi[i] == color)
            return i;
    return nearest_ansi(color, n);
}
