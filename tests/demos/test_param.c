#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/utf8.h"
#include "demos/param.h"

static const char *const losses[] = {"sum", "half", "mean", NULL};

static const struct param rate = {.name = "lr",
                                  .kind = PARAM_REAL,
                                  .lo = 0,
                                  .hi = 1e6,
                                  .above_lo = true,
                                  .step = 0.001,
                                  .steps = STEPS_ONE_TWO_FIVE};
static const struct param width = {
    .name = "w", .kind = PARAM_REAL, .lo = -1e4, .hi = 1e4, .step = 0.01, .steps = STEPS_DIGIT};
static const struct param noise = {
    .name = "noise", .kind = PARAM_REAL, .unit = "s", .lo = 0, .hi = 5, .step = 0.1, .steps = STEPS_LINEAR};
static const struct param query = {
    .name = "query", .kind = PARAM_REAL, .lo = -INFINITY, .hi = INFINITY, .step = 0.1, .steps = STEPS_LINEAR};
static const struct param count = {
    .name = "n", .kind = PARAM_INTEGER, .lo = 2, .hi = 10000, .step = 1, .steps = STEPS_ONE_TWO_FIVE};
static const struct param loss = {.name = "loss", .kind = PARAM_CHOICE, .choices = losses};
static const struct param seed = {.name = "seed", .kind = PARAM_SEED};
static const struct param lens = {
    .name = "valid_lens", .kind = PARAM_LIST, .lo = 0, .hi = 64, .whole = true, .rows = true};
static const struct param values = {.name = "values", .kind = PARAM_LIST, .lo = -1e9, .hi = 1e9};
static const struct param column = {.name = "x", .kind = PARAM_TEXT};

static struct value parsed(const struct param *p, const char *text)
{
    struct value v = {0};
    struct error error = {0};

    if (!param_parse(p, text, &v, &error))
        fail_msg("%s refused: %s", text, error.text);
    return v;
}

/* TEXT is refused as a usage error whose sentence contains EXPECTED, and the old value stays. */
static void assert_refused(const struct param *p, const char *text, const char *expected)
{
    struct value v, before;
    struct error error = {0};

    memset(&v, 0x5a, sizeof v);
    before = v;
    if (param_parse(p, text, &v, &error))
        fail_msg("%s accepted \"%s\"", p->name, text);
    assert_int_equal(error.status, STATUS_USAGE);
    if (!strstr(error.text, expected))
        fail_msg("\"%s\" does not say \"%s\"", error.text, expected);
    assert_memory_equal(&v, &before, sizeof v);
}

static void assert_format(const struct param *p, const char *text, const char *expected)
{
    const struct value v = parsed(p, text);
    struct buf out = {0};
    struct value again;

    param_format(p, &v, &out);
    assert_string_equal(out.at, expected);
    again = parsed(p, out.at);
    assert_memory_equal(&again, &v, sizeof v);
    buf_free(&out);
}

static double adjusted(const struct param *p, const char *from, int steps)
{
    struct value v = parsed(p, from);

    assert_true(param_adjust(p, &v, steps));
    return v.number;
}

static void numbers_are_kept_within_their_range(void **state)
{
    (void)state;
    assert_true(parsed(&rate, " 0.5 ").number == 0.5);
    assert_true(parsed(&rate, "1e6").number == 1e6);
    assert_true(parsed(&noise, "0").number == 0);
    assert_false(signbit(parsed(&noise, "-0").number));
    assert_refused(&rate, "0", "above 0 to 1000000");
    assert_refused(&rate, "-1", "above 0 to 1000000");
    assert_refused(&noise, "5.01", "0 to 5");
    assert_refused(&noise, "", "0 to 5");
    assert_refused(&noise, "nan", "0 to 5");
    assert_refused(&noise, "0,5", "0 to 5");
    assert_refused(&noise, "1 2", "0 to 5");
    assert_refused(&query, "1e400", "any");
    assert_refused(&query, "-inf", "any");
    assert_true(parsed(&query, "-1e300").number == -1e300);
    assert_refused(&count, "2.5", "whole number (2 to 10000)");
    assert_refused(&count, "1", "2 to 10000");
}

static void choices_are_matched_exactly_and_the_nearest_named(void **state)
{
    (void)state;
    assert_true(parsed(&loss, "sum").number == 0);
    assert_true(parsed(&loss, " mean").number == 2);
    assert_refused(&loss, "maen", "mean");
    assert_refused(&loss, "", "sum");
    assert_refused(&loss, "su", "sum");
}

static void seeds_are_torchs(void **state)
{
    (void)state;
    assert_true(parsed(&seed, "42").seed == 42);
    assert_true(parsed(&seed, "2^32+1").seed == 4294967297u);
    assert_true(parsed(&seed, "18446744073709551615").seed == UINT64_MAX);
    assert_true(parsed(&seed, "-1").seed == UINT64_MAX);
    assert_refused(&seed, "18446744073709551616", "2^64-1");
    assert_refused(&seed, "1.5", "seed");
    assert_refused(&seed, "", "seed");
}

static void lists_come_plain_or_by_rows(void **state)
{
    struct value v = parsed(&lens, "2,3");

    (void)state;
    assert_int_equal(v.n_list, 2);
    assert_int_equal(v.n_rows, 1);
    assert_false(v.nested);
    v = parsed(&lens, "[[1, 3], [2, 4]]");
    assert_int_equal(v.n_list, 4);
    assert_int_equal(v.n_rows, 2);
    assert_true(v.list[1] == 3 && v.list[2] == 2);
    v = parsed(&lens, "[[1,2,3]]");
    assert_int_equal(v.n_list, 3);
    assert_int_equal(v.n_rows, 1);
    assert_true(v.nested);
    v = parsed(&lens, "[2, 3]");
    assert_int_equal(v.n_list, 2);
    assert_false(v.nested);
    assert_int_equal(parsed(&lens, "3").n_list, 1);
    assert_true(parsed(&values, "0.1,0.2,10").list[2] == 10);
}

/* masked_softmax(scores, None) is a case of its own, so none must be writable where it makes sense, and only
 * there. */
static void lists_may_be_none_where_that_is_allowed(void **state)
{
    struct param optional = lens;
    struct error error;
    struct value v = {0};
    struct buf text = {0};

    (void)state;
    optional.optional = true;
    static const char *const empty[] = {"none", "", "  ", " none "};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        v = parsed(&optional, empty[i]);
        assert_int_equal(v.n_list, 0);
        assert_false(param_parse(&lens, empty[i], &v, &error));
    }
    param_format(&optional, &v, &text);
    assert_string_equal(text.at, "none");
    buf_free(&text);
    assert_int_equal(parsed(&optional, "2,3").n_list, 2);
    assert_false(param_parse(&optional, "None,2", &v, &error));
    param_range(&optional, &text);
    assert_non_null(strstr(text.at, "none"));
    buf_free(&text);
}

static void malformed_lists_are_refused(void **state)
{
    static const char *const bad[] = {
        "",         ",",    "2,",       "2,,3",    "2 3",           "65",
        "-1",       "2.5",  "abc",      "[2,3",    "2,3]",          "[[1,3],[2]]",
        "1,3/2",    "[[1]", "[[1],[2",  "[1],[2]", "[1,3/2,4]",     "[[1,3]/[2,4]]",
        "[[1,3]2]", "1,3/", "[[1,3],]", "[[]]",    "[[1,3],[2,4]]]"};
    char many[3 * VALUE_LIST_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(&lens, bad[i], "whole numbers (0 to 64");
    assert_refused(&values, "1,3/2,4", "numbers (");
    assert_refused(&values, "[[1,3]]", "numbers (");

    for (size_t i = 0; i < VALUE_LIST_MAX; i++)
        memcpy(many + 2 * i, "1,", 2);
    many[2 * VALUE_LIST_MAX - 1] = '\0';
    assert_int_equal(parsed(&lens, many).n_list, VALUE_LIST_MAX);
    strcat(many, ",1");
    assert_refused(&lens, many, "numbers");
}

static void texts_are_kept_as_typed_or_refused(void **state)
{
    char text[VALUE_TEXT_MAX + 1];

    (void)state;
    assert_string_equal(parsed(&column, " weight, kg").text, " weight, kg");
    assert_string_equal(parsed(&column, "").text, "");
    memset(text, 'a', VALUE_TEXT_MAX);
    text[VALUE_TEXT_MAX] = '\0';
    assert_refused(&column, text, "95 bytes");
}

static void formatted_values_read_back(void **state)
{
    (void)state;
    assert_format(&query, "0.30000000000000004", "0.30000000000000004");
    assert_format(&rate, "0.5", "0.5");
    assert_format(&count, "1e3", "1000");
    assert_format(&loss, "half", "half");
    assert_format(&seed, "2^64-1", "18446744073709551615");
    assert_format(&lens, "[2, 3]", "2,3");
    assert_format(&lens, "[[1,3],[2,4]]", "1,3/2,4");
    assert_format(&lens, "[[1,2,3]]", "[[1,2,3]]");
    assert_format(&lens, "1/2", "1/2");
    assert_format(&column, "weight", "weight");
}

static void shown_values_keep_their_width(void **state)
{
    static const struct {
        const struct param *p;
        const char *text;
        int width;
        const char *shown;
    } cases[] = {
        {&width, "18.0545", 10, "18.0545"}, {&noise, "0.5", 8, "0.5 s"},    {&noise, "0.5", 5, "0.5 s"},
        {&noise, "0.5", 4, "0.5"},          {&loss, "half", 6, "half"},     {&loss, "half", 3, "ha…"},
        {&lens, "1,3/2,4", 7, "1,3/2,4"},   {&lens, "1,3/2,4", 5, "1,3/…"}, {&column, "权重公斤", 5, "权重…"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct value v = parsed(cases[i].p, cases[i].text);
        char out[64];

        param_show(cases[i].p, &v, cases[i].width, out, sizeof out);
        assert_string_equal(out, cases[i].shown);
    }
    for (int w = 0; w < 40; w++) {
        const struct value long_seed = parsed(&seed, "-1"), big = parsed(&query, "-1.2345678901e-300");
        char out[8];

        param_show(&seed, &long_seed, w, out, sizeof out);
        assert_true(utf8_columns(out) <= w);
        param_show(&query, &big, w, out, sizeof out);
        assert_true(utf8_columns(out) <= w);
    }
}

static void linear_steps_leave_no_noise(void **state)
{
    (void)state;
    assert_true(adjusted(&noise, "0.1", 2) == 0.3);
    assert_true(adjusted(&noise, "0", 7) == 0.7);
    assert_true(adjusted(&noise, "4.95", 1) == 5);
    assert_true(adjusted(&noise, "0.3", -10) == 0);
    assert_true(adjusted(&query, "-0.1", 1) == 0);
    assert_true(adjusted(&query, "1e18", 1) == 1e18);
}

static void one_two_five_steps_walk_the_decades(void **state)
{
    static const double up[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10};
    struct value v = parsed(&rate, "0.001");

    (void)state;
    for (size_t i = 1; i < sizeof up / sizeof *up; i++) {
        assert_true(param_adjust(&rate, &v, 1));
        assert_true(v.number == up[i]);
    }
    for (size_t i = sizeof up / sizeof *up - 1; i-- > 0;) {
        assert_true(param_adjust(&rate, &v, -1));
        assert_true(v.number == up[i]);
    }
    assert_true(param_adjust(&rate, &v, -1));
    assert_true(v.number == 0.001);
    assert_true(adjusted(&rate, "0.7", 1) == 1);
    assert_true(adjusted(&rate, "0.7", -1) == 0.5);
    assert_true(adjusted(&rate, "5e5", 3) == 1e6);
    assert_true(adjusted(&count, "50", 1) == 100);
    assert_true(adjusted(&count, "50", -1) == 20);
    assert_true(adjusted(&count, "5", -10) == 2);
    assert_true(adjusted(&count, "5", 100) == 10000);
}

static void digit_steps_move_the_second_digit_and_pass_through_zero(void **state)
{
    struct value v = parsed(&width, "0.02");

    (void)state;
    assert_true(adjusted(&width, "18", 1) == 19);
    assert_true(adjusted(&width, "18.0545", -1) == 18);
    assert_true(adjusted(&width, "3.3", 1) == 3.4);
    assert_true(adjusted(&width, "9.9", 1) == 10);
    assert_true(adjusted(&width, "10", 1) == 11);
    assert_true(adjusted(&width, "10", -1) == 9.9);
    assert_true(adjusted(&width, "-10", 1) == -9.9);
    assert_true(adjusted(&width, "-3.3", -1) == -3.4);
    for (int i = 0; i < 4; i++)
        assert_true(param_adjust(&width, &v, -1));
    assert_true(v.number == -0.02);
    assert_true(adjusted(&width, "9900", 5) == 1e4);
    for (int i = -99; i < 99; i++) {
        v.number = i;
        assert_true(param_adjust(&width, &v, 10));
        assert_true(v.number > i);
    }
}

static void choices_and_seeds_stop_at_their_ends(void **state)
{
    struct value v = parsed(&seed, "5");

    (void)state;
    assert_true(adjusted(&loss, "sum", 1) == 1);
    assert_true(adjusted(&loss, "sum", -3) == 0);
    assert_true(adjusted(&loss, "half", 10) == 2);
    assert_true(param_adjust(&seed, &v, -10));
    assert_true(v.seed == 0);
    v.seed = UINT64_MAX - 3;
    assert_true(param_adjust(&seed, &v, 10));
    assert_true(v.seed == UINT64_MAX);
    v = parsed(&lens, "2,3");
    assert_false(param_adjust(&lens, &v, 1));
}

static void sliders_follow_the_steps(void **state)
{
    struct param wide = width;
    struct value v = parsed(&noise, "2.5");

    (void)state;
    assert_true(param_place(&noise, &v) == 0.5);
    v = parsed(&width, "0");
    assert_true(fabs(param_place(&width, &v) - 0.5) < 1e-12);
    v = parsed(&width, "1e4");
    assert_true(param_place(&width, &v) == 1);
    v = parsed(&count, "2");
    assert_true(param_place(&count, &v) == 0);
    /* Decades take equal parts of the rail: asinh(x) is log(2x) within 1 / 4x^2. */
    v.number = 10;
    const double at_10 = param_place(&count, &v);
    v.number = 100;
    const double at_100 = param_place(&count, &v);
    v.number = 1000;
    assert_true(fabs((param_place(&count, &v) - at_100) - (at_100 - at_10)) < 1e-3);
    assert_true(param_place(&query, &v) == -1);
    assert_true(param_place(&loss, &v) == -1);

    wide.lo = -1e300;
    wide.hi = 1e300;
    v = parsed(&wide, "10");
    assert_true(param_place(&wide, &v) == -1);
    wide.usual_lo = 0;
    wide.usual_hi = 10;
    assert_true(param_place(&wide, &v) == 1);
    v.number = 1000;
    assert_true(param_place(&wide, &v) == 1);
}

static void names_are_found(void **state)
{
    const struct param params[] = {rate, loss};

    (void)state;
    assert_int_equal(param_find(params, 2, "loss"), 1);
    assert_int_equal(param_find(params, 2, "los"), 2);
    assert_int_equal(param_find(params, 0, "lr"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_kept_within_their_range),
        cmocka_unit_test(choices_are_matched_exactly_and_the_nearest_named),
        cmocka_unit_test(seeds_are_torchs),
        cmocka_unit_test(lists_come_plain_or_by_rows),
        cmocka_unit_test(lists_may_be_none_where_that_is_allowed),
        cmocka_unit_test(malformed_lists_are_refused),
        cmocka_unit_test(texts_are_kept_as_typed_or_refused),
        cmocka_unit_test(formatted_values_read_back),
        cmocka_unit_test(shown_values_keep_their_width),
        cmocka_unit_test(linear_steps_leave_no_noise),
        cmocka_unit_test(one_two_five_steps_walk_the_decades),
        cmocka_unit_test(digit_steps_move_the_second_digit_and_pass_through_zero),
        cmocka_unit_test(choices_and_seeds_stop_at_their_ends),
        cmocka_unit_test(sliders_follow_the_steps),
        cmocka_unit_test(names_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
