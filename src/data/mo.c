#include "data/mo.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct catalogue {
    const unsigned char *bytes;
    size_t n;
    bool big_endian;
};

/* The word at OFFSET, which the caller has checked. */
static uint32_t word_at(const struct catalogue *catalogue, size_t offset)
{
    const unsigned char *at = catalogue->bytes + offset;
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        word = word << 8 | at[catalogue->big_endian ? i : 3 - i];
    return word;
}

/* String I of the table of (length, offset) pairs at TABLE, or NULL if it leaves the catalogue or has no NUL.
 */
static const char *string_at(const struct catalogue *catalogue, size_t table, size_t i)
{
    size_t entry = table + 8 * i;
    size_t length = word_at(catalogue, entry), offset = word_at(catalogue, entry + 4);
    if (offset >= catalogue->n || length >= catalogue->n - offset ||
        catalogue->bytes[offset + length] != '\0')
        return NULL;
    return (const char *)catalogue->bytes + offset;
}

static bool is_table(const struct catalogue *catalogue, size_t table, size_t count)
{
    return table <= catalogue->n && count <= (catalogue->n - table) / 8;
}

const char *mo_find(const unsigned char *bytes, size_t n, const char *msgid)
{
    enum { MAGIC = 0, COUNT = 8, MSGIDS = 12, TRANSLATIONS = 16, HEADER = 28 };
    static const unsigned char little[] = {0xDE, 0x12, 0x04, 0x95}, big[] = {0x95, 0x04, 0x12, 0xDE};
    if (n < HEADER || (memcmp(bytes + MAGIC, little, 4) != 0 && memcmp(bytes + MAGIC, big, 4) != 0))
        return NULL;
    struct catalogue catalogue = {bytes, n, memcmp(bytes, big, 4) == 0};
    size_t count = word_at(&catalogue, COUNT);
    size_t msgids = word_at(&catalogue, MSGIDS), translations = word_at(&catalogue, TRANSLATIONS);
    if (!is_table(&catalogue, msgids, count) || !is_table(&catalogue, translations, count))
        return NULL;
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *candidate = string_at(&catalogue, msgids, middle);
        if (!candidate)
            return NULL;
        int order = strcmp(msgid, candidate);
        if (order == 0)
            return string_at(&catalogue, translations, middle);
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
