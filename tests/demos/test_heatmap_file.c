#include <fcntl.h>
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

#include "demos/demo.h"
#include "on_stage.h"

/* ---- files, written here with the numbers in them */

static char directory[64];

static int make_directory(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "attnlab-heatmap-XXXXXX");
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static void write_file(const char *name, const void *bytes, size_t n)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

static void write_text(const char *name, const char *text)
{
    write_file(name, text, strlen(text));
}

/* An .npy file of the given version; the numbers are N BYTES as they are in memory (little-endian). */
static void write_npy(const char *name, int version, const char *descr, bool fortran, const char *shape,
                      const void *bytes, size_t n)
{
    struct buf out = {0};
    char header[256];
    int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n",
                          descr, fortran ? "True" : "False", shape);
    buf_add(&out, "\x93NUMPY", 6);
    buf_putc(&out, (char)version);
    buf_putc(&out, 0);
    for (int i = 0; i < (version == 1 ? 2 : 4); i++)
        buf_putc(&out, (char)(length >> 8 * i & 0xff));
    buf_puts(&out, header);
    buf_add(&out, bytes, n);
    write_file(name, out.at, out.len);
    buf_free(&out);
}

#define NPY(name, descr, shape, numbers) write_npy(name, 1, descr, false, shape, numbers, sizeof(numbers))

static void remove_files(void)
{
    static const char *const names[] = {"a.npy", "b.npy", "a.csv", "words.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(names[i]);
}

static int remove_directory(void **state)
{
    (void)state;
    remove_files();
    return chdir("..") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

/* ---- what is asked of the demo */

/* The table weights as csv. */
static void assert_weights(const struct session *session, const char *expected)
{
    struct table table = table_of(session, "weights");
    struct buf csv = {0};
    table_csv(&table, &csv);
    assert_string_equal(csv.at, expected);
    buf_free(&csv);
    table_free(&table);
}

static void assert_shows(const char *file, const char *settings, const char *expected)
{
    struct session *session = on_stage_file("heatmap", file, settings);
    assert_weights(session, expected);
    session_free(session);
}

static void assert_file_refused(const char *file, const char *settings, const char *expected)
{
    struct error error = {0};
    struct look look;
    assert_true(look_make(&look, THEME_DARK, "reds", NULL, &error));
    struct session_options options = {
        .demo = "heatmap", .file = file, .settings = &settings, .n_settings = settings ? 1 : 0, .look = look};
    struct session *session = session_new(&options, &error);
    if (session)
        fail_msg("accepted; expected: %s", expected);
    assert_string_equal(error.text, expected);
}

/* An index that a.npy does not have: what was asked, why not, what the file has, and what may be meant. */
static void assert_index_refused(const char *asked, const char *why, const char *shape, const char *hint)
{
    char expected[256];
    snprintf(expected, sizeof expected, "%s: %s, %s%s", asked, why, shape, hint);
    assert_file_refused("a.npy", asked, expected);
}

/* ---- .npy files */

static void arrays_have_numpys_values(void **state)
{
    static const double columns[] = {0.1, 0.6, 0.2, 0.3, 0.7, 0.1}, row[] = {0.2, 0.3, 0.5};
    static const double quarters[] = {0.25, 0.75, 0.5, 0.5};
    /* 0.1, 0.9 and 0.5 in half precision: 0x1.998p-4 and 0x1.cccp-1. */
    static const uint16_t halves[] = {0x2e66, 0x3b33, 0x3800, 0x3800};
    static const unsigned char causal[] = {1, 0, 0, 1, 1, 0, 1, 1, 1};
    (void)state;
    write_npy("a.npy", 1, "<f8", true, "(2, 3)", columns, sizeof columns);
    assert_shows("a.npy", NULL, "0.1,0.2,0.7\n0.6,0.3,0.1\n");
    write_npy("a.npy", 2, "<f8", false, "(2, 2)", quarters, sizeof quarters);
    assert_shows("a.npy", NULL, "0.25,0.75\n0.5,0.5\n");
    NPY("a.npy", "<f2", "(2, 2)", halves);
    assert_shows("a.npy", NULL, "0.0999755859375,0.89990234375\n0.5,0.5\n");
    NPY("a.npy", "|b1", "(3, 3)", causal);
    assert_shows("a.npy", NULL, "1,0,0\n1,1,0\n1,1,1\n");
    NPY("a.npy", "<f8", "(3,)", row);
    assert_shows("a.npy", NULL, "0.2,0.3,0.5\n");
}

/* Number k of (2, 3, 4, 5) is 1 where its key is its query: the identity in each of the six matrices, plus
 * its matrix's number. */
static void layers_items_and_heads_are_chosen(void **state)
{
    float at[120];
    (void)state;
    for (int k = 0; k < 120; k++) {
        int matrix = k / 20, query = k / 5 % 4, key = k % 5;
        at[k] = (float)((key == query) + 10 * matrix);
    }
    NPY("a.npy", "<f4", "(2, 3, 4, 5)", at);
    assert_shows("a.npy", NULL, "1,0,0,0,0\n0,1,0,0,0\n0,0,1,0,0\n0,0,0,1,0\n");
    assert_shows("a.npy", "head=2", "21,20,20,20,20\n20,21,20,20,20\n20,20,21,20,20\n20,20,20,21,20\n");
    assert_shows("a.npy", "batch=1 head=2",
                 "51,50,50,50,50\n50,51,50,50,50\n50,50,51,50,50\n50,50,50,51,50\n");
    /* The mean of matrices 3, 4 and 5. */
    assert_shows("a.npy", "batch=1 heads=mean",
                 "41,40,40,40,40\n40,41,40,40,40\n40,40,41,40,40\n40,40,40,41,40\n");
    static const char shape[] = "its shape (2, 3, 4, 5) is read as batch, head, query, key";
    assert_index_refused("head=3", "expected 0 to 2; the file has no more", shape, "");
    assert_index_refused("batch=2", "expected 0 to 1; the file has no more", shape, "");
    assert_index_refused("layer=1", "the file has no axis for it", shape, "; use batch=1");
    assert_index_refused("layer=2", "the file has no axis for it", shape, "");
    NPY("a.npy", "<f4", "(6, 4, 5)", at);
    assert_index_refused("batch=5", "the file has no axis for it",
                         "its shape (6, 4, 5) is read as head, query, key", "; use head=5");
    assert_shows("a.npy", "head=5", "51,50,50,50,50\n50,51,50,50,50\n50,50,51,50,50\n50,50,50,51,50\n");
    NPY("a.npy", "<f4", "(2, 3, 1, 4, 5)", at);
    assert_shows("a.npy", "layer=1 batch=1",
                 "41,40,40,40,40\n40,41,40,40,40\n40,40,41,40,40\n40,40,40,41,40\n");
    NPY("a.npy", "<f4", "(7,)", at);
    assert_index_refused("layer=9", "the file has no axis for it", "its shape (7) is read as key", "");
    assert_index_refused("head=1", "the file has no axis for it", "its shape (7) is read as key", "");
}

/* Without a file, too, the answer tells what there is. */
static void only_files_have_layers(void **state)
{
    (void)state;
    assert_string_equal(on_stage_refused("heatmap", "layer=3").text,
                        "layer=3: only a file of five axes has layers");
}

/* Rows that do not sum to 1 are scores, and are called so; softmax makes weights of them. */
static void what_is_no_weights_is_called_scores(void **state)
{
    (void)state;
    static const float scores[] = {2, -1, 0.5F, 3}, weights[] = {0.25F, 0.75F, 1, 0};
    NPY("a.npy", "<f4", "(2, 2)", scores);
    struct session *session = on_stage_file("heatmap", "a.npy", NULL);
    assert_on_screen(session, "scores as given   s(q0, k0) = 2");
    perform(session, "set normalise softmax");
    assert_not_on_screen(session, "scores as given");
    session_free(session);
    NPY("a.npy", "<f4", "(2, 2)", weights);
    session = on_stage_file("heatmap", "a.npy", NULL);
    assert_on_screen(session, "\u03b1 as given   \u03b1(q0, k0) = 0.25");
    session_free(session);
}

static const float two_heads[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0.25F, 0.25F, 0.5F};

static void heads_are_shown_alone_together_or_as_a_mean(void **state)
{
    (void)state;
    NPY("a.npy", "<f4", "(2, 2, 3)", two_heads);
    struct session *session = on_stage_file("heatmap", "a.npy", NULL);
    assert_weights(session, "1,0,0\n0,1,0\n");
    assert_on_screen(session, "head 0");
    perform(session, "set head 1");
    assert_weights(session, "0,0,1\n0.25,0.25,0.5\n");
    assert_on_screen(session, "a.npy: float32 (2, 2, 3)");
    struct error error = refused(session, "set head 2");
    assert_string_equal(error.text,
                        "head=2: expected 0 to 1; the file has no more, its shape (2, 2, 3) is read as head, "
                        "query, key");
    assert_weights(session, "0,0,1\n0.25,0.25,0.5\n");
    perform(session, "set heads all");
    assert_weights(session, "1,0,0\n0,1,0\n0,0,1\n0.25,0.25,0.5\n");
    assert_not_on_screen(session, "mean of");
    perform(session, "file");
    assert_string_equal(session_report(session), "a.npy\nfloat32 (2, 2, 3)\naxes: head, query, key\n");
    perform(session, "set heads mean");
    assert_weights(session, "0.5,0,0.5\n0.125,0.625,0.25\n");
    assert_on_screen(session, "mean of 2 heads");
    perform(session, "undo; undo");
    assert_weights(session, "0,0,1\n0.25,0.25,0.5\n");
    session_free(session);
}

/* At 80x24 there is no room for "layer 3, item 0, head 2", but for which head it is. */
static void heads_keep_their_names_where_room_is_short(void **state)
{
    (void)state;
    static float weights[4 * 2 * 3 * 6 * 6];
    NPY("a.npy", "<f4", "(4, 2, 3, 6, 6)", weights);
    struct session *session = on_stage_file("heatmap", "a.npy", "layer=3 heads=all");
    char *screen = screen_text(session, 80, 24);
    for (size_t head = 0; head < 3; head++) {
        char name[16];
        snprintf(name, sizeof name, "head %zu", head);
        assert_non_null(strstr(screen, name));
    }
    assert_null(strstr(screen, "0, 1"));
    free(screen);
    session_free(session);
}

/* Weights of which the largest is three times the smallest are not alike, though their entropy is near ln 6.
 */
static void only_like_weights_are_called_alike(void **state)
{
    (void)state;
    static const float uneven[] = {0.083F, 0.270F, 0.15F, 0.16F, 0.17F, 0.167F};
    static const float even[] = {0.16F, 0.17F, 0.17F, 0.16F, 0.17F, 0.17F};
    NPY("a.npy", "<f4", "(1, 6)", uneven);
    struct session *session = on_stage_file("heatmap", "a.npy", NULL);
    assert_not_on_screen(session, "nearly alike");
    assert_on_screen(session, "attends most to key 1");
    session_free(session);
    NPY("a.npy", "<f4", "(1, 6)", even);
    session = on_stage_file("heatmap", "a.npy", NULL);
    assert_on_screen(session, "nearly alike");
    session_free(session);
}

/* The bar of -2 is as long as that of 2 and ends where it begins. */
static void negative_scores_have_bars(void **state)
{
    (void)state;
    static const float scores[] = {2, -2, 0};
    NPY("a.npy", "<f4", "(1, 3)", scores);
    struct session *session = on_stage_file("heatmap", "a.npy", NULL);
    assert_on_screen(session,
                     "k0         2          \u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588 \u2502");
    assert_on_screen(session,
                     "k1        -2 \u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588          \u2502");
    session_free(session);
}

/* exp(1) / (1 + exp(1)) of the weight stays for the larger of 1 and 2, exp(-65505) is 0 in any precision. */
static void scores_become_weights(void **state)
{
    static const uint16_t halves[] = {0x3c00, 0x4000, 0xfbff, 0x3c00, 0xfc00, 0xfc00, 0xfc00, 0xfc00, 0xfc00};
    (void)state;
    NPY("a.npy", "<f2", "(3, 3)", halves);
    struct session *session = on_stage_file("heatmap", "a.npy", NULL);
    assert_weights(session, "1,2,-65504\n1,-inf,-inf\n-inf,-inf,-inf\n");
    perform(session, "set normalise softmax");
    struct table table = table_of(session, "weights");
    double *at = matrix_values(&table), larger = exp(1) / (1 + exp(1));
    const double expected[] = {1 - larger, larger, 0, 1, 0, 0, 0, 0, 0};
    for (int i = 0; i < 9; i++)
        assert_true(fabs(at[i] - expected[i]) <= 1e-15);
    free(at);
    table_free(&table);
    perform(session, "select 2");
    assert_on_screen(session, "Query 2 has no valid key");
    assert_on_screen(session, "no valid key");
    table = table_of(session, "rows");
    assert_true(column(&table, "sum")[1] == 1 && column(&table, "sum")[2] == 0);
    assert_true(column(&table, "entropy")[1] == 0 && isnan(column(&table, "entropy")[2]));
    assert_true(column(&table, "largest_key")[0] == 1 && isnan(column(&table, "largest_key")[2]));
    table_free(&table);
    session_free(session);
}

/* The mean over heads is one of weights: a head of large scores does not outweigh the others. */
static void means_are_taken_of_weights(void **state)
{
    static const double scores[] = {0, 0, 1000, 0};
    (void)state;
    NPY("a.npy", "<f8", "(2, 1, 2)", scores);
    assert_shows("a.npy", "heads=mean normalise=softmax", "0.75,0.25\n");
}

static void nan_cells_are_named_and_counted(void **state)
{
    const double at[] = {0.5, 0.5, (double)NAN, 1, (double)NAN, (double)NAN};
    (void)state;
    NPY("a.npy", "<f8", "(3, 2)", at);
    struct session *session = on_stage_file("heatmap", "a.npy", NULL);
    assert_on_screen(session, "3 of 6 cells are NaN");
    perform(session, "select 1 0");
    assert_on_screen(session, "q1, k0: NaN");
    assert_on_screen(session, "row sum: none, NaN cells: 1");
    assert_on_screen(session, "largest k1: 1");
    perform(session, "select 2 0");
    assert_on_screen(session, "largest: none");
    struct table table = table_of(session, "rows");
    assert_true(column(&table, "missing")[0] == 0 && column(&table, "missing")[1] == 1 &&
                column(&table, "missing")[2] == 2);
    table_free(&table);
    session_free(session);
}

static void files_that_are_no_matrices_are_refused(void **state)
{
    static const double ten[10] = {0.25};
    (void)state;
    NPY("a.npy", "<f8", "(4, 4)", ten);
    assert_file_refused("a.npy", NULL,
                        "a.npy: truncated: the shape (4, 4) of float64 needs 128 bytes, found 80");
    write_npy("a.npy", 1, "|O", false, "(2, 2)", "\x80\x03]q\x00.", 6);
    assert_file_refused("a.npy", NULL,
                        "a.npy: holds Python objects (|O), expected numbers: save a.astype(float32)");
    write_file("a.npy", "PK\3\4....", 8);
    assert_file_refused("a.npy", NULL,
                        "a.npy: a zip archive (.npz), expected .npy: unzip it and give one of its files");
    write_text("a.csv", "0.7,0.3,0\n0.2,0.8\n0.1,0.1,0.8\n");
    assert_file_refused("a.csv", NULL, "a.csv:2: only 2 of 3 fields");
    assert_file_refused("none.npy", NULL, "none.npy: No such file or directory");
    assert_file_refused(".", NULL, ".: Is a directory");
    struct error error = on_stage_refused("heatmap", "source=file");
    assert_int_equal(error.status, STATUS_USAGE);
}

/* A header may claim anything: what is not in the file is never asked for. 129 heads side by side would be
 * specks. */
static void sizes_have_bounds(void **state)
{
    static const unsigned char at[129] = {1};
    (void)state;
    NPY("a.npy", "|u1", "(129, 1, 1)", at);
    assert_file_refused("a.npy", "heads=all",
                        "heads=all: there are 129, expected at most 128: choose one or mean");
    assert_shows("a.npy", "head=0", "1\n");
    NPY("a.npy", "|u1", "(1000000, 1000000)", at);
    assert_file_refused(
        "a.npy", NULL,
        "a.npy: truncated: the shape (1000000, 1000000) of uint8 needs 1000000000000 bytes, found 129");
}

/* ---- separated values and labels */

static void csv_matrices_bring_their_labels(void **state)
{
    (void)state;
    write_text("a.csv", ",the,cat\nI,0.25,0.75\nyou,0.5,0.5\n");
    struct session *session = on_stage_file("heatmap", "a.csv", NULL);
    assert_weights(session, "0.25,0.75\n0.5,0.5\n");
    assert_on_screen(session, "comma-separated, labels of rows and columns");
    perform(session, "select 1 1");
    assert_on_screen(session, "q1 you, k1 cat: 0.5");
    struct error error = refused(session, "set heads mean; set rows 3");
    assert_string_equal(error.text, "rows belongs to drawn matrices; these come from a file");
    session_free(session);
}

static void labels_name_both_axes(void **state)
{
    static const double square[] = {1, 0, 0, 1};
    (void)state;
    NPY("a.npy", "<f8", "(2, 2)", square);
    write_text("words.txt", "the\n\xE7\x8C\xAB\x1b[2J\n");
    struct session *session = on_stage_file("heatmap", "a.npy", "labels=words.txt");
    perform(session, "select 0 1");
    assert_on_screen(session, "q0 the, k1 \xE7\x8C\xAB\xEF\xBF\xBD[2J: 0");
    assert_not_on_screen(session, "\x1b");
    write_text("words.txt", "a\nb\nc\n");
    struct error error = refused(session, "set labels words.txt");
    assert_string_equal(error.text, "words.txt: 3 labels, expected 2 for the queries or 2 for the keys");
    assert_on_screen(session, "q0 the");
    refused(session, "set labels none.txt");
    refused(session, "set labels -");
    perform(session, "set normalise softmax; undo");
    assert_on_screen(session, "q0 the");
    session_free(session);
}

/* Three labels name the three keys, whatever the number of queries. */
static void labels_name_the_axis_that_is_as_long(void **state)
{
    static const double wide[] = {1, 0, 0, 0, 1, 0};
    (void)state;
    NPY("a.npy", "<f8", "(2, 3)", wide);
    write_text("words.txt", "a\nb\nc\n");
    struct session *session = on_stage_file("heatmap", "a.npy", "labels=words.txt");
    assert_on_screen(session, "q0, k0 a: 1");
    session_free(session);
}

/* ---- loading, zooming */

static void a_file_is_loaded_whole_or_not_at_all(void **state)
{
    static const double one[] = {0.25, 0.75};
    (void)state;
    NPY("a.npy", "<f4", "(2, 2, 3)", two_heads);
    NPY("b.npy", "<f8", "(1, 2)", one);
    struct session *session = on_stage("heatmap", "rows=1 columns=3 head=2");
    perform(session, "load a.npy");
    assert_weights(session, "1,0,0\n0,1,0\n");
    perform(session, "set head 1; select 1 2");
    write_text("a.csv", "1,2\n3\n");
    struct error error = refused(session, "load a.csv");
    assert_string_equal(error.text, "a.csv:2: only 1 of 2 fields");
    refused(session, "load none.npy");
    assert_weights(session, "0,0,1\n0.25,0.25,0.5\n");
    assert_on_screen(session, "q1, k2: 0.5");
    /* Head 1 belonged to the other file. */
    perform(session, "load b.npy");
    assert_weights(session, "0.25,0.75\n");
    /* The drawn matrices are still there, as they were asked for: three of 2 x 2. */
    perform(session, "set source identity; set queries 2; set keys 2");
    assert_weights(session, "1,0\n0,1\n1,0\n0,1\n1,0\n0,1\n");
    perform(session, "set source file");
    assert_weights(session, "0.25,0.75\n");
    session_free(session);
}

static void standard_input_is_a_file(void **state)
{
    static const double one[] = {0.25, 0.75};
    (void)state;
    NPY("a.npy", "<f8", "(1, 2)", one);
    int keys = dup(STDIN_FILENO), file = open("a.npy", O_RDONLY);
    assert_true(keys >= 0 && file >= 0);
    assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
    assert_shows("-", NULL, "0.25,0.75\n");
    assert_int_equal(dup2(keys, STDIN_FILENO), STDIN_FILENO);
    close(keys);
    close(file);
}

/* The identity of 512: 32 of its rows are shown at zoom 16, and the window follows the selection out of it.
 */
static void large_matrices_are_zoomed_and_panned(void **state)
{
    enum { N = 512 };
    static unsigned char at[N * N];
    (void)state;
    for (size_t i = 0; i < N; i++)
        at[i * N + i] = 1;
    NPY("a.npy", "|b1", "(512, 512)", at);
    struct session *session = on_stage_file("heatmap", "a.npy", "zoom=16");
    assert_on_screen(session, "queries 0 to 31 of 512");
    perform(session, "select 200 200");
    assert_on_screen(session, "queries 169 to 200 of 512");
    assert_on_screen(session, "q200, k200: 1");
    perform(session, "move -1 0");
    assert_on_screen(session, "keys 169 to 200 of 512");
    assert_on_screen(session, "q200, k199: 0");
    perform(session, "move 2 2");
    assert_on_screen(session, "queries 171 to 202 of 512");
    assert_on_screen(session, "keys 170 to 201 of 512");
    perform(session, "nudge 1");
    /* Sixteen around the selection. */
    assert_on_screen(session, "queries 194 to 209 of 512");
    perform(session, "nudge -5");
    assert_on_screen(session, "bool (512, 512)");
    session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_have_numpys_values),
        cmocka_unit_test(layers_items_and_heads_are_chosen),
        cmocka_unit_test(only_files_have_layers),
        cmocka_unit_test(what_is_no_weights_is_called_scores),
        cmocka_unit_test(heads_are_shown_alone_together_or_as_a_mean),
        cmocka_unit_test(heads_keep_their_names_where_room_is_short),
        cmocka_unit_test(only_like_weights_are_called_alike),
        cmocka_unit_test(negative_scores_have_bars),
        cmocka_unit_test(scores_become_weights),
        cmocka_unit_test(means_are_taken_of_weights),
        cmocka_unit_test(nan_cells_are_named_and_counted),
        cmocka_unit_test(files_that_are_no_matrices_are_refused),
        cmocka_unit_test(sizes_have_bounds),
        cmocka_unit_test(csv_matrices_bring_their_labels),
        cmocka_unit_test(labels_name_both_axes),
        cmocka_unit_test(labels_name_the_axis_that_is_as_long),
        cmocka_unit_test(a_file_is_loaded_whole_or_not_at_all),
        cmocka_unit_test(standard_input_is_a_file),
        cmocka_unit_test(large_matrices_are_zoomed_and_panned),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
