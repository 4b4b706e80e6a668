#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "on_stage.h"

#include "data/lang.h"
#include "demos/demo.h"

static void type(struct session *session, const char *const *keys)
{
    for (; *keys; keys++)
        session_key(session, *keys);
    while (session_tick(session, 0) == 0)
        continue;
}

#define TYPE(session, ...) type(session, (const char *const[]){__VA_ARGS__, NULL})

static struct session *interactive(void)
{
    struct error error;
    struct session_options options = {.interactive = true};
    assert_true(look_make(&options.look, THEME_DARK, "reds", NULL, &error));
    struct session *session = session_new(&options, &error);
    assert_non_null(session);
    return session;
}

static double param(const struct session *session, const char *name)
{
    const struct stage *stage = session_stage(session);
    return stage->values[param_find(stage->demo->params, stage->demo->n_params, name)].number;
}

static size_t epoch(const struct session *session)
{
    return session_stage(session)->demo->position(session_stage(session));
}

static void n_and_p_step(void **unused)
{
    (void)unused;
    struct session *session = interactive();
    TYPE(session, "n", "n", ".", "p");
    assert_int_equal(epoch(session), 2);
    TYPE(session, "Home");
    assert_int_equal(epoch(session), 0);
    TYPE(session, "End");
    assert_int_equal(epoch(session), 3);
    TYPE(session, "u", "u", "u");
    assert_int_equal(epoch(session), 3);
    TYPE(session, "C-r");
    assert_int_equal(epoch(session), 2);
    session_free(session);
}

/* Steps fall due at the pace; the five epochs end by themselves; a pause is kept. */
static void space_plays_at_the_pace(void **unused)
{
    (void)unused;
    struct session *session = interactive();
    struct error error;
    assert_true(session_command(session, "pace 1", &error));
    while (session_tick(session, 100) == 0)
        continue;
    session_key(session, "space");
    double wait = session_tick(session, 100.0);
    assert_int_equal(epoch(session), 1);
    assert_true(wait > 0.99 && wait <= 1);
    session_tick(session, 100.5);
    assert_int_equal(epoch(session), 1);
    session_tick(session, 101.0);
    assert_int_equal(epoch(session), 2);
    session_key(session, "space");
    assert_true(session_tick(session, 110) < 0);
    assert_int_equal(epoch(session), 2);
    session_key(session, "space");
    for (int i = 0; i < 8; i++)
        session_tick(session, 120 + i);
    assert_int_equal(epoch(session), 5);
    assert_true(session_tick(session, 140) < 0);
    session_free(session);
}

static void values_are_tweaked_and_typed(void **unused)
{
    (void)unused;
    struct session *session = interactive();
    TYPE(session, "Enter", "3", "Enter");
    assert_true(param(session, "w") == 3);
    TYPE(session, "Right");
    assert_true(param(session, "w") == 3.1);
    TYPE(session, "Tab", "Right");
    assert_true(param(session, "lr") == 1);
    TYPE(session, "S-Tab", "Enter", "9", "Esc");
    assert_true(param(session, "w") == 3.1);
    session_free(session);
}

static void the_prompt_edits_and_completes(void **unused)
{
    (void)unused;
    struct session *session = interactive();
    TYPE(session, ":", "s", "e", "t", "space", "k", "e", "Tab", "t", "r", "i", "Tab", "Enter");
    assert_true(param(session, "kernel") == 2);
    /* What is pasted goes into the prompt, and nowhere without one. */
    session_paste(session, "set n 7");
    assert_true(param(session, "n") == 50);
    TYPE(session, ":");
    session_paste(session, "set n 7\n\033[31mq");
    TYPE(session, "C-u", "s", "e", "t", "space", "n", "space", "8", "Enter");
    assert_true(param(session, "n") == 8);
    TYPE(session, ":", "Up", "Backspace", "9", "Enter");
    assert_true(param(session, "n") == 9);
    assert_false(session_is_over(session));
    session_free(session);
}

static void overlays_open_and_close(void **unused)
{
    (void)unused;
    struct session *session = interactive();
    static const char *const opened_by[][2] = {{"?", "Commands"}, {"g", "chapter"}};
    for (size_t i = 0; i < 2; i++) {
        TYPE(session, opened_by[i][0]);
        char *screen = screen_text(session, 120, 90);
        assert_non_null(strstr(screen, opened_by[i][1]));
        free(screen);
        TYPE(session, "Down", "PageDown", "End", "Home", "Esc");
        screen = screen_text(session, 120, 90);
        assert_null(strstr(screen, opened_by[i][1]));
        free(screen);
    }
    session_free(session);
}

static void L_changes_the_language(void **unused)
{
    (void)unused;
    struct session *session = interactive();
    TYPE(session, "L");
    assert_int_equal(lang_chosen(), LANG_ZH);
    TYPE(session, "L");
    assert_int_equal(lang_chosen(), LANG_EN);
    session_free(session);
}

static void q_quits(void **unused)
{
    (void)unused;
    struct session *session = interactive();
    TYPE(session, "q");
    assert_true(session_is_over(session));
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(n_and_p_step),
        cmocka_unit_test(space_plays_at_the_pace),
        cmocka_unit_test(values_are_tweaked_and_typed),
        cmocka_unit_test(the_prompt_edits_and_completes),
        cmocka_unit_test(overlays_open_and_close),
        cmocka_unit_test(L_changes_the_language),
        cmocka_unit_test(q_quits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
