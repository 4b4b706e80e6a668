#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/matrix.h"

static void test_rows_follow_each_other(void **state)
{
    struct matrix m = matrix_new(3, 4);

    (void)state;
    assert_int_equal(m.rows, 3);
    assert_int_equal(m.cols, 4);
    for (size_t i = 0; i < 12; i++)
        assert_true(m.at[i] == 0);
    matrix_row(&m, 2)[1] = 5;
    assert_true(m.at[2 * 4 + 1] == 5);
    matrix_free(&m);
    assert_null(m.at);
    assert_int_equal(m.rows, 0);
    assert_int_equal(m.cols, 0);
}

static void test_reshape_keeps_memory_that_suffices(void **state)
{
    struct matrix m = matrix_new(3, 4);
    const double *const before = m.at;

    (void)state;
    matrix_reshape(&m, 6, 2);
    assert_ptr_equal(m.at, before);
    assert_int_equal(m.rows, 6);
    assert_int_equal(m.cols, 2);
    matrix_reshape(&m, 100, 100);
    matrix_row(&m, 99)[99] = 1; /* the sanitizers watch this one */
    matrix_free(&m);
}

static void test_the_empty_matrix_takes_any_shape(void **state)
{
    struct matrix m = {0};

    (void)state;
    matrix_reshape(&m, 0, 7);
    assert_non_null(m.at);
    matrix_reshape(&m, 1, 7);
    matrix_row(&m, 0)[6] = 1;
    matrix_free(&m);
    matrix_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_follow_each_other),
        cmocka_unit_test(test_reshape_keeps_memory_that_suffices),
        cmocka_unit_test(test_the_empty_matrix_takes_any_shape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
