/* The scene: the one command line that rebuilds what is on stage, to be shared. */
#ifndef ATTNLAB_SESSION_SCENE_H
#define ATTNLAB_SESSION_SCENE_H

#include <stdbool.h>

#include "data/buf.h"
#include "data/error.h"

struct session;

/* Appends `attnlab DEMO ...` and a line end, quoted for any POSIX shell. Refused where no command line can
 * rebuild the scene: its points came from standard input. */
bool scene_print(const struct session *session, struct buf *out, struct error *error);

#endif
