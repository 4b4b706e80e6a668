/* The scene is right if the command line it gives leads to the same bytes: after any walk over commands, on
 * every demo, read back by a shell and by the program's own options. */
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
#include "walk.h"

#include "data/file.h"
#include "data/lang.h"
#include "demos/demo.h"
#include "options.h"

enum { WORDS_MAX = 512, WALK = 30 };

/* ---- printing and reading back */

/* The words of a command line as a shell takes them, in WORD; the text they lie in is returned. */
static char *shell_words(const char *line, char *word[WORDS_MAX], int *n)
{
    struct buf script = {0}, text = {0};
    buf_printf(&script, "set -- %.*s; printf '%%s\\n' \"$@\"", (int)strcspn(line, "\n"), line);
    FILE *shell = popen(script.at, "r");
    assert_non_null(shell);
    for (int c; (c = fgetc(shell)) != EOF;)
        buf_putc(&text, (char)c);
    assert_int_equal(pclose(shell), 0);
    buf_free(&script);
    *n = 0;
    char *rest = text.at;
    for (char *at = strtok_r(text.at, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
        assert_true(*n < WORDS_MAX - 1);
        word[(*n)++] = at;
    }
    word[*n] = NULL;
    return text.at;
}

/* Opens what LINE describes, as the program does when it prints, for a reader who sees it before THEME. */
static struct session *session_of(const char *line, enum theme theme)
{
    char *word[WORDS_MAX];
    int n;
    char *text = shell_words(line, word, &n);
    struct options options;
    struct error error = {0};
    if (!options_parse(&options, n, word, &error))
        fail_msg("%s: %s", line, error.text);
    assert_true(options.theme < 0 && options.lang < 0); /* they are the reader's */
    struct session_options wanted = {.demo = options.demo,
                                     .file = options.file,
                                     .settings = options.settings,
                                     .n_settings = options.n_settings};
    if (!look_make(&wanted.look, theme, options.colormap ? options.colormap : "reds", NULL, &error))
        fail_msg("%s", error.text);
    struct session *session = session_new(&wanted, &error);
    if (!session)
        fail_msg("%s: %s", line, error.text);
    for (size_t i = 0; i < options.n_commands; i++)
        if (!session_command(session, options.commands[i], &error))
            fail_msg("%s: %s", line, error.text);
    session_settle(session);
    options_free(&options);
    free(text);
    return session;
}

static void assert_same_print(struct session *live, struct session *again, const char *format, int cols,
                              int rows, const char *line)
{
    char *wanted = printed(live, format, cols, rows), *got = printed(again, format, cols, rows);
    size_t at = 0;
    while (wanted[at] && wanted[at] == got[at])
        at++;
    if (wanted[at] != got[at])
        fail_msg("%s at %dx%d differs after %s at \"%.80s\", not \"%.80s\"", format, cols, rows, line,
                 wanted + at, got + at);
    free(wanted);
    free(got);
}

/* LIVE, all of whose work is done, and what its scene opens look alike in every byte. */
static void assert_scene_is_exact(struct session *live)
{
    perform(live, " "); /* what the last command said is no part of the state */
    session_settle(live);
    char *line = printed(live, "command", 0, 0);
    struct session *again = session_of(line, session_look(live)->theme);
    perform(again, " ");
    assert_same_print(live, again, "json", 0, 0, line);
    assert_same_print(live, again, "text", 120, 40, line);
    assert_same_print(live, again, "ansi", 80, 24, line);
    free(line);
    session_free(again);
}

/* ---- walks */

static void walk(const char *demo, const char *file, bool interactive, uint64_t seed)
{
    struct session *session = walk_open(demo, file, interactive, NULL);
    struct walk_dice dice = {seed};
    double now = 0;
    for (int i = 0; i < WALK; i++) {
        char line[256];
        struct error error;
        walk_choose(session_stage(session)->demo, &dice, line, sizeof line);
        session_command(session, line, &error);
        session_key(session, "Esc"); /* leaves the help or a report */
        for (size_t ticks = interactive ? walk_roll(&dice, 5) : 0; ticks > 0; ticks--)
            session_tick(session, now += 0.1 * (double)walk_roll(&dice, 4));
    }
    perform(session, session_stage(session)->demo->position ? "pause" : " ");
    assert_scene_is_exact(session);
    session_free(session);
    lang_choose(LANG_EN);
}

static void scenes_of_printed_states(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < n_demos; i++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            walk(demos[i]->name, NULL, false, seed);
}

static void scenes_of_played_states(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < n_demos; i++)
        for (uint64_t seed = 11; seed <= 13; seed++)
            walk(demos[i]->name, NULL, true, seed);
}

/* Bytes that mean something to a shell or to the program's own options. */
static void scenes_of_files(void **unused)
{
    (void)unused;
    static const char *const names[] = {"points.csv", "it's $HOME; \"a\".csv", "-p", "a=b", "train"};
    char dir[] = "/tmp/attnlab-scene-XXXXXX";
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chdir(dir), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        static const char points[] = "year,cost\n1990,3\n1991,4.5\n1995,1\n1999,2\n2000,7\n2004,6\n";
        struct error error = {0};
        assert_true(file_write(names[i], points, sizeof points - 1, false, &error));
        for (uint64_t seed = 21; seed <= 23; seed++)
            walk("train", names[i], false, seed);
        assert_int_equal(unlink(names[i]), 0);
    }
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(dir), 0);
}

static void scenes_are_short(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", "seed=1");
    perform(session, "set w 0.1; set w 0.2; set w 1e-17; set lr 0.30000000000000004; adjust -1; adjust -1");
    perform(session, "step; step; step 2; back; move 1 0; move 1 0; undo; focus query; zoom; pace 0.1; help");
    char *line = printed(session, "command", 0, 0);
    assert_string_equal(line, "attnlab train seed=1 -c 'set w 1e-17; set lr 0.1; step 4; "
                              "zoom query; pace 0.1'\n");
    free(line);
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_of_printed_states),
        cmocka_unit_test(scenes_of_played_states),
        cmocka_unit_test(scenes_of_files),
        cmocka_unit_test(scenes_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
