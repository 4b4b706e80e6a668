/* Reference tensors from tests/golden/ (PyTorch's numbers; make_golden.py says how they came about), for
 * tests that use cmocka. In meson.build: dependencies: [attnlab_dep, cmocka, golden_dep].
 *
 *     struct golden w = golden_load("nw_seed0.tsv", "w0");
 *     ... w.at[0] ...
 *     golden_free(&w);
 */
#ifndef ATTNLAB_TESTS_GOLDEN_H
#define ATTNLAB_TESTS_GOLDEN_H

#include <stddef.h>

struct golden {
    size_t rank, shape[5];
    size_t n;   /* values in all */
    double *at; /* row-major, owned */
};

/* The tensor NAME of FILE. Its values are the very float32 that PyTorch had, widened; a NAME that ends in
 * _f64 was float64 and is read as such. Fails the running test if there is no such file or tensor. */
struct golden golden_load(const char *file, const char *name);

/* Fails the running test unless the N values GOT are those of EXPECTED: |got - expected| <= abs + rel
 * |expected| each. NaN agrees with nothing. */
void golden_assert_close(const double *got, size_t n, const struct golden *expected, double abs, double rel);

/* The same for the tensor NAME of FILE; GOT has as many values. */
void golden_assert_tensor(const char *file, const char *name, const double *got, double abs, double rel);

/* As golden_assert_close for float32 bits: every single one must be equal. */
void golden_assert_same_floats(const float *got, size_t n, const struct golden *expected);

void golden_free(struct golden *golden);

#endif
