#include "golden.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* The line "NAME <TAB> ..." of FILE, owned; NULL if there is none. */
static char *find_line(FILE *file, const char *name)
{
    const size_t n = strlen(name);
    char *line = NULL;
    size_t capacity = 0;

    while (getline(&line, &capacity, file) >= 0)
        if (strncmp(line, name, n) == 0 && line[n] == '\t')
            return line;
    free(line);
    return NULL;
}

/* Reads "AxBxC" and returns what follows it. */
static char *parse_shape(char *text, struct golden *golden)
{
    golden->n = 1;
    for (;;) {
        const size_t size = strtoul(text, &text, 10);

        assert_true(golden->rank < sizeof(golden->shape) / sizeof(golden->shape[0]));
        golden->shape[golden->rank++] = size;
        golden->n *= size;
        if (*text != 'x')
            return text;
        text++;
    }
}

struct golden golden_load(const char *file, const char *name)
{
    struct golden golden = {0};
    char path[1024], *line, *text;
    FILE *in;

    snprintf(path, sizeof(path), "%s/%s", GOLDEN_DIR, file);
    in = fopen(path, "r");
    if (!in)
        fail_msg("%s cannot be read", path);
    line = find_line(in, name);
    fclose(in);
    if (!line)
        fail_msg("%s has no tensor %s", path, name);
    text = parse_shape(line + strlen(name) + 1, &golden);
    golden.at = calloc(golden.n, sizeof(double));
    assert_non_null(golden.at);
    for (size_t i = 0; i < golden.n; i++) {
        char *const start = text;

        golden.at[i] = ends_with(name, "_f64") ? strtod(start, &text) : (double)strtof(start, &text);
        if (text == start)
            fail_msg("%s: %s has %zu of %zu values", path, name, i, golden.n);
    }
    free(line);
    return golden;
}

void golden_assert_close(const double *got, size_t n, const struct golden *expected, double abs, double rel)
{
    assert_int_equal(n, expected->n);
    for (size_t i = 0; i < n; i++)
        if (!(fabs(got[i] - expected->at[i]) <= abs + rel * fabs(expected->at[i])))
            fail_msg("value %zu is %.17g, expected %.17g", i, got[i], expected->at[i]);
}

void golden_assert_tensor(const char *file, const char *name, const double *got, double abs, double rel)
{
    struct golden expected = golden_load(file, name);

    golden_assert_close(got, expected.n, &expected, abs, rel);
    golden_free(&expected);
}

void golden_assert_same_floats(const float *got, size_t n, const struct golden *expected)
{
    assert_int_equal(n, expected->n);
    for (size_t i = 0; i < n; i++) {
        const float want = (float)expected->at[i];

        if (memcmp(&got[i], &want, sizeof(want)) != 0)
            fail_msg("value %zu is %.9g, expected %.9g", i, (double)got[i], (double)want);
    }
}

void golden_free(struct golden *golden)
{
    free(golden->at);
    *golden = (struct golden){0};
}
