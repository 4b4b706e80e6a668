/* The chapter's demos, in its order. A new demo is declared and listed here. */
#include "demos/demo.h"

extern const struct demo demo_cues;
extern const struct demo demo_average;
extern const struct demo demo_translate;
extern const struct demo demo_qkv;
extern const struct demo demo_scores;
extern const struct demo demo_pooling;
extern const struct demo demo_train;
extern const struct demo demo_shapes;
extern const struct demo demo_mask;
extern const struct demo demo_additive;
extern const struct demo demo_dot;
extern const struct demo demo_scale;
extern const struct demo demo_heatmap;

const struct demo *const demos[] = {
    &demo_cues,   &demo_average, &demo_translate, &demo_qkv, &demo_scores, &demo_pooling, &demo_train,
    &demo_shapes, &demo_mask,    &demo_additive,  &demo_dot, &demo_scale,  &demo_heatmap,
};
const size_t n_demos = sizeof demos / sizeof *demos;
