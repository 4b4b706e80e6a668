#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/softmax.h"
#include "golden.h"

#define NOT_A_NUMBER ((double)NAN)

static void assert_close(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", got, tolerance, expected);
}

static double sum(const double *v, size_t n)
{
    double total = 0;

    for (size_t i = 0; i < n; i++)
        total += v[i];
    return total;
}

/* e^-2, e^-1 and 1 over their sum, however large the scores are. */
static void test_only_differences_matter(void **state)
{
    static const double base[] = {0, 1000, -1000, 1e6};

    (void)state;
    for (size_t b = 0; b < sizeof(base) / sizeof(base[0]); b++) {
        const double scores[] = {base[b], base[b] + 1, base[b] + 2};
        const double total = exp(-2) + exp(-1) + 1;
        double weight[3];

        assert_true(softmax_row(scores, 3, 3, weight));
        assert_close(weight[0], exp(-2) / total, 1e-15);
        assert_close(weight[1], exp(-1) / total, 1e-15);
        assert_close(weight[2], 1 / total, 1e-15);
        assert_close(sum(weight, 3), 1, 1e-15);
    }
}

static void test_scores_far_apart_are_one_hot(void **state)
{
    static const double scores[][3] = {{0, 1e6, 2e6}, {-1e308, 0, 1e308}, {-HUGE_VAL, 0, 701}};

    (void)state;
    for (size_t c = 0; c < 3; c++) {
        double weight[3];

        assert_true(softmax_row(scores[c], 3, 3, weight));
        assert_true(weight[0] == 0 && weight[1] == 0 && weight[2] == 1);
    }
}

static void test_infinite_scores_share(void **state)
{
    const double scores[] = {HUGE_VAL, 5, HUGE_VAL, -HUGE_VAL};
    double weight[4];

    (void)state;
    assert_true(softmax_row(scores, 4, 4, weight));
    assert_true(weight[0] == 0.5 && weight[1] == 0 && weight[2] == 0.5 && weight[3] == 0);
}

static void test_a_row_without_a_key_is_empty(void **state)
{
    const double scores[] = {1, 2, 3, 4}, none[] = {-HUGE_VAL, -HUGE_VAL, 3, 4};
    double weight[4] = {9, 9, 9, 9};

    (void)state;
    assert_false(softmax_row(scores, 4, 0, weight));
    for (size_t j = 0; j < 4; j++)
        assert_true(weight[j] == 0);
    assert_false(softmax_row(none, 4, 2, weight));
    for (size_t j = 0; j < 4; j++)
        assert_true(weight[j] == 0);
}

static void test_masked_keys_do_not_leak(void **state)
{
    const double scores[] = {1, 1, NOT_A_NUMBER, HUGE_VAL};
    double weight[4], gradient[4];
    const double upstream[] = {1, 2, NOT_A_NUMBER, HUGE_VAL};

    (void)state;
    assert_true(softmax_row(scores, 4, 2, weight));
    assert_true(weight[0] == 0.5 && weight[1] == 0.5 && weight[2] == 0 && weight[3] == 0);
    softmax_row_backward(weight, upstream, 4, 2, gradient);
    assert_true(gradient[0] == -0.25 && gradient[1] == 0.25 && gradient[2] == 0 && gradient[3] == 0);
    assert_false(signbit(gradient[2]) || signbit(gradient[3]));
}

static void test_a_valid_nan_stays_among_the_valid(void **state)
{
    const double scores[] = {1, NOT_A_NUMBER, 2};
    double weight[3];

    (void)state;
    softmax_row(scores, 3, 2, weight);
    assert_true(isnan(weight[0]) && isnan(weight[1]) && weight[2] == 0);
}

static void test_in_place_and_beyond_the_row(void **state)
{
    double row[] = {0, 0, 7, 7};

    (void)state;
    assert_true(softmax_row(row, 4, 2, row));
    assert_true(row[0] == 0.5 && row[1] == 0.5 && row[2] == 0 && row[3] == 0);
    assert_true(softmax_row(row, 2, 99, row));
    assert_true(row[0] == 0.5 && row[1] == 0.5 && row[2] == 0);
}

static void test_the_books_fill(void **state)
{
    const double scores[] = {3, 1, 2, 0}, low[] = {-2e6, 1, 2, 0};
    double weight[4];

    (void)state;
    softmax_row_filled(scores, 4, 0, -1e6, weight);
    for (size_t j = 0; j < 4; j++)
        assert_true(weight[j] == 0.25);
    softmax_row_filled(low, 4, 1, -1e6, weight);
    assert_true(weight[0] == 0);
    for (size_t j = 1; j < 4; j++)
        assert_close(weight[j], 1.0 / 3, 1e-16);
    softmax_row_filled(scores, 4, 0, -HUGE_VAL, weight);
    for (size_t j = 0; j < 4; j++)
        assert_true(isnan(weight[j]));
    softmax_row_filled(scores, 4, 1, -HUGE_VAL, weight);
    assert_true(weight[0] == 1 && weight[1] == 0 && weight[2] == 0 && weight[3] == 0);
}

/* Rows of PyTorch's masked softmax with its fill of -1e6. A 1-d mask has one length per batch item. */
static void check_mask(const char *file, const char *kind)
{
    char name[40];
    struct golden scores, lens, weights;
    double got[16];

    snprintf(name, sizeof(name), "mask_%s_scores", kind);
    scores = golden_load(file, name);
    snprintf(name, sizeof(name), "mask_%s_valid_lens", kind);
    lens = golden_load(file, name);
    snprintf(name, sizeof(name), "mask_%s_weights", kind);
    weights = golden_load(file, name);
    assert_int_equal(scores.n, 16);
    for (size_t row = 0; row < 4; row++) {
        const size_t valid = (size_t)lens.at[lens.rank == 1 ? row / 2 : row];
        double exact[4];

        softmax_row_filled(scores.at + 4 * row, 4, valid, -1e6, got + 4 * row);
        assert_int_equal(softmax_row(scores.at + 4 * row, 4, valid, exact), valid > 0);
        for (size_t j = 0; valid > 0 && j < 4; j++)
            assert_true(exact[j] == got[4 * row + j]);
    }
    golden_assert_close(got, 16, &weights, 1e-6, 1e-5);
    golden_free(&scores);
    golden_free(&lens);
    golden_free(&weights);
}

static void test_golden(void **state)
{
    static const char *const files[] = {"mask_seed0.tsv", "mask_seed1.tsv", "mask_seed2.tsv",
                                        "mask_seed42.tsv"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        check_mask(files[i], "1d");
        check_mask(files[i], "2d");
        check_mask(files[i], "zero");
    }
}

/* d/ds of sum_k g_k w_k(s) by central differences: the error is of order h^2 and of rounding over h. */
static void test_backward_agrees_with_differences(void **state)
{
    const double score[] = {0.3, -1.2, 2.1, 0.7, 1.5}, g[] = {1.3, -0.4, 0.9, 2.2, -1.7}, h = 1e-5;
    double weight[5], gradient[5];

    (void)state;
    for (size_t valid = 1; valid <= 5; valid++) {
        softmax_row(score, 5, valid, weight);
        softmax_row_backward(weight, g, 5, valid, gradient);
        for (size_t j = 0; j < 5; j++) {
            double value[2];

            for (int side = 0; side < 2; side++) {
                double moved[5], w[5];

                for (size_t i = 0; i < 5; i++)
                    moved[i] = score[i] + (i == j ? (side ? h : -h) : 0);
                softmax_row(moved, 5, valid, w);
                value[side] = 0;
                for (size_t i = 0; i < 5; i++)
                    value[side] += g[i] * w[i];
            }
            assert_close(gradient[j], (value[1] - value[0]) / (2 * h), 1e-9);
            assert_true(j < valid || gradient[j] == 0);
        }
    }
}

static void test_entropy(void **state)
{
    const double uniform[] = {0.25, 0.25, 0.25, 0.25}, one_hot[] = {0, 1, 0}, coin[] = {0.5, 0, 0.5};

    (void)state;
    assert_close(softmax_entropy(uniform, 4), log(4), 1e-15);
    assert_close(softmax_entropy(coin, 3), log(2), 1e-15);
    assert_true(softmax_entropy(one_hot, 3) == 0);
    assert_false(signbit(softmax_entropy(one_hot, 3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_differences_matter),
        cmocka_unit_test(test_scores_far_apart_are_one_hot),
        cmocka_unit_test(test_infinite_scores_share),
        cmocka_unit_test(test_a_row_without_a_key_is_empty),
        cmocka_unit_test(test_masked_keys_do_not_leak),
        cmocka_unit_test(test_a_valid_nan_stays_among_the_valid),
        cmocka_unit_test(test_in_place_and_beyond_the_row),
        cmocka_unit_test(test_the_books_fill),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_backward_agrees_with_differences),
        cmocka_unit_test(test_entropy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
