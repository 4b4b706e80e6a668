#include "demos/lens.h"

#include <stdio.h>
#include <string.h>

#include "data/buf.h"
#include "data/lang.h"
#include "data/number.h"
#include "data/utf8.h"
#include "demos/matrix_view.h"
#include "draw/bars.h"

enum {
    KEY_COLS_MAX = 5,  /* of one key in a bar */
    NUMBERED_COLS = 3, /* of one that is easily read */
    ARROW_COLS = 1,
    GAP = 1,
    SPREADING = 2, /* lines below the lengths, at least */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static enum lens_form form_of(const struct value *v)
{
    return v->n_list == 0 ? LENS_NONE : v->nested ? LENS_PER_QUERY : LENS_PER_ITEM;
}

/* Lengths in a row of V: all of them where it is a plain list. */
static size_t row_length(const struct value *v)
{
    return v->n_rows > 0 ? v->n_list / v->n_rows : 0;
}

/* ---- reading */

static bool shape_fits(const struct value *v, size_t batch, size_t queries)
{
    switch (form_of(v)) {
    case LENS_NONE:
        return true;
    case LENS_PER_ITEM:
        return v->n_list == batch;
    case LENS_PER_QUERY:
        return v->n_rows == batch && row_length(v) == queries;
    }
    return false;
}

static bool refuse_shape(const struct value *v, size_t batch, size_t queries, size_t keys,
                         struct error *error)
{
    char shape[64];
    if (form_of(v) == LENS_PER_QUERY)
        snprintf(shape, sizeof shape, "(%zu, %zu)", v->n_rows, row_length(v));
    else
        snprintf(shape, sizeof shape, "(%zu)", v->n_list);
    return error_set(
        error, STATUS_USAGE,
        _("valid_lens: shape %s does not fit scores (%zu, %zu, %zu); expected (%zu), one per batch item, "
          "or (%zu, %zu), one per query"),
        shape, batch, queries, keys, batch, batch, queries);
}

bool lens_read(const struct value *v, size_t batch, size_t queries, size_t keys, struct lens *out,
               struct error *error)
{
    struct lens lens = {.form = form_of(v), .batch = batch, .queries = queries, .keys = keys};
    char text[NUMBER_TEXT];

    for (size_t i = 0; i < v->n_list; i++)
        if (v->list[i] > (double)keys)
            return error_set(error, STATUS_USAGE,
                             _("valid_lens: %s is out of range; with %zu keys expected 0 to %zu"),
                             number_text(text, v->list[i]), keys, keys);
    if (!shape_fits(v, batch, queries))
        return refuse_shape(v, batch, queries, keys, error);
    for (size_t i = 0; i < batch * queries; i++) {
        const double by_form[] = {
            [LENS_NONE] = (double)keys,
            [LENS_PER_ITEM] = v->list[i / queries],
            [LENS_PER_QUERY] = v->list[i],
        };
        lens.at[i] = (size_t)by_form[lens.form];
    }
    *out = lens;
    return true;
}

bool lens_refit(struct value *v, size_t batch, size_t queries, size_t keys)
{
    struct value fit = *v;
    size_t n_row = form_of(v) == LENS_PER_QUERY ? queries : 1;
    size_t old_rows = form_of(v) == LENS_PER_QUERY ? v->n_rows : v->n_list;
    size_t old_row = form_of(v) == LENS_PER_QUERY ? row_length(v) : 1;

    if (form_of(v) == LENS_NONE)
        return false;
    for (size_t b = 0; b < batch; b++)
        for (size_t q = 0; q < n_row; q++) {
            double length = v->list[smaller(b, old_rows - 1) * old_row + smaller(q, old_row - 1)];
            fit.list[b * n_row + q] = length > (double)keys ? (double)keys : length;
        }
    fit.n_list = batch * n_row;
    fit.n_rows = v->nested ? batch : 1;
    bool changed = fit.n_list != v->n_list || fit.n_rows != v->n_rows ||
                   memcmp(fit.list, v->list, v->n_list * sizeof *v->list) != 0;
    *v = fit;
    return changed;
}

bool lens_open(struct value *v, size_t batch, size_t queries, size_t keys, struct lens *out,
               struct error *error)
{
    if (!v->given)
        lens_refit(v, batch, queries, keys);
    return lens_read(v, batch, queries, keys, out, error);
}

/* ---- changing */

void lens_move(const struct lens *lens, size_t item, size_t query, int steps, struct value *v)
{
    size_t i = lens->form == LENS_PER_QUERY ? item * lens->queries + query : item;

    if (lens->form == LENS_NONE) {
        v->n_list = lens->batch;
        v->n_rows = 1;
        v->nested = false;
        for (size_t b = 0; b < lens->batch; b++)
            v->list[b] = (double)lens->keys;
    }
    double length = v->list[i] + steps, most = (double)lens->keys;
    v->list[i] = length < 0 ? 0 : length > most ? most : length;
}

void lens_mask(const struct lens *lens, unsigned char *masked)
{
    for (size_t row = 0; row < lens->batch * lens->queries; row++)
        for (size_t k = 0; k < lens->keys; k++)
            masked[row * lens->keys + k] = k >= lens->at[row];
}

size_t lens_empty_rows(const struct lens *lens)
{
    size_t n = 0;
    for (size_t row = 0; row < lens->batch * lens->queries; row++)
        n += lens->at[row] == 0;
    return n;
}

/* ---- drawing */

void lens_figure(const struct lens *lens, struct area corner)
{
    const char *const texts[] = {
        [LENS_NONE] = _("none: all keys are valid"),
        [LENS_PER_ITEM] = _("1-D: one per item"),
        [LENS_PER_QUERY] = _("2-D: one per query"),
    };
    figure_text(corner, texts[lens->form]);
}

/* The lengths as they are edited: one per item, or one per query where each has its own. */
static size_t count_entries(const struct lens *lens)
{
    return lens->form == LENS_PER_QUERY ? lens->batch * lens->queries : lens->batch;
}

static size_t entry_row(const struct lens *lens, size_t entry)
{
    return lens->form == LENS_PER_QUERY ? entry : entry * lens->queries;
}

int lens_lines(const struct lens *lens)
{
    enum { BELOW = 3 };
    return (int)count_entries(lens) + BELOW;
}

static void entry_label(const struct lens *lens, size_t entry, char *out, size_t size)
{
    if (lens->form == LENS_PER_QUERY)
        snprintf(out, size, _("item %zu q%zu"), entry / lens->queries, entry % lens->queries);
    else
        snprintf(out, size, _("item %zu"), entry);
}

/* "→ q0 2  q1 2": what a length per item means for the item's queries. */
static void entry_meaning(const struct lens *lens, size_t entry, struct buf *out)
{
    if (lens->form == LENS_PER_QUERY)
        return;
    buf_puts(out, "\u2192");
    for (size_t q = 0; q < lens->queries; q++)
        buf_printf(out, "%sq%zu %zu", q ? "  " : " ", q, lens_of(lens, entry, q));
}

/* A key's cell without its number. Returns the pen for what is written on it. */
static struct pen draw_key(struct area cell, bool valid)
{
    const struct look *look = cell.look;
    struct heat_cell heat = look_heat_cell(look, 0.6);

    if (!valid) {
        area_fill(cell, look_pen(look, ROLE_FAINT), 0x2571);
        return look_pen(look, ROLE_DIM);
    }
    area_fill(cell, heat.pen, heat.glyph);
    return heat.glyph == ' ' && look->depth >= DEPTH_256
               ? (struct pen){.fg = color_on(heat.pen.bg), .bg = heat.pen.bg, .attr = ATTR_BOLD}
               : look_pen(look, ROLE_TEXT);
}

/* Where the parts of an entry's line begin; the same for all lines. */
struct columns {
    int bar, key_cols, len, meaning;
    size_t stride; /* of the keys that are numbered */
    bool brief;    /* the length without the word for it */
};

static int digits_of(size_t i)
{
    return i < 10 ? 1 : i < 100 ? 2 : 3;
}

/* A blank parts the numbers of keys next to each other. */
static int numbered_cols(const struct lens *lens)
{
    return digits_of(lens->keys - 1) + 1;
}

static struct columns measure(const struct lens *lens, int cols)
{
    struct columns at = {0};
    int label = 0, meaning = 0, len;
    char text[96];

    for (size_t i = 0; i < count_entries(lens); i++) {
        struct buf means = {0};
        entry_label(lens, i, text, sizeof text);
        label = utf8_columns(text) > label ? utf8_columns(text) : label;
        entry_meaning(lens, i, &means);
        int wide = means.at ? utf8_columns(means.at) : 0;
        meaning = wide > meaning ? wide : meaning;
        buf_free(&means);
    }
    snprintf(text, sizeof text, _("len %zu"), lens->keys);
    len = utf8_columns(text);

    int fixed = label + GAP + 2 * ARROW_COLS + GAP + len, keys = (int)lens->keys;
    int word = len - digits_of(lens->keys), least = numbered_cols(lens) * keys;
    at.brief = cols - fixed < keys || (cols - fixed < least && cols - fixed + word >= least);
    if (at.brief) {
        len -= word;
        fixed -= word;
    }
    bool has_meaning = meaning > 0 && cols - fixed - 2 * GAP - meaning >= NUMBERED_COLS * keys;
    int room = cols - fixed - (has_meaning ? 2 * GAP + meaning : 0);
    at.key_cols = room / keys > KEY_COLS_MAX ? KEY_COLS_MAX : room / keys;
    at.bar = label + GAP + ARROW_COLS;
    for (at.stride = 1; at.key_cols > 0 && (int)at.stride * at.key_cols < numbered_cols(lens);)
        at.stride = at.stride == 2 ? 5 : 2 * at.stride;
    at.len = at.bar + at.key_cols * keys + ARROW_COLS + GAP;
    at.meaning = has_meaning ? at.len + len + 2 * GAP : cols;
    return at;
}

/* A bar of keys of which the first LENGTH are valid; where cells are narrow a number runs on over those after
 * its own, on which its pen is theirs. */
static void draw_bar(const struct lens *lens, size_t length, const struct columns *at, struct area line)
{
    for (size_t k = 0; k < lens->keys; k++) {
        struct area cell = area_part(line, at->bar + (int)k * at->key_cols, 0, at->key_cols, 1);
        size_t numbered = k - k % at->stride;
        int width = digits_of(numbered), x = (int)(numbered - k) * at->key_cols;
        struct pen pen = draw_key(cell, k < length);

        if (at->stride == 1)
            x = (at->key_cols - width) / 2;
        if (numbered + (size_t)((width + at->key_cols - 1) / max_int(at->key_cols, 1)) <= lens->keys)
            area_textf(cell, x, 0, pen, "%zu", numbered);
    }
}

static void draw_entry(const struct lens *lens, size_t entry, const struct columns *at, bool selected,
                       struct area line)
{
    const struct look *look = line.look;
    size_t length = lens->at[entry_row(lens, entry)];
    struct pen select = look_pen(look, ROLE_SELECT), dim = look_pen(look, ROLE_DIM);
    struct pen pen = selected ? select : look_pen(look, ROLE_TEXT);
    int bar_cols = at->key_cols * (int)lens->keys;
    struct buf meaning = {0};
    char label[64];

    pen.attr |= selected ? ATTR_BOLD : 0;
    entry_label(lens, entry, label, sizeof label);
    area_text_fit(line, 0, 0, at->bar - ARROW_COLS, pen, label);
    draw_bar(lens, length, at, line);
    if (selected && length > 0)
        area_put(line, at->bar - ARROW_COLS, 0, select, 0x25c2);
    if (selected && length < lens->keys)
        area_put(line, at->bar + bar_cols, 0, select, 0x25b8);
    area_textf(line, at->len, 0, pen, at->brief ? "%zu" : _("len %zu"), length);
    entry_meaning(lens, entry, &meaning);
    if (at->meaning < line.cols)
        area_text(line, at->meaning, 0, dim, meaning.at);
    buf_free(&meaning);
}

/* "[2,3]" or "[[1,3],[2,4]]". */
static void list_lengths(const struct lens *lens, struct buf *out)
{
    bool nested = lens->form == LENS_PER_QUERY;
    buf_puts(out, nested ? "[[" : "[");
    for (size_t i = 0; i < count_entries(lens); i++) {
        bool starts = nested && i % lens->queries == 0;
        buf_printf(out, "%s%zu", i == 0 ? "" : starts ? "],[" : ",", lens->at[entry_row(lens, i)]);
    }
    buf_puts(out, nested ? "]]" : "]");
}

/* How the lengths become one per row: the framework's step with the numbers put in. */
static void describe_spreading(const struct lens *lens, struct buf *out)
{
    if (lens->form == LENS_NONE) {
        buf_puts(out, "valid_lens = None");
        return;
    }
    if (lens->form == LENS_PER_ITEM)
        buf_printf(out, "repeat_interleave(%zu): ", lens->queries);
    else
        buf_puts(out, "reshape(-1): ");
    list_lengths(lens, out);
    buf_puts(out, " \u2192");
    for (size_t row = 0; row < lens->batch * lens->queries; row++)
        buf_printf(out, " %zu", lens->at[row]);
}

static void draw_spreading(const struct lens *lens, struct area a)
{
    const char *const sentences[] = {
        [LENS_NONE] = _("every query may attend to all keys; + or \u2212 gives the items lengths"),
        [LENS_PER_ITEM] = _("the length of an item is repeated for each of its queries"),
        [LENS_PER_QUERY] = _("every query has its own length already"),
    };
    struct buf text = {0};

    describe_spreading(lens, &text);
    int used = area_text_wrap(a, 0, look_pen(a.look, ROLE_TEXT), text.at);
    /* A sentence cut in half explains nothing; wrapped lines are about four fifths full. */
    if (utf8_columns(sentences[lens->form]) <= a.cols * (a.rows - used) * 4 / 5)
        area_text_wrap(a, used, look_pen(a.look, ROLE_DIM), sentences[lens->form]);
    buf_free(&text);
}

/* The first of N entries on show in LINES lines, so that the chosen one is among them. */
static size_t first_shown(size_t n, size_t lines, size_t chosen)
{
    if (n <= lines || chosen < lines / 2)
        return 0;
    return smaller(chosen - lines / 2, n - lines);
}

void lens_draw(const struct lens *lens, size_t item, size_t query, struct area inside)
{
    size_t n = count_entries(lens),
           chosen = lens->form == LENS_PER_QUERY ? item * lens->queries + query : item;
    struct columns at = measure(lens, inside.cols);
    int below = inside.rows >= 5 ? SPREADING : inside.rows >= 3 ? 1 : 0;
    int pitch = inside.rows - 2 * SPREADING >= 2 * (int)n ? 2 : 1;
    size_t shown = smaller(n, (size_t)(inside.rows - below) / (size_t)pitch),
           first = first_shown(n, shown, chosen);

    if (shown < n) {
        scroll_draw(area_part(inside, inside.cols - 1, 0, 1, (int)shown), n, first, shown);
        area_cut_right(&inside, 2);
        at = measure(lens, inside.cols);
    }

    for (size_t i = 0; i < shown; i++)
        draw_entry(lens, first + i, &at, first + i == chosen,
                   area_part(inside, 0, (int)i * pitch, inside.cols, 1));
    int used = (int)shown * pitch;
    if (pitch == 1 && inside.rows - used > below)
        used++;
    draw_spreading(lens, area_part(inside, 0, used, inside.cols, inside.rows - used));
}
