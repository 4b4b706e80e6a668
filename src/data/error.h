/* Errors are values: a sentence for the user and the exit status it stands for. */
#ifndef ATTNLAB_DATA_ERROR_H
#define ATTNLAB_DATA_ERROR_H

#include <stdbool.h>

enum status {
    STATUS_OK = 0,
    STATUS_FAILED = 1, /* the work failed: a file, the data, the output */
    STATUS_USAGE = 2,  /* what was asked for does not exist or is out of range */
};

struct error {
    enum status status;
    char text[512]; /* one line of valid UTF-8 without control characters */
};

/* Writes the sentence (cleaned: control bytes and bad UTF-8 replaced, cut at the end of a character) and
 * returns false, so that callers can `return error_set(...)`. ERROR may be NULL. */
bool error_set(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuses ARGS, what COMMAND was given: `step "x": expected EXPECTED`. Returns false. */
bool error_arguments(struct error *error, const char *command, const char *args, const char *expected);

#endif
