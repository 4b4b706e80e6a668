/* The session: the demo on stage, the command language, keys, undo, prompt and overlays. It has no clock and
 * no screen: time comes in, a frame goes out. */
#ifndef ATTNLAB_SESSION_SESSION_H
#define ATTNLAB_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "data/error.h"
#include "data/progress.h"
#include "draw/frame.h"
#include "draw/look.h"

struct session;

struct session_options {
    const char *demo;            /* NULL: the first choice, train */
    const char *file;            /* NULL: the demo's own data */
    const char *const *settings; /* NAME=VALUE texts, applied in order before the demo opens */
    size_t n_settings;
    struct look look;
    const char *assets;      /* overriding directory or NULL */
    bool interactive;        /* false: commands finish their work before they return */
    struct progress loading; /* told while a file is loaded */
    FILE *log;               /* where every command is written, borrowed; NULL: nowhere */
};

/* A new session with the demo open, or NULL with an error. */
struct session *session_new(const struct session_options *options, struct error *error);

/* The same in two steps, so that the second, in which a large or slow file is read, can be watched: meanwhile
 * session_draw shows how far that is, and Esc or q gives it up, with the session over. A session that could
 * not be opened is only good for session_is_over and session_free. */
struct session *session_begin(const struct session_options *options, struct error *error);
bool session_open(struct session *session, struct error *error);
void session_free(struct session *session);

/* Runs one line of the command language. On failure nothing has changed. What commands print is in
 * session_report until the next command. */
bool session_command(struct session *session, const char *line, struct error *error);

/* Whether all commands of LINE exist, if only in a demo that the line itself may bring on stage. */
bool session_knows(const struct session *session, const char *line, struct error *error);

/* What the last command printed. */
const char *session_report(const struct session *session);

/* Plays TEXT back, the contents of the log NAME (for messages): one command a line, blank lines and lines
 * that begin with # left out. Interactive it goes on with session_tick, PACE seconds a command, until Esc or
 * an error stops it; else session_replay_on does it all, and fails with NAME:LINE: what is wrong. */
void session_replay(struct session *session, const char *name, const char *text, double pace);
bool session_replay_on(struct session *session, struct error *error);

/* Has PROGRESS told while a file is loaded; it may draw the session, which shows a bar, and hand it keys, of
 * which Esc stops. To begin with it is the one in the options. */
void session_watch_loading(struct session *session, struct progress progress);

/* A key by its name: "a", "A", "space", "Left", "S-Left", "C-r", "F1", "Esc", "Tab", "S-Tab", "Enter",
 * "Backspace", "Home", ... or any character in UTF-8. Errors go to the status line. */
void session_key(struct session *session, const char *key);

/* Pasted text: goes into the prompt if one is open, else is ignored. */
void session_paste(struct session *session, const char *text);

/* Tells the time NOW (seconds, monotonic): takes the playing run's due steps and does a slice of outstanding
 * work. Returns the seconds until the session wants to be called again: 0 at once, negative for never. */
double session_tick(struct session *session, double now);

/* True once after anything visible changed. */
bool session_take_dirty(struct session *session);

/* Tells the size of the screen, which saved pictures take over. */
void session_resize(struct session *session, int cols, int rows);

/* Composes the screen at the frame's size (frame_reset before) in truecolor and unicode. Changes nothing. */
void session_draw(const struct session *session, struct frame *frame);

const struct look *session_look(const struct session *session);

/* Changes the look, e.g. once it is known what the terminal can do. */
void session_set_look(struct session *session, const struct look *look);

/* The user asked to leave. */
bool session_is_over(const struct session *session);

/* Does all outstanding work (headless). */
void session_settle(struct session *session);

/* Does what must be done before the stage is printed: what is on show becomes that of the parameters. Not
 * interactive all that was asked for is done, and FOR_PICTURE what a picture shows besides. */
void session_make_ready(struct session *session, bool for_picture);

/* The stage, for printing. */
struct stage;
const struct stage *session_stage(const struct session *session);

#endif
