#include "demos/layout.h"

#include "demos/items_view.h"

enum room layout_room(struct area area)
{
    if (area.cols < 72 || area.rows < 17)
        return ROOM_SMALL;
    return area.cols < 100 || area.rows < 30 ? ROOM_MEDIUM : ROOM_LARGE;
}

void layout_small(const struct stage *stage, struct area area, size_t parameters, size_t main,
                  struct area out[PANES_MAX])
{
    enum { ROWS_FOR_BOTH = 13 };

    if (area.rows >= ROWS_FOR_BOTH)
        out[parameters] = area_cut_bottom(&area, area.rows / 3);
    out[stage->focus == parameters ? main : stage->focus] = area;
}

void layout_items(struct area area, size_t n, int lines, struct area out[PANES_MAX])
{
    enum { AROUND_ITEMS = 5 }; /* the border, the line of titles, and that of totals with its rule */
    int item = lines + 2, most = area.rows / 2 - AROUND_ITEMS;
    int pitch = max_int(1, min_int(most / (int)n, ITEMS_PITCH_MOST)), items = min_int(pitch * (int)n, most);

    out[LAYOUT_ITEMS] = area_cut_top(&area, AROUND_ITEMS + items);
    out[LAYOUT_PLOT] = area_cut_left(&area, area.cols / 2);
    out[LAYOUT_ITEM] = area.rows - item < 4 ? area_part(area, 0, 0, 0, 0) : area_cut_top(&area, item);
    out[LAYOUT_PARAMETERS] = area;
}

void layout_by_room(const struct layouts *layouts, const struct stage *stage, struct area area,
                    struct area out[PANES_MAX])
{
    switch (layout_room(area)) {
    case ROOM_SMALL:
        layout_small(stage, area, layouts->parameters, layouts->main, out);
        break;
    case ROOM_MEDIUM:
        layouts->medium(stage, area, out);
        break;
    case ROOM_LARGE:
        layouts->large(stage, area, out);
        break;
    }
}
