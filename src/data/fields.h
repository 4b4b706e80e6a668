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

/* The separator that splits most of the first records; of equals, in this order: semicolon, tab, comma; a
 * blank if none of them splits any and the records are numbers with blanks between; else a comma. */
char fields_guess_separator(const char *bytes, size_t n);

/* Moves to the next record that is not a blank line; false at the end of the text. */
bool fields_next_record(struct fields *fields);

/* The record's next field; false at its end. */
bool fields_next(struct fields *fields, struct field *field);

/* Reads the rest of the record: its number of fields, and whether the last one is empty (a trailing
 * separator). */
size_t fields_count(struct fields *fields, bool *last_is_empty);

/* The field as text for people: unquoted, cleaned (utf8_clean), cut to SIZE bytes. Returns OUT. */
char *field_text(const struct field *field, char *out, size_t size);

#endif
