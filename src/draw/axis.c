#include "draw/axis.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "draw/decimal.h"

/* Spans below this share of the ends' size, or below this length, cannot be told from a point. */
#define SPAN_RELATIVE 1e-12
#define SPAN_SMALLEST 1e-306
/* How far (in steps) a tick may lie outside the axis: rounding of the ends, no more. */
#define TICK_SLACK   1e-9
#define STRETCH_MOST 1.2

enum { LEVELS = 80 };

static const int step_digit[] = {1, 2, 5};
static const int decade_stride[] = {1, 2, 3, 5, 10, 20, 50, 100, 200, 500};

/* All ticks of one level of density; those beyond TICKS_MAX are counted, and the last one is known. */
struct tick_list {
    int n;
    struct decimal at[TICKS_MAX];
    struct decimal last;
};

void range_over(double *lo, double *hi, const double *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(v[i]))
            continue;
        bool empty = *lo > *hi;
        if (empty || v[i] < *lo)
            *lo = v[i];
        if (empty || v[i] > *hi)
            *hi = v[i];
    }
}

static double within_doubles(double v)
{
    return fmin(fmax(v, -DBL_MAX), DBL_MAX);
}

void range_pad(double *lo, double *hi, double fraction)
{
    if (!isfinite(*lo) || !isfinite(*hi) || *lo > *hi) {
        *lo = 0;
        *hi = 1;
    } else if (*lo == *hi) {
        double half = fmax(fabs(*lo), 1) / 2;
        *hi = within_doubles(*lo + half);
        *lo = within_doubles(*lo - half);
    } else {
        /* Halves first: the length of a range of doubles may be none. */
        double pad = (*hi / 2 - *lo / 2) * fraction;
        *lo = within_doubles(*lo - pad - pad);
        *hi = within_doubles(*hi + pad + pad);
    }
}

static bool is_point(double lo, double hi)
{
    double half = fabs(hi / 2 - lo / 2);
    return half < SPAN_SMALLEST || half <= SPAN_RELATIVE * fmax(fabs(lo), fabs(hi)) / 2;
}

struct axis axis_sound(const struct axis *axis)
{
    struct axis sound = *axis;

    if (!isfinite(sound.lo) || !isfinite(sound.hi) || sound.lo > sound.hi) {
        range_pad(&sound.lo, &sound.hi, 0);
    } else if (is_point(sound.lo, sound.hi)) {
        sound.hi = sound.lo;
        range_pad(&sound.lo, &sound.hi, 0);
    }
    if (sound.scale == SCALE_LOG && sound.hi <= 0)
        sound.hi = 1;
    if (sound.scale == SCALE_LOG && sound.lo <= 0)
        sound.lo = sound.hi / 1000;
    if (sound.scale == SCALE_ASINH && !(sound.knee > 0 && isfinite(sound.knee)))
        sound.knee = 1;
    return sound;
}

/* V on the scale that the axis is even in. Linear ones are halved, so that no difference overflows. */
static double on_scale(const struct axis *axis, double v)
{
    switch (axis->scale) {
    case SCALE_LOG:
        return v > 0 ? log10(v) : v <= 0 ? -HUGE_VAL : v;
    case SCALE_ASINH:
        return asinh(v / axis->knee);
    case SCALE_LINEAR:
        break;
    }
    return v / 2;
}

static double place(const struct axis *sound, double v)
{
    double lo = on_scale(sound, sound->lo), hi = on_scale(sound, sound->hi);
    return (on_scale(sound, v) - lo) / (hi - lo);
}

double axis_place(const struct axis *axis, double v)
{
    struct axis sound = axis_sound(axis);
    return place(&sound, v);
}

static void list_add(struct tick_list *list, struct decimal d)
{
    if (list->n < TICKS_MAX)
        list->at[list->n] = d;
    list->last = d;
    list->n++;
}

static void list_linear(const struct axis *axis, int level, struct tick_list *list)
{
    double half = axis->hi / 2 - axis->lo / 2;
    int finest = (int)floor(log10(half / (TICKS_MAX / 2.0)));
    if (axis->whole && finest < 0)
        finest = 0;

    int digit = step_digit[level % 3], e = finest + level / 3;
    double step = decimal_value((struct decimal){digit, e});
    double first = ceil(axis->lo / step - TICK_SLACK), last = floor(axis->hi / step + TICK_SLACK);
    for (double k = first; k <= last; k++)
        list_add(list, (struct decimal){(int64_t)k * digit, e});
}

/* Adds SIGN x 1, 2, 5 (level 0) or 1 alone (all others) x 10^e, where that is on the axis and not smaller
 * than LEAST. */
static void list_decade(const struct axis *axis, int sign, int e, int level, double least,
                        struct tick_list *list)
{
    int digits = level == 0 ? 3 : 1;
    for (int i = 0; i < digits; i++) {
        struct decimal d = {sign * step_digit[sign > 0 ? i : digits - 1 - i], e};
        double v = decimal_value(d), p = place(axis, v);
        if (fabs(v) >= least && p >= -TICK_SLACK && p <= 1 + TICK_SLACK)
            list_add(list, d);
    }
}

/* The ticks of both logarithmic scales. Decades are thinned counting from 1 on a log scale; on asinh from 0,
 * after which the knee's is the first. */
static void list_decades(const struct axis *axis, int level, struct tick_list *list)
{
    bool signs = axis->scale == SCALE_ASINH;
    double least = signs ? axis->knee : 0;
    double largest = fmax(fabs(axis->lo), fabs(axis->hi));
    int top = (int)floor(log10(largest) + TICK_SLACK);
    int bottom = (int)floor(log10(signs ? axis->knee : axis->lo) - TICK_SLACK);
    int origin = signs ? (int)ceil(log10(axis->knee) - TICK_SLACK) - 1 : 0;
    int strides = (int)(sizeof decade_stride / sizeof decade_stride[0]);
    int stride = level == 0 ? 1 : decade_stride[level <= strides ? level - 1 : strides - 1];

    for (int e = top; signs && axis->lo < 0 && e >= bottom; e--)
        if ((e - origin) % stride == 0)
            list_decade(axis, -1, e, level, least, list);
    if (signs && axis->lo <= 0 && axis->hi >= 0)
        list_add(list, (struct decimal){0, 0});
    for (int e = bottom; axis->hi > 0 && e <= top; e++)
        if ((e - origin) % stride == 0)
            list_decade(axis, 1, e, level, least, list);
}

/* Whether the axis is so short that round numbers of a linear scale suit it better. */
static bool is_linear(const struct axis *axis)
{
    if (axis->scale == SCALE_LINEAR)
        return true;
    if (axis->scale == SCALE_ASINH && fmax(fabs(axis->lo), fabs(axis->hi)) <= 2 * axis->knee)
        return true;
    struct tick_list list = {.n = 0};
    list_decades(axis, 0, &list);
    return list.n < 2;
}

static void list_level(const struct axis *axis, bool linear, int level, struct tick_list *list)
{
    list->n = 0;
    if (linear)
        list_linear(axis, level, list);
    else
        list_decades(axis, level, list);
}

static bool is_plain(struct decimal d)
{
    double v = fabs(decimal_value(d));
    return v == 0 || (v <= 1e5 && (v >= 1e-4 || d.e >= -4));
}

/* Writes N texts in the same notation: fixed for numbers of everyday size, else the shorter one. */
static bool write_texts(const struct decimal *d, int n, char (*text)[16])
{
    size_t size = sizeof *text, fixed_length = 0, scientific_length = 0;
    bool fixed = true, scientific = true, plain = true;

    for (int i = 0; i < n; i++) {
        fixed = decimal_fixed(text[i], size, d[i]) && fixed;
        fixed_length = strlen(text[i]) > fixed_length ? strlen(text[i]) : fixed_length;
        plain = is_plain(d[i]) && plain;
    }
    if (fixed && plain)
        return true;
    for (int i = 0; i < n; i++) {
        scientific = decimal_scientific(text[i], size, d[i]) && scientific;
        scientific_length = strlen(text[i]) > scientific_length ? strlen(text[i]) : scientific_length;
    }
    if (!fixed || (scientific && scientific_length < fixed_length))
        return scientific;
    for (int i = 0; i < n; i++)
        decimal_fixed(text[i], size, d[i]);
    return true;
}

/* False if the texts do not fit: the numbers have too many digits. */
static bool ticks_from(const struct decimal *d, int n, bool linear, struct ticks *ticks)
{
    bool written = true;
    ticks->n = n;
    for (int i = 0; i < n; i++)
        ticks->at[i] = decimal_value(d[i]);
    if (linear)
        return write_texts(d, n, ticks->text);
    for (int i = 0; i < n; i++)
        written = write_texts(d + i, 1, ticks->text + i) && written;
    return written;
}

/* Chooses the densest level with at most MOST ticks whose texts fit; false if there is none. */
static bool choose_ticks(const struct axis *axis, bool linear, int most, struct tick_list *list,
                         struct ticks *ticks)
{
    struct tick_list finer;

    list->n = 0;
    for (int level = 0; level < LEVELS; level++) {
        finer = *list;
        list_level(axis, linear, level, list);
        if (list->n > most || !ticks_from(list->at, list->n, linear, ticks))
            continue;
        struct tick_list ends = {.n = 2, .at = {finer.at[0], finer.last}, .last = finer.last};
        struct ticks outermost;
        if (list->n < 2 && finer.n >= 2 && ticks_from(ends.at, ends.n, linear, &outermost)) {
            *list = ends;
            *ticks = outermost;
        }
        return true;
    }
    list->n = ticks->n = 0;
    return false;
}

static int sensible_number(int most)
{
    return most < 2 ? 2 : most > TICKS_MAX ? TICKS_MAX : most;
}

struct ticks axis_ticks(const struct axis *axis, int most)
{
    struct axis sound = axis_sound(axis);
    struct tick_list list;
    struct ticks ticks;
    choose_ticks(&sound, is_linear(&sound), sensible_number(most), &list, &ticks);
    return ticks;
}

/* AXIS stretched so that ticks which are APART cells from each other come to be the whole number below. */
static struct axis stretch_axis(const struct axis *axis, double apart, double *stretch)
{
    struct axis stretched = *axis;
    *stretch = apart / floor(apart + TICK_SLACK);
    stretched.hi = axis->lo + 2 * (axis->hi / 2 - axis->lo / 2) * *stretch;
    return stretched;
}

/* The ticks that the stretched axis has room for beyond those in LIST. */
static void add_further(const struct axis *stretched, struct tick_list *list)
{
    int64_t step = list->at[1].n - list->at[0].n;
    struct decimal next = {list->last.n + step, list->last.e};
    while (list->n < TICKS_MAX && place(stretched, decimal_value(next)) <= 1) {
        list_add(list, next);
        next.n += step;
    }
}

struct ticks axis_ticks_even(struct axis *axis, int most, double cells)
{
    struct axis sound = axis_sound(axis);
    struct ticks usual = axis_ticks(&sound, most), ticks = usual;
    struct tick_list list;

    for (int n = sensible_number(most); sound.scale == SCALE_LINEAR && n >= 2; n = list.n - 1) {
        if (!choose_ticks(&sound, true, n, &list, &ticks) || list.n < 2 || (list.n == 2 && usual.n > 2))
            break;
        double apart = (place(&sound, ticks.at[1]) - place(&sound, ticks.at[0])) * cells, stretch;
        struct axis stretched = stretch_axis(&sound, apart, &stretch);
        if (!(stretch <= STRETCH_MOST) || !isfinite(stretched.hi))
            continue;
        add_further(&stretched, &list);
        if (!ticks_from(list.at, list.n, true, &ticks))
            continue;
        *axis = stretched;
        return ticks;
    }
    return usual;
}
