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

static const char *const seeds[] = {"0", "1", "2", "42"};
enum { SEEDS = 4 };

/* What may differ from the seed on: y by an ulp of float32, since PyTorch's sin and pow are not libm's. */
static const double from_seed = 5e-6;

static void assert_close(double got, double expected, double relative)
{
    if (!(fabs(got - expected) <= relative * fabs(expected)))
        fail_msg("%.17g is not %.17g", got, expected);
}

static struct session *trained(const char *seed, const char *more, const char *commands)
{
    char settings[128];
    snprintf(settings, sizeof settings, "seed=%s %s", seed, more);
    struct session *session = on_stage("train", settings);
    perform(session, commands);
    return session;
}

/* The rows of history against PyTorch's (epoch, w-loss-gradient); the last row's w against the final w, if
 * given. */
static void check_history(const struct session *session, const struct golden *rows,
                          const struct golden *final_w)
{
    struct table history = table_of(session, "history");
    const double *epoch = column(&history, "epoch"), *w = column(&history, "w"),
                 *loss = column(&history, "loss"), *gradient = column(&history, "gradient");
    size_t n = rows->shape[0];
    assert_int_equal(history.n_rows, n + 1);
    for (size_t i = 0; i < n; i++) {
        assert_true(epoch[i] == (double)i);
        assert_close(w[i], rows->at[3 * i], from_seed);
        assert_close(loss[i], rows->at[3 * i + 1], from_seed);
        assert_close(gradient[i], rows->at[3 * i + 2], from_seed);
    }
    if (final_w)
        assert_close(w[n], final_w->at[0], from_seed);
    table_free(&history);
}

static void five_epochs_are_pytorchs(void **unused)
{
    (void)unused;
    for (int i = 0; i < SEEDS; i++) {
        char file[32];
        snprintf(file, sizeof file, "nw_seed%s.tsv", seeds[i]);
        struct golden rows = golden_load(file, "train_w_loss_grad_f64"),
                      w = golden_load(file, "train_w_final_f64");
        struct session *session = trained(seeds[i], "", "step 5");
        check_history(session, &rows, &w);
        golden_free(&rows);
        golden_free(&w);
        session_free(session);
    }
}

static void two_hundred_epochs_are_pytorchs(void **unused)
{
    (void)unused;
    for (int i = 0; i < SEEDS; i++) {
        char file[32];
        snprintf(file, sizeof file, "nw_seed%s.tsv", seeds[i]);
        struct golden rows = golden_load(file, "train200_lr0.02_w_loss_grad_f64");
        struct session *session = trained(seeds[i], "lr=0.02 epochs=200", "run");
        check_history(session, &rows, NULL);
        golden_free(&rows);
        session_free(session);
    }
}

static void tables_are_pytorchs(void **unused)
{
    (void)unused;
    for (int i = 0; i < SEEDS; i++) {
        char file[32];
        snprintf(file, sizeof file, "nw_seed%s.tsv", seeds[i]);
        struct session *session = trained(seeds[i], "", "step 5");
        assert_golden_column(session, "data", "x", file, "x_train");
        assert_golden_column(session, "data", "y", file, "y_train");
        assert_golden_column(session, "fit", "x", file, "x_test");
        assert_golden_column(session, "fit", "truth", file, "y_truth");
        assert_golden_column(session, "fit", "y_hat", file, "param_y_hat");
        assert_golden_table(session, "weights", file, "param_weights");
        session_free(session);
    }
}

static void landscape_is_pytorchs_at_the_same_w(void **unused)
{
    (void)unused;
    for (int i = 0; i < SEEDS; i++) {
        char file[32];
        snprintf(file, sizeof file, "nw_seed%s.tsv", seeds[i]);
        struct golden rows = golden_load(file, "landscape_w_loss_grad_f64");
        struct session *session =
            trained(seeds[i], "landscape=0,0.01,0.1,0.5,1,2,5,13.8725,50,500,-2", "pause");
        struct table table = table_of(session, "landscape");
        assert_int_equal(table.n_rows, rows.shape[0]);
        for (size_t k = 0; k < table.n_rows; k++) {
            assert_true(column(&table, "w")[k] == rows.at[3 * k]);
            assert_close(column(&table, "loss")[k], rows.at[3 * k + 1], from_seed);
            /* Where the gradient is small against the loss, its error is that of sums of the loss's size. */
            assert_true(fabs(column(&table, "gradient")[k] - rows.at[3 * k + 2]) <=
                        from_seed * (fabs(rows.at[3 * k + 2]) + 0.01 * rows.at[3 * k + 1]));
        }
        table_free(&table);
        golden_free(&rows);
        session_free(session);
    }
}

static void only_the_low_half_of_a_seed_counts(void **unused)
{
    (void)unused;
    const struct {
        const char *seed, *same;
    } pairs[] = {{"4294967297", "1"}, {"2^32+1", "1"}, {"-1", "18446744073709551615"}, {"-1", "2^64-1"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct session *a = trained(pairs[i].seed, "", "pause"), *b = trained(pairs[i].same, "", "pause");
        struct table x = table_of(a, "data"), y = table_of(b, "data");
        assert_memory_equal(column(&x, "y"), column(&y, "y"), x.n_rows * sizeof(double));
        table_free(&x);
        table_free(&y);
        session_free(a);
        session_free(b);
    }
}

static void half_the_loss_is_the_other_edition(void **unused)
{
    (void)unused;
    struct session *session = trained("0", "loss=half", "step");
    struct table history = table_of(session, "history");
    assert_close(column(&history, "w")[1], 5.078491, 1e-6);
    table_free(&history);
    session_free(session);
}

static void assert_same_histories(const struct session *a, const struct session *b)
{
    struct table x = table_of(a, "history"), y = table_of(b, "history");
    struct buf p = {0}, q = {0};
    table_csv(&x, &p);
    table_csv(&y, &q);
    assert_string_equal(p.at, q.at);
    buf_free(&p);
    buf_free(&q);
    table_free(&x);
    table_free(&y);
}

static void going_back_and_on_changes_nothing(void **unused)
{
    (void)unused;
    struct session *straight = trained("42", "", "step 5"),
                   *wandering = trained("42", "", "step 5; back 3; step 3");
    assert_same_histories(straight, wandering);
    perform(wandering, "reset; run");
    assert_same_histories(straight, wandering);
    perform(wandering, "first; last");
    assert_same_histories(straight, wandering);
    session_free(straight);
    session_free(wandering);
}

static void a_change_in_the_middle_branches(void **unused)
{
    (void)unused;
    struct session *session = trained("42", "", "step 5; back 3; set lr 0.1; ghosts");
    assert_non_null(strstr(session_report(session), "lr 0.5"));
    perform(session, "step 1");
    struct table history = table_of(session, "history");
    const double *w = column(&history, "w"), *gradient = column(&history, "gradient");
    assert_int_equal(history.n_rows, 4);
    assert_close(w[3], w[2] - 0.1 * gradient[2], 1e-14);
    table_free(&history);
    perform(session, "ghosts clear; ghosts");
    assert_null(strstr(session_report(session), "lr 0.5"));
    session_free(session);
}

static void turning_a_knob_leaves_one_ghost(void **unused)
{
    (void)unused;
    struct session *session =
        trained("42", "", "step 5; back 1; param w; adjust 1; adjust 1; adjust -5; ghosts");
    const char *report = session_report(session);
    assert_non_null(strstr(report, "1  w 17.85"));
    assert_null(strstr(report, "\n2"));
    session_free(session);
}

static void undo_brings_the_run_back(void **unused)
{
    (void)unused;
    struct session *plain = trained("42", "", "step 5"),
                   *session = trained("42", "", "step 5; back 2; set w 1");
    perform(session, "undo; undo");
    assert_same_histories(plain, session);
    perform(session, "redo; redo");
    struct table history = table_of(session, "history");
    assert_int_equal(history.n_rows, 4);
    assert_true(column(&history, "w")[3] == 1);
    table_free(&history);
    session_free(plain);
    session_free(session);
}

/* w near 0 grows by a factor an epoch; a rate of 1e9 on a sum over 50 points makes a step that is still
 * finite, so SGD lands on the plateau. Whatever happens is finite and said. */
static void extremes_stay_finite_and_are_said(void **unused)
{
    (void)unused;
    static const char *const settings[] = {
        "w=0",
        "w=1e-300",
        "w=1e300",
        "w=-7",
        "lr=1e6",
        "lr=1e9",
        "lr=0",
        "n=2",
        "n=3",
        "n=1000 epochs=2",
        "noise=0",
        "noise=100",
        "n=2 w=0",
        "kernel=boxcar w=1e9",
        "kernel=triangular w=100",
        "kernel=constant",
        "kernel=epanechnikov w=1e-300",
        "query=1e300",
        "query=-1e300 w=1e300",
        "loo=off w=1e300",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct session *session = trained("42", settings[i], "run");
        for (size_t k = 0; k < session_stage(session)->demo->n_tables; k++) {
            const char *name = session_stage(session)->demo->tables[k].name;
            struct table table = table_of(session, name);
            struct buf csv = {0};
            table_csv(&table, &csv);
            assert_null(strstr(csv.at, "nan"));
            assert_null(strstr(csv.at, "inf"));
            buf_free(&csv);
            table_free(&table);
        }
        assert_not_on_screen(session, "nan");
        assert_not_on_screen(session, "NaN");
        session_free(session);
    }
}

/* Beyond some 1e16 all distances are the same number; what is nearest is so all the same: its weight is 1,
 * and what lies beside it is listed before what lies farther away. */
static void far_queries_see_the_nearest_end(void **unused)
{
    (void)unused;
    static const char *const settings[] = {"query=1e17", "query=1e300"};
    for (size_t i = 0; i < 2; i++) {
        struct session *session = trained("42", settings[i], "step");
        struct table table = table_of(session, "query");
        const double *weight = table.column[5].number;
        for (size_t k = 0; k < table.n_rows; k++)
            assert_true(weight[k] == (k + 1 == table.n_rows));
        table_free(&table);
        char *screen = screen_text(session, 120, 40);
        assert_non_null(strstr(screen, "4.9\u25b8")); /* the last query's row is marked, */
        const char *first = strstr(screen, "key x\u1d62");
        assert_non_null(first);
        const char *second = strstr(first, "4.797"); /* and the sum is listed from the nearest key on */
        assert_non_null(second);
        assert_non_null(strstr(second, "4.758"));
        free(screen);
        session_free(session);
    }
}

static void w_zero_is_named(void **unused)
{
    (void)unused;
    struct session *session = trained("42", "w=0", "step");
    assert_on_screen(session, "SGD stays here");
    session_free(session);
}

static void fit_finds_the_least_loss(void **unused)
{
    (void)unused;
    struct session *session = trained("42", "", "fit");
    struct table history = table_of(session, "history");
    double w = column(&history, "w")[0], loss = column(&history, "loss")[0];
    table_free(&history);
    /* The least value has a vanishing slope, and neighbours at 1 % are worse. */
    const double factors[] = {0.99, 1.01};
    for (int i = 0; i < 2; i++) {
        char line[64];
        snprintf(line, sizeof line, "set w %.17g", w * factors[i]);
        perform(session, line);
        struct table after = table_of(session, "history");
        assert_true(column(&after, "loss")[0] > loss);
        table_free(&after);
    }
    assert_true(w > 3 && w < 4);
    session_free(session);
}

static void the_shipped_data_sets_open_by_name(void **unused)
{
    (void)unused;
    const struct {
        const char *name;
        size_t n;
    } sets[] = {{"faithful", 272}, {"mcycle", 133}};
    for (size_t i = 0; i < 2; i++) {
        struct session *session = on_stage_file("train", sets[i].name, NULL);
        struct table data = table_of(session, "data"), history;
        assert_int_equal(data.n_rows, sets[i].n);
        /* As it ships it learns downhill, epoch by epoch, towards the best w and not past it. */
        perform(session, "step 25");
        history = table_of(session, "history");
        for (size_t k = 1; k <= 25; k++)
            assert_true(column(&history, "loss")[k] < column(&history, "loss")[k - 1]);
        table_free(&data);
        table_free(&history);
        session_free(session);
    }
}

/* X and Y times what the units are worth, as a file. */
static void write_in_units(const char *path, double x_unit, double y_unit)
{
    static const double x[] = {0, 1, 2, 4, 5, 7}, y[] = {1, 3, 2, 6, 5, 9};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < 6; i++)
        assert_true(fprintf(file, "%.17g,%.17g\n", x[i] * x_unit, y[i] * y_unit) > 0);
    assert_int_equal(fclose(file), 0);
}

/* Milliseconds for seconds and tons for grams: the same lr goes the same way, in other units. */
static void a_learning_rate_does_not_depend_on_units(void **unused)
{
    (void)unused;
    static const double units[][2] = {{1000, 1}, {1, 1e-6}, {1e-3, 1e8}};
    const char *path = "train_units.csv";
    write_in_units(path, 1, 1);
    struct session *session = on_stage_file("train", path, NULL);
    perform(session, "step 8");
    struct table expected = table_of(session, "history");
    session_free(session);
    for (size_t u = 0; u < 3; u++) {
        double x_unit = units[u][0], y_unit = units[u][1];
        write_in_units(path, x_unit, y_unit);
        session = on_stage_file("train", path, NULL);
        perform(session, "step 8");
        struct table history = table_of(session, "history");
        for (size_t k = 0; k <= 8; k++) {
            double w = column(&expected, "w")[k], loss = column(&expected, "loss")[k];
            assert_true(fabs(column(&history, "w")[k] * x_unit - w) < 1e-9 * w);
            assert_true(fabs(column(&history, "loss")[k] / y_unit / y_unit - loss) < 1e-9 * loss);
        }
        table_free(&history);
        session_free(session);
    }
    table_free(&expected);
    remove(path);
}

/* A y that never changes has no deviation to be measured in: there is nothing to learn, and no 0/0. */
static void a_constant_y_stays_where_it_is(void **unused)
{
    (void)unused;
    const char *path = "train_constant.csv";
    write_in_units(path, 1, 0);
    struct session *session = on_stage_file("train", path, NULL);
    perform(session, "step 3");
    struct table history = table_of(session, "history");
    assert_int_equal(history.n_rows, 4);
    assert_true(column(&history, "w")[3] == column(&history, "w")[0]);
    assert_true(column(&history, "loss")[3] == 0);
    table_free(&history);
    session_free(session);
    remove(path);
}

/* What was guessed can be asked for at any time, and the picture names both columns. */
static void a_file_tells_what_it_is(void **unused)
{
    (void)unused;
    struct session *session = on_stage_file("train", "mcycle", NULL);
    perform(session, "step 3; file");
    assert_string_equal(session_report(session), "mcycle\ncomma-separated, header\nx = times, y = accel\n");
    assert_on_screen(session, "data: accel");
    assert_on_screen(session, "times");
    session_free(session);
    session = on_stage("train", "");
    assert_non_null(strstr(refused(session, "file").text, "load FILE"));
    session_free(session);
}

static void a_matrix_file_is_sent_to_the_heatmap(void **unused)
{
    (void)unused;
    static const char npy[] = "\x93NUMPY\x01", zip[] = "PK\x03\x04";
    const struct {
        const char *bytes, *expected;
    } files[] = {{npy, "attnlab heatmap train_file.npy"}, {zip, "save it as csv"}};
    struct session *session = on_stage("train", "");
    for (size_t i = 0; i < 2; i++) {
        FILE *file = fopen("train_file.npy", "wb");
        assert_non_null(file);
        assert_true(fputs(files[i].bytes, file) >= 0);
        assert_int_equal(fclose(file), 0);
        assert_non_null(strstr(refused(session, "load train_file.npy").text, files[i].expected));
    }
    session_free(session);
    remove("train_file.npy");
}

static void a_refused_change_changes_nothing(void **unused)
{
    (void)unused;
    static const char *const lines[] = {
        "set n 1",         "set lr -1", "set w nan",     "set w 1e400", "set w",  "set loss sun",
        "set lrr 1",       "select 50", "select 0 50",   "step 0",      "step x", "focus moon",
        "ghosts tomorrow", "set x 1",   "load /nowhere", "stp",         "pace 0", "colormap plaid"};
    struct session *session = trained("42", "", "step 5; back 2"),
                   *same = trained("42", "", "step 5; back 2");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct error error = refused(session, lines[i]);
        assert_null(strchr(error.text, '\n'));
        char *a = screen_text(session, 100, 36), *b = screen_text(same, 100, 36);
        assert_string_equal(a, b);
        free(a);
        free(b);
    }
    session_free(session);
    session_free(same);
}

/* ---- points by hand */

static size_t n_points(const struct session *session)
{
    struct table data = table_of(session, "data");
    size_t n = data.n_rows;
    table_free(&data);
    return n;
}

/* At w = 0 the leave-one-out prediction is the others' mean: with x = 1, 2, 4 and y = 3, 6, 0 the losses are
 * (3 - 3)^2 + (6 - 1.5)^2 + (0 - 4.5)^2 = 40.5. */
static void points_are_edited_by_hand(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", "n=2");
    perform(session, "point move 0 1 3; point move 1 4 0; point add 2 6; set w 0");
    struct table data = table_of(session, "data"), history = table_of(session, "history");
    const double x[] = {1, 2, 4}, y[] = {3, 6, 0};
    for (size_t i = 0; i < 3; i++) {
        assert_true(column(&data, "x")[i] == x[i]);
        assert_true(column(&data, "y")[i] == y[i]);
    }
    assert_float_equal(column(&history, "loss")[0], 40.5, 1e-12);
    table_free(&data);
    table_free(&history);
    perform(session, "set query 3.2; point delete"); /* x = 4 is nearer than x = 2 */
    struct error error = refused(session, "point delete 0");
    assert_non_null(strstr(error.text, "last 2 points"));
    assert_int_equal(n_points(session), 2);
    perform(session, "undo");
    assert_int_equal(n_points(session), 3);
    refused(session, "point delete 3");
    refused(session, "point move 0.5 1 1");
    refused(session, "point move 0 1");
    refused(session, "point add 1 1e400");
    refused(session, "point add 1 1e200"); /* its square is no number */
    refused(session, "point");
    assert_int_equal(n_points(session), 3);
    session_free(session);
}

/* What is learned so far stays: w and the epoch; the curve so far is a ghost; the loss is that of the new
 * points. */
static void editing_branches_the_run(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", "seed=3 lr=0.1");
    perform(session, "step 3");
    double w = session_stage(session)->values[0].number;
    perform(session, "set query 1; point add");
    assert_true(session_stage(session)->values[0].number == w);
    assert_int_equal(session_stage(session)->demo->position(session_stage(session)), 3);
    assert_int_equal(n_points(session), 51);
    perform(session, "ghosts");
    assert_non_null(strstr(session_report(session), "50 points"));

    /* After a reset the loss of epoch 0 is that of the points there are. */
    perform(session, "reset");
    struct table history = table_of(session, "history");
    char line[64];
    double loss = column(&history, "loss")[0];
    snprintf(line, sizeof line, "set w %.17g", column(&history, "w")[0]);
    table_free(&history);
    perform(session, line);
    history = table_of(session, "history");
    assert_true(fabs(column(&history, "loss")[0] - loss) <= 1e-12 * loss);
    table_free(&history);
    session_free(session);
}

static void a_point_follows_the_keys(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", "seed=1");
    perform(session, "set query 2");
    session_key(session, "a");
    assert_int_equal(n_points(session), 51);
    session_key(session, "C-Up");
    session_key(session, "C-Right");
    session_key(session, "C-Right");
    /* The query goes with the point, by a tenth a press on the book's [0, 5). */
    assert_float_equal(session_stage(session)->values[9].number, 2.2, 1e-9);
    session_key(session, "x");
    assert_int_equal(n_points(session), 50);
    struct table now = table_of(session, "data");
    struct session *fresh = on_stage("train", "seed=1");
    struct table then = table_of(fresh, "data");
    assert_memory_equal(column(&now, "y"), column(&then, "y"), 50 * sizeof(double));
    table_free(&now);
    table_free(&then);
    session_free(fresh);
    session_free(session);
}

/* The selection moves on from where it is. */
static void moving_goes_on_from_the_selected_query(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", NULL);
    perform(session, "select 10; move 1 0; move 1 0; move 0 1");
    assert_float_equal(session_stage(session)->values[9].number, 1.3, 1e-6);
    perform(session, "focus weights; select 10 20; move 1 0; move 1 0");
    char *screen = screen_text(session, 200, 60);
    struct table data = table_of(session, "data");
    char key[32];
    snprintf(key, sizeof key, "(1, %.4g)", column(&data, "x")[22]);
    assert_non_null(strstr(screen, key));
    table_free(&data);
    free(screen);
    session_free(session);
}

static void assert_said(struct session *session, const char *text)
{
    char *screen = screen_text(session, 80, 24);
    if (!strstr(screen, text))
        fail_msg("\"%s\" is not said:\n%s", text, screen);
    free(screen);
}

/* The classroom's recipe: six times `o`, and all six parts stand there, whole. */
static void the_opened_step_shows_all_its_parts(void **unused)
{
    (void)unused;
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    static const char *const parts[] = {"1 scores", "2 weights",  "3 prediction",
                                        "4 loss",   "5 gradient", "6 update"};
    struct session *session = on_stage("train", NULL);
    for (int i = 0; i < 6; i++)
        session_key(session, "o");
    for (size_t i = 0; i < 3; i++) {
        char *screen = screen_text(session, sizes[i][0], sizes[i][1]);
        for (size_t k = 0; k < 6; k++)
            if (!strstr(screen, parts[k]))
                fail_msg("no %s at %dx%d:\n%s", parts[k], sizes[i][0], sizes[i][1], screen);
        /* w - lr dL/dw of golden nw_seed42: 0.578186 - 0.5 * -35.75 */
        assert_non_null(strstr(screen, "= 0.5782 \u2212 0.5\u00b7(-35.75) = 18.45"));
        assert_non_null(strstr(screen, "error -1.171"));
        assert_non_null(strstr(screen, "= 1.371"));
        free(screen);
    }
    /* z zooms what was opened, and closing gives the focus back. */
    session_key(session, "z");
    assert_string_equal(session_stage(session)->demo->panes[session_stage(session)->focus].name, "query");
    session_key(session, "z");
    session_key(session, "o");
    assert_non_null(strstr(session_report(session), "this is epoch 1 now, w = 18.45"));
    assert_int_equal(session_stage(session)->demo->position(session_stage(session)), 1);
    perform(session, "close");
    assert_int_equal(session_stage(session)->focus, 0);
    session_free(session);
}

/* A kernel with a finite reach has no softmax: what is opened must not claim one. */
static void the_opened_step_is_the_kernels(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", "kernel=boxcar");
    perform(session, "open; open");
    assert_on_screen(session, "K(u) / \u03a3 K(u)");
    assert_not_on_screen(session, "= softmax(s)");
    session_free(session);
}

static void the_remark_knows_where_w_comes_from(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", NULL);
    assert_said(session, "w = 0.5782 was drawn at random. Space trains it; \u2190 and \u2192 change it.");
    perform(session, "param lr");
    assert_said(session, "w = 0.5782 was drawn at random. Space trains it.\n"); /* the arrows are lr's now */
    perform(session, "param w");
    perform(session, "set w 2");
    assert_said(session, "w = 2 was set by hand");
    perform(session, "fit");
    assert_said(session, "w = 3.242 is where the loss is least");
    perform(session, "set seed 0");
    assert_said(session, "was drawn at random");
    session_free(session);
    session = on_stage("train", "w=2");
    assert_said(session, "w = 2 was set by hand");
    session_free(session);
}

/* The rate that is advised is of the row 1, 2, 5 and does not lead over the best w, but the next one does. */
static void the_advised_rate_holds_what_it_promises(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", NULL);
    perform(session, "step");
    assert_said(session, "Try lr 0.05.");
    perform(session, "back; set lr 0.05; step");
    double best = 3.24172, at = session_stage(session)->values[0].number;
    assert_true(at < best);
    perform(session, "back; set lr 0.1; step");
    assert_true(session_stage(session)->values[0].number > best);
    session_free(session);
}

/* Two losses that are told apart are shown apart, and equal ones are not said to fall. */
static void a_fall_is_seen_in_its_numbers(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", "lr=0.01");
    perform(session, "step 60");
    for (int k = 0; k < 10; k++) {
        char *screen = screen_text(session, 80, 24), from[32] = "", to[32] = "";
        const char *said = strstr(screen, "the loss fell from ");
        if (said && sscanf(said, "the loss fell from %31s to %31[0-9.]", from, to) == 2)
            assert_int_not_equal(strncmp(from, to, strlen(from)), 0);
        else
            assert_non_null(strstr(screen, "hardly changed"));
        free(screen);
        perform(session, "step 20");
    }
    session_free(session);
}

/* Beyond the last epoch asked for there is no "6 / 5". */
static void the_header_counts_on(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", "lr=0.01");
    perform(session, "step 6");
    assert_said(session, "epoch 6 ");
    char *screen = screen_text(session, 80, 24);
    assert_null(strstr(screen, "6 / 5"));
    free(screen);
    session_free(session);
}

static void a_file_has_no_sliders_of_drawing(void **unused)
{
    (void)unused;
    struct session *session = on_stage_file("train", "mcycle", NULL);
    char *screen = screen_text(session, 200, 60);
    assert_null(strstr(screen, " noise "));
    assert_null(strstr(screen, " target "));
    assert_non_null(strstr(screen, " kernel "));
    free(screen);
    session_free(session);
}

/* What went on before a change is named where it is drawn. */
static void the_ghost_has_a_name(void **unused)
{
    (void)unused;
    struct session *session = on_stage("train", NULL);
    perform(session, "step 3; first; set lr 0.05; step 3; zoom loss");
    assert_said(session, "lr 0.5");
    session_free(session);
}

/* A loss of two points out of fifty is no better for being small. */
static void the_best_w_leaves_no_point_out(void **unused)
{
    (void)unused;
    static const char *const kernels[] = {"boxcar", "triangular", "epanechnikov"};
    for (size_t i = 0; i < 3; i++) {
        char setting[32];
        snprintf(setting, sizeof setting, "kernel=%s", kernels[i]);
        struct session *session = on_stage("train", setting);
        perform(session, "fit");
        assert_not_on_screen(session, "within reach");
        struct table history = table_of(session, "history");
        double w = column(&history, "w")[history.n_rows - 1];
        table_free(&history);
        assert_true(w > 0.01 && w < 20);
        session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_edited_by_hand),
        cmocka_unit_test(editing_branches_the_run),
        cmocka_unit_test(a_point_follows_the_keys),
        cmocka_unit_test(moving_goes_on_from_the_selected_query),
        cmocka_unit_test(five_epochs_are_pytorchs),
        cmocka_unit_test(two_hundred_epochs_are_pytorchs),
        cmocka_unit_test(tables_are_pytorchs),
        cmocka_unit_test(landscape_is_pytorchs_at_the_same_w),
        cmocka_unit_test(only_the_low_half_of_a_seed_counts),
        cmocka_unit_test(half_the_loss_is_the_other_edition),
        cmocka_unit_test(going_back_and_on_changes_nothing),
        cmocka_unit_test(a_change_in_the_middle_branches),
        cmocka_unit_test(turning_a_knob_leaves_one_ghost),
        cmocka_unit_test(undo_brings_the_run_back),
        cmocka_unit_test(extremes_stay_finite_and_are_said),
        cmocka_unit_test(far_queries_see_the_nearest_end),
        cmocka_unit_test(w_zero_is_named),
        cmocka_unit_test(fit_finds_the_least_loss),
        cmocka_unit_test(the_shipped_data_sets_open_by_name),
        cmocka_unit_test(a_learning_rate_does_not_depend_on_units),
        cmocka_unit_test(a_constant_y_stays_where_it_is),
        cmocka_unit_test(a_file_tells_what_it_is),
        cmocka_unit_test(a_matrix_file_is_sent_to_the_heatmap),
        cmocka_unit_test(a_refused_change_changes_nothing),
        cmocka_unit_test(the_opened_step_shows_all_its_parts),
        cmocka_unit_test(the_opened_step_is_the_kernels),
        cmocka_unit_test(the_remark_knows_where_w_comes_from),
        cmocka_unit_test(the_advised_rate_holds_what_it_promises),
        cmocka_unit_test(a_fall_is_seen_in_its_numbers),
        cmocka_unit_test(the_header_counts_on),
        cmocka_unit_test(a_file_has_no_sliders_of_drawing),
        cmocka_unit_test(the_ghost_has_a_name),
        cmocka_unit_test(the_best_w_leaves_no_point_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
