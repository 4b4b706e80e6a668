#include "data/csv_matrix.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/buf.h"
#include "data/fields.h"
#include "data/lang.h"
#include "data/utf8.h"
#include "engine/mem.h"

struct reading {
    const char *name; /* the file's */
    struct error *error;
    struct fields start;
    bool has_header;     /* the first record labels the columns */
    bool has_row_labels; /* the first column labels the rows */
    size_t n_header;     /* fields of the first record */
    size_t n_fields;     /* of the other records, row labels counted */
    size_t n_records;    /* the header not counted */
    struct decimal_signs signs;
};

static bool is_word(const struct fields *fields, const struct field *field)
{
    double value;
    return !fields_number(fields, field, &value);
}

/* ---- what the file looks like */

/* The first record: its fields, how many of them are words, whether the first is empty and the others are 0,
 * 1, 2, ... */
struct first_record {
    size_t n, n_words;
    bool has_empty_corner, is_numbered;
};

static struct first_record look_at_first(struct fields fields)
{
    struct first_record first = {.is_numbered = true};
    struct field field;
    double value;
    for (fields_next_record(&fields); fields_next(&fields, &field); first.n++) {
        first.n_words += is_word(&fields, &field);
        if (first.n == 0)
            first.has_empty_corner = field.n == 0;
        else
            first.is_numbered &= fields_number(&fields, &field, &value) && value == (double)first.n - 1;
    }
    first.is_numbered &= first.has_empty_corner && first.n > 1;
    return first;
}

/* Counts the records from FIELDS on, and those among them whose first field is a word, or their number from
 * 0. */
static void look_at_records(struct fields fields, size_t *n, size_t *n_words, size_t *n_numbered)
{
    struct field field;
    double value;
    for (*n = *n_words = *n_numbered = 0; fields_next_record(&fields); ++*n) {
        if (!fields_next(&fields, &field))
            continue;
        if (!fields_number(&fields, &field, &value))
            ++*n_words;
        else
            *n_numbered += value == (double)*n;
    }
}

static void find_labels(struct reading *reading)
{
    struct first_record first = look_at_first(reading->start);
    struct fields rest = reading->start;
    size_t n_words, n_numbered;
    fields_next_record(&rest);
    look_at_records(rest, &reading->n_records, &n_words, &n_numbered);

    bool is_numbered = first.is_numbered && reading->n_records > 0 && n_numbered == reading->n_records;
    reading->has_header = is_numbered || 2 * first.n_words > first.n - first.has_empty_corner;
    reading->n_header = fields_columns(reading->start);
    if (!reading->has_header) {
        rest = reading->start;
        look_at_records(rest, &reading->n_records, &n_words, &n_numbered);
    }
    reading->n_fields = fields_columns(rest);
    bool has_no_corner = reading->n_header + 1 == reading->n_fields;
    reading->has_row_labels =
        reading->n_fields > 1 && (2 * n_words > reading->n_records ||
                                  (reading->has_header && (first.has_empty_corner || has_no_corner)));
}

/* Where the rows begin. */
static struct fields first_row(const struct reading *reading)
{
    struct fields fields = reading->start;
    if (reading->has_header)
        fields_next_record(&fields);
    return fields;
}

static bool check_shape(const struct reading *reading)
{
    struct fields fields = reading->start;
    if (reading->n_records == 0)
        return error_set(reading->error, STATUS_FAILED,
                         _("%s: labels without rows, expected rows of numbers"), reading->name);
    if (!reading->has_header || reading->n_header == reading->n_fields ||
        (reading->has_row_labels && reading->n_header + 1 == reading->n_fields))
        return true;
    /* The header counts as the one that is right: a row that lost a field is likelier. */
    fields_next_record(&fields);
    fields_next_record(&fields);
    return fields_check_count(&fields, reading->n_fields, false, reading->n_header, reading->name,
                              reading->error);
}

/* ---- reading */

static bool out_of_memory(const struct reading *reading)
{
    return error_set(reading->error, STATUS_FAILED, _("%s: not enough memory"), reading->name);
}

/* Makes LABELS ready for N labels; how long they are, only the whole file bounds. */
static bool make_room(const struct reading *reading, struct labels *labels, size_t n)
{
    return labels_reserve(labels, n, (size_t)(reading->start.end - reading->start.at)) ||
           out_of_memory(reading);
}

static bool read_header(const struct reading *reading, struct csv_matrix *out)
{
    struct fields fields = reading->start;
    struct field field;
    char text[LABEL_MAX];
    if (!make_room(reading, &out->col_label, out->cols))
        return false;
    fields_next_record(&fields);
    bool has_corner = reading->has_row_labels && reading->n_header == reading->n_fields;
    if (has_corner)
        fields_next(&fields, &field);
    while (out->col_label.n < out->cols && fields_next(&fields, &field))
        labels_add(&out->col_label, field_text(&field, text, sizeof text));
    return true;
}

/* Reads the record at *FIELDS as row ROW. */
static bool read_row(struct reading *reading, struct fields *fields, size_t row, struct csv_matrix *out)
{
    struct field field;
    char text[LABEL_MAX];
    size_t first = reading->has_row_labels, count = 0;
    bool last_is_empty = false;
    for (; fields_next(fields, &field); count++) {
        last_is_empty = field.n == 0;
        if (count < first)
            labels_add(&out->row_label, field_text(&field, text, sizeof text));
        if (count < first || count >= reading->n_fields)
            continue;
        double *value = out->at + row * out->cols + count - first;
        if (!fields_note_decimal_sign(fields, &field, &reading->signs, reading->name, reading->error) ||
            !fields_read_number(fields, &field, reading->name, value, reading->error))
            return false;
    }
    return fields_check_count(fields, count, last_is_empty, reading->n_fields, reading->name, reading->error);
}

/* Whether all rows are as long as the first one; only then their number says how many cells the file holds.
 */
static bool check_rows(const struct reading *reading)
{
    struct fields fields = first_row(reading);
    while (fields_next_record(&fields)) {
        bool last_is_empty;
        size_t count = fields_count(&fields, &last_is_empty);
        if (!fields_check_count(&fields, count, last_is_empty, reading->n_fields, reading->name,
                                reading->error))
            return false;
    }
    return true;
}

static bool read_all(struct reading *reading, struct csv_matrix *out)
{
    out->rows = reading->n_records;
    out->cols = reading->n_fields - reading->has_row_labels;
    out->at = out->rows <= SIZE_MAX / out->cols ? mem_try(out->rows * out->cols, sizeof *out->at) : NULL;
    if (!out->at)
        return out_of_memory(reading);
    if ((reading->has_header && !read_header(reading, out)) ||
        (reading->has_row_labels && !make_room(reading, &out->row_label, out->rows)))
        return false;
    struct fields fields = first_row(reading);
    for (size_t row = 0; fields_next_record(&fields); row++) {
        if (!read_row(reading, &fields, row, out))
            return false;
    }
    return true;
}

static const char *label_words(bool has_rows, bool has_columns)
{
    if (has_rows && has_columns)
        return _("labels of rows and columns");
    if (has_columns)
        return _("labels of columns");
    return has_rows ? _("labels of rows") : _("no labels");
}

char *csv_matrix_text(const struct csv_matrix *matrix, char *out, size_t size)
{
    int n =
        snprintf(out, size, "%s%s%s, %s",
                 matrix->separator ? fields_separator_words(matrix->separator) : _("one column"),
                 matrix->has_decimal_comma ? ", " : "", matrix->has_decimal_comma ? _("decimal comma") : "",
                 label_words(matrix->row_label.n > 0, matrix->col_label.n > 0));
    if (matrix->n_comments > 0 && n >= 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ", %s: %zu", _("comment lines skipped"), matrix->n_comments);
    return out;
}

bool csv_matrix_parse(const char *name, const char *bytes, size_t n, struct csv_matrix *out,
                      struct error *error)
{
    *out = (struct csv_matrix){0};
    if (!fields_check_text(name, bytes, n, error))
        return false;
    struct reading reading = {.name = name, .error = error};
    reading.start = fields_open(bytes, n, fields_guess_separator(bytes, n));
    size_t n_comments = fields_skip_to_rows(&reading.start);
    struct fields fields = reading.start;
    if (!fields_next_record(&fields))
        return error_set(error, STATUS_FAILED, _("%s: empty, expected rows of numbers"), name);
    find_labels(&reading);
    if (check_shape(&reading) && check_rows(&reading) && read_all(&reading, out)) {
        out->separator = reading.n_fields > 1 ? reading.start.separator : '\0';
        out->has_decimal_comma = reading.signs.comma_line > 0;
        out->n_comments = n_comments;
        return true;
    }
    csv_matrix_free(out);
    return false;
}

void csv_matrix_free(struct csv_matrix *matrix)
{
    free(matrix->at);
    labels_free(&matrix->row_label);
    labels_free(&matrix->col_label);
    *matrix = (struct csv_matrix){0};
}
