#include "draw/frame.h"

void frame_svg(const struct frame *frame, const struct look *look, struct buf *out)
{
    (void)frame;
    (void)look;
    (void)out;
}
