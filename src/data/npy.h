/* Arrays as numpy.save writes them: .npy files of the versions 1.0, 2.0 and 3.0 (NEP 1 and numpy.lib.format).
 *
 * An opened array is a view of the file's bytes: nothing is allocated, whatever a header claims. */
#ifndef ATTNLAB_DATA_NPY_H
#define ATTNLAB_DATA_NPY_H

#include <stdbool.h>
#include <stddef.h>

#include "data/error.h"

enum { NPY_RANK_MAX = 5 };

struct npy_type;

/* An array of shape (..., queries, keys), read as PANELS matrices. */
struct npy {
    size_t rank;                  /* 1 to NPY_RANK_MAX */
    size_t shape[NPY_RANK_MAX];   /* as in NumPy, the outermost axis first; none is 0 */
    size_t panels, queries, keys; /* the axes before the last two counted as one; rank 1 is a single query */
    const char *type_name;        /* "float32" */

    /* Where the numbers are, and how they are written. */
    const unsigned char *data; /* within the bytes that were opened */
    size_t stride[NPY_RANK_MAX];
    const struct npy_type *type;
    bool is_big_endian;
};

/* Whether the N BYTES are an .npy file, or a zip archive such as an .npz file. */
bool npy_is(const char *bytes, size_t n);
bool npy_is_archive(const char *bytes, size_t n);

/* Opens the N BYTES of the file NAME (for messages), which must outlive OUT. Booleans, integers and floats of
 * 2, 4 and 8 bytes are read, in any byte order, C and Fortran order; all else is refused by its name, with
 * advice. On failure OUT is unchanged. */
bool npy_open(const char *name, const char *bytes, size_t n, struct npy *out, struct error *error);

/* Copies panel PANEL, counted over the axes before the last two as NumPy counts them (the last one runs
 * fastest), to OUT (queries, keys), whatever the file's order. Integers beyond 2^53 are rounded. */
void npy_panel(const struct npy *npy, size_t panel, double *out);

#endif
