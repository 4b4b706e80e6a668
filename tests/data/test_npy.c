#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"

#include "data/file.h"
#include "data/npy.h"
#include "engine/mem.h"

/* ---- what NumPy wrote */

static bool is_same(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : memcmp(&a, &b, sizeof a) == 0;
}

/* Reads NAME.npy whole: its shape and every number, to the bit, are those that NumPy read. */
static void assert_as_numpy(const char *name, const char *type_name)
{
    char path[512], tensor[64];
    struct buf bytes = {0};
    struct error error = {0};
    struct npy npy;
    snprintf(path, sizeof path, "%s/npy/%s.npy", GOLDEN_DIR, name);
    snprintf(tensor, sizeof tensor, "%s_f64", name);
    struct golden expected = golden_load("npy/expected.tsv", tensor);
    if (!file_read(path, &bytes, &error) || !npy_open(name, bytes.at, bytes.len, &npy, &error))
        fail_msg("%s: %s", name, error.text);

    assert_string_equal(npy.type_name, type_name);
    assert_int_equal(npy.rank, expected.rank);
    assert_memory_equal(npy.shape, expected.shape, npy.rank * sizeof *npy.shape);
    assert_int_equal(npy.panels * npy.queries * npy.keys, expected.n);
    double *at = mem_new(npy.queries * npy.keys, sizeof *at);
    for (size_t panel = 0; panel < npy.panels; panel++) {
        npy_panel(&npy, panel, at);
        for (size_t i = 0; i < npy.queries * npy.keys; i++) {
            double wanted = expected.at[panel * npy.queries * npy.keys + i];
            if (!is_same(at[i], wanted))
                fail_msg("%s: panel %zu, cell %zu is %.17g, expected %.17g", name, panel, i, at[i], wanted);
        }
    }
    free(at);
    buf_free(&bytes);
    golden_free(&expected);
}

static void test_every_type_and_order(void **state)
{
    static const struct {
        const char *code, *name;
    } types[] = {{"b1", "bool"},   {"i1", "int8"},    {"i2", "int16"},   {"i4", "int32"},
                 {"i8", "int64"},  {"u1", "uint8"},   {"u2", "uint16"},  {"u4", "uint32"},
                 {"u8", "uint64"}, {"f2", "float16"}, {"f4", "float32"}, {"f8", "float64"}};
    static const char *const ends[] = {"_little", "_big"}, *const orders[] = {"_c", "_fortran"};
    char name[64];
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (size_t end = 0; end < 2; end++)
            for (size_t order = 0; order < 2; order++) {
                bool is_byte = types[i].code[1] == '1';
                snprintf(name, sizeof name, "%s%s%s", types[i].code, is_byte ? "" : ends[end], orders[order]);
                assert_as_numpy(name, types[i].name);
            }
}

static void test_every_rank(void **state)
{
    char name[64];
    (void)state;
    for (int rank = 1; rank <= NPY_RANK_MAX; rank++) {
        snprintf(name, sizeof name, "rank%d_c", rank);
        assert_as_numpy(name, "float32");
        snprintf(name, sizeof name, "rank%d_fortran", rank);
        assert_as_numpy(name, "float32");
    }
}

static void test_every_version(void **state)
{
    (void)state;
    assert_as_numpy("version1", "float64");
    assert_as_numpy("version2", "float64");
    assert_as_numpy("version3", "float64");
}

/* ---- headers that NumPy does not write but reads */

/* A file of version 1.0 with this header and N bytes of data, all 0. */
static struct buf file_of(const char *header, size_t n)
{
    struct buf out = {0};
    buf_add(&out, "\x93NUMPY\1\0", 8);
    buf_putc(&out, (char)(strlen(header) & 0xff));
    buf_putc(&out, (char)(strlen(header) >> 8));
    buf_puts(&out, header);
    for (size_t i = 0; i < n; i++)
        buf_putc(&out, '\0');
    return out;
}

static void assert_opens(const char *header, size_t n, size_t queries, size_t keys)
{
    struct buf bytes = file_of(header, n);
    struct error error = {0};
    struct npy npy;
    if (!npy_open("a.npy", bytes.at, bytes.len, &npy, &error))
        fail_msg("%s: %s", header, error.text);
    assert_int_equal(npy.queries, queries);
    assert_int_equal(npy.keys, keys);
    buf_free(&bytes);
}

static void test_headers(void **state)
{
    (void)state;
    assert_opens("{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}", 24, 2, 3);
    assert_opens("{\"fortran_order\":True,\"descr\":\"<f4\",\"shape\":(2,3,)}", 24, 2, 3);
    assert_opens(" {\t'descr' : '=f4' , 'fortran_order' : False , 'shape' : ( 2 , 3 ) , } \n\n", 24, 2, 3);
    assert_opens("{'descr': 'f4', 'fortran_order': False, 'shape': (6,), }", 24, 1, 6);
    assert_opens("{'descr': '|f4', 'fortran_order': False, 'shape': (2L, 3L), }", 24, 2, 3);
    /* The last one counts, and more data may follow, as after several numpy.save into one file. */
    assert_opens("{'shape': (9, 9), 'descr': '>u1', 'fortran_order': False, 'shape': (1, 2), }", 50, 1, 2);
}

/* ---- refusals */

static void assert_bytes_refused(const char *bytes, size_t n, const char *expected)
{
    struct error error = {0};
    struct npy npy = {.rank = 77};
    if (npy_open("a.npy", bytes, n, &npy, &error))
        fail_msg("accepted; expected: %s", expected);
    assert_int_equal(error.status, STATUS_FAILED);
    assert_string_equal(error.text, expected);
    assert_int_equal(npy.rank, 77);
}

static void assert_header_refused(const char *header, size_t n, const char *expected)
{
    struct buf bytes = file_of(header, n);
    assert_bytes_refused(bytes.at, bytes.len, expected);
    buf_free(&bytes);
}

#define PLAIN(descr, shape) "{'descr': " descr ", 'fortran_order': False, 'shape': " shape ", }\n"

static void test_types_refused_by_name(void **state)
{
    (void)state;
    assert_header_refused(PLAIN("'|O'", "(2, 2)"), 5,
                          "a.npy: holds Python objects (|O), expected numbers: save a.astype(float32)");
    assert_header_refused(PLAIN("'<c8'", "(2, 2)"), 32,
                          "a.npy: holds complex numbers (<c8), expected numbers: save abs(a) or a.real");
    assert_header_refused(PLAIN("'<V2'", "(2, 2)"), 8,
                          "a.npy: holds bfloat16 or other raw items of 2 bytes (<V2), expected numbers: save "
                          "a.astype(float32)");
    assert_header_refused(PLAIN("'<f16'", "(2, 2)"), 64,
                          "a.npy: holds long doubles (<f16), expected numbers: save a.astype(float64)");
    assert_header_refused(PLAIN("'<U3'", "(2, 2)"), 48,
                          "a.npy: holds text (<U3), expected numbers: save a.astype(float32)");
    assert_header_refused(PLAIN("'<M8[ns]'", "(2, 2)"), 32,
                          "a.npy: holds dates (<M8[ns]), expected numbers: save a.astype(float64)");
    assert_header_refused(PLAIN("[('q', '<f4'), ('k', '<f4')]", "(2, 2)"), 32,
                          "a.npy: holds a structured array, expected numbers: save one field, a['name']");
    assert_header_refused(PLAIN("'<i3'", "(2, 2)"), 32,
                          "a.npy: the type '<i3' is not known, expected e.g. '<f4'");
    assert_header_refused(PLAIN("'<b8'", "(2, 2)"), 32,
                          "a.npy: the type '<b8' is not known, expected e.g. '<f4'");
    assert_header_refused(PLAIN("'<f4x'", "(2, 2)"), 32,
                          "a.npy: the type '<f4x' is not known, expected e.g. '<f4'");
    assert_header_refused(PLAIN("''", "(2, 2)"), 32, "a.npy: the type '' is not known, expected e.g. '<f4'");
    assert_header_refused(PLAIN("'\x1b[2J'", "(2, 2)"), 32,
                          "a.npy: the type '\xEF\xBF\xBD[2J' is not known, expected e.g. '<f4'");
}

static void test_shapes_refused(void **state)
{
    (void)state;
    assert_header_refused(PLAIN("'<f8'", "()"), 8,
                          "a.npy: a single number (shape ()), expected a matrix (queries, keys)");
    assert_header_refused(PLAIN("'<f8'", "(0, 3)"), 0, "a.npy: empty: the shape (0, 3) holds no number");
    assert_header_refused(PLAIN("'<f8'", "(0,)"), 0, "a.npy: empty: the shape (0,) holds no number");
    assert_header_refused(PLAIN("'<f8'", "(1, 1, 1, 1, 1, 1)"), 8,
                          "a.npy: 6 axes, expected 1 to 5, the last two queries and keys");
    assert_header_refused(PLAIN("'<f8'", "(4, 4)"), 80,
                          "a.npy: truncated: the shape (4, 4) of float64 needs 128 bytes, found 80");
    assert_header_refused(PLAIN("'<f8'", "(4, 4)"), 127,
                          "a.npy: truncated: the shape (4, 4) of float64 needs 128 bytes, found 127");
}

/* 2^31 * 2^32 * 2 items are 0 bytes modulo 2^64; a number of 30 digits is no size_t at all. */
static void test_shape_products_that_overflow(void **state)
{
    (void)state;
    assert_header_refused(
        PLAIN("'<u1'", "(2147483648, 4294967296, 2)"), 16,
        "a.npy: truncated: no file can hold the shape (2147483648, 4294967296, 2) of uint8, found 16 "
        "bytes");
    assert_header_refused(
        PLAIN("'<f8'", "(2305843009213693952,)"), 16,
        "a.npy: truncated: no file can hold the shape (2305843009213693952,) of float64, found 16 "
        "bytes");
    struct buf bytes = file_of(PLAIN("'<f4'", "(100000000000000000000000000000, 2)"), 16);
    struct error error = {0};
    struct npy npy;
    assert_false(npy_open("a.npy", bytes.at, bytes.len, &npy, &error));
    assert_non_null(strstr(error.text, "truncated: no file can hold"));
    buf_free(&bytes);
}

static void test_headers_refused(void **state)
{
    static const char *const headers[] = {
        "",
        "{",
        "{}",
        "nonsense",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'shape': (1,)}",
        "{'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': None, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': [1]}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} more",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (1,)}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        assert_header_refused(
            headers[i], 8,
            "a.npy: the header cannot be read, expected {'descr': ..., 'fortran_order': ..., "
            "'shape': ...}");
}

static void test_preambles_refused(void **state)
{
    (void)state;
    assert_bytes_refused("", 0, "a.npy: no .npy file");
    assert_bytes_refused("\x93NUMP", 5, "a.npy: no .npy file");
    assert_bytes_refused("\x93NUMPY\1\0", 8, "a.npy: truncated: the header needs 10 bytes, found 8");
    assert_bytes_refused("\x93NUMPY\1\0\x76\0{", 11,
                         "a.npy: truncated: the header needs 128 bytes, found 11");
    assert_bytes_refused("\x93NUMPY\2\0\x76\0", 10, "a.npy: truncated: the header needs 12 bytes, found 10");
    assert_bytes_refused("\x93NUMPY\4\0\x76\0{", 11, "a.npy: .npy version 4.0, expected 1.0, 2.0 or 3.0");
    assert_bytes_refused("\x93NUMPY\1\1\x76\0{", 11, "a.npy: .npy version 1.1, expected 1.0, 2.0 or 3.0");
    assert_bytes_refused("\x93NUMPY\2\0\xff\xff\xff\xff{", 13,
                         "a.npy: a header of 4294967295 bytes, expected at most 65536");
    assert_bytes_refused("PK\3\4....", 8,
                         "a.npy: a zip archive (.npz), expected .npy: unzip it and give one of its files");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_and_order),
        cmocka_unit_test(test_every_rank),
        cmocka_unit_test(test_every_version),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_types_refused_by_name),
        cmocka_unit_test(test_shapes_refused),
        cmocka_unit_test(test_shape_products_that_overflow),
        cmocka_unit_test(test_headers_refused),
        cmocka_unit_test(test_preambles_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
