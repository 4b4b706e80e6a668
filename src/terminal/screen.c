#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "terminal/state.h"

#include "session/session.h"

enum {
    ROWS_MAX = 500, /* no window is larger, whatever its terminal says */
    COLS_MAX = 1000,
    PALETTE = 256,
    FULL_BLOCK = 0x2588,
};

static enum depth terminfo_depth(void)
{
    if (COLORS > PALETTE && (tigetflag("RGB") > 0 || tigetnum("RGB") > 0))
        return DEPTH_TRUE;
    if (COLORS >= PALETTE)
        return DEPTH_256;
    if (COLORS >= 16)
        return DEPTH_16;
    return COLORS >= 8 ? DEPTH_8 : DEPTH_MONO;
}

/* Without start_color curses never sends a colour, so that NO_COLOR means none at all. */
void screen_open(enum depth wanted)
{
    terminal.depth = DEPTH_MONO;
    if (wanted != DEPTH_MONO && has_colors() && start_color() == OK) {
        enum depth most = terminfo_depth();
        terminal.depth = wanted < most ? wanted : most;
        terminal.has_default_colors = use_default_colors() == OK;
    }
    terminal.n_pairs = 0;
    terminal.is_stale = true;
}

/* Ncurses 6.4, told to ignore LINES and COLUMNS, says that the window has changed, but keeps to the old size.
 */
void screen_fit(void)
{
    struct winsize size;
    if (ioctl(terminal.out, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
        (size.ws_row != getmaxy(stdscr) || size.ws_col != getmaxx(stdscr)))
        resizeterm(size.ws_row, size.ws_col);
    terminal.is_stale = true;
}

void screen_write(const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t n = write(terminal.out, text, left);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return;
        if (n > 0) {
            text += n;
            left -= (size_t)n;
        }
    }
}

/* Curses' number of a colour. In the entries for 24 bits the lowest numbers still mean the palette, so those
 * few blues get a trace of green. */
static int curses_color(const struct look *look, rgb color, bool is_background)
{
    int number = frame_color_index(look, color);
    if (number < 0 && !terminal.has_default_colors)
        return is_background == (look->theme == THEME_DARK) ? COLOR_BLACK : COLOR_WHITE;
    if (terminal.depth == DEPTH_TRUE && number >= 0 && number < PALETTE)
        return number | PALETTE;
    return number;
}

/* The pair of a pen; -1 if there are no more. Pairs in use are never redefined: what is on the screen would
 * change. */
static int pen_pair(const struct look *look, struct pen pen)
{
    if (terminal.depth == DEPTH_MONO)
        return 0;
    int fg = curses_color(look, pen.fg, false), bg = curses_color(look, pen.bg, true);
    if (fg < 0 && bg < 0)
        return 0;
    int pair = find_pair(fg, bg);
    if (pair >= 0)
        return pair;
    if (terminal.n_pairs >= COLOR_PAIRS - 1)
        return -1;
    pair = alloc_pair(fg, bg);
    terminal.n_pairs += pair > 0;
    return pair;
}

static attr_t curses_attributes(uint8_t attr)
{
    return (attr & ATTR_BOLD ? A_BOLD : 0) | (attr & ATTR_UNDERLINE ? A_UNDERLINE : 0) |
           (attr & ATTR_REVERSE ? A_REVERSE : 0) | (attr & ATTR_DIM ? A_DIM : 0);
}

static void put(int x, int y, const wchar_t *text, uint8_t attr, int pair)
{
    cchar_t character;
    if (setcchar(&character, text, curses_attributes(attr), 0, &pair) == OK)
        mvwadd_wch(stdscr, y, x,
                   &character); /* ERR in the last corner is how curses says that it cannot go on */
}

/* Curses goes by the C library's widths. Where they differ from the frame's, the terminal would get out of
 * step with both, so the character gives way. */
static void put_cell(int x, int y, const struct cell *cell, int pair)
{
    wchar_t text[1 + CELL_MARKS + 1] = {(wchar_t)cell->glyph};
    if (wcwidth(text[0]) != cell->width) {
        put(x, y, L"?", cell->pen.attr, pair);
        if (cell->width == 2)
            put(x + 1, y, L" ", cell->pen.attr, pair);
        return;
    }
    size_t n = 1;
    for (size_t i = 0; i < CELL_MARKS; i++)
        if (cell->mark[i] && wcwidth((wchar_t)cell->mark[i]) == 0)
            text[n++] = (wchar_t)cell->mark[i];
    put(x, y, text, cell->pen.attr, pair);
}

/* The pen to put CELL with: fonts often leave seams between full blocks, backgrounds do not. */
static struct pen pen_for(const struct cell *cell)
{
    struct pen pen = cell->pen;
    if (cell->glyph == FULL_BLOCK)
        pen.bg = pen.fg;
    return pen;
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
    return a->glyph == b->glyph && a->width == b->width && a->pen.fg == b->pen.fg && a->pen.bg == b->pen.bg &&
           a->pen.attr == b->pen.attr && memcmp(a->mark, b->mark, sizeof a->mark) == 0;
}

enum painted { PAINTED_NOTHING, PAINTED, OUT_OF_PAIRS };

/* Hands the cells that differ from what is shown (all, if ALL) to curses. With AT_ANY_PRICE, cells for which
 * no pair is left go without colour. */
static enum painted paint(const struct frame *frame, const struct look *look, bool all, bool at_any_price)
{
    enum painted painted = PAINTED_NOTHING;
    for (int y = 0; y < frame->rows; y++) {
        for (int x = 0; x < frame->cols; x++) {
            const struct cell *cell = frame_at(frame, x, y);
            if (cell->width == 0 || (!all && same_cell(cell, frame_at(&terminal.shown, x, y))))
                continue;
            int pair = pen_pair(look, pen_for(cell));
            if (pair < 0 && !at_any_price)
                return OUT_OF_PAIRS;
            put_cell(x, y, cell, pair < 0 ? 0 : pair);
            painted = PAINTED;
        }
    }
    return painted;
}

static enum painted paint_with_new_pairs(const struct frame *frame, const struct look *look)
{
    reset_color_pairs();
    terminal.n_pairs = 0;
    return paint(frame, look, true, true);
}

/* Between the brackets a terminal holds its picture back, so that nobody sees half a frame. */
static void flush_frame(void)
{
    if (terminal.modern)
        screen_write("\033[?2026h");
    wnoutrefresh(stdscr);
    doupdate();
    if (terminal.modern)
        screen_write("\033[?2026l");
}

static int at_most(int n, int most)
{
    return n < 1 ? 1 : n > most ? most : n;
}

void screen_show(const struct session *session)
{
    const struct look *look = session_look(session);
    struct frame *next = &terminal.next;
    frame_reset(next, at_most(getmaxx(stdscr), COLS_MAX), at_most(getmaxy(stdscr), ROWS_MAX),
                look_pen(look, ROLE_TEXT));
    session_draw(session, next);
    frame_degrade(next, look);

    bool all = terminal.is_stale || next->cols != terminal.shown.cols || next->rows != terminal.shown.rows;
    if (all) {
        werase(stdscr);
        clearok(stdscr, TRUE);
    }
    enum painted painted = paint(next, look, all, false);
    if (painted == OUT_OF_PAIRS)
        painted = paint_with_new_pairs(next, look);
    if (painted == PAINTED)
        flush_frame();

    struct frame before = terminal.shown;
    terminal.shown = *next;
    *next = before;
    terminal.is_stale = false;
}
