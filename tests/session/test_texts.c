/* The texts in the tables of demos, commands and keys: are they marked, so that translators get them? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/asset.h"
#include "data/mo.h"
#include "demos/demo.h"
#include "session/command.h"
#include "session/keys.h"

static void assert_translated(const char *of, const char *text)
{
    const struct asset *const zh = asset_find("po/zh.mo");
    assert_non_null(zh);
    if (!text || *text == '\0' || mo_find(zh->bytes, zh->size, text))
        return;
    fail_msg("%s: not in the catalogue: \"%s\"; is it marked with N_()?", of, text);
}

/* A parameter may be called as it is typed, and so may a pane after the parameter that it shows. */
static bool is_param(const struct demo *demo, const char *name)
{
    return param_find(demo->params, demo->n_params, name) < demo->n_params;
}

static void test_demos_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_demos; i++) {
        const struct demo *const demo = demos[i];
        assert_translated(demo->name, demo->title);
        assert_translated(demo->name, demo->summary);
        for (size_t k = 0; k < demo->n_params; k++) {
            if (!is_param(demo, demo->params[k].label))
                assert_translated(demo->params[k].name, demo->params[k].label);
            assert_translated(demo->params[k].name, demo->params[k].help);
        }
        for (size_t k = 0; k < demo->n_panes; k++)
            if (!is_param(demo, demo->panes[k].title))
                assert_translated(demo->panes[k].name, demo->panes[k].title);
        for (size_t k = 0; k < demo->n_panes; k++) {
            assert_non_null(demo->panes[k].help);
            assert_translated(demo->panes[k].name, demo->panes[k].help);
        }
        for (size_t k = 0; k < demo->n_tables; k++)
            assert_translated(demo->tables[k].name, demo->tables[k].help);
        for (size_t k = 0; k < demo->n_commands; k++)
            assert_translated(demo->commands[k].name, demo->commands[k].help);
    }
}

static void test_commands_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_commands; i++)
        assert_translated(commands[i].name, commands[i].help);
}

static void test_keys_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_key_bindings; i++) {
        /* The key for languages is labelled in all of them at once. */
        if (strcmp(key_bindings[i].command, "lang next") != 0)
            assert_translated(key_bindings[i].keys, key_bindings[i].label);
        assert_translated(key_bindings[i].keys, key_bindings[i].help);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_demos_texts),
        cmocka_unit_test(test_commands_texts),
        cmocka_unit_test(test_keys_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
