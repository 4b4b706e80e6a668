#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "demos/demo.h"
#include "golden.h"
#include "on_stage.h"

static const char *const seeds[] = {"0", "1", "2", "42"};
enum { SEEDS = 4, QUERIES = 50 };

static void width_one_is_pytorchs(void **unused)
{
    (void)unused;
    for (int i = 0; i < SEEDS; i++) {
        char file[32], settings[32];
        snprintf(file, sizeof file, "nw_seed%s.tsv", seeds[i]);
        snprintf(settings, sizeof settings, "seed=%s", seeds[i]);
        struct session *session = on_stage("pooling", settings);
        assert_golden_column(session, "data", "x", file, "x_train");
        assert_golden_column(session, "data", "y", file, "y_train");
        assert_golden_column(session, "fit", "x", file, "x_test");
        assert_golden_column(session, "fit", "truth", file, "y_truth");
        assert_golden_column(session, "fit", "y_hat", file, "nonparam_y_hat");
        assert_golden_table(session, "weights", file, "nonparam_weights");
        struct golden average = golden_load(file, "average_y_hat");
        struct table fit = table_of(session, "fit");
        for (size_t k = 0; k < fit.n_rows; k++)
            golden_assert_close(column(&fit, "average") + k, 1, &average, 1e-6, 1e-5);
        table_free(&fit);
        golden_free(&average);
        session_free(session);
    }
}

static double value_of(const struct session *session, const char *name)
{
    const struct stage *stage = session_stage(session);
    return stage->values[param_find(stage->demo->params, stage->demo->n_params, name)].number;
}

static void w_and_sigma_are_one(void **unused)
{
    (void)unused;
    struct session *session = on_stage("pooling", "sigma=0.25");
    assert_true(value_of(session, "w") == 4);
    perform(session, "set w 10");
    assert_true(value_of(session, "sigma") == 0.1);
    perform(session, "set sigma 2");
    assert_true(value_of(session, "w") == 0.5);
    perform(session, "undo; undo");
    assert_true(value_of(session, "w") == 4 && value_of(session, "sigma") == 0.25);
    session_free(session);
    session = on_stage("pooling", "w=8");
    assert_true(value_of(session, "sigma") == 0.125);
    session_free(session);
    assert_non_null(strstr(on_stage_refused("pooling", "w=8 sigma=1").text, "one of them"));
}

static void a_width_out_of_range_is_refused(void **unused)
{
    (void)unused;
    static const char *const lines[] = {"set sigma 0",     "set sigma -1",  "set sigma nan", "set sigma",
                                        "set sigma 1e400", "set sigma inf", "set w 0",       "set w -1",
                                        "set w nan",       "set w 1e400",   "set w x"};
    struct session *session = on_stage("pooling", "sigma=0.5");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct error error = refused(session, lines[i]);
        assert_non_null(strstr(error.text, "above 0"));
        assert_true(value_of(session, "sigma") == 0.5 && value_of(session, "w") == 2);
    }
    /* So small that 1/sigma is no double. */
    refused(session, "set sigma 1e-310");
    assert_true(value_of(session, "sigma") == 0.5 && value_of(session, "w") == 2);
    session_free(session);
    assert_non_null(strstr(on_stage_refused("pooling", "sigma=0").text, "above 0"));
    assert_non_null(strstr(on_stage_refused("pooling", "sigma=1e400").text, "above 0"));
}

/* The kernels by their definitions, written down once more. */
static double kernel(int which, double u)
{
    u = fabs(u);
    switch (which) {
    case 0:
        return exp(-u * u / 2);
    case 1:
        return u < 1 ? 1 : 0;
    case 2:
        return fmax(0, 1 - u);
    case 3:
        return fmax(0, 1 - u * u);
    default:
        return 1;
    }
}

static void check_definition(const struct session *session, int which, double sigma, size_t *n_empty)
{
    struct table data = table_of(session, "data"), fit = table_of(session, "fit");
    const double *x = column(&data, "x"), *y = column(&data, "y"), *q = column(&fit, "x");
    for (size_t i = 0; i < fit.n_rows; i++) {
        double sum = 0, weighted = 0, y_hat = column(&fit, "y_hat")[i];
        for (size_t j = 0; j < data.n_rows; j++) {
            double k = kernel(which, (q[i] - x[j]) / sigma);
            sum += k;
            weighted += k * y[j];
        }
        *n_empty += sum == 0;
        if (sum == 0)
            assert_true(isnan(y_hat));
        else
            assert_true(fabs(y_hat - weighted / sum) < 1e-9);
    }
    table_free(&data);
    table_free(&fit);
}

static void every_kernel_is_its_definition(void **unused)
{
    (void)unused;
    static const char *const names[] = {"gaussian", "boxcar", "triangular", "epanechnikov", "constant"};
    static const double sigmas[] = {0.0625, 0.5, 4};
    size_t n_empty = 0;
    for (int which = 0; which < 5; which++) {
        for (int i = 0; i < 3; i++) {
            char settings[64];
            snprintf(settings, sizeof settings, "kernel=%s sigma=%g", names[which], sigmas[i]);
            struct session *session = on_stage("pooling", settings);
            check_definition(session, which, sigmas[i], &n_empty);
            session_free(session);
        }
    }
    assert_true(n_empty > 0); /* else the gaps were not tried */
}

static void an_empty_window_is_a_gap_and_named(void **unused)
{
    (void)unused;
    struct session *session = on_stage("pooling", "kernel=boxcar sigma=0.05 query=-3");
    struct table fit = table_of(session, "fit");
    struct buf csv = {0}, json = {0};
    table_csv(&fit, &csv);
    table_json(&fit, &json);
    assert_non_null(strstr(csv.at, ",,"));
    assert_null(strstr(csv.at, "nan"));
    assert_non_null(strstr(json.at, "null"));
    assert_on_screen(session, "The window of x = -3 is empty");
    assert_not_on_screen(session, "NaN");
    perform(session, "select 20");
    assert_on_screen(session, "windows are empty");
    perform(session, "set sigma 1e-9");
    assert_on_screen(session, "every window is empty");
    buf_free(&csv);
    buf_free(&json);
    table_free(&fit);
    session_free(session);
}

static void editions_are_the_books(void **unused)
{
    (void)unused;
    struct session *session = on_stage("pooling", "edition=linear seed=0");
    assert_true(value_of(session, "n") == 40 && value_of(session, "noise") == 1);
    struct table data = table_of(session, "data"), fit = table_of(session, "fit");
    struct golden x = golden_load("rng_seed0.tsv", "rand_40");
    double largest = 0;
    for (size_t i = 0; i < x.n; i++)
        largest = fmax(largest, x.at[i]);
    assert_int_equal(data.n_rows, 40);
    assert_true(fabs(column(&data, "x")[39] - 5 * largest) < 1e-6);
    for (size_t i = 0; i < QUERIES; i++) {
        double at = column(&fit, "x")[i];
        assert_true(fabs(column(&fit, "truth")[i] - (2 * sin(at) + at)) < 1e-5);
    }
    table_free(&data);
    table_free(&fit);
    golden_free(&x);
    perform(session, "set edition power");
    assert_true(value_of(session, "n") == 50 && value_of(session, "noise") == 0.5);
    session_free(session);
    session = on_stage("pooling", "edition=linear n=7");
    assert_true(value_of(session, "n") == 7 && value_of(session, "noise") == 1);
    session_free(session);
}

static void errors_are_means_of_squares(void **unused)
{
    (void)unused;
    struct session *session = on_stage("pooling", "sigma=0.3");
    struct table fit = table_of(session, "fit"), errors = table_of(session, "errors");
    double prediction = 0, average = 0;
    for (size_t i = 0; i < QUERIES; i++) {
        double truth = column(&fit, "truth")[i];
        prediction += pow(column(&fit, "y_hat")[i] - truth, 2) / QUERIES;
        average += pow(column(&fit, "average")[i] - truth, 2) / QUERIES;
    }
    assert_true(fabs(column(&errors, "error")[0] - average) < 1e-12);
    assert_true(fabs(column(&errors, "error")[1] - prediction) < 1e-12);
    for (size_t i = 1; i < errors.n_rows; i++)
        assert_true(fabs(column(&errors, "w")[i] * column(&errors, "sigma")[i] - 1) < 1e-12);
    table_free(&fit);
    table_free(&errors);
    session_free(session);
}

static const char *write_far_query(void)
{
    static char file[] = "far_query_XXXXXX";
    memcpy(file + sizeof file - 7, "XXXXXX", 6);
    int fd = mkstemp(file);
    const char text[] = "x,y\n0,0\n1,1\n2,4\n3,9\n4,16\n";
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    return file;
}

/* Far from all keys the nearest one decides: never 0/0. At 2 the weights are 1, exp(-1/2), exp(-2) by
 * distance. */
static void a_far_query_gets_the_nearest_value(void **unused)
{
    (void)unused;
    const double e1 = exp(-0.5), e2 = exp(-2),
                 expected = (4 + e1 * (1 + 9) + e2 * (0 + 16)) / (1 + 2 * e1 + 2 * e2);
    const struct {
        const char *query;
        double y;
    } cases[] = {{"2", expected}, {"50", 16}, {"-50", 0}, {"1000", 16}};
    const char *file = write_far_query();
    for (size_t i = 0; i < 4; i++) {
        char settings[32];
        snprintf(settings, sizeof settings, "w=1 query=%s", cases[i].query);
        struct session *session = on_stage_file("pooling", file, settings);
        struct table query = table_of(session, "query");
        double sum = 0;
        for (size_t k = 0; k < query.n_rows; k++)
            sum += column(&query, "contribution")[k];
        assert_true(fabs(sum - cases[i].y) < 1e-9);
        table_free(&query);
        session_free(session);
    }
    struct session *session = on_stage_file("pooling", file, "x=y y=x");
    struct table data = table_of(session, "data");
    assert_true(column(&data, "x")[4] == 16 && column(&data, "y")[4] == 4);
    refused(session, "set n 20");
    refused(session, "set y nothing");
    perform(session, "set x 1; set y 2");
    table_free(&data);
    session_free(session);
    unlink(file);
    assert_true(fabs(expected - 4.9243) < 5e-5);
}

static void the_constant_kernel_is_the_average(void **unused)
{
    (void)unused;
    struct session *session = on_stage("pooling", "kernel=constant");
    struct table fit = table_of(session, "fit");
    for (size_t i = 0; i < fit.n_rows; i++)
        assert_true(fabs(column(&fit, "y_hat")[i] - column(&fit, "average")[i]) < 1e-12);
    table_free(&fit);
    session_free(session);
}

static void extremes_stay_finite(void **unused)
{
    (void)unused;
    static const char *const settings[] = {
        "sigma=1e-300",
        "sigma=1e300",
        "w=1e300",
        "w=1e-300",
        "n=2",
        "n=1000 panels=four",
        "noise=100",
        "noise=0",
        "query=1e300",
        "query=-1e300 w=1e300",
        "kernel=epanechnikov sigma=1e-300 panels=four",
        "kernel=boxcar w=1e300",
        "kernel=triangular sigma=1e300",
        "kernel=constant panels=four",
        "edition=linear n=2",
    };
    static const int sizes[][2] = {{40, 12}, {80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct session *session = on_stage("pooling", settings[i]);
        for (size_t k = 0; k < session_stage(session)->demo->n_tables; k++) {
            struct table table = table_of(session, session_stage(session)->demo->tables[k].name);
            struct buf csv = {0};
            table_csv(&table, &csv);
            assert_null(strstr(csv.at, "nan"));
            buf_free(&csv);
            table_free(&table);
        }
        for (int k = 0; k < 4; k++) {
            char *screen = screen_text(session, sizes[k][0], sizes[k][1]);
            assert_null(strstr(screen, "nan"));
            assert_null(strstr(screen, "NaN"));
            free(screen);
        }
        session_free(session);
    }
}

static void four_panels_show_the_four_widths(void **unused)
{
    (void)unused;
    struct session *session = on_stage("pooling", "panels=four");
    assert_on_screen(session, "\u03c3 0.1");
    assert_on_screen(session, "\u03c3 0.2");
    assert_on_screen(session, "\u03c3 0.5");
    assert_on_screen(session, "\u03c3 1 ");
    perform(session, "set panels one; undo; set kernel boxcar; reseed; undo; redo");
    session_free(session);
}

/* One more point far above the others moves their average by its share: (50 a + y) / 51. */
static void a_point_by_hand_moves_the_average(void **unused)
{
    (void)unused;
    struct session *session = on_stage("pooling", "kernel=constant");
    struct table before = table_of(session, "fit");
    double average = column(&before, "y_hat")[0];
    perform(session, "point add 2 100");
    struct table after = table_of(session, "fit");
    assert_true(fabs(column(&after, "y_hat")[0] - (50 * average + 100) / 51) < 1e-9);
    perform(session, "point delete; point delete 0; undo; undo; undo");
    struct table again = table_of(session, "fit");
    assert_true(column(&again, "y_hat")[0] == average);
    table_free(&before);
    table_free(&after);
    table_free(&again);
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_by_hand_moves_the_average),
        cmocka_unit_test(width_one_is_pytorchs),
        cmocka_unit_test(w_and_sigma_are_one),
        cmocka_unit_test(a_width_out_of_range_is_refused),
        cmocka_unit_test(every_kernel_is_its_definition),
        cmocka_unit_test(an_empty_window_is_a_gap_and_named),
        cmocka_unit_test(editions_are_the_books),
        cmocka_unit_test(errors_are_means_of_squares),
        cmocka_unit_test(a_far_query_gets_the_nearest_value),
        cmocka_unit_test(the_constant_kernel_is_the_average),
        cmocka_unit_test(extremes_stay_finite),
        cmocka_unit_test(four_panels_show_the_four_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
