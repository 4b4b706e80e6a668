#include "session/history.h"

#include <stdlib.h>
#include <string.h>

#include "engine/mem.h"

static struct source source_share(const struct source *source)
{
    if (source->n_owners)
        ++*source->n_owners;
    return *source;
}

void source_release(struct source *source)
{
    if (source->n_owners && --*source->n_owners == 0) {
        free(source->bytes);
        free(source->n_owners);
    }
    *source = (struct source){0};
}

struct snapshot snapshot_take(const struct stage *stage, const struct journal *journal)
{
    return (struct snapshot){
        .values = mem_copy(stage->values, stage->demo->n_params, sizeof *stage->values),
        .state = stage->demo->copy(stage->state),
        .source = source_share(&stage->source),
        .param = stage->param,
        .focus = stage->focus,
        .journal = journal_copy(journal),
    };
}

void snapshot_free(const struct demo *demo, struct snapshot *snapshot)
{
    free(snapshot->values);
    if (snapshot->state)
        demo->discard(snapshot->state);
    source_release(&snapshot->source);
    journal_free(&snapshot->journal);
    *snapshot = (struct snapshot){0};
}

static void forget(struct snapshot *list, size_t *n, const struct demo *demo)
{
    while (*n > 0)
        snapshot_free(demo, &list[--*n]);
}

/* The bytes of all files that the N snapshots hold; neighbours mostly share theirs. */
static size_t bytes_held(const struct snapshot *list, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || list[i].source.bytes != list[i - 1].source.bytes)
            bytes += list[i].source.n;
    return bytes;
}

static void drop_oldest(struct snapshot *list, size_t *n, const struct demo *demo)
{
    snapshot_free(demo, &list[0]);
    memmove(list, list + 1, --*n * sizeof *list);
}

static void push(struct snapshot *list, size_t *n, const struct demo *demo, struct snapshot snapshot)
{
    if (*n == HISTORY_MAX)
        drop_oldest(list, n, demo);
    list[(*n)++] = snapshot;
    while (*n > 1 && bytes_held(list, *n) > HISTORY_BYTES)
        drop_oldest(list, n, demo);
}

void history_add(struct history *history, const struct demo *demo, struct snapshot snapshot)
{
    forget(history->future, &history->n_future, demo);
    push(history->past, &history->n_past, demo, snapshot);
}

/* Moves the newest entry of FROM onto the stage, and what was on stage to the end of TO. */
static bool exchange(struct snapshot *from, size_t *n_from, struct snapshot *to, size_t *n_to,
                     struct stage *stage, struct journal *journal)
{
    if (*n_from == 0)
        return false;
    push(to, n_to, stage->demo, snapshot_take(stage, journal));
    struct snapshot entry = from[--*n_from];
    memcpy(stage->values, entry.values, stage->demo->n_params * sizeof *stage->values);
    free(entry.values);
    stage->demo->discard(stage->state);
    stage->state = entry.state;
    source_release(&stage->source);
    stage->source = entry.source;
    stage->param = entry.param;
    stage->focus = entry.focus;
    journal_free(journal);
    *journal = entry.journal;
    stage->demo->restored(stage);
    return true;
}

bool history_undo(struct history *history, struct stage *stage, struct journal *journal)
{
    return exchange(history->past, &history->n_past, history->future, &history->n_future, stage, journal);
}

bool history_redo(struct history *history, struct stage *stage, struct journal *journal)
{
    return exchange(history->future, &history->n_future, history->past, &history->n_past, stage, journal);
}

void history_free(struct history *history, const struct demo *demo)
{
    forget(history->past, &history->n_past, demo);
    forget(history->future, &history->n_future, demo);
}
