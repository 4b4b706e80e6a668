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

static const char *const columns[8] = {
    "var",        "max_weight",        "entropy",        "gradient",
    "var_scaled", "max_weight_scaled", "entropy_scaled", "gradient_scaled"};

static void assert_near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", got, expected);
}

static struct table by_d_of(struct session *session)
{
    session_settle(session);
    return table_of(session, "by_d");
}

static void check_row(const struct table *table, const char *seed, int d, size_t row)
{
    char name[40];
    double got[8];
    snprintf(name, sizeof name, "saturation%s_%d_f64", seed, d);
    struct golden expected = golden_load("learned.tsv", name);
    assert_true(column(table, "d")[row] == d);
    for (size_t c = 0; c < 8; c++)
        got[c] = column(table, columns[c])[row];
    golden_assert_close(got, 8, &expected, 1e-9, 1e-9);
    golden_free(&expected);
}

static void measures_are_pytorchs(void **unused)
{
    (void)unused;
    static const char *const seeds[] = {"0", "42"};
    for (size_t i = 0; i < 2; i++) {
        char settings[32];
        snprintf(settings, sizeof settings, "seed=%s", seeds[i]);
        struct session *session = on_stage("scale", settings);
        struct table table = by_d_of(session);
        assert_int_equal(table.n_rows, 11);
        check_row(&table, seeds[i], 1, 0);
        check_row(&table, seeds[i], 4, 2);
        check_row(&table, seeds[i], 64, 6);
        table_free(&table);
        session_free(session);
    }
}

/* What the division is for: without it the weights saturate and the gradient dies as d grows, with it neither
 * depends on d. The bounds of the variances are those of test_saturation.c, five deviations of 3.2 %. */
static void division_takes_d_out(void **unused)
{
    (void)unused;
    struct session *session = on_stage("scale", "seed=1");
    struct table table = by_d_of(session);
    const double *d = column(&table, "d"), *entropy = column(&table, "entropy");
    for (size_t i = 0; i < table.n_rows; i++) {
        assert_near(column(&table, "var")[i] / d[i], 1, 0.16);
        assert_near(column(&table, "var_scaled")[i], 1, 0.16);
        assert_true(i == 0 || entropy[i] < entropy[i - 1]);
        assert_true(column(&table, "max_weight_scaled")[i] < 0.4);
    }
    for (size_t c = 0; c < 4; c++)
        assert_true(column(&table, columns[c])[0] == column(&table, columns[c + 4])[0]); /* d = 1 */
    assert_true(column(&table, "max_weight")[10] > 0.9);
    assert_true(column(&table, "gradient")[10] < 0.2 * column(&table, "gradient_scaled")[10]);
    table_free(&table);
    session_free(session);
}

static void the_chosen_d_is_among_them(void **unused)
{
    (void)unused;
    struct session *session = on_stage("scale", "d=100");
    struct table table = by_d_of(session);
    assert_int_equal(table.n_rows, 12);
    assert_true(column(&table, "d")[7] == 100);
    assert_near(column(&table, "var")[7] / 100, 1, 0.16);
    table_free(&table);
    perform(session, "set d 1000");
    table = by_d_of(session);
    assert_int_equal(table.n_rows, 12);
    assert_true(column(&table, "d")[10] == 1000 && column(&table, "d")[11] == 1024);
    table_free(&table);
    session_free(session);
}

static void row_is_a_softmax(void **unused)
{
    (void)unused;
    struct session *session = on_stage("scale", "d=64 m=5");
    perform(session, "select 3");
    struct table row = table_of(session, "row");
    const double *s = column(&row, "score"), *z = column(&row, "score_scaled"), *w = column(&row, "weight"),
                 *v = column(&row, "weight_scaled");
    double sum_w = 0, sum_v = 0;
    for (size_t j = 0; j < 5; j++) {
        sum_w += exp(s[j]);
        sum_v += exp(z[j]);
    }
    for (size_t j = 0; j < 5; j++) {
        assert_near(z[j], s[j] / 8, 1e-12);
        assert_near(w[j], exp(s[j]) / sum_w, 1e-12);
        assert_near(v[j], exp(z[j]) / sum_v, 1e-12);
    }
    table_free(&row);
    session_free(session);
}

static double history_at(const struct session *session, const char *name, size_t epoch)
{
    struct table history = table_of(session, "history");
    assert_true(epoch < history.n_rows);
    double value = column(&history, name)[epoch];
    table_free(&history);
    return value;
}

static void undivided_training_stalls(void **unused)
{
    (void)unused;
    static const char *const seeds[] = {"0", "1", "2", "42"};
    for (size_t i = 0; i < 4; i++) {
        char settings[48];
        snprintf(settings, sizeof settings, "seed=%s d=1024 epochs=60", seeds[i]);
        struct session *session = on_stage("scale", settings);
        perform(session, "run");
        assert_true(history_at(session, "loss", 60) > 1);
        assert_true(history_at(session, "gradient", 60) < 1e-3);
        assert_true(history_at(session, "loss_scaled", 60) < 0.2);
        session_free(session);
    }
}

static void loss_is_that_of_the_weights(void **unused)
{
    (void)unused;
    struct session *session = on_stage("scale", "d=16 m=4");
    perform(session, "step 3");
    double sum = 0;
    for (int t = 0; t < 4; t++) {
        char line[32];
        snprintf(line, sizeof line, "select %d", t);
        perform(session, line);
        struct table row = table_of(session, "row");
        for (int j = 0; j < 4; j++) {
            double error = column(&row, "weight_scaled")[j] - (j == t);
            sum += error * error / 4;
        }
        table_free(&row);
    }
    assert_near(history_at(session, "loss_scaled", 3), sum, 1e-12);
    session_free(session);
}

static void undo_comes_back_to_the_epoch(void **unused)
{
    (void)unused;
    struct session *session = on_stage("scale", "d=32");
    perform(session, "step 7");
    double before = history_at(session, "loss_scaled", 7);
    perform(session, "set d 128");
    struct table history = table_of(session, "history");
    assert_int_equal(history.n_rows, 1);
    table_free(&history);
    perform(session, "undo");
    session_settle(session);
    assert_true(history_at(session, "loss_scaled", 7) == before);
    session_free(session);
}

static void keys_walk_the_powers_of_two(void **unused)
{
    (void)unused;
    struct session *session = on_stage("scale", "d=100");
    static const struct {
        const char *key;
        double d;
    } walk[] = {{"Right", 128}, {"Left", 64},      {"S-Left", 1},  {"Left", 1},
                {"Right", 2},   {"S-Right", 1024}, {"Right", 1024}};
    for (size_t i = 0; i < sizeof walk / sizeof *walk; i++) {
        session_key(session, walk[i].key);
        assert_true(session_stage(session)->values[0].number == walk[i].d);
    }
    perform(session, "set d 100");
    session_key(session, "Left");
    assert_true(session_stage(session)->values[0].number == 64);
    refused(session, "set d 0");
    refused(session, "set d 1025");
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_are_pytorchs),        cmocka_unit_test(division_takes_d_out),
        cmocka_unit_test(the_chosen_d_is_among_them),   cmocka_unit_test(row_is_a_softmax),
        cmocka_unit_test(undivided_training_stalls),    cmocka_unit_test(loss_is_that_of_the_weights),
        cmocka_unit_test(undo_comes_back_to_the_epoch), cmocka_unit_test(keys_walk_the_powers_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
