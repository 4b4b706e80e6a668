/* Walks over all that the demos' tables promise: every parameter to its ends and past them, every table in
 * both formats, frames at many sizes in every colour depth and glyph tier. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "on_stage.h"

#include "demos/demo.h"
#include "session/print.h"

static const char *const chapter[] = {"cues",   "average", "translate", "qkv", "scores", "pooling", "train",
                                      "shapes", "mask",    "additive",  "dot", "scale",  "heatmap"};

static void the_chapter_is_in_order(void **unused)
{
    (void)unused;
    assert_int_equal(n_demos, sizeof chapter / sizeof *chapter);
    for (size_t i = 0; i < n_demos; i++)
        assert_string_equal(demos[i]->name, chapter[i]);
}

static void demos_describe_themselves(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < n_demos; i++) {
        const struct demo *demo = demos[i];
        assert_true(demo->title[0] && demo->summary[0]);
        assert_true(demo->n_params > 0 && demo->n_params <= PARAMS_MAX);
        assert_true(demo->n_panes > 0 && demo->n_panes <= PANES_MAX);
        assert_true(demo->n_tables > 0);
        for (size_t k = 0; k < demo->n_params; k++) {
            const struct param *p = &demo->params[k];
            if (!p->help || !p->help[0] || !p->label || !p->unit || !p->initial)
                fail_msg("%s: parameter %s does not describe itself", demo->name, p->name);
            assert_int_equal(param_find(demo->params, demo->n_params, p->name), k);
        }
    }
}

/* A number that is no number, in text that is for people or for programs. */
static void assert_no_nan(const char *where, const char *text)
{
    static const char *const words[] = {"nan", "NaN", "-inf", "inf,"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            fail_msg("%s shows %s", where, words[i]);
}

static void print_as(struct session *session, const char *format, const char *table, struct buf *out)
{
    struct error error = {0};
    struct print_request request = {.format = format, .table = table, .cols = 120, .rows = 40};
    if (!print_session(session, &request, out, &error))
        fail_msg("%s", error.text);
}

/* -inf is what a mask writes in the scores, and NaN what its fill=-inf is there to show. */
static bool may_be_infinite(const char *demo, const char *table)
{
    return strcmp(table, "masked") == 0 || strcmp(demo, "mask") == 0 ||
           (strcmp(demo, "train") == 0 && strcmp(table, "query") == 0) ||
           (strcmp(demo, "pooling") == 0 && strcmp(table, "query") == 0);
}

static void check_tables(struct session *session, const char *where)
{
    const struct demo *demo = session_stage(session)->demo;
    for (size_t k = 0; k < demo->n_tables; k++) {
        struct buf csv = {0};
        struct table table = demo->tables[k].make(session_stage(session));
        print_as(session, "csv", demo->tables[k].name, &csv);
        /* Only a matrix without rows prints as nothing: an operation that has no second input. */
        if ((csv.len == 0) != (table.is_matrix && table.n_rows == 0))
            fail_msg("%s: table %s is empty", where, demo->tables[k].name);
        table_free(&table);
        if (!may_be_infinite(demo->name, demo->tables[k].name))
            assert_no_nan(where, csv.at ? csv.at : "");
        buf_free(&csv);
    }
    struct buf json = {0};
    print_as(session, "json", NULL, &json);
    assert_null(strstr(json.at, "nan"));
    assert_null(strstr(json.at, "inf,"));
    buf_free(&json);
    char *screen = screen_text(session, 120, 40);
    if (strcmp(demo->name, "mask") != 0 && !strstr(where, "inf"))
        assert_null(strstr(screen, "nan"));
    free(screen);
}

static void set_number(struct session *session, const struct param *p, double number, bool must_fit)
{
    char line[128], where[160];
    struct error error = {0};
    snprintf(line, sizeof line, "set %s %.17g", p->name, number);
    snprintf(where, sizeof where, "%s: %s", session_stage(session)->demo->name, line);
    bool done = session_command(session, line, &error);
    if (!done && must_fit && error.status != STATUS_USAGE && error.status != STATUS_FAILED)
        fail_msg("%s: %s", where, error.text);
    if (done && !must_fit)
        fail_msg("%s was accepted", where);
    if (!done)
        assert_true(error.text[0] != '\0');
    check_tables(session, where);
}

static void walk_number(const char *demo, const struct param *p)
{
    struct session *session = on_stage(demo, NULL);
    bool whole = p->kind == PARAM_INTEGER;
    double middle = p->lo < 0 && p->hi > 0 ? 0 : p->lo + (p->hi - p->lo) / 2;
    set_number(session, p, whole ? floor(middle) : middle, true);
    set_number(session, p, p->above_lo ? p->lo + (p->hi - p->lo) * 1e-6 : p->lo, true);
    set_number(session, p, p->hi, true);
    set_number(session, p, p->lo - 1 - fabs(p->lo) * 1e-3, false);
    set_number(session, p, p->hi + 1 + fabs(p->hi) * 1e-3, false);
    session_free(session);
}

static void walk_choices(const char *demo, const struct param *p)
{
    for (const char *const *choice = p->choices; *choice; choice++) {
        char line[128];
        struct error error;
        struct session *session = on_stage(demo, NULL);
        snprintf(line, sizeof line, "set %s %s", p->name, *choice);
        if (!session_command(session, line, &error))
            assert_true(error.text[0] != '\0');
        check_tables(session, line);
        snprintf(line, sizeof line, "set %s no-such-choice", p->name);
        refused(session, line);
        session_free(session);
    }
}

static void walk_lists(const char *demo, const struct param *p)
{
    static const char *const texts[] = {"1",   "1,2", "0,0", "1,3/2,4", "1,2,3,4,5,6,7,8",
                                        "abc", "",    "nan", "1e400",   "1,,2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char line[128];
        struct error error;
        struct session *session = on_stage(demo, NULL);
        snprintf(line, sizeof line, "set %s %s", p->name, texts[i]);
        if (!session_command(session, line, &error))
            assert_true(error.text[0] != '\0');
        check_tables(session, line);
        session_free(session);
    }
}

static void every_parameter_is_walked(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < n_demos; i++) {
        for (size_t k = 0; k < demos[i]->n_params; k++) {
            const struct param *p = &demos[i]->params[k];
            if (p->kind == PARAM_REAL || p->kind == PARAM_INTEGER)
                walk_number(demos[i]->name, p);
            else if (p->kind == PARAM_CHOICE)
                walk_choices(demos[i]->name, p);
            else if (p->kind == PARAM_LIST)
                walk_lists(demos[i]->name, p);
        }
    }
}

static void every_frame_is_drawn(void **unused)
{
    (void)unused;
    static const int sizes[][2] = {{40, 12}, {60, 20}, {80, 24}, {120, 40}, {200, 60}, {300, 100}};
    for (size_t i = 0; i < n_demos; i++) {
        struct session *session = on_stage(demos[i]->name, NULL);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (int tier = 0; tier < DEPTHS * GLYPH_TIERS; tier++) {
                struct frame frame = {0};
                struct buf text = {0};
                struct look look = *session_look(session);
                look.depth = (enum depth)(tier / GLYPH_TIERS);
                look.glyphs = (enum glyphs)(tier % GLYPH_TIERS);
                session_set_look(session, &look);
                frame_reset(&frame, sizes[s][0], sizes[s][1], look_pen(&look, ROLE_TEXT));
                session_draw(session, &frame);
                frame_degrade(&frame, &look);
                frame_text(&frame, &text);
                assert_non_null(strstr(text.at, "attnlab"));
                for (size_t c = 0; c < text.len && look.glyphs == GLYPHS_ASCII; c++)
                    assert_true((unsigned char)text.at[c] < 0x80);
                buf_free(&text);
                frame_free(&frame);
            }
        }
        session_free(session);
    }
}

/* Text bears no colours, so it must not depend on how many there are, and half blocks, two colours and
 * nothing else where curves have dots, have no place in it. */
static void text_says_without_colours_what_heatmaps_show(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < n_demos; i++) {
        struct session *session = on_stage(demos[i]->name, NULL);
        struct look look = *session_look(session);
        for (int glyphs = 0; glyphs < GLYPH_TIERS; glyphs++) {
            look.glyphs = (enum glyphs)glyphs;
            look.depth = DEPTH_MONO;
            session_set_look(session, &look);
            char *plain = screen_text(session, 80, 24);
            if (glyphs == GLYPHS_UNICODE)
                assert_null(strstr(plain, "\u2580"));
            for (int depth = DEPTH_MONO + 1; depth < DEPTHS; depth++) {
                look.depth = (enum depth)depth;
                session_set_look(session, &look);
                char *text = screen_text(session, 80, 24);
                assert_string_equal(text, plain);
                assert_int_equal(session_look(session)->depth, depth);
                free(text);
            }
            free(plain);
        }
        session_free(session);
    }
}

/* Words that take more characters in ASCII must not move a frame's sides and corners. */
static void ascii_keeps_frames_in_place(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < n_demos; i++) {
        struct session *session = on_stage(demos[i]->name, NULL);
        struct look look = *session_look(session);
        struct frame drawn = {0}, shown = {0};
        look.glyphs = GLYPHS_ASCII;
        session_set_look(session, &look);
        frame_reset(&drawn, 80, 24, look_pen(&look, ROLE_TEXT));
        frame_reset(&shown, 80, 24, look_pen(&look, ROLE_TEXT));
        session_draw(session, &drawn);
        session_draw(session, &shown);
        frame_degrade(&shown, &look);
        for (size_t c = 0; c < 80 * 24; c++) {
            uint32_t glyph = drawn.cell[c].glyph;
            if (glyph == 0x2502)
                assert_int_equal(shown.cell[c].glyph, '|');
            if (glyph >= 0x256d && glyph <= 0x2570)
                assert_int_equal(shown.cell[c].glyph, '+');
        }
        frame_free(&drawn);
        frame_free(&shown);
        session_free(session);
    }
}

static void undo_and_redo_are_exact(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < n_demos; i++) {
        struct session *session = on_stage(demos[i]->name, NULL);
        struct buf before = {0}, after = {0}, again = {0};
        print_as(session, "json", NULL, &before);
        perform(session, "param next; adjust 1");
        print_as(session, "json", NULL, &again);
        perform(session, "undo");
        print_as(session, "json", NULL, &after);
        assert_string_equal(before.at, after.at);
        buf_free(&after);
        perform(session, "redo");
        print_as(session, "json", NULL, &after);
        assert_string_equal(again.at, after.at);
        buf_free(&before);
        buf_free(&after);
        buf_free(&again);
        session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chapter_is_in_order),
        cmocka_unit_test(demos_describe_themselves),
        cmocka_unit_test(every_parameter_is_walked),
        cmocka_unit_test(every_frame_is_drawn),
        cmocka_unit_test(text_says_without_colours_what_heatmaps_show),
        cmocka_unit_test(ascii_keeps_frames_in_place),
        cmocka_unit_test(undo_and_redo_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
