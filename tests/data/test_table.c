#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/table.h"

static struct table example(void)
{
    struct table table = table_new(3);
    double *x = table_add_numbers(&table, "x");
    size_t name = table_add_texts(&table, "name");
    x[0] = 0.1;
    x[2] = -HUGE_VAL;
    table_set_text(&table, name, 0, "red, \"coffee\"");
    table_set_text(&table, name, 2, "twice");
    table_set_text(&table, name, 2, "a\nb\x1b");
    return table;
}

static void assert_csv(struct table *table, const char *expected)
{
    struct buf out = {0};
    buf_puts(&out, "");
    table_csv(table, &out);
    assert_string_equal(out.at, expected);
    buf_free(&out);
}

static void assert_json(struct table *table, const char *expected)
{
    struct buf out = {0};
    table_json(table, &out);
    assert_string_equal(out.at, expected);
    buf_free(&out);
}

static void test_new_columns_are_missing(void **state)
{
    (void)state;
    struct table table = table_new(2);
    double *x = table_add_numbers(&table, "x");
    assert_int_equal(table_add_texts(&table, "t"), 1);
    assert_true(isnan(x[0]) && isnan(x[1]));
    assert_null(table.column[1].text[0]);
    assert_int_equal(table.n_columns, 2);
    table_free(&table);
    assert_int_equal(table.n_columns, 0);
}

static void test_csv_quotes_and_leaves_gaps(void **state)
{
    (void)state;
    struct table table = example();
    assert_csv(&table, "x,name\n0.1,\"red, \"\"coffee\"\"\"\n,\n-inf,a b\uFFFD\n");
    table_free(&table);
}

static void test_json_escapes_and_has_null(void **state)
{
    (void)state;
    struct table table = example();
    assert_json(&table,
                "{\"x\": [0.1, null, null], \"name\": [\"red, \\\"coffee\\\"\", null, \"a b\uFFFD\"]}");
    table_free(&table);
}

static void test_matrix_is_bare_rows(void **state)
{
    (void)state;
    const double at[] = {1, 0.25, (double)NAN, 1e-5, 1e16, 3};
    struct table table = table_from_matrix(at, 2, 3);
    assert_csv(&table, "1,0.25,nan\n1e-05,1e+16,3\n");
    assert_json(&table, "[[1, 0.25, null], [1e-05, 1e+16, 3]]");
    table_free(&table);
}

/* A blank line would be skipped by readers, and the rows after it would move up. */
static void test_single_column_keeps_its_rows(void **state)
{
    (void)state;
    struct table table = table_new(3);
    double *y = table_add_numbers(&table, "y");
    y[0] = 1;
    y[2] = 2;
    assert_csv(&table, "y\n1\n\"\"\n2\n");
    table_free(&table);
}

static void test_empty_tables(void **state)
{
    (void)state;
    struct table table = {0};
    assert_csv(&table, "");
    assert_json(&table, "{}");
    table_add_numbers(&table, "x");
    assert_csv(&table, "x\n");
    assert_json(&table, "{\"x\": []}");
    table_free(&table);
    table = table_from_matrix(NULL, 0, 0);
    assert_json(&table, "[]");
    table_free(&table);
}

static void test_json_string(void **state)
{
    struct buf out = {0};
    (void)state;
    json_string("\"\\/\b\t\n\x7f \xC2\x9B \u6E29 \U0001F600 \xff", &out);
    assert_string_equal(out.at, "\"\\\"\\\\/\\u0008\\u0009\\u000a\\u007f \\u009b \u6E29 \U0001F600 \uFFFD\"");
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_columns_are_missing),
        cmocka_unit_test(test_csv_quotes_and_leaves_gaps),
        cmocka_unit_test(test_json_escapes_and_has_null),
        cmocka_unit_test(test_matrix_is_bare_rows),
        cmocka_unit_test(test_single_column_keeps_its_rows),
        cmocka_unit_test(test_empty_tables),
        cmocka_unit_test(test_json_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
