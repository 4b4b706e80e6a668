#include "demos/panels.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "demos/matrix_view.h"
#include "demos/tensors.h"
#include "engine/mem.h"
#include "engine/softmax.h"

static size_t panel_cells(const struct panels *p)
{
    return p->queries * p->keys;
}

bool panels_resize(struct panels *p, size_t n, size_t columns, size_t queries, size_t keys)
{
    bool fits = keys <= SIZE_MAX / queries && queries * keys <= SIZE_MAX / n;
    double *at = fits ? mem_try(n * queries * keys, sizeof *at) : NULL;
    struct range *range = mem_try(n, sizeof *range);
    if (!at || !range) {
        free(at);
        free(range);
        return false;
    }
    panels_free(p);
    p->n = n;
    p->columns = columns;
    p->queries = queries;
    p->keys = keys;
    p->at = at;
    p->range = range;
    return true;
}

void panels_free(struct panels *p)
{
    free(p->at);
    free(p->range);
    p->at = NULL;
    p->range = NULL;
}

const double *panel_values(const struct panels *p, size_t panel)
{
    return p->at + panel * panel_cells(p);
}

const double *panels_row(const struct panels *p)
{
    return panel_values(p, p->panel) + p->query * p->keys;
}

static size_t count_nan(const double *at, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += isnan(at[i]) ? 1 : 0;
    return count;
}

void panels_refresh(struct panels *p)
{
    p->all = (struct range){0, 0};
    for (size_t i = 0; i < p->n; i++) {
        p->range[i] = (struct range){0, 0};
        view_range(&p->range[i].lo, &p->range[i].hi, panel_values(p, i), NULL, panel_cells(p));
        p->all.lo = fmin(p->all.lo, p->range[i].lo);
        p->all.hi = fmax(p->all.hi, p->range[i].hi);
    }
    p->n_nan = count_nan(p->at, p->n * panel_cells(p));
    p->panel = index_at_most(p->panel, p->n - 1);
    p->query = index_at_most(p->query, p->queries - 1);
    p->key = index_at_most(p->key, p->keys - 1);
    panels_follow(p);
}

void rows_softmax(double *at, size_t n, size_t keys)
{
    for (size_t i = 0; i < n; i += keys)
        softmax_row(at + i, keys, keys, at + i);
}

/* ---- selecting */

/* AT * N + WITHIN moved by BY within M * N: from the last cell of a panel to the first of the next. */
static void move_along(size_t *at, size_t *within, size_t m, size_t n, int by)
{
    long to = (long)(*at * n + *within) + by, last = (long)(m * n) - 1;
    to = to < 0 ? 0 : to > last ? last : to;
    *at = (size_t)to / n;
    *within = (size_t)to % n;
}

void panels_move(struct panels *p, int dx, int dy)
{
    size_t row = p->panel / p->columns, column = p->panel % p->columns;
    size_t rest = p->n - row * p->columns;
    move_along(&column, &p->key, rest < p->columns ? rest : p->columns, p->keys, dx);
    /* The last row of panels may be shorter than the others. */
    move_along(&row, &p->query, (p->n - column + p->columns - 1) / p->columns, p->queries, dy);
    p->panel = row * p->columns + column;
    panels_follow(p);
}

/* ---- the window */

static size_t part_of(size_t n, size_t zoom)
{
    return (n + zoom - 1) / zoom;
}

size_t panels_shown_queries(const struct panels *p)
{
    return part_of(p->queries, p->zoom);
}

size_t panels_shown_keys(const struct panels *p)
{
    return part_of(p->keys, p->zoom);
}

/* FIRST, so that SHOWN of N values from there on have SELECTED among them. */
static size_t follow(size_t first, size_t shown, size_t n, size_t selected)
{
    if (selected < first)
        first = selected;
    if (selected >= first + shown)
        first = selected - shown + 1;
    return first < n - shown ? first : n - shown;
}

void panels_follow(struct panels *p)
{
    p->first_query = follow(p->first_query, panels_shown_queries(p), p->queries, p->query);
    p->first_key = follow(p->first_key, panels_shown_keys(p), p->keys, p->key);
}

void panels_zoom(struct panels *p, size_t zoom)
{
    p->zoom = zoom;
    size_t up = panels_shown_queries(p) / 2, left = panels_shown_keys(p) / 2;
    p->first_query = p->query > up ? p->query - up : 0;
    p->first_key = p->key > left ? p->key - left : 0;
    panels_follow(p);
}

/* ---- what a row says */

struct row_facts row_facts(const double *row, size_t n, double tolerance)
{
    struct row_facts facts = {.is_weights = true, .is_empty = true};
    for (size_t k = 0; k < n; k++) {
        facts.n_nan += isnan(row[k]) ? 1 : 0;
        facts.n_infinite += isinf(row[k]) ? 1 : 0;
        facts.sum += row[k];
        facts.is_weights = facts.is_weights && row[k] >= 0;
        facts.is_empty = facts.is_empty && row[k] == 0;
        if (row[k] > row[facts.largest] || isnan(row[facts.largest]))
            facts.largest = k;
    }
    facts.is_weights = facts.is_weights && fabs(facts.sum - 1) <= tolerance;
    facts.entropy = facts.is_weights ? softmax_entropy(row, n) : 0;
    return facts;
}
