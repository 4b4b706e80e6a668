/* The journal of a stage: the shortest list of commands known that leads from its opening to what it shows
 * now. Unlike undo it keeps no states, and unlike the log it keeps nothing that left no trace. */
#ifndef ATTNLAB_SESSION_JOURNAL_H
#define ATTNLAB_SESSION_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "demos/demo.h"

/* How far commands that were noted lead along the timeline. */
struct track {
    size_t position, known;
};

enum { TRACK_LINES = 2, TRACK_LINE = 40 };

/* Writes the commands that lead from TRACK to where STAGE is on its timeline, and moves TRACK there. Returns
 * how many lines there are. */
size_t track_follow(struct track *track, const struct stage *stage, char line[TRACK_LINES][TRACK_LINE]);

/* Puts TRACK where STAGE is: what was noted last leads there by itself. */
void track_meet(struct track *track, const struct stage *stage);

/* A zeroed struct is the journal of a stage opened without file and settings. */
struct journal {
    char *file;      /* as it was given, owned; NULL: the demo's own data */
    char **settings; /* (n_settings) NAME=VALUE at the opening, owned */
    size_t n_settings;
    char **line; /* (n) commands, owned */
    size_t n, capacity;
    struct track track;
    size_t focus;   /* the pane that the commands leave focused */
    char *replaced; /* what the last line, a `set`, found there before; owned, NULL: it set more than its
                       parameter */
};

/* Begins anew: STAGE is about to be opened with its given values and FILE (or NULL). */
void journal_begin(struct journal *journal, const struct stage *stage, const char *file);

/* Notes what STAGE did by itself since the last note: the steps of a playing run, of one that was stopped. */
void journal_follow(struct journal *journal, const struct stage *stage);

/* Notes a step that was tried and led nowhere, for the run is at its end. */
void journal_blocked(struct journal *journal, const struct stage *stage);

/* Notes, after journal_follow, that parameter INDEX was set to VALUE. BEFORE holds all values from before. */
void journal_set(struct journal *journal, const struct stage *stage, const struct value *before, size_t index,
                 const struct value *value);

/* Makes sure, after journal_follow and before a command that depends on it, that the focus is noted. */
void journal_focus(struct journal *journal, const struct stage *stage);

/* Notes that the command LINE was done. */
void journal_line(struct journal *journal, const char *line);

/* A deep copy of FROM. */
struct journal journal_copy(const struct journal *from);
void journal_free(struct journal *journal);

#endif
