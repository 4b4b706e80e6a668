#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "draw/axis.h"

#define SLACK 1e-8

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-12 * fmax(1, fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

static void assert_texts(struct axis axis, int most, const char *expected)
{
    struct ticks ticks = axis_ticks(&axis, most);
    char all[TICKS_MAX * 17] = "";
    for (int i = 0; i < ticks.n; i++) {
        strcat(all, i ? " " : "");
        strcat(all, ticks.text[i]);
    }
    assert_string_equal(all, expected);
}

/* The two-digit mantissa of a number, 10 to 99. */
static int leading_digits(double v)
{
    double scale = pow(10, floor(log10(v) + 1e-9) - 1);
    return (int)lround(v / scale);
}

/* What holds for the ticks of any axis. */
static void assert_sound_ticks(const struct axis *axis, int most, const struct ticks *ticks)
{
    struct axis sound = axis_sound(axis);
    assert_in_range(ticks->n, 0, most);
    for (int i = 0; i < ticks->n; i++) {
        double place = axis_place(&sound, ticks->at[i]);
        assert_true(isfinite(ticks->at[i]));
        assert_true(place >= -SLACK && place <= 1 + SLACK);
        assert_true(strlen(ticks->text[i]) > 0);
        assert_true(strtod(ticks->text[i], NULL) == ticks->at[i]);
        if (i > 0)
            assert_true(ticks->at[i] > ticks->at[i - 1]);
    }
}

static int decimals_of(const char *text)
{
    const char *point = strchr(text, '.');
    return point ? (int)strlen(point + 1) : 0;
}

static void test_places_follow_the_scales(void **state)
{
    const struct axis linear = {.lo = -2, .hi = 6}, logarithmic = {.lo = 0.1, .hi = 1000, .scale = SCALE_LOG};
    const struct axis both = {.lo = -50, .hi = 200, .scale = SCALE_ASINH, .knee = 0.5};
    (void)state;
    assert_near(axis_place(&linear, -2), 0);
    assert_near(axis_place(&linear, 0), 0.25);
    assert_near(axis_place(&linear, 6), 1);
    assert_near(axis_place(&linear, 14), 2);
    assert_near(axis_place(&logarithmic, 1), 0.25);
    assert_near(axis_place(&logarithmic, 10), 0.5);
    for (double v = -50; v <= 200; v += 12.5)
        assert_near(axis_place(&both, v), (asinh(v / 0.5) - asinh(-100)) / (asinh(400) - asinh(-100)));
    assert_true(isnan(axis_place(&linear, (double)NAN)) && isnan(axis_place(&logarithmic, (double)NAN)));
    assert_true(isnan(axis_place(&both, (double)NAN)));
    assert_true(axis_place(&logarithmic, 0) == -HUGE_VAL && axis_place(&logarithmic, -1) == -HUGE_VAL);
}

static void test_places_on_the_whole_range_of_doubles(void **state)
{
    const struct axis widest = {.lo = -DBL_MAX, .hi = DBL_MAX}, small = {.lo = 0, .hi = 1e-300};
    (void)state;
    assert_near(axis_place(&widest, 0), 0.5);
    assert_near(axis_place(&widest, DBL_MAX), 1);
    assert_near(axis_place(&small, 5e-301), 0.5);
}

static void test_unfit_ends_are_replaced(void **state)
{
    const struct {
        struct axis given;
        double lo, hi;
    } cases[] = {
        {{.lo = 3, .hi = 3}, 1.5, 4.5},
        {{.lo = 0, .hi = 0}, -0.5, 0.5},
        {{.lo = -10, .hi = -10}, -15, -5},
        {{.lo = 1, .hi = 0}, 0, 1},
        {{.lo = (double)NAN, .hi = 2}, 0, 1},
        {{.lo = HUGE_VAL, .hi = -HUGE_VAL}, 0, 1},
        {{.lo = 5, .hi = 5 + 1e-14}, 2.5, 7.5},
        {{.lo = 0, .hi = 1e-310}, -0.5, 0.5},
        {{.lo = 2, .hi = 3}, 2, 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct axis sound = axis_sound(&cases[i].given);
        assert_near(sound.lo, cases[i].lo);
        assert_near(sound.hi, cases[i].hi);
    }
    struct axis logarithmic = axis_sound(&(struct axis){.lo = -1, .hi = 10, .scale = SCALE_LOG});
    assert_true(logarithmic.lo > 0 && logarithmic.lo < logarithmic.hi);
}

static void test_known_ticks(void **state)
{
    (void)state;
    assert_texts((struct axis){.lo = 0, .hi = 1}, 6, "0.0 0.2 0.4 0.6 0.8 1.0");
    assert_texts((struct axis){.lo = 0, .hi = 1}, 5, "0.0 0.5 1.0");
    assert_texts((struct axis){.lo = 0, .hi = 5}, 6, "0 1 2 3 4 5");
    assert_texts((struct axis){.lo = -1.3, .hi = 4.9}, 4, "0 2 4");
    assert_texts((struct axis){.lo = 0, .hi = 0.3}, 4, "0.0 0.1 0.2 0.3");
    assert_texts((struct axis){.lo = 0, .hi = 8e5}, 5, "0 2e+05 4e+05 6e+05 8e+05");
    assert_texts((struct axis){.lo = 0, .hi = 1e-300}, 3, "0 5e-301 1e-300");
    assert_texts((struct axis){.lo = 0, .hi = 1e300}, 3, "0 5e+299 1e+300");
    assert_texts((struct axis){.lo = 1e6, .hi = 1e6 + 1}, 3, "1000000.0 1000000.5 1000001.0");
    assert_texts((struct axis){.lo = 0, .hi = 1, .whole = true}, 8, "0 1");
    assert_texts((struct axis){.lo = 0, .hi = 5, .whole = true}, 16, "0 1 2 3 4 5");
    assert_texts((struct axis){.lo = 1, .hi = 1000, .scale = SCALE_LOG}, 4, "1 10 100 1000");
    assert_texts((struct axis){.lo = 0.2, .hi = 30, .scale = SCALE_LOG}, 8, "0.2 0.5 1 2 5 10 20");
    assert_texts((struct axis){.lo = 1e-4, .hi = 1e8, .scale = SCALE_LOG}, 5, "0.001 1 1000 1e+06");
    assert_texts((struct axis){.lo = -100, .hi = 100, .scale = SCALE_ASINH, .knee = 1}, 7,
                 "-100 -10 -1 0 1 10 100");
    assert_texts((struct axis){.lo = -1, .hi = 1, .scale = SCALE_ASINH, .knee = 1}, 5,
                 "-1.0 -0.5 0.0 0.5 1.0");
}

/* Where no step has two to MOST ticks, the axis still carries two round numbers. */
static void test_an_axis_has_two_numbers(void **state)
{
    (void)state;
    assert_texts((struct axis){.lo = 0.1, .hi = 0.9}, 2, "0.2 0.8");
    assert_texts((struct axis){.lo = 2, .hi = 30, .scale = SCALE_LOG}, 2, "2 20");
}

static void test_linear_ticks_of_any_range(void **state)
{
    uint64_t dice = 3;
    (void)state;
    for (int i = 0; i < 5000; i++) {
        double a = dice_wild(&dice, i % 3 ? 6 : 300), b = dice_wild(&dice, i % 3 ? 6 : 300);
        struct axis axis = {.lo = fmin(a, b), .hi = fmax(a, b)};
        int most = 2 + dice_below(&dice, TICKS_MAX - 1);
        struct ticks ticks = axis_ticks(&axis, most);
        assert_sound_ticks(&axis, most, &ticks);
        if (fabs(axis.hi / 2 - axis.lo / 2) > 1e-9 * fmax(fabs(a), fabs(b)))
            assert_in_range(ticks.n, 2, most);
        for (int t = 1; t < ticks.n; t++) {
            double step = ticks.at[1] - ticks.at[0];
            assert_true(fabs(ticks.at[t] - ticks.at[t - 1] - step) <= 1e-3 * step);
            if (!strchr(ticks.text[0], 'e') && !strchr(ticks.text[t], 'e'))
                assert_int_equal(decimals_of(ticks.text[t]), decimals_of(ticks.text[0]));
        }
        if (ticks.n >= 3 && most >= 3) {
            int digits = leading_digits(ticks.at[2] / 2 - ticks.at[0] / 2);
            assert_true(digits == 10 || digits == 20 || digits == 50);
        }
    }
}

static void test_logarithmic_ticks_of_any_range(void **state)
{
    uint64_t dice = 4;
    (void)state;
    for (int i = 0; i < 1000; i++) {
        double a = pow(10, 300 * (2 * dice_real(&dice) - 1)), b = a * pow(10, 8 * dice_real(&dice));
        struct axis axis = {.lo = a, .hi = b, .scale = SCALE_LOG};
        int most = 2 + dice_below(&dice, TICKS_MAX - 1);
        struct ticks ticks = axis_ticks(&axis, most);
        assert_sound_ticks(&axis, most, &ticks);
        if (b > 10 * a)
            assert_in_range(ticks.n, 2, most);

        struct axis both = {
            .lo = -dice_real(&dice) * 1e4, .hi = 1e3, .scale = SCALE_ASINH, .knee = dice_real(&dice) + 0.01};
        ticks = axis_ticks(&both, most);
        assert_sound_ticks(&both, most, &ticks);
        assert_in_range(ticks.n, 2, most);
    }
}

static void test_whole_ticks_are_whole(void **state)
{
    uint64_t dice = 5;
    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct axis axis = {.lo = dice_wild(&dice, 4), .whole = true};
        axis.hi = axis.lo + 50 * dice_real(&dice);
        struct ticks ticks = axis_ticks(&axis, 8);
        assert_sound_ticks(&axis, 8, &ticks);
        for (int t = 0; t < ticks.n; t++)
            assert_true(ticks.at[t] == rint(ticks.at[t]));
    }
}

/* A stretched axis is the old one with more room above, its ticks whole cells apart. */
static void test_even_ticks(void **state)
{
    uint64_t dice = 6;
    int stretched = 0;
    (void)state;
    for (int i = 0; i < 2000; i++) {
        double lo = dice_wild(&dice, 3), hi = lo + pow(10, 6 * dice_real(&dice) - 3);
        struct axis axis = {.lo = lo, .hi = hi};
        double cells = 3 + dice_below(&dice, 40) - 0.25;
        int most = (int)cells / 3 + 2;
        struct ticks ticks = axis_ticks_even(&axis, most > TICKS_MAX ? TICKS_MAX : most, cells);
        assert_sound_ticks(&axis, TICKS_MAX, &ticks);
        assert_true(axis.lo == lo);
        assert_true(axis.hi - lo >= (hi - lo) * (1 - 1e-9) && axis.hi - lo <= 1.2 * (hi - lo) * (1 + 1e-9));
        if (axis.hi == hi)
            continue;
        stretched++;
        double step = ticks.at[1] - ticks.at[0];
        assert_true(ticks.n == TICKS_MAX || ticks.at[ticks.n - 1] + step > axis.hi - 1e-6 * step);
        for (int t = 1; t < ticks.n; t++) {
            double apart = (axis_place(&axis, ticks.at[t]) - axis_place(&axis, ticks.at[t - 1])) * cells;
            assert_true(fabs(apart - rint(apart)) < 1e-6 && apart > 0.5);
        }
    }
    assert_in_range(stretched, 1000, 2000);
}

static void test_ranges(void **state)
{
    const double v[] = {3, (double)NAN, -2, HUGE_VAL, 7, -HUGE_VAL}, nothing[] = {(double)NAN, HUGE_VAL};
    double lo = 1, hi = 0;
    (void)state;
    range_over(&lo, &hi, nothing, 2);
    assert_true(lo > hi);
    range_pad(&lo, &hi, 0.1);
    assert_true(lo == 0 && hi == 1);

    lo = 1;
    hi = 0;
    range_over(&lo, &hi, v, 6);
    assert_true(lo == -2 && hi == 7);
    range_pad(&lo, &hi, 0.1);
    assert_near(lo, -2.9);
    assert_near(hi, 7.9);

    lo = hi = 40;
    range_pad(&lo, &hi, 0.1);
    assert_true(lo == 20 && hi == 60);
    lo = -DBL_MAX;
    hi = DBL_MAX;
    range_pad(&lo, &hi, 0.1);
    assert_true(isfinite(lo) && isfinite(hi));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_follow_the_scales),
        cmocka_unit_test(test_places_on_the_whole_range_of_doubles),
        cmocka_unit_test(test_unfit_ends_are_replaced),
        cmocka_unit_test(test_known_ticks),
        cmocka_unit_test(test_an_axis_has_two_numbers),
        cmocka_unit_test(test_linear_ticks_of_any_range),
        cmocka_unit_test(test_logarithmic_ticks_of_any_range),
        cmocka_unit_test(test_whole_ticks_are_whole),
        cmocka_unit_test(test_even_ticks),
        cmocka_unit_test(test_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
