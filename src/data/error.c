#include "data/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "data/lang.h"
#include "data/utf8.h"

bool error_set(struct error *error, enum status status, const char *format, ...)
{
    if (!error)
        return false;
    /* Longer than the text, as cleaning can shorten it: a cut here must not be the one that shows. */
    char raw[4 * sizeof error->text];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    error->status = status;
    utf8_clean(error->text, sizeof error->text, n < 0 ? format : raw);
    return false;
}

bool error_arguments(struct error *error, const char *command, const char *args, const char *expected)
{
    return *args ? error_set(error, STATUS_USAGE, _("%s \"%s\": expected %s"), command, args, expected)
                 : error_set(error, STATUS_USAGE, _("%s: expected %s"), command, expected);
}
