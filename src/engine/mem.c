#include "engine/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t at_least_one(size_t count)
{
    return count > 0 ? count : 1;
}

/* No object is larger than PTRDIFF_MAX: pointers into it could not be subtracted. */
static bool fits(size_t count, size_t size)
{
    return count <= PTRDIFF_MAX / size;
}

static void *or_abort(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

void *mem_new(size_t count, size_t size)
{
    return or_abort(mem_try(count, size));
}

void *mem_grow(void *old, size_t count, size_t size)
{
    count = at_least_one(count);
    size = at_least_one(size);
    return or_abort(fits(count, size) ? realloc(old, count * size) : NULL);
}

void *mem_try(size_t count, size_t size)
{
    count = at_least_one(count);
    size = at_least_one(size);
    return fits(count, size) ? calloc(count, size) : NULL;
}

void *mem_copy(const void *from, size_t count, size_t size)
{
    void *copy = mem_grow(NULL, count, size);

    if (count > 0 && size > 0)
        memcpy(copy, from, count * size);
    return copy;
}
