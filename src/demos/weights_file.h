/* A user's own matrices: an .npy file of scores or weights, or one matrix from separated values. */
#ifndef ATTNLAB_DEMOS_WEIGHTS_FILE_H
#define ATTNLAB_DEMOS_WEIGHTS_FILE_H

#include "data/csv_matrix.h"
#include "data/npy.h"
#include "demos/demo.h"

/* What a stage's source holds, (layers, items, heads, queries, keys). The states of a stage share it: it
 * never changes. */
struct weights_file {
    size_t users;
    size_t rank; /* of the array, 2 for separated values: the axes that are there are the last ones */
    size_t layers, items, heads, queries, keys;
    bool is_npy;
    struct npy npy;        /* a view of the source's bytes */
    struct csv_matrix csv; /* unless is_npy; owned */
};

/* Opens SOURCE, which must outlive the file, for one user: .npy by its first bytes, else separated values.
 * NULL with an error. */
struct weights_file *weights_file_open(const struct source *source, struct error *error);

/* What FILE holds: "float32 (12, 512, 512)", or what the csv reader guessed. Returns OUT. */
char *weights_file_text(const struct weights_file *file, char *out, size_t size);

/* One more user of FILE, which may be NULL, and one less. */
struct weights_file *weights_file_share(struct weights_file *file);
void weights_file_release(struct weights_file *file);

/* Copies the matrix of a head to OUT (queries, keys). */
void weights_file_read(const struct weights_file *file, size_t layer, size_t item, size_t head, double *out);

#endif
