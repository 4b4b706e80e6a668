#include "data/csv.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/buf.h"
#include "data/fields.h"
#include "data/lang.h"
#include "data/nearest.h"
#include "data/number.h"
#include "data/utf8.h"
#include "engine/mem.h"

enum {
    LEAST_ROWS = 3,
    ROWS_AT_ONCE = 4096, /* between two looks at whether to go on */
    NAMES_TOLD = 64,     /* columns looked at for "did you mean" */
    SAMPLE = 20,         /* records that tell numbers from words, */
    COLUMNS_SAMPLED = 64 /* in so many columns */
};

static const size_t none = SIZE_MAX;

struct reading {
    const char *name; /* the file's */
    struct fields fields;
    struct fields start; /* to read the first record again */
    struct error *error;
    struct progress progress;
    size_t n_columns;
    size_t x, y; /* the used columns; x may be none: the row's number */
    bool has_header;
    bool has_named_column; /* a column was asked for by its header */
    bool is_of_words[COLUMNS_SAMPLED];
    size_t n_words, words; /* columns passed over, and the first of them */
    struct decimal_signs signs;
    struct csv_left_out missing, infinite;
    size_t n_rows; /* read so far, those left out too */
    size_t capacity;
};

static bool is_number(const struct reading *reading, const struct field *field)
{
    double value;
    return fields_number(&reading->fields, field, &value);
}

/* The first record's field in COLUMN; an empty one if there is none. */
static struct field first_record_field(const struct reading *reading, size_t column)
{
    struct fields fields = reading->start;
    struct field field = {.at = "", .n = 0};
    fields_next_record(&fields);
    for (size_t i = 0; i <= column; i++) {
        if (!fields_next(&fields, &field))
            return (struct field){.at = "", .n = 0};
    }
    return field;
}

static bool first_record_has_words(const struct reading *reading)
{
    struct fields fields = reading->start;
    fields_next_record(&fields);
    for (struct field field; fields_next(&fields, &field);) {
        if (!is_number(reading, &field))
            return true;
    }
    return false;
}

/* The column whose header reads NAME, or none. */
static size_t column_named(const struct reading *reading, const char *name)
{
    char wanted[256], text[256];
    utf8_clean(wanted, sizeof wanted, name);
    struct fields fields = reading->start;
    struct field field;
    fields_next_record(&fields);
    for (size_t i = 0; i < reading->n_columns && fields_next(&fields, &field); i++) {
        if (strcmp(field_text(&field, text, sizeof text), wanted) == 0)
            return i;
    }
    return none;
}

static bool no_such_column(const struct reading *reading, const char *wanted)
{
    if (!first_record_has_words(reading))
        return error_set(reading->error, STATUS_USAGE,
                         _("%s: no column '%s', expected 1 to %zu (there is no header)"), reading->name,
                         wanted, reading->n_columns);
    char(*texts)[64] = mem_new(NAMES_TOLD, sizeof *texts);
    const char *names[NAMES_TOLD];
    char near[256];
    size_t n = 0;
    struct fields fields = reading->start;
    struct field field;
    for (fields_next_record(&fields); n < NAMES_TOLD && fields_next(&fields, &field); n++)
        names[n] = field_text(&field, texts[n], sizeof *texts);
    nearest_names(near, sizeof near, wanted, names, n < reading->n_columns ? n : reading->n_columns);
    free(texts);
    return error_set(reading->error, STATUS_USAGE, _("%s: no column '%s', expected %s"), reading->name,
                     wanted, near);
}

/* Finds the column that WANTED names by header or number. */
static bool find_column(struct reading *reading, const char *wanted, size_t *column)
{
    if (first_record_has_words(reading)) {
        *column = column_named(reading, wanted);
        if (*column != none) {
            reading->has_named_column = true;
            return true;
        }
    }
    double number;
    if (!number_parse(wanted, strlen(wanted), '.', &number) ||
        !(number >= 1 && number <= (double)reading->n_columns) || number != floor(number))
        return no_such_column(reading, wanted);
    *column = (size_t)number - 1;
    return true;
}

/* Finds the columns whose first rows hold words rather than numbers; a single word is a mistake. The first
 * record does not count, which may be a header. */
static void find_words(struct reading *reading)
{
    struct fields fields = reading->start;
    size_t records = 0, words[COLUMNS_SAMPLED] = {0};
    struct field field;
    fields_next_record(&fields);
    for (; records < SAMPLE && fields_next_record(&fields); records++)
        for (size_t i = 0; i < COLUMNS_SAMPLED && fields_next(&fields, &field); i++)
            words[i] += !is_number(reading, &field);
    for (size_t i = 0; i < COLUMNS_SAMPLED; i++)
        reading->is_of_words[i] = 2 * words[i] > records;
}

/* The first column of numbers from FROM on; none if there is none. */
static size_t next_of_numbers(const struct reading *reading, size_t from)
{
    while (from < reading->n_columns && from < COLUMNS_SAMPLED && reading->is_of_words[from])
        from++;
    return from < reading->n_columns && from < COLUMNS_SAMPLED ? from : none;
}

/* Notes which columns before the last used one were passed over for their words. */
static void note_words(struct reading *reading)
{
    size_t last = reading->x > reading->y ? reading->x : reading->y;
    for (size_t i = last; i-- > 0;) {
        if (i != reading->x && i != reading->y && i < COLUMNS_SAMPLED && reading->is_of_words[i]) {
            reading->words = i;
            reading->n_words++;
        }
    }
}

/* Chooses what is not asked for among several columns: of the first two that hold numbers x is the first and
 * y the second, or the other one where that is taken. Without two of them, any two, for a message that names
 * their words. */
static void choose_columns(struct reading *reading, bool wants_x, bool wants_y)
{
    find_words(reading);
    size_t first = next_of_numbers(reading, 0);
    size_t second = first == none ? none : next_of_numbers(reading, first + 1);
    if (second == none) {
        first = 0;
        second = 1;
    }
    if (wants_x)
        reading->x = reading->y == first ? second : first;
    if (wants_y)
        reading->y = reading->x == second ? first : second;
    note_words(reading);
}

/* Finds the columns that are asked for, and chooses the others. */
static bool find_columns(struct reading *reading, const char *x_column, const char *y_column)
{
    reading->x = reading->y = none;
    if ((*x_column && !find_column(reading, x_column, &reading->x)) ||
        (*y_column && !find_column(reading, y_column, &reading->y)))
        return false;
    bool is_alone = reading->n_columns == 1;
    if (is_alone && *x_column && !*y_column)
        return error_set(reading->error, STATUS_FAILED, _("%s: one column, expected two"), reading->name);
    if (is_alone && !*y_column)
        reading->y = 0;
    if (!is_alone && (!*x_column || !*y_column))
        choose_columns(reading, !*x_column, !*y_column);
    struct field x = first_record_field(reading, reading->x == none ? reading->y : reading->x);
    struct field y = first_record_field(reading, reading->y);
    reading->has_header = reading->has_named_column || !is_number(reading, &x) || !is_number(reading, &y);
    return true;
}

static struct csv_column identify(const struct reading *reading, size_t column)
{
    struct csv_column identity = {.place = column == none ? 0 : column + 1};
    struct field field = first_record_field(reading, column);
    if (column != none && reading->has_header && field.n > 0)
        field_text(&field, identity.header, sizeof identity.header);
    return identity;
}

const char *csv_column_name(const struct csv_column *column, char out[CSV_NAME])
{
    if (column->header[0])
        return strcpy(out, column->header);
    snprintf(out, CSV_NAME, column->place > 0 ? _("column %zu") : _("row"), column->place);
    return out;
}

/* Reads one record's used fields. */
static bool read_record(struct reading *reading, struct field *x, struct field *y)
{
    struct field field;
    size_t count = 0;
    bool last_is_empty = false;
    for (; fields_next(&reading->fields, &field); count++) {
        if (count == reading->x)
            *x = field;
        if (count == reading->y)
            *y = field;
        bool is_used = count == reading->x || count == reading->y;
        if ((is_used || reading->fields.separator != ',') &&
            !fields_note_decimal_sign(&reading->fields, &field, &reading->signs, reading->name,
                                      reading->error))
            return false;
        last_is_empty = field.n == 0;
    }
    return fields_check_count(&reading->fields, count, last_is_empty, reading->n_columns, reading->name,
                              reading->error);
}

static void leave_out(struct csv_left_out *rows, size_t line)
{
    if (rows->n < CSV_LINES_TOLD)
        rows->line[rows->n] = line;
    rows->n++;
}

/* Twice the room for points, as far as there is memory. */
static bool make_room(struct reading *reading, struct csv_points *out)
{
    size_t capacity = reading->capacity ? 2 * reading->capacity : 256;
    double *x = mem_try(capacity, sizeof *x), *y = mem_try(capacity, sizeof *y);
    if (!x || !y) {
        free(x);
        free(y);
        return error_set(reading->error, STATUS_FAILED, _("%s:%zu: not enough memory"), reading->name,
                         reading->fields.line);
    }
    if (out->n > 0) {
        memcpy(x, out->x, out->n * sizeof *x);
        memcpy(y, out->y, out->n * sizeof *y);
    }
    free(out->x);
    free(out->y);
    out->x = x;
    out->y = y;
    reading->capacity = capacity;
    return true;
}

static bool tell_progress(const struct reading *reading)
{
    const char *begin = reading->start.at, *end = reading->start.end;
    return progress_tell(reading->progress, (size_t)(reading->fields.at - begin), (size_t)(end - begin)) ||
           error_set(reading->error, STATUS_FAILED, _("%s: stopped before its end, nothing has changed"),
                     reading->name);
}

/* The number in FIELD of the record being read; where it is none, other columns may be meant. */
static bool read_number(struct reading *reading, const struct field *field, double *value)
{
    struct error error;
    if (fields_read_number(&reading->fields, field, reading->name, value, &error))
        return true;
    return reading->n_columns > 2
               ? error_set(reading->error, error.status, _("%s; x=... and y=... choose columns"), error.text)
               : error_set(reading->error, error.status, "%s", error.text);
}

static bool read_rows(struct reading *reading, struct csv_points *out)
{
    reading->fields = reading->start;
    if (reading->has_header)
        fields_next_record(&reading->fields);
    while (fields_next_record(&reading->fields)) {
        if (reading->n_rows % ROWS_AT_ONCE == 0 && !tell_progress(reading))
            return false;
        struct field x_field = {.at = ""}, y_field = {.at = ""};
        double x = (double)++reading->n_rows, y;
        if (!read_record(reading, &x_field, &y_field) ||
            (reading->x != none && !read_number(reading, &x_field, &x)) ||
            !read_number(reading, &y_field, &y))
            return false;
        if (isnan(x) || isnan(y)) {
            leave_out(&reading->missing, reading->fields.line);
        } else if (isinf(x) || isinf(y)) {
            leave_out(&reading->infinite, reading->fields.line);
        } else {
            if (out->n == reading->capacity && !make_room(reading, out))
                return false;
            out->x[out->n] = x;
            out->y[out->n++] = y;
        }
    }
    return true;
}

static void span(const double *at, size_t n, double *least, double *most)
{
    *least = *most = at[0];
    for (size_t i = 1; i < n; i++) {
        *least = fmin(*least, at[i]);
        *most = fmax(*most, at[i]);
    }
}

/* Whether a curve can be fitted to the points at all. */
static bool check_points(const struct reading *reading, const struct csv_points *points)
{
    if (points->n < LEAST_ROWS)
        return error_set(reading->error, STATUS_FAILED,
                         _("%s: rows with numbers: %zu of %zu, expected at least %d"), reading->name,
                         points->n, reading->n_rows, LEAST_ROWS);
    char text[NUMBER_TEXT], other[NUMBER_TEXT], column[CSV_NAME];
    double least, most;
    span(points->x, points->n, &least, &most);
    if (least == most)
        return error_set(reading->error, STATUS_FAILED,
                         _("%s: %s is %s in all %zu rows, expected different values"), reading->name,
                         csv_column_name(&points->guess.x, column), number_text(text, least), points->n);
    double y_least, y_most;
    span(points->y, points->n, &y_least, &y_most);
    bool is_x = !isfinite(most - least);
    if (!is_x && isfinite(y_most - y_least))
        return true;
    return error_set(reading->error, STATUS_FAILED,
                     _("%s: %s reaches from %s to %s, which is too far for a number"), reading->name,
                     csv_column_name(is_x ? &points->guess.x : &points->guess.y, column),
                     number_text(text, is_x ? least : y_least), number_text(other, is_x ? most : y_most));
}

static void tell_left_out(struct buf *note, const char *what, const struct csv_left_out *rows)
{
    if (rows->n == 0)
        return;
    buf_printf(note, "; %s: %zu (%s ", what, rows->n, rows->n == 1 ? _("line") : _("lines"));
    for (size_t i = 0; i < rows->n && i < CSV_LINES_TOLD; i++)
        buf_printf(note, i > 0 ? ", %zu" : "%zu", rows->line[i]);
    buf_puts(note, rows->n > CSV_LINES_TOLD ? ", ...)" : ")");
}

char *csv_guess_text(const struct csv_guess *guess, char *out, size_t size)
{
    struct buf note = {0};
    char x[CSV_NAME], y[CSV_NAME];
    buf_puts(&note, guess->n_columns > 1 ? fields_separator_words(guess->separator) : _("one column"));
    if (guess->has_decimal_comma)
        buf_printf(&note, ", %s", _("decimal comma"));
    buf_printf(&note, ", %s", guess->has_header ? _("header") : _("no header"));
    buf_printf(&note, "; x = %s, y = %s", csv_column_name(&guess->x, x), csv_column_name(&guess->y, y));
    if (guess->n_words > 0)
        buf_printf(&note, "; %s: %s%s", _("passed over as words"), csv_column_name(&guess->words, x),
                   guess->n_words > 1 ? ", ..." : "");
    if (guess->n_comments > 0)
        buf_printf(&note, "; %s: %zu", _("comment lines skipped"), guess->n_comments);
    tell_left_out(&note, _("left out as missing"), &guess->missing);
    tell_left_out(&note, _("left out as infinite"), &guess->infinite);
    utf8_clean(out, size, note.at);
    buf_free(&note);
    return out;
}

bool csv_points_parse(const char *name, const char *bytes, size_t n, const char *x_column,
                      const char *y_column, struct progress progress, struct csv_points *out,
                      struct error *error)
{
    *out = (struct csv_points){0};
    if (!fields_check_text(name, bytes, n, error))
        return false;
    struct reading reading = {.name = name, .error = error, .progress = progress};
    reading.start = fields_open(bytes, n, fields_guess_separator(bytes, n));
    size_t n_comments = fields_skip_to_rows(&reading.start);
    reading.fields = reading.start;
    reading.n_columns = fields_columns(reading.start);
    if (reading.n_columns == 0)
        return error_set(error, STATUS_FAILED, _("%s: empty, expected rows of numbers"), name);
    if (!find_columns(&reading, x_column, y_column))
        return false;
    out->guess.n_comments = n_comments;
    out->guess.n_words = reading.n_words;
    out->guess.words = identify(&reading, reading.words);
    out->guess.x = identify(&reading, reading.x);
    out->guess.y = identify(&reading, reading.y);
    if (!read_rows(&reading, out) || !check_points(&reading, out)) {
        csv_points_free(out);
        return false;
    }
    out->guess.n_columns = reading.n_columns;
    out->guess.separator = reading.fields.separator;
    out->guess.has_decimal_comma = reading.signs.comma_line > 0;
    out->guess.has_header = reading.has_header;
    out->guess.missing = reading.missing;
    out->guess.infinite = reading.infinite;
    return true;
}

void csv_points_free(struct csv_points *points)
{
    free(points->x);
    free(points->y);
    *points = (struct csv_points){0};
}
