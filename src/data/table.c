#include "data/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/number.h"
#include "data/utf8.h"
#include "engine/mem.h"

struct table table_new(size_t n_rows)
{
    return (struct table){.n_rows = n_rows};
}

/* A copy without control characters: each byte becomes at most the three of U+FFFD. */
static char *clean_copy(const char *text)
{
    size_t size = 3 * strlen(text) + 1;
    return utf8_clean(mem_new(size, 1), size, text);
}

static struct table_column *add_column(struct table *table, const char *name)
{
    size_t n = table->n_columns;
    if ((n & (n - 1)) == 0) /* full at every power of two, so that many columns are not copied each time */
        table->column = mem_grow(table->column, n > 0 ? 2 * n : 1, sizeof *table->column);
    struct table_column *column = &table->column[table->n_columns++];
    *column = (struct table_column){.name = clean_copy(name)};
    return column;
}

double *table_add_numbers(struct table *table, const char *name)
{
    struct table_column *column = add_column(table, name);
    column->number = mem_new(table->n_rows, sizeof *column->number);
    for (size_t row = 0; row < table->n_rows; row++)
        column->number[row] = (double)NAN;
    return column->number;
}

size_t table_add_texts(struct table *table, const char *name)
{
    struct table_column *column = add_column(table, name);
    column->is_text = true;
    column->text = mem_new(table->n_rows, sizeof *column->text);
    return table->n_columns - 1;
}

void table_set_text(struct table *table, size_t column, size_t row, const char *text)
{
    char **place = &table->column[column].text[row];
    free(*place);
    *place = clean_copy(text);
}

struct table table_from_matrix(const double *at, size_t rows, size_t cols)
{
    struct table table = table_new(rows);
    table.is_matrix = true;
    for (size_t c = 0; c < cols; c++) {
        double *number = table_add_numbers(&table, "");
        for (size_t r = 0; r < rows; r++)
            number[r] = at[r * cols + c];
    }
    return table;
}

void table_free(struct table *table)
{
    for (size_t c = 0; c < table->n_columns; c++) {
        struct table_column *column = &table->column[c];
        for (size_t r = 0; column->is_text && r < table->n_rows; r++)
            free(column->text[r]);
        free(column->text);
        free(column->number);
        free(column->name);
    }
    free(table->column);
    *table = (struct table){0};
}

static void csv_text(const char *text, struct buf *out)
{
    if (!strpbrk(text, ",\"") && *text != ' ' && (*text == '\0' || text[strlen(text) - 1] != ' ')) {
        buf_puts(out, text);
        return;
    }
    buf_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            buf_putc(out, '"');
        buf_putc(out, *text);
    }
    buf_putc(out, '"');
}

/* In a matrix every field is a number, as numpy.loadtxt wants it; elsewhere a missing one is an empty field.
 */
static void csv_cell(const struct table_column *column, size_t row, bool is_matrix, struct buf *out)
{
    char number[NUMBER_TEXT];
    if (column->is_text)
        csv_text(column->text[row] ? column->text[row] : "", out);
    else if (is_matrix || !isnan(column->number[row]))
        buf_puts(out, number_text(number, column->number[row]));
}

static void csv_end_row(const struct table *table, size_t start, struct buf *out)
{
    /* The empty field of a single column would be a blank line, which readers skip. */
    if (table->n_columns == 1 && out->len == start)
        buf_puts(out, "\"\"");
    buf_putc(out, '\n');
}

void table_csv(const struct table *table, struct buf *out)
{
    if (table->n_columns == 0)
        return;
    size_t start = out->len;
    for (size_t c = 0; !table->is_matrix && c < table->n_columns; c++) {
        if (c > 0)
            buf_putc(out, ',');
        csv_text(table->column[c].name, out);
    }
    if (!table->is_matrix)
        csv_end_row(table, start, out);
    for (size_t r = 0; r < table->n_rows; r++) {
        start = out->len;
        for (size_t c = 0; c < table->n_columns; c++) {
            if (c > 0)
                buf_putc(out, ',');
            csv_cell(&table->column[c], r, table->is_matrix, out);
        }
        csv_end_row(table, start, out);
    }
}

void json_string(const char *text, struct buf *out)
{
    buf_putc(out, '"');
    while (*text) {
        char bytes[5];
        uint32_t character = utf8_next(&text);
        if (character == '"' || character == '\\')
            buf_printf(out, "\\%c", (int)character);
        else if (character < 0x20 || (character >= 0x7F && character < 0xA0))
            buf_printf(out, "\\u%04x", (unsigned)character);
        else
            buf_add(out, bytes, utf8_put(character, bytes));
    }
    buf_putc(out, '"');
}

static void json_cell(const struct table_column *column, size_t row, struct buf *out)
{
    char number[NUMBER_TEXT];
    if (column->is_text && column->text[row])
        json_string(column->text[row], out);
    else if (!column->is_text && isfinite(column->number[row]))
        buf_puts(out, number_text(number, column->number[row]));
    else
        buf_puts(out, "null");
}

static void json_matrix(const struct table *table, struct buf *out)
{
    buf_putc(out, '[');
    for (size_t r = 0; r < table->n_rows; r++) {
        buf_puts(out, r > 0 ? ", [" : "[");
        for (size_t c = 0; c < table->n_columns; c++) {
            if (c > 0)
                buf_puts(out, ", ");
            json_cell(&table->column[c], r, out);
        }
        buf_putc(out, ']');
    }
    buf_putc(out, ']');
}

static void json_columns(const struct table *table, struct buf *out)
{
    buf_putc(out, '{');
    for (size_t c = 0; c < table->n_columns; c++) {
        if (c > 0)
            buf_puts(out, ", ");
        json_string(table->column[c].name, out);
        buf_puts(out, ": [");
        for (size_t r = 0; r < table->n_rows; r++) {
            if (r > 0)
                buf_puts(out, ", ");
            json_cell(&table->column[c], r, out);
        }
        buf_putc(out, ']');
    }
    buf_putc(out, '}');
}

void table_json(const struct table *table, struct buf *out)
{
    if (table->is_matrix)
        json_matrix(table, out);
    else
        json_columns(table, out);
}
