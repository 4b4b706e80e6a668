/* Undo and redo: snapshots of a stage, taken before a command changes it. */
#ifndef ATTNLAB_SESSION_HISTORY_H
#define ATTNLAB_SESSION_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "demos/demo.h"
#include "session/journal.h"

enum {
    HISTORY_MAX = 64,
    HISTORY_BYTES = 128 << 20, /* of files kept for either list; the points made of them cost as much again */
};

struct snapshot {
    struct value *values; /* (n_params), owned */
    void *state;          /* a copy by the demo, owned through it */
    struct source source; /* the file that the state is of, shared */
    size_t param, focus;
    struct journal journal; /* how it came about, owned */
};

/* A zeroed struct is the empty history. */
struct history {
    struct snapshot past[HISTORY_MAX];
    size_t n_past;
    struct snapshot future[HISTORY_MAX];
    size_t n_future;
};

/* Gives up a share in SOURCE's bytes and zeroes it. */
void source_release(struct source *source);

/* A copy of STAGE as it is, and of its JOURNAL. */
struct snapshot snapshot_take(const struct stage *stage, const struct journal *journal);
void snapshot_free(const struct demo *demo, struct snapshot *snapshot);

/* Remembers SNAPSHOT (taken over) as the state before a change; redo is lost and the oldest makes room. */
void history_add(struct history *history, const struct demo *demo, struct snapshot snapshot);

/* Swaps STAGE and its JOURNAL with the newest past (future) state. False if there is none. */
bool history_undo(struct history *history, struct stage *stage, struct journal *journal);
bool history_redo(struct history *history, struct stage *stage, struct journal *journal);

void history_free(struct history *history, const struct demo *demo);

#endif
