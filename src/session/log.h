/* The log: every command as it is given, a line each, so that a replay shows the same. How far a motion came
 * that was stopped or played is told by steps; what left no trace in the state is a comment. */
#ifndef ATTNLAB_SESSION_LOG_H
#define ATTNLAB_SESSION_LOG_H

#include <stdbool.h>

#include "session/command.h"

struct session;

/* Begins with a comment that tells what the session is opened with. */
void log_open(struct session *session);

/* Writes what happened on the timeline since the last line. Before every command, and at the end. */
void log_follow(struct session *session);

/* Writes LINE, which was just done and is to be kept as TRACE; a comment if not DONE. */
void log_command(struct session *session, const char *line, enum trace trace, bool done);

/* Writes the motion that was given last if it has come to its end. IS_IDLE: no work is left. */
void log_arrived(struct session *session, bool is_idle);

#endif
