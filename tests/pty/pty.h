/* A program in a terminal of the test's own: a pseudo-terminal whose other end is libvterm. Everything waits
 * for a condition with a deadline, nothing sleeps. */
#ifndef ATTNLAB_TESTS_PTY_H
#define ATTNLAB_TESTS_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

#include <vterm.h>

struct pty {
    int master, slave; /* the slave is kept open, so that the last output and the modes outlive the program */
    pid_t pid;
    bool is_gone;
    int status; /* as from waitpid, once is_gone */
    struct termios modes_before;

    VTerm *vterm;
    VTermScreen *screen;
    int rows, cols;
    bool is_alternate, is_cursor_shown;
    int mouse;

    char *log; /* every byte of output so far */
    size_t log_len, log_capacity;
};

struct pty_options {
    int rows, cols;         /* 0: 24 and 80 */
    const char *const *env; /* "NAME=VALUE" to set, "NAME" to unset; NULL-terminated, or NULL */
    const char *input;      /* a file for standard input instead of the terminal; NULL: the terminal */
};

/* Starts ARGV (NULL-terminated) as a session leader on a new terminal. TERM is xterm-256color, the locale
 * C.UTF-8, and what else could change the picture is unset, unless the options say so. Fails the test if it
 * cannot. */
struct pty *pty_start(const char *const *argv, const struct pty_options *options);

/* Kills what still runs and forgets everything. */
void pty_free(struct pty *pty);

void pty_type(struct pty *pty, const char *text);
void pty_resize(struct pty *pty, int rows, int cols);

/* Feeds the terminal until TEXT is on the screen (pty_wait_no_text: no longer is), the program is gone, or
 * nothing has been written for MS; false after SECONDS without. */
bool pty_wait_text(struct pty *pty, const char *text, double seconds);
bool pty_wait_no_text(struct pty *pty, const char *text, double seconds);
bool pty_wait_gone(struct pty *pty, double seconds);
bool pty_wait_silence(struct pty *pty, int ms, double seconds);

/* The same as pty_wait_gone with a terminal that nobody reads. */
bool pty_wait_gone_unread(struct pty *pty, double seconds);

/* Makes the program write until it hangs in it, for nobody reads the terminal: keys are no longer taken.
 * False after SECONDS without. */
bool pty_block(struct pty *pty, double seconds);

/* The same until TEXT has been written after the first FROM bytes of the output. */
bool pty_wait_written(struct pty *pty, size_t from, const char *text, double seconds);

/* Feeds the terminal until CONDITION says true. */
bool pty_wait(struct pty *pty, bool (*condition)(struct pty *pty, const void *context), const void *context,
              double seconds);

/* Feeds the terminal for MS, whatever comes; returns the bytes that came. */
size_t pty_listen(struct pty *pty, int ms);

/* The screen as lines of UTF-8 without trailing blanks; freed by the caller. */
char *pty_text(const struct pty *pty);
bool pty_shows(const struct pty *pty, const char *text);
VTermScreenCell pty_cell(const struct pty *pty, int x, int y);

/* Hangs the terminal up. */
void pty_hang_up(struct pty *pty);

/* Whether the last word about the private mode NUMBER in the output is that it be set. */
bool pty_mode_is_on(const struct pty *pty, int number);

/* Whether TEXT has been written since byte FROM of the output. */
bool pty_has_written(const struct pty *pty, size_t from, const char *text);

/* Whether the modes (stty) are as before the program. */
bool pty_has_modes_back(const struct pty *pty);

/* Why the terminal is not as it was before the program, or NULL if it is. */
const char *pty_not_restored(struct pty *pty);

/* Seconds of processor time, and voluntary context switches (wake-ups), that the program has had. */
double pty_cpu(const struct pty *pty);
long pty_wakeups(const struct pty *pty);

double pty_now(void);

#endif
