#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "on_stage.h"

#include "data/file.h"
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

/* A command typed over the help must not act as keys: "set query 3" has an s, a t and a q. */
static void a_command_can_be_typed_over_an_overlay(void **unused)
{
    (void)unused;
    static const char *const opened_by[] = {"?", "g"};
    for (size_t i = 0; i < 2; i++) {
        struct session *session = interactive();
        TYPE(session, opened_by[i], ":", "s", "e", "t", "space", "q", "u", "e", "r", "y", "space", "3",
             "Enter");
        assert_false(session_is_over(session));
        assert_true(param(session, "query") == 3);
        session_free(session);
    }
}

static bool screen_says(struct session *session, int cols, int rows, const char *text)
{
    char *screen = screen_text(session, cols, rows);
    bool is_there = strstr(screen, text) != NULL;
    free(screen);
    return is_there;
}

/* Whoever starts the program is told where to begin, until the first key. */
static void a_newcomer_is_welcomed(void **unused)
{
    (void)unused;
    struct session *session = interactive();
    assert_true(screen_says(session, 80, 24, "] is the next one, ? explains."));
    TYPE(session, "Tab");
    assert_false(screen_says(session, 80, 24, "? explains"));
    session_free(session);
    session = on_stage("train", NULL);
    assert_false(screen_says(session, 80, 24, "? explains")); /* nobody is there */
    session_free(session);
}

/* But what is wrong comes first. */
static void a_warning_is_seen_before_the_welcome(void **unused)
{
    (void)unused;
    const char *const lens = "valid_lens=0,3";
    struct error error;
    struct session_options options = {
        .demo = "mask", .settings = &lens, .n_settings = 1, .interactive = true};
    assert_true(look_make(&options.look, THEME_DARK, "reds", NULL, &error));
    struct session *session = session_new(&options, &error);
    assert_non_null(session);
    assert_true(screen_says(session, 80, 24, "has no valid key"));
    assert_false(screen_says(session, 80, 24, "? explains"));
    session_free(session);
}

static void the_footer_shows_the_ways_out_at_any_width(void **unused)
{
    (void)unused;
    static const char *const names[] = {" g  demos", " ?  help", " :  command"};
    struct session *session = interactive();
    struct error error;
    for (size_t i = 0; i < n_demos; i++) {
        char line[64];
        snprintf(line, sizeof line, "demo %s", demos[i]->name);
        assert_true(session_command(session, line, &error));
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (!screen_says(session, 80, 24, names[k]))
                fail_msg("%s at 80x24 shows no%s", demos[i]->name, names[k]);
    }
    session_free(session);
}

/* Neither long texts nor narrow windows cost the help a word. */
static void the_help_begins_with_the_panes_and_is_never_cut(void **unused)
{
    (void)unused;
    struct session *session = interactive();
    TYPE(session, "?");
    session_resize(session, 80, 24);
    assert_true(screen_says(session, 80, 24, "learn the width of the kernel"));
    char *screen = screen_text(session, 80, 300);
    const char *help = strstr(screen, "learn the width"), *keys = strstr(screen, "play or pause");
    assert_true(help && keys && help < keys);
    assert_null(strstr(help, "\u2026 "));
    free(screen);
    session_free(session);
}

/* Where the panel has no room for it, the line below says what Tab has come to, until the next key. */
static void a_chosen_parameter_is_explained(void **unused)
{
    (void)unused;
    static const char *const loo = "loo: in training a point does not attend to itself";
    struct session *session = interactive();
    while (strcmp(session_stage(session)->demo->params[session_stage(session)->param].name, "loo") != 0)
        TYPE(session, "Tab");
    assert_true(screen_says(session, 80, 24, loo));
    assert_true(screen_says(session, 120, 40, loo));
    TYPE(session, "Down");
    assert_false(screen_says(session, 120, 40, loo));
    session_free(session);
}

/* But it is not said twice. */
static void what_the_panel_explains_is_said_once(void **unused)
{
    (void)unused;
    struct error error;
    struct session_options options = {.demo = "average", .interactive = true};
    assert_true(look_make(&options.look, THEME_DARK, "reds", NULL, &error));
    struct session *session = session_new(&options, &error);
    assert_non_null(session);
    TYPE(session, "Tab");
    char *screen = screen_text(session, 120, 40), *once = strstr(screen, "weights: one a value");
    assert_non_null(once);
    assert_null(strstr(once + 1, "weights: one a value"));
    free(screen);
    session_free(session);
}

static void a_focused_pane_says_what_it_shows(void **unused)
{
    (void)unused;
    struct session *session = interactive();
    TYPE(session, "4");
    assert_true(screen_says(session, 120, 40, "loss over w: the loss for every w: \u25bc the best"));
    TYPE(session, "f");
    assert_true(screen_says(session, 120, 40, "the query's sum: how"));
    TYPE(session, "z");
    assert_true(screen_says(session, 120, 40, "the query's sum: how"));
    TYPE(session, "z");
    assert_false(screen_says(session, 120, 40, "the query's sum: how"));
    session_free(session);
}

static void keys_without_effect_say_why(void **unused)
{
    (void)unused;
    struct session *session = interactive();
    TYPE(session, "p");
    assert_true(screen_says(session, 80, 24, "epoch 0 / 5: this is the start"));
    TYPE(session, "]", "]", "n");
    assert_true(screen_says(session, 80, 24, "mask: there is nothing to step through"));
    TYPE(session, "o");
    assert_true(screen_says(session, 80, 24, "mask: there is no step to open"));
    session_free(session);
}

/* A name with blanks is completed in quotes, also where none were typed, and what was completed is
 * understood. */
static void tab_quotes_names_with_blanks(void **unused)
{
    (void)unused;
    static const char points[] = "1,2\n2,3\n3,5\n";
    static const struct {
        const char *name, *typed, *shown;
    } cases[] = {
        {"my points.csv", "load ~/my", ":load \"~/my points.csv\""},
        {"her points.csv", "step; load \"~/her po", ":step; load \"~/her points.csv\""},
        {"a; b.csv", "load '~/a; ", ":load '~/a; b.csv'"},
        {"so \"called\".csv", "load ~/so", ":load '~/so \"called\".csv'"},
        {"it's.csv", "load ~/it's; load ~/it", ":load ~/it's; load \"~/it's.csv\""},
    };
    char dir[] = "/tmp/attnlab-keys-XXXXXX", home[64], path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(home, sizeof home, "%s", getenv("HOME") ? getenv("HOME") : "");
    setenv("HOME", dir, 1);
    struct session *session = interactive();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, cases[i].name);
        assert_true(file_write(path, points, sizeof points - 1, false, NULL));
        TYPE(session, ":");
        session_paste(session, cases[i].typed);
        TYPE(session, "Tab");
        assert_true(screen_says(session, 80, 24, cases[i].shown));
        if (strncmp(cases[i].typed, "load ~/it's", 11) != 0) {
            TYPE(session, "Enter");
            assert_string_equal(session_stage(session)->source.name, path);
        }
        TYPE(session, "Esc");
        unlink(path);
    }
    session_free(session);
    setenv("HOME", home, 1);
    rmdir(dir);
}

/* What cannot be shown as it is cannot be typed either. */
static void tab_offers_no_name_that_cannot_be_loaded(void **unused)
{
    (void)unused;
    static const char *const names[] = {"bell\a.csv", "line\n.csv", "latin\xe9.csv", "esc\033[31m.csv"};
    char dir[] = "/tmp/attnlab-keys-XXXXXX", path[64], typed[64];
    assert_non_null(mkdtemp(dir));
    struct session *session = interactive();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        assert_true(file_write(path, "1,2\n", 4, false, NULL));
        snprintf(typed, sizeof typed, "load %s/%.2s", dir, names[i]);
        TYPE(session, ":");
        session_paste(session, typed);
        TYPE(session, "Tab");
        assert_false(screen_says(session, 120, 24, ".csv"));
        TYPE(session, "Esc");
        unlink(path);
    }
    session_free(session);
    assert_int_equal(rmdir(dir), 0);
}

static void tab_goes_as_far_as_names_agree(void **unused)
{
    (void)unused;
    static const char *const names[] = {"my first.csv", "my second.csv"};
    char dir[] = "/tmp/attnlab-keys-XXXXXX", home[64], path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(home, sizeof home, "%s", getenv("HOME") ? getenv("HOME") : "");
    setenv("HOME", dir, 1);
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        assert_true(file_write(path, "1,2\n2,3\n3,5\n", 12, false, NULL));
    }
    struct session *session = interactive();
    TYPE(session, ":");
    session_paste(session, "load ~");
    TYPE(session, "Tab");
    assert_true(screen_says(session, 80, 24, ":load ~/"));
    TYPE(session, "Tab");
    assert_true(screen_says(session, 80, 24, ":load \"~/my "));
    TYPE(session, "s", "Tab", "Enter");
    snprintf(path, sizeof path, "%s/%s", dir, names[1]);
    assert_string_equal(session_stage(session)->source.name, path);
    session_free(session);
    setenv("HOME", home, 1);
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
}

/* A message that is too long for its line goes on above it. */
static void long_messages_are_read_in_full(void **unused)
{
    (void)unused;
    struct session *session = interactive();
    TYPE(session, ":");
    session_paste(session, "demo nothing-like-it");
    TYPE(session, "Enter");
    assert_true(screen_says(session, 80, 24, "expected a demo, next or prev"));
    assert_true(screen_says(session, 80, 24, "scale or heatmap"));
    session_free(session);
}

static void the_prompt_tells_the_value_and_its_range(void **unused)
{
    (void)unused;
    struct session *session = interactive();
    TYPE(session, "Tab", "Enter");
    assert_true(screen_says(session, 80, 24, ":set lr   now 0.5; 0 to 1000000000"));
    TYPE(session, "0", ".");
    assert_true(screen_says(session, 80, 24, "now 0.5;"));
    TYPE(session, "Esc", ":");
    assert_false(screen_says(session, 80, 24, "now 0.5;"));
    session_free(session);
}

static void tab_completes_files(void **unused)
{
    (void)unused;
    char dir[] = "/tmp/attnlab-keys-XXXXXX", home[64];
    static const char points[] = "1,2\n2,3\n3,5\n";
    assert_non_null(mkdtemp(dir));
    snprintf(home, sizeof home, "%s", getenv("HOME") ? getenv("HOME") : "");
    setenv("HOME", dir, 1);
    char path[64];
    snprintf(path, sizeof path, "%s/points.csv", dir);
    assert_true(file_write(path, points, sizeof points - 1, false, NULL));
    struct session *session = interactive();
    TYPE(session, ":");
    session_paste(session, "load ~/po");
    TYPE(session, "Tab");
    assert_true(screen_says(session, 80, 24, ":load ~/points.csv"));
    TYPE(session, "Enter");
    assert_string_equal(session_stage(session)->source.name, path);
    TYPE(session, ":");
    session_paste(session, "export csv ~/po");
    TYPE(session, "Tab");
    assert_true(screen_says(session, 120, 40, ":export csv ~/points.csv"));
    session_free(session);
    setenv("HOME", home, 1);
    unlink(path);
    rmdir(dir);
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
        cmocka_unit_test(a_command_can_be_typed_over_an_overlay),
        cmocka_unit_test(a_newcomer_is_welcomed),
        cmocka_unit_test(a_warning_is_seen_before_the_welcome),
        cmocka_unit_test(the_footer_shows_the_ways_out_at_any_width),
        cmocka_unit_test(the_help_begins_with_the_panes_and_is_never_cut),
        cmocka_unit_test(a_chosen_parameter_is_explained),
        cmocka_unit_test(what_the_panel_explains_is_said_once),
        cmocka_unit_test(a_focused_pane_says_what_it_shows),
        cmocka_unit_test(keys_without_effect_say_why),
        cmocka_unit_test(long_messages_are_read_in_full),
        cmocka_unit_test(the_prompt_tells_the_value_and_its_range),
        cmocka_unit_test(tab_completes_files),
        cmocka_unit_test(tab_quotes_names_with_blanks),
        cmocka_unit_test(tab_offers_no_name_that_cannot_be_loaded),
        cmocka_unit_test(tab_goes_as_far_as_names_agree),
        cmocka_unit_test(L_changes_the_language),
        cmocka_unit_test(q_quits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
