/* Many points: the sums over boxes against sums over all pairs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/mem.h"
#include "engine/nw.h"
#include "engine/nw_boxes.h"
#include "hard_points.h"

enum { N = 1200 };

static const struct nw_spec book = {.kernel = NW_GAUSSIAN, .loss = NW_LOSS_SUM, .leave_one_out = true};
static const struct nw_spec with_itself = {.kernel = NW_GAUSSIAN, .loss = NW_LOSS_SUM};

static double normal(double u, double g)
{
    (void)u;
    return g;
}

static double heavy_tails(double u, double g)
{
    (void)u;
    return g * g * g * g * g;
}

static double clusters_and_stragglers(double u, double g)
{
    if (u < 0.01)
        return 2000 * u;
    return u < 0.3 ? 1.7e9 + g : 0.1 * g;
}

static distribution *const shapes[] = {uniform,       normal,     heavy_tails, clusters_and_stragglers,
                                       whole_numbers, one_outlier};

struct sample {
    double x[N], y[N];
    struct nw_data data;
};

static struct sample *draw(distribution *shape, uint64_t seed)
{
    struct sample *const sample = mem_new(1, sizeof(*sample));
    draw_hard_points(shape, seed, N, sample->x, sample->y);
    sample->data = (struct nw_data){.x = sample->x, .y = sample->y, .n = N};
    return sample;
}

/* One point's prediction and its slope by w, relative to its nearest key, pair by pair. */
static void by_pairs(struct nw_data data, double w, size_t i, bool leave_one_out, double *y_hat,
                     double *slope)
{
    double near = HUGE_VAL, k = 0, ky = 0, kd = 0, kdy = 0;

    for (size_t j = 0; j < data.n; j++)
        if (!leave_one_out || j != i)
            near = fmin(near, fabs(data.x[j] - data.x[i]));
    for (size_t j = 0; j < data.n; j++) {
        const double d = fabs(data.x[j] - data.x[i]), beyond = (d - near) * (d + near);
        const double kernel = leave_one_out && j == i ? 0 : exp(-beyond * w * w / 2);

        k += kernel;
        ky += kernel * (data.y[j] - data.y[i]);
        kd += kernel * beyond;
        kdy += kernel * beyond * (data.y[j] - data.y[i]);
    }
    *y_hat = data.y[i] + ky / k;
    *slope = -w * (kdy - ky / k * kd) / k;
}

static void assert_close(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", got, tolerance, expected);
}

static void check(struct nw_data data, struct nw_spec spec, double w)
{
    double y_hat[N], loss = 0, gradient = 0, scale = 0;
    const struct nw_loss_value value = nw_loss(spec, data, w, y_hat);

    for (size_t i = 0; i < data.n; i++) {
        double expected, slope;

        by_pairs(data, w, i, spec.leave_one_out, &expected, &slope);
        assert_close(y_hat[i], expected, 1e-8);
        loss += (expected - data.y[i]) * (expected - data.y[i]);
        gradient += 2 * (expected - data.y[i]) * slope;
        scale += 2 * fabs((expected - data.y[i]) * slope);
    }
    assert_close(value.loss, loss, 1e-10 * loss);
    assert_close(value.gradient, gradient, 1e-9 * scale + 1e-14 * loss);
    assert_int_equal(value.n_empty, 0);
}

static void test_boxes_agree_with_pairs(void **state)
{
    static const double w[] = {0, 0.02, 0.9, -3.7, 20};

    (void)state;
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        struct sample *const sample = draw(shapes[s], s);

        for (size_t i = 0; i < sizeof(w) / sizeof(w[0]); i++) {
            check(sample->data, book, w[i]);
            check(sample->data, with_itself, w[i]);
        }
        free(sample);
    }
}

/* Else the test above would compare pairs with pairs. */
static void test_boxes_are_in_use(void **state)
{
    struct sample *const sample = draw(uniform, 1);
    struct nw_boxes boxes = nw_boxes_new(sample->data, 3.7);
    size_t points = 0;

    (void)state;
    assert_true(boxes.n > 0);
    for (size_t i = 0; i < boxes.n; i++) {
        assert_false(boxes.box[i].sparse);
        assert_int_equal(boxes.box[i].first, points);
        points = boxes.box[i].end;
    }
    assert_int_equal(points, N);
    nw_boxes_free(&boxes);
    boxes = nw_boxes_new(sample->data, 1e300);
    assert_int_equal(boxes.n, 0);
    nw_boxes_free(&boxes);
    free(sample);
}

static void test_order_does_not_matter(void **state)
{
    struct sample *const sample = draw(normal, 3);
    double x[N], y[N], y_hat[N], shuffled_hat[N];
    struct nw_loss_value value, shuffled;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        x[i] = sample->x[i * 7 % N]; /* 7 and N have no common factor */
        y[i] = sample->y[i * 7 % N];
    }
    value = nw_loss(book, sample->data, 2, y_hat);
    shuffled = nw_loss(book, (struct nw_data){x, y, N}, 2, shuffled_hat);
    assert_true(value.loss == shuffled.loss && value.gradient == shuffled.gradient);
    for (size_t i = 0; i < N; i++)
        assert_true(shuffled_hat[i] == y_hat[i * 7 % N]);
    free(sample);
}

/* A curve over the data, its gaps and what lies outside: boxes and windows against full rows of weights. */
static void test_curves_agree_with_rows(void **state)
{
    enum { QUERIES = 200 };
    static const double w[] = {0.05, 1, 6, 300};
    double *const weight = mem_new(QUERIES * N, sizeof(double));

    (void)state;
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
        for (size_t i = 0; i < 4; i++)
            for (enum nw_kernel kernel = 0; kernel < NW_KERNELS; kernel++) {
                struct sample *const sample = draw(shapes[s], s);
                double query[QUERIES], curve[QUERIES], rows[QUERIES];

                for (size_t q = 0; q < QUERIES; q++)
                    query[q] = -10 + 0.1 * (double)q;
                nw_predict(kernel, sample->data, w[i], query, QUERIES, NULL, curve);
                nw_predict(kernel, sample->data, w[i], query, QUERIES, weight, rows);
                for (size_t q = 0; q < QUERIES; q++)
                    if (isnan(rows[q]))
                        assert_true(isnan(curve[q]));
                    else
                        assert_close(curve[q], rows[q], 1e-9);
                free(sample);
            }
    free(weight);
}

/* Every point taken K times: K times the loss, if points attend to themselves as well. Pairs would take
 * minutes. */
static void test_copies_multiply_the_loss(void **state)
{
    enum { K = 300 };
    static const double w[] = {0.3, 2, 11};
    struct sample *const sample = draw(normal, 5);
    double *const x = mem_new(N * K, sizeof(double)), *const y = mem_new(N * K, sizeof(double));

    (void)state;
    for (size_t i = 0; i < N * K; i++) {
        x[i] = sample->x[i / K];
        y[i] = sample->y[i / K];
    }
    for (size_t i = 0; i < 3; i++) {
        const struct nw_loss_value one = nw_loss(with_itself, sample->data, w[i], NULL);
        const struct nw_loss_value many = nw_loss(with_itself, (struct nw_data){x, y, N * K}, w[i], NULL);

        assert_close(many.loss, K * one.loss, 1e-10 * many.loss);
        assert_close(many.gradient, K * one.gradient, 1e-8 * fabs(many.gradient));
    }
    free(x);
    free(y);
    free(sample);
}

static void test_equal_values_leave_no_error(void **state)
{
    struct sample *const sample = draw(normal, 5);
    struct nw_loss_value value;

    (void)state;
    for (size_t i = 0; i < N; i++)
        sample->y[i] = 0.1;
    value = nw_loss(book, sample->data, 2, NULL);
    assert_true(value.loss == 0 && value.gradient == 0);
    free(sample);
}

static void test_equal_keys_give_the_mean(void **state)
{
    struct sample *const sample = draw(normal, 5);
    double sum = 0, y_hat[N];

    (void)state;
    for (size_t i = 0; i < N; i++) {
        sample->x[i] = 7;
        sum += sample->y[i];
    }
    nw_loss(book, sample->data, 3, y_hat);
    for (size_t i = 0; i < N; i++)
        assert_close(y_hat[i], (sum - sample->y[i]) / (N - 1), 1e-11);
    free(sample);
}

/* However small the pieces, the result is the same to the last bit, and no piece is large: what one box or
 * one sparse point costs is all that may come on top. */
static void test_a_task_is_done_in_small_pieces(void **state)
{
    enum { QUERIES = 70, PIECE = 1000, MOST = 10000 };
    static const enum nw_kernel kernels[] = {NW_GAUSSIAN, NW_TRIANGULAR};
    static const double w[] = {0.9, 20, 300};
    struct sample *const sample = draw(uniform, 6);
    double query[QUERIES], expected[QUERIES];

    (void)state;
    for (size_t q = 0; q < QUERIES; q++)
        query[q] = -1 + 0.1 * (double)q;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof(w) / sizeof(w[0]); i++) {
            const struct nw_spec spec = {kernels[k], NW_LOSS_MEAN, true};
            const struct nw_loss_value value = nw_loss(spec, sample->data, w[i], NULL);
            struct nw_task *const task = nw_task_new(spec, sample->data, w[i], query, QUERIES);
            size_t n_pieces = 0;
            long budget;

            do {
                budget = PIECE;
                n_pieces++;
            } while (nw_task_work(task, &budget) && budget > -MOST);
            assert_true(budget > -MOST);
            assert_true(n_pieces > N * 20 / PIECE);
            assert_true(nw_task_loss(task).loss == value.loss);
            assert_true(nw_task_loss(task).gradient == value.gradient);
            nw_predict(spec.kernel, sample->data, w[i], query, QUERIES, NULL, expected);
            for (size_t q = 0; q < QUERIES; q++)
                assert_true(nw_task_predictions(task)[q] == expected[q] || isnan(expected[q]));
            nw_task_free(task);
        }
    free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_agree_with_pairs),
        cmocka_unit_test(test_boxes_are_in_use),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_curves_agree_with_rows),
        cmocka_unit_test(test_copies_multiply_the_loss),
        cmocka_unit_test(test_equal_values_leave_no_error),
        cmocka_unit_test(test_equal_keys_give_the_mean),
        cmocka_unit_test(test_a_task_is_done_in_small_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
