/* The command language: one table that the prompt, keys, -c, help and the man page read. */
#ifndef ATTNLAB_SESSION_COMMAND_H
#define ATTNLAB_SESSION_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "data/error.h"

struct session;

enum completion {
    COMPLETE_NOTHING,
    COMPLETE_PARAM,
    COMPLETE_PANE,
    COMPLETE_DEMO,
    COMPLETE_FILE,
    COMPLETE_FORMAT, /* and then a file */
    COMPLETE_COLORMAP,
    COMPLETE_LANG,
    COMPLETE_THEME,
};

/* What is kept of a command that was done. */
enum trace {
    TRACE_NONE,   /* nothing: what it does is no part of the state (export, help) */
    TRACE_LOG,    /* a line in the log; the journal notes the effect, or the state at the end says it all */
    TRACE_SCENE,  /* a line in both */
    TRACE_MOTION, /* it moves along the timeline, and what is kept is how far it came */
};

struct command {
    const char *name;
    const char *usage;          /* "[N]"; what has more words is refused before it is run */
    const char *help;           /* N_() */
    bool changes;               /* takes a snapshot for undo first */
    enum completion completion; /* of its first argument */
    enum trace trace;
    bool (*run)(struct session *session, const char *args, struct error *error);
};

/* The session's commands; those of the demo on stage come on top. n_commands of them. */
extern const struct command commands[];
extern const size_t n_commands;

#endif
