/* Curves that more than one demo shows: losses over epochs, and legends in a pane's frame. */
#ifndef ATTNLAB_DEMOS_CURVES_H
#define ATTNLAB_DEMOS_CURVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "draw/area.h"
#include "draw/plot.h"
#include "engine/run.h"

struct legend {
    enum role role;
    uint32_t glyph;
    const char *text; /* already translated */
};

/* The columns that the figure of N entries takes. */
int legend_columns(const struct legend *entries, size_t n);

/* A pane's figure: "- one vector - attention". Left out where CORNER is too small. */
void legend_figure(struct area corner, const struct legend *entries, size_t n);

struct loss_curve {
    const struct run *run; /* all its states; the cursor's is marked */
    enum role role;
    enum line_style style;
};

/* The losses of N runs over their epochs, at least to LAST_EPOCH, with their ghosts, on a log scale where
 * none is 0. LEVEL is a loss to compare with, a dashed line; NaN: none. */
void loss_curves_draw(struct area inside, const struct loss_curve *curves, size_t n, size_t last_epoch,
                      double level);

/* "epoch 3 / 5" for the header; beyond LAST just "epoch 6". */
void epoch_text(size_t epoch, size_t last, char *out, size_t size);

#endif
