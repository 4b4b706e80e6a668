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

static double *values_of(const struct session *session, const char *name, size_t rows, size_t cols)
{
    struct table table = table_of(session, name);
    assert_int_equal(table.n_rows, rows);
    assert_int_equal(table.n_columns, cols);
    double *at = matrix_values(&table);
    table_free(&table);
    return at;
}

static void assert_near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", got, expected);
}

/* Row T of the contexts must be the sum of the D-dimensional source words with these weights. */
static void check_context(const struct session *session, size_t n, size_t d, size_t t, const double *weight)
{
    double *h = values_of(session, "source", n, d), *c = values_of(session, "context", n, d);
    for (size_t i = 0; i < d; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += weight[j] * h[j * d + i];
        assert_near(c[t * d + i], sum, 1e-12);
    }
    free(h);
    free(c);
}

static void alpha_is_what_is_summed(void **unused)
{
    (void)unused;
    struct session *session = on_stage("translate", NULL);
    check_context(session, 3, 5, 0, (const double[]){0.8, 0.1, 0.1});
    check_context(session, 3, 5, 1, (const double[]){0.1, 0.8, 0.1});
    check_context(session, 3, 5, 2, (const double[]){0.1, 0.1, 0.8});
    perform(session, "set alpha 1,3,0");
    check_context(session, 3, 5, 0, (const double[]){0.25, 0.75, 0});
    check_context(session, 3, 5, 2, (const double[]){0.75, 0, 0.25});
    session_free(session);
}

static void equal_weights_are_one_vector(void **unused)
{
    (void)unused;
    struct session *session = on_stage("translate", "alpha=2,2,2 d=7");
    double *one = values_of(session, "fixed", 1, 7), *c = values_of(session, "context", 3, 7);
    for (size_t i = 0; i < 21; i++)
        assert_near(c[i], one[i % 7], 1e-12);
    free(one);
    free(c);
    session_free(session);
}

static void alpha_is_changed_by_keys(void **unused)
{
    (void)unused;
    struct session *session = on_stage("translate", NULL);
    session_key(session, "Right"); /* alpha is the first parameter; the selected item is the first */
    check_context(session, 3, 5, 0, (const double[]){9.0 / 11, 1.0 / 11, 1.0 / 11});
    session_key(session, "l");
    session_key(session, "-");
    check_context(session, 3, 5, 0, (const double[]){0.9, 0, 0.1});
    perform(session, "undo");
    check_context(session, 3, 5, 0, (const double[]){9.0 / 11, 1.0 / 11, 1.0 / 11});
    session_free(session);
}

static void unfit_alpha_is_refused(void **unused)
{
    (void)unused;
    struct session *session = on_stage("translate", NULL);
    assert_non_null(strstr(refused(session, "set alpha 1,2").text, "3 words"));
    refused(session, "set alpha 0,0,0");
    refused(session, "set alpha -1,1,1");
    refused(session, "set alpha nan,1,1");
    refused(session, "set length 2");
    refused(session, "set length 51");
    check_context(session, 3, 5, 0, (const double[]){0.8, 0.1, 0.1});
    session_free(session);
    on_stage_refused("translate", "alpha=1,2");
    on_stage_refused("translate", "alpha=1,2,3 length=4");
}

static void alpha_and_length_go_together(void **unused)
{
    (void)unused;
    struct session *session = on_stage("translate", "alpha=1,0,0,0");
    check_context(session, 4, 5, 3, (const double[]){0, 0, 0, 1});
    perform(session, "set length 6");
    free(values_of(session, "weights", 6, 6));
    perform(session, "undo");
    check_context(session, 4, 5, 3, (const double[]){0, 0, 0, 1});
    session_free(session);
}

static void training_is_pytorchs(void **unused)
{
    (void)unused;
    static const struct {
        const char *settings, *loss, *weight;
    } cases[] = {
        {"seed=0 d=4 score=additive", "align0_additive_loss_f64", "align0_additive_weight_f64"},
        {"seed=0 d=4 score=dot", "align0_scaled_loss_f64", "align0_scaled_weight_f64"},
        {"seed=42 d=4 score=additive", "align42_additive_loss_f64", "align42_additive_weight_f64"},
        {"seed=42 d=4 score=dot", "align42_scaled_loss_f64", "align42_scaled_weight_f64"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session *session = on_stage("translate", cases[i].settings);
        perform(session, "step 5");
        struct golden loss = golden_load("learned.tsv", cases[i].loss),
                      weight = golden_load("learned.tsv", cases[i].weight);
        struct table history = table_of(session, "history");
        double *weights = values_of(session, "weights", 3, 3);
        assert_int_equal(history.n_rows, loss.n);
        golden_assert_close(column(&history, "loss"), loss.n, &loss, 1e-12, 1e-9);
        golden_assert_close(weights, 9, &weight, 1e-12, 1e-9);
        free(weights);
        table_free(&history);
        golden_free(&loss);
        golden_free(&weight);
        session_free(session);
    }
}

static void scores_learn_the_alignment(void **unused)
{
    (void)unused;
    static const char *const seeds[] = {"0", "1", "2", "42"}, *const scores[] = {"additive", "dot"};
    for (size_t i = 0; i < 8; i++) {
        char settings[64];
        snprintf(settings, sizeof settings, "seed=%s score=%s epochs=60", seeds[i / 2], scores[i % 2]);
        struct session *session = on_stage("translate", settings);
        perform(session, "run");
        double *weights = values_of(session, "weights", 3, 3);
        for (size_t t = 0; t < 3; t++)
            if (!(weights[t * 3 + t] > 0.5))
                fail_msg("%s: output word %zu has weight %g", settings, t, weights[t * 3 + t]);
        free(weights);
        session_free(session);
    }
}

static void stepping_back_is_exact(void **unused)
{
    (void)unused;
    struct session *session = on_stage("translate", "score=additive");
    perform(session, "step 4");
    double *before = values_of(session, "weights", 3, 3);
    perform(session, "step 3");
    perform(session, "back 3");
    double *after = values_of(session, "weights", 3, 3);
    assert_memory_equal(before, after, 9 * sizeof(double));
    free(after);
    perform(session, "set length 4");
    perform(session, "undo");
    after = values_of(session, "weights", 3, 3);
    assert_memory_equal(before, after, 9 * sizeof(double));
    free(before);
    free(after);
    session_free(session);
}

static void gradient_is_downhill(void **unused)
{
    (void)unused;
    /* A small step of plain SGD lowers the loss by lr |g|^2, up to terms of the order lr^2. */
    struct session *session = on_stage("translate", "lr=0.0001");
    perform(session, "step 1");
    struct table history = table_of(session, "history");
    const double *loss = column(&history, "loss"), *gradient = column(&history, "gradient");
    double fall = loss[0] - loss[1], expected = 1e-4 * gradient[0] * gradient[0];
    assert_near(fall, expected, 1e-3 * expected);
    table_free(&history);
    session_free(session);
}

/* The error of the mean: of N unit-length words (per dimension), 1 - |mean|^2 / d. */
static void one_vector_fails_with_length(void **unused)
{
    (void)unused;
    struct session *session = on_stage("translate", "length=50 epochs=300");
    session_settle(session);
    double *h = values_of(session, "source", 50, 5);
    struct table table = table_of(session, "by_length");
    const double *length = column(&table, "length"), *fixed = column(&table, "fixed"),
                 *attention = column(&table, "attention");
    for (size_t i = 0; i < table.n_rows; i++) {
        double mean_square = 0;
        for (size_t c = 0; c < 5; c++) {
            double mean = 0;
            for (size_t t = 0; t < (size_t)length[i]; t++)
                mean += h[t * 5 + c] / length[i];
            mean_square += mean * mean;
        }
        assert_near(fixed[i], 1 - mean_square / 5, 1e-12);
        assert_true(attention[i] < fixed[i]);
    }
    assert_true(fixed[table.n_rows - 1] > 0.9);
    perform(session, "run");
    struct table history = table_of(session, "history");
    assert_near(attention[table.n_rows - 1], column(&history, "loss")[300], 1e-12);
    table_free(&history);
    table_free(&table);
    free(h);
    session_free(session);
}

static void numbers_are_on_screen(void **unused)
{
    (void)unused;
    struct session *session = on_stage("translate", NULL);
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < 3; i++) {
        char *text = screen_text(session, sizes[i][0], sizes[i][1]);
        assert_non_null(strstr(text, "0.8\u00b7h(I) + 0.1\u00b7h(Love) + 0.1\u00b7h(You)"));
        assert_non_null(
            strstr(text, "0.756")); /* PyTorch: ((h - h.mean(0)) ** 2).mean() of the three words */
        free(text);
    }
    session_free(session);
}

/* A step by hand turns to learning, which is said, once. */
static void turning_to_learning_is_said(void **unused)
{
    (void)unused;
    struct session *session = on_stage("translate", NULL);
    perform(session, "step");
    assert_on_screen(session, "by = learned");
    perform(session, "step");
    assert_not_on_screen(session, "by = learned");
    session_free(session);
}

/* So does a change of alpha that turns back. */
static void turning_back_to_the_hand_is_said(void **unused)
{
    (void)unused;
    struct session *session = on_stage("translate", NULL);
    perform(session, "step 3; set alpha 0.5,0.5,0");
    assert_on_screen(session, "by = hand");
    perform(session, "set alpha 0.3,0.7,0");
    assert_not_on_screen(session, "by = hand");
    session_free(session);
}

/* Between the numbers of a marked row a column is left for their cells, which text shows as shades. */
static void numbers_do_not_touch(void **unused)
{
    (void)unused;
    struct session *session = on_stage("translate", NULL);
    char *screen = screen_text(session, 80, 24);
    assert_non_null(strstr(screen, "-0.07\u2591-0.24\u2591-0.53"));
    free(screen);
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turning_to_learning_is_said),  cmocka_unit_test(turning_back_to_the_hand_is_said),
        cmocka_unit_test(numbers_do_not_touch),         cmocka_unit_test(alpha_is_what_is_summed),
        cmocka_unit_test(equal_weights_are_one_vector), cmocka_unit_test(alpha_is_changed_by_keys),
        cmocka_unit_test(unfit_alpha_is_refused),       cmocka_unit_test(alpha_and_length_go_together),
        cmocka_unit_test(training_is_pytorchs),         cmocka_unit_test(scores_learn_the_alignment),
        cmocka_unit_test(stepping_back_is_exact),       cmocka_unit_test(gradient_is_downhill),
        cmocka_unit_test(one_vector_fails_with_length), cmocka_unit_test(numbers_are_on_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
