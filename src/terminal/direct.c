#include <stdlib.h>
#include <string.h>

#include "terminal/state.h"

#include "engine/mem.h"

/* The entry attnlab-direct of assets/terminfo, compiled by tic; a single byte where there was no tic. */
static const unsigned char entry[] = {
#include "direct_entry.inc"
};

/* Ncurses reads an entry from the environment itself: TERMINFO=hex:... */
static char *entry_as_hex(void)
{
    static const char digits[] = "0123456789abcdef", scheme[] = "hex:";
    char *text = mem_new(sizeof scheme + 2 * sizeof entry, 1);
    memcpy(text, scheme, sizeof scheme - 1);
    char *at = text + sizeof scheme - 1;
    for (size_t i = 0; i < sizeof entry; i++) {
        *at++ = digits[entry[i] >> 4];
        *at++ = digits[entry[i] & 15];
    }
    return text;
}

SCREEN *direct_newterm(FILE *out, FILE *in)
{
    if (sizeof entry == 1)
        return NULL;
    const char *value = getenv("TERMINFO");
    char *before = value ? mem_copy(value, strlen(value) + 1, 1) : NULL;
    char *hex = entry_as_hex();
    setenv("TERMINFO", hex, 1);
    SCREEN *screen = newterm("attnlab-direct", out, in);
    if (before)
        setenv("TERMINFO", before, 1);
    else
        unsetenv("TERMINFO");
    free(before);
    free(hex);
    return screen;
}
