#include "engine/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/mem.h"

static bool all_finite(const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

/* Makes room for one state more. */
static void reserve(struct run *run)
{
    if (run->n < run->capacity)
        return;
    run->capacity = run->capacity > 0 ? 2 * run->capacity : 16;
    run->theta = mem_grow(run->theta, run->capacity, run->dim * sizeof(double));
    run->gradient = mem_grow(run->gradient, run->capacity, run->dim * sizeof(double));
    run->loss = mem_grow(run->loss, run->capacity, sizeof(double));
}

/* Evaluates the state at INDEX, whose theta is set. */
static bool evaluate(struct run *run, struct objective objective, size_t index)
{
    double *const gradient = run->gradient + index * run->dim;

    objective.evaluate(objective.data, run->theta + index * run->dim, &run->loss[index], gradient);
    return isfinite(run->loss[index]) && all_finite(gradient, run->dim);
}

static void forget_states(struct run *run)
{
    free(run->theta);
    free(run->gradient);
    free(run->loss);
    run->theta = run->gradient = run->loss = NULL;
    run->n = run->capacity = run->cursor = 0;
    run->diverged = false;
}

bool run_start(struct run *run, struct objective objective, const double *theta)
{
    double *start =
        mem_copy(theta, objective.dim, sizeof(double)); /* THETA may be one of the run's own states */
    bool finite;

    forget_states(run);
    run->dim = objective.dim;
    reserve(run);
    memcpy(run->theta, start, run->dim * sizeof(double));
    free(start);
    run->n = 1;
    finite = evaluate(run, objective, 0);
    return finite && all_finite(run->theta, run->dim);
}

enum run_step run_forward(struct run *run, struct objective objective, double lr)
{
    const double *theta, *gradient;
    double *next;

    if (run->cursor + 1 < run->n) {
        run->cursor++;
        return RUN_RECALLED;
    }
    reserve(run);
    theta = run->theta + run->cursor * run->dim;
    gradient = run->gradient + run->cursor * run->dim;
    next = run->theta + run->n * run->dim;
    for (size_t i = 0; i < run->dim; i++)
        next[i] = theta[i] - lr * gradient[i];
    run->diverged = !all_finite(next, run->dim) || !evaluate(run, objective, run->n);
    if (run->diverged)
        return RUN_DIVERGED;
    run->cursor = run->n++;
    return RUN_COMPUTED;
}

void run_seek(struct run *run, size_t epoch)
{
    const size_t last = run->n > 0 ? run->n - 1 : 0;

    run->cursor = epoch < last ? epoch : last;
}

size_t run_end(const struct run *run, size_t epochs)
{
    const size_t last = run->n - 1;

    return run->diverged && epochs > last ? last : epochs;
}

static void ghost_free(struct ghost *ghost)
{
    free(ghost->loss);
    free(ghost->theta);
    *ghost = (struct ghost){0};
}

/* Cuts between characters: half a UTF-8 sequence would be shown as rubbish. */
static void copy_label(char out[], size_t size, const char *label)
{
    size_t n = strlen(label);

    if (n >= size) {
        n = size - 1;
        while (n > 0 && ((unsigned char)label[n] & 0xC0) == 0x80)
            n--;
    }
    memcpy(out, label, n);
    out[n] = '\0';
}

static struct ghost *new_ghost(struct run *run)
{
    if (run->n_ghosts == RUN_GHOSTS_MAX) {
        ghost_free(&run->ghost[0]);
        memmove(run->ghost, run->ghost + 1, (RUN_GHOSTS_MAX - 1) * sizeof(run->ghost[0]));
        run->n_ghosts--;
    }
    return &run->ghost[run->n_ghosts++];
}

void run_branch(struct run *run, const char *label)
{
    if (run->n >= 2) {
        struct ghost *ghost = new_ghost(run);

        *ghost = (struct ghost){
            .n = run->n,
            .loss = mem_copy(run->loss, run->n, sizeof(double)),
            .theta = mem_new(run->n, sizeof(double)),
        };
        copy_label(ghost->label, sizeof(ghost->label), label);
        for (size_t i = 0; run->dim > 0 && i < run->n; i++)
            ghost->theta[i] = run->theta[i * run->dim];
    }
    run_forget(run);
}

void run_forget(struct run *run)
{
    if (run->n > 0)
        run->n = run->cursor + 1;
    run->diverged = false;
}

bool run_replace(struct run *run, struct objective objective, const double *theta)
{
    double *const here = run->theta + run->cursor * run->dim;

    memmove(here, theta, run->dim * sizeof(double));
    run->n = run->cursor + 1; /* what followed from the old state does not follow from this one */
    run->diverged = false;
    return evaluate(run, objective, run->cursor) && all_finite(here, run->dim);
}

void run_clear_ghosts(struct run *run)
{
    while (run->n_ghosts > 0)
        ghost_free(&run->ghost[--run->n_ghosts]);
}

struct run run_copy(const struct run *from)
{
    struct run copy = *from;

    copy.capacity = from->n;
    copy.theta = mem_copy(from->theta, from->n * from->dim, sizeof(double));
    copy.gradient = mem_copy(from->gradient, from->n * from->dim, sizeof(double));
    copy.loss = mem_copy(from->loss, from->n, sizeof(double));
    for (size_t i = 0; i < from->n_ghosts; i++) {
        copy.ghost[i].loss = mem_copy(from->ghost[i].loss, from->ghost[i].n, sizeof(double));
        copy.ghost[i].theta = mem_copy(from->ghost[i].theta, from->ghost[i].n, sizeof(double));
    }
    return copy;
}

void run_free(struct run *run)
{
    forget_states(run);
    run_clear_ghosts(run);
    *run = (struct run){0};
}
