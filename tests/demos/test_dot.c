#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "demos/demo.h"
#include "on_stage.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* exp(i / 2) over the sum of exp(1 / 2) to exp(4 / 2). */
static void an_identity_of_keys_asks_for_each_component(void **unused)
{
    static const double ranks[] = {0.10153632409155, 0.16740509727844, 0.27600434470659, 0.45505423392341};
    static const char *const settings[] = {"q=1,2,3,4 keys=identity", "d=4 q=1,2,3,4 keys=identity",
                                           "q=1,2,3,4 k=1,0,0,0/0,1,0,0/0,0,1,0/0,0,0,1"};

    (void)unused;
    for (size_t i = 0; i < ALEN(settings); i++) {
        struct session *session = on_stage("dot", settings[i]);
        assert_table_close(session, "weights", ranks, ALEN(ranks), 1e-13);
        session_free(session);
    }
}

static void without_the_scale_scores_are_larger_by_the_root_of_d(void **unused)
{
    struct session *scaled = on_stage("dot", "keys=random d=9"),
                   *plain = on_stage("dot", "keys=random d=9 scale=off");
    struct table a = table_of(scaled, "scores"), b = table_of(plain, "scores");

    (void)unused;
    for (size_t k = 0; k < a.n_columns; k++)
        assert_true(fabs(b.column[k].number[0] - 3 * a.column[k].number[0]) < 1e-12);
    perform(plain, "set scale on");
    assert_same_table(scaled, plain, "scores");
    table_free(&a);
    table_free(&b);
    session_free(scaled);
    session_free(plain);
}

/* PyTorch 1.13: queries (2, 1, 2), keys (2, 10, 3), then W = nn.Linear(3, 2, bias=False).weight; q W k^T. */
static void a_bilinear_form_joins_different_sizes(void **unused)
{
    static const double scores[] = {-0.462893218,  -0.15431501,   -0.122733772, 0.394218534,  0.130312338,
                                    -0.0411175489, 0.582627177,   -0.377141058, -0.420113474, 0.360895425,
                                    -0.911280274,  -0.383104146,  0.241729915,  0.200140461,  -0.0536666773,
                                    -0.123891152,  -0.0342406929, -0.394038796, 0.409678757,  0.380797058};
    struct session *session = on_stage("dot", "seed=1 keys=random score=bilinear d_k=3");

    (void)unused;
    assert_table_close(session, "scores", scores, ALEN(scores), 1e-6);
    session_free(session);
}

static void a_dot_product_needs_equal_sizes(void **unused)
{
    struct session *session = on_stage("dot", NULL);

    (void)unused;
    assert_non_null(strstr(refused(session, "set d_k 3").text, "bilinear"));
    assert_non_null(strstr(on_stage_refused("dot", "d_k=3").text, "bilinear"));
    perform(session, "set score bilinear; set d_k 3; set score dot; set d 5");
    struct table keys = table_of(session, "keys");
    assert_int_equal(keys.n_columns, 5);
    table_free(&keys);
    session_free(session);
}

/* The first twelve keep bits of dropout 0.1 after torch.manual_seed(0), where nothing else is drawn before.
 */
static void dropout_keeps_what_pytorch_keeps(void **unused)
{
    static const int keep[] = {0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    double expected[ALEN(keep)];
    struct session *session =
        on_stage("dot", "seed=0 q=1 k=1/1/1/1/1/1/1/1/1/1/1/1 dropout=0.1 mode=train valid_lens=none");

    (void)unused;
    for (size_t i = 0; i < ALEN(keep); i++)
        expected[i] = keep[i] / (12 * 0.9);
    assert_table_close(session, "kept", expected, ALEN(keep), 1e-15);
    assert_on_screen(session, "2 dropped");
    assert_on_screen(session, "MKL");
    session_free(session);
}

static void typed_numbers_are_moved_in_place(void **unused)
{
    /* exp(2) and exp(1) over their sum, when q is (1.5, 1), d 2 and the scale off. */
    const double two[] = {1 / (1 + exp(-0.5)), 1 / (1 + exp(0.5))};
    struct session *session = on_stage("dot", "q=1,1 k=1,0/0,1 scale=off");

    (void)unused;
    perform(session, "focus queries; nudge 5");
    assert_table_close(session, "weights", two, 2, 1e-13);
    perform(session, "nudge -5; param q; adjust 5");
    assert_table_close(session, "weights", two, 2, 1e-13);
    perform(session, "undo; undo; undo");
    assert_table_close(session, "weights", (const double[]){0.5, 0.5}, 2, 1e-13);
    session_free(session);
}

static void sizes_follow_what_is_typed(void **unused)
{
    struct session *session = on_stage("dot", "keys=random");

    (void)unused;
    perform(session, "set q 1,2,3/4,5,6/7,8,9");
    struct table weights = table_of(session, "weights"), keys = table_of(session, "keys");
    assert_int_equal(weights.n_rows, 3);
    assert_int_equal(keys.n_columns, 3);
    table_free(&weights);
    table_free(&keys);
    assert_non_null(strstr(on_stage_refused("dot", "q=1,2 k=1,2,3").text, "k"));
    perform(session, "set d 2");
    weights = table_of(session, "weights");
    assert_int_equal(weights.n_rows, 2);
    table_free(&weights);
    session_free(session);
}

static void what_happened_is_said(void **unused)
{
    static const struct {
        const char *settings, *said;
    } cases[] = {
        {"", "Equal keys give equal scores"},
        {"keys=random q=0,0/0,0", "All valid scores are equal"},
        {"keys=random", "what ones hide"},
        {"keys=random valid_lens=1,1", "A single valid key"},
        {"keys=random valid_lens=0,6", "1 of 2 items have no valid key"},
        {"q=50,50 keys=random valid_lens=none", "saturated"},
    };

    (void)unused;
    for (size_t i = 0; i < ALEN(cases); i++) {
        struct session *session = on_stage("dot", cases[i].settings);
        char *const screen = screen_text(session, 120, 40);
        if (!strstr(screen, cases[i].said))
            fail_msg("%s does not say %s", cases[i].settings, cases[i].said);
        free(screen);
        session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_identity_of_keys_asks_for_each_component),
        cmocka_unit_test(without_the_scale_scores_are_larger_by_the_root_of_d),
        cmocka_unit_test(a_bilinear_form_joins_different_sizes),
        cmocka_unit_test(a_dot_product_needs_equal_sizes),
        cmocka_unit_test(dropout_keeps_what_pytorch_keeps),
        cmocka_unit_test(typed_numbers_are_moved_in_place),
        cmocka_unit_test(sizes_follow_what_is_typed),
        cmocka_unit_test(what_happened_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
