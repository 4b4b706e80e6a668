/* Parameters describe themselves: one table a demo feeds the panel, `set`, NAME=VALUE, range errors, help and
 * --list. */
#ifndef ATTNLAB_DEMOS_PARAM_H
#define ATTNLAB_DEMOS_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/buf.h"
#include "data/error.h"

enum param_kind {
    PARAM_REAL,
    PARAM_INTEGER,
    PARAM_CHOICE, /* one of CHOICES */
    PARAM_SEED,   /* as torch.manual_seed takes it */
    PARAM_LIST,   /* numbers: 2,3 or, where ROWS are allowed, 1,3/2,4 or [[1,3],[2,4]] */
    PARAM_TEXT,   /* a column's name, ... */
};

enum param_steps {
    STEPS_LINEAR,       /* by STEP */
    STEPS_ONE_TWO_FIVE, /* through 1, 2, 5, 10, ... */
    STEPS_DOUBLE,       /* through the powers of 2 */
    STEPS_DIGIT,        /* by one unit of the second significant digit, at least by STEP; passes through 0 */
};

struct param {
    const char *name;  /* as typed */
    const char *label; /* N_(): as read in the panel, a few words */
    const char *help;  /* N_(): one line */
    const char *unit;  /* "" or e.g. "s" */
    enum param_kind kind;
    double lo, hi; /* range of REAL, INTEGER and of each number of a LIST */
    bool above_lo; /* REAL: LO itself is excluded */
    double usual_lo,
        usual_hi; /* the slider's ends where the range is too wide for one; both 0: the range's */
    double step;
    enum param_steps steps;
    const char *const *choices; /* PARAM_CHOICE: NULL-terminated */
    const char *initial;        /* the default, as typed; "" where the demo computes it (w) */
    bool whole;                 /* LIST of whole numbers */
    bool rows;                  /* LIST may have several rows */
    bool optional;              /* LIST may be empty, which is written "none" */
    bool hidden;                /* not in the panel (but in --list, help and set) */
    bool of_file;               /* belongs to the file on stage: another file starts with the default */
    bool leads_selection; /* REAL: the selection follows what it does, so the way to a value matters too */
};

enum { VALUE_LIST_MAX = 64, VALUE_TEXT_MAX = 96, PARAMS_MAX = 24 };

struct value {
    double number; /* REAL, INTEGER; CHOICE: the index */
    uint64_t seed;
    double list[VALUE_LIST_MAX]; /* row after row */
    size_t n_list, n_rows;       /* n_rows divides n_list; 1 for a plain list; both 0: none */
    bool nested;                 /* LIST: written by rows, be it one: [[1,2,3]] is (1, 3), 1,2,3 is (3) */
    char text[VALUE_TEXT_MAX];
    bool given; /* set by the user, not the default; param_parse leaves it alone */
};

/* Reads TEXT as P's value. On failure OUT is unchanged and ERROR names the range or the nearest choices. */
bool param_parse(const struct param *p, const char *text, struct value *out, struct error *error);

/* V as param_parse reads it back: the shortest text. */
void param_format(const struct param *p, const struct value *v, struct buf *out);

/* V as the panel shows it, in at most WIDTH columns. */
void param_show(const struct param *p, const struct value *v, int width, char *out, size_t size);

/* V moved by STEPS key presses (negative: down), kept within the range. False where the kind has no steps. */
bool param_adjust(const struct param *p, struct value *v, int steps);

/* The range or the choices in words: "0 to 10", "above 0 to 1000", "sum, half or mean". */
void param_range(const struct param *p, struct buf *out);

/* Where V lies in its range for a slider, 0 to 1; -1 where no slider makes sense. */
double param_place(const struct param *p, const struct value *v);

/* Index of NAME among N params, or N. */
size_t param_find(const struct param *params, size_t n, const char *name);

#endif
