#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/mem.h"

static void test_new_is_zeroed(void **state)
{
    static const char zeros[80];
    void *memory = mem_new(10, 8);

    (void)state;
    assert_memory_equal(memory, zeros, sizeof(zeros));
    free(memory);
}

static void test_nothing_is_something(void **state)
{
    void *none = mem_new(0, 8), *empty = mem_new(8, 0), *tried = mem_try(0, 0), *copy = mem_copy(NULL, 0, 8);

    (void)state;
    assert_non_null(none);
    assert_non_null(empty);
    assert_non_null(tried);
    assert_non_null(copy);
    free(none);
    free(empty);
    free(tried);
    free(copy);
}

static void test_grow_keeps_what_was_there(void **state)
{
    int *numbers = mem_grow(NULL, 3, sizeof(int));

    (void)state;
    for (int i = 0; i < 3; i++)
        numbers[i] = i;
    numbers = mem_grow(numbers, 10000, sizeof(int));
    for (int i = 0; i < 3; i++)
        assert_int_equal(numbers[i], i);
    numbers = mem_grow(numbers, 0, sizeof(int));
    assert_non_null(numbers);
    free(numbers);
}

static void test_copy_is_apart(void **state)
{
    char text[] = "abc";
    char *copy = mem_copy(text, sizeof(text), 1);

    (void)state;
    text[0] = 'x';
    assert_string_equal(copy, "abc");
    free(copy);
}

static void test_try_refuses_what_does_not_fit(void **state)
{
    (void)state;
    assert_null(mem_try(SIZE_MAX, 8));
    assert_null(mem_try(SIZE_MAX / 8 + 2, 8)); /* wraps around to 8 bytes */
    assert_null(mem_try(SIZE_MAX, 1));
    assert_null(mem_try((size_t)PTRDIFF_MAX + 1, 1));
}

static void grow_beyond_everything(void)
{
    free(mem_grow(NULL, SIZE_MAX / 8 + 2, 8));
}

static void new_beyond_everything(void)
{
    free(mem_new(SIZE_MAX, SIZE_MAX));
}

static int signal_that_ends(void (*function)(void))
{
    const pid_t child = fork();
    int status = 0;

    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGABRT, SIG_DFL);
        function();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_the_program_aborts_rather_than_go_on_without(void **state)
{
    (void)state;
    assert_int_equal(signal_that_ends(grow_beyond_everything), SIGABRT);
    assert_int_equal(signal_that_ends(new_beyond_everything), SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_is_zeroed),
        cmocka_unit_test(test_nothing_is_something),
        cmocka_unit_test(test_grow_keeps_what_was_there),
        cmocka_unit_test(test_copy_is_apart),
        cmocka_unit_test(test_try_refuses_what_does_not_fit),
        cmocka_unit_test(test_the_program_aborts_rather_than_go_on_without),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
