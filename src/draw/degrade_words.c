#include "draw/degrade_words.h"

#include <string.h>

enum {
    RULE = 0x2500,
    HATCH = 0x2571,
    FIXED = 0x2500,
    FIXED_END = 0x2600,
    BRAILLE = 0x2800,
    BRAILLE_END = 0x2900,
    INFINITE = 0x221e
};

/* Cells that may be fewer without anything being said otherwise. */
static bool is_filler(const struct cell *cell)
{
    bool fills = cell->glyph == ' ' || cell->glyph == RULE || cell->glyph == HATCH;

    return fills && cell->width == 1 && cell->mark[0] == 0;
}

/* Cells that mean their place: frames, bars, shades, marks and curves. */
static bool is_fixed(const struct cell *cell)
{
    return (cell->glyph >= FIXED && cell->glyph < FIXED_END && !is_filler(cell)) ||
           (cell->glyph >= BRAILLE && cell->glyph < BRAILLE_END);
}

static bool is_one_of(uint32_t glyph, const uint32_t *glyphs)
{
    while (*glyphs != 0 && *glyphs != glyph)
        glyphs++;
    return *glyphs != 0;
}

/* How many cells of a run of fillers, which ends before END, must stay: texts begin two blanks after another,
 * all else one cell, and hatching needs to part texts only. */
static int kept_cells(const struct cell *row, int cols, int end, int step, uint32_t filler, rgb bg)
{
    if (end < 0 || end >= cols)
        return 0;
    if (filler == HATCH)
        return !is_fixed(&row[end]) && row[end].glyph != ' ';
    return step > 0 && filler == ' ' && row[end].pen.bg == bg && !is_fixed(&row[end]) ? 2 : 1;
}

/* How many cells could be taken out on one side of X, and *FIRST, the nearest of them. STEP is 1 or -1. To
 * the left only words of the same text give way: other texts begin in columns, and numbers have cells. */
static int find_room(const struct cell *row, int cols, int x, int step, int *first)
{
    rgb bg = row[x].pen.bg;
    int room = 0;

    for (int i = x + step, end; i >= 0 && i < cols && row[i].pen.bg == bg && !is_fixed(&row[i]); i = end) {
        end = i + step;
        if (!is_filler(&row[i]))
            continue;
        while (end >= 0 && end < cols && row[end].glyph == row[i].glyph && is_filler(&row[end]) &&
               row[end].pen.bg == bg)
            end += step;

        int spare = (end - i) * step - kept_cells(row, cols, end, step, row[i].glyph, bg);

        if (spare > 0 && room == 0)
            *first = i;
        room += spare > 0 ? spare : 0;
        if (step < 0 && (row[i].glyph != ' ' || i - end > 1 || row[x].glyph == INFINITE))
            break;
    }
    return room;
}

/* Makes cell X into N cells, those more taken from where STEP points as far as there are, the rest from the
 * other side; returns the first of them, or -1 where there is no room. */
static int widen(struct cell *row, int cols, int x, int n, int step)
{
    int at = x, ahead = find_room(row, cols, x, step, &at);

    if (ahead + find_room(row, cols, x, -step, &at) < n - 1)
        return -1;
    for (int i = 1; i < n; i++, ahead--) {
        int side = ahead > 0 ? step : -step;

        find_room(row, cols, x, side, &at);
        if (side > 0)
            memmove(row + x + 1, row + x, (size_t)(at - x) * sizeof *row);
        else
            memmove(row + at, row + at + 1, (size_t)(x - at) * sizeof *row);
        x -= side < 0;
    }
    return x;
}

/* Superscripts, and what each is when it no longer stands high. */
static const uint32_t high[] = U"⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿᵀᵈᵏᵐᵗ";
static const char low[] = "0123456789-+nTdkmt";

_Static_assert(sizeof high / sizeof *high == sizeof low, "one character each");

static const struct word {
    uint32_t glyph;
    const char *text;
    bool is_operator; /* stands apart from what it is applied to */
    bool in_console;
} words[] = {
    {0x221a, "sqrt", true, true}, {0x03a3, "sum", true, true},    {0x2211, "sum", true, true},
    {0x00bd, "1/2", false, true}, {INFINITE, "inf", false, true}, {0x2264, "<=", false, true},
    {0x2265, ">=", false, true},  {0x2260, "!=", false, false},   {0x00b1, "+-", false, true},
    {0x2190, "<-", false, true},  {0x2192, "->", false, true},
};

enum { WORD_MAX = 8 };

/* The word for the glyph at X in WORD: a power's sign and digit, or a name and what parts it from what
 * follows. Returns its length, 0 where the glyph's stand-in says enough. */
static size_t word_at(const struct cell *row, int cols, int x, bool is_ascii, char word[WORD_MAX])
{
    uint32_t glyph = row[x].glyph, before = x > 0 ? row[x - 1].glyph : ' ';
    uint32_t next = x + 1 < cols ? row[x + 1].glyph : ' ';
    size_t n = 0;

    if (is_one_of(glyph, U"←→") && (before != ' ' || next != ' ')) /* keys */
        return 0;
    for (size_t i = 0; high[i] != 0; i++)
        if (high[i] == glyph && (is_ascii || !is_one_of(glyph, U"²ⁿ"))) {
            word[n++] = '^';
            word[n++] = low[i];
        }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].glyph == glyph && (is_ascii || !words[i].in_console)) {
            n = strlen(words[i].text);
            memcpy(word, words[i].text, n);
            if (words[i].is_operator && next >= 0x2080 && next < 0x209d)
                word[n++] = '_';
            else if (words[i].is_operator && !is_one_of(next, U" ()[],;:=/"))
                word[n++] = ' ';
        }
    return n;
}

/* Numbers stand at the right of their columns, so infinity grows to the left first; all else begins where it
 * began. */
static void spell_row(struct cell *row, int cols, bool is_ascii)
{
    bool was_high = false;

    for (int x = 0; x < cols; x++) {
        bool is_high = is_one_of(row[x].glyph, high);
        struct pen pen = row[x].pen;
        char word[WORD_MAX];
        int n = was_high && is_high ? 0 : (int)word_at(row, cols, x, is_ascii, word);
        int start = n > 0 ? widen(row, cols, x, n, row[x].glyph == INFINITE ? -1 : 1) : -1;

        was_high = is_high;
        if (start < 0)
            continue;
        for (int i = 0; i < n; i++)
            row[start + i] = (struct cell){.glyph = (unsigned char)word[i], .pen = pen, .width = 1};
        x = start + n - 1;
    }
}

void degrade_words(struct frame *frame, bool is_ascii)
{
    for (int y = 0; y < frame->rows; y++)
        spell_row(frame_at(frame, 0, y), frame->cols, is_ascii);
}
