#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/buf.h"
#include "data/fields.h"

/* The records as text: [field|field] after their line, with a star at the end for an open quote. */
static void assert_records(const char *text, char separator, const char *expected)
{
    struct buf seen = {0};
    struct fields fields = fields_open(text, strlen(text), separator);
    buf_puts(&seen, "");
    while (fields_next_record(&fields)) {
        struct field field;
        buf_printf(&seen, "%zu[", fields.line);
        for (size_t i = 0; fields_next(&fields, &field); i++)
            buf_printf(&seen, i > 0 ? "|%.*s" : "%.*s", (int)field.n, field.at);
        buf_putc(&seen, ']');
    }
    if (fields.has_open_quote)
        buf_putc(&seen, '*');
    assert_string_equal(seen.at, expected);
    buf_free(&seen);
}

static void test_records(void **state)
{
    static const struct {
        const char *text;
        char separator;
        const char *records;
    } cases[] = {
        {"", ',', ""},
        {"\n\n", ',', ""},
        {"a", ',', "1[a]"},
        {"a,b\nc,d\n", ',', "1[a|b]2[c|d]"},
        {"a,b\r\nc,d", ',', "1[a|b]2[c|d]"},
        {"a,b\rc,d\r", ',', "1[a|b]2[c|d]"},
        {"\xEF\xBB\xBF"
         "a,b",
         ',', "1[a|b]"},
        {"a\n\n \t\nb", ',', "1[a]4[b]"},
        {" a , b c ,\td\t", ',', "1[a|b c|d]"},
        {",a,", ',', "1[|a|]"},
        {",", ',', "1[|]"},
        {"a;b,c", ';', "1[a|b,c]"},
        {"a\t\tb\n\tc\td", '\t', "1[a||b]2[|c|d]"},
        {"  1   2\t3 \n4 5 6", ' ', "1[1|2|3]2[4|5|6]"},
        {"\"a,b\",c", ',', "1[a,b|c]"},
        {" \"a\" , \"b\" \n", ',', "1[a|b]"},
        {"\"a\nb\r\nc\",d\ne,f", ',', "1[a\nb\r\nc|d]4[e|f]"},
        {"\"a\"\"b\",c", ',', "1[a\"\"b|c]"},
        {"\"\",\"\"", ',', "1[|]"},
        {"5\" pipe,c\nd,e", ',', "1[5\" pipe|c]2[d|e]"},
        {"\"a\"b,c", ',', "1[\"a\"b|c]"},
        {"\"x y\" z", ' ', "1[x y|z]"},
        {"a,\"b\nc,\"d\n", ',', "1[a|\"b]2[c|\"d]*"},
        {"a,\"b\nc,d\n", ',', "1[a|\"b]2[c|d]*"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_records(cases[i].text, cases[i].separator, cases[i].records);
}

static void test_guesses_the_separator(void **state)
{
    static const struct {
        const char *text;
        char separator;
    } cases[] = {
        {"x,y\n0,1\n", ','},
        {"x;y\n0,5;1,5\n", ';'},
        {"x\ty\n0,5\t1,5\n", '\t'},
        {"0,5;1,5", ';'},
        {"x,y (m; s)\n0,1\n1,2", ','},
        {"\"a;b\",c\n1,2\n", ','},
        {"y\n1\n2\n", ','},
        {"x y\n1 2\n3  4\n", ' '},
        {"1 2\n3 4\n", ' '},
        {"1 2 3\n", ' '},
        {"3,5 4,5\n1,5 2\n", ' '},
        {"x y\n3,5 4,5\n", ' '},
        {"# a;b\tc\n1,2\n3,4\n", ','},
        {"x, y\n1, 2\n", ','},
        {"1 , 2\n3 , 4\n", ','},
        {"name x y\nAnn 1 2\n", ' '},
        {"3,5\n4,5\n", ','},
        {"1 x\n", ','},
        {"wet weight\n1\n2", ','},
        {"x y\n1 2\n3 a\n", ','},
        {"", ','},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(fields_guess_separator(cases[i].text, strlen(cases[i].text)), cases[i].separator);
}

static void test_counts(void **state)
{
    bool last_is_empty;
    (void)state;
    struct fields fields = fields_open("a,b,\nc", 6, ',');
    assert_true(fields_next_record(&fields));
    assert_int_equal(fields_count(&fields, &last_is_empty), 3);
    assert_true(last_is_empty);
    assert_true(fields_next_record(&fields));
    assert_int_equal(fields_count(&fields, &last_is_empty), 1);
    assert_false(last_is_empty);
    assert_false(fields_next_record(&fields));
}

static void test_text_for_people(void **state)
{
    char text[64], little[4];
    const struct field quoted = {"say \"\"a\nb\"\"", 12, true}, plain = {"say \"\"", 6, false};
    (void)state;
    assert_string_equal(field_text(&quoted, text, sizeof text), "say \"a b\"");
    assert_string_equal(field_text(&plain, text, sizeof text), "say \"\"");
    assert_string_equal(field_text(&plain, little, sizeof little), "say");
}

static void test_refuses_what_is_no_text(void **state)
{
    struct error error = {0};
    (void)state;
    assert_true(fields_check_text("f", "1,2", 3, &error));
    assert_true(fields_check_text("f", "", 0, &error));
    assert_false(fields_check_text("f",
                                   "\xFF\xFE"
                                   "1\0",
                                   4, &error));
    assert_non_null(strstr(error.text, "UTF-16"));
    assert_false(fields_check_text("f",
                                   "\xFE\xFF\0"
                                   "1",
                                   4, &error));
    assert_non_null(strstr(error.text, "UTF-16"));
    assert_false(fields_check_text("f", "1\0,\0", 4, &error));
    assert_non_null(strstr(error.text, "UTF-16"));
    assert_false(fields_check_text("f", "1,2\r\n3\0", 7, &error));
    assert_int_equal(strncmp(error.text, "f:2: ", 5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_guesses_the_separator),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_text_for_people),
        cmocka_unit_test(test_refuses_what_is_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
