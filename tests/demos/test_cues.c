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
#include "on_stage.h"

enum { THINGS = 5 };

static const char *winner_of(const struct session *session)
{
    static char name[64];
    struct table items = table_of(session, "items");
    const double *weight = column(&items, "weight");
    size_t best = 0;
    assert_int_equal(items.n_rows, THINGS);
    for (size_t i = 1; i < THINGS; i++)
        best = weight[i] > weight[best] ? i : best;
    snprintf(name, sizeof name, "%s", items.column[0].text[best]);
    table_free(&items);
    return name;
}

static void the_cup_stands_out_and_the_book_is_looked_for(void **unused)
{
    (void)unused;
    struct session *session = on_stage("cues", NULL);
    assert_string_equal(winner_of(session), "red coffee cup");
    assert_on_screen(session, "the red coffee cup stands out and wins");
    perform(session, "set intent read");
    assert_string_equal(winner_of(session), "book");
    assert_on_screen(session, "The red coffee cup no longer wins: from strength 1.4 on the book does.");
    perform(session, "set intent coffee");
    assert_string_equal(winner_of(session), "red coffee cup");
    perform(session, "set intent none; set strength 10");
    assert_string_equal(winner_of(session), "red coffee cup");
    session_free(session);
}

/* scores = saliency + strength * match, weights = their softmax. */
static void weights_are_the_softmax_of_the_scores(void **unused)
{
    (void)unused;
    static const char *const settings[] = {"intent=none", "intent=coffee strength=0.7",
                                           "intent=read strength=5", "intent=read strength=0"};
    static const double strengths[] = {3, 0.7, 5, 0};
    for (size_t i = 0; i < 4; i++) {
        struct session *session = on_stage("cues", settings[i]);
        struct table items = table_of(session, "items");
        double sum = 0, total = 0;
        for (size_t k = 0; k < THINGS; k++)
            sum += exp(column(&items, "score")[k]);
        for (size_t k = 0; k < THINGS; k++) {
            double score = column(&items, "saliency")[k] + strengths[i] * column(&items, "match")[k];
            assert_true(fabs(column(&items, "score")[k] - score) < 1e-12);
            assert_true(fabs(column(&items, "weight")[k] - exp(score) / sum) < 1e-12);
            total += column(&items, "weight")[k];
        }
        assert_true(fabs(total - 1) < 1e-12);
        table_free(&items);
        session_free(session);
    }
}

/* The remark names the strength at which the winner changes: just below it the cup wins, just above it the
 * book. */
static void the_turning_point_is_where_it_is_said(void **unused)
{
    (void)unused;
    struct session *session = on_stage("cues", "intent=read strength=1.3");
    assert_string_equal(winner_of(session), "red coffee cup");
    assert_on_screen(session, "Above strength 1.4 the book does");
    perform(session, "set strength 1.399");
    assert_string_equal(winner_of(session), "red coffee cup");
    perform(session, "set strength 1.401");
    assert_string_equal(winner_of(session), "book");
    perform(session, "undo; undo");
    assert_string_equal(winner_of(session), "red coffee cup");
    refused(session, "set strength 11");
    refused(session, "set strength -1");
    refused(session, "set intent sleep");
    refused(session, "select 5");
    session_free(session);
}

static void every_size_shows_the_winner(void **unused)
{
    (void)unused;
    static const int sizes[][2] = {{60, 16}, {80, 24}, {120, 40}, {200, 60}};
    struct session *session = on_stage("cues", "intent=read");
    for (int i = 0; i < 4; i++) {
        char *screen = screen_text(session, sizes[i][0], sizes[i][1]);
        assert_non_null(strstr(screen, "the book wins: 59.1 %"));
        free(screen);
    }
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cup_stands_out_and_the_book_is_looked_for),
        cmocka_unit_test(weights_are_the_softmax_of_the_scores),
        cmocka_unit_test(the_turning_point_is_where_it_is_said),
        cmocka_unit_test(every_size_shows_the_winner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
