#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/mem.h"
#include "engine/saturation.h"
#include "golden.h"

static const char file[] = "learned.tsv";

static struct saturation_sample complete(uint64_t seed, size_t d, size_t m)
{
    struct saturation_sample sample = saturation_sample_new(seed, d, m);
    while (saturation_sample_step(&sample))
        continue;
    return sample;
}

static void samples_are_pytorchs(void **unused)
{
    (void)unused;
    static const size_t dims[] = {1, 4, 64};
    for (int c = 0; c < 6; c++) {
        uint64_t seed = c < 3 ? 0 : 42;
        size_t d = dims[c % 3];
        struct saturation_sample sample = complete(seed, d, 8);
        double got[8];
        for (int way = 0; way < WAYS; way++) {
            struct saturation mean = saturation_mean(&sample, way);
            got[4 * way] = saturation_variance(&sample, way);
            got[4 * way + 1] = mean.max_weight;
            got[4 * way + 2] = mean.entropy;
            got[4 * way + 3] = mean.gradient;
        }
        char name[32];
        snprintf(name, sizeof name, "saturation%d_%zu_f64", (int)seed, d);
        golden_assert_tensor(file, name, got, 1e-9, 1e-9);
        saturation_sample_free(&sample);
    }
}

/* Given q the m scores of a query are normal with variance |q|^2, so the estimate of the variance d has the
 * variance Var(|q|^2) / R from the queries, and from the keys 2 E|q|^4 / (R m): relative to d^2, 2 / (d R) +
 * 2 (1 + 2 / d) / (R m). Five standard deviations are asked for. */
static void variance_is_d(void **unused)
{
    (void)unused;
    static const size_t dims[] = {1, 2, 3, 16, 100, 256};
    static const uint64_t seeds[] = {0, 1, 2, 42};
    for (int c = 0; c < 24; c++) {
        size_t d = dims[c % 6], m = 8;
        struct saturation_sample sample = complete(seeds[c / 6], d, m);
        double r = (double)sample.rows, dd = (double)d;
        double deviation = sqrt(2 / (dd * r) + 2 * (1 + 2 / dd) / (r * (double)m));
        assert_true(deviation < 0.035);
        assert_true(fabs(saturation_variance(&sample, WAY_PLAIN) / dd - 1) < 5 * deviation);
        assert_true(fabs(saturation_variance(&sample, WAY_SCALED) - 1) < 5 * deviation);
        saturation_sample_free(&sample);
    }
}

static void extremes_of_a_row(void **unused)
{
    (void)unused;
    const double one_hot[] = {0, 1, 0, 0}, uniform[] = {0.25, 0.25, 0.25, 0.25};
    struct saturation s = saturation_of(one_hot, 4);
    assert_true(s.max_weight == 1 && s.entropy == 0 && s.gradient == 0);
    s = saturation_of(uniform, 4);
    assert_true(s.max_weight == 0.25 && fabs(s.entropy - log(4)) < 1e-15);
    /* J = I/4 - 1/16: four times (3/16)^2, twelve times (1/16)^2. */
    assert_true(fabs(s.gradient - sqrt(4 * 9 + 12) / 16) < 1e-15);
}

static void a_single_key_is_certain(void **unused)
{
    (void)unused;
    struct saturation_sample sample = complete(1, 7, 1);
    struct saturation mean = saturation_mean(&sample, WAY_PLAIN);
    assert_true(mean.max_weight == 1 && mean.entropy == 0 && mean.gradient == 0);
    saturation_sample_free(&sample);
}

static void search_is_pytorchs(void **unused)
{
    (void)unused;
    static const char *const names[WAYS] = {[WAY_PLAIN] = "plain", [WAY_SCALED] = "scaled"};
    struct golden q = golden_load(file, "search8_q_f64"), k = golden_load(file, "search8_k_f64");
    for (int way = 0; way < WAYS; way++) {
        struct search search = {.n = 3, .m = 5, .d = 8, .k = k.at, .way = way};
        double gradient[3 * 8];
        char name[40];
        double loss = search_loss(&search, q.at, NULL, gradient);
        snprintf(name, sizeof name, "search8_%s_loss_f64", names[way]);
        golden_assert_tensor(file, name, &loss, 1e-12, 1e-9);
        snprintf(name, sizeof name, "search8_%s_gradient_f64", names[way]);
        golden_assert_tensor(file, name, gradient, 1e-12, 1e-9);
    }
    golden_free(&q);
    golden_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_pytorchs), cmocka_unit_test(variance_is_d),
        cmocka_unit_test(extremes_of_a_row),    cmocka_unit_test(a_single_key_is_certain),
        cmocka_unit_test(search_is_pytorchs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
