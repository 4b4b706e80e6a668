#include "data/labels.h"

#include <stdlib.h>
#include <string.h>

#include "data/fields.h"
#include "data/lang.h"
#include "data/utf8.h"
#include "engine/mem.h"

/* A bad byte becomes the three of U+FFFD. */
enum { CLEANED_AT_MOST = 3 };

bool labels_reserve(struct labels *labels, size_t n, size_t bytes)
{
    bool are_long = n <= bytes / LABEL_MAX;
    labels->start = mem_try(n, sizeof *labels->start);
    labels->text = are_long ? mem_try(n, LABEL_MAX) : mem_try(bytes + n, CLEANED_AT_MOST);
    if (labels->start && labels->text)
        return true;
    labels_free(labels);
    return false;
}

void labels_add(struct labels *labels, const char *text)
{
    size_t size = strlen(text) + 1;
    labels->start[labels->n++] = labels->used;
    memcpy(labels->text + labels->used, text, size);
    labels->used += size;
}

/* The length of the line at AT; *NEXT is where the one after it begins. */
static size_t line_length(const char *at, const char *end, const char **next)
{
    const char *stop = at;
    while (stop < end && *stop != '\n' && *stop != '\r')
        stop++;
    *next = stop == end ? end : stop + (*stop == '\r' && stop + 1 < end && stop[1] == '\n' ? 2 : 1);
    return (size_t)(stop - at);
}

/* The number of lines, without blank ones at the end. */
static size_t count_lines(const char *at, const char *end)
{
    size_t lines = 0, filled = 0;
    while (at < end) {
        const char *line = at;
        size_t length = line_length(line, end, &at);
        lines++;
        for (size_t i = 0; i < length; i++) {
            if (line[i] != ' ' && line[i] != '\t')
                filled = lines;
        }
    }
    return filled;
}

static void add_line(struct labels *labels, const char *line, size_t length)
{
    char raw[LABEL_MAX], clean[LABEL_MAX];
    while (length > 0 && (*line == ' ' || *line == '\t')) {
        line++;
        length--;
    }
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        length--;
    size_t n = length < sizeof raw ? length : sizeof raw - 1;
    memcpy(raw, line, n);
    raw[n] = '\0';
    labels_add(labels, utf8_clean(clean, sizeof clean, raw));
}

bool labels_parse(const char *name, const char *bytes, size_t n, struct labels *out, struct error *error)
{
    *out = (struct labels){0};
    if (!fields_check_text(name, bytes, n, error))
        return false;
    const char *at = fields_open(bytes, n, ',').at, *end = bytes + n;
    size_t lines = count_lines(at, end);
    if (lines == 0)
        return error_set(error, STATUS_FAILED, _("%s: empty, expected one label a line"), name);
    if (!labels_reserve(out, lines, n))
        return error_set(error, STATUS_FAILED, _("%s: not enough memory"), name);
    for (size_t i = 0; i < lines; i++) {
        const char *line = at;
        size_t length = line_length(line, end, &at);
        add_line(out, line, length);
    }
    return true;
}

struct labels labels_copy(const struct labels *labels)
{
    struct labels copy = *labels;
    copy.start = labels->n > 0 ? mem_copy(labels->start, labels->n, sizeof *labels->start) : NULL;
    copy.text = labels->n > 0 ? mem_copy(labels->text, labels->used, 1) : NULL;
    return copy;
}

const char *labels_at(const struct labels *labels, size_t i)
{
    return i < labels->n ? labels->text + labels->start[i] : "";
}

void labels_free(struct labels *labels)
{
    free(labels->start);
    free(labels->text);
    *labels = (struct labels){0};
}
