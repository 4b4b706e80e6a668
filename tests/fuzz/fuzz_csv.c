/* Two column choices, a line each, then the file. */
#include "input.h"

#include <math.h>

#include "data/csv.h"

static char *line_cut(char **rest)
{
    char *line = *rest;
    char *end = strchr(line, '\n');
    if (end) {
        *end = '\0';
        *rest = end + 1;
    } else {
        *rest = line + strlen(line);
    }
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char *text = input_text(bytes, n);
    char *rest = text;
    const char *x_column = line_cut(&rest);
    const char *y_column = line_cut(&rest);
    struct csv_points points = {0};
    struct error error = {0};
    if (csv_points_parse("file.csv", rest, (size_t)(text + n - rest), x_column, y_column,
                         (struct progress){0}, &points, &error)) {
        assert(points.n > 0);
        for (size_t i = 0; i < points.n; i++)
            assert(isfinite(points.x[i]) && isfinite(points.y[i]));
        char note[256];
        assert(!strchr(csv_guess_text(&points.guess, note, sizeof note), '\n'));
    } else {
        assert(error.status != STATUS_OK);
        assert(strncmp(error.text, "file.csv", strlen("file.csv")) == 0);
    }
    csv_points_free(&points);
    free(text);
    return 0;
}
