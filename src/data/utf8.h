/* UTF-8 without the locale: decoding, encoding, cleaning, and the width of characters in terminal cells. */
#ifndef ATTNLAB_DATA_UTF8_H
#define ATTNLAB_DATA_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the character at *TEXT and moves *TEXT past it; bad or overlong bytes give U+FFFD one byte at a
 * time. At the terminating NUL it returns 0 and does not move. */
uint32_t utf8_next(const char **text);

/* Writes the character as 1 to 4 bytes and a NUL; returns the number of bytes. */
size_t utf8_put(uint32_t character, char out[5]);

/* Cells taken by a character: 0 combining or format, 1, 2 wide; -1 for control characters. Own tables, made
 * from Unicode's East Asian Width and general categories, so that every locale and libc lays out alike. */
int utf8_width(uint32_t character);

/* Cells taken by a whole string; control characters count as one (they are shown as U+FFFD). */
int utf8_columns(const char *text);

/* The end of the line that begins at TEXT and has at most COLS (>= 1) columns: the last place to break, at a
 * blank or between wide characters, where the columns end in a word longer than a line, or a '\n'. */
const char *utf8_line_end(const char *text, int cols);

/* Copies FROM to OUT (SIZE bytes with the NUL): control characters (C0, DEL, C1), bidirectional controls and
 * bad UTF-8 become U+FFFD, line breaks a blank; cut at the end of a character. Returns OUT. */
char *utf8_clean(char *out, size_t size, const char *from);

#endif
