/* The screen as it is meant to look: every frame below stands in tests/golden/frames as its text and, cell by
 * cell, its style, and was looked at before it was put there. With ATTNLAB_REWRITE_FRAMES=1 in the
 * environment the files are written anew; what then changes is to be read in the diff. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "on_stage.h"

#include "data/buf.h"
#include "data/lang.h"
#include "draw/frame.h"

enum { PENS_MAX = 62 };

struct shot {
    const char *demo, *commands; /* COMMANDS may be "" */
    int cols, rows;
    enum depth depth;
    enum glyphs glyphs;
    enum theme theme;
    enum lang lang;
};

static const struct shot shots[] = {
    {"train", "", 40, 12, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"train", "step 3", 80, 24, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"train", "step 5; back 3; set lr 0.1; step", 120, 40, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"train", "step 3; open; open; open", 120, 40, DEPTH_TRUE, GLYPHS_UNICODE, THEME_LIGHT, LANG_EN},
    {"train", "step 3", 80, 24, DEPTH_TRUE, GLYPHS_UNICODE, THEME_LIGHT, LANG_ZH},
    {"train", "step 3", 80, 24, DEPTH_256, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"train", "step 3", 80, 24, DEPTH_16, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"train", "step 3", 80, 24, DEPTH_8, GLYPHS_CONSOLE, THEME_DARK, LANG_EN},
    {"train", "step 3", 80, 24, DEPTH_MONO, GLYPHS_ASCII, THEME_DARK, LANG_EN},
    {"cues", "set intent read", 80, 24, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"average", "", 80, 24, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"translate", "", 80, 24, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_ZH},
    {"qkv", "", 80, 24, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"scores", "", 80, 24, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"pooling", "set kernel boxcar; set sigma 0.1", 80, 24, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"shapes", "step 4", 80, 24, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"mask", "set valid_lens 0,3", 80, 24, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"mask", "", 120, 40, DEPTH_TRUE, GLYPHS_UNICODE, THEME_LIGHT, LANG_ZH},
    {"additive", "", 80, 24, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"dot", "set keys random", 80, 24, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"scale", "", 80, 24, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
    {"heatmap", "", 80, 24, DEPTH_TRUE, GLYPHS_UNICODE, THEME_DARK, LANG_EN},
};

static bool same_pen(struct pen a, struct pen b)
{
    return a.fg == b.fg && a.bg == b.bg && a.attr == b.attr;
}

/* The letter of a pen: those seen so far have one each, all beyond share one. */
static char letter_of(struct pen pen, struct pen pens[PENS_MAX], size_t *n)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t i = 0;
    while (i < *n && !same_pen(pens[i], pen))
        i++;
    if (i == *n && *n < PENS_MAX)
        pens[(*n)++] = pen;
    return i < PENS_MAX ? letters[i] : '?';
}

static void write_style(const struct frame *frame, struct buf *out)
{
    struct pen pens[PENS_MAX];
    size_t n = 0;
    for (int y = 0; y < frame->rows; y++) {
        for (int x = 0; x < frame->cols; x++)
            buf_putc(out, letter_of(frame_at(frame, x, y)->pen, pens, &n));
        buf_putc(out, '\n');
    }
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%zu: #%06x on #%06x, %d\n", i, (unsigned)pens[i].fg, (unsigned)pens[i].bg,
                   pens[i].attr);
}

static struct buf draw(const struct shot *shot)
{
    struct frame frame = {0};
    struct buf out = {0};
    struct error error;
    struct session *session = on_stage(shot->demo, NULL);
    struct look look;
    assert_true(look_make(&look, shot->theme, "reds", NULL, &error));
    look.depth = shot->depth;
    look.glyphs = shot->glyphs;
    session_set_look(session, &look);
    lang_choose(shot->lang);
    perform(session, shot->commands);
    session_settle(session);
    frame_reset(&frame, shot->cols, shot->rows, look_pen(&look, ROLE_TEXT));
    session_draw(session, &frame);
    frame_degrade(&frame, &look);
    frame_text(&frame, &out);
    write_style(&frame, &out);
    lang_choose(LANG_EN);
    frame_free(&frame);
    session_free(session);
    return out;
}

static struct buf read_all(const char *path)
{
    struct buf out = {0};
    char bytes[4096];
    size_t n;
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is missing", path);
    while (file && (n = fread(bytes, 1, sizeof bytes, file)) > 0)
        buf_add(&out, bytes, n);
    if (file)
        fclose(file);
    return out;
}

static void rewrite(const char *path, const struct buf *bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes->at, 1, bytes->len, file), bytes->len);
    assert_int_equal(fclose(file), 0);
}

static void frames_are_as_they_were_looked_at(void **unused)
{
    (void)unused;
    static const char *const depths[] = {"mono", "8", "16", "256", "true"};
    for (size_t i = 0; i < sizeof shots / sizeof *shots; i++) {
        char path[512];
        struct buf got = draw(&shots[i]);
        snprintf(path, sizeof path, "%s/%02zu-%s-%dx%d-%s.txt", FRAMES_DIR, i, shots[i].demo, shots[i].cols,
                 shots[i].rows, depths[shots[i].depth]);
        if (getenv("ATTNLAB_REWRITE_FRAMES")) {
            rewrite(path, &got);
        } else {
            struct buf wanted = read_all(path);
            if (got.len != wanted.len || memcmp(got.at, wanted.at, got.len) != 0)
                fail_msg("%s differs; the frame is now\n%s", path, got.at);
            buf_free(&wanted);
        }
        buf_free(&got);
    }
}

/* The same state drawn twice is the same frame: drawing changes nothing. */
static void drawing_changes_nothing(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof shots / sizeof *shots; i++) {
        struct session *session = on_stage(shots[i].demo, NULL);
        char *first = screen_text(session, shots[i].cols, shots[i].rows);
        char *again = screen_text(session, shots[i].cols, shots[i].rows);
        assert_string_equal(first, again);
        free(first);
        free(again);
        session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_as_they_were_looked_at),
        cmocka_unit_test(drawing_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
