#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
    table_free(&table);
    return output;
}

static void the_books_look_up_is_pytorchs(void **unused)
{
    (void)unused;
    struct session *session = on_stage("qkv", NULL);
    struct golden weights = golden_load("pieces.tsv", "qkv_weights"),
                  output = golden_load("pieces.tsv", "qkv_output");
    struct table items = table_of(session, "items");
    double got = output_of(session);
    assert_int_equal(items.n_rows, 3);
    /* Relative alone: the weight of key 51 must not pass as 0. */
    golden_assert_close(column(&items, "weight"), 3, &weights, 0, 1e-5);
    golden_assert_close(&got, 1, &output, 1e-6, 1e-5);
    assert_true(column(&items, "score")[0] == -18 && column(&items, "score")[1] == -0.5);
    table_free(&items);
    golden_free(&weights);
    golden_free(&output);
    session_free(session);
}

static void the_tiny_weight_is_shown(void **unused)
{
    (void)unused;
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    struct session *session = on_stage("qkv", NULL);
    for (int i = 0; i < 3; i++) {
        char *screen = screen_text(session, sizes[i][0], sizes[i][1]);
        assert_non_null(strstr(screen, "1.2555e-08"));
        assert_non_null(strstr(screen, "45.5"));
        free(screen);
    }
    session_free(session);
}

static void sharpness_reaches_from_the_mean_to_the_nearest(void **unused)
{
    (void)unused;
    struct session *session = on_stage("qkv", "w=0");
    assert_true(fabs(output_of(session) - (40 + 43 + 48) / 3.0) < 1e-12);
    perform(session, "set w 1000; set q 56.9");
    assert_true(output_of(session) == 43);
    perform(session, "set q 57.1");
    assert_true(output_of(session) == 48);
    perform(session, "set q 57"); /* a tie is shared */
    assert_true(fabs(output_of(session) - 45.5) < 1e-12);
    perform(session, "set q 10000; set w 1");
    assert_true(output_of(session) == 48);
    session_free(session);
}

static void no_key_in_reach_is_said(void **unused)
{
    (void)unused;
    struct session *session = on_stage("qkv", "kernel=boxcar q=54");
    assert_true(isnan(output_of(session)));
    char *screen = screen_text(session, 80, 24);
    assert_non_null(strstr(screen, "No key lies within reach"));
    assert_null(strstr(screen, "nan"));
    free(screen);
    perform(session, "set q 57.5");
    assert_true(output_of(session) == 48);
    session_free(session);
}

static void items_change_one_by_one(void **unused)
{
    (void)unused;
    struct session *session = on_stage("qkv", "kernel=constant");
    perform(session, "param values; select 1; adjust 2"); /* 43 to 44 */
    assert_true(fabs(output_of(session) - (40 + 44 + 48) / 3.0) < 1e-12);
    perform(session, "param keys; adjust -4; nudge -2"); /* 56 to 53 */
    struct table items = table_of(session, "items");
    assert_true(column(&items, "key")[1] == 53);
    table_free(&items);
    perform(session, "set keys 1,2,3,4"); /* the last value is repeated */
    assert_true(fabs(output_of(session) - (40 + 44 + 48 + 48) / 4.0) < 1e-12);
    perform(session, "undo; undo; undo; undo");
    assert_true(fabs(output_of(session) - (40 + 43 + 48) / 3.0) < 1e-12);
    session_free(session);
    assert_non_null(strstr(on_stage_refused("qkv", "keys=1,2 values=1,2,3").text, "2 keys and 3 values"));
}

static void extremes_stay_finite(void **unused)
{
    (void)unused;
    static const char *const settings[] = {"q=-10000 w=1000",
                                           "w=0.0001",
                                           "keys=5 values=6",
                                           "keys=3,3,3",
                                           "values=0,0,0",
                                           "kernel=epanechnikov w=1000",
                                           "keys=-10000,0,10000 q=0.25"};
    static const int sizes[][2] = {{40, 12}, {80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct session *session = on_stage("qkv", settings[i]);
        for (int k = 0; k < 4; k++) {
            char *screen = screen_text(session, sizes[k][0], sizes[k][1]);
            assert_null(strstr(screen, "nan"));
            assert_null(strstr(screen, "inf"));
            free(screen);
        }
        session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_books_look_up_is_pytorchs),
        cmocka_unit_test(the_tiny_weight_is_shown),
        cmocka_unit_test(sharpness_reaches_from_the_mean_to_the_nearest),
        cmocka_unit_test(no_key_in_reach_is_said),
        cmocka_unit_test(items_change_one_by_one),
        cmocka_unit_test(extremes_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
