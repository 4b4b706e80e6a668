#include "data/number.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A rounded number as decimal digits: d.ddd x 10^exponent, without trailing zeros. */
struct decimal {
    bool negative;
    int n;
    char digit[20];
    int exponent;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Rounds the finite VALUE to N significant digits (1 to 17). Only digits are taken from printf's text: what
 * stands between them is the locale's. */
static struct decimal decimal_of(double value, int n)
{
    char text[64];
    struct decimal decimal = {.negative = signbit(value) != 0};
    snprintf(text, sizeof text, "%.*e", n - 1, fabs(value));
    const char *at = text;
    for (; *at != 'e'; at++) {
        if (is_digit(*at))
            decimal.digit[decimal.n++] = *at;
    }
    decimal.exponent = atoi(at + 1);
    while (decimal.n > 1 && decimal.digit[decimal.n - 1] == '0')
        decimal.n--;
    return decimal;
}

/* Without a decimal sign there is nothing in the text that strtod would read by the locale. */
static double decimal_value(const struct decimal *decimal)
{
    char text[64];
    snprintf(text, sizeof text, "%.*se%d", decimal->n, decimal->digit, decimal->exponent - decimal->n + 1);
    double value = strtod(text, NULL);
    return decimal->negative ? -value : value;
}

/* The neighbour above in the last of N digits; false at 99..9. */
static bool round_up(struct decimal *decimal, int n)
{
    while (decimal->n < n)
        decimal->digit[decimal->n++] = '0';
    if (decimal->digit[n - 1] == '9')
        return false;
    decimal->digit[n - 1]++;
    return true;
}

static struct decimal shortest(double value)
{
    /* A normal number's 15 digits hold any shorter text that reads back to it; subnormals have fewer digits.
     */
    for (int n = fabs(value) < DBL_MIN ? 1 : 15; n < 17; n++) {
        struct decimal decimal = decimal_of(value, n);
        if (decimal_value(&decimal) == value)
            return decimal;
        /* Doubles lie half as dense above a power of two as below it: the second nearest decimal, above, may
         * be the one that reads back (2^-44). */
        int exponent;
        if (fabs(frexp(value, &exponent)) == 0.5 && round_up(&decimal, n) && decimal_value(&decimal) == value)
            return decimal;
    }
    return decimal_of(value, 17);
}

static char *put_fixed(char *out, const struct decimal *decimal)
{
    char *at = out;
    if (decimal->negative)
        *at++ = '-';
    int place = decimal->exponent < 0 ? 0 : decimal->exponent;
    for (; place >= 0 || decimal->exponent - place < decimal->n; place--) {
        if (place == -1)
            *at++ = '.';
        int i = decimal->exponent - place;
        *at++ = i >= 0 && i < decimal->n ? decimal->digit[i] : '0';
    }
    *at = '\0';
    return out;
}

/* Brief: 1e-8 instead of 1e-08. */
static char *put_scientific(char *out, const struct decimal *decimal, bool brief)
{
    char *at = out;
    if (decimal->negative)
        *at++ = '-';
    *at++ = decimal->digit[0];
    if (decimal->n > 1) {
        *at++ = '.';
        memcpy(at, decimal->digit + 1, (size_t)decimal->n - 1);
        at += decimal->n - 1;
    }
    if (brief)
        snprintf(at, 8, "e%d", decimal->exponent);
    else
        snprintf(at, 8, "e%+03d", decimal->exponent);
    return out;
}

char *number_text(char out[NUMBER_TEXT], double value)
{
    if (isnan(value))
        return strcpy(out, "nan");
    if (isinf(value))
        return strcpy(out, value < 0 ? "-inf" : "inf");
    if (value == 0)
        return strcpy(out, signbit(value) ? "-0" : "0");
    struct decimal decimal = shortest(value);
    if (decimal.exponent >= -4 && decimal.exponent < 16)
        return put_fixed(out, &decimal);
    return put_scientific(out, &decimal, false);
}

/* The powers of ten, the second not included, between which fixed notation is easy to read. */
enum { FIXED_LEAST = -4, FIXED_MOST = 7 };

/* VALUE rounded to DIGITS significant digits in at most WIDTH bytes, if that is possible. */
static bool show_rounded(char *out, double value, int digits, int width, bool brief)
{
    struct decimal decimal = decimal_of(value, digits);
    int most = digits > FIXED_MOST ? digits : FIXED_MOST;
    if (decimal.exponent >= FIXED_LEAST && decimal.exponent < most) {
        /* Rounding stops at the units: 12345.6 with three digits is 12346, as people write it. */
        struct decimal whole =
            decimal_of(value, decimal.exponent + 1 > digits ? decimal.exponent + 1 : digits);
        if (strlen(put_fixed(out, whole.exponent < decimal.exponent ? &decimal : &whole)) <= (size_t)width)
            return true;
    }
    return strlen(put_scientific(out, &decimal, brief)) <= (size_t)width;
}

char *number_show(char out[NUMBER_TEXT], double value, int digits, int width)
{
    if (!isfinite(value))
        return strcpy(out, "\u2014");
    if (value == 0)
        return strcpy(out, "0");
    digits = digits < 1 ? 1 : digits > 17 ? 17 : digits;
    width = width < 5 ? 5 : width > NUMBER_TEXT - 1 ? NUMBER_TEXT - 1 : width;
    /* Rather a digit less than exponents in two styles on one screen. */
    for (int n = digits; n >= (digits > 1 ? 2 : 1); n--)
        if (show_rounded(out, value, n, width, false))
            return out;
    for (int n = digits; n > 0; n--)
        if (show_rounded(out, value, n, width, true))
            return out;
    /* Only five columns and a minus sign are too narrow for one digit and an exponent. */
    return strcpy(out, fabs(value) < 1 ? "0" : "<-1e9");
}

char *number_factor(char out[NUMBER_FACTOR], const char *shown)
{
    snprintf(out, NUMBER_FACTOR, shown[0] == '-' ? "(%s)" : "%s", shown);
    return out;
}

/* The text being read, up to its end. */
struct cursor {
    const char *at, *end;
};

static bool take(struct cursor *text, char c)
{
    if (text->at == text->end || *text->at != c)
        return false;
    text->at++;
    return true;
}

static bool take_word(struct cursor *text, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(text->end - text->at) != n || strncasecmp(text->at, word, n) != 0)
        return false;
    text->at += n;
    return true;
}

/* A double's rounding is decided by at most 767 significant digits and whether anything follows them. */
enum { SIGNIFICANT = 768 };

/* A decimal number as read: digits x 10^exponent. */
struct mantissa {
    int n;
    char digit[SIGNIFICANT + 16]; /* with room for the exponent as text */
    long long exponent;
    bool any;
};

static void take_digits(struct cursor *text, struct mantissa *mantissa, bool is_fraction)
{
    for (; text->at < text->end && is_digit(*text->at); text->at++) {
        mantissa->any = true;
        mantissa->exponent -= is_fraction;
        if (mantissa->n == 0 && *text->at == '0')
            continue;
        if (mantissa->n < SIGNIFICANT) {
            mantissa->digit[mantissa->n++] = *text->at;
            continue;
        }
        mantissa->exponent++;
        if (*text->at != '0')
            mantissa->digit[SIGNIFICANT] = '1';
    }
}

static bool take_exponent(struct cursor *text, long long *exponent)
{
    bool negative = take(text, '-');
    if (!negative)
        take(text, '+');
    if (text->at == text->end)
        return false;
    long long value = 0;
    for (; text->at < text->end && is_digit(*text->at); text->at++) {
        if (value < LLONG_MAX / 100)
            value = value * 10 + (*text->at - '0');
    }
    *exponent += negative ? -value : value;
    return true;
}

/* Correctly rounded: by one exact operation if there are few digits (Clinger's fast path), else by strtod. */
static double mantissa_value(struct mantissa *mantissa)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    long long exponent = mantissa->exponent;
    if (mantissa->n == 0)
        return 0;
    if (FLT_EVAL_METHOD == 0 && mantissa->n <= 16 && exponent >= -22 && exponent <= 22) {
        int64_t whole = 0;
        for (int i = 0; i < mantissa->n; i++)
            whole = whole * 10 + (mantissa->digit[i] - '0');
        if (whole <= (int64_t)1 << DBL_MANT_DIG)
            return exponent < 0 ? (double)whole / power[-exponent] : (double)whole * power[exponent];
    }
    if (mantissa->n + exponent > 400)
        return HUGE_VAL;
    if (mantissa->n + exponent < -400)
        return 0;
    if (mantissa->n == SIGNIFICANT && mantissa->digit[SIGNIFICANT] == '1') {
        mantissa->n++;
        exponent--;
    }
    snprintf(mantissa->digit + mantissa->n, 8, "e%d", (int)exponent);
    return strtod(mantissa->digit, NULL);
}

bool number_parse(const char *text, size_t n, char decimal, double *value)
{
    struct cursor at = {text, text + n};
    while (at.at < at.end && is_blank(*at.at))
        at.at++;
    while (at.at < at.end && is_blank(at.end[-1]))
        at.end--;
    bool negative = take(&at, '-');
    if (!negative)
        take(&at, '+');
    double magnitude;
    if (take_word(&at, "nan")) {
        magnitude = (double)NAN;
    } else if (take_word(&at, "inf") || take_word(&at, "infinity")) {
        magnitude = (double)INFINITY;
    } else {
        struct mantissa mantissa;
        mantissa.n = 0;
        mantissa.digit[SIGNIFICANT] = '0';
        mantissa.exponent = 0;
        mantissa.any = false;
        take_digits(&at, &mantissa, false);
        if (take(&at, decimal))
            take_digits(&at, &mantissa, true);
        if (!mantissa.any)
            return false;
        if ((take(&at, 'e') || take(&at, 'E')) && !take_exponent(&at, &mantissa.exponent))
            return false;
        if (at.at != at.end)
            return false;
        magnitude = mantissa_value(&mantissa);
    }
    *value = negative ? -magnitude : magnitude;
    return true;
}

static bool take_whole(struct cursor *text, uint64_t *value)
{
    if (text->at == text->end || !is_digit(*text->at))
        return false;
    *value = 0;
    for (; text->at < text->end && is_digit(*text->at); text->at++) {
        unsigned digit = (unsigned)(*text->at - '0');
        if (*value > (UINT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return true;
}

/* base^exponent - 1, which holds all powers up to 2^64 itself. */
static bool power_less_one(uint64_t base, uint64_t exponent, uint64_t *value)
{
    *value = 0;
    if (base == 0)
        return false;
    for (uint64_t i = 0; i < exponent && base > 1; i++) {
        if (*value > (UINT64_MAX - (base - 1)) / base)
            return false;
        *value = *value * base + (base - 1);
    }
    return true;
}

/* MAGNITUDE with the sign as a seed. */
static bool seed_of(bool negative, uint64_t magnitude, uint64_t *seed)
{
    if (negative && magnitude > (uint64_t)1 << 63)
        return false;
    *seed = negative ? 0 - magnitude : magnitude;
    return true;
}

/* POWER + 1 and TERM, each with its sign, added. */
static bool seed_sum(bool negative, uint64_t power, bool term_negative, uint64_t term, uint64_t *seed)
{
    if (negative == term_negative || term == 0)
        return power < UINT64_MAX - term && seed_of(negative, power + term + 1, seed);
    if (power >= term - 1)
        return seed_of(negative, power - (term - 1), seed);
    return seed_of(term_negative, term - 1 - power, seed);
}

bool number_parse_seed(const char *text, uint64_t *seed)
{
    struct cursor at = {text, text + strlen(text)};
    while (at.at < at.end && is_blank(*at.at))
        at.at++;
    while (at.at < at.end && is_blank(at.end[-1]))
        at.end--;
    bool negative = take(&at, '-');
    uint64_t base, exponent, power, term = 0;
    if (!take_whole(&at, &base))
        return false;
    if (at.at == at.end)
        return seed_of(negative, base, seed);
    if (!take(&at, '^') || !take_whole(&at, &exponent) || !power_less_one(base, exponent, &power))
        return false;
    bool term_negative = take(&at, '-');
    if (term_negative || take(&at, '+')) {
        if (!take_whole(&at, &term))
            return false;
    }
    return at.at == at.end && seed_sum(negative, power, term_negative, term, seed);
}
