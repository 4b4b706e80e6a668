/* Valid lengths: how many keys a row of scores may attend to. As the book's masked_softmax takes them: one
 * for each batch item (1-D), one for each query of each item (2-D), or none at all. */
#ifndef ATTNLAB_DEMOS_LENS_H
#define ATTNLAB_DEMOS_LENS_H

#include <stdbool.h>
#include <stddef.h>

#include "demos/param.h"
#include "draw/area.h"

enum { LENS_KEYS_MAX = 64 };

enum lens_form {
    LENS_NONE,      /* every row has all keys */
    LENS_PER_ITEM,  /* (batch) */
    LENS_PER_QUERY, /* (batch, queries) */
};

struct lens {
    enum lens_form form;
    size_t batch, queries, keys;
    size_t at[VALUE_LIST_MAX]; /* (batch, queries), whatever the form: the length of every row */
};

/* The parameter itself, for a demo's table: [P_VALID_LENS] = LENS_PARAM("2,3"). */
#define LENS_PARAM(text)                                                                                     \
    {                                                                                                        \
        .name = "valid_lens", .label = N_("valid lengths"), .kind = PARAM_LIST, .lo = 0,                     \
        .hi = LENS_KEYS_MAX, .whole = true, .rows = true, .optional = true, .initial = (text), .unit = "",   \
        .help = N_("keys a row may attend to: 2,3 one per batch item; 1,3/2,4 one per query; or none")       \
    }

/* Reads V for scores (BATCH, QUERIES, KEYS), BATCH * QUERIES <= VALUE_LIST_MAX. On failure OUT is unchanged
 * and ERROR names both shapes, or the range 0 to KEYS. */
bool lens_read(const struct value *v, size_t batch, size_t queries, size_t keys, struct lens *out,
               struct error *error);

/* Makes V fit scores (BATCH, QUERIES, KEYS): longer lengths become KEYS, new rows repeat the last one, rows
 * too many are dropped; its form stays. True if V had to be changed. */
bool lens_refit(struct value *v, size_t batch, size_t queries, size_t keys);

/* For `open`: lengths that the user gave must fit, the default is made to fit. */
bool lens_open(struct value *v, size_t batch, size_t queries, size_t keys, struct lens *out,
               struct error *error);

/* For `adjust` and `nudge`: the length of row (ITEM, QUERY) by STEPS more or fewer, within 0 to keys, written
 * to V; in the form LENS_PER_ITEM that is the length of the whole item. Without lengths V gets one per item,
 * KEYS each, first. */
void lens_move(const struct lens *lens, size_t item, size_t query, int steps, struct value *v);

static inline size_t lens_of(const struct lens *lens, size_t item, size_t query)
{
    return lens->at[item * lens->queries + query];
}

/* MASKED (batch, queries, keys) gets 1 for every key at or beyond its row's length, else 0. */
void lens_mask(const struct lens *lens, unsigned char *masked);

/* How many rows have no key at all. */
size_t lens_empty_rows(const struct lens *lens);

/* A pane's figure: "1-D: one per batch item". */
void lens_figure(const struct lens *lens, struct area corner);

/* The bar editor: a row for every length with its keys as a bar, what it means for the queries, and below it
 * how the lengths become one per query (repeat_interleave). Row (ITEM, QUERY) is marked as the one that keys
 * change. */
void lens_draw(const struct lens *lens, size_t item, size_t query, struct area inside);

/* Lines that lens_draw would like to have. */
int lens_lines(const struct lens *lens);

#endif
