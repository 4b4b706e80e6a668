#include "demos/torch_script.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "data/number.h"
#include "data/utf8.h"

enum { LINE_COLS = 100, LIST_MOST = 1000 }; /* numbers that are written as a list; more are packed */

/* ---- the frame around the demo's part */

static void put_usage(const struct demo *demo, const char *table, struct buf *out)
{
    buf_printf(out, "#!/usr/bin/env python3\n\"\"\"attnlab %s: %s\n\n", demo->name, demo->summary);
    buf_puts(out,
             "Draws what attnlab draws, in PyTorch's float32, and computes in float64 as attnlab does. (On "
             "machines\nwithout AVX2, PyTorch's normal numbers may differ in the last digit.)\n\n");
    buf_puts(out, "Usage: python3 SCRIPT [TABLE]     prints a table as csv:");
    for (size_t i = 0; i < demo->n_tables; i++)
        buf_printf(out, "%s\n    %s", i > 0 ? "," : "", demo->tables[i].name);
    buf_printf(out, "\nWithout TABLE it is %s.\n\"\"\"\n", table);
}

static void put_imports(const char *body, struct buf *out)
{
    const bool is_packed = strstr(body, "unpack(") != NULL;

    buf_printf(out, "%simport csv\n%s%simport sys\n\n", is_packed ? "import base64\n" : "",
               strstr(body, "math.") ? "import math\n" : "", is_packed ? "import struct\n" : "");
    buf_printf(out, "%simport torch\n%s", strstr(body, "numpy.") ? "import numpy\n" : "",
               strstr(body, "nn.") ? "from torch import nn\n" : "");
    if (is_packed)
        buf_puts(out, "\n\ndef unpack(text):\n"
                      "    \"\"\"Little-endian doubles, written in base64.\"\"\"\n"
                      "    data = base64.b64decode(text)\n"
                      "    return torch.tensor(struct.unpack(f\"<{len(data) // 8}d\", data), "
                      "dtype=torch.float64)\n\n");
    buf_putc(out, '\n');
}

static void put_tail(const char *table, struct buf *out)
{
    buf_puts(out, "\n\ndef print_csv(table):\n"
                  "    \"\"\"A matrix as bare rows; columns with their names above, NaN is an empty field "
                  "there.\"\"\"\n"
                  "    writer = csv.writer(sys.stdout, lineterminator=\"\\n\")\n"
                  "    if torch.is_tensor(table):\n"
                  "        writer.writerows(table.detach().reshape(-1, table.shape[-1]).tolist())\n"
                  "        return\n"
                  "    writer.writerow(table)\n"
                  "    columns = (c.detach().tolist() if torch.is_tensor(c) else c for c in table.values())\n"
                  "    for row in zip(*columns):\n"
                  "        writer.writerow([\"\" if value != value else value for value in row])\n"
                  "\n\n");
    buf_puts(out, "name = sys.argv[1] if len(sys.argv) > 1 else ");
    torch_text(table, out);
    buf_puts(out, "\nif name not in tables:\n"
                  "    sys.exit(f\"no table {name}: there is {', '.join(tables)}\")\n"
                  "print_csv(tables[name]() if callable(tables[name]) else tables[name])\n");
}

/* Definitions bring blank lines of their own: two in a row are enough. */
static void put_body(const char *body, struct buf *out)
{
    enum { LINE_ENDS_MOST = 3 };

    for (int line_ends = 0; *body; body++) {
        line_ends = *body == '\n' ? line_ends + 1 : 0;
        if (line_ends <= LINE_ENDS_MOST)
            buf_putc(out, *body);
    }
}

void torch_script(const struct stage *stage, const char *table, struct buf *out)
{
    const char *const printed = table ? table : stage->demo->tables[0].name;
    struct buf body = {0};

    stage->demo->torch(stage, &body);
    put_usage(stage->demo, printed, out);
    put_imports(body.at, out);
    put_body(body.at, out);
    put_tail(printed, out);
    buf_free(&body);
}

/* ---- literals */

void torch_seed(const struct stage *stage, struct buf *out)
{
    for (size_t i = 0; i < stage->demo->n_params; i++)
        if (stage->demo->params[i].kind == PARAM_SEED)
            buf_printf(out, "torch.manual_seed(%" PRIu64 ")\n", stage->values[i].seed);
}

void torch_number(double v, struct buf *out)
{
    char text[NUMBER_TEXT];

    if (isnan(v))
        buf_puts(out, "math.nan");
    else if (isinf(v))
        buf_puts(out, v > 0 ? "math.inf" : "-math.inf");
    else
        buf_puts(out, number_text(text, v));
}

void torch_text(const char *text, struct buf *out)
{
    buf_putc(out, '"');
    while (*text) {
        const uint32_t character = utf8_next(&text);
        char bytes[5];

        if (character == '"' || character == '\\')
            buf_printf(out, "\\%c", (int)character);
        else if (character < 0x20 || (character >= 0x7f && character < 0xa0))
            buf_printf(out, "\\x%02x", (unsigned)character);
        else
            buf_add(out, bytes, utf8_put(character, bytes));
    }
    buf_putc(out, '"');
}

void torch_shape(const size_t *shape, size_t rank, struct buf *out)
{
    buf_putc(out, '(');
    for (size_t i = 0; i < rank; i++)
        buf_printf(out, "%s%zu", i > 0 ? ", " : "", shape[i]);
    buf_puts(out, rank == 1 ? ",)" : ")");
}

/* In lines where one is too short. */
static void put_list(const double *at, size_t n, struct buf *out)
{
    struct buf flat = {0}, lines = {0};
    size_t start = 0;

    for (size_t i = 0; i < n; i++) {
        struct buf number = {0};

        torch_number(at[i], &number);
        if (lines.len - start + number.len + 2 > LINE_COLS) {
            buf_puts(&lines, "\n");
            start = lines.len;
        }
        buf_puts(&lines, lines.len == start ? "    " : " ");
        buf_printf(&lines, "%s,", number.at);
        buf_printf(&flat, "%s%s", i > 0 ? ", " : "", number.at);
        buf_free(&number);
    }
    if (start > 0)
        buf_printf(out, "[\n%s\n]", lines.at);
    else
        buf_printf(out, "[%s]", n > 0 ? flat.at : "");
    buf_free(&flat);
    buf_free(&lines);
}

static unsigned char little_endian_byte(const double *at, size_t i)
{
    uint64_t bits;

    memcpy(&bits, at + i / 8, sizeof bits);
    return (unsigned char)(bits >> i % 8 * 8);
}

static void put_base64(const double *at, size_t n, struct buf *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t n_bytes = 8 * n;

    for (size_t i = 0; i < n_bytes; i += 3) {
        uint32_t three = 0;

        if (i % 75 == 0)
            buf_putc(out, '\n');
        for (size_t k = 0; k < 3; k++)
            three = three << 8 | (i + k < n_bytes ? little_endian_byte(at, i + k) : 0U);
        for (size_t k = 0; k < 4; k++)
            buf_putc(out, i + k > n_bytes ? '=' : digits[three >> (18 - 6 * k) & 63]);
    }
    buf_putc(out, '\n');
}

void torch_tensor(const char *name, const double *at, const size_t *shape, size_t rank, struct buf *out)
{
    size_t n = 1;

    for (size_t i = 0; i < rank; i++)
        n *= shape[i];
    buf_printf(out, "%s = ", name);
    if (n > LIST_MOST) {
        buf_puts(out, "unpack(\"\"\"");
        put_base64(at, n, out);
        buf_puts(out, "\"\"\")");
    } else {
        buf_puts(out, "torch.tensor(");
        put_list(at, n, out);
        buf_puts(out, ", dtype=torch.float64)");
    }
    if (rank > 1) {
        buf_puts(out, ".reshape");
        torch_shape(shape, rank, out);
    }
    buf_putc(out, '\n');
}

/* ---- attention */

void torch_masked_softmax(enum torch_fill fill, struct buf *out)
{
    static const char *const values[] = {
        [TORCH_FILL_NONE] = "-math.inf", [TORCH_FILL_LOW] = "-1e6", [TORCH_FILL_INFINITE] = "-math.inf"};

    buf_printf(
        out,
        "def beyond(scores, valid_lens):\n"
        "    \"\"\"Which keys are masked: a length for each batch item, or for each query of each "
        "item.\"\"\"\n"
        "    if valid_lens.dim() == 1:\n"
        "        valid_lens = valid_lens.repeat_interleave(scores.shape[1]).reshape(scores.shape[:2])\n"
        "    return torch.arange(scores.shape[2]) >= valid_lens.unsqueeze(2)\n"
        "\n\n"
        "def masked_scores(scores, valid_lens):\n"
        "    if valid_lens is None:\n"
        "        return scores\n"
        "    return scores.masked_fill(beyond(scores, valid_lens), %s)\n"
        "\n\n"
        "def masked_softmax(scores, valid_lens):\n"
        "    weights = torch.softmax(masked_scores(scores, valid_lens), dim=-1)\n",
        values[fill]);
    if (fill == TORCH_FILL_NONE)
        buf_puts(out, "    if valid_lens is None:\n"
                      "        return weights\n"
                      "    # A row without a valid key is NaN up to here; it has no weights.\n"
                      "    return weights.masked_fill(beyond(scores, valid_lens), 0.0)\n");
    else
        buf_puts(out, "    return weights\n");
}

void torch_valid_lens(const struct value *v, struct buf *out)
{
    const size_t n_rows = v->nested ? v->n_rows : 1, n_row = n_rows > 0 ? v->n_list / n_rows : 0;

    if (v->n_list == 0) {
        buf_puts(out, "valid_lens = None\n");
        return;
    }
    buf_puts(out, v->nested ? "valid_lens = torch.tensor([[" : "valid_lens = torch.tensor([");
    for (size_t row = 0; row < n_rows; row++) {
        buf_puts(out, row > 0 ? "], [" : "");
        for (size_t i = 0; i < n_row; i++) {
            buf_puts(out, i > 0 ? ", " : "");
            torch_number(v->list[row * n_row + i], out);
        }
    }
    buf_puts(out, v->nested ? "]])\n" : "])\n");
}

/* Flat kernels get 0 u added: so they have a gradient, which is 0. */
static const struct {
    const char *name, *value, *score, *expo;
} kernels[NW_KERNELS] = {
    [NW_GAUSSIAN] = {"gaussian", NULL, "-u**2 / 2", "torch.exp(-u**2 / 2 - (-u**2 / 2).max())"},
    [NW_BOXCAR] = {"boxcar", "(u.abs() < 1) + 0 * u", "u.abs()", "(u.abs() < 1).double()"},
    [NW_TRIANGULAR] = {"triangular", "torch.relu(1 - u.abs())", "u.abs()", "torch.relu(1 - u.abs())"},
    [NW_EPANECHNIKOV] = {"epanechnikov", "torch.relu(1 - u**2)", "u.abs()", "torch.relu(1 - u**2)"},
    [NW_CONSTANT] = {"constant", "1 + 0 * u", "u.abs()", "torch.ones_like(u)"},
};

void torch_kernel(enum nw_kernel kernel, struct buf *out)
{
    buf_printf(out, "def %s(u):\n", kernels[kernel].name);
    if (kernel == NW_GAUSSIAN)
        buf_puts(out,
                 "    \"\"\"The keys' attention weights from their scaled distances to the query.\"\"\"\n"
                 "    return torch.softmax(-u**2 / 2, dim=-1)\n");
    else
        buf_printf(out,
                   "    \"\"\"The keys' attention weights from their scaled distances; no key in reach: all "
                   "0.\"\"\"\n"
                   "    k = %s\n"
                   "    total = k.sum(dim=-1, keepdim=True)\n"
                   "    return k / total.masked_fill(total == 0, 1.0)\n",
                   kernels[kernel].value);
}

const char *torch_kernel_name(enum nw_kernel kernel)
{
    return kernels[kernel].name;
}

const char *torch_kernel_score(enum nw_kernel kernel)
{
    return kernels[kernel].score;
}

const char *torch_kernel_expo(enum nw_kernel kernel)
{
    return kernels[kernel].expo;
}

/* ---- training */

static bool leads_on(const double *theta, const double *gradient, size_t dim, double lr)
{
    for (size_t i = 0; i < dim; i++)
        if (theta[dim + i] != theta[i] - lr * gradient[i])
            return false;
    return true;
}

double torch_rate(const double *theta, const double *gradient, size_t dim, size_t k, double lr, double over)
{
    enum { DIGITS_MOST = 9 }; /* more are no rate that somebody typed */
    size_t steepest = 0;

    theta += k * dim;
    gradient += k * dim;
    if (leads_on(theta, gradient, dim, lr / over))
        return lr;
    for (size_t i = 1; i < dim; i++)
        if (fabs(gradient[i]) > fabs(gradient[steepest]))
            steepest = i;

    const double quotient = (theta[steepest] - theta[dim + steepest]) / gradient[steepest] * over;

    for (int digits = 1; digits <= DIGITS_MOST && quotient >= 0 && isfinite(quotient); digits++) {
        char text[NUMBER_TEXT];
        double rounded;

        snprintf(text, sizeof text, "%.*e", digits - 1, quotient);
        if (number_parse(text, strlen(text), '.', &rounded) && leads_on(theta, gradient, dim, rounded / over))
            return rounded;
    }
    return (double)NAN;
}
