/* What is said about the state on show is said whole where the screen has the least size that all is made
 * for, in every language. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "on_stage.h"

#include "data/lang.h"
#include "demos/demo.h"

enum { COLS = 80, ROWS = 24, SENTENCE = ROWS - 2 };

static size_t n_cut;

/* Tells if the sentence line of SESSION's screen is cut; DEMO and LINE say how it came to it. */
static void check_whole(struct session *session, const char *demo, const char *line)
{
    char *screen = screen_text(session, COLS, ROWS), *at = screen;
    for (int row = 0; row < SENTENCE; row++) {
        at = strchr(at, '\n');
        assert_non_null(at);
        at++;
    }
    at[strcspn(at, "\n")] = '\0';
    if (strstr(at, "\u2026")) {
        print_error("%s, %s: cut: %s\n", demo, line, at);
        n_cut++;
    }
    free(screen);
}

/* Runs LINE on a fresh stage, forgets what it reported, and looks at the remark. */
static void look(const struct demo *demo, const char *line)
{
    struct session *session = on_stage(demo->name, NULL);
    struct error error;
    if (session_command(session, line, &error)) {
        perform(session, " ");
        session_settle(session);
        check_whole(session, demo->name, line);
    }
    session_free(session);
}

/* Numbers far above and below the default of parameter P, after PREFIX; near ones, too, if there is none. */
static void look_at_numbers(const struct demo *demo, const struct param *p, const char *prefix)
{
    static const int steps[] = {-1000, 1000, -10, 1};
    size_t n = prefix[0] ? 2 : 4;
    char line[240];
    bool is_number = p->kind == PARAM_REAL || p->kind == PARAM_INTEGER;
    for (size_t i = 0; is_number && i < n; i++) {
        snprintf(line, sizeof line, "%sparam %s; adjust %d", prefix, p->name, steps[i]);
        look(demo, line);
    }
}

/* All choices of parameter P, each with all numbers, or P's numbers. */
static void look_at_values(const struct demo *demo, const struct param *p)
{
    char line[160];
    for (size_t i = 0; p->kind == PARAM_CHOICE && p->choices[i]; i++) {
        snprintf(line, sizeof line, "set %s %s", p->name, p->choices[i]);
        look(demo, line);
        snprintf(line, sizeof line, "set %s %s; step", p->name, p->choices[i]);
        if (demo->position)
            look(demo, line);
        snprintf(line, sizeof line, "set %s %s; ", p->name, p->choices[i]);
        for (size_t k = 0; k < demo->n_params; k++)
            look_at_numbers(demo, &demo->params[k], line);
    }
    look_at_numbers(demo, p, "");
}

static void look_at(const struct demo *demo)
{
    static const char *const timelines[] = {"step", "step 2", "run", "step; back", "run; reset"};
    look(demo, " ");
    for (size_t i = 0; demo->position && i < sizeof timelines / sizeof *timelines; i++)
        look(demo, timelines[i]);
    for (size_t i = 0; i < demo->n_commands; i++)
        look(demo, demo->commands[i].name);
    for (size_t i = 0; i < demo->n_params; i++)
        look_at_values(demo, &demo->params[i]);
}

static void remarks_are_whole(void **state)
{
    lang_choose(*(const enum lang *)*state);
    n_cut = 0;
    for (size_t i = 0; i < n_demos; i++)
        look_at(demos[i]);
    lang_choose(LANG_EN);
    assert_int_equal(n_cut, 0);
}

/* The list of demos, one line each, is whole, too. */
static void the_list_of_demos_is_whole(void **state)
{
    lang_choose(*(const enum lang *)*state);
    struct session *session = on_stage("cues", NULL);
    session_resize(session, COLS, ROWS);
    session_key(session, "g");
    char *screen = screen_text(session, COLS, ROWS);
    for (size_t i = 0; i < n_demos; i++)
        if (!strstr(screen, _(demos[i]->summary)))
            fail_msg("%s: %s", demos[i]->name, _(demos[i]->summary));
    free(screen);
    session_free(session);
    lang_choose(LANG_EN);
}

int main(void)
{
    static enum lang english = LANG_EN, chinese = LANG_ZH;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(remarks_are_whole, &english),
        cmocka_unit_test_prestate(remarks_are_whole, &chinese),
        cmocka_unit_test_prestate(the_list_of_demos_is_whole, &english),
        cmocka_unit_test_prestate(the_list_of_demos_is_whole, &chinese),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
