/* The program itself, in a terminal. */
#include <setjmp.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "pty.h"

#include "demos/demo.h"
#include "draw/look.h"

#define START    "epoch 0 / 5"
#define PATIENCE 20.0 /* s: a machine that is busy with other things */

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(HAS_SANITIZER)
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

enum { QUIET_MS = 300 };

static const char *program(void)
{
    const char *path = getenv("ATTNLAB");
    assert_non_null(path);
    return path;
}

static struct pty *start_with(const char *const *arguments, const struct pty_options *options)
{
    const char *argv[16] = {program()};
    for (size_t i = 0; arguments && arguments[i] && i < 14; i++)
        argv[i + 1] = arguments[i];
    return pty_start(argv, options);
}

static struct pty *start_in(const char *const *env)
{
    struct pty_options options = {.env = env};
    return start_with(NULL, &options);
}

static void wait_for(struct pty *pty, const char *text)
{
    if (pty_wait_text(pty, text, PATIENCE))
        return;
    char *screen = pty_text(pty);
    print_error("waited for \"%s\", the screen is:\n%s", text, screen);
    free(screen);
    fail();
}

static void wait_until_idle(struct pty *pty)
{
    wait_for(pty, START);
    assert_true(pty_wait_silence(pty, QUIET_MS, PATIENCE));
}

static void assert_restored(struct pty *pty)
{
    const char *why = pty_not_restored(pty);
    if (why)
        fail_msg("not restored: %s", why);
}

static void assert_left_with(struct pty *pty, int status)
{
    assert_true(pty_wait_gone(pty, PATIENCE));
    assert_true(WIFEXITED(pty->status));
    assert_int_equal(WEXITSTATUS(pty->status), status);
}

static void quit(struct pty *pty)
{
    pty_type(pty, "q");
    assert_left_with(pty, 0);
    assert_restored(pty);
    pty_free(pty);
}

/* The picture reaches from the program's name in the first row to something in the last. */
static bool is_complete(struct pty *pty, const void *context)
{
    (void)context;
    char *text = pty_text(pty), *row = text;
    bool has_name = strncmp(text + strspn(text, " "), "attnlab", 7) == 0;
    for (int y = 0; y < pty->rows - 1; y++)
        row = strchr(row, '\n') + 1;
    bool has_footer = *row != '\n';
    free(text);
    return has_name && has_footer;
}

static void steps_and_plays(void **state)
{
    (void)state;
    struct pty *pty = start_in(NULL);
    wait_for(pty, START);
    assert_true(pty->is_alternate);
    assert_false(pty->is_cursor_shown);
    pty_type(pty, "n");
    wait_for(pty, "epoch 1 / 5");
    pty_type(pty, "n");
    wait_for(pty, "epoch 2 / 5");
    pty_type(pty, "p");
    wait_for(pty, "epoch 1 / 5");
    pty_type(pty, " ");
    wait_for(pty, "epoch 5 / 5");
    quit(pty);
}

static void follows_the_window(void **state)
{
    (void)state;
    static const int sizes[][2] = {{40, 120}, {24, 80}, {12, 40}, {60, 200}, {30, 100}};
    static const char *const env[] = {"LINES=24", "COLUMNS=80", NULL};
    struct pty_options options = {.rows = 40, .cols = 120, .env = env};
    struct pty *pty = start_with(NULL, &options);
    wait_for(pty, START);
    assert_true(pty_wait(pty, is_complete, NULL, PATIENCE));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        pty_resize(pty, sizes[i][0], sizes[i][1]);
        assert_true(pty_wait(pty, is_complete, NULL, PATIENCE));
    }
    quit(pty);
}

static void survives_small_windows(void **state)
{
    (void)state;
    static const int sizes[][2] = {{19, 46}, {5, 20}, {1, 1}, {1, 200}, {60, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct pty_options options = {.rows = sizes[i][0], .cols = sizes[i][1]};
        struct pty *pty = start_with(NULL, &options);
        assert_true(pty_wait_silence(pty, QUIET_MS, PATIENCE));
        quit(pty);
        pty = start_with(NULL, &options);
        assert_true(pty_wait_silence(pty, QUIET_MS, PATIENCE));
        pty_resize(pty, 24, 80);
        wait_for(pty, START);
        pty_resize(pty, sizes[i][0], sizes[i][1]);
        assert_true(pty_wait_silence(pty, QUIET_MS, PATIENCE));
        quit(pty);
    }
}

static void hands_on_the_signal(int signal, const char *keys)
{
    struct pty *pty = start_in(NULL);
    wait_for(pty, START);
    pty_type(pty, keys);
    kill(pty->pid, signal);
    assert_true(pty_wait_gone(pty, PATIENCE));
    assert_true(WIFSIGNALED(pty->status));
    assert_int_equal(WTERMSIG(pty->status), signal);
    assert_restored(pty);
    pty_free(pty);
}

static void leaves_by_signals(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        hands_on_the_signal(signals[i], "");
        hands_on_the_signal(signals[i], ":set epochs 100000\r ");
    }
}

static void leaves_by_interrupt_key(void **state)
{
    (void)state;
    static const int rows[] = {24, 5, 1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pty_options options = {.rows = rows[i], .cols = rows[i] == 1 ? 1 : 80};
        struct pty *pty = start_with(NULL, &options);
        assert_true(pty_wait_silence(pty, QUIET_MS, PATIENCE));
        pty_type(pty, "\003");
        assert_true(pty_wait_gone(pty, PATIENCE));
        assert_true(WIFSIGNALED(pty->status));
        assert_int_equal(WTERMSIG(pty->status), SIGINT);
        assert_restored(pty);
        pty_free(pty);
    }
}

static void restores_after_crashes(void **state)
{
    (void)state;
    if (IS_SANITIZED) /* there the sanitizer's report has precedence */
        skip();
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        hands_on_the_signal(signals[i], "");
}

/* Under a shell with job control, as a user stops and continues it. */
static void stops_and_continues(void **state)
{
    (void)state;
    static const char *const env[] = {"PS1=ready> ", NULL};
    static const char *const shell[] = {"/bin/sh", "-i", NULL};
    struct pty_options options = {.env = env};
    struct pty *pty = pty_start(shell, &options);
    char command[512], epoch[32];
    wait_for(pty, "ready>");
    snprintf(command, sizeof command, "'%s'\n", program());
    pty_type(pty, command);
    wait_for(pty, START);
    for (int i = 1; i <= 5; i++) {
        size_t before = pty->log_len;
        pty_type(pty, "\032");
        assert_true(pty_wait_written(pty, before, "Stopped", PATIENCE));
        assert_restored(pty);
        pty_resize(pty, 24 + i, 80 + i);
        pty_type(pty, "fg\n");
        assert_true(pty_wait(pty, is_complete, NULL, PATIENCE));
        pty_type(pty, "n");
        snprintf(epoch, sizeof epoch, "epoch %d / 5", i);
        wait_for(pty, epoch);
    }
    size_t before = pty->log_len;
    pty_type(pty, "q");
    assert_true(pty_wait_written(pty, before, "ready>", PATIENCE));
    assert_restored(pty);
    pty_type(pty, "exit\n");
    assert_true(pty_wait_gone(pty, PATIENCE));
    pty_free(pty);
}

/* Stopped in a way that no program can see coming, with the terminal changed meanwhile. */
static void redraws_when_continued(void **state)
{
    (void)state;
    struct pty *pty = start_in(NULL);
    wait_until_idle(pty);
    kill(pty->pid, SIGSTOP);
    tcsetattr(pty->slave, TCSANOW, &pty->modes_before);
    vterm_screen_reset(pty->screen, 1);
    assert_false(pty_shows(pty, START));
    pty_resize(pty, 30, 90);
    kill(pty->pid, SIGCONT);
    assert_true(pty_wait(pty, is_complete, NULL, PATIENCE));
    pty_type(pty, "n");
    wait_for(pty, "epoch 1 / 5");
    /* Where there is no shell that could continue it, the kernel does not stop it. */
    pty_type(pty, "\032");
    assert_true(pty_wait_silence(pty, QUIET_MS, PATIENCE));
    assert_true(pty_wait(pty, is_complete, NULL, PATIENCE));
    pty_type(pty, "n");
    wait_for(pty, "epoch 2 / 5");
    quit(pty);
}

static size_t count_lines(const struct pty *pty)
{
    size_t n = 0;
    for (size_t i = 0; i < pty->log_len; i++)
        n += pty->log[i] == '\n';
    return n;
}

static void names_a_terminal_that_works(void **state)
{
    (void)state;
    static const char *const terms[] = {"TERM", "TERM=", "TERM=tmux-256colop", "TERM=dumb"};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        const char *const env[] = {terms[i], NULL};
        struct pty *pty = start_in(env);
        assert_left_with(pty, 1);
        assert_int_equal(count_lines(pty), 1);
        assert_true(pty_has_written(pty, 0, "attnlab: TERM"));
        assert_true(pty_has_written(pty, 0, "TERM=xterm"));
        assert_false(pty_has_written(pty, 0, "\033"));
        assert_restored(pty);
        pty_free(pty);
    }
}

static void needs_a_screen(void **state)
{
    (void)state;
    const char *const shell[] = {"/bin/sh", "-c", "\"$0\" >/dev/null; echo status $?", program(), NULL};
    struct pty *pty = pty_start(shell, NULL);
    assert_left_with(pty, 0);
    assert_true(pty_has_written(pty, 0, "attnlab: "));
    assert_true(pty_has_written(pty, 0, "status 1"));
    pty_free(pty);
}

static void takes_keys_from_the_terminal(void **state)
{
    (void)state;
    struct pty_options options = {.input = "/dev/null"};
    struct pty *pty = start_with(NULL, &options);
    wait_until_idle(pty);
    long before = pty_wakeups(pty);
    assert_int_equal(pty_listen(pty, 500), 0);
    assert_true(pty_wakeups(pty) - before <= 1);
    pty_type(pty, "n");
    wait_for(pty, "epoch 1 / 5");
    quit(pty);
}

/* Whether a sequence that sets or resets a colour has been written: ESC [ ... m with 3x, 4x, 9x or 10x in it.
 */
static bool has_colors(const struct pty *pty)
{
    for (const char *at = pty->log; (at = strstr(at, "\033[")); at++) {
        const char *p = at + 2;
        bool is_color = false;
        while (*p == ';' || (*p >= '0' && *p <= '9')) {
            long n = strtol(p, (char **)(uintptr_t)&p, 10);
            is_color |= (n >= 30 && n <= 49) || (n >= 90 && n <= 107);
            p += *p == ';';
        }
        if (*p == 'm' && is_color)
            return true;
    }
    return false;
}

static void has_the_colors_it_should(void **state)
{
    (void)state;
    static const struct {
        const char *env[3], *option[3];
        bool has_colors;
        const char *with, *without; /* what must be in the output, and what must not */
    } cases[] = {
        {{"COLORTERM=truecolor"}, {NULL}, true, "\033[38;2;", "38;5;"},
        {{"COLORTERM=24bit", "TERM=tmux-256color"}, {NULL}, true, "\033[48;2;", "48;5;"},
        {{"COLORTERM=truecolor", "STY=1.screen"}, {NULL}, true, "38;5;", "38;2;"},
        {{"COLORTERM=truecolor"}, {"--color", "256"}, true, "38;5;", "38;2;"},
        {{"TERM=xterm-256color"}, {NULL}, true, "38;5;", "38;2;"},
        {{"TERM=xterm-256color"}, {"--color", "truecolor"}, true, "38;2;", "38;5;"},
        {{"TERM=xterm"}, {"--color", "256"}, true, "38;5;", "38;2;"},
        {{"TERM=xterm"}, {NULL}, true, "\033[3", "38;"},
        {{"TERM=linux"}, {NULL}, true, "\033[3", "?2026"},
        {{"TERM=vt100"}, {NULL}, false, "attnlab", "?2004"},
        {{"NO_COLOR=1", "COLORTERM=truecolor"}, {NULL}, false, "attnlab", "38;"},
        {{"NO_COLOR=", "COLORTERM=truecolor"}, {NULL}, true, "38;2;", "38;5;"},
        {{"NO_COLOR=1"}, {"--color", "256"}, true, "38;5;", "38;2;"},
        {{"COLORTERM=truecolor"}, {"--color", "mono"}, false, "attnlab", "38;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pty_options options = {.env = cases[i].env};
        struct pty *pty = start_with(cases[i].option, &options);
        wait_until_idle(pty);
        pty_type(pty, "n");
        wait_for(pty, "epoch 1 / 5");
        if (has_colors(pty) != cases[i].has_colors || !pty_has_written(pty, 0, cases[i].with) ||
            pty_has_written(pty, 0, cases[i].without))
            fail_msg("case %zu: wrong colours", i);
        quit(pty);
    }
}

/* In 24 bits the terminal shows the theme's very background; the lowest colours are the palette's, so (0,0,b)
 * may have one step of green. */
static void paints_the_theme(void **state)
{
    (void)state;
    static const struct {
        const char *env[3];
        enum theme theme;
    } cases[] = {
        {{"COLORTERM=truecolor", NULL}, THEME_DARK},
        {{"COLORTERM=truecolor", "COLORFGBG=15;0"}, THEME_DARK},
        {{"COLORTERM=truecolor", "COLORFGBG=0;15"}, THEME_LIGHT},
        {{"COLORTERM=truecolor", "COLORFGBG=0;default;7"}, THEME_LIGHT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct look look = {.depth = DEPTH_TRUE, .glyphs = GLYPHS_UNICODE, .theme = cases[i].theme};
        struct pty *pty = start_in(cases[i].env);
        wait_until_idle(pty);
        /* The last corner is the one that a terminal with automatic margins has to be tricked into. */
        const int corners[][2] = {
            {0, 0}, {pty->cols - 1, 0}, {0, pty->rows - 1}, {pty->cols - 1, pty->rows - 1}};
        for (size_t k = 0; k < sizeof corners / sizeof *corners; k++) {
            VTermColor bg = pty_cell(pty, corners[k][0], corners[k][1]).bg;
            assert_true(VTERM_COLOR_IS_RGB(&bg));
            rgb shown = (rgb)bg.rgb.red << 16 | (rgb)bg.rgb.green << 8 | bg.rgb.blue;
            assert_int_equal(shown, look_background(&look));
        }
        quit(pty);
    }
}

/* Between full blocks no background shows, whatever the font does. */
static void bars_have_no_seams(void **state)
{
    (void)state;
    enum { FULL_BLOCK = 0x2588 };
    const char *const env[] = {"COLORTERM=truecolor", NULL};
    struct pty *pty = start_with((const char *const[]){"average", NULL}, &(struct pty_options){.env = env});
    wait_for(pty, "next one, ? explains");
    int n = 0;
    for (int y = 0; y < pty->rows; y++)
        for (int x = 0; x < pty->cols; x++) {
            VTermScreenCell cell = pty_cell(pty, x, y);
            if (cell.chars[0] != FULL_BLOCK)
                continue;
            assert_true(vterm_color_is_equal(&cell.fg, &cell.bg));
            n++;
        }
    assert_true(n > 5 * 2); /* five weights, two cells wide or more */
    quit(pty);
}

static void keeps_to_ascii(void **state)
{
    (void)state;
    static const char *const locales[] = {"LC_ALL=C", "LC_ALL=en_DE.UTF-8"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        const char *const env[] = {locales[i], NULL};
        struct pty *pty = start_in(env);
        wait_until_idle(pty);
        for (size_t k = 0; k < pty->log_len; k++)
            assert_true((unsigned char)pty->log[k] < 0x80);
        quit(pty);
    }
}

static char *prose(size_t n)
{
    static const char text[] = "a quick query: q, 1 2 3 [then] r R n n n\r";
    char *out = malloc(n + 16);
    assert_non_null(out);
    strcpy(out, "\033[200~");
    while (strlen(out) < n)
        strncat(out, text, n - strlen(out));
    return strcat(out, "\033[201~");
}

static void runs_no_command_from_a_paste(void **state)
{
    (void)state;
    static const size_t sizes[] = {64, 5000, 100000};
    struct pty *pty = start_in(NULL);
    wait_until_idle(pty);
    assert_true(pty_mode_is_on(pty, 2004));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *text = prose(sizes[i]);
        pty_type(pty, text);
        free(text);
        assert_true(pty_wait_silence(pty, QUIET_MS, PATIENCE));
        assert_true(pty_shows(pty, START));
    }
    pty_type(pty, "n");
    wait_for(pty, "epoch 1 / 5");
    pty_type(pty, ":\033[200~nothing such\033[201~");
    wait_for(pty, "nothing such");
    pty_type(pty, "\033");
    assert_true(pty_wait_no_text(pty, "nothing such", PATIENCE));
    /* A paste whose end got lost must not take the keyboard away for good. */
    pty_type(pty, "\033[200~lost");
    assert_true(pty_wait_silence(pty, 1500, PATIENCE));
    pty_type(pty, "n");
    wait_for(pty, "epoch 2 / 5");
    quit(pty);
}

static void knows_escape_from_arrows(void **state)
{
    (void)state;
    struct pty *pty = start_in(NULL);
    wait_until_idle(pty);
    pty_type(pty, ":xyzzy");
    wait_for(pty, "xyzzy");
    pty_type(pty, "\033[D\033OD\033[1;2D"); /* within the line, it stays open */
    assert_true(pty_wait_silence(pty, QUIET_MS, PATIENCE));
    assert_true(pty_shows(pty, "xyzzy"));
    double start = pty_now();
    pty_type(pty, "\033");
    assert_true(pty_wait_no_text(pty, "xyzzy", PATIENCE));
    assert_true(pty_now() - start < 0.150);
    pty_type(pty, ":\033Ox\033On\033Or\033Ox\033Or\033Ox"); /* the number pad */
    wait_for(pty, "8.2828");
    pty_type(pty, "\033");
    assert_true(pty_wait_no_text(pty, "8.2828", PATIENCE));
    /* What no table knows (a report, another terminal's key) is not taken apart into keys. */
    pty_type(pty, "\033[5q\033[99;7nn");
    wait_for(pty, "epoch 1 / 5");
    assert_true(pty_wait_silence(pty, QUIET_MS, PATIENCE));
    assert_true(pty_shows(pty, "epoch 1 / 5"));
    quit(pty);
}

static void ends_with_its_terminal(void **state)
{
    (void)state;
    static const char *const keys[] = {"", ":set epochs 100000\r ", ":set "};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct pty *pty = start_in(NULL);
        wait_for(pty, START);
        pty_type(pty, keys[i]);
        pty_listen(pty, 100);
        pty_hang_up(pty);
        assert_true(pty_wait_gone(pty, 2.0));
        pty_free(pty);
    }
}

/* Ignoring the hang-up (nohup) does not keep it alive either. */
static void ends_without_a_signal(void **state)
{
    (void)state;
    const char *const shell[] = {"/bin/sh", "-c", "trap '' HUP; exec \"$0\"", program(), NULL};
    struct pty *pty = pty_start(shell, NULL);
    wait_until_idle(pty);
    pty_hang_up(pty);
    assert_true(pty_wait_gone(pty, 2.0));
    pty_free(pty);
}

/* The program hangs in writing to a terminal that stopped taking it: a window that is held, a lost line. */
static void leaves_an_unread_terminal(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT};
    static const int times[] = {1, 2};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
            struct pty_options options = {.rows = 60, .cols = 200};
            struct pty *pty = start_with(NULL, &options);
            wait_for(pty, START);
            pty_type(pty, ":set epochs 100000\r ");
            assert_true(pty_block(pty, PATIENCE));
            for (int n = 0; n < times[k]; n++)
                kill(pty->pid, signals[i]);
            assert_true(pty_wait_gone_unread(pty, PATIENCE));
            assert_true(WIFSIGNALED(pty->status));
            assert_int_equal(WTERMSIG(pty->status), signals[i]);
            assert_true(pty_has_modes_back(pty));
            pty_free(pty);
        }
}

static char dir[] = "/tmp/attnlab-pty-XXXXXX", pipe_path[64];

static int make_pipe(void **state)
{
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", dir);
    return mkfifo(pipe_path, 0600);
}

static int remove_pipe(void **state)
{
    (void)state;
    return unlink(pipe_path) != 0 || rmdir(dir) != 0;
}

/* Types the command BEFORE, the pipe's name and Enter. */
static void type_with_pipe(struct pty *pty, const char *before)
{
    char line[128];
    snprintf(line, sizeof line, "%s%s\r", before, pipe_path);
    pty_type(pty, line);
}

/* A pipe that nobody writes to, or reads from, and a terminal keep nobody waiting who does not want to. */
static void is_not_held_by_files(void **state)
{
    static const char *const terminals[] = {":load -\r", ":load /dev/tty\r", ":export! svg /dev/tty\r"};
    (void)state;
    struct pty *pty = start_in(NULL);
    wait_for(pty, START);
    type_with_pipe(pty, ":load ");
    wait_for(pty, "0 kB so far   Esc stops");
    pty_resize(pty, 30, 100);
    assert_true(pty_wait(pty, is_complete, NULL, PATIENCE));
    pty_type(pty, "\033");
    wait_for(pty, "stopped before its end");
    type_with_pipe(pty, ":export! svg ");
    wait_for(pty, "nobody reads from it");
    for (size_t i = 0; i < sizeof terminals / sizeof *terminals; i++) {
        pty_type(pty, "n");
        assert_true(pty_wait_no_text(pty, "is a terminal", PATIENCE));
        pty_type(pty, terminals[i]);
        wait_for(pty, "is a terminal");
    }
    wait_for(pty, "epoch 3 / 5");
    pty_type(pty, ":load /dev/zero\r");
    wait_for(pty, "kB so far   Esc stops");
    pty_type(pty, "\033");
    wait_for(pty, "zero: stopped before its end");
    pty_type(pty, ":demo heatmap\r");
    assert_true(pty_wait_no_text(pty, "epoch", PATIENCE));
    type_with_pipe(pty, ":set labels ");
    wait_for(pty, "0 kB so far   Esc stops");
    pty_type(pty, "\033");
    wait_for(pty, "stopped before its end");
    quit(pty);
}

static void leaves_a_load_by_signals(void **state)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    (void)state;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct pty *pty = start_in(NULL);
        wait_for(pty, START);
        type_with_pipe(pty, ":load ");
        wait_for(pty, "0 kB so far   Esc stops");
        kill(pty->pid, signals[i]);
        assert_true(pty_wait_gone(pty, PATIENCE));
        assert_true(WIFSIGNALED(pty->status));
        assert_int_equal(WTERMSIG(pty->status), signals[i]);
        assert_restored(pty);
        pty_free(pty);
    }
}

static void ends_a_load_without_a_signal(void **state)
{
    (void)state;
    const char *const shell[] = {"/bin/sh", "-c", "trap '' HUP; exec \"$0\"", program(), NULL};
    struct pty *pty = pty_start(shell, NULL);
    wait_for(pty, START);
    type_with_pipe(pty, ":load ");
    wait_for(pty, "0 kB so far   Esc stops");
    pty_hang_up(pty);
    assert_true(pty_wait_gone(pty, PATIENCE));
    pty_free(pty);
}

/* A slow pipe has the bar after a moment, whose end shows its points, and can be given up before. */
static void watches_a_slow_pipe(void **state)
{
    static const char *const leaving[] = {"q", "\033", "\003", NULL};
    static const char points[] = "x,y\n1,2\n2,3\n3,5\n";
    const char *const arguments[] = {"-", NULL};
    struct pty_options options = {.input = pipe_path};
    (void)state;
    for (size_t i = 0; i < sizeof leaving / sizeof *leaving; i++) {
        int writer = open(pipe_path, O_RDWR | O_CLOEXEC);
        assert_true(writer >= 0);
        struct pty *pty = start_with(arguments, &options);
        wait_for(pty, "0 kB so far   Esc stops");
        assert_true(pty_shows(pty, "standard input"));
        if (!leaving[i]) {
            assert_int_equal(write(writer, points, sizeof points - 1), sizeof points - 1);
            close(writer);
            wait_for(pty, START);
            quit(pty);
            continue;
        }
        pty_type(pty, leaving[i]);
        assert_true(pty_wait_gone(pty, PATIENCE));
        assert_true(i < 2 ? WIFEXITED(pty->status) && WEXITSTATUS(pty->status) == 0
                          : WIFSIGNALED(pty->status) && WTERMSIG(pty->status) == SIGINT);
        assert_restored(pty);
        pty_free(pty);
        close(writer);
    }
}

static void is_quiet_when_idle(void **state)
{
    (void)state;
    struct pty *pty = start_in(NULL);
    wait_until_idle(pty);
    double cpu = pty_cpu(pty);
    long wakeups = pty_wakeups(pty);
    assert_int_equal(pty_listen(pty, 2000), 0);
    assert_int_equal(pty_wakeups(pty), wakeups);
    assert_true(pty_cpu(pty) - cpu < 0.02 * 2.0);
    quit(pty);
}

static void shows_every_demo(void **state)
{
    (void)state;
    static const int sizes[][2] = {{60, 200}, {13, 41}, {2, 3}, {1, 150}, {50, 2}, {24, 80}};
    for (size_t i = 0; i < n_demos; i++) {
        const char *const arguments[] = {demos[i]->name, NULL};
        struct pty *pty = start_with(arguments, NULL);
        wait_for(pty, demos[i]->name);
        assert_true(pty_wait(pty, is_complete, NULL, PATIENCE));
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            pty_resize(pty, sizes[k][0], sizes[k][1]);
            pty_type(pty, k % 2 ? "?" : "n");
            assert_true(pty_wait_silence(pty, QUIET_MS / 3, PATIENCE));
        }
        pty_type(pty, "\033");
        assert_true(pty_wait(pty, is_complete, NULL, PATIENCE));
        assert_true(pty_wait_silence(pty, QUIET_MS, PATIENCE));
        long wakeups = pty_wakeups(pty);
        assert_int_equal(pty_listen(pty, QUIET_MS), 0);
        assert_int_equal(pty_wakeups(pty), wakeups);
        quit(pty);
    }
}

static void writes_whole_small_frames(void **state)
{
    (void)state;
    static const char *const env[] = {"COLORTERM=truecolor", NULL};
    struct pty *pty = start_in(env);
    wait_until_idle(pty);
    size_t before = pty->log_len;
    pty_type(pty, "\t");
    assert_true(pty_wait_silence(pty, QUIET_MS, PATIENCE));
    assert_in_range(pty->log_len - before, 1, 2047);
    pty_type(pty, "nnn");
    wait_for(pty, "epoch 3 / 5");
    assert_true(pty_wait_silence(pty, QUIET_MS, PATIENCE));
    assert_false(pty_has_written(pty, before, "\033[2J"));
    assert_memory_equal(pty->log + before, "\033[?2026h", 8);
    assert_string_equal(pty->log + pty->log_len - 8, "\033[?2026l");
    quit(pty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_plays),
        cmocka_unit_test(follows_the_window),
        cmocka_unit_test(survives_small_windows),
        cmocka_unit_test(leaves_by_signals),
        cmocka_unit_test(leaves_by_interrupt_key),
        cmocka_unit_test(restores_after_crashes),
        cmocka_unit_test(stops_and_continues),
        cmocka_unit_test(redraws_when_continued),
        cmocka_unit_test(names_a_terminal_that_works),
        cmocka_unit_test(needs_a_screen),
        cmocka_unit_test(takes_keys_from_the_terminal),
        cmocka_unit_test(has_the_colors_it_should),
        cmocka_unit_test(paints_the_theme),
        cmocka_unit_test(bars_have_no_seams),
        cmocka_unit_test(keeps_to_ascii),
        cmocka_unit_test(runs_no_command_from_a_paste),
        cmocka_unit_test(knows_escape_from_arrows),
        cmocka_unit_test(ends_with_its_terminal),
        cmocka_unit_test(ends_without_a_signal),
        cmocka_unit_test(leaves_an_unread_terminal),
        cmocka_unit_test(is_not_held_by_files),
        cmocka_unit_test(leaves_a_load_by_signals),
        cmocka_unit_test(ends_a_load_without_a_signal),
        cmocka_unit_test(watches_a_slow_pipe),
        cmocka_unit_test(is_quiet_when_idle),
        cmocka_unit_test(shows_every_demo),
        cmocka_unit_test(writes_whole_small_frames),
    };
    return cmocka_run_group_tests(tests, make_pipe, remove_pipe);
}
