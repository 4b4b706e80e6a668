#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data/mo.h"

enum { PAIRS = 5, SIZE = 28 + 16 * PAIRS + 256 };

/* Sorted, as msgfmt writes them. */
static const char *const pairs[PAIRS][2] = {
    {"", "header"}, {"back", "\u8FD4\u56DE"}, {"loss", "\u635F\u5931"}, {"step", "\u6B65"}, {"weight", ""},
};

static void put_word(unsigned char *at, uint32_t word, bool big_endian)
{
    for (int i = 0; i < 4; i++)
        at[big_endian ? 3 - i : i] = (unsigned char)(word >> 8 * i);
}

/* A catalogue as the gettext manual draws it; returns its size. */
static size_t make_catalogue(unsigned char out[SIZE], bool big_endian)
{
    const uint32_t header[] = {0x950412DE, 0, PAIRS, 28, 28 + 8 * PAIRS, 0, 28 + 16 * PAIRS};
    for (size_t i = 0; i < 7; i++)
        put_word(out + 4 * i, header[i], big_endian);
    size_t end = 28 + 16 * PAIRS;
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < PAIRS; i++) {
            unsigned char *entry = out + 28 + 8 * (side * PAIRS + i);
            size_t length = strlen(pairs[i][side]);
            put_word(entry, (uint32_t)length, big_endian);
            put_word(entry + 4, (uint32_t)end, big_endian);
            memcpy(out + end, pairs[i][side], length + 1);
            end += length + 1;
        }
    }
    return end;
}

static void test_finds_texts_in_both_byte_orders(void **state)
{
    (void)state;
    for (int big_endian = 0; big_endian < 2; big_endian++) {
        unsigned char bytes[SIZE];
        size_t n = make_catalogue(bytes, big_endian);
        for (size_t i = 0; i < PAIRS; i++)
            assert_string_equal(mo_find(bytes, n, pairs[i][0]), pairs[i][1]);
        assert_null(mo_find(bytes, n, "bac"));
        assert_null(mo_find(bytes, n, "backs"));
        assert_null(mo_find(bytes, n, "zebra"));
    }
}

/* A copy of exactly N bytes, so that the sanitizer sees a read past them. */
static void look_everywhere(const unsigned char *bytes, size_t n)
{
    unsigned char *copy = malloc(n > 0 ? n : 1);
    memcpy(copy, bytes, n);
    for (size_t i = 0; i < PAIRS; i++) {
        const char *found = mo_find(copy, n, pairs[i][0]);
        if (found) {
            assert_true((const unsigned char *)found >= copy && (const unsigned char *)found < copy + n);
            assert_non_null(memchr(found, '\0', (size_t)(copy + n - (const unsigned char *)found)));
        }
    }
    free(copy);
}

static void test_stays_inside_broken_catalogues(void **state)
{
    (void)state;
    unsigned char bytes[SIZE];
    size_t n = make_catalogue(bytes, false);
    for (size_t cut = 0; cut < n; cut++)
        look_everywhere(bytes, cut);
    for (size_t i = 0; i < n; i++) {
        static const unsigned char values[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
        unsigned char old = bytes[i];
        for (size_t k = 0; k < sizeof values; k++) {
            bytes[i] = values[k];
            look_everywhere(bytes, n);
        }
        bytes[i] = old;
    }
    assert_null(mo_find(bytes, 27, "back"));
    assert_null(mo_find((const unsigned char *)"", 0, "back"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_texts_in_both_byte_orders),
        cmocka_unit_test(test_stays_inside_broken_catalogues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
