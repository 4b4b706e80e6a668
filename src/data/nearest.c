#include "data/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "data/buf.h"
#include "data/lang.h"
#include "data/utf8.h"

enum {
    FEW = 6,      /* so many names are all named */
    SHOWN = 3,    /* of more than that */
    NAMED = 120,  /* columns that all names may take where none is near */
    LONGEST = 64, /* characters compared */
};

static int letters(uint32_t out[LONGEST], const char *text)
{
    int n = 0;
    for (uint32_t c; n < LONGEST && (c = utf8_next(&text)) != 0;)
        out[n++] = c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
    return n;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, substitutions, and swaps of
 * neighbours, in the three rows of the table that it needs. */
static int distance(const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
    int rows[3][LONGEST + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= n_b; j++)
        last[j] = j;
    for (int i = 1; i <= n_a; i++) {
        row[0] = i;
        for (int j = 1; j <= n_b; j++) {
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        int *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[n_b];
}

/* What stands for a name that is no neighbour. */
enum { REMOTE = 1000 };

/* Twice the distance; a name that starts with the word counts as one half edit away. More than a third of the
 * letters wrong is another word. */
static int remoteness(const uint32_t *word, int n, const char *name)
{
    uint32_t other[LONGEST];
    int n_other = letters(other, name);
    if (n > 0 && n < n_other && memcmp(word, other, (size_t)n * sizeof *word) == 0)
        return 1;
    int edits = distance(word, n, other, n_other);
    return 3 * edits <= (n > n_other ? n : n_other) ? 2 * edits : REMOTE;
}

/* The up to three nearest, nearest first, earlier names first among equals. */
static size_t choose(size_t chosen[SHOWN], const char *word, const char *const *names, size_t n)
{
    uint32_t wanted[LONGEST];
    int n_wanted = letters(wanted, word);
    int remote[SHOWN];
    size_t n_chosen = 0;
    for (size_t i = 0; i < n; i++) {
        int remoteness_i = remoteness(wanted, n_wanted, names[i]);
        size_t place = n_chosen;
        while (place > 0 && remote[place - 1] > remoteness_i)
            place--;
        if (place == SHOWN || remoteness_i == REMOTE)
            continue;
        if (n_chosen < SHOWN)
            n_chosen++;
        for (size_t k = n_chosen - 1; k > place; k--) {
            chosen[k] = chosen[k - 1];
            remote[k] = remote[k - 1];
        }
        chosen[place] = i;
        remote[place] = remoteness_i;
    }
    return n_chosen;
}

/* NAMES in words; of CHOSEN, if not NULL, only those. */
static char *list_names(char *out, size_t size, const char *const *names, const size_t *chosen, size_t n)
{
    struct buf text = {0};
    buf_puts(&text, "");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            buf_puts(&text, i + 1 < n ? _(", ") : _(" or "));
        buf_puts(&text, names[chosen ? chosen[i] : i]);
    }
    utf8_clean(out, size, text.at);
    buf_free(&text);
    return out;
}

static size_t columns_of(const char *const *names, size_t n)
{
    size_t columns = 0;
    for (size_t i = 0; i < n; i++)
        columns += (size_t)utf8_columns(names[i]) + 2;
    return columns;
}

char *nearest_names(char *out, size_t size, const char *word, const char *const *names, size_t n)
{
    size_t chosen[SHOWN];
    size_t n_chosen = n > FEW ? choose(chosen, word, names, n) : 0;
    return n_chosen > 0 ? list_names(out, size, names, chosen, n_chosen)
                        : list_names(out, size, names, NULL, n);
}

char *nearest_hint(char *out, size_t size, const char *word, const char *const *names, size_t n,
                   const char *see)
{
    char near[256];
    size_t chosen[SHOWN];
    if (n > FEW && columns_of(names, n) > NAMED && choose(chosen, word, names, n) == 0)
        utf8_clean(out, size, see);
    else
        snprintf(out, size, _("there is %s"), nearest_names(near, sizeof near, word, names, n));
    return out;
}
