/* Loading a user's points: large files stay within bounds and can be stopped, and what fails changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "on_stage.h"
#include "walk.h"

#include "data/file.h"
#include "demos/demo.h"

/* Kilobytes. What is freed, AddressSanitizer keeps for a while, up to 256 MB. */
#if defined(__SANITIZE_ADDRESS__)
enum { MEMORY_BOUND = 200000 + 400000 };
#else
enum { MEMORY_BOUND = 200000 };
#endif

static char dir[] = "/tmp/attnlab-load-XXXXXX";

static void write_points(const char *name, size_t n, const char *last)
{
    struct buf text = {0};
    struct error error;
    buf_puts(&text, "t;v\n");
    for (size_t i = 0; i < n; i++)
        buf_printf(&text, "%zu;%zu,5\n", i * 7919 % n, i % 13);
    buf_puts(&text, last);
    assert_true(file_write(name, text.at, text.len, true, &error));
    buf_free(&text);
}

static int enter_directory(void **unused)
{
    (void)unused;
    if (!mkdtemp(dir) || chdir(dir) != 0)
        return -1;
    write_points("large.csv", 60000, "");
    write_points("bad.csv", 30000, "1;x\n");
    return 0;
}

static int leave_directory(void **unused)
{
    (void)unused;
    unlink("large.csv");
    unlink("bad.csv");
    return chdir("/") != 0 || rmdir(dir) != 0;
}

static void many_points_stay_within_bounds(void **unused)
{
    (void)unused;
    struct session *session = walk_open("train", "large.csv", true, NULL);
    struct table weights = table_of(session, "weights"), data = table_of(session, "data");
    assert_int_equal(data.n_rows, 60000);
    assert_int_equal(weights.n_rows, 100);
    assert_int_equal(weights.n_columns, 2000);
    double *weight = matrix_values(&weights), sum = 0;
    for (size_t i = 0; i < 2000; i++)
        sum += weight[i];
    assert_float_equal(sum, 1, 1e-9);
    /* 64 states to undo, and one copy of the points. */
    for (int i = 0; i < 70; i++)
        perform(session, "adjust 1");
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_true(usage.ru_maxrss < MEMORY_BOUND);
    assert_on_screen(session, "a sample of 2000");
    struct error error = refused(session, "set kernel boxcar");
    assert_non_null(strstr(error.text, "gaussian"));
    free(weight);
    table_free(&weights);
    table_free(&data);
    session_free(session);
}

/* The first keys of the ranking are those that sorting all of them gives. */
static void the_largest_weights_are_found(void **unused)
{
    (void)unused;
    struct session *session = walk_open("train", "large.csv", true, NULL);
    perform(session, "set w 1e-3; set query 30000.2; focus query; zoom");
    char *screen = screen_text(session, 120, 40);
    const char *at = screen;
    for (int near = 30000; near < 30003; near++) {
        char key[32];
        snprintf(key, sizeof key, "%d ", near == 30001 ? 30001 : near == 30002 ? 29999 : 30000);
        at = strstr(at, key);
        assert_non_null(at);
    }
    free(screen);
    session_free(session);
}

/* What SESSION shows and how to get there is as in the two texts, which are freed. */
static void assert_is_as(struct session *session, char *expected_json, char *expected_line)
{
    char *now = printed(session, "json", 0, 0), *line = printed(session, "command", 0, 0);
    assert_string_equal(now, expected_json);
    assert_string_equal(line, expected_line);
    free(now);
    free(line);
    free(expected_json);
    free(expected_line);
}

/* A file is taken back with all that came from it, and what was before it can still be undone. */
static void loading_is_undone(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", "seed=7");
    char *start = printed(session, "json", 0, 0), *start_line = printed(session, "command", 0, 0);
    perform(session, "step 3; set lr 0.1; step 2");
    char *drawn = printed(session, "json", 0, 0), *drawn_line = printed(session, "command", 0, 0);
    perform(session, "load mcycle; step 2; set loss sum");
    char *first = printed(session, "json", 0, 0), *first_line = printed(session, "command", 0, 0);
    perform(session, "load faithful; set x waiting");
    char *second = printed(session, "json", 0, 0), *second_line = printed(session, "command", 0, 0);
    perform(session, "undo; undo");
    assert_is_as(session, first, first_line);
    /* The columns are read anew from the first file. */
    assert_non_null(strstr(refused(session, "set x waiting").text, "mcycle"));
    perform(session, "redo; redo");
    assert_is_as(session, second, second_line);
    perform(session, "undo; undo; undo; undo; undo");
    assert_is_as(session, drawn, drawn_line);
    perform(session, "set n 20; undo; undo; undo; undo");
    assert_is_as(session, start, start_line);
    session_free(session);
}

/* A file has its own number of points: once it is loaded, the keys must not act on that of the drawn ones. */
static void an_idle_parameter_is_left(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", NULL);
    perform(session, "param n; load mcycle");
    const struct stage *stage = session_stage(session);
    assert_true(panel_offers(stage, stage->param));
    assert_string_not_equal(stage->demo->params[stage->param].name, "n");
    perform(session, "adjust 1");
    perform(session, "param w; load faithful");
    assert_string_equal(stage->demo->params[stage->param].name, "w");
    session_free(session);
}

/* A matrix shows its own file's numbers again, which it reads from that file's bytes. */
static void a_matrix_comes_back_with_its_file(void **unused)
{
    (void)unused;
    struct error error;
    assert_true(file_write("a.csv", "0.5,0.5\n0.25,0.75\n", 18, true, &error));
    struct session *session = on_stage_file("heatmap", "a.csv", NULL);
    char *before = printed(session, "json", 0, 0), *line = printed(session, "command", 0, 0);
    assert_true(file_write("b.csv", "1,0,0\n0,1,0\n0,0,1\n", 18, true, &error));
    perform(session, "load b.csv; set normalise softmax; undo; undo");
    assert_is_as(session, before, line);
    perform(session, "set normalise softmax; undo; redo");
    session_free(session);
    unlink("a.csv");
    unlink("b.csv");
}

struct watch {
    struct session *session;
    size_t n, stop_at;
    const char *key; /* that stops */
    bool saw_bar;
};

static bool watch(void *context, size_t done, size_t total)
{
    struct watch *w = context;
    assert_true(done <= total);
    char *screen = screen_text(w->session, 120, 40);
    w->saw_bar |= strstr(screen, "Loading  \xe2\x96") && strstr(screen, "Esc stops");
    free(screen);
    session_key(w->session, "n"); /* is not for the demo now */
    if (++w->n == w->stop_at)
        session_key(w->session, "Esc");
    return true;
}

static bool watch_opening(void *context, size_t done, size_t total)
{
    struct watch *w = context;
    struct frame frame = {0};
    struct buf out = {0};
    assert_true(done <= total);
    frame_reset(&frame, 80, 24, look_pen(session_look(w->session), ROLE_TEXT));
    session_draw(w->session, &frame);
    frame_text(&frame, &out);
    w->saw_bar |= strstr(out.at, "train  large.csv") && strstr(out.at, "Loading  \xe2\x96");
    frame_free(&frame);
    buf_free(&out);
    session_key(w->session, ++w->n == w->stop_at ? w->key : "n");
    return true;
}

static void a_load_can_be_stopped(void **unused)
{
    (void)unused;
    struct session *session = walk_open("train", NULL, true, NULL);
    perform(session, "step 2; set lr 1");
    session_settle(session);
    char *before = printed(session, "json", 0, 0);
    struct watch w = {.session = session, .stop_at = 3};
    session_watch_loading(session, (struct progress){watch, &w});
    struct error error = refused(session, "load large.csv");
    assert_int_equal(error.status, STATUS_FAILED);
    assert_non_null(strstr(error.text, "large.csv: stopped"));
    assert_int_equal(w.n, 3);
    assert_true(w.saw_bar);
    char *after = printed(session, "json", 0, 0);
    assert_string_equal(before, after);
    free(after);

    error = refused(session, "load bad.csv");
    assert_non_null(strstr(error.text, "bad.csv:30002: "));
    after = printed(session, "json", 0, 0);
    assert_string_equal(before, after);
    free(after);

    w = (struct watch){.session = session};
    perform(session, "load large.csv");
    assert_true(w.n > 8);
    char *screen = screen_text(session, 120, 40);
    assert_non_null(strstr(screen, "semicolon-separated, decimal comma, header; x = t, y = v"));
    free(screen);
    free(before);
    session_free(session);
}

/* Nothing but the bar can be shown of a demo whose first file is on its way; a key that leaves gives it up.
 */
static void the_first_load_is_watched(void **unused)
{
    (void)unused;
    static const char *const leaving[] = {NULL, "Esc", "q"};
    for (size_t i = 0; i < 3; i++) {
        struct session_options options = {.demo = "train", .file = "large.csv", .interactive = true};
        struct error error = {0};
        assert_true(look_make(&options.look, THEME_DARK, "reds", NULL, &error));
        struct session *session = session_begin(&options, &error);
        assert_non_null(session);
        struct watch w = {.session = session, .stop_at = leaving[i] ? 3 : 0, .key = leaving[i]};
        session_watch_loading(session, (struct progress){watch_opening, &w});
        assert_int_equal(session_open(session, &error), leaving[i] == NULL);
        session_watch_loading(session, (struct progress){0});
        assert_true(w.saw_bar && w.n >= 3);
        assert_int_equal(session_is_over(session), leaving[i] != NULL);
        if (!leaving[i])
            assert_on_screen(session, "a sample of 2000");
        session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loading_is_undone),
        cmocka_unit_test(an_idle_parameter_is_left),
        cmocka_unit_test(a_matrix_comes_back_with_its_file),
        cmocka_unit_test(many_points_stay_within_bounds),
        cmocka_unit_test(the_largest_weights_are_found),
        cmocka_unit_test(a_load_can_be_stopped),
        cmocka_unit_test(the_first_load_is_watched),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
