#include "draw/look.h"

#include <math.h>
#include <string.h>

#include "data/asset.h"
#include "data/lang.h"
#include "data/nearest.h"
#include "data/number.h"
#include "draw/palette.h"

const char *const colormap_names[] = {"reds", "viridis", "cividis", "gray"};
const size_t n_colormaps = sizeof colormap_names / sizeof colormap_names[0];

enum { COLOR_FIELD = 7 };

static const rgb background[THEMES] = {[THEME_DARK] = 0x111318, [THEME_LIGHT] = 0xfcfcfa};

/* bg 0: the theme's background. The contrast of every fg but FAINT's with that is at least 4.5 (WCAG); a test
 * keeps this. */
static const struct role_style styles[THEMES][ROLES] =
    {
        [THEME_DARK] =
            {
                [ROLE_TEXT] = {.fg = 0xd5d8e0, .ansi16 = -1, .ansi8 = -1},
                [ROLE_STRONG] = {.fg = 0xf4f6fa, .attr = ATTR_BOLD, .ansi16 = 15, .ansi8 = -1},
                [ROLE_DIM] = {.fg = 0x8f97a8, .ansi16 = 7, .ansi8 = -1},
                [ROLE_FAINT] = {.fg = 0x484f5f, .ansi16 = 8, .ansi8 = -1},
                [ROLE_ACCENT] = {.fg = 0xff7a5c, .ansi16 = 9, .ansi8 = 1, .mono = ATTR_BOLD},
                [ROLE_SELECT] =
                    {.fg = 0xffd75f, .attr = ATTR_BOLD, .ansi16 = 11, .ansi8 = 3, .mono = ATTR_BOLD},
                [ROLE_DATA] = {.fg = 0x7fb0ff, .ansi16 = 12, .ansi8 = 6},
                [ROLE_TRUTH] = {.fg = 0x6fd08c, .ansi16 = 10, .ansi8 = 2},
                [ROLE_GHOST] = {.fg = 0xa08fc0, .ansi16 = 5, .ansi8 = 5},
                [ROLE_WARN] = {.fg = 0xffb454, .ansi16 = 3, .ansi8 = 3, .mono = ATTR_BOLD},
                [ROLE_KEY] = {.fg = 0xf4f6fa, .bg = 0x2c3240, .attr = ATTR_BOLD, .ansi16 = 15, .ansi8 = -1},
                [ROLE_BAR] = {.fg = 0xd5d8e0, .bg = 0x232936, .ansi16 = -1, .ansi8 = -1},
            },
        [THEME_LIGHT] =
            {
                [ROLE_TEXT] = {.fg = 0x2c2f38, .ansi16 = -1, .ansi8 = -1},
                [ROLE_STRONG] = {.fg = 0x0d0f14, .attr = ATTR_BOLD, .ansi16 = 0, .ansi8 = 0},
                [ROLE_DIM] = {.fg = 0x636977, .ansi16 = 8, .ansi8 = -1},
                [ROLE_FAINT] = {.fg = 0xb4b8c2, .ansi16 = 8, .ansi8 = -1},
                [ROLE_ACCENT] = {.fg = 0xb3261e, .ansi16 = 1, .ansi8 = 1, .mono = ATTR_BOLD},
                [ROLE_SELECT] =
                    {.fg = 0x855600, .attr = ATTR_BOLD, .ansi16 = 5, .ansi8 = 5, .mono = ATTR_BOLD},
                [ROLE_DATA] = {.fg = 0x1f5bb5, .ansi16 = 4, .ansi8 = 4},
                [ROLE_TRUTH] = {.fg = 0x17703c, .ansi16 = 2, .ansi8 = 2},
                [ROLE_GHOST] = {.fg = 0x75599a, .ansi16 = 8, .ansi8 = -1},
                [ROLE_WARN] = {.fg = 0x9c4a00, .ansi16 = 1, .ansi8 = 1, .mono = ATTR_BOLD},
                [ROLE_KEY] = {.fg = 0x0d0f14, .bg = 0xe1e4ea, .attr = ATTR_BOLD, .ansi16 = 0, .ansi8 = 0},
                [ROLE_BAR] = {.fg = 0x2c2f38, .bg = 0xe8ebf1, .ansi16 = -1, .ansi8 = -1},
            },
};

rgb look_background(const struct look *look)
{
    return background[look->theme];
}

struct pen look_pen_on(const struct look *look, enum role role, rgb bg)
{
    const struct role_style *style = &styles[look->theme][role];

    return (struct pen){.fg = style->fg, .bg = bg, .attr = style->attr};
}

struct pen look_pen(const struct look *look, enum role role)
{
    rgb bg = styles[look->theme][role].bg;

    return look_pen_on(look, role, bg != 0 ? bg : look_background(look));
}

struct pen look_pen_bold(const struct look *look, enum role role)
{
    struct pen pen = look_pen(look, role);

    pen.attr |= ATTR_BOLD;
    return pen;
}

const struct role_style *palette_role(const struct look *look, rgb fg)
{
    for (int role = 0; role < ROLES; role++)
        if (styles[look->theme][role].fg == fg)
            return &styles[look->theme][role];
    return NULL;
}

bool palette_is_raised(const struct look *look, rgb bg)
{
    return bg == styles[look->theme][ROLE_KEY].bg || bg == styles[look->theme][ROLE_BAR].bg;
}

static int channel(rgb color, int shift)
{
    return (int)(color >> shift & 0xff);
}

static double clamp01(double t)
{
    return t > 0 ? fmin(t, 1) : 0;
}

rgb color_mix(rgb a, rgb b, double t)
{
    rgb mixed = 0;

    t = clamp01(t);
    for (int shift = 0; shift <= 16; shift += 8)
        mixed |= (rgb)lround(channel(a, shift) + t * (channel(b, shift) - channel(a, shift))) << shift;
    return mixed;
}

double color_linear(rgb color, int shift)
{
    double c = channel(color, shift) / 255.0;

    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

double color_luminance(rgb color)
{
    return 0.2126 * color_linear(color, 16) + 0.7152 * color_linear(color, 8) +
           0.0722 * color_linear(color, 0);
}

double color_contrast(rgb a, rgb b)
{
    double la = color_luminance(a), lb = color_luminance(b);

    return (fmax(la, lb) + 0.05) / (fmin(la, lb) + 0.05);
}

rgb color_on(rgb bg)
{
    return color_contrast(bg, 0x000000) >= color_contrast(bg, 0xffffff) ? 0x000000 : 0xffffff;
}

static rgb level_color(const struct colormap *map, long level)
{
    return map->color[level * (COLORMAP_STEPS - 1) / (HEAT_LEVELS - 1)];
}

rgb look_heat(const struct look *look, double t)
{
    long level = lround(clamp01(t) * (HEAT_LEVELS - 1));

    return look->depth == DEPTH_256 ? look->colormap.few[level] : level_color(&look->colormap, level);
}

bool look_has_half_blocks(const struct look *look)
{
    return look->depth >= DEPTH_256 && look->glyphs != GLYPHS_ASCII;
}

struct heat_cell look_heat_cell(const struct look *look, double t)
{
    static const uint32_t ascii[] = {' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'};
    static const uint32_t shades[] = {' ', 0x00b7, 0x2591, 0x2592, 0x2593, 0x2588};
    bool is_ascii = look->glyphs == GLYPHS_ASCII;
    const uint32_t *ramp = is_ascii ? ascii : shades;
    size_t n = is_ascii ? sizeof ascii / sizeof *ascii : sizeof shades / sizeof *shades;
    struct pen pen = look_pen(look, ROLE_TEXT);

    if (look->depth >= DEPTH_256) {
        pen.bg = look_heat(look, t);
        pen.fg = color_on(pen.bg);
        return (struct heat_cell){' ', pen};
    }
    /* Few colours: the glyph carries the value, the colour only says which colormap it is. */
    if (look->depth > DEPTH_MONO)
        pen.fg = look_heat(look, 0.7);
    return (struct heat_cell){ramp[lround(clamp01(t) * (double)(n - 1))], pen};
}

/* One row of a colormap's file: a position in [0, 1] and a colour for each theme. */
struct stop {
    double at;
    rgb color;
};

static bool parse_color(const char *text, const char *end, rgb *color)
{
    rgb value = 0;

    if (end - text != COLOR_FIELD || *text != '#')
        return false;
    for (text++; text < end; text++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = memchr(digits, *text, sizeof digits - 1);

        if (digit == NULL)
            return false;
        value = value << 4 | (rgb)(digit - digits);
    }
    *color = value;
    return true;
}

/* Parses position,light,dark. */
static bool parse_stop(const char *line, const char *end, enum theme theme, struct stop *stop)
{
    const char *light = memchr(line, ',', (size_t)(end - line));
    const char *dark = light == NULL ? NULL : memchr(light + 1, ',', (size_t)(end - light - 1));
    rgb unused;

    if (dark == NULL || !number_parse(line, (size_t)(light - line), '.', &stop->at))
        return false;
    return parse_color(light + 1, dark, theme == THEME_LIGHT ? &stop->color : &unused) &&
           parse_color(dark + 1, end, theme == THEME_DARK ? &stop->color : &unused);
}

/* Fills the steps from *NEXT on whose places lie at or before TO. */
static void fill_steps(struct colormap *map, int *next, struct stop from, struct stop to)
{
    for (; *next < COLORMAP_STEPS; ++*next) {
        double place = (double)*next / (COLORMAP_STEPS - 1);

        if (place > to.at)
            return;
        map->color[*next] = color_mix(from.color, to.color, (place - from.at) / (to.at - from.at));
    }
}

/* Positions rise from 0 to 1. */
static bool parse_colormap(const char *text, enum theme theme, struct colormap *map)
{
    struct stop last = {.at = -1};
    int next = 0;
    const char *end = strchr(text, '\n');

    while (end != NULL && end[1] != '\0') {
        const char *line = end + 1;
        struct stop stop;

        end = strchr(line, '\n');
        if (!parse_stop(line, end != NULL ? end : line + strlen(line), theme, &stop))
            return false;
        if (last.at < 0 ? stop.at != 0 : !(stop.at > last.at))
            return false;
        fill_steps(map, &next, last.at < 0 ? (struct stop){-1, stop.color} : last, stop);
        last = stop;
    }
    return next == COLORMAP_STEPS;
}

static void find_few(struct colormap *map)
{
    rgb ramp[HEAT_LEVELS];

    for (int level = 0; level < HEAT_LEVELS; level++)
        ramp[level] = level_color(map, level);
    palette_ramp(ramp, map->few);
}

static bool is_colormap(const char *name)
{
    for (size_t i = 0; i < n_colormaps; i++)
        if (strcmp(colormap_names[i], name) == 0)
            return true;
    return false;
}

bool look_make(struct look *look, enum theme theme, const char *colormap, const char *directory,
               struct error *error)
{
    struct buf text = {0}, path = {0};
    bool ok;

    if (!is_colormap(colormap)) {
        char names[256];

        return error_set(error, STATUS_USAGE, _("no colormap is called %s; there is %s"), colormap,
                         nearest_names(names, sizeof names, colormap, colormap_names, n_colormaps));
    }
    *look = (struct look){.depth = DEPTH_TRUE, .glyphs = GLYPHS_UNICODE, .theme = theme};
    memcpy(look->colormap.name, colormap, strlen(colormap) + 1);
    buf_printf(&path, "colormaps/%s.csv", colormap);
    ok = asset_read(directory, path.at, &text, error);
    if (ok && !parse_colormap(text.at != NULL ? text.at : "", theme, &look->colormap))
        ok = error_set(error, STATUS_FAILED, _("%s: expected lines of position,light,dark from 0 to 1"),
                       path.at);
    if (ok)
        find_few(&look->colormap);
    buf_free(&text);
    buf_free(&path);
    return ok;
}
