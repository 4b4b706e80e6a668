/* Many points under the kernels that are not Gaussian: running sums against sums over all pairs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/nw.h"
#include "engine/nw_windows.h"
#include "hard_points.h"

enum { N = 900 };

static const enum nw_kernel kernels[] = {NW_BOXCAR, NW_TRIANGULAR, NW_EPANECHNIKOV, NW_CONSTANT};

static double far_from_zero(double u, double g)
{
    (void)u;
    return 1.7e9 + g;
}

static double clusters(double u, double g)
{
    return u < 0.5 ? 0.01 * g : 100 + g;
}

static distribution *const shapes[] = {uniform, far_from_zero, whole_numbers, clusters, one_outlier};

struct sample {
    double x[N], y[N];
};

static struct nw_data draw(struct sample *sample, distribution *shape, uint64_t seed)
{
    draw_hard_points(shape, seed, N, sample->x, sample->y);
    return (struct nw_data){.x = sample->x, .y = sample->y, .n = N};
}

/* k(d w) and dk/dw, by the definition. */
static double kernel_at(enum nw_kernel kernel, double d, double w, double *slope)
{
    const double u = d * fabs(w);

    *slope = 0;
    if (kernel == NW_CONSTANT)
        return 1;
    if (u >= 1)
        return 0;
    if (kernel == NW_BOXCAR)
        return 1;
    *slope = kernel == NW_TRIANGULAR ? (w == 0 ? 0 : -copysign(d, w)) : -2 * w * d * d;
    return kernel == NW_TRIANGULAR ? 1 - u : (1 - u) * (1 + u);
}

/* One point's prediction and its slope by w; false if it has no key. */
static bool by_pairs(struct nw_data data, struct nw_spec spec, double w, size_t i, double *y_hat,
                     double *slope)
{
    double k = 0, ky = 0, h = 0, hy = 0;

    for (size_t j = 0; j < data.n; j++) {
        double change, kernel;

        if (spec.leave_one_out && j == i)
            continue;
        kernel = kernel_at(spec.kernel, fabs(data.x[j] - data.x[i]), w, &change);
        k += kernel;
        ky += kernel * (data.y[j] - data.y[i]);
        h += change;
        hy += change * (data.y[j] - data.y[i]);
    }
    *y_hat = data.y[i] + ky / k;
    *slope = (hy - ky / k * h) / k;
    return k > 0;
}

static void assert_close(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", got, tolerance, expected);
}

static void check(struct nw_data data, struct nw_spec spec, double w)
{
    double y_hat[N], loss = 0, gradient = 0, scale = 0;
    size_t n_empty = 0;
    const struct nw_loss_value value = nw_loss(spec, data, w, y_hat);

    for (size_t i = 0; i < data.n; i++) {
        double expected, slope;

        if (!by_pairs(data, spec, w, i, &expected, &slope)) {
            assert_true(isnan(y_hat[i]));
            n_empty++;
            continue;
        }
        assert_close(y_hat[i], expected, 1e-10);
        loss += (expected - data.y[i]) * (expected - data.y[i]);
        gradient += 2 * (expected - data.y[i]) * slope;
        scale += 2 * fabs((expected - data.y[i]) * slope);
    }
    assert_close(value.loss, loss, 1e-11 * loss);
    assert_close(value.gradient, gradient, 1e-10 * scale);
    assert_int_equal(value.n_empty, n_empty);
}

static void test_windows_agree_with_pairs(void **state)
{
    static const double w[] = {0, 1e-3, 0.3, -2, 9, 400};

    (void)state;
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        struct sample sample;
        const struct nw_data data = draw(&sample, shapes[s], s);

        for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++)
            for (size_t i = 0; i < sizeof(w) / sizeof(w[0]); i++) {
                check(data, (struct nw_spec){kernels[k], NW_LOSS_SUM, true}, w[i]);
                check(data, (struct nw_spec){kernels[k], NW_LOSS_SUM, false}, w[i]);
            }
    }
}

static size_t count_by_windows(enum nw_kernel kernel, struct nw_data data, double w)
{
    struct nw_windows windows = nw_windows_new(kernel, data, w);
    size_t n = 0;

    for (size_t i = 0; windows.running && i < data.n; i++) {
        struct nw_sums sums;

        n += nw_window_sums(&windows, i, true, &sums);
    }
    nw_windows_free(&windows);
    return n;
}

/* Else the test above would compare pairs with pairs. */
static void test_windows_are_in_use(void **state)
{
    struct sample sample;
    const struct nw_data data = draw(&sample, uniform, 1);

    (void)state;
    for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++)
        assert_int_equal(count_by_windows(kernels[k], data, 1.5), N);
    assert_int_equal(count_by_windows(NW_GAUSSIAN, data, 1.5), 0);
    assert_int_equal(count_by_windows(NW_TRIANGULAR, data, 1e300), 0);
    assert_int_equal(count_by_windows(NW_CONSTANT, data, 1e300), N);
    assert_int_equal(count_by_windows(NW_BOXCAR, (struct nw_data){data.x, data.y, 50}, 1.5), 0);
}

/* Two crowds that see each other at the very edge of the kernel: what they add to each other's sum is as
 * small as the rounding of a difference. */
static void test_the_edge_of_a_window(void **state)
{
    struct sample sample;
    const double w = 1 - 1e-13;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        sample.x[i] = i < 2 ? 0 : 1;
        sample.y[i] = (double)(i % 7);
    }
    for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++)
        check((struct nw_data){sample.x, sample.y, N}, (struct nw_spec){kernels[k], NW_LOSS_SUM, true}, w);
}

static void test_equal_values_leave_no_error(void **state)
{
    struct sample sample;
    const struct nw_data data = draw(&sample, uniform, 5);

    (void)state;
    for (size_t i = 0; i < N; i++)
        sample.y[i] = 0.1;
    for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
        const struct nw_loss_value value =
            nw_loss((struct nw_spec){kernels[k], NW_LOSS_SUM, true}, data, 2, NULL);

        assert_true(value.loss == 0 && value.gradient == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_agree_with_pairs),
        cmocka_unit_test(test_windows_are_in_use),
        cmocka_unit_test(test_the_edge_of_a_window),
        cmocka_unit_test(test_equal_values_leave_no_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
