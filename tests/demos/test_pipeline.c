/* What additive and dot share: every tensor on the way from queries and keys to the output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "on_stage.h"

static void check_tensors(const char *demo, const char *seed, const char *kind, const char *const *tensors)
{
    char file[40], settings[64], name[64];
    snprintf(file, sizeof file, "attention_seed%s.tsv", seed);
    snprintf(settings, sizeof settings, "seed=%s keys=%s", seed, kind);
    struct session *session = on_stage(demo, settings);
    for (; *tensors; tensors++) {
        snprintf(name, sizeof name, "%s_%s_%s", demo, kind, *tensors);
        assert_golden_table(session, *tensors, file, name);
    }
    session_free(session);
}

static void every_tensor_is_pytorchs(void **unused)
{
    static const char *const additive[] = {"queries", "keys",    "W_q",    "W_k", "w_v",
                                           "scores",  "weights", "output", NULL},
                             *const dot[] = {"queries", "keys", "scores", "weights", "output", NULL},
                             *const seeds[] = {"0", "1", "2", "42"}, *const kinds[] = {"ones", "random"};
    (void)unused;
    for (size_t i = 0; i < 8; i++) {
        check_tensors("additive", seeds[i / 2], kinds[i % 2], additive);
        check_tensors("dot", seeds[i / 2], kinds[i % 2], dot);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_tensor_is_pytorchs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
