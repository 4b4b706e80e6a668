#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "data/asset.h"
#include "data/csv.h"
#include "data/file.h"

static void test_sorted_and_found(void **state)
{
    (void)state;
    assert_true(n_assets > 0);
    for (size_t i = 0; i < n_assets; i++) {
        assert_ptr_equal(asset_find(assets[i].name), &assets[i]);
        assert_true(i == 0 || strcmp(assets[i - 1].name, assets[i].name) < 0);
    }
    assert_null(asset_find("no/such"));
    assert_null(asset_find(""));
}

/* ASSETS_DIR is where they were embedded from; what is made while building is not there. */
static void test_embedded_byte_for_byte(void **state)
{
    size_t compared = 0;
    (void)state;
    for (size_t i = 0; i < n_assets; i++) {
        char path[1024];
        struct buf buf = {0};
        snprintf(path, sizeof path, "%s/%s", ASSETS_DIR, assets[i].name);
        if (access(path, F_OK) != 0)
            continue;
        assert_true(file_read(path, &buf, NULL));
        assert_int_equal(buf.len, assets[i].size);
        assert_memory_equal(buf.at, assets[i].bytes, buf.len);
        buf_free(&buf);
        compared++;
    }
    assert_true(compared >= 6);
}

static void test_directory_overrides(void **state)
{
    char directory[] = "/tmp/attnlab-asset-XXXXXX", path[64];
    struct buf buf = {0};
    struct error error = {0};
    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/mine.csv", directory);
    assert_true(file_write(path, "x", 1, false, &error));
    assert_true(asset_read(directory, "mine.csv", &buf, &error));
    assert_string_equal(buf.at, "x");
    buf_free(&buf);
    assert_true(asset_read(directory, "data/mcycle.csv", &buf, &error));
    assert_int_equal(buf.len, asset_find("data/mcycle.csv")->size);
    buf_free(&buf);
    assert_true(asset_read("", "data/mcycle.csv", &buf, &error) &&
                asset_read(NULL, "data/mcycle.csv", &buf, &error));
    buf_free(&buf);
    assert_false(asset_read(directory, "yours.csv", &buf, &error));
    assert_non_null(strstr(error.text, "yours.csv"));
    unlink(path);
    rmdir(directory);
}

static double sum(const double *at, size_t n)
{
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += at[i];
    return total;
}

/* The counts are the papers', the means what R prints: mean(faithful$waiting) is 70.89706, mean(mcycle$accel)
 * -25.54586. */
static void test_example_data(void **state)
{
    static const struct {
        const char *name, *x, *y;
        size_t n;
        double x_mean, y_mean;
    } sets[] = {
        {"data/faithful.csv", "eruptions", "waiting", 272, 3.487783, 70.89706},
        {"data/mcycle.csv", "times", "accel", 133, 25.17895, -25.54586},
    };
    (void)state;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const struct asset *asset = asset_find(sets[i].name);
        struct csv_points points;
        assert_true(csv_points_parse(sets[i].name, (const char *)asset->bytes, asset->size, "", "",
                                     (struct progress){0}, &points, NULL));
        assert_int_equal(points.n, sets[i].n);
        assert_string_equal(points.guess.x.header, sets[i].x);
        assert_string_equal(points.guess.y.header, sets[i].y);
        assert_true(fabs(sum(points.x, points.n) / (double)points.n - sets[i].x_mean) <= 5e-6);
        assert_true(fabs(sum(points.y, points.n) / (double)points.n - sets[i].y_mean) <= 5e-6);
        csv_points_free(&points);
    }
}

/* Checks a colormap's file and returns its number of colours. */
static int check_colormap(const char *name, unsigned *first_dark, unsigned *last_dark)
{
    char path[64];
    struct buf buf = {0};
    snprintf(path, sizeof path, "colormaps/%s.csv", name);
    assert_true(asset_read(NULL, path, &buf, NULL));
    const char *at = buf.at;
    assert_int_equal(strncmp(at, "position,light,dark\n", 20), 0);
    int n = 0, used;
    double position, last = -1;
    unsigned light;
    for (at += 20; *at; at += used, n++) {
        assert_int_equal(sscanf(at, "%lf,#%6x,#%6x\n%n", &position, &light, last_dark, &used), 3);
        assert_true(position > last && (n > 0 || position == 0));
        if (n == 0)
            *first_dark = *last_dark;
        last = position;
    }
    assert_true(last == 1);
    buf_free(&buf);
    return n;
}

static void test_colormaps(void **state)
{
    unsigned first, last;
    (void)state;
    assert_int_equal(check_colormap("viridis", &first, &last), 256);
    assert_int_equal(first, 0x440154);
    assert_int_equal(last, 0xFDE725);
    assert_int_equal(check_colormap("cividis", &first, &last), 256);
    assert_int_equal(first, 0x00224E);
    assert_int_equal(last, 0xFEE838);
    assert_int_equal(check_colormap("reds", &first, &last), 9);
    assert_int_equal(last, 0xFFF5F0);
    assert_int_equal(check_colormap("gray", &first, &last), 2);
    assert_int_equal(last, 0xFFFFFF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorted_and_found),    cmocka_unit_test(test_embedded_byte_for_byte),
        cmocka_unit_test(test_directory_overrides), cmocka_unit_test(test_example_data),
        cmocka_unit_test(test_colormaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
