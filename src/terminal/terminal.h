/* The terminal: ncurses, the event loop, signals, leaving. The only floor that knows any of them. */
#ifndef ATTNLAB_TERMINAL_TERMINAL_H
#define ATTNLAB_TERMINAL_TERMINAL_H

#include <stdbool.h>

#include "data/error.h"
#include "draw/look.h"

struct session;

/* What the options leave to the terminal to find out is -1. */
struct terminal_choice {
    int depth;  /* enum depth */
    int glyphs; /* enum glyphs */
    int theme;  /* enum theme */
};

/* Takes over the terminal and fills the -1 entries of CHOICE with what it can do. Refused with an error where
 * there is no terminal, TERM is missing or unknown, or it cannot move the cursor. */
bool terminal_open(struct terminal_choice *choice, struct error *error);

/* Shows how far SESSION has loaded a file, unless that was a moment ago, and lets the keys in that may stop
 * it. False where the program is asked to end. */
bool terminal_show_loading(struct session *session);

/* Runs SESSION until it is over, the terminal is gone or a signal ends it; returns that signal, else 0. */
int terminal_run(struct session *session);

/* Puts everything back as it was; also after a failed open. */
void terminal_close(void);

#endif
