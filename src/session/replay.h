/* Playing a log back: line by line, at once or at a pace that an audience can follow. */
#ifndef ATTNLAB_SESSION_REPLAY_H
#define ATTNLAB_SESSION_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "data/error.h"

struct session;

/* A zeroed struct replays nothing. */
struct replay {
    char *name, *text; /* owned; TEXT NULL: nothing is being replayed */
    size_t at, line;   /* where the next line begins, and the number of the one before it */
    size_t n_lines;
    double pace, due; /* s a command; when the next one is due */
};

/* Runs the next command. False at the end, and with an error NAME:LINE: ... where it fails; the replay is
 * over then. */
bool replay_next(struct session *session, struct error *error);

void replay_stop(struct replay *replay);

#endif
