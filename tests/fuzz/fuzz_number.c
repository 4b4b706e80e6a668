/* One number; the first byte chooses the decimal sign. */
#include "input.h"

#include <math.h>

#include "data/number.h"
#include "data/utf8.h"

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void check_texts(double value)
{
    char text[NUMBER_TEXT];
    double again = 0.0;
    number_text(text, value);
    assert(strlen(text) < NUMBER_TEXT);
    assert(number_parse(text, strlen(text), '.', &again));
    assert(bits_of(value) == bits_of(again) || (isnan(value) && isnan(again)));
    for (int width = 5; width < NUMBER_TEXT; width++) {
        number_show(text, value, 4, width);
        assert(utf8_columns(text) <= width);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n == 0)
        return 0;
    const char decimal = bytes[0] & 1 ? ',' : '.';
    char *text = input_text(bytes + 1, n - 1);
    double value = 0.0;
    if (number_parse(text, n - 1, decimal, &value))
        check_texts(value);
    uint64_t seed = 0;
    number_parse_seed(text, &seed);
    if (n - 1 == sizeof value) {
        memcpy(&value, text, sizeof value);
        check_texts(value);
    }
    free(text);
    return 0;
}
