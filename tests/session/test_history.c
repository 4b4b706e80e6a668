#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "demos/demo.h"
#include "engine/mem.h"
#include "session/history.h"

/* A snapshot of nothing but a file of SIZE bytes, as far as it is said. */
static struct snapshot of_file(size_t size)
{
    struct source source = {.bytes = mem_new(1, 1), .n = size, .n_owners = mem_new(1, sizeof(size_t))};
    *source.n_owners = 1;
    return (struct snapshot){.source = source};
}

/* Another snapshot of the newest one's file. */
static struct snapshot of_same_file(const struct history *history)
{
    struct source source = history->past[history->n_past - 1].source;
    ++*source.n_owners;
    return (struct snapshot){.source = source};
}

static void many_large_files_make_room(void **state)
{
    (void)state;
    struct history history = {0};
    for (size_t i = 0; i < 10; i++) {
        history_add(&history, demos[0], of_file(HISTORY_BYTES / 3));
        assert_int_equal(history.n_past, i < 3 ? i + 1 : 3);
    }
    history_add(&history, demos[0], of_file(2 * (size_t)HISTORY_BYTES));
    assert_int_equal(history.n_past, 1);
    history_free(&history, demos[0]);
}

/* However large it is: changes on one file cost its bytes once. */
static void changes_on_one_file_are_kept(void **state)
{
    (void)state;
    struct history history = {0};
    history_add(&history, demos[0], of_file(HISTORY_BYTES));
    for (size_t i = 0; i < 2 * HISTORY_MAX; i++)
        history_add(&history, demos[0], of_same_file(&history));
    assert_int_equal(history.n_past, HISTORY_MAX);
    history_free(&history, demos[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_large_files_make_room),
        cmocka_unit_test(changes_on_one_file_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
