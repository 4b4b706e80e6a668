#include "demos/param.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/lang.h"
#include "data/nearest.h"
#include "data/number.h"
#include "data/utf8.h"

static size_t count_choices(const struct param *p)
{
    size_t n = 0;

    while (p->choices[n])
        n++;
    return n;
}

/* The bytes of TEXT without the blanks at both ends. */
static const char *trim(const char *text, size_t *n)
{
    const char *const blanks = " \t\r\n";

    text += strspn(text, blanks);
    *n = strlen(text);
    while (*n > 0 && strchr(blanks, text[*n - 1]))
        (*n)--;
    return text;
}

static bool refuse(const struct param *p, const char *text, struct error *error)
{
    static const char *const nouns[] = {
        [PARAM_REAL] = N_("a number"), [PARAM_INTEGER] = N_("a whole number"),
        [PARAM_SEED] = N_("a seed"),   [PARAM_LIST] = N_("numbers"),
        [PARAM_TEXT] = N_("a text"),
    };
    const bool wholes = p->kind == PARAM_LIST && p->whole;
    struct buf range = {0};

    param_range(p, &range);
    error_set(error, STATUS_USAGE, _("%s: expected %s (%s), got \"%.80s\""), p->name,
              wholes ? _("whole numbers") : _(nouns[p->kind]), range.at, text);
    buf_free(&range);
    return false;
}

static bool in_range(const struct param *p, double v)
{
    return isfinite(v) && v <= p->hi && (p->above_lo ? v > p->lo : v >= p->lo);
}

static bool is_whole(double v)
{
    return v == floor(v);
}

/* One number of a list or a whole value; adding 0 turns -0 into 0. */
static bool parse_number(const struct param *p, bool whole, const char *text, size_t n, double *out)
{
    double v;

    if (!number_parse(text, n, '.', &v) || !in_range(p, v) || (whole && !is_whole(v)))
        return false;
    *out = v + 0.0;
    return true;
}

static bool parse_choice(const struct param *p, const char *text, size_t n, struct value *out,
                         struct error *error)
{
    char names[256], word[VALUE_TEXT_MAX];
    const size_t n_choices = count_choices(p);

    for (size_t i = 0; i < n_choices; i++) {
        if (strlen(p->choices[i]) == n && memcmp(p->choices[i], text, n) == 0) {
            out->number = (double)i;
            return true;
        }
    }
    snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), text);
    nearest_names(names, sizeof names, word, p->choices, n_choices);
    return error_set(error, STATUS_USAGE, _("%s: expected %s, got \"%s\""), p->name, names, word);
}

/* The pieces of a list as text: rows parted by '/', or as Python writes them. */
struct list_text {
    const char *at, *end;
    bool bracketed; /* within [[...], [...]] */
};

static void skip_blanks(struct list_text *list)
{
    while (list->at < list->end && (*list->at == ' ' || *list->at == '\t'))
        list->at++;
}

static bool take(struct list_text *list, char c)
{
    skip_blanks(list);
    if (list->at == list->end || *list->at != c)
        return false;
    list->at++;
    return true;
}

/* One row "1,3" appended to V; *N_ROW is the number of its entries. */
static bool parse_row(const struct param *p, struct list_text *list, struct value *v, size_t *n_row)
{
    *n_row = 0;
    do {
        const size_t n = strcspn(list->at, ",/[]");
        const char *const stop = list->at + n < list->end ? list->at + n : list->end;

        if (v->n_list == VALUE_LIST_MAX)
            return false;
        if (!parse_number(p, p->whole, list->at, (size_t)(stop - list->at), &v->list[v->n_list]))
            return false;
        v->n_list++;
        (*n_row)++;
        list->at = stop;
    } while (take(list, ','));
    return true;
}

/* Takes "[[1,3],[2,4]]", "[1,3]", "1,3/2,4" and "1,3"; all rows must have the same length. */
static bool parse_rows(const struct param *p, const char *text, size_t n, struct value *v)
{
    struct list_text list = {.at = text, .end = text + n};
    const bool outer = take(&list, '[');
    const bool inner = outer && take(&list, '[');
    const char separator = inner ? ',' : '/';
    size_t n_first = 0, n_row;

    do {
        if (inner && v->n_rows > 0 && !take(&list, '['))
            return false;
        if (!parse_row(p, &list, v, &n_row) || (v->n_rows > 0 && n_row != n_first))
            return false;
        if (inner && !take(&list, ']'))
            return false;
        n_first = n_row;
        v->n_rows++;
    } while (!(outer && !inner) && take(&list, separator));
    if (outer && !take(&list, ']'))
        return false;
    skip_blanks(&list);
    v->nested = inner || v->n_rows > 1;
    return list.at == list.end && (p->rows || !v->nested);
}

/* How an empty list is written. */
static bool is_none(const char *text, size_t n)
{
    return n == 0 || (n == 4 && memcmp(text, "none", n) == 0);
}

bool param_parse(const struct param *p, const char *text, struct value *out, struct error *error)
{
    size_t n;
    const char *const word = trim(text, &n);
    struct value v = {0};
    bool done = false;

    switch (p->kind) {
    case PARAM_REAL:
    case PARAM_INTEGER:
        done = parse_number(p, p->kind == PARAM_INTEGER, word, n, &v.number);
        break;
    case PARAM_CHOICE:
        if (!parse_choice(p, word, n, &v, error))
            return false;
        done = true;
        break;
    case PARAM_SEED:
        snprintf(v.text, sizeof v.text, "%.*s", n < sizeof v.text ? (int)n : 0, word);
        done = number_parse_seed(v.text, &v.seed);
        memset(v.text, 0, sizeof v.text);
        break;
    case PARAM_LIST:
        done = (p->optional && is_none(word, n)) || parse_rows(p, word, n, &v);
        break;
    case PARAM_TEXT:
        done = strlen(text) < sizeof v.text;
        snprintf(v.text, sizeof v.text, "%s", text);
        break;
    }
    if (!done)
        return refuse(p, text, error);
    v.given = out->given;
    *out = v;
    return true;
}

static void format_list(const struct value *v, struct buf *out)
{
    const size_t n_row = v->n_rows ? v->n_list / v->n_rows : v->n_list;
    const bool brackets = v->nested && v->n_rows == 1;
    char text[NUMBER_TEXT];

    buf_puts(out, brackets ? "[[" : "");
    for (size_t i = 0; i < v->n_list; i++) {
        if (i > 0)
            buf_putc(out, i % n_row == 0 ? '/' : ',');
        buf_puts(out, number_text(text, v->list[i]));
    }
    buf_puts(out, brackets ? "]]" : "");
}

void param_format(const struct param *p, const struct value *v, struct buf *out)
{
    char text[NUMBER_TEXT];

    switch (p->kind) {
    case PARAM_REAL:
    case PARAM_INTEGER:
        buf_puts(out, number_text(text, v->number));
        break;
    case PARAM_CHOICE:
        buf_puts(out, p->choices[(size_t)v->number]);
        break;
    case PARAM_SEED:
        buf_printf(out, "%" PRIu64, v->seed);
        break;
    case PARAM_LIST:
        if (p->optional && v->n_list == 0)
            buf_puts(out, "none");
        else
            format_list(v, out);
        break;
    case PARAM_TEXT:
        buf_puts(out, v->text);
        break;
    }
}

/* Copies FROM, cleaned, in at most WIDTH columns; an ellipsis says that something was cut off. */
static void copy_fitting(char *out, size_t size, const char *from, int width)
{
    const char *const ellipsis = "…";
    char clean[512];
    const char *at = utf8_clean(clean, sizeof clean, from);
    const int room = utf8_columns(clean) <= width ? width : width - 1;
    int columns = 0;
    size_t len = 0;

    while (*at) {
        const char *const start = at;
        const int w = utf8_width(utf8_next(&at));
        const size_t bytes = (size_t)(at - start);

        columns += w < 0 ? 1 : w;
        if (columns > room || len + bytes + strlen(ellipsis) >= size)
            break;
        memcpy(out + len, start, bytes);
        len += bytes;
        if (!*at) {
            out[len] = '\0';
            return;
        }
    }
    snprintf(out + len, size - len, "%s", clean[0] && width > 0 ? ellipsis : "");
}

void param_show(const struct param *p, const struct value *v, int width, char *out, size_t size)
{
    enum { DIGITS = 6, NARROWEST = 5 };
    const bool is_number = p->kind == PARAM_REAL || p->kind == PARAM_INTEGER;
    const char *const unit = p->unit ? p->unit : "";
    struct buf text = {0};

    if (is_number) {
        char number[NUMBER_TEXT];
        const int digits = p->kind == PARAM_INTEGER ? 15 : DIGITS;
        const int most = NUMBER_TEXT - 1;

        number_show(number, v->number, digits, width < NARROWEST ? NARROWEST : width > most ? most : width);
        buf_puts(&text, number);
        if (*unit && utf8_columns(number) + 1 + utf8_columns(unit) <= width)
            buf_printf(&text, " %s", unit);
    } else {
        param_format(p, v, &text);
    }
    copy_fitting(out, size, text.at ? text.at : "", width);
    buf_free(&text);
}

/* X without the noise that repeated steps leave in its last bits: rounded to 12 significant digits. */
static double tidy(double x)
{
    enum { DIGITS = 12, EXACT_POWER = 22 };

    if (x == 0 || !isfinite(x))
        return x;

    const int power = DIGITS - 1 - (int)floor(log10(fabs(x)));

    if (power > EXACT_POWER || power < 0)
        return x;

    const double scale = pow(10, power);

    return round(x * scale) / scale;
}

/* The power of ten at or below X > 0; the last bits of X do not matter. */
static double decade(double x)
{
    return pow(10, floor(log10(x) + 1e-12));
}

/* The next of 1, 2, 5, 10, ... away from 0. */
static double next_one_two_five(double x)
{
    static const double multiples[] = {1, 2, 5, 10};
    const double base = decade(x);

    for (size_t i = 0; i < sizeof multiples / sizeof *multiples; i++) {
        if (multiples[i] * base > x * (1 + 1e-9))
            return tidy(multiples[i] * base);
    }
    return tidy(20 * base);
}

/* The one before, towards 0. */
static double previous_one_two_five(double x)
{
    static const double multiples[] = {5, 2, 1};
    const double base = decade(x);

    for (size_t i = 0; i < sizeof multiples / sizeof *multiples; i++) {
        if (multiples[i] * base < x * (1 - 1e-9))
            return tidy(multiples[i] * base);
    }
    return tidy(base / 2);
}

/* One step up from V >= 0 and its mirror image are all there is: the others follow by symmetry. */
static double one_two_five(const struct param *p, double v, int direction)
{
    const double first = p->step > 0 ? p->step : 1;

    if (v == 0)
        return direction * first;
    if (v * direction > 0) {
        const double next = fabs(v) < first * (1 - 1e-9) ? first : next_one_two_five(fabs(v));
        return direction * next;
    }
    const double next = previous_one_two_five(fabs(v));
    return -direction * (next < first * (1 - 1e-9) ? 0 : next);
}

/* The next multiple of one unit of V's second significant digit; at a power of ten the unit depends on the
 * side. */
static double digit(const struct param *p, double v, int direction)
{
    const double size = v * direction > 0 ? fabs(v) * (1 + 1e-9) : fabs(v) * (1 - 1e-9);
    const double natural = size > 0 ? decade(size) / 10 : 0;
    const double unit = natural > p->step ? natural : p->step;
    const double at = v / unit, nearest = round(at);

    if (fabs(at - nearest) < 1e-6)
        return tidy((nearest + direction) * unit);
    return tidy((direction > 0 ? ceil(at) : floor(at)) * unit);
}

/* The next power of 2; V > 0. */
static double doubled(double v, int direction)
{
    int exponent;
    const double fraction = frexp(v, &exponent);

    if (direction > 0)
        return ldexp(1, exponent);
    return ldexp(1, fraction > 0.5 ? exponent - 1 : exponent - 2);
}

static double step_once(const struct param *p, double v, int direction)
{
    switch (p->steps) {
    case STEPS_ONE_TWO_FIVE:
        return one_two_five(p, v, direction);
    case STEPS_DOUBLE:
        return doubled(v, direction);
    case STEPS_DIGIT:
        return digit(p, v, direction);
    case STEPS_LINEAR:
        break;
    }
    return tidy(v + direction * p->step);
}

static double adjust_number(const struct param *p, double v, int steps)
{
    const int direction = steps < 0 ? -1 : 1;

    for (; steps != 0; steps -= direction) {
        const double next = step_once(p, v, direction);

        if (next > p->hi || next < p->lo)
            return next > p->hi ? p->hi : p->above_lo ? v : p->lo;
        if (!in_range(p, next) || next == v)
            return v;
        v = next + 0.0;
    }
    return v;
}

static uint64_t adjust_seed(uint64_t seed, int steps)
{
    const uint64_t distance = (uint64_t)llabs(steps);

    if (steps < 0)
        return seed > distance ? seed - distance : 0;
    return seed < UINT64_MAX - distance ? seed + distance : UINT64_MAX;
}

bool param_adjust(const struct param *p, struct value *v, int steps)
{
    switch (p->kind) {
    case PARAM_REAL:
    case PARAM_INTEGER:
        v->number = adjust_number(p, v->number, steps);
        return true;
    case PARAM_CHOICE:
        v->number = fmin(fmax(v->number + steps, 0), (double)count_choices(p) - 1);
        return true;
    case PARAM_SEED:
        v->seed = adjust_seed(v->seed, steps);
        return true;
    case PARAM_LIST:
    case PARAM_TEXT:
        break;
    }
    return false;
}

static void choices_in_words(const struct param *p, struct buf *out)
{
    const size_t n = count_choices(p);

    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            buf_puts(out, i + 1 == n ? _(" or ") : _(", "));
        buf_puts(out, p->choices[i]);
    }
}

/* Bounds so far out are there to keep the arithmetic finite: no slider leads to them. */
static bool is_open(double bound)
{
    return fabs(bound) >= 1e300;
}

static void interval_in_words(const struct param *p, struct buf *out)
{
    char lo[NUMBER_TEXT], hi[NUMBER_TEXT];

    number_text(lo, p->lo);
    number_text(hi, p->hi);
    if (!isfinite(p->lo) && !isfinite(p->hi))
        buf_puts(out, _("any"));
    else if (!isfinite(p->lo))
        buf_printf(out, _("at most %s"), hi);
    else if (!isfinite(p->hi))
        buf_printf(out, p->above_lo ? _("above %s") : _("at least %s"), lo);
    else
        buf_printf(out, p->above_lo ? _("above %s to %s") : _("%s to %s"), lo, hi);
}

void param_range(const struct param *p, struct buf *out)
{
    switch (p->kind) {
    case PARAM_REAL:
    case PARAM_INTEGER:
        interval_in_words(p, out);
        break;
    case PARAM_CHOICE:
        choices_in_words(p, out);
        break;
    case PARAM_SEED:
        buf_puts(out, "-2^63 .. 2^64-1, 2^32+1");
        break;
    case PARAM_LIST:
        interval_in_words(p, out);
        buf_puts(out, p->rows ? _("; as 2,3 or by rows 1,3/2,4") : _("; as 2,3"));
        buf_puts(out, p->optional ? _("; or none") : "");
        break;
    case PARAM_TEXT:
        buf_printf(out, _("up to %d bytes"), VALUE_TEXT_MAX - 1);
        break;
    }
}

/* The slider's scale follows the steps, so that every key press moves the knob about as far. */
static double slider_scale(const struct param *p, double v)
{
    switch (p->steps) {
    case STEPS_ONE_TWO_FIVE:
        return asinh(v / (p->step > 0 ? p->step : 1));
    case STEPS_DOUBLE:
        return log2(v);
    case STEPS_DIGIT:
        return asinh(v / (10 * p->step));
    case STEPS_LINEAR:
        break;
    }
    return v;
}

double param_place(const struct param *p, const struct value *v)
{
    const bool is_number = p->kind == PARAM_REAL || p->kind == PARAM_INTEGER;
    const bool has_usual = p->usual_lo < p->usual_hi;
    const double from = has_usual ? p->usual_lo : p->lo, to = has_usual ? p->usual_hi : p->hi;

    if (!is_number || !isfinite(v->number) || is_open(from) || is_open(to) || !(from < to))
        return -1;

    const double lo = slider_scale(p, from), hi = slider_scale(p, to);

    return fmin(fmax((slider_scale(p, v->number) - lo) / (hi - lo), 0), 1);
}

size_t param_find(const struct param *params, size_t n, const char *name)
{
    size_t i = 0;

    while (i < n && strcmp(params[i].name, name) != 0)
        i++;
    return i;
}
