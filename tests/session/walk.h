/* Walks over the command language by dice: what a restless audience does to a demo. */
#ifndef ATTNLAB_TESTS_SESSION_WALK_H
#define ATTNLAB_TESTS_SESSION_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "demos/demo.h"
#include "session/session.h"

/* A linear congruential generator: the same walk on every machine. */
struct walk_dice {
    uint64_t state;
};

/* A number from 0 to SIDES - 1. */
size_t walk_roll(struct walk_dice *dice, size_t sides);

/* A command that DEMO may or may not take. */
void walk_choose(const struct demo *demo, struct walk_dice *dice, char *line, size_t size);

/* A session in a dark look; the running test fails where there is none. */
struct session *walk_open(const char *demo, const char *file, bool interactive, FILE *log);

#endif
