/* What the program says about itself, written from its own tables: --help and the man page. */
#ifndef ATTNLAB_MANUAL_H
#define ATTNLAB_MANUAL_H

#include "data/buf.h"

/* Appends the text of --help, in the language chosen. */
void manual_help(struct buf *out);

/* Appends attnlab(1) as man's source, in English. */
void manual_page(struct buf *out);

#endif
