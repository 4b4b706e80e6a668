#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/attention.h"
#include "engine/softmax.h"
#include "golden.h"

static const int seeds[] = {0, 1, 2, 42};
static const char *const key_kinds[] = {"ones", "random"};
static const size_t valid_lens[] = {2, 6};

#define ALEN(array) (sizeof(array) / sizeof *(array))

enum { BATCH = 2, KEYS = 10, VALUES = 4, HIDDEN = 8 };

static struct golden load(int seed, const char *method, const char *keys, const char *tensor)
{
    char file[40], name[64];

    snprintf(file, sizeof file, "attention_seed%d.tsv", seed);
    snprintf(name, sizeof name, "%s_%s_%s", method, keys, tensor);
    return golden_load(file, name);
}

/* Scores as PyTorch has them, then its masked softmax and its weighted values. */
static void check_scores_and_what_follows(const double *score, int seed, const char *method, const char *keys)
{
    const struct attention_shape shape = {.batch = BATCH, .n_q = 1, .n_k = KEYS, .d_v = VALUES};
    struct golden scores = load(seed, method, keys, "scores"), weights = load(seed, method, keys, "weights"),
                  outputs = load(seed, method, keys, "output");
    double value[BATCH * KEYS * VALUES], weight[BATCH * KEYS], output[BATCH * VALUES];

    for (size_t i = 0; i < ALEN(value); i++)
        value[i] = (double)(i % (KEYS * VALUES));
    for (size_t b = 0; b < BATCH; b++)
        softmax_row(score + b * KEYS, KEYS, valid_lens[b], weight + b * KEYS);
    attention_pool(&shape, weight, value, output);
    golden_assert_close(score, ALEN(weight), &scores, 1e-6, 1e-5);
    golden_assert_close(weight, ALEN(weight), &weights, 1e-6, 1e-5);
    golden_assert_close(output, ALEN(output), &outputs, 1e-6, 1e-5);
    golden_free(&scores);
    golden_free(&weights);
    golden_free(&outputs);
}

static void additive_scores_are_pytorchs(void **unused)
{
    const struct attention_shape shape = {
        .batch = BATCH, .n_q = 1, .n_k = KEYS, .d_q = 20, .d_k = 2, .hidden = HIDDEN};

    (void)unused;
    for (size_t i = 0; i < ALEN(seeds) * ALEN(key_kinds); i++) {
        const int seed = seeds[i / 2];
        const char *const kind = key_kinds[i % 2];
        struct golden q = load(seed, "additive", kind, "queries"), k = load(seed, "additive", kind, "keys"),
                      w_q = load(seed, "additive", kind, "W_q"), w_k = load(seed, "additive", kind, "W_k"),
                      w_v = load(seed, "additive", kind, "w_v");
        double projected_q[BATCH * HIDDEN], projected_k[BATCH * KEYS * HIDDEN], score[BATCH * KEYS];

        attention_project(q.at, BATCH, shape.d_q, w_q.at, HIDDEN, projected_q);
        attention_project(k.at, BATCH * KEYS, shape.d_k, w_k.at, HIDDEN, projected_k);
        attention_additive(&shape, projected_q, projected_k, w_v.at, NULL, score);
        check_scores_and_what_follows(score, seed, "additive", kind);
        golden_free(&q);
        golden_free(&k);
        golden_free(&w_q);
        golden_free(&w_k);
        golden_free(&w_v);
    }
}

static void scaled_dot_products_are_pytorchs(void **unused)
{
    const struct attention_shape shape = {.batch = BATCH, .n_q = 1, .n_k = KEYS, .d_q = 2, .d_k = 2};

    (void)unused;
    for (size_t i = 0; i < ALEN(seeds) * ALEN(key_kinds); i++) {
        const int seed = seeds[i / 2];
        const char *const kind = key_kinds[i % 2];
        struct golden q = load(seed, "dot", kind, "queries"), k = load(seed, "dot", kind, "keys");
        double score[BATCH * KEYS];

        attention_dot(&shape, q.at, k.at, 1 / sqrt(2), score);
        check_scores_and_what_follows(score, seed, "dot", kind);
        golden_free(&q);
        golden_free(&k);
    }
}

/* Two items, two queries and three keys each, so that a mixed-up index meets another item's numbers. */
static const struct attention_shape small = {
    .batch = 2, .n_q = 2, .n_k = 3, .d_q = 2, .d_k = 2, .hidden = 1, .d_v = 1};
static const double small_q[] = {1, 0, 0, 1, 2, 1, -1, 3},
                    small_k[] = {1, 2, 3, 4, 5, 6, -1, -2, 0.5, 0, 7, -3};

static void every_query_meets_the_keys_of_its_item(void **unused)
{
    static const double by_hand[] = {1, 3, 5, 2, 4, 6, -4, 1, 11, -5, -0.5, -16};
    double score[ALEN(by_hand)];

    (void)unused;
    attention_dot(&small, small_q, small_k, 1, score);
    for (size_t i = 0; i < ALEN(by_hand); i++)
        assert_true(score[i] == by_hand[i]);
}

static double square(const double v[2])
{
    return v[0] * v[0] + v[1] * v[1];
}

/* -|q - k|^2 / 2 = q.k - |q|^2 / 2 - |k|^2 / 2. */
static void a_gaussian_score_is_a_dot_product_less_both_lengths(void **unused)
{
    double gaussian[12], product[12];

    (void)unused;
    attention_gaussian(&small, small_q, small_k, gaussian);
    attention_dot(&small, small_q, small_k, 1, product);
    for (size_t i = 0; i < 12; i++) {
        const size_t query = i / 3, key = query / 2 * 3 + i % 3;
        const double lengths = square(small_q + 2 * query) + square(small_k + 2 * key);

        assert_true(fabs(gaussian[i] - (product[i] - lengths / 2)) < 1e-12);
    }
}

static void a_feature_is_the_tanh_of_the_sum_of_projections(void **unused)
{
    const double q[] = {0.5, -1, 2, 0}, k[] = {1, 2, 3, -1, 0, 0.25}, w_v[] = {-2};
    double feature[12], score[12];

    (void)unused;
    attention_additive(&small, q, k, w_v, feature, score);
    assert_true(feature[0] == tanh(1.5));
    assert_true(feature[5] == tanh(2));
    assert_true(feature[6] == tanh(1));
    assert_true(feature[11] == tanh(0.25));
    for (size_t i = 0; i < 12; i++)
        assert_true(score[i] == -2 * feature[i]);
}

/* W = (1 0 2; 0 1 0) takes q = (q0, q1) to (q0, q1, 2 q0): queries of two numbers meet keys of three. */
static void a_bilinear_form_takes_queries_to_the_size_of_keys(void **unused)
{
    const double w[] = {1, 0, 2, 0, 1, 0}, q[] = {3, 5, -1, 2};
    double out[6];

    (void)unused;
    attention_multiply(q, 2, 2, w, 3, out);
    assert_memory_equal(out, ((const double[]){3, 5, 6, -1, 2, -2}), sizeof out);
}

static void a_key_of_weight_zero_is_not_touched(void **unused)
{
    const double weight[] = {0.25, 0.75, 0, 1, 0, 0, 0, 0, 0, 0, 0.5, 0.5},
                 value[] = {4, 8, (double)NAN, (double)NAN, 2, 3};
    double output[4];

    (void)unused;
    attention_pool(&small, weight, value, output);
    assert_memory_equal(output, ((const double[]){7, 4, 0, 2.5}), sizeof output);
}

static void dropout_scales_what_it_keeps(void **unused)
{
    const double weight[] = {0.5, 0.25, 0.25};
    const bool some[] = {true, false, true}, none[] = {false, false, false};
    double out[3];

    (void)unused;
    attention_dropout(weight, some, 3, 0.5, out);
    assert_memory_equal(out, ((const double[]){1, 0, 0.5}), sizeof out);
    attention_dropout(weight, none, 3, 1, out);
    assert_memory_equal(out, ((const double[]){0, 0, 0}), sizeof out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(additive_scores_are_pytorchs),
        cmocka_unit_test(scaled_dot_products_are_pytorchs),
        cmocka_unit_test(every_query_meets_the_keys_of_its_item),
        cmocka_unit_test(a_gaussian_score_is_a_dot_product_less_both_lengths),
        cmocka_unit_test(a_feature_is_the_tanh_of_the_sum_of_projections),
        cmocka_unit_test(a_bilinear_form_takes_queries_to_the_size_of_keys),
        cmocka_unit_test(a_key_of_weight_zero_is_not_touched),
        cmocka_unit_test(dropout_scales_what_it_keeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
