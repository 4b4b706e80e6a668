#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "demos/layout.h"

enum { PARAMETERS, MAIN, OTHER };

static void test_both_sides_must_be_large_enough(void **state)
{
    (void)state;
    assert_int_equal(layout_room((struct area){.cols = 71, .rows = 60}), ROOM_SMALL);
    assert_int_equal(layout_room((struct area){.cols = 200, .rows = 16}), ROOM_SMALL);
    assert_int_equal(layout_room((struct area){.cols = 72, .rows = 17}), ROOM_MEDIUM);
    assert_int_equal(layout_room((struct area){.cols = 99, .rows = 60}), ROOM_MEDIUM);
    assert_int_equal(layout_room((struct area){.cols = 200, .rows = 29}), ROOM_MEDIUM);
    assert_int_equal(layout_room((struct area){.cols = 100, .rows = 30}), ROOM_LARGE);
}

static void assert_area(struct area a, int y, int cols, int rows)
{
    assert_int_equal(a.x, 0);
    assert_int_equal(a.y, y);
    assert_int_equal(a.cols, cols);
    assert_int_equal(a.rows, rows);
}

static void test_the_focused_pane_is_above_the_parameters(void **state)
{
    const struct area all = {.cols = 60, .rows = 15};
    const struct stage on_other = {.focus = OTHER}, on_parameters = {.focus = PARAMETERS};
    struct area out[PANES_MAX] = {0}, parameters_focused[PANES_MAX] = {0};

    (void)state;
    layout_small(&on_other, all, PARAMETERS, MAIN, out);
    assert_area(out[OTHER], 0, 60, 10);
    assert_area(out[PARAMETERS], 10, 60, 5);
    assert_true(area_is_empty(out[MAIN]));
    layout_small(&on_parameters, all, PARAMETERS, MAIN, parameters_focused);
    assert_area(parameters_focused[MAIN], 0, 60, 10);
    assert_area(parameters_focused[PARAMETERS], 10, 60, 5);
}

static void test_few_rows_are_the_focused_panes(void **state)
{
    const struct stage stage = {.focus = OTHER};
    struct area out[PANES_MAX] = {0};

    (void)state;
    layout_small(&stage, (struct area){.cols = 60, .rows = 12}, PARAMETERS, MAIN, out);
    assert_area(out[OTHER], 0, 60, 12);
    assert_true(area_is_empty(out[PARAMETERS]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_sides_must_be_large_enough),
        cmocka_unit_test(test_the_focused_pane_is_above_the_parameters),
        cmocka_unit_test(test_few_rows_are_the_focused_panes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
