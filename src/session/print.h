/* What the program shows, as bytes: frames, tables, the whole state, and the list of what there is. */
#ifndef ATTNLAB_SESSION_PRINT_H
#define ATTNLAB_SESSION_PRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "data/buf.h"
#include "data/error.h"

struct demo;
struct session;

/* The formats' names: text, ansi, svg, csv, json, torch, command; n_print_formats of them. */
extern const char *const print_formats[];
extern const size_t n_print_formats;

struct print_request {
    const char *format; /* one of print_formats */
    const char *table;  /* csv, torch; NULL: the demo's first */
    int cols, rows;     /* of the frame for text, ansi and svg, at least 1 */
};

/* Appends SESSION to OUT in the format asked for. Refused, with the nearest names, where there is no such
 * format or table. ansi and svg are in the session's look, text in the same without colours: heatmaps are
 * shades there. */
bool print_session(struct session *session, const struct print_request *request, struct buf *out,
                   struct error *error);

/* What files of FORMAT are called by convention ("txt"); FORMAT itself where there is no other convention. */
const char *print_extension(const char *format);

/* The format that FILE's name asks for, or NULL. */
const char *print_format_of_file(const char *file);

/* Appends the demos (or only ONLY, if not NULL) with their parameters and tables: as aligned text, or as a
 * JSON list of {"demo", "summary", "params", "tables"}. */
void print_list(const struct demo *only, struct buf *out);
void print_list_json(const struct demo *only, struct buf *out);

#endif
