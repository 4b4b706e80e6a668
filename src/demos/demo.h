/* What a demo is: a const table of its parameters, panes, tables and commands, and a state that the functions
 * of the table make and change. A new demo is one file that ends in such a table, and one line in demos.c. */
#ifndef ATTNLAB_DEMOS_DEMO_H
#define ATTNLAB_DEMOS_DEMO_H

#include <stdbool.h>
#include <stddef.h>

#include "data/error.h"
#include "data/progress.h"
#include "data/table.h"
#include "demos/param.h"
#include "draw/area.h"

struct stage;

/* A user's file, read and parsed anew whenever its column parameters change. Its bytes never change: the
 * stage and the states that undo remembers share them. */
struct source {
    char name[256];   /* as shown, cleaned; "" for the demo's own data */
    size_t *n_owners; /* of the bytes; NULL without a file */
    char *bytes;
    size_t n;
    struct progress progress; /* told while it is parsed */
};

struct pane {
    const char *name;  /* as `focus NAME` takes it */
    const char *title; /* N_() */
    /* What the frame's top line carries right of the title: a number, a legend. CORNER is one row. May be
     * NULL. */
    void (*figure)(const struct stage *stage, struct area corner);
    void (*draw)(const struct stage *stage, struct area inside);
    /* Moves the selection by (DX, DY) cells; NULL where there is nothing to select. */
    void (*select)(struct stage *stage, int dx, int dy);
    const char *help; /* N_(): one sentence on what one sees and what its symbols mean */
};

/* HELP of a pane that is drawn by panel_draw. */
#define PANEL_HELP                                                                                           \
    N_("what can be changed: \u25b8 is the chosen one, Tab chooses the next, left and right change it, "     \
       "Enter types")

struct demo_table {
    const char *name;
    const char *help; /* N_() */
    struct table (*make)(const struct stage *stage);
};

/* A command of the demo's own, e.g. step. ARGS is the rest of the line, trimmed, of no more words than USAGE
 * has, unless that has alternatives of several words. What it reports goes to stage->report; false with an
 * error where it refuses, and nothing has changed then. */
struct demo_command {
    const char *name;
    const char *usage; /* "[N]" */
    const char *help;  /* N_() */
    bool changes;      /* it can be undone */
    bool (*run)(struct stage *stage, const char *args, struct error *error);
};

enum { PANES_MAX = 12 };

struct demo {
    const char *name;
    const char *title;   /* N_(): beside the name in the header */
    const char *summary; /* N_(): one line in the list of demos */
    const struct param *params;
    size_t n_params;
    const struct pane *panes;
    size_t n_panes;
    const struct demo_table *tables;
    size_t n_tables;
    const struct demo_command *commands;
    size_t n_commands;
    bool takes_file;

    /* Appends what is known about the stage's file: what was guessed, how it is read; parts end in "; ". NULL
     * where no file is taken. */
    void (*describe_file)(const struct stage *stage, struct buf *out);

    /* Makes stage->state from stage->values and stage->source; may set values that have no default (w). A
     * state that is there after a failure is discarded by the caller. */
    bool (*open)(struct stage *stage, struct error *error);

    /* A copy of the state for undo, without what can be computed from the rest; `restored` is called when
     * such a copy has become the stage's state again. */
    void *(*copy)(const void *state);
    void (*restored)(struct stage *stage);
    void (*discard)(void *state);

    /* Takes over the changed parameter CHANGED; VALUES already holds the new value, OLD the one before. On
     * failure the session puts the old value back. */
    bool (*apply)(struct stage *stage, size_t changed, const struct value *old, struct error *error);

    /* True where PARAM means nothing for what is on stage: a file's head where the matrices are drawn. NULL:
     * never. */
    bool (*is_idle)(const struct stage *stage, size_t param);

    /* Does up to BUDGET units of outstanding work (a unit is about a nanosecond); true while more is left.
     * NULL: never any. */
    bool (*work)(struct stage *stage, long budget);

    /* The same for what nobody has asked for yet, in spare time: a table that needs it finishes it itself, a
     * picture may be without. NULL: nothing. */
    bool (*look_ahead)(struct stage *stage, long budget);

    /* Does at once what `apply` has put off for `work` to do, so that what is on show is that of the values.
     * NULL: nothing is put off. */
    void (*catch_up)(struct stage *stage);

    /* What can be stepped and played: training epochs, the cells of an animation. NULL, all four: nothing.
     * position: where we are, from 0; known: how far it has been computed; end: where playing stops; go:
     * moves to TARGET (beyond what is known, `work` does the computing and position follows). */
    size_t (*position)(const struct stage *stage);
    size_t (*known)(const struct stage *stage);
    size_t (*end)(const struct stage *stage);
    void (*go)(struct stage *stage, size_t target);

    /* Back to the start of the same run. NULL: nothing to reset. */
    void (*reset)(struct stage *stage);

    /* Selects by 0-based indices (row, column; COLUMN -1: only the row). NULL: nothing to select. */
    bool (*select)(struct stage *stage, long row, long column, struct error *error);

    /* Moves the number that is selected in the focused pane by STEPS (keys + and -). NULL: there is none. */
    bool (*nudge)(struct stage *stage, int steps, struct error *error);

    /* Moves the selected number of list parameter PARAM (keys left and right). NULL: lists are typed. */
    bool (*adjust)(struct stage *stage, size_t param, int steps, struct value *value);

    /* Places the panes: AREA is what the session leaves; OUT[i] gets pane i's rectangle including its frame,
     * an empty one for a pane not shown at this size. */
    void (*layout)(const struct stage *stage, struct area area, struct area out[PANES_MAX]);

    /* The line under the header: the formula with the current numbers put in. */
    void (*formula)(const struct stage *stage, struct area line);

    /* "epoch 3 / 5" for the header; NULL: nothing. */
    void (*progress)(const struct stage *stage, char *out, size_t size);

    /* What just happened, in words, if notable: returns ROLE_WARN for a warning, ROLE_TRUTH for good news,
     * ROLE_DIM for a plain remark. */
    enum role (*remark)(const struct stage *stage, char *out, size_t size);

    /* Appends the demo's part of its Python script for PyTorch (see demos/torch_script.h): the same seed,
     * draws and parameters, up to the epoch on show, and then `tables`. */
    void (*torch)(const struct stage *stage, struct buf *out);
};

/* The demo on stage, with what the audience has done to it. */
struct stage {
    const struct demo *demo;
    struct value values[PARAMS_MAX];
    struct source source;
    void *state;  /* the demo's, NULL before open */
    size_t param; /* the selected parameter */
    size_t focus; /* the focused pane */
    bool zoomed;
    bool playing;
    struct buf report; /* lines that commands print (ghosts, fit) */
};

/* The chapter's demos, in its order; n_demos of them. */
extern const struct demo *const demos[];
extern const size_t n_demos;

/* Whether the panel offers parameter PARAM: it is neither hidden nor idle. */
bool panel_offers(const struct stage *stage, size_t param);

/* How many it offers. */
int panel_lines(const struct stage *stage);

/* Draws the demo's parameters in A, the selected one highlighted, scrolled so that it is visible. */
void panel_draw(const struct stage *stage, struct area inside);

/* Whether INSIDE has room to say below the parameters what the selected one is. */
bool panel_explains(const struct stage *stage, struct area inside);

/* Adds to OUT what the selected parameter is, and its range. */
void panel_explain(const struct stage *stage, struct buf *out);

#endif
