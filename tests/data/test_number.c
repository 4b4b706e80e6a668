#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "data/buf.h"
#include "data/number.h"
#include "data/table.h"
#include "data/utf8.h"

static bool parse(const char *text, char decimal, double *value)
{
    return number_parse(text, strlen(text), decimal, value);
}

static double bits_as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* What Python 3.11 prints for repr(value), without a trailing ".0". */
static const struct {
    double value;
    const char *text;
} as_python[] = {
    {0x1.999999999999ap-4, "0.1"},
    {0x1.5555555555555p-2, "0.3333333333333333"},
    {0x1.5555555555555p-1, "0.6666666666666666"},
    {0x0.0000000000001p-1022, "5e-324"},
    {0x1.0000000000000p-1022, "2.2250738585072014e-308"},
    {0x1.fffffffffffffp+1023, "1.7976931348623157e+308"},
    {0x1.1c37937e08000p+53, "1e+16"},
    {0x1.1c37937e07fffp+53, "9999999999999998"},
    {0x1.c6bf526340000p+49, "1000000000000000"},
    {0x1.b69b4ba630f35p+56, "1.2345678901234568e+17"},
    {0x1.a36e2eb1c432dp-14, "0.0001"},
    {0x1.4f8b588e368f1p-17, "1e-05"},
    {0x1.0f0cf064dd592p+73, "1e+22"},
    {0x1.52d02c7e14af6p+76, "1e+23"},
    {0x1.0000000000000p+53, "9007199254740992"},
    {0x1.0000000000000p-44, "5.684341886080802e-14"},
    {0x1.9000000000000p+6, "100"},
    {-0x1.5400000000000p+5, "-42.5"},
    {0x1.921fb54442d18p+1, "3.141592653589793"},
    {0x1.0000000000000p+1023, "8.98846567431158e+307"},
    {0x1.1666666666666p+2, "4.35"},
    {0x1.3333333333333p-2, "0.3"},
    {0x1.0c6f7a0b5ed8dp-22, "2.5e-07"},
    {0x1.2d68720000000p+20, "1234567.125"},
    {0.0, "0"},
    {-0.0, "-0"},
    {1.0, "1"},
};

static void check_as_python(void)
{
    char text[NUMBER_TEXT];
    for (size_t i = 0; i < sizeof as_python / sizeof *as_python; i++) {
        double value;
        assert_string_equal(number_text(text, as_python[i].value), as_python[i].text);
        assert_true(parse(as_python[i].text, '.', &value));
        assert_memory_equal(&value, &as_python[i].value, sizeof value);
    }
}

static void test_text_is_python_s(void **state)
{
    char text[NUMBER_TEXT];
    (void)state;
    check_as_python();
    assert_string_equal(number_text(text, (double)NAN), "nan");
    assert_string_equal(number_text(text, HUGE_VAL), "inf");
    assert_string_equal(number_text(text, -HUGE_VAL), "-inf");
}

static void check_reads_back(double value)
{
    char text[NUMBER_TEXT];
    double again;
    number_text(text, value);
    if (!parse(text, '.', &again) || memcmp(&value, &again, sizeof value) != 0 || strtod(text, NULL) != value)
        fail_msg("%a became %s and then %a", value, text, again);
}

static void test_text_reads_back(void **state)
{
    (void)state;
    uint64_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        /* Knuth's MMIX generator: any pattern of bits is a fair case. */
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        if (isfinite(bits_as_double(bits)))
            check_reads_back(bits_as_double(bits));
        check_reads_back((double)(bits >> 40) / 1000);
    }
    for (int exponent = -1074; exponent < 1024; exponent++) {
        check_reads_back(ldexp(1, exponent));
        check_reads_back(nextafter(ldexp(1, exponent), 0));
        check_reads_back(-nextafter(ldexp(1, exponent), HUGE_VAL));
    }
}

static void test_parse_rounds_correctly(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0},
        {"  42\t", 42},
        {"+1.5", 1.5},
        {"-1.5e3", -1500},
        {".5", 0.5},
        {"5.", 5},
        {"1E2", 100},
        {"1e+2", 100},
        {"000012", 12},
        {"0e999999999999999999999", 0},
        {"1e400", (double)INFINITY},
        {"-1e99999999999999999999", -(double)INFINITY},
        {"1e-400", 0},
        {"1e-99999999999999999999", 0},
        {"inf", (double)INFINITY},
        {"-Infinity", -(double)INFINITY},
        {"+INF", (double)INFINITY},
        /* 2^53 + 1 lies between two doubles and goes to the even one; anything more goes up. */
        {"9007199254740993", 9007199254740992.0},
        {"9007199254740993.0000000000000000000000000000001", 9007199254740994.0},
        {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
        {"2.4703282292062328e-324", 0x1p-1074},
        {"2.4703282292062327e-324", 0},
        {"1.7976931348623158e308", DBL_MAX},
        {"1.7976931348623159e308", (double)INFINITY},
        {"123456789012345678901234567890e-20", 1234567890.1234567},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;
        if (!parse(cases[i].text, '.', &value) || value != cases[i].value)
            fail_msg("%s read as %a, not %a", cases[i].text, value, cases[i].value);
    }
    double value;
    assert_true(parse("-0", '.', &value));
    assert_true(value == 0 && signbit(value));
    assert_true(parse("NaN", '.', &value) && isnan(value));
    assert_true(parse("-nan", '.', &value) && isnan(value));
}

/* 1 + 2^-53 lies half way between 1 and the next double; its 53 decimals are followed by zeros and one last
 * digit, which decides. */
static void test_parse_looks_at_every_digit(void **state)
{
    static const char half_way[] = "1.00000000000000011102230246251565404236316680908203125";
    char text[2000];
    double value;
    (void)state;
    for (size_t length = sizeof half_way; length < sizeof text - 1; length += 97) {
        memset(text, '0', length);
        memcpy(text, half_way, sizeof half_way - 1);
        assert_true(number_parse(text, length, '.', &value));
        assert_true(value == 1.0);
        text[length - 1] = '1';
        assert_true(number_parse(text, length, '.', &value));
        assert_true(value == 1.0 + DBL_EPSILON);
    }
    memset(text, '0', sizeof text);
    text[1] = '.';
    memcpy(text + sizeof text - 7, "1e1995", 6);
    assert_true(number_parse(text, sizeof text - 1, '.', &value));
    assert_true(value == 1000);
}

static void test_parse_refuses_what_is_no_number(void **state)
{
    static const char *const cases[] = {
        "",        " ",    ".",   "-",       "+",     "e5",    "1e",  "1e+",  "1.2.3",
        "1,5",     "1 2",  "--1", "0x10",    "1f",    "1_000", "abc", "nanx", "infi",
        "infinit", "1e5.", "12-", "\u22121", "1'000", "- 1",   "+-1", "1\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value;
        if (parse(cases[i], '.', &value))
            fail_msg("'%s' read as %g", cases[i], value);
    }
}

static void test_parse_takes_the_decimal_sign_it_is_told(void **state)
{
    double value;
    (void)state;
    assert_true(parse("-1,25e1", ',', &value));
    assert_true(value == -12.5);
    assert_false(parse("1.25", ',', &value));
    /* Only N bytes are read. */
    assert_true(number_parse("12345", 2, '.', &value));
    assert_true(value == 12);
    assert_true(number_parse("1e5", 1, '.', &value));
    assert_true(value == 1);
}

static void test_show(void **state)
{
    static const struct {
        double value;
        int digits, width;
        const char *text;
    } cases[] = {
        {0, 4, 8, "0"},
        {-0.0, 4, 8, "0"},
        {1, 4, 8, "1"},
        {0.5, 4, 8, "0.5"},
        {3.14159265, 4, 8, "3.142"},
        {-3.14159265, 4, 8, "-3.142"},
        {0.00012345, 3, 12, "0.000123"},
        {0.000012345, 3, 12, "1.23e-05"},
        {1.2345e-8, 2, 8, "1.2e-08"},
        {12345.678, 3, 8, "12346"},
        {9999.6, 3, 8, "10000"},
        {999.96, 4, 8, "1000"},
        {0.99999, 4, 8, "1"},
        {1e22, 4, 8, "1e+22"},
        {9.3123e-6, 3, 7, "9.3e-06"}, /* not 9.31e-6: exponents have one style */
        {9.3123e-6, 3, 8, "9.31e-06"},
        {-1e-9, 4, 8, "-1e-09"},
        {0.012345, 4, 5, "0.012"},
        {123456.7, 4, 5, "1.2e5"},
        {-1e10, 4, 5, "-1e10"},
        {1e300, 4, 5, "1e300"},
        {-1e300, 4, 6, "-1e300"},
        {-1e300, 4, 5, "<-1e9"},
        {-1e-300, 4, 5, "0"},
        {(double)NAN, 4, 8, "\u2014"},
        {(double)INFINITY, 4, 8, "\u2014"},
        {-(double)INFINITY, 4, 8, "\u2014"},
    };
    char text[NUMBER_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(number_show(text, cases[i].value, cases[i].digits, cases[i].width),
                            cases[i].text);
}

/* Whatever the number: it fits, says nothing odd, and is as near as its digits allow. */
static void test_show_always_fits(void **state)
{
    (void)state;
    uint64_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double value = i % 2 ? bits_as_double(bits) : ldexp((double)(int64_t)bits, -(int)(bits % 80));
        int width = 5 + (int)((bits >> 32) % 27), digits = 1 + (int)((bits >> 20) % 17);
        char text[NUMBER_TEXT];
        double shown;
        number_show(text, value, digits, width);
        if (utf8_columns(text) > width)
            fail_msg("%a takes more than %d columns: %s", value, width, text);
        assert_string_not_equal(text, "-0");
        /* 1.7e308 may be shown as 2e+308, which is no double. */
        if (!isfinite(value) || text[0] == '<' || fabs(value) > 1e308)
            continue;
        assert_true(parse(text, '.', &shown) && isfinite(shown));
        if (width >= 8)
            assert_true(fabs(shown - value) <= 0.5 * fabs(value));
        if (width >= digits + 7)
            assert_true(fabs(shown - value) <= 0.5001 * fabs(value) * pow(10, 1 - digits));
    }
}

static void test_seeds(void **state)
{
    static const struct {
        const char *text;
        uint64_t seed;
    } good[] = {
        {"0", 0},
        {" 42 ", 42},
        {"18446744073709551615", UINT64_MAX},
        {"-1", UINT64_MAX},
        {"-9223372036854775808", (uint64_t)1 << 63},
        {"2^32", 4294967296u},
        {"2^32+1", 4294967297u},
        {"2^64-1", UINT64_MAX},
        {"2^63", (uint64_t)1 << 63},
        {"-2^63", (uint64_t)1 << 63},
        {"-2^63+1", ((uint64_t)1 << 63) + 1},
        {"10^3-1", 999},
        {"2^3-9", UINT64_MAX},
        {"7^0", 1},
        {"1^18446744073709551615", 1},
    };
    static const char *const bad[] = {
        "",
        "-",
        "abc",
        "1.5",
        "18446744073709551616",
        "-9223372036854775809",
        "2^64",
        "2^65",
        "-2^64",
        "2^",
        "^2",
        "2^3+",
        "2^-1",
        "1e3",
        "0^2",
        "2^3x",
        "0x10",
        "2 ^ 3",
        "3^41",
        "+-1",
        "-2^63-1",
        "2^64-18446744073709551616",
    };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t seed = 12345;
        if (!number_parse_seed(good[i].text, &seed) || seed != good[i].seed)
            fail_msg("%s read as %llu", good[i].text, (unsigned long long)seed);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t seed = 0;
        if (number_parse_seed(bad[i], &seed))
            fail_msg("'%s' read as %llu", bad[i], (unsigned long long)seed);
    }
}

/* Sets a locale that writes 0,5: an installed one, or one made for the occasion. */
static bool set_comma_locale(void)
{
    char directory[] = "/tmp/attnlab-locale-XXXXXX", command[256];
    if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8"))
        return true;
    if (!mkdtemp(directory))
        return false;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8", directory);
    bool made = system(command) == 0;
    setenv("LOCPATH", directory, 1);
    made = made && setlocale(LC_ALL, "de_DE.UTF-8");
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command) == 0 && made;
}

static void test_no_locale_matters(void **state)
{
    char text[NUMBER_TEXT];
    double value;
    (void)state;
    if (!set_comma_locale()) {
#ifdef __GLIBC__
        fail_msg("no locale with a decimal comma: localedef and the locale de_DE are needed");
#else
        print_message("this C library has no locale with a decimal comma\n");
        skip();
#endif
    }
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");

    check_as_python();
    assert_string_equal(number_show(text, -1234.5, 6, 10), "-1234.5");
    assert_true(parse("9007199254740993.0000000000000000000001", '.', &value));
    assert_true(value == 9007199254740994.0);
    assert_false(parse("1,5", '.', &value));
    struct table table = table_from_matrix((double[]){0.5, 1234567.25}, 1, 2);
    struct buf csv = {0};
    table_csv(&table, &csv);
    assert_string_equal(csv.at, "0.5,1234567.25\n");
    buf_free(&csv);
    table_free(&table);
    setlocale(LC_ALL, "C");
}

static void test_factors_have_parentheses(void **state)
{
    char text[NUMBER_FACTOR];
    (void)state;
    assert_string_equal(number_factor(text, "-35.75"), "(-35.75)");
    assert_string_equal(number_factor(text, "35.75"), "35.75");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_python_s),
        cmocka_unit_test(test_text_reads_back),
        cmocka_unit_test(test_parse_rounds_correctly),
        cmocka_unit_test(test_parse_looks_at_every_digit),
        cmocka_unit_test(test_parse_refuses_what_is_no_number),
        cmocka_unit_test(test_parse_takes_the_decimal_sign_it_is_told),
        cmocka_unit_test(test_show),
        cmocka_unit_test(test_factors_have_parentheses),
        cmocka_unit_test(test_show_always_fits),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_no_locale_matters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
