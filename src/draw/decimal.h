/* Decimal numbers n x 10^e: the round numbers of axes and the rounded ones of tables, exact until they are
 * printed. Texts never depend on the locale. */
#ifndef ATTNLAB_DRAW_DECIMAL_H
#define ATTNLAB_DRAW_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decimal {
    int64_t n;
    int e;
};

/* The double nearest to D; infinite beyond the doubles. */
double decimal_value(struct decimal d);

/* 25e-1 as "2.5", 20e-1 as "2.0", 3e2 as "300". False (OUT is empty) if it does not fit SIZE bytes with the
 * NUL. */
bool decimal_fixed(char *out, size_t size, struct decimal d);

/* 25e4 as "2.5e+05", 20e4 as "2e+05", 0 as "0": no digit more than needed. False (OUT is empty) if it does
 * not fit. */
bool decimal_scientific(char *out, size_t size, struct decimal d);

/* V rounded to DECIMALS (0 to 15) places as printf does: exactly, ties to even. False if V is not finite or
 * has more digits than 53 bits hold. */
bool decimal_round(struct decimal *d, double v, int decimals);

#endif
