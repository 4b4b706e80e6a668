#include "demos/curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/lang.h"
#include "data/utf8.h"
#include "engine/mem.h"

static const uint32_t glyph_here = 0x25cf;

int legend_columns(const struct legend *entries, size_t n)
{
    int cols = 1;
    for (size_t i = 0; i < n; i++)
        cols += utf8_columns(entries[i].text) + 3;
    return cols;
}

void legend_figure(struct area corner, const struct legend *entries, size_t n)
{
    int cols = legend_columns(entries, n);
    if (cols > corner.cols)
        return;
    struct area line = area_cut_right(&corner, cols);
    area_fill(line, look_pen(line.look, ROLE_DIM), ' ');
    int x = 1;
    for (size_t i = 0; i < n; i++)
        x += legend_entry(line, x, 0, look_pen(line.look, entries[i].role), entries[i].glyph,
                          entries[i].text) +
             1;
}

/* The axes that hold all curves, and the number of epochs on them. */
static size_t measure(const struct loss_curve *curves, size_t n, size_t last_epoch, double level,
                      struct axis *x, struct axis *y)
{
    size_t longest = last_epoch;
    *y = (struct axis){.lo = HUGE_VAL, .hi = -HUGE_VAL};
    range_over(&y->lo, &y->hi, &level, 1);
    for (size_t i = 0; i < n; i++) {
        const struct run *run = curves[i].run;
        range_over(&y->lo, &y->hi, run->loss, run->n);
        longest = run->n - 1 > longest ? run->n - 1 : longest;
        for (size_t g = 0; g < run->n_ghosts; g++) {
            range_over(&y->lo, &y->hi, run->ghost[g].loss, run->ghost[g].n);
            longest = run->ghost[g].n - 1 > longest ? run->ghost[g].n - 1 : longest;
        }
    }
    if (y->lo > 0 && y->hi > y->lo * 1.05) {
        double air = pow(y->hi / y->lo, 0.08);
        y->scale = SCALE_LOG;
        y->lo /= air;
        y->hi *= air;
    } else {
        range_pad(&y->lo, &y->hi, 0.08);
    }
    *x = (struct axis){.lo = -0.02 * (double)longest, .hi = 1.02 * (double)longest, .whole = true};
    return longest;
}

void loss_curves_draw(struct area inside, const struct loss_curve *curves, size_t n, size_t last_epoch,
                      double level)
{
    const struct look *look = inside.look;
    struct axis x, y;
    size_t longest = measure(curves, n, last_epoch, level, &x, &y);
    double *epoch = mem_new(longest + 1, sizeof *epoch);
    for (size_t i = 0; i <= longest; i++)
        epoch[i] = (double)i;

    struct plot plot = plot_begin(inside, &x, &y);
    if (isfinite(level))
        plot_horizontal(&plot, level, look_pen(look, ROLE_DATA));
    for (size_t i = 0; i < n; i++) {
        const struct run *run = curves[i].run;
        for (size_t g = 0; g < run->n_ghosts; g++)
            plot_line(&plot, epoch, run->ghost[g].loss, run->ghost[g].n, LINE_THIN,
                      look_pen(look, ROLE_GHOST));
    }
    for (size_t i = 0; i < n; i++)
        plot_line(&plot, epoch, curves[i].run->loss, curves[i].run->n, curves[i].style,
                  look_pen(look, curves[i].role));
    plot_end(&plot);
    for (size_t i = 0; i < n; i++) {
        const struct run *run = curves[i].run;
        plot_point(&plot, (double)run->cursor, run->loss[run->cursor], look_pen(look, ROLE_SELECT),
                   glyph_here);
    }
    free(epoch);
}

void epoch_text(size_t epoch, size_t last, char *out, size_t size)
{
    if (epoch > last)
        snprintf(out, size, _("epoch %zu"), epoch);
    else
        snprintf(out, size, _("epoch %zu / %zu"), epoch, last);
}
