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

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* q = (1, 2), (0, -1), (0.5, 0); k = (2, 1), (0, 3). */
static const char *const typed = "Q=1,2/0,-1/0.5,0 K=2,1/0,3";

static void scores_are_the_formulas(void **unused)
{
    static const double dot[] = {4, 6, -1, -3, 1, 0}, gaussian[] = {-1, -1, -4, -8, -1.625, -4.625};
    double scaled[ALEN(dot)];
    struct session *session = on_stage("scores", typed);

    (void)unused;
    for (size_t i = 0; i < ALEN(dot); i++)
        scaled[i] = dot[i] / sqrt(2);
    assert_table_close(session, "score_dot", dot, ALEN(dot), 0);
    assert_table_close(session, "score_gaussian", gaussian, ALEN(gaussian), 0);
    assert_table_close(session, "score_scaled", scaled, ALEN(scaled), 1e-15);
    session_free(session);
}

/* Two keys: a logistic function of the difference of their scores. */
static void weights_are_the_softmax_of_each_row(void **unused)
{
    static const double difference[] = {2, -2, -1, 0, -4, -3};
    double dot[6], gaussian[6];
    struct session *session = on_stage("scores", typed);

    (void)unused;
    for (size_t q = 0; q < 3; q++) {
        dot[2 * q] = 1 / (1 + exp(difference[q]));
        gaussian[2 * q] = 1 / (1 + exp(difference[q + 3]));
        dot[2 * q + 1] = 1 - dot[2 * q];
        gaussian[2 * q + 1] = 1 - gaussian[2 * q];
    }
    assert_table_close(session, "weight_dot", dot, 6, 1e-13);
    assert_table_close(session, "weight_gaussian", gaussian, 6, 1e-13);
    session_free(session);
}

/* w_v . tanh(W_q q + W_k k), from the tables of its parts. */
static void the_additive_score_is_its_formula(void **unused)
{
    struct session *session = on_stage("scores", "n_q=3 n_k=5 d=4 hidden=6 seed=7");
    struct table q = table_of(session, "Q"), k = table_of(session, "K"), w_q = table_of(session, "W_q"),
                 w_k = table_of(session, "W_k"), w_v = table_of(session, "w_v");
    double expected[15];

    (void)unused;
    assert_int_equal(w_q.n_rows, 6);
    for (size_t i = 0; i < ALEN(expected); i++) {
        expected[i] = 0;
        for (size_t u = 0; u < 6; u++) {
            double sum = 0;

            for (size_t c = 0; c < 4; c++)
                sum += w_q.column[c].number[u] * q.column[c].number[i / 5] +
                       w_k.column[c].number[u] * k.column[c].number[i % 5];
            expected[i] += w_v.column[u].number[0] * tanh(sum);
        }
    }
    assert_table_close(session, "score_additive", expected, ALEN(expected), 1e-14);
    struct table *const tables[] = {&q, &k, &w_q, &w_k, &w_v};
    for (size_t i = 0; i < ALEN(tables); i++)
        table_free(tables[i]);
    session_free(session);
}

/* torch.manual_seed(0); torch.normal(0, 1, (2, 2)) as in golden/attention_seed0.tsv. */
static void queries_are_drawn_first(void **unused)
{
    static const double drawn[] = {1.54099607, -0.293428898, -2.17878938, 0.568431258};
    struct session *session = on_stage("scores", "seed=0 n_q=2 d=2");

    (void)unused;
    assert_table_close(session, "Q", drawn, ALEN(drawn), 1e-8);
    session_free(session);
}

static void a_nudged_number_reaches_every_score(void **unused)
{
    /* The first query moved from (1, 2) to (1.5, 2). */
    static const double dot[] = {5, 6, -1, -3, 1, 0}, gaussian[] = {-0.625, -1.625, -4, -8, -1.625, -4.625};
    struct session *session = on_stage("scores", typed), *plain = on_stage("scores", typed);

    (void)unused;
    perform(session, "focus queries; nudge 5");
    assert_table_close(session, "score_dot", dot, ALEN(dot), 1e-13);
    assert_table_close(session, "score_gaussian", gaussian, ALEN(gaussian), 1e-13);
    perform(session, "undo");
    assert_same_table(session, plain, "score_additive");
    perform(session, "param Q; adjust 5");
    assert_table_close(session, "score_dot", dot, ALEN(dot), 1e-13);
    session_free(session);
    session_free(plain);
}

static void a_drawn_number_can_be_nudged_and_comes_back(void **unused)
{
    struct session *session = on_stage("scores", NULL), *plain = on_stage("scores", NULL);

    (void)unused;
    perform(session, "focus keys; select 0 2; nudge 3");
    struct table moved = table_of(session, "K"), still = table_of(plain, "K");
    assert_true(fabs(moved.column[0].number[2] - still.column[0].number[2] - 0.3) < 1e-8);
    assert_true(moved.column[0].number[1] == still.column[0].number[1]);
    table_free(&moved);
    table_free(&still);
    perform(session, "undo");
    assert_same_table(session, plain, "K");
    assert_same_table(session, plain, "weight_scaled");
    session_free(session);
    session_free(plain);
}

static void sizes_follow_what_is_typed(void **unused)
{
    struct session *session = on_stage("scores", NULL);

    (void)unused;
    perform(session, "set Q 1,2,3");
    struct table k = table_of(session, "K"), score = table_of(session, "score_dot");
    assert_int_equal(k.n_columns, 3);
    assert_int_equal(score.n_rows, 1);
    table_free(&k);
    table_free(&score);
    perform(session, "set n_q 4");
    score = table_of(session, "score_dot");
    assert_int_equal(score.n_rows, 4);
    table_free(&score);
    assert_non_null(strstr(refused(session, "set K 1,2,3,4,5,6,7,8,9").text, "K"));
    assert_non_null(strstr(refused(session, "set d 9").text, "1 to 8"));
    assert_non_null(strstr(on_stage_refused("scores", "Q=1,2 K=1,2,3").text, "Q and K"));
    session_free(session);
}

static void the_selected_pair_is_written_out(void **unused)
{
    struct session *session = on_stage("scores", typed);

    (void)unused;
    assert_on_screen(session, "q\u00b7k = 1\u00b72 + 2\u00b71 = 4");
    assert_on_screen(session, "4 / \u221a2 = 2.828");
    assert_on_screen(session, "\u2212(1\u00b2 + 1\u00b2)/2 = -1");
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_the_formulas),
        cmocka_unit_test(weights_are_the_softmax_of_each_row),
        cmocka_unit_test(the_additive_score_is_its_formula),
        cmocka_unit_test(queries_are_drawn_first),
        cmocka_unit_test(a_nudged_number_reaches_every_score),
        cmocka_unit_test(a_drawn_number_can_be_nudged_and_comes_back),
        cmocka_unit_test(sizes_follow_what_is_typed),
        cmocka_unit_test(the_selected_pair_is_written_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
