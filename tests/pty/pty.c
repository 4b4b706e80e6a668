#include "pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "data/utf8.h"

enum { LOOK_AGAIN = 20 }; /* ms between two looks at whether the program is gone */

double pty_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int on_property(VTermProp property, VTermValue *value, void *context)
{
    struct pty *pty = context;
    if (property == VTERM_PROP_ALTSCREEN)
        pty->is_alternate = value->boolean;
    else if (property == VTERM_PROP_CURSORVISIBLE)
        pty->is_cursor_shown = value->boolean;
    else if (property == VTERM_PROP_MOUSE)
        pty->mouse = value->number;
    return 1;
}

/* A wide character in a single column is too much for libvterm 0.1. */
static int at_least_two(int cols)
{
    return cols < 2 ? 2 : cols;
}

static void open_vterm(struct pty *pty)
{
    static const VTermScreenCallbacks callbacks = {.settermprop = on_property};
    pty->vterm = vterm_new(pty->rows, at_least_two(pty->cols));
    vterm_set_utf8(pty->vterm, 1);
    pty->screen = vterm_obtain_screen(pty->vterm);
    vterm_screen_set_callbacks(pty->screen, &callbacks, pty);
    vterm_screen_enable_altscreen(pty->screen, 1);
    vterm_screen_reset(pty->screen, 1);
    pty->is_cursor_shown = true;
}

static void set_environment(const char *const *env)
{
    static const char *const unset[] = {"COLORTERM", "NO_COLOR", "COLORFGBG",     "LINES",    "COLUMNS",
                                        "ESCDELAY",  "STY",      "TMUX",          "LANGUAGE", "LANG",
                                        "TERMINFO",  "ENV",      "ATTNLAB_ASSETS"};
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        unsetenv(unset[i]);
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    for (; env && *env; env++) {
        const char *equals = strchr(*env, '=');
        char name[64];
        snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - *env) : 63, *env);
        if (equals)
            setenv(name, equals + 1, 1);
        else
            unsetenv(name);
    }
}

/* As a login leaves them: whoever runs the tests may ignore some (nohup does), and what is ignored is
 * inherited. */
static void reset_signals(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGCONT, SIGPIPE};
    sigset_t none;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void become(const struct pty *pty, const char *const *argv, const struct pty_options *options)
{
    reset_signals();
    setsid();
    ioctl(pty->slave, TIOCSCTTY, 0);
    int input = options->input ? open(options->input, O_RDONLY) : pty->slave;
    dup2(input, STDIN_FILENO);
    dup2(pty->slave, STDOUT_FILENO);
    dup2(pty->slave, STDERR_FILENO);
    for (int fd = STDERR_FILENO + 1; fd < 64; fd++)
        close(fd);
    set_environment(options->env);
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

static void open_ends(struct pty *pty)
{
    pty->master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(pty->master >= 0);
    assert_int_equal(grantpt(pty->master), 0);
    assert_int_equal(unlockpt(pty->master), 0);
    pty->slave = open(ptsname(pty->master), O_RDWR | O_NOCTTY);
    assert_true(pty->slave >= 0);
}

struct pty *pty_start(const char *const *argv, const struct pty_options *options)
{
    static const struct pty_options plain = {0};
    options = options ? options : &plain;
    struct pty *pty = calloc(1, sizeof *pty);
    assert_non_null(pty);
    pty->rows = options->rows ? options->rows : 24;
    pty->cols = options->cols ? options->cols : 80;
    struct winsize size = {.ws_row = (unsigned short)pty->rows, .ws_col = (unsigned short)pty->cols};
    open_ends(pty);
    assert_int_equal(ioctl(pty->slave, TIOCSWINSZ, &size), 0);
    assert_int_equal(tcgetattr(pty->slave, &pty->modes_before), 0);
    open_vterm(pty);
    pty->pid = fork();
    assert_true(pty->pid >= 0);
    if (pty->pid == 0)
        become(pty, argv, options);
    return pty;
}

void pty_free(struct pty *pty)
{
    if (!pty->is_gone) {
        kill(pty->pid, SIGKILL);
        waitpid(pty->pid, &pty->status, 0);
    }
    if (pty->master >= 0)
        close(pty->master);
    if (pty->slave >= 0)
        close(pty->slave);
    vterm_free(pty->vterm);
    free(pty->log);
    free(pty);
}

static void keep(struct pty *pty, const char *bytes, size_t n)
{
    if (pty->log_len + n + 1 > pty->log_capacity) {
        pty->log_capacity = 2 * (pty->log_len + n + 1);
        pty->log = realloc(pty->log, pty->log_capacity);
        assert_non_null(pty->log);
    }
    memcpy(pty->log + pty->log_len, bytes, n);
    pty->log_len += n;
    pty->log[pty->log_len] = '\0';
}

/* Waits MS at most for output, and feeds the terminal with it. Returns the bytes. */
static size_t feed(struct pty *pty, int ms)
{
    char bytes[16384];
    struct pollfd output = {.fd = pty->master, .events = POLLIN};
    if (poll(&output, 1, ms) <= 0 || !(output.revents & POLLIN))
        return 0;
    ssize_t n = read(pty->master, bytes, sizeof bytes);
    if (n <= 0)
        return 0;
    keep(pty, bytes, (size_t)n);
    vterm_input_write(pty->vterm, bytes, (size_t)n);
    return (size_t)n;
}

static void look_whether_gone(struct pty *pty)
{
    if (!pty->is_gone && waitpid(pty->pid, &pty->status, WNOHANG) == pty->pid)
        pty->is_gone = true;
}

bool pty_wait(struct pty *pty, bool (*condition)(struct pty *pty, const void *context), const void *context,
              double seconds)
{
    double deadline = pty_now() + seconds;
    do {
        if (condition(pty, context))
            return true;
        feed(pty, LOOK_AGAIN);
    } while (pty_now() < deadline);
    return condition(pty, context);
}

static bool is_text_there(struct pty *pty, const void *text)
{
    return pty_shows(pty, text);
}

static bool is_text_away(struct pty *pty, const void *text)
{
    return !pty_shows(pty, text);
}

/* Gone, and everything it wrote has been read. */
static bool is_gone(struct pty *pty, const void *context)
{
    (void)context;
    look_whether_gone(pty);
    if (!pty->is_gone)
        return false;
    while (pty->master >= 0 && feed(pty, 0) > 0)
        ;
    return true;
}

bool pty_wait_text(struct pty *pty, const char *text, double seconds)
{
    return pty_wait(pty, is_text_there, text, seconds);
}

bool pty_wait_no_text(struct pty *pty, const char *text, double seconds)
{
    return pty_wait(pty, is_text_away, text, seconds);
}

struct written {
    size_t from;
    const char *text;
};

static bool is_written(struct pty *pty, const void *context)
{
    const struct written *written = context;
    return pty_has_written(pty, written->from, written->text);
}

bool pty_wait_written(struct pty *pty, size_t from, const char *text, double seconds)
{
    const struct written written = {from, text};
    return pty_wait(pty, is_written, &written, seconds);
}

bool pty_wait_gone(struct pty *pty, double seconds)
{
    return pty_wait(pty, is_gone, NULL, seconds);
}

bool pty_wait_gone_unread(struct pty *pty, double seconds)
{
    double deadline = pty_now() + seconds;
    while (look_whether_gone(pty), !pty->is_gone && pty_now() < deadline)
        poll(NULL, 0, LOOK_AGAIN);
    return pty->is_gone;
}

bool pty_block(struct pty *pty, double seconds)
{
    static const double stuck = 1; /* s without looking at the keyboard */
    double start = pty_now(), last_taken = start;
    for (int i = 0; pty_now() < start + seconds; i++) {
        int n_waiting = 0;
        assert_int_equal(ioctl(pty->slave, FIONREAD, &n_waiting), 0);
        if (n_waiting == 0) {
            last_taken = pty_now();
            pty_resize(pty, pty->rows, pty->cols + (i % 2 ? 1 : -1));
            assert_int_equal(write(pty->master, "\t", 1), 1);
        } else if (pty_now() - last_taken > stuck) {
            return true;
        }
        poll(NULL, 0, LOOK_AGAIN);
    }
    return false;
}

bool pty_wait_silence(struct pty *pty, int ms, double seconds)
{
    double deadline = pty_now() + seconds;
    while (pty_now() < deadline)
        if (feed(pty, ms) == 0)
            return true;
    return false;
}

size_t pty_listen(struct pty *pty, int ms)
{
    size_t n = 0;
    double end = pty_now() + 1e-3 * ms;
    for (double left = end - pty_now(); left > 0; left = end - pty_now())
        n += feed(pty, (int)(1e3 * left) + 1);
    return n;
}

void pty_type(struct pty *pty, const char *text)
{
    for (size_t n = strlen(text); n > 0;) {
        ssize_t sent = write(pty->master, text, n > 1024 ? 1024 : n);
        assert_true(sent > 0);
        text += sent;
        n -= (size_t)sent;
        feed(pty, 0);
    }
}

void pty_resize(struct pty *pty, int rows, int cols)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    pty->rows = rows;
    pty->cols = cols;
    vterm_set_size(pty->vterm, rows, at_least_two(cols));
    assert_int_equal(ioctl(pty->master, TIOCSWINSZ, &size), 0);
}

VTermScreenCell pty_cell(const struct pty *pty, int x, int y)
{
    VTermScreenCell cell = {0};
    vterm_screen_get_cell(pty->screen, (VTermPos){.row = y, .col = x}, &cell);
    return cell;
}

static size_t add_row(const struct pty *pty, int y, char *out)
{
    size_t n = 0, end = 0;
    for (int x = 0; x < pty->cols; x++) {
        VTermScreenCell cell = pty_cell(pty, x, y);
        if (cell.chars[0] == (uint32_t)-1) /* the right half of a wide character */
            continue;
        if (cell.chars[0] == 0)
            cell.chars[0] = ' ';
        for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i]; i++)
            n += utf8_put(cell.chars[i], out + n);
        if (cell.chars[0] != ' ')
            end = n;
    }
    out[end] = '\n';
    return end + 1;
}

char *pty_text(const struct pty *pty)
{
    size_t cell = 4 * VTERM_MAX_CHARS_PER_CELL;
    char *text = malloc((size_t)pty->rows * ((size_t)pty->cols * cell + 1) + 8);
    assert_non_null(text);
    size_t n = 0;
    for (int y = 0; y < pty->rows; y++)
        n += add_row(pty, y, text + n);
    text[n] = '\0';
    return text;
}

bool pty_shows(const struct pty *pty, const char *text)
{
    char *all = pty_text(pty);
    bool shows = strstr(all, text) != NULL;
    free(all);
    return shows;
}

void pty_hang_up(struct pty *pty)
{
    close(pty->slave);
    close(pty->master);
    pty->slave = pty->master = -1;
}

bool pty_has_written(const struct pty *pty, size_t from, const char *text)
{
    return pty->log_len > from && strstr(pty->log + from, text) != NULL;
}

bool pty_mode_is_on(const struct pty *pty, int number)
{
    char mode[16];
    int n = snprintf(mode, sizeof mode, "\033[?%d", number);
    bool is_on = false;
    for (const char *at = pty->log; at && (at = strstr(at, mode)); at += n)
        if (at[n] == 'h' || at[n] == 'l')
            is_on = at[n] == 'h';
    return is_on;
}

static bool has_same_modes(const struct termios *a, const struct termios *b)
{
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
           a->c_lflag == b->c_lflag && memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

static bool has_plain_pen(const struct pty *pty)
{
    static const VTermAttr attributes[] = {VTERM_ATTR_BOLD, VTERM_ATTR_UNDERLINE, VTERM_ATTR_REVERSE};
    const VTermState *state = vterm_obtain_state(pty->vterm);
    VTermValue value;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        vterm_state_get_penattr(state, attributes[i], &value);
        if (vterm_get_attr_type(attributes[i]) == VTERM_VALUETYPE_BOOL ? value.boolean : value.number)
            return false;
    }
    vterm_state_get_penattr(state, VTERM_ATTR_FOREGROUND, &value);
    bool is_plain = VTERM_COLOR_IS_DEFAULT_FG(&value.color);
    vterm_state_get_penattr(state, VTERM_ATTR_BACKGROUND, &value);
    return is_plain && VTERM_COLOR_IS_DEFAULT_BG(&value.color);
}

bool pty_has_modes_back(const struct pty *pty)
{
    struct termios now;
    return tcgetattr(pty->slave, &now) == 0 && has_same_modes(&now, &pty->modes_before);
}

const char *pty_not_restored(struct pty *pty)
{
    static const int modes[] = {1000, 1002, 1003, 1004, 1006, 2004, 2026};
    static char text[64];
    if (!pty_has_modes_back(pty))
        return "the modes (stty) differ";
    if (pty->is_alternate)
        return "the second screen is still shown";
    if (!pty->is_cursor_shown)
        return "the cursor is hidden";
    if (pty->mouse != VTERM_PROP_MOUSE_NONE)
        return "the mouse is still reported";
    if (!has_plain_pen(pty))
        return "colours or attributes are left";
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        snprintf(text, sizeof text, "the private mode %d is still on", modes[i]);
        if (pty_mode_is_on(pty, modes[i]))
            return text;
    }
    return NULL;
}

double pty_cpu(const struct pty *pty)
{
    char path[64], line[1024];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pty->pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    const char *rest = strrchr(line, ')');
    assert_non_null(rest);
    assert_int_equal(sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system),
                     2);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

long pty_wakeups(const struct pty *pty)
{
    char path[64], line[256];
    long n = -1;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pty->pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (n < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) != 1)
            n = -1;
    fclose(file);
    return n;
}
