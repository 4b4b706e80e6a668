/* A log is right if its replay shows the same: whatever keys and commands made it, and whenever they came. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "on_stage.h"
#include "walk.h"

#include "data/buf.h"
#include "data/lang.h"

enum { WALK = 40 };

static char *contents(FILE *file)
{
    struct buf text = {0};
    rewind(file);
    for (int c; (c = fgetc(file)) != EOF;)
        buf_putc(&text, (char)c);
    buf_puts(&text, "");
    return text.at ? text.at : calloc(1, 1);
}

/* Ends the LIVE session, whose log is in LOG, and compares its last frame with that of the replay. */
static void assert_replay_is_exact(struct session *live, FILE *log, const char *demo)
{
    struct error error;
    session_command(live, "pause", &error);
    session_settle(live);
    session_command(live, " ", &error);
    char *wanted = printed(live, "ansi", 120, 40);
    session_free(live);
    lang_choose(LANG_EN);

    char *text = contents(log);
    struct session *again = walk_open(demo, NULL, false, NULL);
    session_replay(again, "the log", text, 1);
    if (!session_replay_on(again, &error))
        fail_msg("%s: %s\n%s", demo, error.text, text);
    perform(again, " ");
    char *got = printed(again, "ansi", 120, 40);
    if (strcmp(wanted, got) != 0)
        fail_msg("%s differs after\n%s", demo, text);
    free(wanted);
    free(got);
    free(text);
    session_free(again);
    lang_choose(LANG_EN);
    assert_int_equal(fclose(log), 0);
}

static void press_something(struct session *session, struct walk_dice *dice)
{
    static const char *const keys[] = {
        "space", "space", "n", "p", "Left",  "Right", "S-Right", "Tab", "S-Tab", "Up",
        "Down",  "h",     "l", "+", "-",     "o",     "r",       "R",   "Home",  "End",
        "z",     "f",     "1", "2", "3",     "u",     "C-r",     "u",   "c",     "L",
        "t",     "Esc",   "n", "n", "space", "?",     "Esc",     "g",   "Down",  "Esc",
    };
    session_key(session, keys[walk_roll(dice, sizeof keys / sizeof *keys)]);
}

static void walk(const char *demo, uint64_t seed)
{
    FILE *log = tmpfile();
    assert_non_null(log);
    struct session *session = walk_open(demo, NULL, true, log);
    struct walk_dice dice = {seed};
    double now = 0;
    for (int i = 0; i < WALK; i++) {
        char line[256];
        struct error error;
        walk_choose(session_stage(session)->demo, &dice, line, sizeof line);
        if (walk_roll(&dice, 2))
            press_something(session, &dice);
        else
            session_command(session, line, &error);
        for (size_t ticks = walk_roll(&dice, 5); ticks > 0; ticks--)
            session_tick(session, now += 0.1 * (double)walk_roll(&dice, 8));
    }
    session_key(session, "Esc");
    assert_replay_is_exact(session, log, demo);
}

static void walks_are_replayed(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < n_demos; i++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            walk(demos[i]->name, seed);
}

static void every_command_is_a_line(void **unused)
{
    (void)unused;
    FILE *log = tmpfile();
    struct session *session = walk_open("train", NULL, true, log);
    struct error error;
    perform(session, "set w 2; step 2");
    perform(session, "run");
    assert_false(session_command(session, "set w two", &error));
    session_key(session, "Tab");
    session_key(session, "?");
    session_key(session, "q");
    session_free(session);
    char *text = contents(log);
    assert_string_equal(text, "# attnlab train\n"
                              "set w 2\nstep 2\nrun\n# set w two\nparam next\n# help\n");
    free(text);
    assert_int_equal(fclose(log), 0);
}

/* Three epochs are seen before space stops it; the replay must not run to the fifth. */
static void what_was_played_is_told_in_steps(void **unused)
{
    (void)unused;
    FILE *log = tmpfile();
    struct session *session = walk_open("train", NULL, true, log);
    session_settle(session);
    session_tick(session, 0);
    session_key(session, "space");
    for (int i = 1; i <= 2; i++)
        while (session_tick(session, 0.6 * i) == 0)
            continue;
    session_key(session, "space");
    session_free(session);
    char *text = contents(log);
    assert_non_null(strstr(text, "\n# toggle\nstep 3\n# toggle\n"));
    free(text);
    assert_int_equal(fclose(log), 0);
}

/* The demo scale trains again what undo brings back, which are no steps that somebody took. */
static void undo_tells_no_steps(void **unused)
{
    (void)unused;
    FILE *log = tmpfile();
    struct session *session = walk_open("scale", NULL, true, log);
    static const char *const lines[] = {"step 2", "set d 8", "undo", "redo", "undo", "step"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        perform(session, lines[i]);
        session_settle(session);
    }
    session_free(session);
    char *text = contents(log);
    assert_string_equal(text, "# attnlab scale\nstep 2\nset d 8\nundo\nredo\nundo\nstep\n");
    free(text);
    assert_int_equal(fclose(log), 0);
}

static void a_bad_line_is_named(void **unused)
{
    (void)unused;
    struct session *session = walk_open("train", NULL, false, NULL);
    struct error error;
    session_replay(session, "my.log", "# a comment\r\n\r\n  \nstep\r\nstpe\nset w 3\n", 1);
    assert_false(session_replay_on(session, &error));
    assert_ptr_equal(strstr(error.text, "my.log:5: "), error.text);
    assert_int_equal(error.status, STATUS_USAGE);
    assert_int_equal(session_stage(session)->demo->position(session_stage(session)), 1);
    assert_true(session_replay_on(session, &error)); /* it is over */
    session_free(session);
}

static size_t position(const struct session *session)
{
    return session_stage(session)->demo->position(session_stage(session));
}

static void the_pace_is_kept_until_esc(void **unused)
{
    (void)unused;
    struct session *session = walk_open("train", NULL, true, NULL);
    session_settle(session);
    session_replay(session, "my.log", "step\nstep\nstep\nstep\n", 2);
    session_tick(session, 10);
    assert_int_equal(position(session), 0);
    assert_true(session_tick(session, 11.5) == 0.5);
    while (session_tick(session, 12) == 0)
        continue;
    assert_int_equal(position(session), 1);
    while (session_tick(session, 14) == 0)
        continue;
    assert_int_equal(position(session), 2);
    session_key(session, "Esc");
    assert_true(session_tick(session, 30) < 0);
    assert_int_equal(position(session), 2);
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_is_a_line),
        cmocka_unit_test(walks_are_replayed),
        cmocka_unit_test(what_was_played_is_told_in_steps),
        cmocka_unit_test(a_bad_line_is_named),
        cmocka_unit_test(undo_tells_no_steps),
        cmocka_unit_test(the_pace_is_kept_until_esc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
