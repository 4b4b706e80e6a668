/* Splits separated values (RFC 4180 and what people make of it) into records and fields, without copying. */
#ifndef ATTNLAB_DATA_FIELDS_H
#define ATTNLAB_DATA_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "data/error.h"

/* A field within the bytes being read: blanks around it and the quotes are not part of it. */
struct field {
    const char *at;
    size_t n;
    bool is_quoted; /* a quote inside is then written twice */
};

struct fields {
    const char *at, *end;
    char separator; /* ',', ';', '\t', or ' ' for any run of blanks */
    size_t line;    /* of the record being read, from 1 */
    size_t next_line;
    bool is_more;        /* another field follows in this record */
    bool has_open_quote; /* the text ended inside a quoted field that began in this record */
};

/* Refuses what is not text in an encoding like UTF-8: UTF-16 and NUL bytes. NAME is for the message. */
bool fields_check_text(const char *name, const char *bytes, size_t n, struct error *error);

/* A reader at the start of N BYTES, past a byte order mark. */
struct fields fields_open(const char *bytes, size_t n, char separator);

/* Moves FIELDS, just opened, past the comments that a file may begin with: lines that start with '#', unless
 * a separator follows at once, which makes it a column's name. Returns how many there are. */
size_t fields_skip_comments(struct fields *fields);

/* The same, but the last comment stays as the first record, without its '#', if it names the columns, as
 * numpy.savetxt(header="x,y") writes it: it has as many fields as the first record after it, no numbers where
 * that has some, and is not several words over a single column. */
size_t fields_skip_to_rows(struct fields *fields);

/* The separator that splits most of the first records; of equals, in this order: semicolon, tab, comma. A
 * blank if none of them splits any, or only the commas of decimals do, and the records are numbers with
 * blanks between; else a comma. Comments at the beginning do not count. */
char fields_guess_separator(const char *bytes, size_t n);

/* Moves to the next record that is not a blank line; false at the end of the text. */
bool fields_next_record(struct fields *fields);

/* The record's next field; false at its end. */
bool fields_next(struct fields *fields, struct field *field);

/* Reads the rest of the record: its number of fields, and whether the last one is empty (a trailing
 * separator). */
size_t fields_count(struct fields *fields, bool *last_is_empty);

/* The number of columns of the records from FIELDS on: the fields of the first one. If its last field is
 * empty, that is a missing value or a separator that trails in every record; the next records tell. */
size_t fields_columns(struct fields fields);

/* Where a decimal point and a decimal comma were first seen: lines, 0 for nowhere. */
struct decimal_signs {
    size_t point_line, comma_line;
};

/* Keeps account of the decimal sign in FIELD of the record being read; false with an error if the file NAME
 * has both. Where commas separate, only a field in quotes can have a decimal comma. */
bool fields_note_decimal_sign(const struct fields *fields, const struct field *field,
                              struct decimal_signs *signs, const char *name, struct error *error);

/* Whether COUNT, the fields of the record being read, is N_COLUMNS, a trailing separator aside; else an error
 * that tells both. A quote that is never closed is an error too. */
bool fields_check_count(const struct fields *fields, size_t count, bool last_is_empty, size_t n_columns,
                        const char *name, struct error *error);

/* The field as a number, with a decimal comma too where commas do not separate or the field is in quotes; NaN
 * if it is missing (empty, a dash, NA, N/A, null, nan). False: no number. */
bool fields_number(const struct fields *fields, const struct field *field, double *value);

/* The same, but what is no number is an error that names it, and says so of thousands separators; so is a
 * number too large for a double (1e400), which fields_number reads as infinite. */
bool fields_read_number(const struct fields *fields, const struct field *field, const char *name,
                        double *value, struct error *error);

/* "comma-separated", translated. */
const char *fields_separator_words(char separator);

/* The field as text for people: unquoted, cleaned (utf8_clean), cut to SIZE bytes. Returns OUT. */
char *field_text(const struct field *field, char *out, size_t size);

#endif
