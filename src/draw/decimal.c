#include "draw/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGITS_MAX = 18 }; /* the longest run of digits that always fits an int64_t */

static int64_t power_of_ten(int exponent)
{
    int64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

static uint64_t magnitude(int64_t n)
{
    return n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
}

/* Whether snprintf wrote all of its text; if not, OUT is emptied. */
static bool fits(char *out, size_t size, int length)
{
    if (length >= 0 && (size_t)length < size)
        return true;
    if (size > 0)
        out[0] = '\0';
    return false;
}

double decimal_value(struct decimal d)
{
    /* Without a radix character strtod is locale-free, and it rounds correctly where n * pow(10, e) would
     * not. */
    char text[48];
    snprintf(text, sizeof text, "%" PRId64 "e%d", d.n, d.e);
    return strtod(text, NULL);
}

bool decimal_fixed(char *out, size_t size, struct decimal d)
{
    const char *sign = d.n < 0 ? "-" : "";
    uint64_t n = magnitude(d.n);

    if (d.e < -DIGITS_MAX)
        return fits(out, size, -1);
    if (d.e < 0) {
        uint64_t unit = (uint64_t)power_of_ten(-d.e);
        return fits(out, size,
                    snprintf(out, size, "%s%" PRIu64 ".%0*" PRIu64, sign, n / unit, -d.e, n % unit));
    }
    if (d.e == 0 || n == 0)
        return fits(out, size, snprintf(out, size, "%s%" PRIu64, sign, n));
    return fits(out, size, snprintf(out, size, "%s%" PRIu64 "%0*d", sign, n, d.e, 0));
}

bool decimal_scientific(char *out, size_t size, struct decimal d)
{
    if (d.n == 0)
        return fits(out, size, snprintf(out, size, "0"));

    uint64_t n = magnitude(d.n);
    int exponent = d.e;
    while (n % 10 == 0) {
        n /= 10;
        exponent++;
    }
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n);
    exponent += length - 1;
    return fits(out, size,
                snprintf(out, size, "%s%c%s%se%c%02d", d.n < 0 ? "-" : "", digits[0], length > 1 ? "." : "",
                         digits + 1, exponent < 0 ? '-' : '+', abs(exponent)));
}

bool decimal_round(struct decimal *d, double v, int decimals)
{
    double unit = (double)power_of_ten(decimals);
    double n = floor(fabs(v) * unit);
    if (!(n < 0x1p53))
        return false;

    /* The product was rounded; what it left over is exact enough with one rounding to decide about half a
     * unit. */
    double rest = fma(fabs(v), unit, -n);
    if (rest < 0) {
        n -= 1;
        rest += 1;
    }
    if (rest > 0.5 || (rest == 0.5 && fmod(n, 2) != 0))
        n += 1;
    *d = (struct decimal){.n = (int64_t)(v < 0 ? -n : n), .e = -decimals};
    return true;
}
