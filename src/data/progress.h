/* How long work tells how far it is, and asks whether to go on. */
#ifndef ATTNLAB_DATA_PROGRESS_H
#define ATTNLAB_DATA_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* A zeroed struct tells nobody. TELL is called some hundred times a second at least, where others keep the
 * work waiting some ten times, and returns false to stop. TOTAL is 0 where nobody knows it. */
struct progress {
    bool (*tell)(void *context, size_t done, size_t total);
    void *context; /* borrowed */
};

static inline bool progress_tell(struct progress progress, size_t done, size_t total)
{
    return !progress.tell || progress.tell(progress.context, done, total);
}

#endif
