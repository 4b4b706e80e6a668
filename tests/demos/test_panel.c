#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "data/buf.h"
#include "demos/demo.h"

static const char *const losses[] = {"sum", "half", "mean", NULL};

static const struct param params[] = {
    {.name = "w",
     .label = "w",
     .help = "what is learned",
     .unit = "",
     .kind = PARAM_REAL,
     .lo = -1e300,
     .hi = 1e300,
     .step = 0.01,
     .steps = STEPS_DIGIT,
     .initial = "18.0545"},
    {.name = "lr",
     .label = "learning rate",
     .help = "how far",
     .unit = "",
     .kind = PARAM_REAL,
     .lo = 0,
     .hi = 1000,
     .step = 0.001,
     .steps = STEPS_ONE_TWO_FIVE,
     .initial = "0.5"},
    {.name = "secret",
     .label = "secret",
     .help = "not shown",
     .unit = "",
     .kind = PARAM_TEXT,
     .initial = "tea",
     .hidden = true},
    {.name = "n",
     .label = "points",
     .help = "how many",
     .unit = "",
     .kind = PARAM_INTEGER,
     .lo = 2,
     .hi = 5000,
     .step = 1,
     .initial = "50"},
    {.name = "loss",
     .label = "loss",
     .help = "summed or not",
     .unit = "",
     .kind = PARAM_CHOICE,
     .choices = losses,
     .initial = "half"},
    {.name = "lens",
     .label = "valid lengths",
     .help = "keys that count",
     .unit = "",
     .kind = PARAM_LIST,
     .lo = 0,
     .hi = 64,
     .whole = true,
     .rows = true,
     .initial = "1,3/2,4"},
    {.name = "seed", .label = "seed", .help = "draws", .unit = "", .kind = PARAM_SEED, .initial = "42"},
};

enum { N_PARAMS = sizeof params / sizeof *params, N_VISIBLE = N_PARAMS - 1, HIDDEN = 2 };

static const struct demo demo = {.name = "fake", .params = params, .n_params = N_PARAMS};

static struct look look;

static int make_look(void **state)
{
    struct error error = {0};

    (void)state;
    return look_make(&look, THEME_DARK, "reds", NULL, &error) ? 0 : -1;
}

static struct stage stage_on(size_t selected)
{
    struct stage stage = {.demo = &demo, .param = selected};

    for (size_t i = 0; i < N_PARAMS; i++)
        assert_true(param_parse(&params[i], params[i].initial, &stage.values[i], NULL));
    return stage;
}

/* The panel as text, drawn in COLS x ROWS with a border of dots around it, which must stay. */
static struct buf drawn(size_t selected, int cols, int rows)
{
    const struct stage stage = stage_on(selected);
    const struct pen pen = look_pen(&look, ROLE_TEXT);
    struct frame frame = {0};
    struct buf text = {0};

    frame_reset(&frame, cols + 2, rows + 2, pen);
    area_fill(area_all(&frame, &look), pen, '.');
    const struct area inside = area_part(area_all(&frame, &look), 1, 1, cols, rows);
    area_fill(inside, pen, ' ');
    panel_draw(&stage, inside);
    for (int y = 0; y < rows + 2; y++) {
        for (int x = 0; x < cols + 2; x++) {
            if (x == 0 || y == 0 || x == cols + 1 || y == rows + 1)
                assert_int_equal(frame_at(&frame, x, y)->glyph, '.');
        }
    }
    frame_text(&frame, &text);
    frame_free(&frame);
    return text;
}

static bool shows(const struct buf *text, const char *what)
{
    return strstr(text->at, what) != NULL;
}

static void every_size_is_drawn_inside_its_area(void **state)
{
    (void)state;
    for (int rows = 1; rows <= 12; rows++) {
        for (int cols = 1; cols <= 130; cols += 3) {
            struct buf text = drawn((size_t)(cols + rows) % N_PARAMS, cols, rows);
            buf_free(&text);
        }
    }
}

static void the_selected_row_is_always_on_show(void **state)
{
    (void)state;
    for (size_t selected = 0; selected < N_PARAMS; selected++) {
        for (int rows = 1; rows <= 8 && selected != HIDDEN; rows++) {
            struct buf text = drawn(selected, 24, rows);
            char row[64];

            snprintf(row, sizeof row, "▸ %s ", params[selected].name);
            assert_true(shows(&text, row));
            buf_free(&text);
        }
    }
}

static void narrow_panels_hold_names_and_values(void **state)
{
    struct buf text = drawn(0, 24, N_VISIBLE);

    (void)state;
    assert_true(shows(&text, "18.0545."));
    assert_true(shows(&text, "0.5."));
    assert_true(shows(&text, "[half]."));
    assert_true(shows(&text, "1,3/2,4."));
    assert_false(shows(&text, "secret"));
    assert_false(shows(&text, "mean"));
    assert_false(shows(&text, "learning rate"));
    buf_free(&text);
}

static void wide_panels_add_labels_and_chips(void **state)
{
    struct buf text = drawn(4, 80, N_VISIBLE);

    (void)state;
    assert_true(shows(&text, "learning rate"));
    assert_true(shows(&text, " sum  [half]  mean"));
    assert_false(shows(&text, "how far"));
    buf_free(&text);
}

static void spare_rows_explain_the_selected_parameter(void **state)
{
    struct buf text = drawn(3, 80, N_VISIBLE + 2);

    (void)state;
    assert_true(shows(&text, "n: how many (2 to 5000)"));
    assert_false(shows(&text, "how far"));
    buf_free(&text);
}

static void low_and_wide_panels_use_two_columns(void **state)
{
    struct buf text = drawn(0, 100, N_VISIBLE / 2);
    const char *const first = text.at + 102 + 1;

    (void)state;
    for (size_t i = 0; i < N_PARAMS; i++) {
        if (i != HIDDEN)
            assert_true(shows(&text, params[i].name));
    }
    assert_non_null(strstr(first, "w "));
    assert_true(strstr(first, "loss") < strchr(first, '\n'));
    buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_is_drawn_inside_its_area),
        cmocka_unit_test(the_selected_row_is_always_on_show),
        cmocka_unit_test(narrow_panels_hold_names_and_values),
        cmocka_unit_test(wide_panels_add_labels_and_chips),
        cmocka_unit_test(spare_rows_explain_the_selected_parameter),
        cmocka_unit_test(low_and_wide_panels_use_two_columns),
    };

    return cmocka_run_group_tests(tests, make_look, NULL);
}
