#include "draw/palette.h"

#include <math.h>
#include <stdlib.h>

enum { CHOICES = GREY_BASE + GREYS - CUBE_BASE };

const int palette_cube[CUBE] = {0, 95, 135, 175, 215, 255};

rgb palette_xterm(int index)
{
    int cube = index - CUBE_BASE;

    if (index >= GREY_BASE)
        return (rgb)(8 + 10 * (index - GREY_BASE)) * 0x010101;
    return (rgb)(palette_cube[cube / 36] << 16 | palette_cube[cube / 6 % 6] << 8 | palette_cube[cube % 6]);
}

/* A colour as the eye takes it: in OKLab, where distances are differences seen, and its luminance. */
struct shade {
    rgb color;
    double lab[3], luminance;
};

/* The matrices are those of B. Ottosson, A perceptual color space for image processing (2020). */
static struct shade shade_of(rgb color)
{
    static const double cone[3][3] = {{0.4122214708, 0.5363325363, 0.0514459929},
                                      {0.2119034982, 0.6806995451, 0.1073969566},
                                      {0.0883024619, 0.2817188376, 0.6299787005}};
    static const double lab[3][3] = {{0.2104542553, 0.7936177850, -0.0040720468},
                                     {1.9779984951, -2.4285922050, 0.4505937099},
                                     {0.0259040371, 0.7827717662, -0.8086757660}};
    struct shade shade = {.color = color, .luminance = color_luminance(color)};
    double response[3];

    for (int i = 0; i < 3; i++)
        response[i] = cbrt(cone[i][0] * color_linear(color, 16) + cone[i][1] * color_linear(color, 8) +
                           cone[i][2] * color_linear(color, 0));
    for (int i = 0; i < 3; i++)
        shade.lab[i] = lab[i][0] * response[0] + lab[i][1] * response[1] + lab[i][2] * response[2];
    return shade;
}

static double difference(const struct shade *a, const struct shade *b)
{
    double sum = 0;

    for (int i = 0; i < 3; i++)
        sum += (a->lab[i] - b->lab[i]) * (a->lab[i] - b->lab[i]);
    return sum;
}

static int by_luminance(const void *a, const void *b)
{
    double x = ((const struct shade *)a)->luminance, y = ((const struct shade *)b)->luminance;

    return (x > y) - (x < y);
}

/* One step of the ramp on: what each choice now costs at least, and from which choice before it, itself or a
 * darker one where the ramp RISES, else itself or a lighter one. */
static void step_on(double cost[CHOICES], uint8_t from[CHOICES], bool rises)
{
    int best = rises ? 0 : CHOICES - 1;

    for (int n = 0; n < CHOICES; n++) {
        int i = rises ? n : CHOICES - 1 - n;

        if (cost[i] <= cost[best])
            best = i;
        cost[i] = cost[best];
        from[i] = (uint8_t)best;
    }
}

void palette_ramp(const rgb ramp[HEAT_LEVELS], rgb few[HEAT_LEVELS])
{
    struct shade choice[CHOICES];
    uint8_t from[HEAT_LEVELS][CHOICES];
    double cost[CHOICES] = {0}, last = 0;
    int best = 0;

    for (int i = 0; i < CHOICES; i++)
        choice[i] = shade_of(palette_xterm(CUBE_BASE + i));
    qsort(choice, CHOICES, sizeof *choice, by_luminance);
    for (int level = 0; level < HEAT_LEVELS; level++) {
        struct shade wanted = shade_of(ramp[level]);

        step_on(cost, from[level], wanted.luminance >= last);
        for (int i = 0; i < CHOICES; i++)
            cost[i] += difference(&choice[i], &wanted);
        last = wanted.luminance;
    }
    for (int i = 1; i < CHOICES; i++)
        if (cost[i] < cost[best])
            best = i;
    for (int level = HEAT_LEVELS; level-- > 0; best = from[level][best])
        few[level] = choice[best].color;
}
