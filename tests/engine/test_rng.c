#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/rng.h"
#include "golden.h"

static uint32_t bits(float value)
{
    uint32_t out;

    memcpy(&out, &value, sizeof(out));
    return out;
}

static struct rng seeded(uint64_t seed, enum rng_path path)
{
    struct rng rng;

    rng_seed(&rng, seed, path);
    return rng;
}

/* The first outputs of init_genrand(seed), which PyTorch uses as they are. */
static void test_words(void **state)
{
    static const struct {
        uint64_t seed;
        uint32_t word[4];
    } cases[] = {
        {0, {0x8c7f0aac, 0x97c4aa2f, 0xb716a675, 0xd821ccc0}},
        {1, {0x6ac1f425, 0xff4780eb, 0xb8672f8c, 0xeebc1448}},
        {42, {0x5fe1dc66, 0xcbea3db3, 0xf362035c, 0x2ef5950e}},
        {(UINT64_C(1) << 32) + 1, {0x6ac1f425, 0xff4780eb, 0xb8672f8c, 0xeebc1448}},
        {UINT64_C(7) << 32, {0x8c7f0aac, 0x97c4aa2f, 0xb716a675, 0xd821ccc0}},
    };

    (void)state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct rng rng = seeded(cases[c].seed, RNG_PATH_AVX2);

        for (int i = 0; i < 4; i++)
            assert_int_equal(rng_u32(&rng), cases[c].word[i]);
    }
}

/* The seed 5489 is the one for which the C++ standard names the 10000th output of mt19937. */
static void test_ten_thousandth_word(void **state)
{
    struct rng rng = seeded(5489, RNG_PATH_AVX2);
    uint32_t word = 0;

    (void)state;
    for (int i = 0; i < 10000; i++)
        word = rng_u32(&rng);
    assert_int_equal(word, 4123659995u);
}

static void test_minus_one_is_the_largest_seed(void **state)
{
    struct rng all = seeded(UINT64_MAX, RNG_PATH_AVX2), low = seeded(UINT32_MAX, RNG_PATH_AVX2);

    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_int_equal(rng_u32(&all), rng_u32(&low));
}

static void test_first_word_is_the_high_half(void **state)
{
    struct rng rng = seeded(0, RNG_PATH_AVX2);

    (void)state;
    assert_true(rng_u64(&rng) == UINT64_C(0x8c7f0aac97c4aa2f));
}

static void assert_bits(const float *values, const size_t *index, const uint32_t *expected, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(bits(values[index[i]]), expected[i]);
}

static void test_rand_bits(void **state)
{
    static const size_t first[] = {0, 1, 2, 3};
    struct rng rng = seeded(0, RNG_PATH_AVX2);
    float out[4];

    (void)state;
    rng_rand(&rng, out, 4);
    assert_bits(out, first, (const uint32_t[]){0x3efe1558, 0x3f44aa2f, 0x3db533a8, 0x3e073300}, 4);
    rng = seeded(42, RNG_PATH_SCALAR);
    rng_rand(&rng, out, 4);
    assert_bits(out, first, (const uint32_t[]){0x3f61dc66, 0x3f6a3db3, 0x3ec406b8, 0x3f75950e}, 4);
}

static void test_normal_bits_of_both_paths(void **state)
{
    static const size_t at[] = {0, 3, 8, 15};
    static const struct {
        uint64_t seed;
        enum rng_path path;
        uint32_t value[4];
    } cases[] = {
        {0, RNG_PATH_AVX2, {0xbf901b85, 0xbede255d, 0x3ea50138, 0xbe7d367c}},
        {0, RNG_PATH_SCALAR, {0xbf901b85, 0xbede255e, 0x3ea50138, 0xbe7d365a}},
        {42, RNG_PATH_AVX2, {0x3ff6a529, 0xc006c0db, 0xbf408bf0, 0x3f432f9f}},
        {42, RNG_PATH_SCALAR, {0x3ff6a527, 0xc006c0dd, 0xbf408bff, 0x3f432f9f}},
    };

    (void)state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct rng rng = seeded(cases[c].seed, cases[c].path);
        float out[16];

        rng_normal(&rng, 0, 1, out, 16);
        assert_bits(out, at, cases[c].value, 4);
    }
}

static void test_the_last_block_is_drawn_again(void **state)
{
    static const size_t at[] = {0, 33, 34, 49};
    static const uint32_t avx2[] = {0xbf101b85, 0x3c816764, 0x3f0715f4, 0x3dc11430};
    static const uint32_t scalar[] = {0xbf101b85, 0x3c816764, 0x3f0715f5, 0x3dc11438};
    float out[50];

    (void)state;
    for (enum rng_path path = RNG_PATH_AVX2; path <= RNG_PATH_SCALAR; path++) {
        struct rng rng = seeded(0, path);

        rng_normal(&rng, 0, 0.5, out, 50);
        assert_bits(out, at, path == RNG_PATH_AVX2 ? avx2 : scalar, 4);
        assert_int_equal(rng_u32(&rng), 0x9184e322);
    }
}

static void test_linear_bits_of_both_paths(void **state)
{
    static const size_t at[] = {0, 1};
    struct rng rng = seeded(0, RNG_PATH_AVX2);
    float weight[8];

    (void)state;
    rng_linear(&rng, 2, 4, weight);
    assert_bits(weight, at, (const uint32_t[]){0xbbad7922, 0x3ec2369c}, 2);
    rng = seeded(0, RNG_PATH_SCALAR);
    rng_linear(&rng, 2, 4, weight);
    assert_bits(weight, at, (const uint32_t[]){0xbbad7900, 0x3ec2369e}, 2);
}

static void test_dropout_bits(void **state)
{
    static const bool expected[] = {0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    struct rng rng = seeded(0, RNG_PATH_AVX2);
    bool keep[12];

    (void)state;
    rng_dropout(&rng, 0.1, keep, 12);
    assert_memory_equal(keep, expected, sizeof(expected));
}

static void test_certain_dropout_draws_nothing(void **state)
{
    struct rng rng = seeded(0, RNG_PATH_AVX2);
    bool keep[3];

    (void)state;
    rng_dropout(&rng, 0, keep, 3);
    assert_true(keep[0] && keep[1] && keep[2]);
    rng_dropout(&rng, 1, keep, 3);
    assert_false(keep[0] || keep[1] || keep[2]);
    assert_int_equal(rng_u32(&rng), 0x8c7f0aac);
}

static void check_draws(const char *file, uint64_t seed)
{
    static const size_t sizes[] = {1, 5, 15, 16, 17, 40, 50, 64, 100};
    static const struct {
        const char *name;
        double std;
    } draws[] = {{"rand", 0}, {"randn", 1}, {"normal_0_0.5", 0.5}};
    float out[100];

    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
        for (size_t d = 0; d < sizeof(draws) / sizeof(draws[0]); d++) {
            struct rng rng = seeded(seed, RNG_PATH_AVX2);
            struct golden golden;
            char name[32];

            snprintf(name, sizeof(name), "%s_%zu", draws[d].name, sizes[s]);
            golden = golden_load(file, name);
            if (d == 0)
                rng_rand(&rng, out, sizes[s]);
            else
                rng_normal(&rng, 0, draws[d].std, out, sizes[s]);
            golden_assert_same_floats(out, sizes[s], &golden);
            golden_free(&golden);
        }
}

/* Draws of both routes after each other: the cached normal survives the large draw between. */
static void check_mixed(const char *file, uint64_t seed)
{
    static const struct {
        const char *name;
        size_t n;
        bool normal;
    } draws[] = {{"mixed_rand_3", 3, false},
                 {"mixed_randn_4", 4, true},
                 {"mixed_randn_1", 1, true},
                 {"mixed_randn_50", 50, true},
                 {"mixed_rand_1", 1, false}};
    struct rng rng = seeded(seed, RNG_PATH_AVX2);
    float out[50];

    for (size_t d = 0; d < sizeof(draws) / sizeof(draws[0]); d++) {
        struct golden golden = golden_load(file, draws[d].name);

        if (draws[d].normal)
            rng_normal(&rng, 0, 1, out, draws[d].n);
        else
            rng_rand(&rng, out, draws[d].n);
        golden_assert_same_floats(out, draws[d].n, &golden);
        golden_free(&golden);
    }
}

static void check_linear(const char *file, uint64_t seed)
{
    struct rng rng = seeded(seed, RNG_PATH_AVX2);
    struct golden golden = golden_load(file, "linear_20_8_weight");
    float weight[160];

    rng_linear(&rng, 20, 8, weight);
    golden_assert_same_floats(weight, 160, &golden);
    golden_free(&golden);
}

static void test_golden(void **state)
{
    static const uint64_t seeds[] = {0, 1, 2, 42};

    (void)state;
    for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
        char file[32];

        snprintf(file, sizeof(file), "rng_seed%d.tsv", (int)seeds[i]);
        check_draws(file, seeds[i]);
        check_mixed(file, seeds[i]);
        check_linear(file, seeds[i]);
    }
}

/* The additive attention lesson: queries, then W_k, W_q, w_v in the order in which the model builds them. */
static void test_draws_of_the_additive_lesson(void **state)
{
    static const struct {
        const char *name;
        size_t in, out;
    } layers[] = {{"additive_ones_W_k", 2, 8}, {"additive_ones_W_q", 20, 8}, {"additive_ones_w_v", 8, 1}};
    struct rng rng = seeded(42, RNG_PATH_AVX2);
    struct golden golden = golden_load("attention_seed42.tsv", "additive_ones_queries");
    float out[160];

    (void)state;
    rng_normal(&rng, 0, 1, out, 40);
    golden_assert_same_floats(out, 40, &golden);
    golden_free(&golden);
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
        golden = golden_load("attention_seed42.tsv", layers[i].name);
        rng_linear(&rng, layers[i].in, layers[i].out, out);
        golden_assert_same_floats(out, layers[i].in * layers[i].out, &golden);
        golden_free(&golden);
    }
}

static void test_arange(void **state)
{
    struct golden golden = golden_load("nw_seed0.tsv", "x_test");
    float out[50] = {0};

    (void)state;
    assert_int_equal(torch_arange(0, 5, 0.1, out, 50), 50);
    golden_assert_same_floats(out, 50, &golden);
    golden_free(&golden);
}

static void test_arange_writes_no_more_than_fits(void **state)
{
    float out[4] = {0, 0, 0, 77};

    (void)state;
    assert_int_equal(torch_arange(0, 5, 0.1, out, 3), 50);
    assert_true(out[3] == 77);
    assert_int_equal(torch_arange(5, 0, 0.1, out, 3), 0);
    assert_int_equal(torch_arange(0, 1, 0.25, out, 4), 4);
    assert_true(out[0] == 0 && out[1] == 0.25f && out[2] == 0.5f && out[3] == 0.75f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_ten_thousandth_word),
        cmocka_unit_test(test_minus_one_is_the_largest_seed),
        cmocka_unit_test(test_first_word_is_the_high_half),
        cmocka_unit_test(test_rand_bits),
        cmocka_unit_test(test_normal_bits_of_both_paths),
        cmocka_unit_test(test_the_last_block_is_drawn_again),
        cmocka_unit_test(test_linear_bits_of_both_paths),
        cmocka_unit_test(test_dropout_bits),
        cmocka_unit_test(test_certain_dropout_draws_nothing),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_draws_of_the_additive_lesson),
        cmocka_unit_test(test_arange),
        cmocka_unit_test(test_arange_writes_no_more_than_fits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
