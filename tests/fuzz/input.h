/* What libFuzzer hands over, as the parsers take it. */
#ifndef ATTNLAB_TESTS_FUZZ_INPUT_H
#define ATTNLAB_TESTS_FUZZ_INPUT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef NDEBUG
#error "the fuzzers find nothing without assert"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* A copy with a NUL behind it, to be freed; exactly as large, so that reading past the end is seen. */
static inline char *input_text(const uint8_t *bytes, size_t n)
{
    char *text = malloc(n + 1);
    assert(text);
    if (n > 0)
        memcpy(text, bytes, n);
    text[n] = '\0';
    return text;
}

#endif
