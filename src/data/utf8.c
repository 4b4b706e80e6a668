#include "data/utf8.h"

#include <stdbool.h>
#include <string.h>

#include "data/utf8_tables.h"

enum { REPLACEMENT = 0xFFFD };

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* The length that a lead byte announces and the payload it carries; 0 for a byte that cannot lead. */
static int lead(unsigned char byte, uint32_t *payload)
{
    if (byte < 0x80) {
        *payload = byte;
        return 1;
    }
    if (byte >= 0xC2 && byte <= 0xDF) {
        *payload = byte & 0x1Fu;
        return 2;
    }
    if (byte >= 0xE0 && byte <= 0xEF) {
        *payload = byte & 0x0Fu;
        return 3;
    }
    if (byte >= 0xF0 && byte <= 0xF4) {
        *payload = byte & 0x07u;
        return 4;
    }
    return 0;
}

uint32_t utf8_next(const char **text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)*text;
    if (*at == '\0')
        return 0;
    uint32_t character = 0;
    int length = lead(*at, &character);
    /* A NUL is no continuation byte, so this stops at the end of the string. */
    for (int i = 1; i < length; i++) {
        if (!is_continuation(at[i])) {
            length = 0;
            break;
        }
        character = character << 6 | (at[i] & 0x3Fu);
    }
    bool is_surrogate = character >= 0xD800 && character <= 0xDFFF;
    if (length == 0 || character < least[length] || character > 0x10FFFF || is_surrogate) {
        *text += 1;
        return REPLACEMENT;
    }
    *text += length;
    return character;
}

size_t utf8_put(uint32_t character, char out[5])
{
    if (character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF))
        character = REPLACEMENT;
    size_t length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const unsigned char mark[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (character & 0x3F));
        character >>= 6;
    }
    out[0] = (char)(mark[length] | character);
    out[length] = '\0';
    return length;
}

static bool is_in(uint32_t character, const struct utf8_range *ranges, size_t n)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (character > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && character >= ranges[low].first;
}

static bool is_control(uint32_t character)
{
    return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

int utf8_width(uint32_t character)
{
    if (is_control(character))
        return -1;
    if (character < 0x300)
        return 1;
    /* First the zero-width ones: some combining marks are listed as wide, too. */
    if (is_in(character, utf8_zero, sizeof utf8_zero / sizeof *utf8_zero))
        return 0;
    return is_in(character, utf8_wide, sizeof utf8_wide / sizeof *utf8_wide) ? 2 : 1;
}

int utf8_columns(const char *text)
{
    int columns = 0;
    for (uint32_t character; (character = utf8_next(&text)) != 0;) {
        int width = utf8_width(character);
        columns += width < 0 ? 1 : width;
    }
    return columns;
}

/* Punctuation that must not begin a line and that must not end one. */
static bool is_closing(uint32_t c)
{
    static const uint32_t closing[] = {0x3001, 0x3002, 0xff0c, 0xff0e, 0xff1a, 0xff1b, 0xff01, 0xff1f,
                                       0xff09, 0x300d, 0x300f, 0x300b, 0x3011, 0x201d, 0x2019, 0x2026};

    for (size_t i = 0; i < sizeof closing / sizeof *closing; i++)
        if (closing[i] == c)
            return true;
    return false;
}

static bool is_opening(uint32_t c)
{
    return c == 0xff08 || c == 0x300c || c == 0x300e || c == 0x300a || c == 0x3010;
}

/* Whether a line may end between the characters LAST and C. */
static bool may_break(uint32_t last, uint32_t c)
{
    if (c == ' ')
        return true;
    return last != ' ' && (utf8_width(c) == 2 || utf8_width(last) == 2) && !is_closing(c) &&
           !is_opening(last);
}

const char *utf8_line_end(const char *text, int cols)
{
    const char *end = NULL, *at = text;
    uint32_t last = 0;
    int used = 0;

    while (*at != '\0' && *at != '\n') {
        const char *after = at;
        uint32_t c = utf8_next(&after);
        int width = utf8_width(c);

        if (used > 0 && may_break(last, c))
            end = at;
        used += width < 0 ? 1 : width;
        if (used > cols && c != ' ') {
            if (end == NULL)
                end = at > text ? at : after; /* always get on, also where a wide character never fits */
            return end;
        }
        last = width == 0 ? last : c;
        at = after;
    }
    return at;
}

static bool is_bidi_control(uint32_t character)
{
    return character == 0x061C || character == 0x200E || character == 0x200F ||
           (character >= 0x202A && character <= 0x202E) || (character >= 0x2066 && character <= 0x2069);
}

static bool is_line_break(uint32_t character)
{
    return character == '\n' || character == '\r' || character == 0x85 || character == 0x2028 ||
           character == 0x2029;
}

char *utf8_clean(char *out, size_t size, const char *from)
{
    if (size == 0)
        return out;
    size_t length = 0;
    for (uint32_t character; (character = utf8_next(&from)) != 0;) {
        if (character == '\r' && *from == '\n')
            continue;
        if (is_line_break(character))
            character = ' ';
        else if (is_control(character) || is_bidi_control(character))
            character = REPLACEMENT;
        char bytes[5];
        size_t n = utf8_put(character, bytes);
        if (length + n >= size)
            break;
        memcpy(out + length, bytes, n);
        length += n;
    }
    out[length] = '\0';
    return out;
}
