/* The chapter's demos, in its order. A new demo is declared and listed here. */
#include "demos/demo.h"

extern const struct demo demo_train;

const struct demo *const demos[] = {
    &demo_train,
};
const size_t n_demos = sizeof demos / sizeof *demos;
