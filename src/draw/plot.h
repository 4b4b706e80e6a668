/* Plots in character cells: axes with sensible ticks, lines in braille (or what the glyph tier has), points,
 * marks. */
#ifndef ATTNLAB_DRAW_PLOT_H
#define ATTNLAB_DRAW_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "draw/area.h"
#include "draw/axis.h"

/* A plot under construction: the data area and its dots. Made on the stack by plot_begin, written by
 * plot_end. */
struct plot {
    struct area inside;    /* the cells of the data area */
    struct axis x, y;      /* sound (axis_sound); y.hi may lie higher than asked for (axis_ticks_even) */
    int dots_x, dots_y;    /* dots a cell */
    struct dot_cell *dots; /* one a cell, owned until plot_end */
};

/* Draws the axes in A and prepares the data area. The y ticks' width is measured first, so labels never
 * collide; where A is too small for labels they are left out, and below 4x2 cells everything is. */
struct plot plot_begin(struct area a, const struct axis *x, const struct axis *y);

enum line_style {
    LINE_PLAIN,  /* two dots thick: what the eye follows */
    LINE_THIN,   /* one dot */
    LINE_DASHED, /* two dots thick, with gaps; where it meets another line the two colours take turns, cell by
                    cell */
};

/* Joins consecutive finite points; a NaN makes a gap. Lines are clipped to the data area. */
void plot_line(struct plot *plot, const double *x, const double *y, size_t n, enum line_style style,
               struct pen pen);

/* The band between LO and HI at each x, as a tinted background. */
void plot_band(struct plot *plot, const double *x, const double *lo, const double *hi, size_t n, rgb tint);

/* A thin dashed line across the data area at V, behind all lines. */
void plot_vertical(struct plot *plot, double v, struct pen pen);
void plot_horizontal(struct plot *plot, double v, struct pen pen);

/* An upright at X from LO up to HI, in the very cells in which plot_point puts a point there. */
void plot_pole(struct plot *plot, double x, double lo, double hi, struct pen pen);

/* Writes lines and bands to the frame; afterwards only plot_point may be used. */
void plot_end(struct plot *plot);

/* A glyph at a point (nothing outside the axes); drawn at once, so after plot_end it lies above the lines. */
void plot_point(const struct plot *plot, double x, double y, struct pen pen, uint32_t glyph);

/* The data area's cell for a point. False outside. */
bool plot_cell(const struct plot *plot, double x, double y, int *column, int *row);

/* One entry of a legend: "o data". Returns the columns used. */
int legend_entry(struct area a, int x, int y, struct pen pen, uint32_t glyph, const char *text);

#endif
