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

static double *output_of(const struct session *session, size_t *rows, size_t *cols)
{
    struct table table = table_of(session, "output");
    double *at = matrix_values(&table);
    *rows = table.n_rows;
    *cols = table.n_columns;
    table_free(&table);
    return at;
}

static void check_pytorchs(const char *settings, const char *tensor, size_t rows)
{
    struct golden expected = golden_load("pieces.tsv", tensor);
    struct session *session = on_stage("shapes", settings);
    size_t got_rows, cols;
    double *at = output_of(session, &got_rows, &cols);
    assert_int_equal(got_rows, rows);
    assert_int_equal(got_rows * cols, expected.n);
    golden_assert_close(at, expected.n, &expected, 1e-6, 1e-5);
    free(at);
    session_free(session);
    golden_free(&expected);
}

static void pieces_are_pytorchs(void **unused)
{
    (void)unused;
    check_pytorchs(NULL, "bmm_ones", 2);
    check_pytorchs("operation=mean", "bmm_mean", 2);
    check_pytorchs("operation=repeat_interleave", "repeat_interleave", 1);
}

static void tile_lays_the_row_side_by_side(void **unused)
{
    (void)unused;
    static const double expected[] = {1, 2, 1, 2, 1, 2};
    struct session *session = on_stage("shapes", "operation=tile");
    size_t rows, cols;
    double *at = output_of(session, &rows, &cols);
    assert_int_equal(rows * cols, 6);
    assert_memory_equal(at, expected, sizeof expected);
    free(at);
    session_free(session);
}

static void leave_one_out_misses_the_diagonal(void **unused)
{
    (void)unused;
    struct session *session = on_stage("shapes", "operation=leave_one_out");
    size_t rows, cols;
    double *at = output_of(session, &rows, &cols);
    assert_int_equal(rows, 50);
    assert_int_equal(cols, 49);
    for (size_t i = 0; i < rows; i++) {
        size_t j = 0;
        for (size_t k = 0; k < 50; k++)
            if (k != i)
                assert_true(at[i * cols + j++] == (double)k);
    }
    free(at);
    session_free(session);
}

/* Counted matrices: A[b,i,k] = (b n + i) m + k and B[b,k,j] = (b m + k) p + j. */
static void bmm_is_its_definition(void **unused)
{
    (void)unused;
    enum { B = 3, N = 2, M = 5, P = 4 };
    struct session *session = on_stage("shapes", "b=3 n=2 m=5 p=4 fill=count");
    size_t rows, cols;
    double *at = output_of(session, &rows, &cols);
    assert_int_equal(rows, B * N);
    assert_int_equal(cols, P);
    for (size_t b = 0; b < B; b++) {
        for (size_t i = 0; i < N; i++) {
            for (size_t j = 0; j < P; j++) {
                size_t sum = 0;
                for (size_t k = 0; k < M; k++)
                    sum += ((b * N + i) * M + k) * ((b * M + k) * P + j);
                assert_true(at[(b * N + i) * P + j] == (double)sum);
            }
        }
    }
    free(at);
    session_free(session);
}

static void shapes_that_do_not_fit_are_named(void **unused)
{
    (void)unused;
    struct error error = on_stage_refused("shapes", "m=4 m2=3");
    assert_non_null(strstr(error.text, "(2, 1, 4)"));
    assert_non_null(strstr(error.text, "(2, 3, 6)"));
    struct session *session = on_stage("shapes", NULL);
    error = refused(session, "set m2 5");
    assert_non_null(strstr(error.text, "(2, 1, 4)"));
    assert_non_null(strstr(error.text, "(2, 5, 6)"));
    refused(session, "set m 17");
    refused(session, "set values 1,2,3,4,5,6,7,8,9,10,11,12,13");
    perform(session, "set m 3"); /* the second's rows follow */
    size_t rows, cols;
    double *at = output_of(session, &rows, &cols);
    assert_true(at[0] == 3);
    free(at);
    refused(session, "set operation convolve");
    perform(session, "set operation leave_one_out");
    refused(session, "set n 1");
    session_free(session);
}

static void assert_shows(struct session *session, const char *line, const char *text)
{
    perform(session, line);
    assert_on_screen(session, text);
}

static void the_walk_shows_each_cells_arithmetic(void **unused)
{
    (void)unused;
    struct session *session = on_stage("shapes", "fill=count");
    /* out[0,0,0] = 0*0 + 1*6 + 2*12 + 3*18 = 84 */
    assert_shows(session, "first", "output[0, 0, 0] = 84");
    assert_shows(session, "step 2", "output[0, 0, 2] = 96");
    assert_shows(session, "back", "output[0, 0, 1] = 90");
    assert_shows(session, "run", "output[1, 0, 5]");
    assert_shows(session, "step", "cell 12 / 12");
    assert_shows(session, "reset", "cell 1 / 12");
    assert_shows(session, "select 1 0", "cell 7 / 12");
    assert_shows(session, "select 1 0", "[1, 0, 3]\u00b7[1, 3, 0] = 7 \u00b7 42 = 294");
    refused(session, "select 2");
    refused(session, "select 0 6");
    assert_shows(session, "set operation tile; select 0 4", "output[4] = input[0] = 1");
    assert_shows(session, "set operation repeat_interleave; select 0 4", "output[4] = input[1] = 2");
    assert_shows(session, "set operation leave_one_out; select 3 3", "output[3, 3] = input[3, 4] = 4");
    assert_shows(session, "select 3 2", "output[3, 2] = input[3, 2] = 2");
    session_free(session);
}

static void values_move_in_place(void **unused)
{
    (void)unused;
    struct session *session = on_stage("shapes", "operation=tile");
    perform(session, "param values; select 0 1; adjust 5");
    size_t rows, cols;
    double *at = output_of(session, &rows, &cols);
    assert_true(at[0] == 1 && at[1] == 7 && at[3] == 7);
    free(at);
    perform(session, "undo");
    perform(session, "set operation bmm; param values");
    refused(session, "adjust 1");
    session_free(session);
}

static void the_panel_offers_what_the_operation_asks_for(void **unused)
{
    (void)unused;
    struct session *session = on_stage("shapes", NULL);
    assert_on_screen(session, "m2");
    assert_not_on_screen(session, "repeats");
    perform(session, "set operation tile");
    assert_on_screen(session, "repeats");
    assert_not_on_screen(session, "m2");
    session_free(session);
}

static void extremes_are_shown_at_every_size(void **unused)
{
    (void)unused;
    static const char *const settings[] = {
        "b=8 n=64 m=16 p=16 fill=count",
        "b=1 n=1 m=1 p=1",
        "operation=mean b=8 n=64 p=16",
        "operation=leave_one_out n=64",
        "operation=leave_one_out n=2",
        "operation=tile values=-1e6,1e6,3,4,5,6,7,8,9,10,11,12 repeats=8",
        "operation=repeat_interleave values=5 repeats=1",
    };
    static const int sizes[][2] = {{40, 12}, {80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct session *session = on_stage("shapes", settings[i]);
        for (int k = 0; k < 4; k++) {
            perform(session, k % 2 ? "first; step 3" : "run");
            char *screen = screen_text(session, sizes[k][0], sizes[k][1]);
            assert_non_null(strstr(screen, sizes[k][0] < 72 ? "input" : "output"));
            assert_null(strstr(screen, "nan"));
            free(screen);
        }
        session_free(session);
    }
}

/* What the walk has not reached is not given away; the table holds it all the same. */
static void cells_ahead_keep_their_secret(void **unused)
{
    (void)unused;
    struct session *session = on_stage("shapes", "fill=count");
    perform(session, "step 2");
    /* fill=count: out[0, 0] is 84 90 96 102 108 114 */
    assert_on_screen(session, "96");
    assert_not_on_screen(session, "102");
    assert_not_on_screen(session, "114");
    size_t rows, cols;
    double *at = output_of(session, &rows, &cols);
    assert_true(at[3] == 102 && at[5] == 114);
    free(at);
    session_free(session);
}

/* The book has 50 points, too many to walk through: who switches to leave_one_out sees a few, with numbers.
 */
static void leave_one_out_starts_small_on_the_stage(void **unused)
{
    (void)unused;
    struct session *session = on_stage("shapes", NULL);
    assert_shows(session, "set operation leave_one_out", "(6, 5)");
    assert_shows(session, "set n 50", "(50, 49)");
    session_free(session);
    session = on_stage("shapes", "operation=leave_one_out");
    assert_shows(session, " ", "(50, 49)");
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_pytorchs),
        cmocka_unit_test(tile_lays_the_row_side_by_side),
        cmocka_unit_test(leave_one_out_misses_the_diagonal),
        cmocka_unit_test(cells_ahead_keep_their_secret),
        cmocka_unit_test(leave_one_out_starts_small_on_the_stage),
        cmocka_unit_test(bmm_is_its_definition),
        cmocka_unit_test(shapes_that_do_not_fit_are_named),
        cmocka_unit_test(the_walk_shows_each_cells_arithmetic),
        cmocka_unit_test(values_move_in_place),
        cmocka_unit_test(the_panel_offers_what_the_operation_asks_for),
        cmocka_unit_test(extremes_are_shown_at_every_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
