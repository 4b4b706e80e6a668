#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/asset.h"
#include "data/lang.h"

static void test_speaks_english_at_first(void **state)
{
    (void)state;
    assert_int_equal(lang_chosen(), LANG_EN);
    assert_string_equal(_("standard input"), "standard input");
}

static void test_speaks_chinese_and_back(void **state)
{
    static const char unknown[] = "a text that nobody will ever translate";
    (void)state;
    if (!asset_find("po/zh.mo")) {
        print_message("built without msgfmt: no catalogue to test\n");
        skip();
    }
    lang_choose(LANG_ZH);
    assert_int_equal(lang_chosen(), LANG_ZH);
    assert_string_equal(_("standard input"), "\u6807\u51C6\u8F93\u5165");
    assert_ptr_equal(_(unknown), unknown);
    assert_string_equal(_(""), "");
    lang_choose(LANG_EN);
    assert_string_equal(_("standard input"), "standard input");
}

static void test_locales_languages(void **state)
{
    static const struct {
        const char *locale;
        enum lang lang;
    } cases[] = {
        {"zh_CN.UTF-8", LANG_ZH}, {"zh_TW", LANG_ZH},    {"zh", LANG_ZH},
        {"zh-Hans", LANG_ZH},     {"zh.UTF-8", LANG_ZH}, {"zh:en", LANG_ZH},
        {"en_US.UTF-8", LANG_EN}, {"C", LANG_EN},        {"zha_CN", LANG_EN},
        {"de_DE", LANG_EN},       {"", LANG_EN},         {NULL, LANG_EN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(lang_of_locale(cases[i].locale), cases[i].lang);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_speaks_english_at_first),
        cmocka_unit_test(test_speaks_chinese_and_back),
        cmocka_unit_test(test_locales_languages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
