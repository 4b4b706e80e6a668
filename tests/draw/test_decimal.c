#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "draw/decimal.h"

static void assert_fixed(int64_t n, int e, const char *expected)
{
    char text[32];
    assert_true(decimal_fixed(text, sizeof text, (struct decimal){n, e}));
    assert_string_equal(text, expected);
}

static void assert_scientific(int64_t n, int e, const char *expected)
{
    char text[32];
    assert_true(decimal_scientific(text, sizeof text, (struct decimal){n, e}));
    assert_string_equal(text, expected);
}

static void test_texts(void **state)
{
    (void)state;
    assert_fixed(0, 0, "0");
    assert_fixed(0, -2, "0.00");
    assert_fixed(0, 3, "0");
    assert_fixed(25, -1, "2.5");
    assert_fixed(-5, -2, "-0.05");
    assert_fixed(3, 2, "300");
    assert_fixed(-12, 0, "-12");
    assert_scientific(2, 5, "2e+05");
    assert_scientific(25, 4, "2.5e+05");
    assert_scientific(-200, -10, "-2e-08");
    assert_scientific(1, 300, "1e+300");
    assert_scientific(0, 7, "0");
}

static void test_what_does_not_fit_is_refused(void **state)
{
    char text[6] = "before";
    (void)state;
    assert_true(decimal_fixed(text, sizeof text, (struct decimal){12345, 0}));
    assert_false(decimal_fixed(text, sizeof text, (struct decimal){123456, 0}));
    assert_string_equal(text, "");
    assert_false(decimal_fixed(text, sizeof text, (struct decimal){1, 300}));
    assert_false(decimal_fixed(text, sizeof text, (struct decimal){1, -300}));
    assert_false(decimal_scientific(text, sizeof text, (struct decimal){25, 4}));
}

/* What both notations print reads back as the value, and the value is what the C library reads. */
static void test_texts_read_back(void **state)
{
    uint64_t dice = 1;
    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct decimal d = {dice_below(&dice, 2000001) - 1000000, dice_below(&dice, 25) - 12};
        char fixed[64], scientific[64];
        assert_true(decimal_fixed(fixed, sizeof fixed, d));
        assert_true(decimal_scientific(scientific, sizeof scientific, d));
        assert_true(strtod(fixed, NULL) == decimal_value(d));
        assert_true(strtod(scientific, NULL) == decimal_value(d));
    }
}

/* The C library's printf rounds exactly; so must decimal_round, ties included. */
static void test_rounding_is_that_of_printf(void **state)
{
    uint64_t dice = 2;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        int decimals = dice_below(&dice, 7);
        double v = i % 2 ? dice_wild(&dice, 5) : (dice_below(&dice, 40001) - 20000) / 16.0;
        char expected[64], text[64];
        struct decimal d;
        assert_true(decimal_round(&d, v, decimals));
        assert_true(decimal_fixed(text, sizeof text, d));
        snprintf(expected, sizeof expected, "%.*f", decimals, v);
        /* An integer has no sign at zero. */
        const char *unsigned_zero =
            strtod(expected, NULL) == 0 && expected[0] == '-' ? expected + 1 : expected;
        assert_string_equal(text, unsigned_zero);
    }
}

static void test_rounding_refuses_what_it_cannot_hold(void **state)
{
    struct decimal d;
    (void)state;
    assert_false(decimal_round(&d, (double)NAN, 2));
    assert_false(decimal_round(&d, HUGE_VAL, 2));
    assert_false(decimal_round(&d, 1e300, 0));
    assert_false(decimal_round(&d, 1e15, 2));
    assert_true(decimal_round(&d, 1e15, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_what_does_not_fit_is_refused),
        cmocka_unit_test(test_texts_read_back),
        cmocka_unit_test(test_rounding_is_that_of_printf),
        cmocka_unit_test(test_rounding_refuses_what_it_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
