#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal/state.h"

#include <term.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(HAS_SANITIZER)
enum { CATCHES_CRASHES = 0 }; /* the sanitizer's own report is worth more */
#else
enum { CATCHES_CRASHES = 1 };
#endif

static const char modes_on[] = "\033[?2004h";             /* pasted text comes in brackets */
static const char modes_off[] = "\033[?2026l\033[?2004l"; /* and no frame is being held back */

void leave_enter_modes(void)
{
    if (terminal.modern)
        screen_write(modes_on);
}

void leave_exit_modes(void)
{
    if (terminal.modern)
        screen_write(modes_off);
}

enum {
    TAKE_PATIENCE = 200, /* ms that a terminal gets to take the last bytes */
    LEAVE_PATIENCE = 2,  /* s that the program gets to leave in order */
};

static bool takes_more(void)
{
    struct pollfd output = {.fd = terminal.out, .events = POLLOUT};
    return poll(&output, 1, TAKE_PATIENCE) > 0 && (output.revents & POLLOUT);
}

/* The screen and the modes back, from a signal handler and without waiting for a terminal that nobody reads.
 * Standard output is shared with whoever started the program, so that it must not stay as it is here. */
static void give_back(void)
{
    int flags = fcntl(terminal.out, F_GETFL);
    size_t done = 0;
    fcntl(terminal.out, F_SETFL, flags | O_NONBLOCK);
    while (done < terminal.restore_len && takes_more()) {
        ssize_t n = write(terminal.out, terminal.restore + done, terminal.restore_len - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    tcsetattr(terminal.out, TCSANOW, &terminal.saved_modes);
    fcntl(terminal.out, F_SETFL, flags);
}

static void die(int signal)
{
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    sigaction(signal, &by_default, NULL);
    raise(signal);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
}

static void on_crash(int signal)
{
    give_back();
    die(signal);
}

static void on_deadline(int signal)
{
    on_crash(terminal.end_signal ? terminal.end_signal : signal);
}

/* The loop leaves when it next looks. Where there is no loop yet, or a second signal shows that it does not
 * look, the signal acts at once. Curses never gives up a write that its terminal does not take, hence the
 * deadline. */
static void on_signal(int signal)
{
    if (signal == SIGTSTP) {
        terminal.stop_asked = 1;
    } else if (signal == SIGCONT) {
        terminal.was_continued = 1;
    } else if (terminal.is_running && !terminal.end_signal) {
        terminal.end_signal = signal;
        alarm(LEAVE_PATIENCE);
    } else {
        on_crash(signal);
    }
}

/* What was to be ignored (nohup, a job without a terminal of its own) stays ignored. */
static void handle(int signal, void (*handler)(int), int flags)
{
    struct sigaction old, new = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&new.sa_mask);
    if (sigaction(signal, NULL, &old) != 0 || old.sa_handler == SIG_IGN ||
        terminal.n_handlers == HANDLERS_MAX)
        return;
    if (sigaction(signal, &new, NULL) != 0)
        return;
    terminal.handlers[terminal.n_handlers].signal = signal;
    terminal.handlers[terminal.n_handlers++].old = old;
}

static void catch_crashes(void)
{
    static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    /* A stack of its own, for the crash may be that the other one is used up. */
    stack_t stack = {.ss_sp = terminal.crash_stack, .ss_size = sizeof terminal.crash_stack};
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        handle(crashes[i], on_crash, SA_ONSTACK);
}

void leave_arm(void)
{
    static const int watched[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT};
    tcgetattr(terminal.out, &terminal.saved_modes);
    terminal.restore_len = 0;
    terminal.end_signal = terminal.stop_asked = terminal.was_continued = 0;
    sigemptyset(&terminal.watched);
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
        sigaddset(&terminal.watched, watched[i]);
        handle(watched[i], on_signal, SA_RESTART);
    }
    handle(SIGALRM, on_deadline, SA_RESTART);
    if (CATCHES_CRASHES)
        catch_crashes();
    terminal.is_armed = true;
}

void leave_disarm(void)
{
    if (!terminal.is_armed)
        return;
    terminal.is_armed = false;
    alarm(0);
    while (terminal.n_handlers > 0) {
        terminal.n_handlers--;
        sigaction(terminal.handlers[terminal.n_handlers].signal, &terminal.handlers[terminal.n_handlers].old,
                  NULL);
    }
}

static int add_to_restore(int byte)
{
    if (terminal.restore_len < RESTORE_MAX)
        terminal.restore[terminal.restore_len++] = (char)byte;
    return byte;
}

void leave_prepare(void)
{
    static const char *const capabilities[] = {"sgr0", "op", "rmkx", "cnorm", "rmcup"};
    for (const char *c = terminal.modern ? modes_off : ""; *c; c++)
        add_to_restore(*c);
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++) {
        const char *text = tigetstr(capabilities[i]);
        bool is_color = strcmp(capabilities[i], "op") == 0;
        if (text && text != (char *)-1 && !(is_color && terminal.depth == DEPTH_MONO))
            tputs(text, 1, add_to_restore);
    }
}

void leave_resume(void)
{
    if (!isendwin())
        endwin(); /* from there curses takes the terminal again in full */
    reset_prog_mode();
    screen_fit(); /* while the program was stopped nobody told it about the window */
    leave_enter_modes();
    terminal.stop_asked = 0;
    terminal.was_continued = 0;
}

void leave_suspend(void)
{
    leave_exit_modes();
    endwin();
    struct sigaction ours, by_default = {.sa_handler = SIG_DFL};
    sigaction(SIGTSTP, &by_default, &ours);
    raise(SIGTSTP); /* here the program stands still until it is continued */
    sigaction(SIGTSTP, &ours, NULL);
    leave_resume();
}
