#include "terminal/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal/state.h"

#include <term.h>

#include "data/lang.h"

struct terminal terminal = {.in = -1, .out = -1};

/* Beginnings of TERM whose terminals are of the xterm kind. A name goes on with its end, '-' or '+', so that
 * "st" is not "stv52". */
static const char *const modern_terms[] = {
    "xterm",   "tmux",    "screen", "alacritty", "kitty",      "foot",        "wezterm",
    "konsole", "vte",     "gnome",  "iterm2",    "iTerm2.app", "mintty",      "st",
    "contour", "ghostty", "rio",    "putty",     "mlterm",     "ms-terminal",
};

static const char *term_name(void)
{
    const char *term = getenv("TERM");
    return term ? term : "";
}

static bool begins_with_name(const char *term, const char *name)
{
    size_t n = strlen(name);
    return strncmp(term, name, n) == 0 && (term[n] == '\0' || strchr("-+.", term[n]));
}

static bool is_modern(const char *term)
{
    for (size_t i = 0; i < sizeof modern_terms / sizeof *modern_terms; i++)
        if (begins_with_name(term, modern_terms[i]))
            return true;
    return false;
}

static bool has_value(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

static bool is_value(const char *variable, const char *wanted)
{
    const char *value = getenv(variable);
    return value && strcmp(value, wanted) == 0;
}

/* Whether terminfo describes TERM as a terminal that programs can draw on. */
static bool can_draw_on(const char *term)
{
    int found;
    if (setupterm(term, STDOUT_FILENO, &found) != OK)
        return false;
    const char *move = tigetstr("cup");
    bool can = move && move != (char *)-1;
    del_curterm(cur_term);
    return can;
}

static const char *some_term_that_works(void)
{
    static const char *const terms[] = {"xterm-256color", "xterm", "screen", "linux", "vt100"};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (can_draw_on(terms[i]))
            return terms[i];
    return terms[0];
}

static bool check_term(struct error *error)
{
    const char *term = term_name();
    if (!*term)
        return error_set(error, STATUS_FAILED, _("TERM does not say which terminal this is; try TERM=%s"),
                         some_term_that_works());
    if (!can_draw_on(term))
        return error_set(error, STATUS_FAILED,
                         _("TERM=%s is no terminal that can be drawn on here; try TERM=%s"), term,
                         some_term_that_works());
    return true;
}

static bool open_files(struct error *error)
{
    if (!isatty(STDOUT_FILENO))
        return error_set(error, STATUS_FAILED,
                         _("standard output is not a terminal; --print writes to files and pipes"));
    terminal.out = STDOUT_FILENO;
    if (isatty(STDIN_FILENO)) {
        terminal.in = STDIN_FILENO;
        return true;
    }
    terminal.tty = fopen("/dev/tty", "r");
    if (!terminal.tty)
        return error_set(
            error, STATUS_FAILED,
            _("there is no keyboard: standard input is not a terminal, and there is no /dev/tty"));
    terminal.in = fileno(terminal.tty);
    return true;
}

static bool is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* Curses writes only what the locale can encode. Asked for more than ASCII in a locale without it, any UTF-8
 * will do. */
static enum glyphs choose_glyphs(int wanted)
{
    if (wanted > GLYPHS_ASCII && !is_utf8())
        (void)(setlocale(LC_CTYPE, "C.UTF-8") || setlocale(LC_CTYPE, "en_US.UTF-8"));
    if (!is_utf8())
        return GLYPHS_ASCII;
    if (wanted >= 0)
        return (enum glyphs)wanted;
    return begins_with_name(term_name(), "linux") ? GLYPHS_CONSOLE : GLYPHS_UNICODE;
}

/* GNU screen passes COLORTERM on from the terminal outside, but before version 5 it takes the numbers of a
 * 24-bit colour for attributes. */
static bool promises_truecolor(void)
{
    if (has_value("STY") && !has_value("TMUX"))
        return false;
    return is_value("COLORTERM", "truecolor") || is_value("COLORTERM", "24bit") ||
           strstr(term_name(), "-direct");
}

static enum depth wanted_depth(int choice)
{
    if (choice >= 0)
        return (enum depth)choice;
    if (has_value("NO_COLOR"))
        return DEPTH_MONO;
    return promises_truecolor() ? DEPTH_TRUE : DEPTH_256;
}

static SCREEN *open_screen(enum depth wanted, bool is_asked_for)
{
    FILE *in = terminal.tty ? terminal.tty : stdin;
    SCREEN *screen = NULL;
    if (wanted == DEPTH_TRUE && terminal.modern)
        screen = direct_newterm(stdout, in);
    if (!screen && wanted >= DEPTH_256 && is_asked_for && is_value("TERM", "xterm"))
        screen = newterm("xterm-256color", stdout, in);
    if (!screen)
        screen = newterm(NULL, stdout, in);
    return screen;
}

/* COLORFGBG is "foreground;background" or "foreground;something;background", in numbers of the 16 colours. */
static enum theme choose_theme(void)
{
    const char *colors = getenv("COLORFGBG");
    const char *last = colors ? strrchr(colors, ';') : NULL;
    return last && (strcmp(last, ";7") == 0 || strcmp(last, ";15") == 0) ? THEME_LIGHT : THEME_DARK;
}

/* As curses does it, but that Ctrl-S is a key and not a way to freeze the picture. */
static void set_modes(void)
{
    cbreak();
    noecho();
    nonl();
    typeahead(-1); /* else curses looks for keys between any two lines, and writes each by itself */
    struct termios modes;
    if (tcgetattr(terminal.out, &modes) == 0) {
        modes.c_iflag &= ~(tcflag_t)IXON;
        tcsetattr(terminal.out, TCSADRAIN, &modes);
        def_prog_mode();
    }
    curs_set(0);
}

bool terminal_open(struct terminal_choice *choice, struct error *error)
{
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
    if (!open_files(error) || !check_term(error))
        return false;
    terminal.modern = is_modern(term_name());
    choice->glyphs = (int)choose_glyphs(choice->glyphs);
    if (choice->theme < 0)
        choice->theme = (int)choose_theme();

    use_env(FALSE); /* the window's real size, whatever LINES and COLUMNS say */
    use_tioctl(TRUE);
    leave_arm();
    enum depth wanted = wanted_depth(choice->depth);
    terminal.screen = open_screen(wanted, choice->depth >= 0);
    if (!terminal.screen) {
        leave_disarm();
        return error_set(error, STATUS_FAILED, _("the terminal cannot be opened; try TERM=%s"),
                         some_term_that_works());
    }
    set_modes();
    screen_open(wanted);
    choice->depth = (int)terminal.depth;
    input_open();
    leave_prepare();
    leave_enter_modes();
    return true;
}

/* Where there is no second screen to go back from, an empty one is left behind rather than half a picture. */
static void clear_if_shared(void)
{
    const char *leave = tigetstr("rmcup");
    if (leave && leave != (char *)-1)
        return;
    werase(stdscr);
    wrefresh(stdscr);
}

void terminal_close(void)
{
    if (terminal.screen) {
        leave_exit_modes();
        clear_if_shared();
        delwin(terminal.keys);
        endwin();
        delscreen(terminal.screen);
        terminal.screen = NULL;
    }
    leave_disarm();
    if (terminal.tty)
        fclose(terminal.tty);
    terminal.tty = NULL;
    frame_free(&terminal.next);
    frame_free(&terminal.shown);
    buf_free(&terminal.paste);
}
