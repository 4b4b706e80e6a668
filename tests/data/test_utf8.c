#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/utf8.h"

static void test_every_character_comes_back(void **state)
{
    (void)state;
    for (uint32_t c = 1; c <= 0x10FFFF; c++) {
        char bytes[5];
        const char *at = bytes;
        if (c == 0xD800)
            c = 0xE000;
        size_t n = utf8_put(c, bytes);
        assert_int_equal(n, c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4);
        assert_int_equal(utf8_next(&at), c);
        assert_ptr_equal(at, bytes + n);
        assert_int_equal(utf8_next(&at), 0);
        assert_ptr_equal(at, bytes + n);
    }
}

/* One U+FFFD for each byte that is not part of a well-formed sequence (Unicode, table 3-7). */
static void test_bad_bytes_are_replaced_one_by_one(void **state)
{
    static const struct {
        const char *bytes;
        size_t replaced;
    } cases[] = {
        {"\x80", 1},
        {"\xBF\xBF", 2},
        {"\xC0\x80", 2},
        {"\xC1\xBF", 2},
        {"\xC3", 1},
        {"\xE0\x80\x80", 3},
        {"\xE0\x9F\xBF", 3},
        {"\xED\xA0\x80", 3},
        {"\xED\xBF\xBF", 3},
        {"\xE6\xB8", 2},
        {"\xF0\x80\x80\x80", 4},
        {"\xF0\x8F\xBF\xBF", 4},
        {"\xF4\x90\x80\x80", 4},
        {"\xF5\x80\x80\x80", 4},
        {"\xF0\x9F\x98", 3},
        {"\xFE\xFF", 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = cases[i].bytes;
        for (size_t k = 0; k < cases[i].replaced; k++) {
            assert_int_equal(utf8_next(&at), 0xFFFD);
            assert_ptr_equal(at, cases[i].bytes + k + 1);
        }
        assert_int_equal(utf8_next(&at), 0);
    }
    const char *at = "\xE6\xB8"
                     "A";
    utf8_next(&at);
    utf8_next(&at);
    assert_int_equal(utf8_next(&at), 'A');
}

static void test_no_character_is_put_as_replacement(void **state)
{
    (void)state;
    char bytes[5];
    assert_int_equal(utf8_put(0xD800, bytes), 3);
    assert_string_equal(bytes, "\uFFFD");
    utf8_put(0x110000, bytes);
    assert_string_equal(bytes, "\uFFFD");
}

static void test_widths_of_known_characters(void **state)
{
    static const struct {
        uint32_t character;
        int width;
    } cases[] = {
        {'a', 1},     {0xE9, 1},    {0xAD, 1},    {0x301, 0},   {0x200D, 0}, {0xFE0F, 0}, {0x6E29, 2},
        {0x4E00, 2},  {0x9FFF, 2},  {0xAC00, 2},  {0x1100, 2},  {0x1160, 0}, {0x11FF, 0}, {0xD7B0, 0},
        {0x3042, 2},  {0xFF21, 2},  {0xFF71, 1},  {0x3000, 2},  {0x302A, 0}, {0x3099, 0}, {0x1F600, 2},
        {0x1F3B2, 2}, {0x20000, 2}, {0x3FFFD, 2}, {0x3FFFE, 1}, {0x2500, 1}, {0x2588, 1}, {0x2800, 1},
        {0x03B1, 1},  {0x20DD, 0},  {0xE0100, 0}, {0x1F1E6, 1}, {0xFFFD, 1}, {0x4DFF, 1}, {0x10FFFF, 1},
        {'\n', -1},   {0x1B, -1},   {0x7F, -1},   {0x80, -1},   {0x9F, -1},  {0xA0, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (utf8_width(cases[i].character) != cases[i].width)
            fail_msg("U+%04X is %d wide, not %d", (unsigned)cases[i].character,
                     utf8_width(cases[i].character), cases[i].width);
    }
}

/* How many characters of each page of 4096 are 0 and 2 cells wide, counted one by one with Python's
 * unicodedata (Unicode 14): an Mn, Me, Cf but U+00AD, a Hangul vowel or final; East Asian Width W or F. */
static void test_widths_of_all_characters(void **state)
{
    static const struct {
        uint32_t page;
        int zero, wide;
    } pages[] = {
        {0x00, 597, 0},    {0x01, 442, 96},  {0x02, 94, 403}, {0x03, 6, 4058}, {0x04, 0, 4032},
        {0x0A, 103, 2273}, {0x0D, 80, 1956}, {0x0F, 37, 683}, {0x10, 43, 0},   {0x11, 300, 0},
        {0x13, 9, 0},      {0x16, 18, 6},    {0x17, 0, 4096}, {0x18, 0, 3287}, {0x1A, 0, 13},
        {0x1B, 6, 694},    {0x1C, 69, 0},    {0x1D, 160, 0},  {0x1E, 64, 0},   {0x1F, 0, 1150},
        {0x2F, 0, 4094},   {0x3F, 0, 4094},  {0xE0, 337, 0},
    };
    (void)state;
    size_t known = 0;
    for (uint32_t page = 0; page <= 0x10F; page++) {
        int zero = 0, wide = 0;
        for (uint32_t c = page << 12; c < (page + 1) << 12; c++) {
            zero += utf8_width(c) == 0;
            wide += utf8_width(c) == 2;
        }
        if (known < sizeof pages / sizeof *pages && pages[known].page == page) {
            assert_int_equal(zero, pages[known].zero);
            assert_int_equal(wide, pages[known].wide);
            known++;
        } else {
            int ideographs = (page >= 0x05 && page <= 0x09) || (page >= 0x0B && page <= 0x0C) ||
                             (page >= 0x20 && page <= 0x3E);
            assert_int_equal(zero, 0);
            assert_int_equal(wide, ideographs ? 4096 : 0);
        }
    }
}

static void test_columns_of_texts(void **state)
{
    (void)state;
    assert_int_equal(utf8_columns(""), 0);
    assert_int_equal(utf8_columns("attention"), 9);
    assert_int_equal(utf8_columns("\u6E29\u5EA6 x"), 6);
    assert_int_equal(utf8_columns("e\u0301"), 1);
    assert_int_equal(utf8_columns("e\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309"), 1);
    assert_int_equal(utf8_columns("\x1b[2J\xff"), 5);
}

static void test_clean(void **state)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"plain", "plain"},
        {"a\x1b[31mb", "a\uFFFD[31mb"},
        {"a\tb", "a\uFFFDb"},
        {"one\ntwo\r\nthree\rfour", "one two three four"},
        {"\u2028\u2029\xC2\x85", "   "},
        {"\xC2\x9B"
         "2J",
         "\uFFFD2J"},
        {"\u202Egnp.exe\u2066\u200F\u061C", "\uFFFDgnp.exe\uFFFD\uFFFD\uFFFD"},
        {"\xff\xfe", "\uFFFD\uFFFD"},
        {"\u6E29e\u0301", "\u6E29e\u0301"},
    };
    char out[64];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(utf8_clean(out, sizeof out, cases[i].from), cases[i].to);
}

static void test_lines_end_where_they_may(void **state)
{
    static const struct {
        const char *text;
        int cols;
        const char *line;
    } cases[] = {
        {"a line of words", 6, "a line"},
        {"a line of words", 8, "a line"},
        {"words", 3, "wor"},
        {"two\nlines", 8, "two"},
        {"short", 8, "short"},
        {"softmax \u5373\u53EF", 10, "softmax \u5373"},
        {"\u4E0D\u662F UTF-8 \u65F6\uFF0C\u7528", 14, "\u4E0D\u662F UTF-8"}, /* no comma begins a line */
        {"\u4E0D\u662F UTF-8 \u65F6\uFF0C\u7528", 15, "\u4E0D\u662F UTF-8 \u65F6\uFF0C"},
        {"\u6838\uFF08\u952E\uFF09", 4, "\u6838"}, /* no opening bracket ends one */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[32] = "";
        memcpy(line, cases[i].text, (size_t)(utf8_line_end(cases[i].text, cases[i].cols) - cases[i].text));
        assert_string_equal(line, cases[i].line);
    }
}

static void test_clean_cuts_between_characters(void **state)
{
    static const char *const cut[] = {"", "", "", "\u6E29", "\u6E29", "\u6E29", "\u6E29\u5EA6"};
    (void)state;
    for (size_t size = 1; size <= 7; size++) {
        char out[8] = "xxxxxxx";
        utf8_clean(out, size, "\u6E29\u5EA6");
        assert_string_equal(out, cut[size - 1]);
    }
    char untouched = 'x';
    utf8_clean(&untouched, 0, "abc");
    assert_int_equal(untouched, 'x');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_character_comes_back),
        cmocka_unit_test(test_bad_bytes_are_replaced_one_by_one),
        cmocka_unit_test(test_no_character_is_put_as_replacement),
        cmocka_unit_test(test_widths_of_known_characters),
        cmocka_unit_test(test_widths_of_all_characters),
        cmocka_unit_test(test_columns_of_texts),
        cmocka_unit_test(test_lines_end_where_they_may),
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_clean_cuts_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
