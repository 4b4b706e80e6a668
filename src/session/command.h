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
    COMPLETE_FORMAT,
    COMPLETE_COLORMAP,
    COMPLETE_LANG,
    COMPLETE_THEME,
};

struct command {
    const char *name;
    const char *usage; /* "[N]" */
    const char *help;  /* N_() */
    bool changes;      /* takes a snapshot for undo first */
    enum completion completion; /* of its first argument */
    bool (*run)(struct session *session, const char *args, struct error *error);
};

/* The session's commands; those of the demo on stage come on top. n_commands of them. */
extern const struct command commands[];
extern const size_t n_commands;

#endif
