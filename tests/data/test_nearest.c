#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/nearest.h"

static const char *const demos[] = {"cues", "average", "translate", "qkv", "scores", "pooling", "train",
                                    "mask", "shapes",  "additive",  "dot", "scale",  "heatmap"};
enum { N = sizeof demos / sizeof *demos };

static void assert_first(const char *word, const char *expected)
{
    char out[128];
    nearest_names(out, sizeof out, word, demos, N);
    if (strncmp(out, expected, strlen(expected)) != 0)
        fail_msg("nearest to %s: %s, not %s", word, out, expected);
}

static void test_finds_what_was_meant(void **state)
{
    (void)state;
    assert_first("trian", "train"); /* swapped */
    assert_first("heatmpa", "heatmap");
    assert_first("maks", "mask");
    assert_first("poling", "pooling");   /* left out */
    assert_first("averrage", "average"); /* doubled */
    assert_first("shales", "shapes");    /* mistyped */
    assert_first("TRAIN", "train");
    assert_first("trans", "translate"); /* begun */
    assert_first("d", "dot");
    assert_first("sc", "scores or scale");
    assert_first("additive", "additive");
}

static void test_names_at_most_three(void **state)
{
    (void)state;
    char out[128];
    nearest_names(out, sizeof out, "s", demos, N);
    size_t commas = 0;
    for (const char *at = out; (at = strchr(at, ',')); at++)
        commas++;
    assert_int_equal(commas, 1);
    assert_non_null(strstr(out, " or "));
}

static void test_keeps_quiet_about_strangers(void **state)
{
    (void)state;
    char out[128];
    nearest_names(out, sizeof out, "trian", demos, N);
    assert_null(strstr(out, "pooling"));
}

/* What shares nothing with the word is no help: then all names are, or the place where they stand. */
static void test_offers_nothing_absurd(void **state)
{
    (void)state;
    char out[256];
    nearest_names(out, sizeof out, "zzzz", demos, N);
    for (int i = 0; i < N; i++)
        assert_non_null(strstr(out, demos[i]));
    nearest_names(out, sizeof out, "maskenball", demos, N); /* six letters too many are more than a third */
    assert_non_null(strstr(out, "cues"));
    assert_string_equal(nearest_hint(out, sizeof out, "zzzz", demos, 3, "see --list"),
                        "there is cues, average or translate");
    assert_string_equal(nearest_hint(out, sizeof out, "trian", demos, N, "see --list"), "there is train");
    const char *twice[2 * N];
    for (int i = 0; i < 2 * N; i++)
        twice[i] = demos[i % N];
    assert_string_equal(nearest_hint(out, sizeof out, "zzzz", twice, 2 * N, "see --list"), "see --list");
    assert_string_equal(nearest_hint(out, sizeof out, "trian", twice, 2 * N, "see --list"),
                        "there is train or train");
}

static void test_names_all_of_a_few(void **state)
{
    char out[128];
    (void)state;
    assert_string_equal(nearest_names(out, sizeof out, "x", demos, 0), "");
    assert_string_equal(nearest_names(out, sizeof out, "x", demos, 1), "cues");
    assert_string_equal(nearest_names(out, sizeof out, "x", demos, 2), "cues or average");
    assert_string_equal(nearest_names(out, sizeof out, "x", demos, 6),
                        "cues, average, translate, qkv, scores or pooling");
}

static void test_bears_anything(void **state)
{
    char word[1000], out[16];
    (void)state;
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    const char *const names[] = {word, "", "\xff\xff", "b", "c", "d", "\u6E29\u5EA6\u6E29\u5EA6\u6E29\u5EA6"};
    nearest_names(out, sizeof out, word, names, 7);
    assert_int_equal(strlen(out), sizeof out - 1);
    nearest_names(out, sizeof out, "", names, 7);
    nearest_names(out, sizeof out, "\u6E29\u5EA6\u6E29", names, 7);
    assert_string_equal(out, "\u6E29\u5EA6\u6E29\u5EA6\u6E29");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_what_was_meant),        cmocka_unit_test(test_names_at_most_three),
        cmocka_unit_test(test_keeps_quiet_about_strangers), cmocka_unit_test(test_offers_nothing_absurd),
        cmocka_unit_test(test_names_all_of_a_few),          cmocka_unit_test(test_bears_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
