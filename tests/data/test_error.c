#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/error.h"
#include "data/utf8.h"

static void test_holds_status_and_sentence(void **state)
{
    (void)state;
    struct error error = {0};
    assert_false(error_set(&error, STATUS_USAGE, "%s:%d: no", "a.csv", 3));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_string_equal(error.text, "a.csv:3: no");
    assert_false(error_set(NULL, STATUS_FAILED, "nobody listens"));
}

static void test_is_one_clean_line(void **state)
{
    (void)state;
    struct error error = {0};
    error_set(&error, STATUS_FAILED, "a\nb\r\nc\rd \x1b[2J \x7f \xff e");
    assert_string_equal(error.text, "a b c d \uFFFD[2J \uFFFD \uFFFD e");
}

static void test_is_cut_between_characters(void **state)
{
    (void)state;
    char name[1200];
    struct error error = {0};
    for (size_t shift = 0; shift < 3; shift++) {
        for (size_t i = 0; i + 3 < sizeof name; i += 3)
            memcpy(name + i, "\u6E29", 3);
        name[sizeof name - 3] = '\0';
        error_set(&error, STATUS_FAILED, "%.*s%s", (int)shift, "ab", name);
        size_t length = strlen(error.text);
        assert_true(length < sizeof error.text && length > sizeof error.text - 4);
        for (const char *at = error.text; *at;)
            assert_int_not_equal(utf8_next(&at), 0xFFFD);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds_status_and_sentence),
        cmocka_unit_test(test_is_one_clean_line),
        cmocka_unit_test(test_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
