/* Any bytes become clean text, which stays as it is when cleaned again; the first byte is the room for it. */
#include "input.h"

#include "data/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n == 0 || bytes[0] == 0)
        return 0;
    const size_t room = bytes[0];
    char *text = input_text(bytes + 1, n - 1);
    char *once = malloc(room);
    char *twice = malloc(room);
    assert(once && twice);
    assert(utf8_clean(once, room, text) == once);
    assert(strlen(once) < room);
    assert(strcmp(utf8_clean(twice, room, once), once) == 0);

    int columns = 0;
    for (const char *at = once; *at;) {
        char put[5];
        const char *from = at;
        const uint32_t character = utf8_next(&at);
        const int width = utf8_width(character);
        assert(width >= 0 && width <= 2);
        columns += width;
        assert(utf8_put(character, put) == (size_t)(at - from));
        assert(memcmp(put, from, (size_t)(at - from)) == 0);
    }
    assert(utf8_columns(once) == columns);
    utf8_columns(text);
    free(twice);
    free(once);
    free(text);
    return 0;
}
