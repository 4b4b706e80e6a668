#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/buf.h"

static void test_grows_and_stays_terminated(void **state)
{
    (void)state;
    struct buf buf = {0};
    for (size_t i = 0; i < 10000; i++) {
        buf_putc(&buf, (char)('a' + i % 26));
        assert_int_equal(buf.len, i + 1);
        assert_int_equal(buf.at[buf.len], '\0');
        assert_true(buf.capacity > buf.len);
    }
    for (size_t i = 0; i < buf.len; i++)
        assert_int_equal(buf.at[i], 'a' + i % 26);
    buf_free(&buf);
    assert_null(buf.at);
    assert_int_equal(buf.len + buf.capacity, 0);
}

static void test_adds_bytes_and_texts(void **state)
{
    (void)state;
    struct buf buf = {0};
    buf_puts(&buf, "");
    assert_string_equal(buf.at, "");
    buf_add(&buf, "a\0b", 3);
    buf_puts(&buf, "c");
    buf_add(&buf, NULL, 0);
    assert_int_equal(buf.len, 4);
    assert_memory_equal(buf.at, "a\0bc", 5);
    buf_free(&buf);
}

static void test_prints_texts_of_any_length(void **state)
{
    (void)state;
    /* Around the size up to which a text is formatted on the stack. */
    for (int width = 250; width < 262; width++) {
        struct buf buf = {0};
        buf_printf(&buf, "%*d|", width, 7);
        buf_printf(&buf, "%s", "end");
        assert_int_equal(buf.len, width + 4);
        assert_string_equal(buf.at + width - 1, "7|end");
        buf_free(&buf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grows_and_stays_terminated),
        cmocka_unit_test(test_adds_bytes_and_texts),
        cmocka_unit_test(test_prints_texts_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
