#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/align.h"
#include "engine/mem.h"
#include "golden.h"

static const char file[] = "learned.tsv";
static const int seeds[] = {0, 42};
static const struct {
    enum score score;
    const char *name;
} kinds[] = {{SCORE_ADDITIVE, "additive"}, {SCORE_SCALED, "scaled"}};

enum { D = 4, N = 3, EPOCHS = 5 };

static void check(const double *got, int seed, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "align%d_%s_f64", seed, what);
    golden_assert_tensor(file, name, got, 1e-12, 1e-9);
}

static void draws_are_pytorchs(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct align_draw draw = align_draw_new((uint64_t)seeds[i], D);
        check(draw.source, seeds[i], "source");
        check(draw.query, seeds[i], "query");
        check(draw.theta, seeds[i], "theta");
        align_draw_free(&draw);
    }
}

static void training_is_pytorchs(void **unused)
{
    (void)unused;
    for (int c = 0; c < 4; c++) {
        int seed = seeds[c / 2], kind = c % 2;
        struct align_draw draw = align_draw_new((uint64_t)seed, D);
        struct align model = {kinds[kind].score, N, D, draw.source, draw.query};
        size_t dim = align_dim(model.score, D);
        double gradient[2 * D * D + D], loss[EPOCHS + 1], weight[N * N];
        char name[32];
        for (int epoch = 0; epoch <= EPOCHS; epoch++) {
            loss[epoch] = align_loss(&model, draw.theta, weight, NULL, gradient);
            snprintf(name, sizeof name, "%s_gradient", kinds[kind].name);
            if (epoch == 0)
                check(gradient, seed, name);
            for (size_t i = 0; i < dim; i++)
                draw.theta[i] -= gradient[i];
        }
        snprintf(name, sizeof name, "%s_loss", kinds[kind].name);
        check(loss, seed, name);
        snprintf(name, sizeof name, "%s_weight", kinds[kind].name);
        check(weight, seed, name);
        align_draw_free(&draw);
    }
}

static void gradient_is_the_slope(void **unused)
{
    (void)unused;
    static const double h = 1e-3;
    static const size_t d = 3, n = 4;
    for (int kind = 0; kind < 2; kind++) {
        struct align_draw draw = align_draw_new(9, d);
        struct align model = {kinds[kind].score, n, d, draw.source, draw.query};
        double gradient[21];
        align_loss(&model, draw.theta, NULL, NULL, gradient);
        for (size_t i = 0; i < align_dim(model.score, d); i++) {
            static const double steps[4] = {-2, -1, 1, 2};
            double at = draw.theta[i], f[4];
            for (int s = 0; s < 4; s++) {
                draw.theta[i] = at + steps[s] * h;
                f[s] = align_loss(&model, draw.theta, NULL, NULL, NULL);
            }
            draw.theta[i] = at;
            double slope = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h);
            if (!(fabs(gradient[i] - slope) <= 1e-6 * fabs(slope) + 1e-10))
                fail_msg("%s, theta %zu: %.12g, slope %.12g", kinds[kind].name, i, gradient[i], slope);
        }
        align_draw_free(&draw);
    }
}

static void context_is_the_weighted_sum(void **unused)
{
    (void)unused;
    struct align_draw draw = align_draw_new(1, D);
    struct align model = {SCORE_SCALED, N, D, draw.source, draw.query};
    double weight[N * N], context[N * D];
    double loss = align_loss(&model, draw.theta, weight, context, NULL);
    for (size_t t = 0; t < N; t++) {
        double sum = 0;
        for (size_t j = 0; j < N; j++)
            sum += weight[t * N + j];
        assert_true(fabs(sum - 1) < 1e-12);
        for (size_t i = 0; i < D; i++) {
            double c = 0;
            for (size_t j = 0; j < N; j++)
                c += weight[t * N + j] * draw.source[j * D + i];
            assert_true(fabs(c - context[t * D + i]) < 1e-12);
        }
    }
    assert_true(loss == align_error(&model, context));
    align_draw_free(&draw);
}

static void best_single_vector_is_the_mean(void **unused)
{
    (void)unused;
    /* h = 1, 2, 6 in one dimension: the mean is 3, the errors 4, 1, 9. */
    const double source[] = {1, 2, 6};
    struct align model = {SCORE_SCALED, 3, 1, source, source};
    double mean, context[3];
    assert_true(fabs(align_fixed(&model, &mean) - 14.0 / 3) < 1e-12);
    assert_true(fabs(mean - 3) < 1e-12);
    for (int side = -1; side <= 1; side += 2) {
        for (int t = 0; t < 3; t++)
            context[t] = mean + side * 0.01;
        assert_true(align_error(&model, context) > 14.0 / 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_are_pytorchs),
        cmocka_unit_test(training_is_pytorchs),
        cmocka_unit_test(gradient_is_the_slope),
        cmocka_unit_test(context_is_the_weighted_sum),
        cmocka_unit_test(best_single_vector_is_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
