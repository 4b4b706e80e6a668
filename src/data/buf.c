#include "data/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/mem.h"

/* Room for N more bytes and the NUL. */
static char *reserve(struct buf *buf, size_t n)
{
    if (n > SIZE_MAX / 2 - buf->len)
        abort();
    size_t needed = buf->len + n + 1;
    if (needed > buf->capacity) {
        size_t capacity = buf->capacity ? buf->capacity : 64;
        while (capacity < needed)
            capacity *= 2;
        buf->at = mem_grow(buf->at, capacity, 1);
        buf->capacity = capacity;
    }
    return buf->at + buf->len;
}

void buf_add(struct buf *buf, const void *bytes, size_t n)
{
    char *end = reserve(buf, n);
    if (n > 0)
        memcpy(end, bytes, n);
    end[n] = '\0';
    buf->len += n;
}

void buf_puts(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text));
}

void buf_putc(struct buf *buf, char c)
{
    buf_add(buf, &c, 1);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
    char small[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n < 0)
        return;
    if ((size_t)n < sizeof small) {
        buf_add(buf, small, (size_t)n);
        return;
    }
    char *end = reserve(buf, (size_t)n);
    va_start(args, format);
    vsnprintf(end, (size_t)n + 1, format, args);
    va_end(args);
    buf->len += (size_t)n;
}

void buf_free(struct buf *buf)
{
    free(buf->at);
    *buf = (struct buf){0};
}
