/* "Did you mean": the known names closest to what was typed. */
#ifndef ATTNLAB_DATA_NEAREST_H
#define ATTNLAB_DATA_NEAREST_H

#include <stddef.h>

/* Writes up to three of the N NAMES nearest to WORD (by edit distance with transpositions, at most a third of
 * the letters; a prefix counts as near) into OUT as "a, b or c"; all of them, if there are at most six or
 * none is near. Returns OUT. */
char *nearest_names(char *out, size_t size, const char *word, const char *const *names, size_t n);

/* The same as "there is a, b or c"; where none is near and there are too many to be named, SEE, which says
 * where they stand: "see --list". Returns OUT. */
char *nearest_hint(char *out, size_t size, const char *word, const char *const *names, size_t n,
                   const char *see);

#endif
