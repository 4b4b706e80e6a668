#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/run.h"

enum { DIM = 2 };

/* A bowl: loss = sum c_i theta_i^2 / 2, so that theta_i shrinks by the factor 1 - lr c_i with each step. */
static void bowl(const void *data, const double *theta, double *loss, double *gradient)
{
    const double *const c = data;

    *loss = 0;
    for (size_t i = 0; i < DIM; i++) {
        *loss += c[i] * theta[i] * theta[i] / 2;
        gradient[i] = c[i] * theta[i];
    }
}

static const double curvature[DIM] = {1, 2};
static const double start[DIM] = {8, -4};

static const struct objective objective = {.dim = DIM, .evaluate = bowl, .data = curvature};

static struct run run_of(size_t epochs)
{
    struct run run = {0};

    assert_true(run_start(&run, objective, start));
    for (size_t i = 0; i < epochs; i++)
        assert_int_equal(run_forward(&run, objective, 0.25), RUN_COMPUTED);
    return run;
}

static void assert_state(const struct run *run, size_t epoch, double theta0, double theta1)
{
    assert_true(run->theta[epoch * DIM] == theta0);
    assert_true(run->theta[epoch * DIM + 1] == theta1);
    assert_true(run->loss[epoch] == theta0 * theta0 / 2 + theta1 * theta1);
    assert_true(run->gradient[epoch * DIM] == theta0);
    assert_true(run->gradient[epoch * DIM + 1] == 2 * theta1);
}

static void test_steps_follow_the_gradient(void **state)
{
    struct run run = run_of(2);

    (void)state;
    assert_int_equal(run.n, 3);
    assert_int_equal(run.cursor, 2);
    assert_state(&run, 0, 8, -4);
    assert_state(&run, 1, 6, -2);
    assert_state(&run, 2, 4.5, -1);
    run_free(&run);
}

static void test_there_and_back_again_is_the_same(void **state)
{
    struct run run = run_of(50), before = run_copy(&run);

    (void)state;
    run_seek(&run, 3);
    assert_int_equal(run.cursor, 3);
    assert_int_equal(run.n, 51);
    for (size_t i = 3; i < 50; i++)
        assert_int_equal(run_forward(&run, objective, 123), RUN_RECALLED);
    assert_int_equal(run.cursor, 50);
    assert_memory_equal(run.theta, before.theta, run.n * DIM * sizeof(double));
    assert_memory_equal(run.gradient, before.gradient, run.n * DIM * sizeof(double));
    assert_memory_equal(run.loss, before.loss, run.n * sizeof(double));
    run_free(&run);
    run_free(&before);
}

static void test_seek_stops_at_the_last_state(void **state)
{
    struct run run = run_of(2), empty = {0};

    (void)state;
    run_seek(&run, 99);
    assert_int_equal(run.cursor, 2);
    run_seek(&run, 0);
    assert_int_equal(run.cursor, 0);
    run_seek(&empty, 5);
    assert_int_equal(empty.cursor, 0);
    run_free(&run);
}

/* At 1e200 the second state's loss overflows: there is nowhere to go from epoch 1. */
static void test_a_training_ends_where_it_diverges(void **state)
{
    struct run run = run_of(1);

    (void)state;
    assert_int_equal(run_end(&run, 5), 5);
    assert_int_equal(run_forward(&run, objective, 1e200), RUN_DIVERGED);
    assert_int_equal(run_end(&run, 5), 1);
    assert_int_equal(run_end(&run, 1), 1);
    assert_int_equal(run_end(&run, 0), 0);
    assert_int_equal(run_forward(&run, objective, 0.25), RUN_COMPUTED);
    assert_int_equal(run_end(&run, 5), 5);
    run_free(&run);
}

static void test_branch_leaves_a_ghost(void **state)
{
    struct run run = run_of(3);

    (void)state;
    run_seek(&run, 1);
    run_branch(&run, "lr 0.25");
    assert_int_equal(run.n, 2);
    assert_int_equal(run.n_ghosts, 1);
    assert_string_equal(run.ghost[0].label, "lr 0.25");
    assert_int_equal(run.ghost[0].n, 4);
    assert_true(run.ghost[0].theta[1] == 6 && run.ghost[0].theta[2] == 4.5);
    assert_true(run.ghost[0].loss[0] == 8.0 * 8 / 2 + 4 * 4);
    assert_int_equal(run_forward(&run, objective, 0.5), RUN_COMPUTED);
    assert_state(&run, 2, 3, 0);
    assert_int_equal(run.ghost[0].n, 4);
    run_free(&run);
}

static void test_one_state_is_no_curve(void **state)
{
    struct run run = run_of(0);

    (void)state;
    run_branch(&run, "nothing yet");
    assert_int_equal(run.n_ghosts, 0);
    assert_int_equal(run.n, 1);
    run_free(&run);
}

static void test_the_oldest_ghost_makes_room(void **state)
{
    struct run run = {0};
    char label[16];

    (void)state;
    for (int i = 0; i < RUN_GHOSTS_MAX + 3; i++) {
        assert_true(run_start(&run, objective, start));
        run_forward(&run, objective, 0.25);
        snprintf(label, sizeof(label), "%d", i);
        run_branch(&run, label);
    }
    assert_int_equal(run.n_ghosts, RUN_GHOSTS_MAX);
    assert_string_equal(run.ghost[0].label, "3");
    assert_string_equal(run.ghost[RUN_GHOSTS_MAX - 1].label, "10");
    assert_true(run.ghost[0].theta[1] == 6);
    run_clear_ghosts(&run);
    assert_int_equal(run.n_ghosts, 0);
    run_free(&run);
}

/* 46 letters and a two-byte one: its first byte would be the label's 47th and last. */
static void test_a_long_label_is_cut_between_characters(void **state)
{
    char label[64] = {0};
    struct run run = run_of(1);

    (void)state;
    memset(label, 'a', 46);
    strcat(label, "\xc3\xa9"
                  "bcd");
    run_branch(&run, label);
    assert_int_equal(strlen(run.ghost[0].label), 46);
    run_forward(&run, objective, 0.25);
    memset(label, 'a', 45);
    memcpy(label + 45,
           "\xc3\xa9"
           "bcd",
           6);
    run_branch(&run, label);
    assert_int_equal(strlen(run.ghost[1].label), 47);
    assert_memory_equal(run.ghost[1].label + 45, "\xc3\xa9", 3);
    run_free(&run);
}

static void test_divergence_keeps_the_last_finite_state(void **state)
{
    struct run run = run_of(1);
    struct run before = run_copy(&run);

    (void)state;
    assert_int_equal(run_forward(&run, objective, 1e200), RUN_DIVERGED);
    assert_true(run.diverged);
    assert_int_equal(run.n, 2);
    assert_int_equal(run.cursor, 1);
    assert_memory_equal(run.theta, before.theta, 2 * DIM * sizeof(double));
    assert_memory_equal(run.loss, before.loss, 2 * sizeof(double));
    assert_int_equal(run_forward(&run, objective, HUGE_VAL), RUN_DIVERGED);
    assert_int_equal(run_forward(&run, objective, 0.25), RUN_COMPUTED);
    assert_false(run.diverged);
    assert_state(&run, 2, 4.5, -1);
    run_free(&run);
    run_free(&before);
}

static void test_a_bad_start_is_kept_and_told(void **state)
{
    const double huge[DIM] = {1e200, 0};
    struct run run = {0};

    (void)state;
    assert_false(run_start(&run, objective, huge));
    assert_int_equal(run.n, 1);
    assert_true(run.theta[0] == 1e200);
    assert_true(run_replace(&run, objective, start));
    assert_state(&run, 0, 8, -4);
    assert_false(run_replace(&run, objective, huge));
    run_free(&run);
}

static void test_replace_after_branch(void **state)
{
    const double other[DIM] = {2, 2};
    struct run run = run_of(3);

    (void)state;
    run_seek(&run, 2);
    run_branch(&run, "w by hand");
    assert_true(run_replace(&run, objective, other));
    assert_int_equal(run.n, 3);
    assert_state(&run, 1, 6, -2);
    assert_state(&run, 2, 2, 2);
    assert_int_equal(run_forward(&run, objective, 0.25), RUN_COMPUTED);
    assert_state(&run, 3, 1.5, 1);
    run_free(&run);
}

static void test_starting_again_keeps_ghosts(void **state)
{
    struct run run = run_of(2);

    (void)state;
    run_branch(&run, "first");
    assert_true(run_start(&run, objective, run.theta)); /* one of its own states */
    assert_int_equal(run.n, 1);
    assert_int_equal(run.cursor, 0);
    assert_int_equal(run.n_ghosts, 1);
    assert_state(&run, 0, 8, -4);
    run_free(&run);
}

static void test_a_copy_is_deep(void **state)
{
    struct run run = run_of(2), copy;

    (void)state;
    run_branch(&run, "ghost");
    copy = run_copy(&run);
    run.theta[0] = 99;
    run.ghost[0].loss[0] = 99;
    run_clear_ghosts(&run);
    run_free(&run);
    assert_state(&copy, 0, 8, -4);
    assert_int_equal(copy.n_ghosts, 1);
    assert_true(copy.ghost[0].loss[0] == 48);
    assert_int_equal(run_forward(&copy, objective, 0.25), RUN_COMPUTED);
    assert_state(&copy, 3, 3.375, -0.5);
    run_free(&copy);
}

static void test_a_zeroed_run_can_be_copied_and_freed(void **state)
{
    static const struct run zero;
    struct run run = {0}, copy = run_copy(&run);

    (void)state;
    run_free(&copy);
    run_free(&run);
    run_free(&run);
    assert_int_equal(run.n, zero.n);
    assert_null(run.theta);
    assert_null(copy.theta);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_follow_the_gradient),
        cmocka_unit_test(test_there_and_back_again_is_the_same),
        cmocka_unit_test(test_seek_stops_at_the_last_state),
        cmocka_unit_test(test_a_training_ends_where_it_diverges),
        cmocka_unit_test(test_branch_leaves_a_ghost),
        cmocka_unit_test(test_one_state_is_no_curve),
        cmocka_unit_test(test_the_oldest_ghost_makes_room),
        cmocka_unit_test(test_a_long_label_is_cut_between_characters),
        cmocka_unit_test(test_divergence_keeps_the_last_finite_state),
        cmocka_unit_test(test_a_bad_start_is_kept_and_told),
        cmocka_unit_test(test_replace_after_branch),
        cmocka_unit_test(test_starting_again_keeps_ghosts),
        cmocka_unit_test(test_a_copy_is_deep),
        cmocka_unit_test(test_a_zeroed_run_can_be_copied_and_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
