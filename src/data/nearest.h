/* "Did you mean": the known names closest to what was typed. */
#ifndef ATTNLAB_DATA_NEAREST_H
#define ATTNLAB_DATA_NEAREST_H

#include <stddef.h>

/* Writes up to three of the N NAMES nearest to WORD (by edit distance with transpositions; a prefix counts as
 * near) into OUT as "a, b or c"; all of them, if there are at most six. Returns OUT. */
char *nearest_names(char *out, size_t size, const char *word, const char *const *names, size_t n);

#endif
