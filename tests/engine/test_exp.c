#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/exp.h"
#include "engine/mem.h"

static double exp_of(double x)
{
    exp_array(&x, 1);
    return x;
}

/* Needs a long double that knows exp better than double does. */
static double ulps_off(double got, double x)
{
    const long double truth = expl((long double)x);
    const double ulp = ldexp(DBL_EPSILON, ilogb((double)truth));

    return (double)fabsl((long double)got - truth) / ulp;
}

static void check_grid(double lo, double hi, size_t n)
{
    double *x = mem_new(n, sizeof(double)), *y;

    for (size_t i = 0; i < n; i++)
        x[i] = lo + (hi - lo) * (double)i / (double)(n - 1);
    y = mem_copy(x, n, sizeof(double));
    exp_array(y, n);
    for (size_t i = 0; i < n; i++)
        if (!(ulps_off(y[i], x[i]) <= 2))
            fail_msg("exp(%.17g) is %.17g, off by %g ulp", x[i], y[i], ulps_off(y[i], x[i]));
    free(x);
    free(y);
}

static void test_within_two_ulp(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64)
        skip();
    check_grid(-700, 700, 1000003);
    check_grid(-40, 0, 1000003);
    check_grid(-1, 1, 200001);
    check_grid(-1e-7, 1e-7, 10001);
}

static void test_exact_values(void **state)
{
    (void)state;
    assert_true(exp_of(0.0) == 1);
    assert_true(exp_of(-0.0) == 1);
    assert_true(exp_of(-HUGE_VAL) == 0);
    assert_true(exp_of(-DBL_MAX) == 0);
    assert_true(exp_of(nextafter(-700, -1000)) == 0);
    assert_true(exp_of(-700) > 0);
    assert_true(exp_of(-DBL_TRUE_MIN) == 1);
}

/* Whether a value stands in the vectorised part of the loop or in its rest must not show. */
static void test_the_place_in_the_array_does_not_matter(void **state)
{
    enum { N = 37 };

    (void)state;
    for (size_t n = 1; n <= N; n++) {
        double x[N + 1];

        for (size_t i = 0; i <= n; i++)
            x[i] = -0.37 * (double)i;
        exp_array(x, n);
        for (size_t i = 0; i < n; i++)
            assert_true(x[i] == exp_of(-0.37 * (double)i));
        assert_true(x[n] == -0.37 * (double)n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_within_two_ulp),
        cmocka_unit_test(test_exact_values),
        cmocka_unit_test(test_the_place_in_the_array_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
