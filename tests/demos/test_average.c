#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "demos/demo.h"
#include "golden.h"
#include "on_stage.h"

static double output_of(const struct session *session)
{
    struct table table = table_of(session, "output");
    double output = column(&table, "output")[0];
    assert_int_equal(table.n_rows, 1);
    table_free(&table);
    return output;
}

static double choice_of(const struct session *session, const char *name)
{
    const struct stage *stage = session_stage(session);
    return stage->values[param_find(stage->demo->params, stage->demo->n_params, name)].number;
}

static void check_golden(const struct session *session, const char *tensor)
{
    double output = output_of(session);
    golden_assert_tensor("pieces.tsv", tensor, &output, 1e-6, 1e-5);
}

static void the_books_averages_are_pytorchs(void **unused)
{
    (void)unused;
    struct session *session = on_stage("average", NULL);
    check_golden(session, "average_equal");
    assert_true(fabs(output_of(session) - 2.2) < 1e-12);
    perform(session, "set focus book");
    check_golden(session, "average_focused");
    assert_true(fabs(output_of(session) - 0.49) < 1e-12);
    session_free(session);
    session = on_stage("average", "weights=0.01,0.01,0.01,0.01,0.96");
    assert_true(fabs(output_of(session) - 0.49) < 1e-12);
    session_free(session);
}

/* Only proportions count: 2 and 6 are 1/4 and 3/4. */
static void weights_are_normalised(void **unused)
{
    (void)unused;
    struct session *session = on_stage("average", "values=10,20 weights=2,6");
    struct table items = table_of(session, "items");
    assert_true(column(&items, "normalised")[0] == 0.25 && column(&items, "normalised")[1] == 0.75);
    assert_true(column(&items, "product")[0] == 2.5 && column(&items, "product")[1] == 15);
    assert_true(output_of(session) == 17.5);
    table_free(&items);
    session_free(session);
}

static void zero_weights_have_no_output(void **unused)
{
    (void)unused;
    struct session *session = on_stage("average", "weights=0,0,0,0,0");
    assert_true(isnan(output_of(session)));
    assert_on_screen(session, "All weights are 0");
    assert_not_on_screen(session, "nan");
    perform(session, "set focus equal");
    assert_true(fabs(output_of(session) - 2.2) < 1e-12);
    session_free(session);
}

static void numbers_move_in_place(void **unused)
{
    (void)unused;
    struct session *session = on_stage("average", "values=1,2,3");
    perform(session, "select 2; nudge 10"); /* 1 to 2 in steps of 0.1: (1 + 2 + 2 * 3) / 4 */
    assert_true(fabs(output_of(session) - 9.0 / 4) < 1e-12);
    assert_true(choice_of(session, "focus") == 2);
    perform(session, "undo; param values; adjust 1"); /* 3 to 3.1 */
    assert_true(fabs(output_of(session) - 6.1 / 3) < 1e-12);
    perform(session, "move 0 -5; adjust 1"); /* the first one: 1 to 1.1 */
    assert_true(fabs(output_of(session) - 6.2 / 3) < 1e-12);
    session_free(session);
}

static void counts_must_agree(void **unused)
{
    (void)unused;
    struct error error = on_stage_refused("average", "values=1,2 weights=1,2,3");
    assert_non_null(strstr(error.text, "2 values, got 3"));
    struct session *session = on_stage("average", NULL);
    refused(session, "set weights 1,2");
    refused(session, "set weights 1,1,1,1,-1");
    refused(session, "set weights");
    assert_true(fabs(output_of(session) - 2.2) < 1e-12);
    perform(session, "set values 4,8"); /* the weights follow */
    assert_true(output_of(session) == 6);
    refused(session, "select 2");
    session_free(session);
    error = on_stage_refused("average", "focus=book weights=1,2,3,4,5");
    assert_non_null(strstr(error.text, "focus=book"));
}

static void extremes_stay_finite(void **unused)
{
    (void)unused;
    static const char *const settings[] = {
        "values=-1e12,1e12",
        "values=7",
        "values=0,0,0",
        "weights=1e6,0,0,0,0",
        "weights=1e-300,0,0,0,1e6",
        "values=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30 focus=book",
    };
    static const int sizes[][2] = {{40, 12}, {80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct session *session = on_stage("average", settings[i]);
        assert_true(isfinite(output_of(session)));
        for (int k = 0; k < 4; k++) {
            char *screen = screen_text(session, sizes[k][0], sizes[k][1]);
            assert_null(strstr(screen, "nan"));
            free(screen);
        }
        session_free(session);
    }
}

/* The column of GLYPH's first place on SCREEN, whose characters are all narrow; -1 if there is none. */
static long place_of(const char *screen, const char *glyph)
{
    const char *found = strstr(screen, glyph);
    long columns = 0;
    for (const char *at = found; at && at > screen && at[-1] != '\n'; at--)
        columns += ((unsigned char)at[-1] & 0xc0) != 0x80;
    return found ? columns : -1;
}

/* The middle of two poles as heavy, a quarter of the way where one weighs three times as much. */
static void the_beam_is_held_at_the_average(void **unused)
{
    (void)unused;
    struct session *session = on_stage("average", "values=0,8 weights=0,1");
    perform(session, "focus balance");
    perform(session, "zoom");
    long place[5];
    static const char *const weights[] = {"1,0", "0,1", "1,1", "3,1", "1,3"};
    for (size_t i = 0; i < 5; i++) {
        char line[32];
        snprintf(line, sizeof line, "set weights %s", weights[i]);
        perform(session, line);
        char *screen = screen_text(session, 120, 40), *below_title = strchr(strstr(screen, "\u25b2"), '\n');
        place[i] = place_of(below_title + 1, "\u25b2");
        assert_true(place[i] >= 0);
        free(screen);
    }
    double first = (double)place[0], length = (double)(place[1] - place[0]);
    assert_true(length > 50);
    assert_true(fabs((double)place[2] - (first + length / 2)) <= 1);
    assert_true(fabs((double)place[3] - (first + length / 4)) <= 1);
    assert_true(fabs((double)place[4] - (first + length * 3 / 4)) <= 1);
    session_free(session);
}

/* What the average of nothing is, nobody can say: the only such sign is that of the warning. */
static void nothing_holds_a_beam_without_weights(void **unused)
{
    (void)unused;
    struct session *session = on_stage("average", "weights=0,0,0,0,0");
    char *screen = screen_text(session, 120, 40);
    assert_null(strstr(strstr(screen, "\u25b2 All") + 1, "\u25b2"));
    assert_ptr_equal(strstr(screen, "\u25b2"), strstr(screen, "\u25b2 All"));
    free(screen);
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_books_averages_are_pytorchs),
        cmocka_unit_test(weights_are_normalised),
        cmocka_unit_test(zero_weights_have_no_output),
        cmocka_unit_test(numbers_move_in_place),
        cmocka_unit_test(counts_must_agree),
        cmocka_unit_test(extremes_stay_finite),
        cmocka_unit_test(the_beam_is_held_at_the_average),
        cmocka_unit_test(nothing_holds_a_beam_without_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
