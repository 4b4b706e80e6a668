/* The key table: which key gives which command, and how footer, help and man page name it. */
#ifndef ATTNLAB_SESSION_KEYS_H
#define ATTNLAB_SESSION_KEYS_H

#include <stdbool.h>
#include <stddef.h>

struct demo;
struct stage;

/* When a key means anything. */
enum key_use {
    KEY_ALWAYS,
    KEY_TIMELINE, /* the demo can be stepped */
    KEY_RESET,    /* the demo can be reset */
    KEY_SEED,     /* the demo has a seed */
    KEY_SELECT,   /* the focused pane has a selection */
    KEY_NUDGE,    /* the demo has a number to nudge */
    KEY_POINT,    /* the demo has the command `point` */
    KEY_OPEN,     /* the demo has the command `open` */
};

struct key_binding {
    const char *keys;    /* names separated by blanks; the first is shown */
    const char *command; /* "" for what the keyboard does by itself (the prompt) */
    const char *label;   /* N_(): footer and help, a word or two */
    const char *help;    /* N_(): one line */
    enum key_use use;
    int rank;          /* footer: lower comes first, 0 is never in the footer */
    const char *shown; /* N_(): how the footer writes the keys, NULL: the first of KEYS */
};

extern const struct key_binding key_bindings[];
extern const size_t n_key_bindings;

/* The binding of KEY for the demo on stage, or NULL. */
const struct key_binding *key_find(const struct stage *stage, const char *key);

/* Whether a key for USE ever means something in DEMO. */
bool key_is_used(const struct demo *demo, enum key_use use);

/* True where the binding means something now. */
bool key_applies(const struct stage *stage, const struct key_binding *binding);

#endif
