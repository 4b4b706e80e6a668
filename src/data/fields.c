#include "data/fields.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "data/lang.h"
#include "data/number.h"
#include "data/utf8.h"

enum { SAMPLE = 20 }; /* records that a guess is based on */

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* A blank that is not the separator. */
static bool is_padding(const struct fields *fields, char c)
{
    return (c == ' ' || c == '\t') && c != fields->separator;
}

static bool is_field_end(const struct fields *fields, char c)
{
    return is_line_end(c) || c == fields->separator || (c == '\t' && fields->separator == ' ');
}

/* Past the line end at AT, which is LF, CR or both. */
static const char *after_line_end(const char *at, const char *end)
{
    return at + (at[0] == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1);
}

static size_t lines_between(const char *at, const char *end)
{
    size_t lines = 0;
    while (at < end) {
        if (is_line_end(*at)) {
            lines++;
            at = after_line_end(at, end);
        } else {
            at++;
        }
    }
    return lines;
}

bool fields_check_text(const char *name, const char *bytes, size_t n, struct error *error)
{
    if (n >= 2 && (memcmp(bytes, "\xFE\xFF", 2) == 0 || memcmp(bytes, "\xFF\xFE", 2) == 0))
        return error_set(error, STATUS_FAILED, _("%s: UTF-16 text, expected UTF-8"), name);
    const char *nul = n > 0 ? memchr(bytes, '\0', n) : NULL;
    if (!nul)
        return true;
    if (nul < bytes + 2)
        return error_set(error, STATUS_FAILED, _("%s: UTF-16 text or no text at all, expected UTF-8"), name);
    return error_set(error, STATUS_FAILED, _("%s:%zu: a NUL byte, expected text in UTF-8"), name,
                     lines_between(bytes, nul) + 1);
}

struct fields fields_open(const char *bytes, size_t n, char separator)
{
    const char *at = n >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? bytes + 3 : bytes;
    return (struct fields){.at = at, .end = bytes + n, .separator = separator, .next_line = 1};
}

/* Skips the comments that a file may begin with; LAST is where the last one begins. */
static size_t skip_comments(struct fields *fields, struct fields *last)
{
    size_t comments = 0;
    while (fields->at < fields->end) {
        const char *at = fields->at, *end = fields->end;
        bool is_name = at + 1 < end && (at[1] == ',' || at[1] == ';' || at[1] == '\t');
        if (!is_line_end(*at) && (*at != '#' || is_name))
            break;
        comments += *at == '#';
        if (*at == '#')
            *last = *fields;
        while (at < end && !is_line_end(*at))
            at++;
        fields->at = at < end ? after_line_end(at, end) : end;
        fields->next_line++;
    }
    return comments;
}

size_t fields_skip_comments(struct fields *fields)
{
    struct fields last;
    return skip_comments(fields, &last);
}

bool fields_next_record(struct fields *fields)
{
    struct field field;
    while (fields_next(fields, &field))
        ;
    const char *at = fields->at;
    while (at < fields->end) {
        if (is_line_end(*at)) {
            at = after_line_end(at, fields->end);
            fields->at = at;
            fields->next_line++;
        } else if (*at == ' ' || *at == '\t') {
            at++;
        } else {
            break;
        }
    }
    /* Blanks before the first field may be separators: they are part of the record. */
    if (at == fields->end)
        fields->at = at;
    fields->line = fields->next_line;
    fields->is_more = at < fields->end;
    return fields->is_more;
}

/* The end of the quoted text that starts at AT: its closing quote, or NULL. */
static const char *closing_quote(const char *at, const char *end)
{
    while ((at = memchr(at, '"', (size_t)(end - at)))) {
        if (at + 1 == end || at[1] != '"')
            return at;
        at += 2;
    }
    return NULL;
}

/* Takes the quoted field at fields->at, if nothing but blanks follows its closing quote. */
static bool take_quoted(struct fields *fields, struct field *field)
{
    const char *open = fields->at + 1, *end = fields->end;
    const char *close = closing_quote(open, end);
    if (!close) {
        fields->has_open_quote = true;
        return false;
    }
    const char *after = close + 1;
    while (after < end && is_padding(fields, *after))
        after++;
    if (after < end && !is_field_end(fields, *after))
        return false;
    fields->next_line += lines_between(open, close);
    *field = (struct field){open, (size_t)(close - open), true};
    fields->at = after;
    return true;
}

static void take_plain(struct fields *fields, struct field *field)
{
    const char *start = fields->at, *at = start;
    while (at < fields->end && !is_field_end(fields, *at))
        at++;
    fields->at = at;
    while (at > start && is_padding(fields, at[-1]))
        at--;
    *field = (struct field){start, (size_t)(at - start), false};
}

static void skip_padding(struct fields *fields)
{
    while (fields->at < fields->end &&
           (is_padding(fields, *fields->at) || (fields->separator == ' ' && *fields->at == ' ')))
        fields->at++;
}

/* Decides after a field whether another one follows, and moves past what ends it. */
static void pass_separator(struct fields *fields)
{
    if (fields->separator == ' ')
        skip_padding(fields);
    fields->is_more = fields->at < fields->end && !is_line_end(*fields->at);
    if (fields->is_more && fields->separator != ' ')
        fields->at++;
    if (!fields->is_more && fields->at < fields->end) {
        fields->at = after_line_end(fields->at, fields->end);
        fields->next_line++;
    }
}

bool fields_next(struct fields *fields, struct field *field)
{
    if (!fields->is_more)
        return false;
    skip_padding(fields);
    bool is_quoted = fields->at < fields->end && *fields->at == '"';
    /* After an open quote has been found there are no closed ones; looking again would take quadratic time.
     */
    if (!is_quoted || fields->has_open_quote || !take_quoted(fields, field))
        take_plain(fields, field);
    pass_separator(fields);
    return true;
}

size_t fields_count(struct fields *fields, bool *last_is_empty)
{
    size_t count = 0;
    struct field field;
    *last_is_empty = false;
    for (; fields_next(fields, &field); count++)
        *last_is_empty = field.n == 0;
    return count;
}

size_t fields_columns(struct fields fields)
{
    bool last_is_empty;
    fields_next_record(&fields);
    size_t n_columns = fields_count(&fields, &last_is_empty);
    if (n_columns < 2 || !last_is_empty)
        return n_columns;
    for (size_t records = 0; records < SAMPLE && fields_next_record(&fields); records++) {
        size_t n = fields_count(&fields, &last_is_empty);
        if (n == n_columns && !last_is_empty)
            return n_columns;
    }
    return n_columns - 1;
}

/* Whether the record at COMMENT, which ends before ROWS, names their columns. */
static bool names_columns(struct fields comment, struct fields rows)
{
    const char *end = rows.at;
    struct field field;
    double value;
    size_t n = 0, n_columns = fields_columns(rows);
    bool has_number = false, has_blank = false, is_over_numbers = false;
    for (fields_next_record(&comment); fields_next(&comment, &field); n++) {
        has_number |= fields_number(&comment, &field, &value);
        has_blank |= memchr(field.at, ' ', field.n) != NULL;
    }
    for (fields_next_record(&rows); fields_next(&rows, &field);)
        is_over_numbers |= fields_number(&rows, &field, &value);
    return comment.at <= end && !comment.has_open_quote && n == n_columns && !has_number && is_over_numbers &&
           !(n == 1 && has_blank);
}

size_t fields_skip_to_rows(struct fields *fields)
{
    struct fields last;
    size_t comments = skip_comments(fields, &last);
    if (comments == 0 || fields->at == fields->end)
        return comments;
    while (last.at < last.end && (*last.at == '#' || *last.at == ' ' || *last.at == '\t'))
        last.at++;
    if (!names_columns(last, *fields))
        return comments;
    *fields = last;
    return comments - 1;
}

bool fields_check_count(const struct fields *fields, size_t count, bool last_is_empty, size_t n_columns,
                        const char *name, struct error *error)
{
    if (fields->has_open_quote)
        return error_set(error, STATUS_FAILED, _("%s:%zu: a quote that is never closed"), name, fields->line);
    if (count == n_columns || (count == n_columns + 1 && last_is_empty))
        return true;
    if (count < n_columns)
        return error_set(error, STATUS_FAILED, _("%s:%zu: only %zu of %zu fields"), name, fields->line, count,
                         n_columns);
    return error_set(error, STATUS_FAILED, _("%s:%zu: %zu fields, expected %zu"), name, fields->line, count,
                     n_columns);
}

/* ---- numbers */

static size_t count_digits(const char *at, const char *end)
{
    size_t n = 0;
    while (at + n < end && at[n] >= '0' && at[n] <= '9')
        n++;
    return n;
}

/* The length of the sign at AT that somebody may put between thousands: . , ' a blank, a no-break or a narrow
 * one. */
static size_t thousands_sign(const char *at, const char *end)
{
    static const char *const signs[] = {".", ",", "'", " ", "\u00a0", "\u202f", "\u2019"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i]);
        if ((size_t)(end - at) > n && memcmp(at, signs[i], n) == 0)
            return n;
    }
    return 0;
}

/* Whether FIELD would be a number without signs between its thousands: 1.234,5 or 12 000. */
static bool has_thousands(const struct field *field)
{
    const char *at = field->at, *end = at + field->n;
    at += at < end && (*at == '-' || *at == '+');
    size_t first = count_digits(at, end), groups = 0;
    if (first < 1 || first > 3)
        return false;
    for (at += first; thousands_sign(at, end) && count_digits(at + thousands_sign(at, end), end) == 3;
         groups++)
        at += thousands_sign(at, end) + 3;
    if (at < end && (*at == '.' || *at == ','))
        at += 1 + count_digits(at + 1, end);
    return groups > 0 && at == end;
}

/* Whether a comma in FIELD can be its decimal sign. Between commas "1,500" is as likely fifteen hundred as
 * one and a half, and a wrong guess is a factor of 1000, so it is neither; "0,500" can only be the latter. */
static bool may_have_decimal_comma(const struct fields *fields, const struct field *field)
{
    if (fields->separator != ',')
        return true;
    size_t sign = field->n > 0 && (*field->at == '-' || *field->at == '+');
    bool is_fraction = field->n > sign && field->at[sign] == '0';
    return field->is_quoted && (is_fraction || !has_thousands(field));
}

bool fields_note_decimal_sign(const struct fields *fields, const struct field *field,
                              struct decimal_signs *signs, const char *name, struct error *error)
{
    double value;
    bool has_point = signs->point_line == 0 && memchr(field->at, '.', field->n) &&
                     number_parse(field->at, field->n, '.', &value);
    bool has_comma = signs->comma_line == 0 && may_have_decimal_comma(fields, field) &&
                     memchr(field->at, ',', field->n) && number_parse(field->at, field->n, ',', &value);
    if (has_point)
        signs->point_line = fields->line;
    if (has_comma)
        signs->comma_line = fields->line;
    if (signs->point_line == 0 || signs->comma_line == 0)
        return true;
    return error_set(error, STATUS_FAILED,
                     _("%s:%zu: decimal points and commas, expected one of them (a point in line %zu, a "
                       "comma in line %zu)"),
                     name, fields->line, signs->point_line, signs->comma_line);
}

static bool is_missing_word(const struct field *field)
{
    static const char *const words[] = {"",    "NA", "N/A", "#N/A",   "null",
                                        "nan", "-",  "--",  "\u2013", "\u2014"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == field->n && strncasecmp(field->at, words[i], field->n) == 0)
            return true;
    }
    return false;
}

bool fields_number(const struct fields *fields, const struct field *field, double *value)
{
    *value = (double)NAN;
    return number_parse(field->at, field->n, '.', value) || is_missing_word(field) ||
           (may_have_decimal_comma(fields, field) && number_parse(field->at, field->n, ',', value));
}

/* inf spelt out is meant; digits that read as inf are not. */
static bool is_too_large(const struct field *field, double value)
{
    bool has_digit = false;
    for (size_t i = 0; i < field->n; i++)
        has_digit |= field->at[i] >= '0' && field->at[i] <= '9';
    return isinf(value) && has_digit;
}

bool fields_read_number(const struct fields *fields, const struct field *field, const char *name,
                        double *value, struct error *error)
{
    char text[48];
    bool is_number = fields_number(fields, field, value);
    if (is_number && !is_too_large(field, *value))
        return true;
    return error_set(error, STATUS_FAILED,
                     is_number ? _("%s:%zu: '%s' is too large, expected numbers up to 1.79e308")
                     : has_thousands(field)
                         ? _("%s:%zu: '%s' is no number: thousands separators are not read")
                         : _("%s:%zu: '%s' is no number"),
                     name, fields->line, field_text(field, text, sizeof text));
}

/* ---- separators */

static struct fields open_sample(const char *bytes, size_t n, char separator)
{
    struct fields fields = fields_open(bytes, n, separator);
    fields_skip_comments(&fields);
    return fields;
}

/* A comma at the end of a number is no decimal sign but separates. */
static bool is_number_between_blanks(const struct fields *fields, const struct field *field)
{
    double value;
    return field->n > 0 && field->at[0] != ',' && field->at[field->n - 1] != ',' &&
           fields_number(fields, field, &value);
}

/* Whether blanks separate numbers in all but the first of the first records, which may be a header. With
 * MAY_HAVE_WORDS words may stand between two numbers or more where all records are as long as the first. */
static bool is_separated_by_blanks(const char *bytes, size_t n, bool may_have_words)
{
    struct fields fields = open_sample(bytes, n, ' ');
    size_t records = 0, first = 0;
    bool is_header = false;
    for (; records < SAMPLE && fields_next_record(&fields); records++) {
        size_t numbers = 0, count = 0;
        for (struct field field; fields_next(&fields, &field); count++)
            numbers += is_number_between_blanks(&fields, &field);
        first = records == 0 ? count : first;
        bool is_row = numbers == count || (may_have_words && count == first && numbers >= 2);
        if (count < 2 || (records > 0 && !is_row))
            return false;
        is_header |= records == 0 && numbers < count;
    }
    return records > is_header;
}

char fields_guess_separator(const char *bytes, size_t n)
{
    static const char candidates[] = {';', '\t', ','};
    char best = ' ';
    size_t most = 0;
    for (size_t i = 0; i < sizeof candidates; i++) {
        struct fields fields = open_sample(bytes, n, candidates[i]);
        size_t split = 0;
        for (size_t records = 0; records < SAMPLE && fields_next_record(&fields); records++) {
            bool last_is_empty;
            split += fields_count(&fields, &last_is_empty) > 1;
        }
        if (split > most) {
            most = split;
            best = candidates[i];
        }
    }
    if ((most == 0 || best == ',') && is_separated_by_blanks(bytes, n, most == 0))
        return ' ';
    return most > 0 ? best : ',';
}

const char *fields_separator_words(char separator)
{
    switch (separator) {
    case ';':
        return _("semicolon-separated");
    case '\t':
        return _("tab-separated");
    case ' ':
        return _("blank-separated");
    default:
        return _("comma-separated");
    }
}

char *field_text(const struct field *field, char *out, size_t size)
{
    char raw[512];
    size_t n = 0;
    for (size_t i = 0; i < field->n && n + 1 < sizeof raw; i++) {
        raw[n++] = field->at[i];
        i += field->is_quoted && field->at[i] == '"';
    }
    raw[n] = '\0';
    return utf8_clean(out, size, raw);
}
