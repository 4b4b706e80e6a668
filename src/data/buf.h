/* A growing string of bytes, always followed by a NUL. A zeroed struct is the empty string (at == NULL). */
#ifndef ATTNLAB_DATA_BUF_H
#define ATTNLAB_DATA_BUF_H

#include <stddef.h>

struct buf {
    char *at;
    size_t len, capacity;
};

void buf_add(struct buf *buf, const void *bytes, size_t n);
void buf_puts(struct buf *buf, const char *text);
void buf_putc(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_free(struct buf *buf);

#endif
