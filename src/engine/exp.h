/* exp() for many non-positive numbers at once: the same bits on every machine and libc, written so that
 * compilers vectorise it. */
#ifndef ATTNLAB_ENGINE_EXP_H
#define ATTNLAB_ENGINE_EXP_H

#include <stddef.h>

/* X[i] = exp(X[i]) for I < N, within 2 ulp of the true value. X must not be NaN nor above 700; below -700,
 * -inf included, the result is exactly 0. */
void exp_array(double *x, size_t n);

#endif
