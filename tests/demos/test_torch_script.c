#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "demos/torch_script.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

static void assert_written(struct buf *out, const char *wanted)
{
    assert_string_equal(out->at, wanted);
    buf_free(out);
}

static void numbers_are_pythons(void **unused)
{
    struct buf out = {0};
    const double numbers[] = {0.1, -3, 1e300, INFINITY, -INFINITY, (double)NAN};

    (void)unused;
    for (size_t i = 0; i < ALEN(numbers); i++) {
        torch_number(numbers[i], &out);
        buf_putc(&out, ' ');
    }
    assert_written(&out, "0.1 -3 1e+300 math.inf -math.inf math.nan ");
}

/* A file's name must not end the string, nor the script. */
static void texts_cannot_leave_their_quotes(void **unused)
{
    struct buf out = {0};

    (void)unused;
    torch_text("a\"\"\" + b\\\n\x1b'\u6211", &out);
    assert_written(&out, "\"a\\\"\\\"\\\" + b\\\\\\x0a\\x1b'\u6211\"");
}

static void small_tensors_are_lists(void **unused)
{
    struct buf out = {0};

    (void)unused;
    torch_tensor("m", (const double[]){1, 2.5, 3, 4}, (const size_t[]){2, 2}, 2, &out);
    assert_written(&out, "m = torch.tensor([1, 2.5, 3, 4], dtype=torch.float64).reshape(2, 2)\n");
}

/* base64.b64encode(struct.pack("<3d", 1, 1, 1)) in Python; three doubles are whole groups of digits. */
static void many_numbers_are_packed(void **unused)
{
    enum { N = 3000 };
    static const char three_ones[] = "AAAAAAAA8D8AAAAAAADwPwAAAAAAAPA/";
    static double ones[N];
    struct buf out = {0};
    const size_t n = N;
    size_t digits = 0;

    (void)unused;
    for (size_t i = 0; i < N; i++)
        ones[i] = 1;
    torch_tensor("x", ones, &n, 1, &out);
    const char *at = strstr(out.at, "\"\"\"") + 3;

    for (; *at != '"'; at++)
        if (*at != '\n')
            assert_int_equal(*at, three_ones[digits++ % (sizeof three_ones - 1)]);
    assert_int_equal(digits, N * 8 / 3 * 4);
    buf_free(&out);
}

/* 8008 and 8024 bytes leave 1 and 2 over when taken by threes. */
static void what_is_packed_is_padded(void **unused)
{
    static const double zeros[1003];
    static const struct {
        size_t n;
        const char *end;
    } cases[] = {{1001, "A==\n\"\"\")\n"}, {1003, "A=\n\"\"\")\n"}};

    (void)unused;
    for (size_t i = 0; i < ALEN(cases); i++) {
        struct buf out = {0};

        torch_tensor("x", zeros, &cases[i].n, 1, &out);
        assert_string_equal(out.at + out.len - strlen(cases[i].end), cases[i].end);
        buf_free(&out);
    }
}

static void lengths_keep_their_form(void **unused)
{
    struct value v = {.list = {1, 3, 2, 4}, .n_list = 4, .n_rows = 2, .nested = true};
    struct buf out = {0};

    (void)unused;
    torch_valid_lens(&v, &out);
    v = (struct value){.list = {2, 3}, .n_list = 2, .n_rows = 1};
    torch_valid_lens(&v, &out);
    v = (struct value){0};
    torch_valid_lens(&v, &out);
    assert_written(&out, "valid_lens = torch.tensor([[1, 3], [2, 4]])\n"
                         "valid_lens = torch.tensor([2, 3])\n"
                         "valid_lens = None\n");
}

static void a_run_tells_its_rates(void **unused)
{
    const double gradient[] = {0.7, -1.1, 0.3, 0.9, 0, 0};
    double theta[8] = {1, 2};

    (void)unused;
    for (size_t i = 0; i < 2; i++) {
        theta[2 + i] = theta[i] - 0.3 * gradient[i];
        theta[4 + i] = theta[2 + i] - 0.05 * gradient[2 + i];
        theta[6 + i] = theta[4 + i];
    }
    assert_float_equal(torch_rate(theta, gradient, 2, 0, 0.5, 1), 0.3, 0);
    assert_float_equal(torch_rate(theta, gradient, 2, 1, 0.5, 1), 0.05, 0);
    /* On flat ground any rate will do. */
    assert_float_equal(torch_rate(theta, gradient, 2, 2, 0.5, 1), 0.5, 0);
    theta[2] += 1;
    assert_true(isnan(torch_rate(theta, gradient, 2, 0, 0.5, 1)));
}

static void every_demo_has_a_script(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < n_demos; i++)
        assert_non_null(demos[i]->torch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_pythons),      cmocka_unit_test(texts_cannot_leave_their_quotes),
        cmocka_unit_test(small_tensors_are_lists),  cmocka_unit_test(many_numbers_are_packed),
        cmocka_unit_test(what_is_packed_is_padded), cmocka_unit_test(lengths_keep_their_form),
        cmocka_unit_test(a_run_tells_its_rates),    cmocka_unit_test(every_demo_has_a_script),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
