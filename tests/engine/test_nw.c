#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/mem.h"
#include "engine/nw.h"
#include "engine/rng.h"
#include "golden.h"

static const char *const files[] = {"nw_seed0.tsv", "nw_seed1.tsv", "nw_seed2.tsv", "nw_seed42.tsv"};
static const uint64_t seeds[] = {0, 1, 2, 42};

static const struct nw_spec book = {.kernel = NW_GAUSSIAN, .loss = NW_LOSS_SUM, .leave_one_out = true};

/* Points without a pattern, in no order, with two equal keys. */
static const double some_x[] = {2.31, 0.17, 4.02, 1.44, 0.17, 3.3, 2.9, 0.83, 4.7, 1.02, 2.25};
static const double some_y[] = {3.1, 0.4, 1.7, 3.3, 0.9, 2.2, 1.1, 2.6, 1.5, 2.0, 3.9};

enum { SOME = sizeof(some_x) / sizeof(some_x[0]) };

static const struct nw_data some = {.x = some_x, .y = some_y, .n = SOME};

static void assert_near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", got, tolerance, expected);
}

struct lesson {
    struct golden x, y, w0, x_test;
    struct nw_data data;
};

static struct lesson lesson_load(const char *file)
{
    struct lesson lesson = {
        .x = golden_load(file, "x_train"),
        .y = golden_load(file, "y_train"),
        .w0 = golden_load(file, "w0"),
        .x_test = golden_load(file, "x_test"),
    };

    lesson.data = (struct nw_data){.x = lesson.x.at, .y = lesson.y.at, .n = lesson.x.n};
    return lesson;
}

static void lesson_free(struct lesson *lesson)
{
    golden_free(&lesson->x);
    golden_free(&lesson->y);
    golden_free(&lesson->w0);
    golden_free(&lesson->x_test);
}

/* Gradient descent from w0: rows of w, loss, gradient against PyTorch's float64. Returns the last w. */
static double check_training(const char *file, const struct lesson *lesson, const char *name, double lr)
{
    struct golden expected = golden_load(file, name);
    double *rows = mem_new(expected.n, sizeof(double)), w = lesson->w0.at[0];

    assert_int_equal(expected.shape[1], 3);
    for (size_t epoch = 0; epoch < expected.shape[0]; epoch++) {
        const struct nw_loss_value value = nw_loss(book, lesson->data, w, NULL);

        rows[3 * epoch] = w;
        rows[3 * epoch + 1] = value.loss;
        rows[3 * epoch + 2] = value.gradient;
        w -= lr * value.gradient;
    }
    golden_assert_close(rows, expected.n, &expected, 1e-12, 1e-9);
    golden_free(&expected);
    free(rows);
    return w;
}

static void test_training_is_pytorchs(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct lesson lesson = lesson_load(files[i]);
        struct golden w_final = golden_load(files[i], "train_w_final_f64");
        struct golden y_hat = golden_load(files[i], "param_y_hat_f64");
        const double w = check_training(files[i], &lesson, "train_w_loss_grad_f64", 0.5);
        double got[50];

        golden_assert_close(&w, 1, &w_final, 0, 1e-9);
        nw_predict(NW_GAUSSIAN, lesson.data, w, lesson.x_test.at, 50, NULL, got);
        golden_assert_close(got, 50, &y_hat, 0, 1e-9);
        check_training(files[i], &lesson, "train200_lr0.02_w_loss_grad_f64", 0.02);
        lesson_free(&lesson);
        golden_free(&w_final);
        golden_free(&y_hat);
    }
}

static void test_landscape_is_pytorchs(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct lesson lesson = lesson_load(files[i]);
        struct golden expected = golden_load(files[i], "landscape_w_loss_grad_f64");
        double got[33];

        for (size_t row = 0; row < 11; row++) {
            const struct nw_loss_value value = nw_loss(book, lesson.data, expected.at[3 * row], NULL);

            got[3 * row] = expected.at[3 * row];
            got[3 * row + 1] = value.loss;
            got[3 * row + 2] = value.gradient;
        }
        golden_assert_close(got, 33, &expected, 1e-12, 1e-9);
        lesson_free(&lesson);
        golden_free(&expected);
    }
}

static void test_fixed_kernel_is_pytorchs(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct lesson lesson = lesson_load(files[i]);
        struct golden weights = golden_load(files[i], "nonparam_weights");
        struct golden y_hat = golden_load(files[i], "nonparam_y_hat");
        struct golden average = golden_load(files[i], "average_y_hat");
        double weight[2500], got[50];

        nw_predict(NW_GAUSSIAN, lesson.data, 1, lesson.x_test.at, 50, weight, got);
        golden_assert_close(weight, 2500, &weights, 1e-6, 1e-5);
        golden_assert_close(got, 50, &y_hat, 1e-6, 1e-5);
        nw_predict(NW_CONSTANT, lesson.data, 1, lesson.x_test.at, 1, NULL, got);
        golden_assert_close(got, 1, &average, 1e-6, 1e-5);
        lesson_free(&lesson);
        golden_free(&weights);
        golden_free(&y_hat);
        golden_free(&average);
    }
}

/* The edition that halves the loss takes half the step: w after one epoch is known from it. */
static void test_half_the_loss_is_half_the_step(void **state)
{
    struct lesson lesson = lesson_load(files[0]);
    const struct nw_spec half = {.kernel = NW_GAUSSIAN, .loss = NW_LOSS_HALF, .leave_one_out = true};
    const struct nw_spec mean = {.kernel = NW_GAUSSIAN, .loss = NW_LOSS_MEAN, .leave_one_out = true};
    const double w = lesson.w0.at[0];
    const struct nw_loss_value sum = nw_loss(book, lesson.data, w, NULL);

    (void)state;
    assert_near(w - 0.5 * nw_loss(half, lesson.data, w, NULL).gradient, 5.078491, 1e-6); /* float32's value */
    assert_near(nw_loss(half, lesson.data, w, NULL).loss, sum.loss / 2, 1e-13);
    assert_near(nw_loss(mean, lesson.data, w, NULL).loss, sum.loss / 50, 1e-13);
    assert_near(nw_loss(mean, lesson.data, w, NULL).gradient, sum.gradient / 50, 1e-13);
    lesson_free(&lesson);
}

static int compare_floats(const void *a, const void *b)
{
    const float p = *(const float *)a, q = *(const float *)b;

    return p < q ? -1 : p > q;
}

/* From the seed on: x and w0 to the last bit; sin and pow of PyTorch's vector library leave y an ulp or two.
 */
static void test_the_lessons_data_from_the_seed(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct lesson lesson = lesson_load(files[i]);
        struct golden truth = golden_load(files[i], "y_truth");
        float x[50], noise[50], w;
        double y[50], y_truth[50];
        struct rng rng;

        rng_seed(&rng, seeds[i], RNG_PATH_AVX2);
        rng_rand(&rng, x, 50);
        for (size_t k = 0; k < 50; k++)
            x[k] *= 5;
        qsort(x, 50, sizeof(x[0]), compare_floats);
        rng_normal(&rng, 0, 0.5, noise, 50);
        rng_rand(&rng, &w, 1);
        golden_assert_same_floats(x, 50, &lesson.x);
        golden_assert_same_floats(&w, 1, &lesson.w0);
        for (size_t k = 0; k < 50; k++) {
            y[k] = (double)(nw_target(NW_TARGET_POWER, x[k]) + noise[k]);
            y_truth[k] = (double)nw_target(NW_TARGET_POWER, (float)lesson.x_test.at[k]);
        }
        golden_assert_close(y, 50, &lesson.y, 1e-6, 0);
        golden_assert_close(y_truth, 50, &truth, 1e-6, 0);
        lesson_free(&lesson);
        golden_free(&truth);
    }
    assert_near((double)nw_target(NW_TARGET_LINEAR, 1.5f), 2 * sin(1.5) + 1.5, 5e-7);
}

static double kernel_of(enum nw_kernel kernel, double u)
{
    switch (kernel) {
    case NW_GAUSSIAN:
        return exp(-u * u / 2);
    case NW_BOXCAR:
        return fabs(u) < 1;
    case NW_TRIANGULAR:
        return fmax(0, 1 - fabs(u));
    case NW_EPANECHNIKOV:
        return fmax(0, 1 - u * u);
    default:
        return 1;
    }
}

/* The definition, written down as it stands in the header; NaN without a key in reach. */
static double plain_prediction(enum nw_kernel kernel, struct nw_data data, double w, double query,
                               size_t left_out)
{
    double k = 0, ky = 0;

    for (size_t i = 0; i < data.n; i++)
        if (i != left_out) {
            k += kernel_of(kernel, (query - data.x[i]) * w);
            ky += kernel_of(kernel, (query - data.x[i]) * w) * data.y[i];
        }
    return ky / k;
}

static void check_against_definition(struct nw_spec spec, struct nw_data data, double w)
{
    double *y_hat = mem_new(data.n, sizeof(double)), loss = 0;
    size_t empty = 0;
    const struct nw_loss_value value = nw_loss(spec, data, w, y_hat);

    for (size_t i = 0; i < data.n; i++) {
        const double expected =
            plain_prediction(spec.kernel, data, w, data.x[i], spec.leave_one_out ? i : NW_NO_KEY);

        if (isnan(expected)) {
            assert_true(isnan(y_hat[i]));
            empty++;
            continue;
        }
        assert_near(y_hat[i], expected, 1e-12);
        loss += (expected - data.y[i]) * (expected - data.y[i]);
    }
    assert_near(value.loss, loss, 1e-11 * (1 + loss));
    assert_int_equal(value.n_empty, empty);
    free(y_hat);
}

static void test_every_kernel_is_its_definition(void **state)
{
    static const double w[] = {0, 0.01, 0.4, 1, 1.7, 3.5, -2.2};

    (void)state;
    for (enum nw_kernel kernel = 0; kernel < NW_KERNELS; kernel++)
        for (size_t i = 0; i < sizeof(w) / sizeof(w[0]); i++)
            for (int loo = 0; loo < 2; loo++)
                check_against_definition((struct nw_spec){kernel, NW_LOSS_SUM, loo}, some, w[i]);
}

/* Enough points for many blocks, narrow enough kernels for windows that are short. */
static void test_windows_leave_nothing_out(void **state)
{
    enum { N = 1500 };
    static const double w[] = {0.5, 8, 60, 400};
    double *x = mem_new(N, sizeof(double)), *y = mem_new(N, sizeof(double));
    float draw[2 * N];
    struct rng rng;

    (void)state;
    rng_seed(&rng, 7, RNG_PATH_AVX2);
    rng_rand(&rng, draw, 2 * N);
    for (size_t i = 0; i < N; i++) {
        x[i] = 5 * (double)draw[i];
        y[i] = (double)draw[N + i];
    }
    for (enum nw_kernel kernel = 0; kernel < NW_KERNELS; kernel++)
        for (size_t i = 0; i < sizeof(w) / sizeof(w[0]); i++)
            check_against_definition((struct nw_spec){kernel, NW_LOSS_SUM, true}, (struct nw_data){x, y, N},
                                     w[i]);
    free(x);
    free(y);
}

static void check_gradient(struct nw_spec spec, double w)
{
    const double h = 1e-6;
    const double above = nw_loss(spec, some, w + h, NULL).loss, below = nw_loss(spec, some, w - h, NULL).loss;
    const double expected = (above - below) / (2 * h);

    assert_near(nw_loss(spec, some, w, NULL).gradient, expected, 1e-7 * (1 + fabs(expected)));
}

/* The w are such that no key lies on the rim of a compact kernel within the difference's step. */
static void test_gradients_agree_with_differences(void **state)
{
    static const double w[] = {0.31, 0.9, 2.13, -1.37, 5.3};

    (void)state;
    for (enum nw_kernel kernel = 0; kernel < NW_KERNELS; kernel++)
        for (enum nw_loss loss = NW_LOSS_SUM; loss <= NW_LOSS_MEAN; loss++)
            for (size_t i = 0; i < sizeof(w) / sizeof(w[0]); i++)
                for (int loo = 0; loo < 2; loo++)
                    check_gradient((struct nw_spec){kernel, loss, loo}, w[i]);
}

static void test_the_sign_of_w_turns_the_gradient_only(void **state)
{
    (void)state;
    for (enum nw_kernel kernel = 0; kernel < NW_KERNELS; kernel++) {
        const struct nw_spec spec = {kernel, NW_LOSS_SUM, true};
        const struct nw_loss_value right = nw_loss(spec, some, 1.3, NULL),
                                   left = nw_loss(spec, some, -1.3, NULL);

        assert_true(right.loss == left.loss);
        assert_true(right.gradient == -left.gradient);
    }
}

static double mean_of(const double *v, size_t n, size_t left_out)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += i == left_out ? 0 : v[i];
    return sum / (double)(left_out < n ? n - 1 : n);
}

static void test_no_width_at_all_is_the_mean(void **state)
{
    static const double w[] = {0, -0.0, 1e-300, -1e-300};

    (void)state;
    for (enum nw_kernel kernel = 0; kernel < NW_KERNELS; kernel++)
        for (size_t i = 0; i < 4; i++) {
            double y_hat[SOME];
            const struct nw_spec spec = {kernel, NW_LOSS_SUM, true};
            const struct nw_loss_value value = nw_loss(spec, some, w[i], y_hat);

            for (size_t k = 0; k < SOME; k++)
                assert_near(y_hat[k], mean_of(some_y, SOME, k), 1e-14);
            if (w[i] == 0)
                assert_true(value.gradient == 0);
            else if (kernel != NW_TRIANGULAR) /* whose peak is sharp: its slope at w = 0 is not 0 */
                assert_true(fabs(value.gradient) < 1e-290);
            assert_int_equal(value.n_empty, 0);
        }
}

/* w -> infinity: the nearest neighbour, ties averaged. */
static void test_infinite_sharpness_is_the_nearest_neighbour(void **state)
{
    static const double x[] = {0, 1, 2, 10, 10, 10.5}, y[] = {1, 5, 4, 7, 8, -3};
    static const double expected[] = {5, (1 + 4) / 2.0, 5, 8, 7, (7 + 8) / 2.0};
    static const double w[] = {1e5, 1e150, 1e300, -1e300};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        double y_hat[6];
        const struct nw_loss_value value = nw_loss(book, (struct nw_data){x, y, 6}, w[i], y_hat);

        for (size_t k = 0; k < 6; k++)
            assert_true(y_hat[k] == expected[k]);
        assert_true(value.gradient == 0);
        assert_true(value.loss == 16 + 2.5 * 2.5 + 1 + 1 + 1 + 10.5 * 10.5);
        assert_int_equal(value.n_one_hot, 4);
        assert_int_equal(value.n_empty, 0);
    }
}

static void test_queries_far_from_all_data(void **state)
{
    static const double x[] = {0, 1, 2, 3, 4}, y[] = {0, 1, 4, 9, 16}, queries[] = {2, 50, -50, 1000, 1e200};
    const double e1 = exp(-0.5), e2 = exp(-2);
    double y_hat[5], weight[25];

    (void)state;
    nw_predict(NW_GAUSSIAN, (struct nw_data){x, y, 5}, 1, queries, 5, weight, y_hat);
    assert_near(y_hat[0], (4 + e1 * (1 + 9) + e2 * (0 + 16)) / (1 + 2 * e1 + 2 * e2), 1e-15);
    assert_near(y_hat[0], 4.9243, 5e-5);
    assert_near(y_hat[1], 16, 1e-14);
    assert_near(y_hat[2], 0, 1e-14);
    assert_near(y_hat[3], 16, 1e-14);
    assert_true(y_hat[4] == 16);
    for (size_t q = 0; q < 5; q++)
        assert_near(mean_of(weight + 5 * q, 5, NW_NO_KEY), 0.2, 1e-15);
}

/* From where distances round to the same number (beyond 1e16 here) the nearest key still gets everything, in
 * every way to ask, and the row shows nothing that is no number. */
static void test_queries_beyond_what_distances_tell(void **state)
{
    static const double x[] = {2, 0, 4, 1, 3}, y[] = {4, 0, 16, 1, 9},
                        far[] = {1e15, 1e16, 1e17, 1e200, 1e300};
    const struct nw_data data = {x, y, 5};

    (void)state;
    for (size_t i = 0; i < 10; i++) {
        const double query = i < 5 ? far[i] : -far[i - 5], nearest = i < 5 ? 16 : 0;
        double score[5], expo[5], weight[5], y_hat;
        struct nw_row row = {.score = score, .expo = expo, .weight = weight};

        nw_attend(NW_GAUSSIAN, data, 1, query, NW_NO_KEY, &row);
        assert_true(row.y_hat == nearest && row.n_eff == 1);
        for (size_t k = 0; k < 5; k++) {
            assert_true(weight[k] == (y[k] == nearest) && expo[k] == weight[k]);
            assert_true(isfinite(score[k]));
        }
        nw_attend(NW_GAUSSIAN, data, 1, query, i < 5 ? 2 : 1, &row);
        assert_true(row.y_hat == (i < 5 ? 9 : 1));
        nw_predict(NW_GAUSSIAN, data, 1, &query, 1, NULL, &y_hat);
        assert_true(y_hat == nearest);
        nw_predict(NW_GAUSSIAN, data, 1, &query, 1, weight, &y_hat);
        assert_true(y_hat == nearest);
    }
}

/* w is so small that the far query still tells the keys apart by e^-1: (q - x)^2 w^2 / 2 grows from the
 * nearest key x_n to x by (x_n - x) q w^2, what is left over being (x_n^2 - x^2) w^2 / 2. */
static void test_far_queries_weigh_by_what_the_formula_says(void **state)
{
    static const double x[] = {0, 1, 2}, y[] = {5, 7, -1};
    const double query = 1e18, w = 1e-9, e1 = exp(-1), e2 = exp(-2);
    double weight[3], y_hat;

    (void)state;
    nw_predict(NW_GAUSSIAN, (struct nw_data){x, y, 3}, w, &query, 1, weight, &y_hat);
    assert_near(weight[2], 1 / (1 + e1 + e2), 1e-15);
    assert_near(weight[1], e1 / (1 + e1 + e2), 1e-15);
    assert_near(y_hat, (-1 + 7 * e1 + 5 * e2) / (1 + e1 + e2), 1e-14);
}

/* The slope of the loss where one point is so far from the others that its distances to them are equal
 * numbers, against central differences. */
static void test_gradient_of_a_point_far_from_all_others(void **state)
{
    static const double x[] = {0, 1, 2, 1e18}, y[] = {5, 7, -1, 3};
    const struct nw_data data = {x, y, 4};
    const double w = 1e-9, step = 1e-14;
    const double above = nw_loss(book, data, w + step, NULL).loss,
                 below = nw_loss(book, data, w - step, NULL).loss;

    (void)state;
    assert_true(fabs(above - below) > 1e-5);
    assert_near(nw_loss(book, data, w, NULL).gradient / ((above - below) / (2 * step)), 1, 1e-7);
}

static void test_two_points_know_only_each_other(void **state)
{
    static const double x[] = {1, 4}, y[] = {2, -3}, w[] = {0, 0.3, 100, 1e300};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        double y_hat[2];
        const struct nw_loss_value value = nw_loss(book, (struct nw_data){x, y, 2}, w[i], y_hat);

        assert_true(y_hat[0] == -3 && y_hat[1] == 2);
        assert_true(value.loss == 50 && value.gradient == 0);
        assert_int_equal(value.n_one_hot, 2);
    }
}

static void test_one_point_has_nobody_to_ask(void **state)
{
    static const double x[] = {1}, y[] = {2};
    double y_hat[1];
    struct nw_loss_value value = nw_loss(book, (struct nw_data){x, y, 1}, 1, y_hat);

    (void)state;
    assert_true(isnan(y_hat[0]));
    assert_true(value.loss == 0 && value.gradient == 0);
    assert_int_equal(value.n_empty, 1);
    value = nw_loss((struct nw_spec){.kernel = NW_GAUSSIAN}, (struct nw_data){x, y, 1}, 1, y_hat);
    assert_true(y_hat[0] == 2 && value.loss == 0);
    value = nw_loss((struct nw_spec){NW_GAUSSIAN, NW_LOSS_MEAN, true}, (struct nw_data){x, y, 0}, 1, y_hat);
    assert_true(value.loss == 0 && value.gradient == 0);
}

static void test_equal_values_leave_no_error(void **state)
{
    double y[SOME];

    (void)state;
    for (size_t i = 0; i < SOME; i++)
        y[i] = 0.1;
    for (enum nw_kernel kernel = 0; kernel < NW_KERNELS; kernel++) {
        const struct nw_spec spec = {kernel, NW_LOSS_SUM, true};
        const struct nw_loss_value value = nw_loss(spec, (struct nw_data){some_x, y, SOME}, 0.7, NULL);

        assert_true(value.loss == 0 && value.gradient == 0);
    }
}

static void test_equal_keys_share(void **state)
{
    static const double x[] = {3, 3, 3, 3}, y[] = {1, 2, 3, 6};
    double y_hat[4];

    (void)state;
    nw_loss(book, (struct nw_data){x, y, 4}, 1e300, y_hat);
    for (size_t i = 0; i < 4; i++)
        assert_near(y_hat[i], mean_of(y, 4, i), 1e-15);
}

/* Values far from 0 (years, timestamps) must cost no accuracy: the residuals do not depend on the offset. */
static void test_offsets_cancel(void **state)
{
    double x[SOME], y[SOME];
    const double offset = 1099511627776.0; /* 2^40: adding it rounds x and y to multiples of 2^-12 */

    (void)state;
    for (size_t i = 0; i < SOME; i++) {
        x[i] = floor(some_x[i] * 4096) / 4096;
        y[i] = floor(some_y[i] * 4096) / 4096;
    }
    for (enum nw_kernel kernel = 0; kernel < NW_KERNELS; kernel++) {
        const struct nw_spec spec = {kernel, NW_LOSS_SUM, true};
        const struct nw_loss_value here = nw_loss(spec, (struct nw_data){x, y, SOME}, 1.3, NULL);
        double x_far[SOME], y_far[SOME];
        struct nw_loss_value far;

        for (size_t i = 0; i < SOME; i++) {
            x_far[i] = x[i] + offset;
            y_far[i] = y[i] + offset;
        }
        far = nw_loss(spec, (struct nw_data){x_far, y_far, SOME}, 1.3, NULL);
        assert_true(far.loss == here.loss && far.gradient == here.gradient);
    }
}

/* Keys 0.9 apart: a compact kernel of width 1/2 reaches none of them. */
static void test_points_out_of_reach_are_left_out(void **state)
{
    static const double x[] = {0, 0.9, 1.8, 2.7, 2.75}, y[] = {1, 2, 3, 4, 6};
    static const enum nw_kernel compact[] = {NW_BOXCAR, NW_TRIANGULAR, NW_EPANECHNIKOV};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const struct nw_data data = {x, y, 5};
        const double query = 1.35;
        double y_hat[5], weight[5], at_query;
        struct nw_loss_value value = nw_loss((struct nw_spec){compact[i], NW_LOSS_SUM, true}, data, 2, y_hat);

        assert_int_equal(value.n_empty, 3);
        assert_true(isnan(y_hat[0]) && isnan(y_hat[1]) && isnan(y_hat[2]));
        assert_near(y_hat[3], 6, 1e-14);
        assert_near(y_hat[4], 4, 1e-14);
        assert_near(value.loss, 8, 1e-13);
        value = nw_loss((struct nw_spec){compact[i], NW_LOSS_MEAN, true}, data, 2, NULL);
        assert_near(value.loss, 4, 1e-13);
        nw_predict(compact[i], data, 3, &query, 1, weight, &at_query);
        assert_true(isnan(at_query));
        for (size_t k = 0; k < 5; k++)
            assert_true(weight[k] == 0);
    }
}

static void test_the_rim_is_outside(void **state)
{
    static const double x[] = {0, 1}, y[] = {1, 2};
    static const enum nw_kernel compact[] = {NW_BOXCAR, NW_TRIANGULAR, NW_EPANECHNIKOV};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const struct nw_spec spec = {compact[i], NW_LOSS_SUM, true};

        assert_int_equal(nw_loss(spec, (struct nw_data){x, y, 2}, 1, NULL).n_empty, 2);
        assert_int_equal(nw_loss(spec, (struct nw_data){x, y, 2}, 1 - 1e-12, NULL).n_empty, 0);
    }
}

static void test_attend_shows_the_whole_sum(void **state)
{
    static const double x[] = {51, 56, 58}, y[] = {40, 43, 48};
    double score[3], expo[3], weight[3];
    struct nw_row row = {.score = score, .expo = expo, .weight = weight};
    struct golden weights = golden_load("pieces.tsv", "qkv_weights");
    struct golden output = golden_load("pieces.tsv", "qkv_output");

    (void)state;
    nw_attend(NW_GAUSSIAN, (struct nw_data){x, y, 3}, 1, 57, NW_NO_KEY, &row);
    assert_true(score[0] == -18 && score[1] == -0.5 && score[2] == -0.5);
    assert_near(expo[0], exp(-17.5), 1e-22);
    assert_true(expo[1] == 1 && expo[2] == 1);
    golden_assert_close(weight, 3, &weights, 1e-6, 1e-5);
    golden_assert_close(&row.y_hat, 1, &output, 1e-6, 1e-5);
    assert_near(row.n_eff, 2, 1e-6);
    assert_false(row.empty);
    golden_free(&weights);
    golden_free(&output);
}

static void test_attend_leaves_one_out(void **state)
{
    static const double x[] = {0, 1, 2}, y[] = {10, 20, 40};
    double score[3], expo[3], weight[3];
    struct nw_row row = {.score = score, .expo = expo, .weight = weight};

    (void)state;
    nw_attend(NW_TRIANGULAR, (struct nw_data){x, y, 3}, 0.4, 1, 1, &row);
    assert_true(score[0] == 0.4 && score[1] == 0 && score[2] == 0.4);
    assert_true(expo[0] == 0.6 && expo[1] == 0 && expo[2] == 0.6);
    assert_true(weight[0] == 0.5 && weight[1] == 0 && weight[2] == 0.5);
    assert_near(row.y_hat, 25, 1e-14);
    assert_true(row.n_eff == 2);
    nw_attend(NW_BOXCAR, (struct nw_data){x, y, 3}, 1, 1, 1, &row);
    assert_true(row.empty);
    for (size_t i = 0; i < 3; i++)
        assert_true(expo[i] == 0 && weight[i] == 0);
    nw_attend(NW_BOXCAR, (struct nw_data){x, y, 3}, 0, 1, NW_NO_KEY, &row);
    assert_true(row.n_eff == 3);
}

static void test_attend_and_predict_are_one(void **state)
{
    double score[SOME], expo[SOME], weight[SOME], row_weight[SOME], y_hat;
    struct nw_row row = {.score = score, .expo = expo, .weight = weight};

    (void)state;
    for (enum nw_kernel kernel = 0; kernel < NW_KERNELS; kernel++)
        for (double query = -1; query < 6; query += 0.37) {
            nw_attend(kernel, some, 1.9, query, NW_NO_KEY, &row);
            nw_predict(kernel, some, 1.9, &query, 1, row_weight, &y_hat);
            assert_true(row.empty ? isnan(y_hat) : y_hat == row.y_hat);
            assert_memory_equal(weight, row_weight, sizeof(weight));
        }
}

/* The best w of the book's data is about 3 to 4; at it the slope changes its sign. */
static void test_best_w(void **state)
{
    struct lesson lesson = lesson_load(files[0]);
    const double w = nw_best_w(book, lesson.data, 0.01, 1000);

    (void)state;
    assert_true(w > 2.5 && w < 4.5);
    assert_true(nw_loss(book, lesson.data, w * (1 - 1e-5), NULL).gradient < 0);
    assert_true(nw_loss(book, lesson.data, w * (1 + 1e-5), NULL).gradient > 0);
    for (double other = 0.01; other < 1000; other *= 1.01)
        assert_true(nw_loss(book, lesson.data, w, NULL).loss <= nw_loss(book, lesson.data, other, NULL).loss);
    lesson_free(&lesson);
}

/* Too narrow a compact kernel reaches no one and so makes no error: that is not the best one. */
static void test_best_w_of_a_compact_kernel_reaches_everyone(void **state)
{
    static const enum nw_kernel compact[] = {NW_BOXCAR, NW_TRIANGULAR, NW_EPANECHNIKOV};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const struct nw_spec spec = {compact[i], NW_LOSS_SUM, true};
        const double w = nw_best_w(spec, some, 0.01, 1000);
        const struct nw_loss_value least = nw_loss(spec, some, w, NULL);

        assert_int_equal(least.n_empty, 0);
        for (double other = 0.01; other < 1000; other *= 1.1) {
            const struct nw_loss_value value = nw_loss(spec, some, other, NULL);

            assert_true(value.n_empty > 0 || least.loss <= value.loss + 1e-12);
        }
    }
}

static void test_best_w_at_the_end_of_the_range(void **state)
{
    const double w = nw_best_w(book, some, 1e-6, 1e-5);

    (void)state;
    assert_true(w >= 1e-6 * (1 - 1e-12) && w <= 1e-5 * (1 + 1e-12));
}

/* A glance sees what a whole row shows, also of twins, from outside and where nothing is in reach. */
static void test_glances_agree_with_rows(void **state)
{
    static const double x[] = {-2, -1, -1, 0, 0.5, 0.5, 0.5, 3}, y[] = {1, -2, 3, 5, 8, -1, 0, 2};
    static const double queries[] = {-1e300, -5, -1, -0.5, 0.2, 0.5, 1.75, 3, 40};
    const struct nw_data data = {x, y, 8};

    (void)state;
    for (enum nw_kernel kernel = 0; kernel < NW_KERNELS; kernel++)
        for (size_t q = 0; q < sizeof(queries) / sizeof(queries[0]); q++)
            for (size_t left_out = 0; left_out <= 8; left_out++) {
                const size_t out = left_out < 8 ? left_out : NW_NO_KEY;
                double score[8], expo[8], weight[8];
                struct nw_row row = {.score = score, .expo = expo, .weight = weight};
                const struct nw_glance glance = nw_glance(kernel, data, 1.3, queries[q], out);

                nw_attend(kernel, data, 1.3, queries[q], out, &row);
                assert_int_equal(glance.empty, row.empty);
                assert_true(row.empty || glance.y_hat == row.y_hat);
                assert_true(glance.n_eff == row.n_eff);
                for (size_t i = 0; i < 8; i++) {
                    const struct nw_key key = nw_glance_key(&glance, data, i);

                    assert_true(key.score == score[i] && key.expo == expo[i] && key.weight == weight[i]);
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_training_is_pytorchs),
        cmocka_unit_test(test_landscape_is_pytorchs),
        cmocka_unit_test(test_fixed_kernel_is_pytorchs),
        cmocka_unit_test(test_half_the_loss_is_half_the_step),
        cmocka_unit_test(test_the_lessons_data_from_the_seed),
        cmocka_unit_test(test_every_kernel_is_its_definition),
        cmocka_unit_test(test_windows_leave_nothing_out),
        cmocka_unit_test(test_gradients_agree_with_differences),
        cmocka_unit_test(test_the_sign_of_w_turns_the_gradient_only),
        cmocka_unit_test(test_no_width_at_all_is_the_mean),
        cmocka_unit_test(test_infinite_sharpness_is_the_nearest_neighbour),
        cmocka_unit_test(test_queries_far_from_all_data),
        cmocka_unit_test(test_queries_beyond_what_distances_tell),
        cmocka_unit_test(test_far_queries_weigh_by_what_the_formula_says),
        cmocka_unit_test(test_gradient_of_a_point_far_from_all_others),
        cmocka_unit_test(test_two_points_know_only_each_other),
        cmocka_unit_test(test_one_point_has_nobody_to_ask),
        cmocka_unit_test(test_equal_values_leave_no_error),
        cmocka_unit_test(test_equal_keys_share),
        cmocka_unit_test(test_offsets_cancel),
        cmocka_unit_test(test_points_out_of_reach_are_left_out),
        cmocka_unit_test(test_the_rim_is_outside),
        cmocka_unit_test(test_attend_shows_the_whole_sum),
        cmocka_unit_test(test_attend_leaves_one_out),
        cmocka_unit_test(test_attend_and_predict_are_one),
        cmocka_unit_test(test_best_w),
        cmocka_unit_test(test_best_w_of_a_compact_kernel_reaches_everyone),
        cmocka_unit_test(test_best_w_at_the_end_of_the_range),
        cmocka_unit_test(test_glances_agree_with_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
