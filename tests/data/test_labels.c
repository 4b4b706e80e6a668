#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/buf.h"
#include "data/labels.h"

/* The labels as "a|b". */
static void assert_labels(const char *text, size_t n, const char *expected)
{
    struct labels labels = {0};
    struct buf seen = {0};
    struct error error = {0};
    if (!labels_parse("words.txt", text, n, &labels, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < labels.n; i++) {
        if (i > 0)
            buf_putc(&seen, '|');
        buf_puts(&seen, labels_at(&labels, i));
    }
    assert_string_equal(seen.at, expected);
    assert_string_equal(labels_at(&labels, labels.n), "");
    buf_free(&seen);
    labels_free(&labels);
}

static void test_one_label_a_line(void **state)
{
    (void)state;
    assert_labels("the\ncat\n", 8, "the|cat");
    assert_labels("the\r\ncat", 8, "the|cat");
    assert_labels("the\rcat\r", 8, "the|cat");
    assert_labels("  the cat \t\nsat", 15, "the cat|sat");
    assert_labels("a,b\n\"c\"", 7, "a,b|\"c\"");
    assert_labels("\xEF\xBB\xBF"
                  "\xE6\x88\x91\n\xE7\x88\xB1",
                  10, "\xE6\x88\x91|\xE7\x88\xB1");
}

static void test_blank_lines(void **state)
{
    (void)state;
    assert_labels("a\n\nb\n\n \n", 8, "a||b");
    assert_labels("\na", 2, "|a");
}

/* Each bad byte becomes three: ten thousand of them, cut to whole characters, still fit. */
static void test_labels_are_cleaned(void **state)
{
    char bad[10000];
    (void)state;
    assert_labels("\x1b[2J\n\xff", 6, "\xEF\xBF\xBD[2J|\xEF\xBF\xBD");
    memset(bad, 0xff, sizeof bad);
    struct labels labels = {0};
    assert_true(labels_parse("words.txt", bad, sizeof bad, &labels, NULL));
    assert_int_equal(labels.n, 1);
    assert_int_equal(strlen(labels_at(&labels, 0)), (LABEL_MAX - 1) / 3 * 3);
    labels_free(&labels);
    for (size_t i = 1; i < sizeof bad; i += 2)
        bad[i] = '\n';
    assert_true(labels_parse("words.txt", bad, sizeof bad, &labels, NULL));
    assert_int_equal(labels.n, sizeof bad / 2);
    assert_string_equal(labels_at(&labels, labels.n - 1), "\xEF\xBF\xBD");
    labels_free(&labels);
}

static void assert_refused(const char *text, size_t n, const char *expected)
{
    struct labels labels = {0};
    struct error error = {0};
    assert_false(labels_parse("words.txt", text, n, &labels, &error));
    assert_string_equal(error.text, expected);
    assert_int_equal(labels.n, 0);
}

static void test_refusals(void **state)
{
    (void)state;
    assert_refused("", 0, "words.txt: empty, expected one label a line");
    assert_refused("\n \n", 3, "words.txt: empty, expected one label a line");
    assert_refused("\xff\xfe"
                   "a\0",
                   4, "words.txt: UTF-16 text, expected UTF-8");
    assert_refused("a\nb\0", 4, "words.txt:2: a NUL byte, expected text in UTF-8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_label_a_line),
        cmocka_unit_test(test_blank_lines),
        cmocka_unit_test(test_labels_are_cleaned),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
