#include "data/npy.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "data/lang.h"

enum {
    MAGIC_SIZE = 6,
    HEADER_MAX = 1 << 16, /* plain arrays need about a hundred bytes */
    DESCR_SIZE = 64,
    SHAPE_TEXT = 24 * NPY_RANK_MAX + 3,
};

static const char magic[MAGIC_SIZE + 1] = "\x93NUMPY";

/* ---- numbers */

/* How an item's bytes, put together as BITS of SIZE bytes, are a number. */
struct npy_type {
    char kind;
    unsigned char size;
    const char *name;
    double (*value)(uint64_t bits, unsigned size);
};

static double bool_value(uint64_t bits, unsigned size)
{
    (void)size;
    return bits != 0;
}

static double unsigned_value(uint64_t bits, unsigned size)
{
    (void)size;
    return (double)bits;
}

static double signed_value(uint64_t bits, unsigned size)
{
    uint64_t largest = UINT64_MAX >> (65 - 8 * size);
    return bits <= largest ? (double)bits : -(double)(2 * largest + 1 - bits + 1);
}

static double half_value(uint64_t bits, unsigned size)
{
    (void)size;
    int exponent = (int)(bits >> 10 & 0x1f);
    double fraction = (double)(bits & 0x3ff), value;
    if (exponent == 0x1f)
        value = fraction > 0 ? (double)NAN : (double)INFINITY;
    else
        value = exponent > 0 ? ldexp(fraction + 0x400, exponent - 25) : ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

static double single_value(uint64_t bits, unsigned size)
{
    (void)size;
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

static double double_value(uint64_t bits, unsigned size)
{
    (void)size;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static const struct npy_type types[] = {
    {'b', 1, "bool", bool_value},       {'i', 1, "int8", signed_value},
    {'i', 2, "int16", signed_value},    {'i', 4, "int32", signed_value},
    {'i', 8, "int64", signed_value},    {'u', 1, "uint8", unsigned_value},
    {'u', 2, "uint16", unsigned_value}, {'u', 4, "uint32", unsigned_value},
    {'u', 8, "uint64", unsigned_value}, {'f', 2, "float16", half_value},
    {'f', 4, "float32", single_value},  {'f', 8, "float64", double_value},
};

/* What else numpy.save writes; size 0 stands for any. */
static const struct {
    char kind;
    unsigned size;
    const char *what, *advice;
} refused_types[] = {
    {'O', 0, N_("Python objects"), N_("save a.astype(float32)")},
    {'c', 0, N_("complex numbers"), N_("save abs(a) or a.real")},
    {'f', 12, N_("long doubles"), N_("save a.astype(float64)")},
    {'f', 16, N_("long doubles"), N_("save a.astype(float64)")},
    {'V', 2, N_("bfloat16 or other raw items of 2 bytes"), N_("save a.astype(float32)")},
    {'V', 0, N_("raw bytes"), N_("save a.astype(float32)")},
    {'U', 0, N_("text"), N_("save a.astype(float32)")},
    {'S', 0, N_("text"), N_("save a.astype(float32)")},
    {'M', 0, N_("dates"), N_("save a.astype(float64)")},
    {'m', 0, N_("time spans"), N_("save a.astype(float64)")},
};

/* ---- the header: a dictionary as Python writes it */

struct header {
    const char *name; /* the file's */
    struct error *error;
    const char *at, *end;
    bool has_descr, has_order, has_shape;
    bool is_structured;
    char descr[DESCR_SIZE];
    bool is_fortran;
    size_t rank; /* may be larger than what is kept */
    size_t shape[NPY_RANK_MAX];
};

static void skip_blanks(struct header *header)
{
    while (header->at < header->end && *header->at && strchr(" \t\r\n", *header->at))
        header->at++;
}

/* Takes the character C, with the blanks before it. */
static bool take(struct header *header, char c)
{
    skip_blanks(header);
    if (header->at == header->end || *header->at != c)
        return false;
    header->at++;
    return true;
}

/* Takes a string in quotes, without escapes. */
static bool take_string(struct header *header, char *out, size_t size)
{
    if (!take(header, '\'') && !take(header, '"'))
        return false;
    const char *start = header->at;
    const char *close = memchr(start, start[-1], (size_t)(header->end - start));
    size_t n = close ? (size_t)(close - start) : 0;
    if (!close || n >= size || memchr(start, '\\', n) || memchr(start, '\0', n))
        return false;
    memcpy(out, start, n);
    out[n] = '\0';
    header->at = close + 1;
    return true;
}

static bool take_word(struct header *header, const char *word)
{
    skip_blanks(header);
    if ((size_t)(header->end - header->at) < strlen(word) || memcmp(header->at, word, strlen(word)) != 0)
        return false;
    header->at += strlen(word);
    return true;
}

/* Takes a whole number; one beyond SIZE_MAX is SIZE_MAX, which no file can be large enough for. Python 2
 * wrote an L behind it. */
static bool take_size(struct header *header, size_t *size)
{
    skip_blanks(header);
    const char *start = header->at;
    *size = 0;
    for (; header->at < header->end && *header->at >= '0' && *header->at <= '9'; header->at++) {
        size_t digit = (size_t)(*header->at - '0');
        *size = *size > (SIZE_MAX - digit) / 10 ? SIZE_MAX : 10 * *size + digit;
    }
    bool is_number = header->at > start;
    if (is_number && header->at < header->end && *header->at == 'L')
        header->at++;
    return is_number;
}

/* A list or tuple here describes the fields of a structured array, which nobody asks for. */
static bool take_descr(struct header *header)
{
    skip_blanks(header);
    header->has_descr = true;
    header->is_structured = header->at < header->end && strchr("[({", *header->at);
    return !header->is_structured && take_string(header, header->descr, sizeof header->descr);
}

static bool take_order(struct header *header)
{
    header->has_order = true;
    header->is_fortran = take_word(header, "True");
    return header->is_fortran || take_word(header, "False");
}

static bool take_shape(struct header *header)
{
    header->has_shape = true;
    header->rank = 0;
    if (!take(header, '('))
        return false;
    bool has_comma = true;
    while (!take(header, ')')) {
        size_t size;
        if (!has_comma || !take_size(header, &size))
            return false;
        if (header->rank < NPY_RANK_MAX)
            header->shape[header->rank] = size;
        header->rank++;
        has_comma = take(header, ',');
    }
    /* In Python (3) is a number, (3,) a tuple. */
    return header->rank != 1 || has_comma;
}

static bool take_entry(struct header *header)
{
    static const struct {
        const char *key;
        bool (*take)(struct header *header);
    } entries[] = {{"descr", take_descr}, {"fortran_order", take_order}, {"shape", take_shape}};
    char key[DESCR_SIZE];
    if (!take_string(header, key, sizeof key) || !take(header, ':'))
        return false;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(entries[i].key, key) == 0)
            return entries[i].take(header);
    }
    return false;
}

static bool take_dictionary(struct header *header)
{
    if (!take(header, '{'))
        return false;
    bool has_comma = true;
    while (!take(header, '}')) {
        if (!has_comma || !take_entry(header))
            return false;
        has_comma = take(header, ',');
    }
    skip_blanks(header);
    return header->at == header->end && header->has_descr && header->has_order && header->has_shape;
}

static bool parse_header(struct header *header)
{
    if (take_dictionary(header))
        return true;
    if (header->is_structured)
        return error_set(header->error, STATUS_FAILED,
                         _("%s: holds a structured array, expected numbers: save one field, a['name']"),
                         header->name);
    return error_set(
        header->error, STATUS_FAILED,
        _("%s: the header cannot be read, expected {'descr': ..., 'fortran_order': ..., 'shape': ...}"),
        header->name);
}

/* ---- the preamble */

static uint64_t load(const unsigned char *at, unsigned size, bool is_big_endian)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < size; i++)
        bits = bits << 8 | at[is_big_endian ? i : size - 1 - i];
    return bits;
}

bool npy_is(const char *bytes, size_t n)
{
    return n >= MAGIC_SIZE && memcmp(bytes, magic, MAGIC_SIZE) == 0;
}

bool npy_is_archive(const char *bytes, size_t n)
{
    return n >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

static bool is_truncated(const struct header *header, size_t expected, size_t found)
{
    return error_set(header->error, STATUS_FAILED, _("%s: truncated: the header needs %zu bytes, found %zu"),
                     header->name, expected, found);
}

/* Finds the header between the preamble and the numbers. */
static bool find_header(struct header *header, const char *bytes, size_t n)
{
    const unsigned char *at = (const unsigned char *)bytes;
    if (npy_is_archive(bytes, n))
        return error_set(header->error, STATUS_FAILED,
                         _("%s: a zip archive (.npz), expected .npy: unzip it and give one of its files"),
                         header->name);
    if (!npy_is(bytes, n))
        return error_set(header->error, STATUS_FAILED, _("%s: no .npy file"), header->name);
    if (n < MAGIC_SIZE + 4)
        return is_truncated(header, MAGIC_SIZE + 4, n);
    unsigned major = at[MAGIC_SIZE], minor = at[MAGIC_SIZE + 1];
    if (major < 1 || major > 3 || minor != 0)
        return error_set(header->error, STATUS_FAILED, _("%s: .npy version %u.%u, expected 1.0, 2.0 or 3.0"),
                         header->name, major, minor);
    unsigned length_size = major == 1 ? 2 : 4;
    size_t start = MAGIC_SIZE + 2 + length_size;
    if (n < start)
        return is_truncated(header, start, n);
    uint64_t length = load(at + MAGIC_SIZE + 2, length_size, false);
    if (length > HEADER_MAX)
        return error_set(header->error, STATUS_FAILED, _("%s: a header of %.0f bytes, expected at most %d"),
                         header->name, (double)length, HEADER_MAX);
    if (n - start < length)
        return is_truncated(header, start + (size_t)length, n);
    header->at = bytes + start;
    header->end = header->at + length;
    return true;
}

/* ---- type, shape and size */

static bool refuse_type(const struct header *header, char kind, unsigned size)
{
    for (size_t i = 0; i < sizeof refused_types / sizeof *refused_types; i++) {
        if (refused_types[i].kind == kind && (refused_types[i].size == 0 || refused_types[i].size == size))
            return error_set(header->error, STATUS_FAILED, _("%s: holds %s (%s), expected numbers: %s"),
                             header->name, _(refused_types[i].what), header->descr,
                             _(refused_types[i].advice));
    }
    return error_set(header->error, STATUS_FAILED, _("%s: the type '%s' is not known, expected e.g. '<f4'"),
                     header->name, header->descr);
}

/* Reads a type such as "<f4". Without a byte order it is this machine's, as in NumPy. */
static bool find_type(const struct header *header, struct npy *npy)
{
    const uint16_t one = 1;
    bool is_native_big = *(const unsigned char *)&one == 0;
    const char *at = header->descr;
    npy->is_big_endian = *at == '>' || (*at != '<' && is_native_big);
    if (*at && strchr("<>=|", *at))
        at++;
    char kind = *at ? *at++ : '\0';
    unsigned size = 0;
    for (; *at >= '0' && *at <= '9' && size < 1000; at++)
        size = 10 * size + (unsigned)(*at - '0');
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].kind == kind && types[i].size == size && !*at) {
            npy->type = &types[i];
            npy->type_name = types[i].name;
            return true;
        }
    }
    return refuse_type(header, kind, size);
}

/* Writes "(2, 3)" or "(3,)". */
static const char *shape_text(const struct header *header, char out[SHAPE_TEXT])
{
    size_t n = (size_t)snprintf(out, SHAPE_TEXT, "(");
    for (size_t i = 0; i < header->rank; i++)
        n += (size_t)snprintf(out + n, SHAPE_TEXT - n, i > 0 ? ", %zu" : "%zu", header->shape[i]);
    snprintf(out + n, SHAPE_TEXT - n, header->rank == 1 ? ",)" : ")");
    return out;
}

static bool check_rank(const struct header *header)
{
    char text[SHAPE_TEXT];
    if (header->rank == 0)
        return error_set(header->error, STATUS_FAILED,
                         _("%s: a single number (shape ()), expected a matrix (queries, keys)"),
                         header->name);
    if (header->rank > NPY_RANK_MAX)
        return error_set(header->error, STATUS_FAILED,
                         _("%s: %zu axes, expected 1 to %d, the last two queries and keys"), header->name,
                         header->rank, NPY_RANK_MAX);
    for (size_t i = 0; i < header->rank; i++) {
        if (header->shape[i] == 0)
            return error_set(header->error, STATUS_FAILED, _("%s: empty: the shape %s holds no number"),
                             header->name, shape_text(header, text));
    }
    return true;
}

/* Whether the FOUND bytes behind the header hold all the numbers that it promises. */
static bool check_size(const struct header *header, const struct npy *npy, size_t found)
{
    size_t expected = npy->type->size;
    char text[SHAPE_TEXT];
    for (size_t i = 0; i < header->rank; i++) {
        if (header->shape[i] > SIZE_MAX / expected)
            return error_set(header->error, STATUS_FAILED,
                             _("%s: truncated: no file can hold the shape %s of %s, found %zu bytes"),
                             header->name, shape_text(header, text), npy->type_name, found);
        expected *= header->shape[i];
    }
    return expected <= found ||
           error_set(header->error, STATUS_FAILED,
                     _("%s: truncated: the shape %s of %s needs %zu bytes, found %zu"), header->name,
                     shape_text(header, text), npy->type_name, expected, found);
}

static void set_shape(const struct header *header, struct npy *npy)
{
    size_t rank = header->rank, stride = npy->type->size;
    npy->rank = rank;
    memcpy(npy->shape, header->shape, sizeof npy->shape);
    for (size_t i = 0; i < rank; i++) {
        size_t axis = header->is_fortran ? i : rank - 1 - i;
        npy->stride[axis] = stride;
        stride *= npy->shape[axis];
    }
    npy->keys = npy->shape[rank - 1];
    npy->queries = rank > 1 ? npy->shape[rank - 2] : 1;
    npy->panels = 1;
    for (size_t i = 0; i + 2 < rank; i++)
        npy->panels *= npy->shape[i];
}

bool npy_open(const char *name, const char *bytes, size_t n, struct npy *out, struct error *error)
{
    struct header header = {.name = name, .error = error};
    struct npy npy = {.rank = 0};
    if (!find_header(&header, bytes, n) || !parse_header(&header) || !find_type(&header, &npy) ||
        !check_rank(&header) || !check_size(&header, &npy, (size_t)(bytes + n - header.end)))
        return false;
    npy.data = (const unsigned char *)header.end;
    set_shape(&header, &npy);
    *out = npy;
    return true;
}

void npy_panel(const struct npy *npy, size_t panel, double *out)
{
    const unsigned char *at = npy->data;
    for (size_t axis = npy->rank; axis-- > 0;) {
        if (axis + 2 < npy->rank) {
            at += panel % npy->shape[axis] * npy->stride[axis];
            panel /= npy->shape[axis];
        }
    }
    size_t row_stride = npy->rank > 1 ? npy->stride[npy->rank - 2] : 0,
           key_stride = npy->stride[npy->rank - 1];
    const struct npy_type *type = npy->type;
    for (size_t q = 0; q < npy->queries; q++) {
        for (size_t k = 0; k < npy->keys; k++) {
            const unsigned char *item = at + q * row_stride + k * key_stride;
            *out++ = type->value(load(item, type->size, npy->is_big_endian), type->size);
        }
    }
}
