/* A training run as a history: a list of states with a cursor. Stepping back moves the cursor; changing
 * something in the middle branches, and what was there before stays as a ghost curve. */
#ifndef ATTNLAB_ENGINE_RUN_H
#define ATTNLAB_ENGINE_RUN_H

#include <stdbool.h>
#include <stddef.h>

/* What is trained: THETA (dim values) -> LOSS and GRADIENT (dim values). A pure function of DATA and THETA.
 */
struct objective {
    size_t dim;
    void (*evaluate)(const void *data, const double *theta, double *loss, double *gradient);
    const void *data;
};

/* What a run looked like before it was branched off. */
struct ghost {
    char label[48]; /* what was in force there, e.g. "lr 0.5" */
    size_t n;       /* states 0 .. n-1 */
    double *loss;   /* (n) */
    double *theta;  /* (n): the first parameter of each state */
};

enum { RUN_GHOSTS_MAX = 8 };

struct run {
    size_t dim;
    size_t n, capacity; /* states known: 0 .. n-1; n >= 1 once started */
    size_t cursor;      /* the state on show: the epoch */
    double *theta;      /* (n, dim) */
    double *gradient;   /* (n, dim) */
    double *loss;       /* (n) */
    bool diverged;      /* the update after state n-1 was not finite; that state is the last */
    struct ghost ghost[RUN_GHOSTS_MAX]; /* oldest first; the oldest makes room */
    size_t n_ghosts;
};

enum run_step {
    RUN_RECALLED, /* the next state was known: only the cursor moved */
    RUN_COMPUTED, /* a new state was added */
    RUN_DIVERGED, /* the next state is not finite: nothing moved, run->diverged is set */
};

/* Starts afresh at THETA (dim values), keeping the ghosts. False if loss or gradient there is not finite;
 * the state is kept all the same. */
bool run_start(struct run *run, struct objective objective, const double *theta);

/* theta <- theta - lr * gradient, plain SGD on the full batch. */
enum run_step run_forward(struct run *run, struct objective objective, double lr);

/* Moves the cursor; EPOCH beyond the known states stops at the last one. */
void run_seek(struct run *run, size_t epoch);

/* The epoch at which a training of EPOCHS ends: no run goes on from where it diverged. RUN was started. */
size_t run_end(const struct run *run, size_t epochs);

/* Keeps the present curve as a ghost named LABEL (if it has at least two states) and forgets the states after
 * the cursor. */
void run_branch(struct run *run, const char *label);

/* Forgets the states after the cursor without a trace: they can be computed again. */
void run_forget(struct run *run);

/* Replaces the cursor's state by THETA (after run_branch) and evaluates it. False as in run_start. */
bool run_replace(struct run *run, struct objective objective, const double *theta);

void run_clear_ghosts(struct run *run);

/* A deep copy of FROM. */
struct run run_copy(const struct run *from);

/* Releases RUN and zeroes it. */
void run_free(struct run *run);

#endif
