/* Completion of a command line: names of commands, and of what a command's first argument may be. */
#ifndef ATTNLAB_SESSION_COMPLETE_H
#define ATTNLAB_SESSION_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct stage;

enum { COMPLETE_MAX = 64 };

/* The words that can stand where LINE ends, all beginning with what LINE's last word already has; borrowed
 * from the tables, or names of files, which FILES then holds (the caller frees it). *START is the byte where
 * that word begins, with the quote before it if there is one. Returns how many were written to WORDS. */
size_t complete_line(const struct stage *stage, const char *line, const char *words[COMPLETE_MAX],
                     size_t *start, struct buf *files);

/* Writes what is to stand for TYPED, the line's last word: the first N bytes of WORD, in quotes if TYPED has
 * them or there is need. If WORD is the only one (IS_WHOLE), it is ended, unless a directory's. Returns OUT.
 */
char *complete_word(const char *typed, const char *word, size_t n, bool is_whole, char *out, size_t size);

#endif
