/* Completion of a command line: names of commands, and of what a command's first argument may be. */
#ifndef ATTNLAB_SESSION_COMPLETE_H
#define ATTNLAB_SESSION_COMPLETE_H

#include <stddef.h>

struct buf;
struct stage;

enum { COMPLETE_MAX = 64 };

/* The words that can stand where LINE ends, all beginning with what LINE's last word already has; borrowed
 * from the tables, or names of files, which FILES then holds (the caller frees it). *START is the byte where
 * that word begins. Returns how many were written to WORDS. */
size_t complete_line(const struct stage *stage, const char *line, const char *words[COMPLETE_MAX],
                     size_t *start, struct buf *files);

#endif
