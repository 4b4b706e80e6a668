/* The files of assets/, embedded in the program; a directory can override them. */
#ifndef ATTNLAB_DATA_ASSET_H
#define ATTNLAB_DATA_ASSET_H

#include <stdbool.h>
#include <stddef.h>

#include "data/buf.h"
#include "data/error.h"

struct asset {
    const char *name; /* relative to assets/, e.g. "data/mcycle.csv" */
    const unsigned char *bytes;
    size_t size;
};

/* All embedded assets, sorted by name; made at build time by assets/embed.c. */
extern const struct asset assets[];
extern const size_t n_assets;

/* The embedded asset NAME, or NULL. */
const struct asset *asset_find(const char *name);

/* Appends the name that a data set goes by ("mcycle") to OUT; false if ASSET is none. */
bool asset_data_set(const struct asset *asset, struct buf *out);

/* Copies the asset NAME into OUT: from DIRECTORY (NULL or "": none) if it has a file of that name, else from
 * the program. False with an error if neither has it. */
bool asset_read(const char *directory, const char *name, struct buf *out, struct error *error);

#endif
