#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw/look.h"
#include "data/lang.h"
#include "options.h"
#include "session/print.h"

enum { ARGS_MAX = 16 };

/* Parses LINE, split at blanks, as the command line of attnlab. */
static bool parse(struct options *options, char *line, struct error *error)
{
    char *argv[ARGS_MAX + 1] = {(char *)(uintptr_t) "attnlab"};
    int argc = 1;

    for (char *word = strtok(line, " "); word && argc < ARGS_MAX; word = strtok(NULL, " "))
        argv[argc++] = word;
    return options_parse(options, argc, argv, error);
}

static struct options accepted(char *line)
{
    struct options options;
    struct error error = {0};

    if (!parse(&options, line, &error))
        fail_msg("refused: %s", error.text);
    return options;
}

static void assert_refused(const char *line, const char *expected)
{
    struct options options;
    struct error error = {0};
    char copy[256];

    snprintf(copy, sizeof copy, "%s", line);
    if (parse(&options, copy, &error))
        fail_msg("accepted: %s", line);
    assert_int_equal(error.status, STATUS_USAGE);
    if (!strstr(error.text, expected))
        fail_msg("%s: \"%s\" does not say \"%s\"", line, error.text, expected);
    options_free(&options);
}

static void nothing_given_leaves_everything_open(void **state)
{
    char line[] = "";
    struct options options = accepted(line);

    (void)state;
    assert_int_equal(options.action, ACTION_RUN);
    assert_null(options.demo);
    assert_null(options.file);
    assert_null(options.print);
    assert_int_equal(options.depth, -1);
    assert_int_equal(options.lang, -1);
    assert_int_equal(options.cols, 120);
    assert_int_equal(options.rows, 40);
    options_free(&options);
}

static void arguments_come_in_any_order(void **state)
{
    static const char *const lines[] = {
        "train points.csv lr=0.1 -c run -p csv --command=back",
        "lr=0.1 -c run points.csv --print csv train -cback",
        "-crun -pcsv -c back -- points.csv train lr=0.1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[128];

        snprintf(line, sizeof line, "%s", lines[i]);
        struct options options = accepted(line);
        assert_string_equal(options.demo, "train");
        assert_string_equal(options.file, "points.csv");
        assert_int_equal(options.n_settings, 1);
        assert_string_equal(options.settings[0], "lr=0.1");
        assert_int_equal(options.n_commands, 2);
        assert_string_equal(options.commands[0], "run");
        assert_string_equal(options.commands[1], "back");
        assert_string_equal(options.print, "csv");
        options_free(&options);
    }
}

static void posix_order_does_not_change_the_meaning(void **state)
{
    char line[] = "train lr=0.1 -p json";
    struct options options;

    (void)state;
    setenv("POSIXLY_CORRECT", "1", 1);
    options = accepted(line);
    unsetenv("POSIXLY_CORRECT");
    assert_string_equal(options.print, "json");
    options_free(&options);
}

static void choices_become_the_enumerations(void **state)
{
    static const struct {
        const char *line;
        int depth, glyphs, theme, lang;
    } cases[] = {
        {"--color=mono --glyphs=ascii --theme=dark --lang=en", DEPTH_MONO, GLYPHS_ASCII, THEME_DARK, LANG_EN},
        {"--color 8 --glyphs console --theme light --lang zh", DEPTH_8, GLYPHS_CONSOLE, THEME_LIGHT, LANG_ZH},
        {"--color=16 --glyphs=unicode", DEPTH_16, GLYPHS_UNICODE, -1, -1},
        {"--color=256 --glyphs=auto --theme=auto --lang=auto", DEPTH_256, -1, -1, -1},
        {"--color=8 --color=truecolor", DEPTH_TRUE, -1, -1, -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[128];

        snprintf(line, sizeof line, "%s", cases[i].line);
        struct options options = accepted(line);
        assert_int_equal(options.depth, cases[i].depth);
        assert_int_equal(options.glyphs, cases[i].glyphs);
        assert_int_equal(options.theme, cases[i].theme);
        assert_int_equal(options.lang, cases[i].lang);
        options_free(&options);
    }
}

static void sizes_are_columns_by_rows(void **state)
{
    static const char *const bad[] = {"--size=80",
                                      "--size=80x",
                                      "--size=x24",
                                      "--size=0x24",
                                      "--size=80x0",
                                      "--size=-80x24",
                                      "--size=80X24",
                                      "--size=1001x24",
                                      "--size=80x24x",
                                      "--size=+80x24",
                                      "--size=80x99999999999999999999"};
    char line[] = "--size 1x1000";
    struct options options = accepted(line);

    (void)state;
    assert_int_equal(options.cols, 1);
    assert_int_equal(options.rows, 1000);
    options_free(&options);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(bad[i], "COLSxROWS");
}

static void files_are_told_from_demos(void **state)
{
    static const struct {
        const char *line, *demo, *file;
    } cases[] = {
        {"mcycle", NULL, "mcycle"},           /* a data set inside the program */
        {"missing.csv", NULL, "missing.csv"}, /* its message is about the file */
        {"./train", NULL, "./train"},
        {"-", NULL, "-"},
        {"train train.csv", "train", "train.csv"},
        {"a.csv train", "train", "a.csv"},
        {"./a=b", NULL, "./a=b"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[64];

        snprintf(line, sizeof line, "%s", cases[i].line);
        struct options options = accepted(line);
        if (cases[i].demo)
            assert_string_equal(options.demo, cases[i].demo);
        else
            assert_null(options.demo);
        assert_string_equal(options.file, cases[i].file);
        assert_int_equal(options.n_settings, 0);
        options_free(&options);
    }
    assert_refused("trian", "train");
    assert_refused("a.csv b.csv", "b.csv");
    assert_refused("trian a.csv", "trian");
    assert_refused("mcycel", "mcycle"); /* a data set */
    assert_refused("train mask", "one demo only");
    assert_refused("mask train", "one demo only");
    assert_refused("lr 0.1", "lr=0.1");
    assert_refused("train lr", "lr=VALUE");
    assert_refused("mask lr 0.1", "no demo or file \"lr\"");
}

static void mistakes_name_what_would_have_been_right(void **state)
{
    (void)state;
    assert_refused("--colour=256", "color");
    assert_refused("--col=256", "colormap");
    assert_refused("--color=255", "256");
    assert_refused("--glyphs=asci", "ascii");
    assert_refused("--theme=drak", "dark");
    assert_refused("--lang=fr", "zh");
    assert_refused("--colormap=virids", "viridis");
    assert_refused("--print=jsn", "json");
    assert_refused("-p", "value");
    assert_refused("--size", "value");
    assert_refused("-x", "-x");
    assert_refused("--force=1 -o a.csv", "--force takes no value");
}

static void options_that_need_another_say_so(void **state)
{
    static const struct {
        const char *line, *format;
    } cases[] = {
        {"-o a.svg", "svg"}, {"-o b.json", "json"}, {"-o c.txt", "text"}, {"-o d.svg -p text", "text"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[64];

        snprintf(line, sizeof line, "%s", cases[i].line);
        struct options options = accepted(line);
        assert_string_equal(options.print, cases[i].format);
        options_free(&options);
    }
    assert_refused("-o a", "--print");
    assert_refused("-t weights", "--print=csv");
    assert_refused("-t weights -p json", "--print=csv");
    assert_refused("-p csv --force", "--output");
}

/* The two descriptions that repeat names from other tables. */
static void descriptions_name_all_there_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_option_rows; i++) {
        const struct option_row *const row = &option_rows[i];

        for (size_t k = 0; strcmp(row->name, "print") == 0 && k < n_print_formats; k++)
            assert_non_null(strstr(row->help, print_formats[k]));
        for (size_t k = 0; strcmp(row->name, "colormap") == 0 && k < n_colormaps; k++)
            assert_non_null(strstr(row->help, colormap_names[k]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_given_leaves_everything_open),
        cmocka_unit_test(arguments_come_in_any_order),
        cmocka_unit_test(posix_order_does_not_change_the_meaning),
        cmocka_unit_test(choices_become_the_enumerations),
        cmocka_unit_test(sizes_are_columns_by_rows),
        cmocka_unit_test(files_are_told_from_demos),
        cmocka_unit_test(mistakes_name_what_would_have_been_right),
        cmocka_unit_test(options_that_need_another_say_so),
        cmocka_unit_test(descriptions_name_all_there_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
