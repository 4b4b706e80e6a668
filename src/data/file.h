/* Whole files in and out. */
#ifndef ATTNLAB_DATA_FILE_H
#define ATTNLAB_DATA_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "data/buf.h"
#include "data/error.h"
#include "data/progress.h"

/* Reads all of PATH ("-": standard input). What cannot be read is refused by name and reason. */
bool file_read(const char *path, struct buf *out, struct error *error);

/* The same with PROGRESS told of bytes, also while a pipe or a device sends none; to be stopped by it is an
 * error too. Whoever watches has the keys, so that a terminal is refused if anybody is told. */
bool file_read_watched(const char *path, struct progress progress, struct buf *out, struct error *error);

/* Writes PATH whole or not at all: a temporary file beside it, fsync, rename. An existing file is replaced
 * only if REPLACE, and keeps its permissions; a new one gets those that the umask leaves. A symbolic link
 * stays, its target is written. Something that is no regular file (/dev/full, a pipe) is written to as
 * it is. */
bool file_write(const char *path, const void *bytes, size_t n, bool replace, struct error *error);

/* The same with PROGRESS told while a pipe or a device takes nothing. If anybody is told, a pipe that nobody
 * reads from is refused, and so is a terminal. */
bool file_write_watched(const char *path, const void *bytes, size_t n, bool replace, struct progress progress,
                        struct error *error);

/* PATH with a leading ~/ replaced by the home directory, in OUT. Returns OUT. */
char *file_expand_home(const char *path, char *out, size_t size);

/* Appends the names that begin with PREFIX, as it is written ("dir/na", "~/na"), each ended by a NUL, in
 * order; directories end with a slash. Hidden ones only where PREFIX begins them. */
void file_names(const char *prefix, struct buf *out);

#endif
