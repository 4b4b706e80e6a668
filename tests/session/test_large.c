/* Very many points: a change is answered at once and worked out in slices, and what is on show meanwhile is
 * the picture from before, whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "on_stage.h"
#include "walk.h"

#include "data/file.h"
#include "data/number.h"
#include "session/state.h"

enum {
    POINTS = 50000, /* their loss is more than a tick does */
    WAVE = 25000,   /* just very many */
    BUDGET = 20000, /* of a slice */
    POINT_COST = 20 /* at least, of a loss */
};

static char dir[] = "/tmp/attnlab-large-XXXXXX";

static double steps(size_t i)
{
    return (double)((i * 7919 % POINTS / 3000 + i) % 13);
}

/* Its best w lies well inside the landscape, and around it the loss is flat. */
static double wave(size_t i)
{
    static struct walk_dice dice = {9};
    double noise = 0;
    for (int k = 0; k < 12; k++)
        noise += (double)walk_roll(&dice, 1000) / 1000 - 0.5;
    return sin((double)(i * 7919 % WAVE) / WAVE * 30) + 0.3 * noise;
}

static bool write_points(const char *file, size_t n, double y(size_t))
{
    struct buf text = {0};
    struct error error;
    buf_puts(&text, "x,y\n");
    for (size_t i = 0; i < n; i++)
        buf_printf(&text, "%zu,%g\n", i * 7919 % n, y(i));
    bool done = file_write(file, text.at, text.len, true, &error);
    buf_free(&text);
    return done;
}

static int enter_directory(void **unused)
{
    (void)unused;
    bool done = mkdtemp(dir) && chdir(dir) == 0 && write_points("large.csv", POINTS, steps) &&
                write_points("wave.csv", WAVE, wave);
    return done ? 0 : -1;
}

static int leave_directory(void **unused)
{
    (void)unused;
    unlink("large.csv");
    unlink("wave.csv");
    return chdir("/") != 0 || rmdir(dir) != 0;
}

/* A demo with what is changed in it, and the table that follows from the change. */
static const struct scene {
    const char *demo, *choose, *table;
} scenes[] = {{"train", "param w", "fit"}, {"train", "param seed", "fit"}, {"pooling", "param sigma", "fit"}};

enum { SCENES = sizeof scenes / sizeof *scenes };

static struct session *open_large(const struct scene *scene)
{
    struct session *session = walk_open(scene->demo, "large.csv", true, NULL);
    perform(session, scene->choose);
    return session;
}

/* The same scene without a screen, after the command LINE. */
static struct session *open_headless(const struct scene *scene, const char *line)
{
    struct session *session = walk_open(scene->demo, "large.csv", false, NULL);
    perform(session, scene->choose);
    perform(session, line);
    return session;
}

static char *csv_of(const struct session *session, const char *table)
{
    struct table made = table_of(session, table);
    struct buf out = {0};
    table_csv(&made, &out);
    table_free(&made);
    return out.at;
}

/* What SESSION would show, with nothing done for it. */
static char *seen(const struct session *session)
{
    struct frame frame = {0};
    struct buf out = {0};
    frame_reset(&frame, 120, 40, look_pen(session_look(session), ROLE_TEXT));
    session_draw(session, &frame);
    frame_text(&frame, &out);
    frame_free(&frame);
    return out.at;
}

static void assert_seen(const struct session *session, const char *text, bool expected)
{
    char *screen = seen(session);
    if ((strstr(screen, text) != NULL) != expected)
        fail_msg("\"%s\" is %son screen:\n%s", text, expected ? "not " : "", screen);
    free(screen);
}

static void assert_same_text(char *a, char *b)
{
    assert_string_equal(a, b);
    free(a);
    free(b);
}

/* What SESSION is in, once it has been made ready to be printed: to be freed. */
static char *state_of(struct session *session)
{
    struct buf out = {0};
    const char *const formats[] = {"csv", "command"};
    for (size_t i = 0; i < 2; i++) {
        char *text = printed(session, formats[i], 0, 0);
        buf_puts(&out, text);
        free(text);
    }
    char *fit = csv_of(session, "fit");
    buf_puts(&out, fit);
    free(fit);
    return out.at;
}

static void a_change_is_made_in_small_slices(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < SCENES; i++) {
        struct session *session = open_large(&scenes[i]);
        struct stage *stage = session_on_stage(session);
        struct session *after = open_headless(&scenes[i], "adjust 5");
        char *before = csv_of(session, scenes[i].table), *changed = csv_of(after, scenes[i].table);
        assert_string_not_equal(before, changed);
        perform(session, "adjust 5");
        assert_seen(session, "Working it out", true);
        size_t n_slices = 1;
        for (; stage->demo->work(stage, BUDGET); n_slices++)
            assert_same_text(strdup(before), csv_of(session, scenes[i].table));
        assert_true(n_slices > (size_t)POINTS * POINT_COST / BUDGET / 2);
        assert_seen(session, "Working it out", false);
        assert_same_text(csv_of(session, scenes[i].table), changed);
        free(before);
        session_free(after);
        session_free(session);
    }
}

/* The numbers of the picture belong to each other, though the parameter is further: it answers at once. */
static void the_picture_before_is_whole(void **unused)
{
    (void)unused;
    struct session *session = open_large(&scenes[0]);
    perform(session, "set w 0.125; set w 0.5");
    assert_seen(session, "w = 0.125", true);
    assert_seen(session, "w = 0.5 ", false);
    assert_seen(session, "0.5", true);
    session_settle(session);
    assert_seen(session, "w = 0.5 ", true);
    session_free(session);
}

/* Keys come faster than the changes are made: some values between are left out, the last one never. */
static void held_keys_lead_where_single_ones_do(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < SCENES; i++) {
        struct session *session = open_large(&scenes[i]);
        struct session *after = open_headless(&scenes[i], "adjust 1; adjust 1; adjust 1; adjust 1; adjust 1");
        for (int k = 0; k < 5; k++)
            session_key(session, "Right");
        assert_same_text(state_of(session), state_of(after));
        session_free(after);
        session_free(session);
    }
}

/* Every kind of thing that may come while a change is being made. */
static void what_follows_finds_the_change_made(void **unused)
{
    (void)unused;
    static const char *const followers[] = {
        "step",
        "step 3; back 2",
        "set lr 0.1; step",
        "set loss sum",
        "fit",
        "reset",
        "set query 77",
        "open",
        "set epochs 7",
        "set seed 9",
        "set seed 9; set w 3",
        "select 5 100",
        "set x y; set y x",
    };
    for (size_t i = 0; i < sizeof followers / sizeof *followers; i++) {
        struct session *session = open_large(&scenes[0]);
        struct session *after = open_headless(&scenes[0], "adjust 3");
        session_key(session, "Right");
        perform(session, "adjust 2");
        perform(session, followers[i]);
        perform(after, followers[i]);
        for (int k = 0; k < 100000 && session_tick(session, 0) == 0; k++)
            continue;
        assert_same_text(state_of(session), state_of(after));
        session_free(after);
        session_free(session);
    }
}

static void an_unmade_change_is_undone(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < SCENES; i++) {
        struct session *session = open_large(&scenes[i]);
        char *start = state_of(session);
        perform(session, "adjust 2");
        char *first = state_of(session);
        session_key(session, "Right");
        perform(session, "undo");
        assert_same_text(state_of(session), first);
        session_key(session, "Right");
        session_key(session, "Right");
        perform(session, "undo; undo; undo");
        assert_same_text(state_of(session), start);
        session_free(session);
    }
}

/* A step back shows the epoch before when it is whole, and not its number sooner. */
static void steps_arrive_whole(void **unused)
{
    (void)unused;
    struct session *session = open_large(&scenes[0]);
    struct stage *stage = session_on_stage(session);
    perform(session, "step 2; back; step");
    session_settle(session);
    char *second = csv_of(session, "fit");
    stage->demo->go(stage, 1);
    assert_seen(session, "Working it out", true);
    bool is_more = true;
    for (; stage->demo->position(stage) == 2; is_more = stage->demo->work(stage, BUDGET)) {
        assert_true(is_more);
        assert_same_text(csv_of(session, "fit"), strdup(second));
    }
    assert_false(is_more);
    struct session *first = open_headless(&scenes[0], "step 2; back");
    assert_same_text(csv_of(session, "fit"), csv_of(first, "fit"));
    free(second);
    session_free(first);
    session_free(session);
}

/* The landscape is drawn as far as it is known. */
static double percent_known(const struct session *session)
{
    char *screen = seen(session);
    const char *at = strstr(screen, " % ");
    while (at && at > screen && at[-1] >= '0' && at[-1] <= '9')
        at--;
    double percent = at ? strtod(at, NULL) : 100;
    free(screen);
    return percent;
}

/* What nobody asked for waits until the key's answer could be shown. */
static void the_answer_comes_before_a_look_ahead(void **unused)
{
    (void)unused;
    struct session *session = walk_open("train", "large.csv", true, NULL);
    assert_true(percent_known(session) < 1);
    session_key(session, "Tab");
    assert_true(session_tick(session, 0) == 0);
    assert_true(percent_known(session) < 1);
    for (int i = 0; i < 10; i++)
        session_tick(session, 0);
    double some = percent_known(session);
    assert_true(some > 1 && some < 100);
    session_key(session, "Tab");
    session_tick(session, 0);
    assert_true(percent_known(session) - some < 1e-9);
    session_free(session);
}

/* Only what is printed is worked out. */
static void tables_do_not_wait_for_the_landscape(void **unused)
{
    (void)unused;
    struct session *session = walk_open("train", "large.csv", false, NULL);
    struct stage *stage = session_on_stage(session);
    perform(session, "step 2");
    free(printed(session, "csv", 0, 0));
    assert_true(stage->demo->look_ahead(stage, 1));
    char *early = csv_of(session, "landscape");
    assert_false(stage->demo->look_ahead(stage, 1));
    free(printed(session, "text", 120, 40));
    assert_same_text(csv_of(session, "landscape"), early);
    session_free(session);

    session = walk_open("train", "large.csv", false, NULL);
    assert_on_screen(session, "\u25bc");
    stage = session_on_stage(session);
    assert_false(stage->demo->look_ahead(stage, 1));
    session_free(session);
}

static double w_of(const struct session *session)
{
    struct table table = table_of(session, "history");
    double w = column(&table, "w")[table.n_rows - 1];
    table_free(&table);
    return w;
}

/* The change to the best w is put off, but what it will be is said. */
static void fit_names_the_w_that_it_sets(void **unused)
{
    (void)unused;
    char said[64], w[NUMBER_TEXT];
    struct session *session = walk_open("train", "large.csv", false, NULL);
    perform(session, "fit");
    char *report = strdup(session_report(session));
    session_settle(session);
    snprintf(said, sizeof said, "Best w: %s, ", number_show(w, w_of(session), 6, 12));
    assert_non_null(strstr(report, said));
    free(report);
    session_free(session);
}

/* Whatever of the landscape is being worked out when somebody undoes: it leads to the same best w. */
static void fit_does_not_depend_on_when_one_undoes(void **unused)
{
    (void)unused;
    enum { PLACES = 12 };
    struct session *session = walk_open("train", "wave.csv", true, NULL);
    struct stage *stage = session_on_stage(session);
    size_t n_slices = 1;
    while (stage->demo->look_ahead(stage, BUDGET))
        n_slices++;
    perform(session, "fit");
    session_settle(session);
    double best = w_of(session);
    session_free(session);
    for (size_t place = 1; place <= PLACES; place++) {
        session = walk_open("train", "wave.csv", true, NULL);
        stage = session_on_stage(session);
        for (size_t i = 0; i < n_slices * (PLACES + place) / (2 * PLACES) - 1; i++)
            stage->demo->look_ahead(stage, BUDGET);
        perform(session, "set w 2; undo");
        session_settle(session);
        perform(session, "fit");
        session_settle(session);
        assert_true(w_of(session) == best);
        session_free(session);
    }
}

/* A step that is given up before it arrives is no change: what is undone is the one before. One that arrives
 * after another change is undone before it. */
static void a_step_that_is_given_up_is_not_undone(void **unused)
{
    (void)unused;
    struct session *session = walk_open("train", "large.csv", true, NULL);
    struct seat *seat = session_seat(session);
    session_settle(session);
    char *before = state_of(session);
    perform(session, "set w 5");
    session_settle(session);
    char *at_5 = state_of(session);
    seat_go(seat, 1);
    seat_go(seat, 0);
    assert_same_text(at_5, state_of(session));
    perform(session, "undo");
    session_settle(session);
    assert_same_text(before, state_of(session));

    perform(session, "set w 5");
    session_settle(session);
    seat_go(seat, 1);
    perform(session, "set query 3");
    session_settle(session);
    assert_int_equal(seat->stage.demo->position(&seat->stage), 1);
    perform(session, "undo");
    session_settle(session);
    assert_int_equal(seat->stage.demo->position(&seat->stage), 0);
    char *query = csv_of(session, "query");
    perform(session, "undo");
    session_settle(session);
    char *query_before = csv_of(session, "query");
    assert_string_not_equal(query, query_before);
    free(query);
    free(query_before);
    session_free(session);
}

/* What comes while a step is on its way is told where it came, and the step where it arrived, if it did. */
static void the_way_here_tells_what_arrived(void **unused)
{
    (void)unused;
    static const struct {
        const char *first, *meanwhile, *told;
    } ways[] = {
        {"back 1", "select 3", "step 1; select 3; back 1'"},
        {"back 1", "open", "step 1; open; back 1'"},
        {"back 1", "close", "step 1; back 1'"},
        {"step", "select 3", "step 1; select 3; step 1'"},
        {"step", "set lr 1", "step 1; set lr 1'"},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct session *session = walk_open("train", "large.csv", true, NULL);
        struct seat *seat = session_seat(session);
        session_settle(session);
        perform(session, "step 1");
        session_settle(session);
        seat_go(seat, strcmp(ways[i].first, "step") == 0 ? 2 : 0);
        perform(session, ways[i].meanwhile);
        session_settle(session);
        char *line = printed(session, "command", 0, 0);
        if (!strstr(line, ways[i].told))
            fail_msg("%s, %s: %s", ways[i].first, ways[i].meanwhile, line);
        free(line);
        session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_made_in_small_slices),
        cmocka_unit_test(the_picture_before_is_whole),
        cmocka_unit_test(held_keys_lead_where_single_ones_do),
        cmocka_unit_test(what_follows_finds_the_change_made),
        cmocka_unit_test(an_unmade_change_is_undone),
        cmocka_unit_test(steps_arrive_whole),
        cmocka_unit_test(the_answer_comes_before_a_look_ahead),
        cmocka_unit_test(tables_do_not_wait_for_the_landscape),
        cmocka_unit_test(fit_names_the_w_that_it_sets),
        cmocka_unit_test(fit_does_not_depend_on_when_one_undoes),
        cmocka_unit_test(a_step_that_is_given_up_is_not_undone),
        cmocka_unit_test(the_way_here_tells_what_arrived),
    };
    return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
