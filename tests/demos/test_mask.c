#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "data/buf.h"
#include "data/lang.h"
#include "demos/demo.h"
#include "golden.h"
#include "on_stage.h"

static const char *const seeds[] = {"0", "1", "2", "42"};
enum { SEEDS = sizeof seeds / sizeof *seeds };

static void check_matrix(const struct session *session, const char *table_name, const char *file,
                         const char *tensor)
{
    struct golden expected = golden_load(file, tensor);
    struct table table = table_of(session, table_name);
    double *at = matrix_values(&table);
    assert_int_equal(table.n_rows, expected.shape[0] * expected.shape[1]);
    assert_int_equal(table.n_columns, expected.shape[2]);
    golden_assert_close(at, expected.n, &expected, 1e-6, 1e-5);
    free(at);
    table_free(&table);
    golden_free(&expected);
}

/* The four tensors that one stream of random numbers gives in turn. */
static void scores_and_weights_are_pytorchs(void **unused)
{
    (void)unused;
    const struct {
        const char *name, *settings;
    } cases[] = {
        {"1d", "valid_lens=2,3"},
        {"2d", "draw=1 valid_lens=1,3/2,4"},
        {"2d", "draw=1 valid_lens=[[1,3],[2,4]] fill=-inf"},
        {"zero", "draw=2 valid_lens=0,4 fill=-1e6"},
        {"none", "draw=3 valid_lens=none"},
        {"none", "draw=3 valid_lens="},
    };
    for (int i = 0; i < SEEDS; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            char file[32], settings[96], tensor[32];
            snprintf(file, sizeof file, "mask_seed%s.tsv", seeds[i]);
            snprintf(settings, sizeof settings, "seed=%s %s", seeds[i], cases[k].settings);
            struct session *session = on_stage("mask", settings);
            snprintf(tensor, sizeof tensor, "mask_%s_scores", cases[k].name);
            check_matrix(session, "scores", file, tensor);
            snprintf(tensor, sizeof tensor, "mask_%s_weights", cases[k].name);
            check_matrix(session, "weights", file, tensor);
            session_free(session);
        }
}

static double cell(const struct session *session, const char *name, size_t row, size_t key)
{
    struct table table = table_of(session, name);
    assert_true(row < table.n_rows && key < table.n_columns);
    double value = table.column[key].number[row];
    table_free(&table);
    return value;
}

/* A row without a valid key has three conventions; the row with all keys is the same in all of them. */
static void an_empty_row_follows_the_fill(void **unused)
{
    (void)unused;
    struct session *none = on_stage("mask", "valid_lens=0,4 fill=none");
    struct session *book = on_stage("mask", "valid_lens=0,4 fill=-1e6");
    struct session *framework = on_stage("mask", "valid_lens=0,4 fill=-inf");
    for (size_t key = 0; key < 4; key++) {
        assert_true(cell(none, "weights", 0, key) == 0);
        assert_true(cell(book, "weights", 0, key) == 0.25);
        assert_true(isnan(cell(framework, "weights", 0, key)));
        double full = cell(none, "weights", 2, key);
        assert_true(full > 0 && full == cell(book, "weights", 2, key) &&
                    full == cell(framework, "weights", 2, key));
        assert_true(cell(none, "masked", 0, key) == -HUGE_VAL);
        assert_true(cell(framework, "masked", 0, key) == -HUGE_VAL);
        assert_true(cell(book, "masked", 0, key) == -1e6);
    }
    session_free(none);
    session_free(book);
    session_free(framework);
}

static void the_masked_table_is_written_with_inf(void **unused)
{
    (void)unused;
    struct session *session = on_stage("mask", "valid_lens=2,3");
    struct table table = table_of(session, "masked");
    struct buf csv = {0};
    table_csv(&table, &csv);
    assert_non_null(strstr(csv.at, ",-inf,-inf\n"));
    buf_free(&csv);
    table_free(&table);
    session_free(session);
}

static void rows_sum_to_one_or_are_empty(void **unused)
{
    (void)unused;
    struct session *session = on_stage("mask", "batch=4 queries=8 keys=16 seed=7 valid_lens=0,1,7,16");
    struct table table = table_of(session, "weights");
    const size_t lens[] = {0, 1, 7, 16};
    for (size_t row = 0; row < table.n_rows; row++) {
        double sum = 0;
        for (size_t key = 0; key < table.n_columns; key++) {
            double weight = table.column[key].number[row];
            assert_true(key < lens[row / 8] ? weight > 0 : weight == 0);
            sum += weight;
        }
        assert_true(lens[row / 8] == 0 ? sum == 0 : fabs(sum - 1) < 1e-12);
    }
    table_free(&table);
    session_free(session);
}

static void only_forms_that_fit_are_accepted(void **unused)
{
    (void)unused;
    static const char *const fit[] = {"2,3", "[2,3]", "[[1,2],[3,4]]", "1,2/3,4", "0,0", "4,4", "none"};
    static const struct {
        const char *lens, *shape;
    } refused_shapes[] = {
        {"3", "(1)"}, {"1,2,3", "(3)"}, {"[[1,2,3]]", "(1, 3)"}, {"1,2,3/1,2,3", "(2, 3)"}, {"1/2", "(2, 1)"},
    };
    for (size_t i = 0; i < sizeof fit / sizeof *fit; i++) {
        char settings[64];
        snprintf(settings, sizeof settings, "valid_lens=%s", fit[i]);
        session_free(on_stage("mask", settings));
    }
    for (size_t i = 0; i < sizeof refused_shapes / sizeof *refused_shapes; i++) {
        char settings[64];
        snprintf(settings, sizeof settings, "valid_lens=%s", refused_shapes[i].lens);
        struct error error = on_stage_refused("mask", settings);
        assert_int_equal(error.status, STATUS_USAGE);
        assert_non_null(strstr(error.text, refused_shapes[i].shape));
        assert_non_null(strstr(error.text, "(2, 2, 4)"));
    }
}

static void lengths_out_of_range_keep_the_old_ones(void **unused)
{
    (void)unused;
    const struct {
        const char *lens, *says;
    } cases[] = {{"9,1", "0 to 4"}, {"9", "0 to 4"}, {"1,2/3,5", "0 to 4"}, {"-1,2", "0 to"},
                 {"2.5,1", "0 to"}, {"abc", "0 to"}, {"nan,1", "0 to"},     {"1e400,1", "0 to"}};
    struct session *session = on_stage("mask", "valid_lens=1,2");
    double weight = cell(session, "weights", 2, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[64];
        snprintf(line, sizeof line, "set valid_lens %s", cases[i].lens);
        struct error error = refused(session, line);
        assert_non_null(strstr(error.text, cases[i].says));
        assert_true(cell(session, "weights", 2, 1) == weight);
        assert_true(cell(session, "weights", 2, 2) == 0);
    }
    session_free(session);
}

static const struct value *lens_value(const struct session *session)
{
    const struct stage *stage = session_stage(session);
    size_t i = param_find(stage->demo->params, stage->demo->n_params, "valid_lens");
    return &stage->values[i];
}

static void assert_lens(const struct session *session, const char *expected)
{
    const struct stage *stage = session_stage(session);
    struct buf text = {0};
    param_format(&stage->demo->params[0], lens_value(session), &text);
    assert_string_equal(text.at, expected);
    buf_free(&text);
}

static void lengths_follow_the_shape(void **unused)
{
    (void)unused;
    struct session *session = on_stage("mask", "valid_lens=1,3/2,4");
    perform(session, "set keys 3");
    assert_lens(session, "1,3/2,3");
    perform(session, "set queries 3");
    assert_lens(session, "1,3,3/2,3,3");
    perform(session, "set batch 1");
    assert_lens(session, "[[1,3,3]]");
    perform(session, "set batch 2; set queries 1");
    assert_lens(session, "1/1");
    perform(session, "undo; undo; undo; undo; undo");
    assert_lens(session, "1,3/2,4");
    session_free(session);
    session = on_stage("mask", "batch=3 keys=2");
    assert_lens(session, "2,2,2");
    session_free(session);
    on_stage_refused("mask", "batch=3 valid_lens=2,3");
}

static void a_length_is_changed_in_place(void **unused)
{
    (void)unused;
    struct session *session = on_stage("mask", NULL);
    perform(session, "select 0; nudge 1");
    assert_lens(session, "3,3");
    perform(session, "move 0 2; nudge -5");
    assert_lens(session, "3,0");
    perform(session, "param valid_lens; adjust 9");
    assert_lens(session, "3,4");
    perform(session, "undo; undo");
    assert_lens(session, "3,3");
    perform(session, "set valid_lens 1,1/1,1; select 1; nudge 2");
    assert_lens(session, "1,3/1,1");
    perform(session, "set valid_lens none; select 2; nudge -1");
    assert_lens(session, "4,3");
    session_free(session);
}

static void the_screen_says_what_happens(void **unused)
{
    (void)unused;
    const struct {
        const char *settings, *says;
    } cases[] = {
        {"valid_lens=2,3", "2 2 3 3"},
        {"valid_lens=1,3/2,4", "1 3 2 4"},
        {"valid_lens=0,3", "no valid key"},
        {"valid_lens=0,3 fill=-1e6", "0.25"},
        {"valid_lens=0,3 fill=-inf", "NaN"},
        /* 0.8102 = exp(0.3904 - 0.6009) of item 0, query 1 */
        {"valid_lens=2,3", "0.8102"},
    };
    const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 3; k++) {
            struct session *session = on_stage("mask", cases[i].settings);
            char *screen = screen_text(session, sizes[k][0], sizes[k][1]);
            assert_non_null(strstr(screen, cases[i].says));
            free(screen);
            session_free(session);
        }
}

/* NaN is on the screen with fill=-inf and an empty row, and nowhere else. */
static void only_a_fill_of_inf_shows_nan(void **unused)
{
    (void)unused;
    static const char *const settings[] = {
        "batch=1 queries=1 keys=1 valid_lens=0",
        "batch=4 queries=8 keys=16 valid_lens=0,0,0,0",
        "batch=1 queries=1 keys=1 valid_lens=1",
        "batch=4 queries=8 keys=16 valid_lens=none draw=9",
        "valid_lens=0,0 fill=-1e6",
        "valid_lens=1,4 fill=-inf",
    };
    const int sizes[][2] = {{40, 12}, {72, 17}, {80, 24}, {120, 40}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (size_t k = 0; k < 4; k++) {
            struct session *session = on_stage("mask", settings[i]);
            for (size_t pane = 0; pane < session_stage(session)->demo->n_panes; pane++) {
                char *screen = screen_text(session, sizes[k][0], sizes[k][1]);
                assert_null(strstr(screen, "NaN"));
                assert_null(strstr(screen, "nan"));
                free(screen);
                perform(session, "focus next; move 1 1");
            }
            session_free(session);
        }
}

/* Whether after BEFORE, in the same line, the keys 0 to N - 1 are numbered in order. */
static bool are_numbered(const char *screen, const char *before, int n)
{
    const char *at = strstr(screen, before);
    const char *end = at ? strchr(at, '\n') : NULL;
    at = at ? at + strlen(before) : NULL;
    for (int key = 0; key < n && at; key++) {
        at = strchr(at, '0' + key);
        at = at && at < end ? at + 1 : NULL;
    }
    return at != NULL;
}

/* The bars of the lengths number their keys at 80x24, in Chinese too, whose words are wider. */
static void lengths_number_their_keys(void **unused)
{
    (void)unused;
    struct session *session = on_stage("mask", NULL);
    char *english = screen_text(session, 80, 24);
    lang_choose(LANG_ZH);
    char *chinese = screen_text(session, 80, 24);
    lang_choose(LANG_EN);
    assert_true(are_numbered(english, "item 0 ", 4));
    assert_true(are_numbered(chinese, "\u6837\u672c 0 ", 4));
    free(english);
    free(chinese);
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_number_their_keys),
        cmocka_unit_test(scores_and_weights_are_pytorchs),
        cmocka_unit_test(an_empty_row_follows_the_fill),
        cmocka_unit_test(the_masked_table_is_written_with_inf),
        cmocka_unit_test(rows_sum_to_one_or_are_empty),
        cmocka_unit_test(only_forms_that_fit_are_accepted),
        cmocka_unit_test(lengths_out_of_range_keep_the_old_ones),
        cmocka_unit_test(lengths_follow_the_shape),
        cmocka_unit_test(a_length_is_changed_in_place),
        cmocka_unit_test(the_screen_says_what_happens),
        cmocka_unit_test(only_a_fill_of_inf_shows_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
