/* The `:` prompt: a line editor with history and completion. */
#ifndef ATTNLAB_SESSION_PROMPT_H
#define ATTNLAB_SESSION_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "draw/area.h"

struct stage;

enum { PROMPT_MAX = 1024, PROMPT_PAST = 32 };

struct prompt {
    bool is_open;
    char text[PROMPT_MAX];   /* UTF-8 */
    size_t len, cursor;      /* bytes; the cursor stands at the start of a character */
    char *past[PROMPT_PAST]; /* lines given before, oldest first, owned */
    size_t n_past, past_at;  /* PAST_AT == n_past: the line being typed */
    char note[256];          /* what the prompt was opened for, shown after the text */
    char hint[256];          /* completions, shown in its place until the next key */
};

enum prompt_answer {
    PROMPT_EDITED,
    PROMPT_CANCELLED, /* closed */
    PROMPT_ENTERED,   /* closed; the line is in TEXT */
};

/* Opens the prompt with TEXT typed already. */
void prompt_open(struct prompt *prompt, const char *text);

/* Handles one key. STAGE gives the names to complete. */
enum prompt_answer prompt_key(struct prompt *prompt, const struct stage *stage, const char *key);

/* Inserts TEXT at the cursor, its control characters as blanks, as far as there is room. */
void prompt_insert(struct prompt *prompt, const char *text);

/* Draws the prompt in one line, scrolled so that the cursor is visible. */
void prompt_draw(const struct prompt *prompt, struct area line);

void prompt_free(struct prompt *prompt);

#endif
