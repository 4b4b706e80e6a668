#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "demos/demo.h"
#include "golden.h"
#include "on_stage.h"

static const char *const seeds[] = {"0", "1", "2", "42"};
enum { SEEDS = sizeof seeds / sizeof *seeds };

static void random_scores_are_pytorchs(void **unused)
{
    (void)unused;
    static const char *const shapes[] = {"rows=1 columns=1 queries=10 keys=10",
                                         "rows=2 columns=2 queries=5 keys=5",
                                         "rows=1 columns=5 queries=4 keys=5"};
    for (int i = 0; i < SEEDS; i++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            char file[32], settings[96];
            snprintf(file, sizeof file, "rng_seed%s.tsv", seeds[i]);
            snprintf(settings, sizeof settings, "seed=%s normalise=none %s", seeds[i], shapes[k]);
            struct golden expected = golden_load(file, "rand_100");
            struct session *session = on_stage("heatmap", settings);
            struct table table = table_of(session, "weights");
            double *at = matrix_values(&table);
            assert_int_equal(table.n_rows * table.n_columns, expected.n);
            golden_assert_close(at, expected.n, &expected, 0, 0);
            free(at);
            table_free(&table);
            golden_free(&expected);
            session_free(session);
        }
}

static void softmax_turns_scores_into_weights(void **unused)
{
    (void)unused;
    const char *const settings = "rows=3 columns=4 queries=7 keys=9";
    struct session *session = on_stage("heatmap", settings);
    struct table weights = table_of(session, "weights");
    perform(session, "set normalise none");
    struct table scores = table_of(session, "weights");
    assert_int_equal(weights.n_rows, 3 * 4 * 7);
    assert_int_equal(weights.n_columns, 9);
    for (size_t row = 0; row < weights.n_rows; row++) {
        double sum = 0, expo = 0;
        for (size_t key = 0; key < 9; key++) {
            sum += weights.column[key].number[row];
            expo += exp(scores.column[key].number[row]);
        }
        assert_true(fabs(sum - 1) < 1e-12);
        for (size_t key = 0; key < 9; key++)
            assert_true(fabs(weights.column[key].number[row] - exp(scores.column[key].number[row]) / expo) <
                        1e-14);
    }
    table_free(&weights);
    table_free(&scores);
    session_free(session);
}

static void the_identity_is_left_as_it_is(void **unused)
{
    (void)unused;
    struct session *session = on_stage("heatmap", "source=identity rows=2 columns=1 queries=5 keys=3");
    struct table table = table_of(session, "weights");
    for (size_t row = 0; row < 10; row++)
        for (size_t key = 0; key < 3; key++)
            assert_true(table.column[key].number[row] == (row % 5 == key));
    table_free(&table);
    perform(session, "select 3");
    assert_on_screen(session, "row is empty");
    /* exp(1) / (exp(1) + 2) */
    perform(session, "set normalise softmax");
    table = table_of(session, "weights");
    assert_true(fabs(table.column[0].number[0] - 0.5761168847658291) < 1e-15);
    table_free(&table);
    session_free(session);
}

static void assert_selected(struct session *session, const char *batch_head, const char *cell)
{
    assert_on_screen(session, cell);
    const struct stage *stage = session_stage(session);
    size_t batch = param_find(stage->demo->params, stage->demo->n_params, "batch");
    size_t head = param_find(stage->demo->params, stage->demo->n_params, "head");
    char text[32];
    snprintf(text, sizeof text, "%g %g", stage->values[batch].number, stage->values[head].number);
    assert_string_equal(text, batch_head);
}

static void the_selection_goes_from_panel_to_panel(void **unused)
{
    (void)unused;
    struct session *session = on_stage("heatmap", "rows=2 columns=3 queries=4 keys=5");
    perform(session, "move 4 3");
    assert_selected(session, "0 0", "q3, k4");
    perform(session, "move 1 1");
    assert_selected(session, "1 1", "q0, k0");
    perform(session, "move 100 100");
    assert_selected(session, "1 2", "q3, k4");
    perform(session, "set head 0");
    assert_selected(session, "1 0", "q3, k4");
    perform(session, "select 9 2"); /* item 0, head 2, query 1 */
    assert_selected(session, "0 2", "q1, k2");
    perform(session, "set columns 1; set queries 1");
    assert_selected(session, "0 0", "q0, k2");
    perform(session, "undo; undo");
    assert_selected(session, "0 2", "q1, k2");
    session_free(session);
}

static void panels_that_are_not_there_are_refused(void **unused)
{
    (void)unused;
    struct session *session = on_stage("heatmap", "rows=2 columns=3");
    struct error error = refused(session, "set head 3");
    assert_non_null(strstr(error.text, "0 to 2"));
    error = refused(session, "set batch 2");
    assert_non_null(strstr(error.text, "0 to 1"));
    refused(session, "set keys 0");
    refused(session, "set source moon");
    refused(session, "select 60");
    session_free(session);
    error = on_stage_refused("heatmap", "columns=2 head=2");
    assert_non_null(strstr(error.text, "0 to 1"));
}

/* With the seed 42 the largest weights of the four panels differ, so each panel's bar ends elsewhere. */
static void a_scale_is_shared_or_own(void **unused)
{
    (void)unused;
    struct session *session = on_stage("heatmap", "rows=1 columns=2");
    struct table table = table_of(session, "weights");
    double most[2] = {0, 0};
    for (size_t row = 0; row < table.n_rows; row++)
        for (size_t key = 0; key < table.n_columns; key++)
            most[row / 10] = fmax(most[row / 10], table.column[key].number[row]);
    table_free(&table);
    assert_true(most[0] != most[1]);
    char ends[2][32];
    for (int i = 0; i < 2; i++)
        snprintf(ends[i], sizeof ends[i], " %.3g", most[i]);
    char *shared = screen_text(session, 120, 40);
    perform(session, "set scope own");
    char *own = screen_text(session, 120, 40);
    assert_non_null(strstr(own, ends[0]));
    assert_non_null(strstr(own, ends[1]));
    assert_non_null(strstr(shared, ends[most[1] > most[0]]));
    assert_null(strstr(shared, ends[most[1] < most[0]]));
    free(shared);
    free(own);
    session_free(session);
}

static void extremes_are_finite(void **unused)
{
    (void)unused;
    static const char *const settings[] = {
        "rows=1 columns=1 queries=1 keys=1",
        "rows=4 columns=8 queries=64 keys=64",
        "queries=64 keys=1",
        "queries=1 keys=64 source=identity",
        "rows=4 columns=8 scope=own source=identity normalise=softmax",
    };
    const int sizes[][2] = {{40, 12}, {80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (size_t k = 0; k < 4; k++) {
            struct session *session = on_stage("heatmap", settings[i]);
            for (size_t pane = 0; pane < 3; pane++) {
                char *screen = screen_text(session, sizes[k][0], sizes[k][1]);
                assert_null(strstr(screen, "nan"));
                assert_null(strstr(screen, "NaN"));
                assert_null(strstr(screen, "inf"));
                free(screen);
                perform(session, "focus next; move 3 3");
            }
            session_free(session);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_scores_are_pytorchs),
        cmocka_unit_test(softmax_turns_scores_into_weights),
        cmocka_unit_test(the_identity_is_left_as_it_is),
        cmocka_unit_test(the_selection_goes_from_panel_to_panel),
        cmocka_unit_test(panels_that_are_not_there_are_refused),
        cmocka_unit_test(a_scale_is_shared_or_own),
        cmocka_unit_test(extremes_are_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
