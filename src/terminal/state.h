/* What the files of terminal/ share: the one terminal that a process has, and the functions that keep it. */
#ifndef ATTNLAB_TERMINAL_STATE_H
#define ATTNLAB_TERMINAL_STATE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <termios.h>

#include <curses.h>

#include "data/buf.h"
#include "draw/frame.h"
#include "draw/look.h"

struct session;

enum {
    HANDLERS_MAX = 16,
    RESTORE_MAX = 256,
    CRASH_STACK = 1 << 16,
};

/* The program's only mutable global: signal handlers must reach it, and ncurses is one terminal a process
 * anyway. */
struct terminal {
    SCREEN *screen;
    WINDOW *keys; /* a pad that nothing is drawn on: reading from it refreshes nothing */
    int in, out;  /* file descriptors */
    FILE *tty;    /* /dev/tty, where standard input is no terminal */
    bool
        modern; /* of the xterm kind: knows 24-bit colours and the private modes for paste and whole frames */

    enum depth depth;
    bool has_default_colors;
    int n_pairs;              /* colour pairs in use besides pair 0 */
    struct frame next, shown; /* what the screen is to show, and what curses was last given */
    bool is_stale;            /* what the screen shows is unknown: paint everything */

    struct buf paste;
    bool is_pasting;

    bool is_armed, is_running;
    struct termios saved_modes;
    sigset_t watched; /* the signals that are turned into the flags below */
    struct {
        int signal;
        struct sigaction old;
    } handlers[HANDLERS_MAX];
    size_t n_handlers;
    char restore[RESTORE_MAX]; /* what a crash writes to give the screen back */
    size_t restore_len;
    char crash_stack[CRASH_STACK];
    volatile sig_atomic_t end_signal; /* the signal that asks to leave, or 0 */
    volatile sig_atomic_t stop_asked, was_continued;
};

extern struct terminal terminal;

/* direct.c: opens the screen with a 24-bit colour entry of the program's own; NULL if ncurses does not take
 * it. */
SCREEN *direct_newterm(FILE *out, FILE *in);

/* screen.c */
void screen_open(enum depth wanted);
/* Follows the window's size; the next picture is painted in full. */
void screen_fit(void);
/* Shows SESSION as it is now; writes nothing if nothing has changed. */
void screen_show(const struct session *session);
void screen_write(const char *text); /* straight to the terminal, behind curses' back */

/* input.c */
void input_open(void);
/* Gives SESSION the keys that have arrived. True if there may be more at once. */
bool input_drain(struct session *session);
/* Gives SESSION a paste whose end did not come. */
void input_end_paste(struct session *session);
/* The terminal hung up or its input ended. */
bool input_is_gone(void);

/* leave.c */
void leave_arm(void);     /* before newterm: remembers the modes, installs the handlers */
void leave_prepare(void); /* after it: composes what a crash writes */
void leave_disarm(void);  /* every handler as it was */
void leave_enter_modes(void);
void leave_exit_modes(void);
void leave_suspend(void); /* gives the terminal back, stops, and returns with it taken again */
void leave_resume(void);  /* takes the terminal again after somebody else may have changed it */

#endif
