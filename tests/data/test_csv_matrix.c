#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/buf.h"
#include "data/csv_matrix.h"
#include "data/number.h"

static void add_labels(struct buf *out, const struct labels *labels)
{
    for (size_t i = 0; i < labels->n; i++)
        buf_printf(out, i > 0 ? "|%s" : "%s", labels_at(labels, i));
}

/* The matrix as "column labels / row labels / 1 2; 3 4". */
static void assert_matrix(const char *text, const char *expected, const char *note)
{
    struct csv_matrix m;
    struct buf seen = {0};
    struct error error = {0};
    if (!csv_matrix_parse("m.csv", text, strlen(text), &m, &error))
        fail_msg("%s", error.text);
    add_labels(&seen, &m.col_label);
    buf_puts(&seen, " / ");
    add_labels(&seen, &m.row_label);
    buf_puts(&seen, " / ");
    for (size_t i = 0; i < m.rows * m.cols; i++) {
        char number[NUMBER_TEXT];
        buf_printf(&seen, i == 0 ? "%s" : i % m.cols == 0 ? "; %s" : " %s", number_text(number, m.at[i]));
    }
    assert_string_equal(seen.at, expected);
    char guess[128];
    if (note)
        assert_string_equal(csv_matrix_text(&m, guess, sizeof guess), note);
    buf_free(&seen);
    csv_matrix_free(&m);
}

static void test_bare_matrices(void **state)
{
    (void)state;
    assert_matrix("0.7,0.3\n0.2,0.8\n", " /  / 0.7 0.3; 0.2 0.8", "comma-separated, no labels");
    assert_matrix("# layer 3\n0.7,0.3\n0.2,0.8\n", " /  / 0.7 0.3; 0.2 0.8",
                  "comma-separated, no labels, comment lines skipped: 1");
    assert_matrix("# the cat\n0.7 0.3\n0.2 0.8\n", "the|cat /  / 0.7 0.3; 0.2 0.8",
                  "blank-separated, labels of columns");
    assert_matrix("0,5 0,5\n0,25 0,75\n", " /  / 0.5 0.5; 0.25 0.75",
                  "blank-separated, decimal comma, no labels");
    assert_matrix("0,7;0,3\n0,2;0,8\n", " /  / 0.7 0.3; 0.2 0.8",
                  "semicolon-separated, decimal comma, no labels");
    assert_matrix("0.7\t0.3\r\n0.2\t0.8", " /  / 0.7 0.3; 0.2 0.8", "tab-separated, no labels");
    assert_matrix("7e-1 3e-1\n2e-1 8e-1\n", " /  / 0.7 0.3; 0.2 0.8", "blank-separated, no labels");
    assert_matrix("0.2 0.3 0.5\n", " /  / 0.2 0.3 0.5", "blank-separated, no labels");
    assert_matrix("1\n2\n", " /  / 1; 2", "one column, no labels");
    assert_matrix("1,2,\n3,4,\n", " /  / 1 2; 3 4", NULL);
    assert_matrix("1,2\n\n3,4\n\n", " /  / 1 2; 3 4", NULL);
    assert_matrix("1,-inf\nnan,inf\n", " /  / 1 -inf; nan inf", NULL);
    assert_matrix("1e308,-1e-400\n", " /  / 1e+308 -0", NULL);
    assert_matrix("1,NA\n,4\n", " /  / 1 nan; nan 4", NULL);
}

static void test_labels(void **state)
{
    (void)state;
    assert_matrix("the,cat\n1,2\n3,4\n", "the|cat /  / 1 2; 3 4", "comma-separated, labels of columns");
    assert_matrix("I,1,2\nyou,3,4\n", " / I|you / 1 2; 3 4", "comma-separated, labels of rows");
    assert_matrix(",the,cat\nI,1,2\nyou,3,4\n", "the|cat / I|you / 1 2; 3 4",
                  "comma-separated, labels of rows and columns");
    assert_matrix("query,the,cat\nI,1,2\nyou,3,4\n", "the|cat / I|you / 1 2; 3 4", NULL);
    /* Without a corner, as R writes it; the row labels may then be numbers. */
    assert_matrix("the,cat\n7,1,2\n8,3,4\n", "the|cat / 7|8 / 1 2; 3 4", NULL);
    assert_matrix("\"a,b\",\"say \"\"c\"\"\"\n1,2\n", "a,b|say \"c\" /  / 1 2", NULL);
    /* A word that is a number among the words. */
    assert_matrix(",the,3,cats\nthe,1,2,3\n3,4,5,6\ncats,7,8,9\n",
                  "the|3|cats / the|3|cats / 1 2 3; 4 5 6; 7 8 9", NULL);
    assert_matrix("\xE6\x88\x91,\x1b[2J\n1,2\n", "\xE6\x88\x91|\xEF\xBF\xBD[2J /  / 1 2", NULL);
    assert_matrix("a\n1\n", "a /  / 1", "one column, labels of columns");
}

/* pandas' to_csv counts both axes under an empty corner; anywhere else an empty first field is a missing
 * number. */
static void test_numbered_axes(void **state)
{
    (void)state;
    assert_matrix(",0,1\n0,0.7,0.3\n1,0.2,0.8\n", "0|1 / 0|1 / 0.7 0.3; 0.2 0.8", NULL);
    assert_matrix(",0,1\n0,0.7,0.3\n5,0.2,0.8\n", " /  / nan 0 1; 0 0.7 0.3; 5 0.2 0.8", NULL);
    assert_matrix(",0,5\n0,0.7,0.3\n", " /  / nan 0 5; 0 0.7 0.3", NULL);
}

static void assert_refused(const char *text, const char *expected)
{
    struct csv_matrix m;
    struct error error = {0};
    if (csv_matrix_parse("m.csv", text, strlen(text), &m, &error))
        fail_msg("accepted; expected: %s", expected);
    assert_int_equal(error.status, STATUS_FAILED);
    assert_string_equal(error.text, expected);
    assert_null(m.at);
}

static void test_refusals(void **state)
{
    (void)state;
    assert_refused("0.7,0.3,0\n0.2,0.8\n0.1,0.1,0.8\n", "m.csv:2: only 2 of 3 fields");
    assert_refused("0.7,0.3\n0.2,0.8\n0.1,0.1,0.8\n", "m.csv:3: 3 fields, expected 2");
    assert_refused("a,b,c\n1,2\n3,4\n", "m.csv:2: only 2 of 3 fields");
    assert_refused("a,b\n1,2,3,4\n", "m.csv:2: 4 fields, expected 2");
    assert_refused("", "m.csv: empty, expected rows of numbers");
    assert_refused("\n\n", "m.csv: empty, expected rows of numbers");
    assert_refused("the,cat\n", "m.csv: labels without rows, expected rows of numbers");
    assert_refused("1,2\n3,4x\n", "m.csv:2: '4x' is no number");
    assert_refused("1,2,3\n4x,5,6\n7,8,9\n", "m.csv:2: '4x' is no number");
    assert_refused("1,2\n3,1e400\n", "m.csv:2: '1e400' is too large, expected numbers up to 1.79e308");
    assert_refused("a,b\n-2e308,-inf\n", "m.csv:2: '-2e308' is too large, expected numbers up to 1.79e308");
    assert_refused("0.1;0,2\n",
                   "m.csv:1: decimal points and commas, expected one of them (a point in line 1, a comma "
                   "in line 1)");
    assert_refused("1,2\n3,\"4\n", "m.csv:2: a quote that is never closed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bare_matrices),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_numbered_axes),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
