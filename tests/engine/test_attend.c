#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/attend.h"
#include "engine/mem.h"
#include "engine/rng.h"
#include "golden.h"

static const char file[] = "learned.tsv";
static const char *const kinds[] = {
    [SCORE_ADDITIVE] = "additive", [SCORE_DOT] = "dot", [SCORE_SCALED] = "scaled"};

enum { N_Q = 3, N_K = 4, D = 5, D_V = 2 };
static const size_t lens[N_Q] = {2, 4, 1};

static void check(const double *got, const char *kind, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "layer_%s_%s_f64", kind, what);
    golden_assert_tensor(file, name, got, 1e-12, 1e-9);
}

static void masked_layer_is_pytorchs(void **unused)
{
    (void)unused;
    struct golden q = golden_load(file, "layer_q_f64"), k = golden_load(file, "layer_k_f64"),
                  v = golden_load(file, "layer_v_f64"), w_v = golden_load(file, "layer_w_v_f64"),
                  g = golden_load(file, "layer_g_f64");
    for (int score = SCORE_ADDITIVE; score <= SCORE_SCALED; score++) {
        struct attend a = {(enum score)score, N_Q, N_K, D, D_V, q.at, k.at, v.at, w_v.at, lens};
        double features[N_Q * N_K * D], weight[N_Q * N_K], context[N_Q * D_V];
        double by_q[N_Q * D], by_k[N_K * D], by_v[N_K * D_V], by_w_v[D];
        struct attend_gradient gradient = {by_q, by_k, by_v, by_w_v};
        double *used = score == SCORE_ADDITIVE ? features : NULL;
        attend_forward(&a, used, weight, context);
        attend_backward(&a, used, weight, g.at, gradient);
        check(weight, kinds[score], "weight");
        check(context, kinds[score], "context");
        check(by_q, kinds[score], "grad_q");
        check(by_k, kinds[score], "grad_k");
        check(by_v, kinds[score], "grad_v");
        if (score == SCORE_ADDITIVE)
            check(by_w_v, kinds[score], "grad_w_v");
    }
    golden_free(&q);
    golden_free(&k);
    golden_free(&v);
    golden_free(&w_v);
    golden_free(&g);
}

/* All inputs of a layer in one array, so that each can be moved in turn. */
enum { AT_Q = 0, AT_K = AT_Q + N_Q * D, AT_V = AT_K + N_K * D, AT_W = AT_V + N_K * D_V, N_IN = AT_W + D };

static void draw_inputs(double *x)
{
    float drawn[N_IN];
    struct rng rng;
    rng_seed(&rng, 5, RNG_PATH_AVX2);
    rng_normal(&rng, 0, 1, drawn, N_IN);
    for (size_t i = 0; i < N_IN; i++)
        x[i] = (double)drawn[i];
}

static struct attend layer_at(int score, const double *x, const size_t *valid_len)
{
    return (struct attend){(enum score)score, N_Q,      N_K,      D,        D_V,
                           x + AT_Q,          x + AT_K, x + AT_V, x + AT_W, valid_len};
}

/* A loss that no symmetry can hide in: the sum of the contexts' sines. */
static double loss_at(int score, const double *x, const size_t *valid_len)
{
    struct attend a = layer_at(score, x, valid_len);
    double features[N_Q * N_K * D], weight[N_Q * N_K], context[N_Q * D_V], loss = 0;
    attend_forward(&a, score == SCORE_ADDITIVE ? features : NULL, weight, context);
    for (size_t i = 0; i < N_Q * D_V; i++)
        loss += sin(context[i] + (double)i);
    return loss;
}

static void gradient_at(int score, const double *x, const size_t *valid_len, double *gradient)
{
    struct attend a = layer_at(score, x, valid_len);
    double features[N_Q * N_K * D], weight[N_Q * N_K], context[N_Q * D_V], by_c[N_Q * D_V];
    double *used = score == SCORE_ADDITIVE ? features : NULL;
    attend_forward(&a, used, weight, context);
    for (size_t i = 0; i < N_Q * D_V; i++)
        by_c[i] = cos(context[i] + (double)i);
    struct attend_gradient wanted = {gradient + AT_Q, gradient + AT_K, gradient + AT_V, gradient + AT_W};
    attend_backward(&a, used, weight, by_c, wanted);
}

/* Fourth-order central differences: with h = 1e-3 their error is about h^4 / 30 times the fifth derivative
 * plus 1e-16 / h, far below what is asked for. */
static double numeric(int score, double *x, const size_t *valid_len, size_t i)
{
    static const double h = 1e-3;
    double at = x[i], f[4];
    static const double steps[4] = {-2, -1, 1, 2};
    for (int s = 0; s < 4; s++) {
        x[i] = at + steps[s] * h;
        f[s] = loss_at(score, x, valid_len);
    }
    x[i] = at;
    return (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h);
}

static void gradient_is_the_slope(void **unused)
{
    (void)unused;
    for (int score = SCORE_ADDITIVE; score <= SCORE_SCALED; score++) {
        double x[N_IN], gradient[N_IN];
        draw_inputs(x);
        gradient_at(score, x, lens, gradient);
        for (size_t i = 0; i < N_IN; i++) {
            double slope = numeric(score, x, lens, i);
            if (!(fabs(gradient[i] - slope) <= 1e-6 * fabs(slope) + 1e-10))
                fail_msg("%s, input %zu: %.12g, slope %.12g", kinds[score], i, gradient[i], slope);
        }
    }
}

static void masked_keys_get_nothing(void **unused)
{
    (void)unused;
    static const size_t three[N_Q] = {2, 3, 0};
    for (int score = SCORE_ADDITIVE; score <= SCORE_SCALED; score++) {
        double x[N_IN], gradient[N_IN], clean[N_IN];
        draw_inputs(x);
        gradient_at(score, x, three, clean);
        for (size_t h = 0; h < D; h++)
            x[AT_K + 3 * D + h] = (double)NAN;
        for (size_t h = 0; h < D_V; h++)
            x[AT_V + 3 * D_V + h] = (double)NAN;
        gradient_at(score, x, three, gradient);
        for (size_t h = 0; h < D; h++) {
            assert_true(gradient[AT_K + 3 * D + h] == 0);
            assert_true(gradient[AT_Q + 2 * D + h] == 0); /* the query that sees no key */
        }
        for (size_t h = 0; h < D_V; h++)
            assert_true(gradient[AT_V + 3 * D_V + h] == 0);
        for (size_t i = 0; i < N_IN; i++)
            assert_true(gradient[i] == clean[i]);
    }
}

static void projection_is_differentiated(void **unused)
{
    (void)unused;
    /* y = x W^T with W (2, 3) and loss = sum g y: d loss / d W = g^T x. */
    const double x[] = {1, 2, 3, 4, 5, 6}, g[] = {1, -1, 0.5, 2};
    const double expected[] = {1 + 2, 2 + 2.5, 3 + 3, -1 + 8, -2 + 10, -3 + 12};
    double got[6];
    attend_project_backward(x, g, 2, 3, 2, got);
    for (int i = 0; i < 6; i++)
        assert_true(got[i] == expected[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masked_layer_is_pytorchs),
        cmocka_unit_test(gradient_is_the_slope),
        cmocka_unit_test(masked_keys_get_nothing),
        cmocka_unit_test(projection_is_differentiated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
