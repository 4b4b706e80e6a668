#include "terminal/terminal.h"

#include <sys/select.h>
#include <time.h>

#include "terminal/state.h"

#include "session/session.h"

static const double FRAME_TIME = 1.0 / 60; /* s: more pictures nobody sees, but a key is answered at once */
static const double PASTE_PATIENCE = 1.0; /* s without a byte after which a paste is taken to be at its end */
/* s; a picture is in the kernel's hands when it is written, and a program that computes on can keep it there
 * for a scheduler's slice of some ms: so the processor is handed over for a moment. */
static const double HAND_OVER = 2e-4;
static const double NEVER = 3600; /* s; pselect gets no longer wait, and no wait at all above it */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_called(void)
{
    return terminal.end_signal || terminal.stop_asked || terminal.was_continued;
}

/* Sleeps until input, a signal or WAIT seconds have come. True for input. Signals are let in (AWAKE is the
 * mask for it) only inside pselect, so that none slips in between the look at the flags and the sleep. */
static bool wait_for_input(double wait, const sigset_t *awake)
{
    sigset_t before;
    sigprocmask(SIG_BLOCK, &terminal.watched, &before);
    fd_set input;
    FD_ZERO(&input);
    FD_SET(terminal.in, &input);
    struct timespec time = {.tv_sec = (time_t)wait};
    time.tv_nsec = (long)((wait - (double)time.tv_sec) * 1e9);
    int n = 0;
    if (!is_called())
        n = pselect(terminal.in + 1, &input, NULL, NULL, wait > NEVER ? NULL : &time, awake);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return n > 0;
}

static void answer_signals(void)
{
    if (terminal.stop_asked)
        leave_suspend();
    else if (terminal.was_continued)
        leave_resume();
}

/* Seconds to sleep: until the session wants its turn, or the next picture is due; a moment at least if one
 * WAS SHOWN just now. */
static double time_to_sleep(double turn, bool is_dirty, double next_frame, bool was_shown)
{
    double until = is_dirty && next_frame < turn ? next_frame : turn;
    double wait = until - now();
    if (was_shown && wait < HAND_OVER)
        wait = HAND_OVER;
    if (terminal.is_pasting && wait > PASTE_PATIENCE)
        wait = PASTE_PATIENCE;
    return wait > 0 ? wait : 0;
}

static void keep_running(struct session *session, const sigset_t *awake)
{
    bool is_dirty = true, has_more = false, has_input = false;
    double next_frame = 0, last_input = 0;
    while (!terminal.end_signal) {
        double start = now();
        double delay = session_tick(session, start);
        if (session_is_over(session))
            return;
        is_dirty |= session_take_dirty(session) || terminal.is_stale;
        bool shows = is_dirty && (has_input || start >= next_frame);
        if (shows) {
            screen_show(session);
            next_frame = now() + FRAME_TIME;
            is_dirty = false;
        }
        double turn = delay < 0 ? start + 2 * NEVER : start + delay;
        has_input = wait_for_input(has_more ? 0 : time_to_sleep(turn, is_dirty, next_frame, shows), awake);
        answer_signals();
        has_more = input_drain(session);
        if (has_input && input_is_gone())
            return;
        if (has_input || has_more)
            last_input = now();
        else if (terminal.is_pasting && now() - last_input >= PASTE_PATIENCE)
            input_end_paste(session);
    }
}

/* What is blocked while the loop runs gets through here, where reading follows. */
static void let_resize_in(void)
{
    sigset_t resize, before;
    sigemptyset(&resize);
    sigaddset(&resize, SIGWINCH);
    sigprocmask(SIG_UNBLOCK, &resize, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

bool terminal_show_loading(struct session *session)
{
    static double next_look;
    if (now() < next_look)
        return !terminal.end_signal;
    next_look = now() + FRAME_TIME;
    screen_show(session);
    let_resize_in();
    input_drain(session);
    answer_signals();
    return !terminal.end_signal && !input_is_gone();
}

static bool watch_loading(void *context, size_t done, size_t total)
{
    (void)done;
    (void)total;
    return terminal_show_loading(context);
}

int terminal_run(struct session *session)
{
    /* Curses' own handler counts the changes of the window's size, but only reading tells; so none may come
     * but while waiting for input. */
    sigset_t resize, awake;
    sigemptyset(&resize);
    sigaddset(&resize, SIGWINCH);
    sigprocmask(SIG_BLOCK, &resize, &awake);
    session_watch_loading(session, (struct progress){watch_loading, session});
    terminal.is_running = true;
    keep_running(session, &awake);
    terminal.is_running = false;
    session_watch_loading(session, (struct progress){0});
    sigprocmask(SIG_SETMASK, &awake, NULL);
    return terminal.end_signal;
}
