/* Numbers as text and back, whatever the locale. */
#ifndef ATTNLAB_DATA_NUMBER_H
#define ATTNLAB_DATA_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_TEXT = 32 }; /* bytes that any number's text fits in, NUL included */

/* The shortest text that reads back to the same double, laid out as Python's repr does but without a trailing
 * ".0": 42, 0.1, 1e-05, 1e+16, nan, inf, -inf. Returns OUT. */
char *number_text(char out[NUMBER_TEXT], double value);

/* For people: VALUE in at most WIDTH columns (5 to 31) with up to DIGITS significant digits, in fixed
 * notation from 0.0001 to 10^7 (or to 10^DIGITS), else as 1.2e-08; with fewer digits where WIDTH is short,
 * and as 1.2e-8 only where not even two digits fit otherwise. Units are never rounded away: 12345.6 with
 * three digits is 12346. -0 is 0. Not finite: an em dash. In five columns what is below -10^99 is <-1e9, and
 * a tiny negative number 0. Returns OUT. */
char *number_show(char out[NUMBER_TEXT], double value, int digits, int width);

enum { NUMBER_FACTOR = NUMBER_TEXT + 2 };

/* The number SHOWN as it stands after a sign of multiplication or subtraction: a negative one in parentheses.
 * Returns OUT. */
char *number_factor(char out[NUMBER_FACTOR], const char *shown);

/* Reads a decimal number that fills the N bytes at TEXT (blanks around it allowed), correctly rounded.
 * DECIMAL is
 * '.' or ','. Also nan, inf, infinity with a sign, in any case. False: not a number. 1e400 reads as inf. */
bool number_parse(const char *text, size_t n, char decimal, double *value);

/* A whole number as torch.manual_seed takes it: -2^63 .. 2^64-1, negative ones counted from 2^64; also
 * written A^B, A^B+C, A^B-C (2^32+1). */
bool number_parse_seed(const char *text, uint64_t *seed);

#endif
