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

static const char *const seeds[] = {"0", "1", "2", "42"};

/* The mean of the first 2 and of the first 6 rows of 0 1 2 3 / 4 5 6 7 / ... */
static void equal_keys_give_the_mean_of_the_valid_values(void **unused)
{
    static const double means[] = {2, 3, 4, 5, 10, 11, 12, 13};

    (void)unused;
    for (size_t i = 0; i < ALEN(seeds); i++) {
        char settings[32];

        snprintf(settings, sizeof settings, "seed=%s", seeds[i]);
        struct session *session = on_stage("additive", settings);
        assert_table_close(session, "output", means, ALEN(means), 1e-13);
        session_free(session);
    }
}

/* nn.Dropout(0.3) in PyTorch 1.13 (a build without MKL) on the weights of seed 0, called twice. */
static void training_drops_what_pytorch_drops(void **unused)
{
    static const double first[] = {0, 0.665248454, 0,           0, 0, 0,           0, 0, 0, 0,
                                   0, 0.212134674, 0.305313498, 0, 0, 0.254882187, 0, 0, 0, 0},
                        second[] = {0.763323009, 0.665248454, 0,           0, 0,
                                    0,           0,           0,           0, 0,
                                    0.207008004, 0.212134674, 0.305313498, 0, 0.162803859,
                                    0.254882187, 0,           0,           0, 0},
                        output[] = {2.66099381, 4.08956528, 5.51813698, 6.9467082,
                                    10.9935522, 12.1356945, 13.2778358, 14.4199791};
    struct session *session = on_stage("additive", "seed=0 keys=random dropout=0.3 mode=train");
    struct session *plain = on_stage("additive", "seed=0 keys=random");

    (void)unused;
    assert_table_close(session, "kept", first, ALEN(first), 1e-6);
    assert_same_table(session, plain, "weights");
    perform(session, "set pass 2");
    assert_table_close(session, "kept", second, ALEN(second), 1e-6);
    assert_table_close(session, "output", output, ALEN(output), 1e-6);
    session_free(session);
    session_free(plain);
}

static void eval_drops_nothing_however_often(void **unused)
{
    struct session *session = on_stage("additive", "keys=random dropout=0.5");
    struct session *plain = on_stage("additive", "keys=random dropout=0");

    (void)unused;
    for (int pass = 1; pass <= 3; pass++) {
        char line[32];

        snprintf(line, sizeof line, "set pass %d", pass);
        perform(session, line);
        assert_same_table(session, plain, "kept");
        assert_same_table(session, plain, "output");
    }
    perform(session, "set mode train; set mode eval");
    assert_same_table(session, plain, "output");
    session_free(session);
    session_free(plain);
}

/* Valid lengths count from the left: nothing beyond them is seen, whatever stands there. */
static void masked_keys_cannot_be_noticed(void **unused)
{
    struct session *session = on_stage("additive", "keys=random"),
                   *plain = on_stage("additive", "keys=random");

    (void)unused;
    perform(session, "focus keys; select 0 2; nudge 50; select 1 9; nudge -50");
    assert_same_table(session, plain, "output");
    perform(session, "select 0 1; nudge 50");
    struct table moved = table_of(session, "output"), still = table_of(plain, "output");
    assert_true(fabs(moved.column[0].number[0] - still.column[0].number[0]) > 1e-3);
    assert_true(moved.column[0].number[1] == still.column[0].number[1]);
    table_free(&moved);
    table_free(&still);
    session_free(session);
    session_free(plain);
}

static void plus_and_minus_move_the_selected_valid_length(void **unused)
{
    /* Item 1 with 5 of its keys: the mean of 0 4 8 12 16 and so on. */
    static const double means[] = {2, 3, 4, 5, 8, 9, 10, 11};
    struct session *session = on_stage("additive", NULL), *plain = on_stage("additive", NULL);

    (void)unused;
    perform(session, "focus weights; select 1; nudge -1");
    assert_table_close(session, "output", means, ALEN(means), 1e-13);
    perform(session, "param valid_lens; adjust 1");
    assert_same_table(session, plain, "output");
    perform(session, "undo; undo; redo");
    assert_table_close(session, "output", means, ALEN(means), 1e-13);
    session_free(session);
    session_free(plain);
}

static void an_item_without_valid_keys_is_said_to_be_empty(void **unused)
{
    struct session *session = on_stage("additive", "keys=random valid_lens=0,10");
    struct table weights = table_of(session, "weights");
    char *const screen = screen_text(session, 120, 40);
    double sum = 0;

    (void)unused;
    for (size_t k = 0; k < weights.n_columns; k++) {
        assert_true(weights.column[k].number[0] == 0);
        sum += weights.column[k].number[1];
    }
    assert_true(fabs(sum - 1) < 1e-12);
    assert_non_null(strstr(screen, "no valid key"));
    table_free(&weights);
    free(screen);
    session_free(session);
}

static void what_does_not_fit_is_refused(void **unused)
{
    struct session *session = on_stage("additive", NULL), *plain = on_stage("additive", NULL);

    (void)unused;
    assert_non_null(strstr(refused(session, "set valid_lens 2,11").text, "0 to 10"));
    assert_non_null(strstr(refused(session, "set valid_lens 1,2,3").text, "(2, 1, 10)"));
    assert_non_null(strstr(refused(session, "set dropout 1.5").text, "0 to 1"));
    assert_non_null(strstr(refused(session, "set hidden 0").text, "1 to 32"));
    assert_non_null(strstr(on_stage_refused("additive", "valid_lens=11,2").text, "0 to 10"));
    assert_non_null(strstr(on_stage_refused("additive", "query_size=3 q=1,2").text, "q"));
    assert_same_table(session, plain, "output");
    session_free(session);
    session_free(plain);
}

/* Equal sizes: the same queries and keys under both methods. With equal keys they must agree. */
static void the_comparison_tells_ones_from_random(void **unused)
{
    struct session *session = on_stage("additive", "query_size=2");

    (void)unused;
    perform(session, "zoom compare");
    char *agreeing = screen_text(session, 120, 40);
    perform(session, "set keys random");
    char *differing = screen_text(session, 120, 40);
    assert_non_null(strstr(agreeing, "They agree"));
    assert_non_null(strstr(agreeing, "0 scaled"));
    assert_non_null(strstr(differing, "They disagree"));
    free(agreeing);
    free(differing);
    session_free(session);
}

/* At 80x24 five of the eight hidden units fit: that there are more is to be seen. */
static void units_that_do_not_fit_are_told(void **unused)
{
    (void)unused;
    struct session *session = on_stage("additive", NULL);
    char *screen = screen_text(session, 80, 24), *sum = strstr(screen, "\u2502 sum ");
    assert_non_null(sum);
    const char *ellipsis = strstr(sum, "\u2026"), *end = strchr(sum, '\n');
    assert_true(ellipsis && end && ellipsis < end);
    free(screen);
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_that_do_not_fit_are_told),
        cmocka_unit_test(equal_keys_give_the_mean_of_the_valid_values),
        cmocka_unit_test(training_drops_what_pytorch_drops),
        cmocka_unit_test(eval_drops_nothing_however_often),
        cmocka_unit_test(masked_keys_cannot_be_noticed),
        cmocka_unit_test(plus_and_minus_move_the_selected_valid_length),
        cmocka_unit_test(an_item_without_valid_keys_is_said_to_be_empty),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(the_comparison_tells_ones_from_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
