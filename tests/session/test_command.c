#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "on_stage.h"

#include "demos/demo.h"
#include "session/command.h"
#include "session/complete.h"
#include "session/keys.h"

static void an_unknown_name_gets_its_neighbours(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", NULL);
    const struct {
        const char *line, *word, *near;
    } cases[] = {
        {"stpe", "stpe", "step"},
        {"set epoch 3", "epoch", "epochs"},
        {"set kernel gausian", "gausian", "gaussian"},
        {"focus hetmap", "hetmap", "weights"},
        {"colormap virids", "virids", "viridis"},
        {"demo trane", "trane", "train"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = refused(session, cases[i].line);
        assert_int_equal(error.status, STATUS_USAGE);
        assert_non_null(strstr(error.text, cases[i].word));
        assert_non_null(strstr(error.text, cases[i].near));
    }
    session_free(session);
}

/* Where a name or a value is missing, what can stand there is said. */
static void what_is_missing_is_listed(void **unused)
{
    (void)unused;
    struct session *session = on_stage("mask", NULL);
    static const char *const cases[][2] = {
        {"demo", "cues"},           {"demo nothing-like-it", "heatmap"},
        {"export", "svg"},          {"focus", "masked"},
        {"set", "valid_lens"},      {"set valid_lens", "2,3"},
        {"set valid_lens", "none"}, {"set fill", "none"},
        {"colormap", "viridis"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = refused(session, cases[i][0]);
        if (!strstr(error.text, cases[i][1]))
            fail_msg("%s: \"%s\" does not say %s", cases[i][0], error.text, cases[i][1]);
    }
    assert_null(
        strstr(refused(session, "nothing-like-it").text, "there is no command \"nothing-like-it\"; there"));
    session_free(session);
}

/* LINE is refused by an error that begins with its command and tells what was given and what is expected. */
static void assert_tells(struct session *session, const char *line, const char *given)
{
    char start[64];
    struct error error = refused(session, line);
    int n = snprintf(start, sizeof start, "%.*s", (int)strcspn(line, " "), line);
    assert_int_equal(error.status, STATUS_USAGE);
    if (strncmp(error.text, start, (size_t)n) != 0 || (error.text[n] != ' ' && error.text[n] != ':') ||
        !strstr(error.text, given) || !strstr(error.text, "expected "))
        fail_msg("%s: \"%s\"", line, error.text);
}

/* Whatever the table holds: nothing happens if there is too much behind a command. */
static void excess_arguments_are_refused_by_command(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", NULL);
    const struct demo *demo = session_stage(session)->demo;
    char line[128];
    for (size_t i = 0; i < n_commands + demo->n_commands; i++) {
        bool is_own = i >= n_commands;
        const char *name = is_own ? demo->commands[i - n_commands].name : commands[i].name;
        const char *usage = is_own ? demo->commands[i - n_commands].usage : commands[i].usage;
        if (strcmp(name, "set") == 0) /* whose value may be many words */
            continue;
        snprintf(line, sizeof line, "%s 1 2 3 4 5", name);
        assert_tells(session, line, " \"1 2 3 4 5\"");
        if (*usage)
            continue;
        snprintf(line, sizeof line, "%s abc", name);
        assert_tells(session, line, " \"abc\": expected ");
    }
    assert_false(session_is_over(session));
    session_free(session);
}

static void wrong_and_missing_arguments_are_refused_by_command(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", NULL);
    static const char *const cases[][2] = {
        {"adjust x", "\"x\""},
        {"nudge 1.5", "\"1.5\""},
        {"step x", "\"x\""},
        {"step 0", "from 1 to"},
        {"back -1", "\"-1\""},
        {"pace", "0.02 to 60"},
        {"pace 1e400", "\"1e400\""},
        {"select", "a row"},
        {"select x", "\"x\""},
        {"select 1 -2", "\"-2\""},
        {"move", "columns"},
        {"move 1 x", "\"x\""},
        {"focus", "a pane"},
        {"focus 9", "\"9\": expected a number from 1 to 6"},
        {"focus dit", "\"dit\""},
        {"zoom dit", "\"dit\""},
        {"param", "a parameter"},
        {"param lx", "\"lx\""},
        {"demo", "a demo"},
        {"demo trane", "\"trane\""},
        {"theme", "dark or light"},
        {"lang fr", "\"fr\""},
        {"colormap blue", "\"blue\""},
        {"load", "a file"},
        {"load my file.csv", "quotes"},
        {"export", "a format: text"},
        {"export bmp", "\"bmp\""},
        {"export! svg", "a file"},
        {"ghosts x", "\"x\""},
        {"point", "add [X Y]"},
        {"point add 1", "\"add 1\""},
        {"set", "a parameter and a value"},
        {"set lr", "0 to 1000000000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_tells(session, cases[i][0], cases[i][1]);
    assert_true(strncmp(refused(session, "set foo 1").text, "set: ", 5) == 0);
    session_free(session);
}

static void editors_ways_to_quit_are_understood(void **unused)
{
    (void)unused;
    static const char *const lines[] = {"q", "q!", "wq", "quit"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct session *session = on_stage("mask", NULL);
        perform(session, lines[i]);
        assert_true(session_is_over(session));
        session_free(session);
    }
}

static void out_of_range_names_the_range(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", NULL);
    struct error error = refused(session, "set n 6000");
    assert_int_equal(error.status, STATUS_USAGE);
    assert_non_null(strstr(error.text, "2"));
    assert_non_null(strstr(error.text, "5000"));
    session_free(session);
}

static void parts_of_a_line_run_in_order(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", NULL);
    const struct stage *stage = session_stage(session);
    perform(session, " step 2 ;; set lr 0.1;step;back 1 ");
    assert_int_equal(stage->demo->position(stage), 2);
    refused(session, "step; nonsense; step");
    assert_int_equal(stage->demo->position(stage), 3);
    session_free(session);
}

static size_t completions(const char *line, const char *words[COMPLETE_MAX])
{
    size_t start;
    struct session *session = on_stage("train", NULL);
    struct buf files = {0};
    size_t n = complete_line(session_stage(session), line, words, &start, &files);
    assert_int_equal(files.len, 0);
    session_free(session);
    return n;
}

static void lines_are_completed_from_the_tables(void **unused)
{
    (void)unused;
    const char *words[COMPLETE_MAX];
    assert_int_equal(completions("gho", words), 1);
    assert_string_equal(words[0], "ghosts");
    assert_int_equal(completions("set ker", words), 1);
    assert_string_equal(words[0], "kernel");
    assert_int_equal(completions("step 3; set kernel tri", words), 1);
    assert_string_equal(words[0], "triangular");
    assert_int_equal(completions("colormap v", words), 1);
    assert_string_equal(words[0], "viridis");
    assert_int_equal(completions("nothing ", words), 0);
}

/* Every key speaks a command of the table (or is one that the keyboard handles by itself). */
static void every_key_has_a_command(void **unused)
{
    (void)unused;
    const struct demo *demo = NULL;
    for (size_t i = 0; i < n_demos; i++)
        if (strcmp(demos[i]->name, "train") == 0)
            demo = demos[i];
    for (size_t i = 0; i < n_key_bindings; i++) {
        char name[64];
        size_t n = strcspn(key_bindings[i].command, " ");
        bool found = n == 0;
        snprintf(name, sizeof name, "%.*s", (int)n, key_bindings[i].command);
        for (size_t k = 0; k < n_commands; k++)
            found = found || strcmp(commands[k].name, name) == 0;
        for (size_t k = 0; k < demo->n_commands; k++)
            found = found || strcmp(demo->commands[k].name, name) == 0;
        if (!found)
            fail_msg("key %s gives no command: %s", key_bindings[i].keys, name);
    }
}

/* Frames of every size are composed without leaving the grid, which the sanitizers watch. */
static void every_size_is_drawn(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", NULL);
    perform(session, "step 3");
    for (int rows = 1; rows <= 70; rows += rows < 30 ? 1 : 9)
        for (int cols = 1; cols <= 210; cols += cols < 100 ? 3 : 25)
            free(screen_text(session, cols, rows));
    free(screen_text(session, 300, 100));
    session_free(session);
}

static void the_minimum_shows_every_pane(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "fit", "loss", "attention weights", "parameters", "loss over w", "epoch 0 / 5", "space", "w = 0.57"};
    struct session *session = on_stage("train", NULL);
    char *screen = screen_text(session, 80, 24);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strstr(screen, texts[i]))
            fail_msg("80x24 lacks \"%s\":\n%s", texts[i], screen);
    free(screen);
    session_free(session);
}

static void a_smaller_screen_says_so(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", NULL);
    char *screen = screen_text(session, 39, 11);
    assert_non_null(strstr(screen, "40x12"));
    free(screen);
    screen = screen_text(session, 1, 1);
    assert_string_equal(screen, "\n");
    free(screen);
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_name_gets_its_neighbours),
        cmocka_unit_test(what_is_missing_is_listed),
        cmocka_unit_test(excess_arguments_are_refused_by_command),
        cmocka_unit_test(wrong_and_missing_arguments_are_refused_by_command),
        cmocka_unit_test(editors_ways_to_quit_are_understood),
        cmocka_unit_test(out_of_range_names_the_range),
        cmocka_unit_test(parts_of_a_line_run_in_order),
        cmocka_unit_test(lines_are_completed_from_the_tables),
        cmocka_unit_test(every_key_has_a_command),
        cmocka_unit_test(every_size_is_drawn),
        cmocka_unit_test(the_minimum_shows_every_pane),
        cmocka_unit_test(a_smaller_screen_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
