/* The session's inside, shared by the files of this floor only. */
#ifndef ATTNLAB_SESSION_STATE_H
#define ATTNLAB_SESSION_STATE_H

#include <stdio.h>

#include "demos/demo.h"
#include "session/history.h"
#include "session/journal.h"
#include "session/prompt.h"
#include "session/replay.h"
#include "session/session.h"

/* Seconds a step takes when playing, unless told otherwise. */
extern const double session_pace_default;

enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_DEMOS, OVERLAY_REPORT };

/* A demo with its own past; leaving it for another one keeps both. */
struct seat {
    struct stage stage;
    struct history history;
    struct journal journal;
    size_t target; /* where the timeline was last told to go */

    /* The stage before it set out, from where; history gets it once it has moved, for what is given up on the
     * way is no change. */
    struct snapshot before;
    size_t from;
    bool sets_out;
};

struct session {
    struct seat *seats; /* (n_demos), opened on first visit */
    size_t current;     /* index in demos[] and seats */
    struct look look;
    const char *assets; /* overriding directory or NULL, borrowed */
    bool interactive;
    int screen_cols,
        screen_rows; /* of the screen last told by session_resize: pictures are saved at that size */

    double pace;     /* seconds between two steps when playing */
    double now, due; /* DUE: when the next step of the playing run is due */
    bool plays_on;   /* the playing run goes on from its last step: undo takes back all of its steps */

    enum overlay overlay;
    int overlay_at; /* scroll position, or the entry chosen */
    struct prompt prompt;

    char message[512]; /* "" : the demo's own remark is shown */
    bool message_is_error;
    struct buf report; /* what the last command printed */

    FILE *log; /* borrowed; NULL: none is kept */
    struct track logged;
    char motion[PROMPT_MAX]; /* the command for the log that is not yet where it leads; "": none */
    struct replay replay;
    struct progress watcher; /* of loading */
    bool is_loading, stops_loading;
    bool is_opening; /* the first demo, so that there is nothing else to show */

    bool asks_param;   /* the last key chose a parameter: what is it? */
    bool is_new;       /* on the screen, and nobody has done anything yet */
    bool owes_picture; /* a key was pressed: nothing is looked ahead at until what it did could be shown */
    bool dirty, over;
};

static inline struct seat *session_seat(struct session *session)
{
    return &session->seats[session->current];
}

static inline struct stage *session_on_stage(struct session *session)
{
    return &session_seat(session)->stage;
}

/* Says something in the status line until the next command. */
void session_say(struct session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says what went wrong in the status line. */
void session_fail(struct session *session, const struct error *error);

/* Runs LINE; an error goes to the status line. */
void session_run_line(struct session *session, const char *line);

/* Takes the steps that are due and does a slice of what was asked for; true while more is to be done at once.
 */
bool session_advance(struct session *session);

/* Does all that commands have asked for. */
void session_arrive(struct session *session);

/* Brings demo INDEX on stage, opening it on the first visit. */
bool session_show_demo(struct session *session, size_t index, struct error *error);

/* Reads FILE into the demo on stage in place of its data; on failure all stays. */
bool session_load(struct session *session, const char *file, struct error *error);

/* Writes BYTES to FILE; what keeps that waiting can be stopped like loading. */
bool session_write(struct session *session, const char *file, const struct buf *bytes, bool replace,
                   struct error *error);

/* seat_set on stage; where the value names a file, reading it can be stopped like loading. */
bool session_set(struct session *session, size_t index, const char *text, struct error *error);

/* Sets parameter INDEX from TEXT through the demo. */
bool seat_set(struct seat *seat, size_t index, const char *text, struct error *error);

/* Puts parameter INDEX at VALUE through the demo. */
bool seat_put(struct seat *seat, size_t index, const struct value *value, struct error *error);

/* After a change, by which the demo gives up a step that has not been taken; a way back may still go on. */
void seat_go_no_further(struct seat *seat);

/* Sends the timeline to TARGET, as one change that can be undone if it is elsewhere. */
void seat_go(struct seat *seat, size_t target);

/* Remembers SEAT as it is for the case that its timeline moves; gives that up where it has not moved. */
void seat_set_out(struct seat *seat);
void seat_stay(struct seat *seat);

/* Draws the overlay, if any, above the screen. */
void overlay_draw(const struct session *session, struct area screen);

/* Handles KEY if an overlay is open; true if it was used. */
bool overlay_key(struct session *session, const char *key);

/* nearest_hint for NAME, which is no parameter of the stage's demo. */
char *stage_param_hint(const struct stage *stage, char *out, size_t size, const char *name,
                       const char *elsewhere);

#endif
