/* What the demos' layouts have in common: how much room there is, and what to do where there is little. */
#ifndef ATTNLAB_DEMOS_LAYOUT_H
#define ATTNLAB_DEMOS_LAYOUT_H

#include <stddef.h>

#include "demos/demo.h"

enum room {
    ROOM_SMALL,  /* a pane or two */
    ROOM_MEDIUM, /* 72x17 and more: what a terminal of 80x24 leaves */
    ROOM_LARGE,  /* 100x30 and more */
};

enum room layout_room(struct area area);

/* The focused pane above, the pane PARAMETERS below as long as there are rows for both. Where the parameters
 * are focused, pane MAIN is above. */
void layout_small(const struct stage *stage, struct area area, size_t parameters, size_t main,
                  struct area out[PANES_MAX]);

/* Where the panes of a demo of N items stand, wherever there is more than small room (areas of OUT): the
 * items above, a plot below on the left, beside it an item's arithmetic of LINES lines and the parameters. */
enum { LAYOUT_ITEMS, LAYOUT_PLOT, LAYOUT_ITEM, LAYOUT_PARAMETERS };
void layout_items(struct area area, size_t n, int lines, struct area out[PANES_MAX]);

/* A layout for each room. */
struct layouts {
    size_t parameters, main; /* for layout_small */
    void (*medium)(const struct stage *stage, struct area area, struct area out[PANES_MAX]);
    void (*large)(const struct stage *stage, struct area area, struct area out[PANES_MAX]);
};

/* Places the panes by the layout that AREA has room for. */
void layout_by_room(const struct layouts *layouts, const struct stage *stage, struct area area,
                    struct area out[PANES_MAX]);

#endif
