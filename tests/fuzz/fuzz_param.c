/* A parameter chosen by the first two bytes, and what somebody types for it. */
#include "input.h"

#include "data/utf8.h"
#include "demos/demo.h"

static void check_shown(const struct param *param, const struct value *value)
{
    char text[128];
    for (int width = 5; width <= 40; width += 7) {
        param_show(param, value, width, text, sizeof text);
        assert(utf8_columns(text) <= width);
    }
    const double place = param_place(param, value);
    assert(place == -1.0 || (place >= 0.0 && place <= 1.0));
}

/* What is accepted is written so that it reads back, whatever the arrow keys do to it. */
static void check_read_back(const struct param *param, const struct value *value)
{
    struct buf first = {0};
    struct buf second = {0};
    struct value again = {0};
    struct error error = {0};
    param_format(param, value, &first);
    assert(param_parse(param, first.at ? first.at : "", &again, &error));
    param_format(param, &again, &second);
    assert(strcmp(first.at ? first.at : "", second.at ? second.at : "") == 0);
    buf_free(&second);
    buf_free(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n < 2)
        return 0;
    const struct demo *demo = demos[bytes[0] % n_demos];
    if (demo->n_params == 0)
        return 0;
    const struct param *param = &demo->params[bytes[1] % demo->n_params];
    char *text = input_text(bytes + 2, n - 2);
    struct value value = {0};
    struct error error = {0};
    if (param_parse(param, text, &value, &error)) {
        check_shown(param, &value);
        check_read_back(param, &value);
        for (int steps = -10; steps <= 10; steps += 11) {
            if (param_adjust(param, &value, steps))
                check_read_back(param, &value);
        }
    } else {
        assert(error.status != STATUS_OK && error.text[0]);
    }
    free(text);
    return 0;
}
