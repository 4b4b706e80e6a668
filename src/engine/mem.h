/* Memory: the program's one allocation policy.
 *
 * A request whose size the program chose itself cannot sensibly fail: mem_new and mem_grow end the program by
 * abort() (the terminal is restored by the handler of that signal). A request whose size comes from a file or
 * from the user goes through mem_try and its NULL is an error like any other. Everything is released by
 * free(). */
#ifndef ATTNLAB_ENGINE_MEM_H
#define ATTNLAB_ENGINE_MEM_H

#include <stddef.h>

/* COUNT zeroed objects of SIZE bytes; never NULL, also for COUNT 0. */
void *mem_new(size_t count, size_t size);

/* Resizes OLD (NULL or from this module) to COUNT objects of SIZE bytes; never NULL. New bytes are not
 * zeroed. */
void *mem_grow(void *old, size_t count, size_t size);

/* As mem_new, but NULL if COUNT * SIZE overflows or the memory is not to be had. */
void *mem_try(size_t count, size_t size);

/* A copy of COUNT objects of SIZE bytes at FROM; never NULL. */
void *mem_copy(const void *from, size_t count, size_t size);

#endif
