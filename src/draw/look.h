/* How things look: theme, colormap, colour depth and glyph tier. The roles are what drawing code names;
 * colours are only named here. */
#ifndef ATTNLAB_DRAW_LOOK_H
#define ATTNLAB_DRAW_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/error.h"

enum depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_TRUE, DEPTHS };
enum glyphs { GLYPHS_ASCII, GLYPHS_CONSOLE, GLYPHS_UNICODE, GLYPH_TIERS };
enum theme { THEME_DARK, THEME_LIGHT, THEMES };

typedef uint32_t rgb; /* 0xRRGGBB */

enum role {
    ROLE_TEXT,   /* what is read */
    ROLE_STRONG, /* titles, numbers that matter */
    ROLE_DIM,    /* labels, units, ticks: readable, not loud */
    ROLE_FAINT,  /* frames, axes, grid: seen, not read */
    ROLE_ACCENT, /* "look here": the program's name, the focused frame, the prediction */
    ROLE_SELECT, /* the selection and the number being changed */
    ROLE_DATA,   /* data points */
    ROLE_TRUTH,  /* the true function; a good end */
    ROLE_GHOST,  /* earlier runs */
    ROLE_WARN,   /* a sentence that warns */
    ROLE_KEY,    /* a key cap: has a background of its own */
    ROLE_BAR,    /* the row under the cursor in a list: has a background of its own */
    ROLES
};

enum attr { ATTR_BOLD = 1, ATTR_UNDERLINE = 2, ATTR_REVERSE = 4, ATTR_DIM = 8 };

/* What a character is painted with. */
struct pen {
    rgb fg, bg;
    uint8_t attr;
};

enum { COLORMAP_STEPS = 256, HEAT_LEVELS = 64 };

struct colormap {
    char name[16];
    rgb color[COLORMAP_STEPS]; /* value 0 first */
    rgb few[HEAT_LEVELS];      /* the levels of look_heat in 256 colours */
};

struct look {
    enum depth depth;
    enum glyphs glyphs;
    enum theme theme;
    struct colormap colormap;
};

/* The colormaps' names, in the order in which `c` walks through them; n_colormaps of them. */
extern const char *const colormap_names[];
extern const size_t n_colormaps;

/* A truecolor, unicode look in THEME with the colormap NAME, read from the assets (DIRECTORY overrides). reds
 * and gray have a variant a theme, whose 0 is the end near the background; viridis and cividis are dark at 0
 * on both. */
bool look_make(struct look *look, enum theme theme, const char *colormap, const char *directory,
               struct error *error);

/* The pen of a role on the theme's background. */
struct pen look_pen(const struct look *look, enum role role);

/* The same with the background BG, e.g. on a highlighted row. */
struct pen look_pen_on(const struct look *look, enum role role, rgb bg);

/* The pen of a role in bold: what a formula comes to. */
struct pen look_pen_bold(const struct look *look, enum role role);

rgb look_background(const struct look *look);

/* A colour between A (0) and B (1). */
rgb color_mix(rgb a, rgb b, double t);

/* The contrast of two colours as WCAG 2 defines it, 1 (none) to 21; text wants 4.5. */
double color_contrast(rgb a, rgb b);

/* The colormap at T in [0, 1]; clamped; quantised to HEAT_LEVELS so that terminals need few colour pairs. In
 * 256 colours it is a ramp of those whose lightness has the colormap's order; in fewer it is the colormap,
 * from which look_heat_cell takes one colour only. */
rgb look_heat(const struct look *look, double t);

/* Black or white, whichever is read better on BG. */
rgb color_on(rgb bg);

/* One character cell that shows a single heat value T in [0, 1] so that all levels of the tier can be told
 * apart: a coloured blank where colours suffice, else a glyph ramp (" .:-=+*#%@" in ascii, blocks of shade
 * otherwise). */
struct heat_cell {
    uint32_t glyph;
    struct pen pen;
};
struct heat_cell look_heat_cell(const struct look *look, double t);

/* True where two heat values can share a cell as a half block: 256 colours or more, and not ascii. */
bool look_has_half_blocks(const struct look *look);

#endif
