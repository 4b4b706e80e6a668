#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "on_stage.h"

#include "demos/demo.h"
#include "engine/mem.h"
#include "session/print.h"

enum { SETTINGS_MAX = 16 };

static struct session *open_session(const char *demo, const char *file, const char *settings,
                                    struct error *error)
{
    char text[512] = "";
    const char *setting[SETTINGS_MAX];
    size_t n = 0;
    char *rest = text;
    snprintf(text, sizeof text, "%s", settings ? settings : "");
    for (char *word = strtok_r(text, " ", &rest); word && n < SETTINGS_MAX; word = strtok_r(NULL, " ", &rest))
        setting[n++] = word;
    struct session_options options = {.demo = demo, .file = file, .settings = setting, .n_settings = n};
    if (!look_make(&options.look, THEME_DARK, "reds", NULL, error))
        return NULL;
    return session_new(&options, error);
}

struct session *on_stage_file(const char *demo, const char *file, const char *settings)
{
    struct error error = {0};
    struct session *session = open_session(demo, file, settings, &error);
    if (!session)
        fail_msg("%s: %s", demo, error.text);
    session_settle(session);
    return session;
}

struct session *on_stage(const char *demo, const char *settings)
{
    return on_stage_file(demo, NULL, settings);
}

struct error on_stage_refused(const char *demo, const char *settings)
{
    struct error error = {0};
    struct session *session = open_session(demo, NULL, settings, &error);
    if (session)
        fail_msg("%s %s was accepted", demo, settings);
    return error;
}

void perform(struct session *session, const char *line)
{
    struct error error = {0};
    if (!session_command(session, line, &error))
        fail_msg("%s: %s", line, error.text);
}

struct error refused(struct session *session, const char *line)
{
    struct error error = {0};
    if (session_command(session, line, &error))
        fail_msg("%s was accepted", line);
    assert_true(error.text[0] != '\0');
    return error;
}

struct table table_of(const struct session *session, const char *name)
{
    const struct stage *stage = session_stage(session);
    for (size_t i = 0; i < stage->demo->n_tables; i++)
        if (strcmp(stage->demo->tables[i].name, name) == 0)
            return stage->demo->tables[i].make(stage);
    fail_msg("%s has no table %s", stage->demo->name, name);
    return (struct table){0};
}

const double *column(const struct table *table, const char *name)
{
    for (size_t i = 0; i < table->n_columns; i++)
        if (table->column[i].name && strcmp(table->column[i].name, name) == 0)
            return table->column[i].number;
    fail_msg("no column %s", name);
    return NULL;
}

double *matrix_values(const struct table *table)
{
    double *at = mem_new(table->n_rows * table->n_columns, sizeof *at);
    assert_true(table->is_matrix);
    for (size_t row = 0; row < table->n_rows; row++)
        for (size_t col = 0; col < table->n_columns; col++)
            at[row * table->n_columns + col] = table->column[col].number[row];
    return at;
}

static double *values_of(const struct session *session, const char *name, size_t *n)
{
    struct table table = table_of(session, name);
    double *at = matrix_values(&table);
    *n = table.n_rows * table.n_columns;
    table_free(&table);
    return at;
}

void assert_table_close(const struct session *session, const char *name, const double *expected, size_t n,
                        double tolerance)
{
    size_t n_got;
    double *got = values_of(session, name, &n_got);
    assert_int_equal(n_got, n);
    for (size_t i = 0; i < n; i++)
        if (!(fabs(got[i] - expected[i]) <= tolerance + 10 * tolerance * fabs(expected[i])))
            fail_msg("%s[%zu] is %.17g, not %.17g", name, i, got[i], expected[i]);
    free(got);
}

void assert_golden_table(const struct session *session, const char *name, const char *file,
                         const char *tensor)
{
    struct golden expected = golden_load(file, tensor);
    assert_table_close(session, name, expected.at, expected.n, 1e-6);
    golden_free(&expected);
}

void assert_golden_column(const struct session *session, const char *table, const char *name,
                          const char *file, const char *tensor)
{
    struct golden expected = golden_load(file, tensor);
    struct table got = table_of(session, table);
    golden_assert_close(column(&got, name), got.n_rows, &expected, 1e-6, 1e-5);
    table_free(&got);
    golden_free(&expected);
}

void assert_same_table(const struct session *a, const struct session *b, const char *name)
{
    size_t n_a, n_b;
    double *x = values_of(a, name, &n_a), *y = values_of(b, name, &n_b);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(x, y, n_a * sizeof *x);
    free(x);
    free(y);
}

char *printed(struct session *session, const char *format, int cols, int rows)
{
    struct buf out = {0};
    struct error error = {0};
    struct print_request request = {.format = format, .cols = cols, .rows = rows};
    if (!print_session(session, &request, &out, &error))
        fail_msg("%s: %s", format, error.text);
    return out.at;
}

char *screen_text(struct session *session, int cols, int rows)
{
    return printed(session, "text", cols, rows);
}

static void assert_screen(struct session *session, const char *text, bool expected)
{
    char *screen = screen_text(session, 120, 40);
    if ((strstr(screen, text) != NULL) != expected)
        fail_msg("\"%s\" is %son screen:\n%s", text, expected ? "not " : "", screen);
    free(screen);
}

void assert_on_screen(struct session *session, const char *text)
{
    assert_screen(session, text, true);
}

void assert_not_on_screen(struct session *session, const char *text)
{
    assert_screen(session, text, false);
}
