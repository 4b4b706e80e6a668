/* Labels from a file: tokens, words, names of rows and columns. */
#ifndef ATTNLAB_DATA_LABELS_H
#define ATTNLAB_DATA_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "data/error.h"

enum { LABEL_MAX = 96 }; /* bytes of a label, NUL included; longer ones are cut */

/* A zeroed struct has no labels. */
struct labels {
    size_t n;
    size_t *start; /* (n) where each label begins in TEXT, owned */
    char *text;    /* owned; cleaned, each label with its NUL */
    size_t used;   /* bytes of TEXT */
};

/* Makes room for N labels that are BYTES long in all, as they stand in a file (cleaning may lengthen them);
 * false if there is not so much memory. Only for empty LABELS. */
bool labels_reserve(struct labels *labels, size_t n, size_t bytes);

/* Adds a label that is already clean and shorter than LABEL_MAX, within what was reserved. */
void labels_add(struct labels *labels, const char *text);

/* Reads a text file NAME of N BYTES, one label a line; blank lines at the end do not count. Bad UTF-8 and
 * control characters are replaced. */
bool labels_parse(const char *name, const char *bytes, size_t n, struct labels *out, struct error *error);

struct labels labels_copy(const struct labels *labels);

/* Label I, "" beyond the last. */
const char *labels_at(const struct labels *labels, size_t i);

void labels_free(struct labels *labels);

#endif
