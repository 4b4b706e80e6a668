#include "demos/points_edit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/lang.h"
#include "data/number.h"
#include "engine/mem.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

enum { LEAST_POINTS = 2, NUMBERS_MAX = 3 };

/* What is asked for, and where. */
struct edit {
    const struct regression *r;
    double number[NUMBERS_MAX];
    size_t n_numbers;
};

size_t points_nearest(const struct regression *r)
{
    const double *x = r->points.x;
    size_t lo = 0, hi = r->points.n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (x[middle] < r->x)
            lo = middle + 1;
        else
            hi = middle;
    }
    if (lo == r->points.n || (lo > 0 && r->x - x[lo - 1] <= x[lo] - r->x))
        lo--;
    return lo;
}

/* ---- one point more, or less, or elsewhere */

/* FROM without point LEFT_OUT (n: all), and with (X, Y) if INSERTS, in the order of x. */
static struct points rebuilt(const struct points *from, size_t left_out, bool inserts, double x, double y)
{
    size_t n = from->n - (left_out < from->n) + inserts, at = 0;
    struct points to = points_like(from, n);
    for (size_t i = 0; i <= from->n; i++) {
        if (inserts && (i == from->n || from->x[i] > x)) {
            points_put(&to, at++, x, y);
            inserts = false;
        }
        if (i < from->n && i != left_out)
            points_put(&to, at++, from->x[i], from->y[i]);
    }
    return to;
}

/* A step of a key press: a power of ten, some twenty to a hundred of them across the picture. */
static double step_of(const double *v, size_t n)
{
    double lo = v[0], hi = v[0];
    for (size_t i = 1; i < n; i++) {
        lo = fmin(lo, v[i]);
        hi = fmax(hi, v[i]);
    }
    return hi > lo ? pow(10, floor(log10((hi - lo) / 20))) : 1;
}

static bool index_of(const struct edit *edit, double number, size_t *index, struct error *error)
{
    size_t n = edit->r->points.n;
    if (!(number >= 0 && number < (double)n) || number != floor(number))
        return error_set(error, STATUS_USAGE, _("point: there are points 0 to %zu"), n - 1);
    *index = (size_t)number;
    return true;
}

static bool edit_add(const struct edit *edit, struct points *edited, double *query, struct error *error)
{
    const struct regression *r = edit->r;
    double x = r->x, y = regression_answer(r);
    if (edit->n_numbers == 2) {
        x = edit->number[0];
        y = edit->number[1];
    } else if (r->selected.empty) {
        return error_set(
            error, STATUS_USAGE, "%s",
            _("point: no key is in reach of the query, so it gets no value to add; give X and Y"));
    }
    *edited = rebuilt(&r->points, r->points.n, true, x, y);
    *query = x;
    return true;
}

static bool edit_move(const struct edit *edit, struct points *edited, double *query, struct error *error)
{
    size_t index = 0;
    if (!index_of(edit, edit->number[0], &index, error))
        return false;
    *edited = rebuilt(&edit->r->points, index, true, edit->number[1], edit->number[2]);
    *query = edit->number[1];
    return true;
}

static bool edit_shift(const struct edit *edit, struct points *edited, double *query, struct error *error)
{
    const struct points *p = &edit->r->points;
    size_t index = points_nearest(edit->r);
    double x = p->x[index] + edit->number[0] * step_of(p->x, p->n);
    double y = p->y[index] + edit->number[1] * step_of(p->y, p->n);
    if (!isfinite(x) || !isfinite(y))
        return error_set(error, STATUS_USAGE, "%s", _("point: this leads too far for a number"));
    *edited = rebuilt(p, index, true, x, y);
    *query = x;
    return true;
}

static bool edit_delete(const struct edit *edit, struct points *edited, double *query, struct error *error)
{
    const struct points *p = &edit->r->points;
    size_t index = points_nearest(edit->r);
    if (edit->n_numbers == 1 && !index_of(edit, edit->number[0], &index, error))
        return false;
    if (p->n <= LEAST_POINTS)
        return error_set(error, STATUS_USAGE, _("point: these are the last %d points; attention needs them"),
                         LEAST_POINTS);
    *edited = rebuilt(p, index, false, 0, 0);
    *query = edit->r->x;
    return true;
}

/* ---- the command */

static const struct {
    const char *name;
    size_t least, most; /* numbers after it, either as many */
    bool (*run)(const struct edit *edit, struct points *edited, double *query, struct error *error);
} edits[] = {
    {"add", 0, 2, edit_add},
    {"move", 3, 3, edit_move},
    {"shift", 2, 2, edit_shift},
    {"delete", 0, 1, edit_delete},
};

/* Reads the numbers in ARGS; false if there is anything else or too many. */
static bool take_numbers(const char *args, struct edit *edit)
{
    for (args += strspn(args, " \t"); *args; args += strspn(args, " \t")) {
        size_t n = strcspn(args, " \t");
        double *number = &edit->number[edit->n_numbers];
        if (edit->n_numbers++ == NUMBERS_MAX || !number_parse(args, n, '.', number) || !isfinite(*number))
            return false;
        args += n;
    }
    return true;
}

bool points_edit(const struct regression *r, const char *args, struct points *edited, double *query,
                 struct error *error)
{
    struct edit edit = {.r = r};
    size_t n = strcspn(args, " \t"), i = 0;
    while (i < ALEN(edits) && (strlen(edits[i].name) != n || memcmp(edits[i].name, args, n) != 0))
        i++;
    if (i == ALEN(edits) || !take_numbers(args + n, &edit) ||
        (edit.n_numbers != edits[i].least && edit.n_numbers != edits[i].most))
        return error_arguments(error, "point", args, POINTS_EDIT_USAGE);
    if (r->points.n > REGRESSION_ALL)
        return error_set(error, STATUS_USAGE,
                         _("point: among %zu points one makes no difference; up to %d can be edited"),
                         r->points.n, REGRESSION_ALL);
    return edits[i].run(&edit, edited, query, error);
}
