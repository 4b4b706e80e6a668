#include "options.h"

#include <errno.h>
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/asset.h"
#include "data/lang.h"
#include "data/nearest.h"
#include "data/number.h"
#include "demos/demo.h"
#include "draw/look.h"
#include "engine/mem.h"
#include "session/print.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

static const double PACE_LEAST = 0.02, PACE_MOST = 60;

enum {
    NAMES_MAX = 64,
    COLS_MAX = 1000,
    ROWS_MAX = 1000,
    FIRST_LONG = 256, /* what getopt_long returns for the first row's long option: above all letters */
};

static void *field_of(struct options *options, const struct option_row *row)
{
    return (char *)options + row->field;
}

static bool refuse_choice(const struct option_row *row, const char *value, const char *const *names, size_t n,
                          struct error *error)
{
    char near[256];

    return error_set(error, STATUS_USAGE, _("--%s: there is no \"%s\"; there is %s"), row->name, value,
                     nearest_names(near, sizeof near, value, names, n));
}

/* Index of NAME among N names, or N. */
static size_t find_name(const char *const *names, size_t n, const char *name)
{
    size_t i = 0;

    while (i < n && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static bool take_flag(struct options *options, const struct option_row *row, const char *value,
                      struct error *error)
{
    (void)value;
    (void)error;
    *(bool *)field_of(options, row) = true;
    return true;
}

static bool take_action(struct options *options, const struct option_row *row, const char *value,
                        struct error *error)
{
    (void)value;
    (void)error;
    options->action = (enum action)row->first;
    return true;
}

static bool take_text(struct options *options, const struct option_row *row, const char *value,
                      struct error *error)
{
    if (!*value)
        return error_set(error, STATUS_USAGE, _("--%s: expected %s, got nothing"), row->name, row->argument);
    *(const char **)field_of(options, row) = value;
    return true;
}

/* A directory named by hand has to be there; one from the environment is only a wish. */
static bool take_directory(struct options *options, const struct option_row *row, const char *value,
                           struct error *error)
{
    struct stat there;
    if (!take_text(options, row, value, error))
        return false;
    if (stat(value, &there) != 0)
        return error_set(error, STATUS_FAILED, "%s: %s", value, strerror(errno));
    return S_ISDIR(there.st_mode) || error_set(error, STATUS_FAILED, "%s: %s", value, strerror(ENOTDIR));
}

static bool take_choice(struct options *options, const struct option_row *row, const char *value,
                        struct error *error)
{
    size_t n = 0;

    while (row->choices[n])
        n++;

    const size_t i = find_name(row->choices, n, value);

    if (i == n)
        return refuse_choice(row, value, row->choices, n, error);
    *(int *)field_of(options, row) = row->first + (int)i;
    return true;
}

static bool take_format(struct options *options, const struct option_row *row, const char *value,
                        struct error *error)
{
    if (find_name(print_formats, n_print_formats, value) == n_print_formats)
        return refuse_choice(row, value, print_formats, n_print_formats, error);
    options->print = value;
    return true;
}

static bool take_colormap(struct options *options, const struct option_row *row, const char *value,
                          struct error *error)
{
    if (find_name(colormap_names, n_colormaps, value) == n_colormaps)
        return refuse_choice(row, value, colormap_names, n_colormaps, error);
    options->colormap = value;
    return true;
}

static bool take_command(struct options *options, const struct option_row *row, const char *value,
                         struct error *error)
{
    (void)row;
    (void)error;
    options->commands[options->n_commands++] = value;
    return true;
}

/* Reads digits up to MOST; *TEXT moves past them. */
static bool take_count(const char **text, int most, int *out)
{
    int n = 0;

    if (!isdigit((unsigned char)**text))
        return false;
    for (; isdigit((unsigned char)**text); ++*text) {
        n = 10 * n + (**text - '0');
        if (n > most)
            return false;
    }
    *out = n;
    return n > 0;
}

static bool take_size(struct options *options, const struct option_row *row, const char *value,
                      struct error *error)
{
    const char *at = value;
    int cols, rows;

    if (!take_count(&at, COLS_MAX, &cols) || *at++ != 'x' || !take_count(&at, ROWS_MAX, &rows) || *at)
        return error_set(error, STATUS_USAGE, _("--%s: expected COLSxROWS, 1x1 to %dx%d, got \"%s\""),
                         row->name, COLS_MAX, ROWS_MAX, value);
    options->cols = cols;
    options->rows = rows;
    return true;
}

static bool take_pace(struct options *options, const struct option_row *row, const char *value,
                      struct error *error)
{
    double seconds;

    if (!number_parse(value, strlen(value), '.', &seconds) ||
        !(seconds >= PACE_LEAST && seconds <= PACE_MOST))
        return error_set(error, STATUS_USAGE, _("--%s: expected seconds, %g to %g, got \"%s\""), row->name,
                         PACE_LEAST, PACE_MOST, value);
    options->pace = seconds;
    return true;
}

static bool take_lesson(struct options *options, const struct option_row *row, const char *value,
                        struct error *error)
{
    (void)options;
    (void)value;
    return error_set(error, STATUS_USAGE, _("--%s: this version has no lessons"), row->name);
}

/* In the order of the enumerations that they stand for, "auto" before them. */
static const char *const depth_names[] = {"auto", "mono", "8", "16", "256", "truecolor", NULL};
static const char *const glyph_names[] = {"auto", "ascii", "console", "unicode", NULL};
static const char *const theme_names[] = {"auto", "dark", "light", NULL};
static const char *const lang_names[] = {"auto", "en", "zh", NULL};

_Static_assert(ALEN(depth_names) == DEPTHS + 2, "a name for each depth");
_Static_assert(ALEN(glyph_names) == GLYPH_TIERS + 2, "a name for each tier");
_Static_assert(ALEN(theme_names) == THEMES + 2, "a name for each theme");
_Static_assert(ALEN(lang_names) == LANGS + 2, "a name for each language");

#define FIELD(name) .field = offsetof(struct options, name)

/* clang-format off */
const struct option_row option_rows[] = {
    {.name = "command", .letter = 'c', .argument = "CMD", .take = take_command,
     .help = N_("run a command after start; repeatable, in order")},
    {.name = "print", .letter = 'p', .argument = "FORMAT", .take = take_format,
     .help = N_("no screen: print and leave; text, ansi, svg, csv, json, torch (a Python script "
                "that computes the same), or command (the command line that rebuilds the scene)")},
    {.name = "table", .letter = 't', .argument = "NAME", .take = take_text, FIELD(table),
     .help = N_("which table --print=csv or torch prints (default: the demo's first)")},
    {.name = "output", .letter = 'o', .argument = "FILE", .take = take_text, FIELD(output),
     .help = N_("write there instead of standard output, whole or not at all; without --print the name's ending "
                "says the format")},
    {.name = "force", .take = take_flag, FIELD(force),
     .help = N_("let --output or --log replace a file that is there")},
    {.name = "log", .argument = "FILE", .take = take_text, FIELD(log),
     .help = N_("write every command there as it is given, a line each, to be replayed")},
    {.name = "replay", .argument = "FILE", .take = take_text, FIELD(replay),
     .help = N_("play the commands of a log back; on the screen Esc stops it")},
    {.name = "pace", .argument = "SECONDS", .take = take_pace,
     .help = N_("seconds a command of --replay on the screen (default 1)")},
    {.name = "size", .argument = "COLSxROWS", .take = take_size,
     .help = N_("frame size for text, ansi and svg (default 120x40)")},
    {.name = "color", .argument = "WHEN", .take = take_choice, FIELD(depth), .choices = depth_names, .first = -1,
     .help = N_("colours; auto: what the terminal can do, truecolor when printing, mono if NO_COLOR is set")},
    {.name = "glyphs", .argument = "TIER", .take = take_choice, FIELD(glyphs), .choices = glyph_names, .first = -1,
     .help = N_("characters; auto: unicode, but ascii on the screen, in text and in ansi where the locale is not "
                "UTF-8; csv, json and svg never depend on it")},
    {.name = "theme", .argument = "NAME", .take = take_choice, FIELD(theme), .choices = theme_names, .first = -1,
     .help = N_("background; auto: the terminal's own, dark when printing")},
    {.name = "colormap", .argument = "NAME", .take = take_colormap,
     .help = N_("colours of the heatmaps: reds, viridis, cividis or gray (default reds)")},
    {.name = "lang", .argument = "LANG", .take = take_choice, FIELD(lang), .choices = lang_names, .first = -1,
     .help = N_("language; auto: the locale's, English when printing")},
    {.name = "lesson", .argument = "[NAME]", .take = take_lesson, .hidden = true,
     .help = N_("start with a lesson")},
    {.name = "assets", .argument = "DIR", .take = take_directory, FIELD(assets),
     .help = N_("use the files there before the built-in ones (also $ATTNLAB_ASSETS)")},
    {.name = "list", .take = take_action, .first = ACTION_LIST,
     .help = N_("list the demos with their parameters and tables (with --print=json as JSON)")},
    {.name = "man", .take = take_action, .first = ACTION_MAN, .hidden = true,
     .help = N_("print the man page")},
    {.name = "help", .letter = 'h', .take = take_action, .first = ACTION_HELP,
     .help = N_("this help")},
    {.name = "version", .letter = 'V', .take = take_action, .first = ACTION_VERSION,
     .help = N_("the version")},
};
/* clang-format on */
const size_t n_option_rows = ALEN(option_rows);

/* getopt's two tables, made from ours. */
struct getopt_tables {
    char letters[2 + 2 * ALEN(option_rows) + 1];
    struct option names[ALEN(option_rows) + 1];
};

static struct getopt_tables make_getopt_tables(void)
{
    /* '-': other arguments are handed over in place, whatever POSIXLY_CORRECT says; ':': a missing argument
     * is told from an unknown option. */
    struct getopt_tables tables = {.letters = "-:"};
    size_t n = strlen(tables.letters);

    for (size_t i = 0; i < n_option_rows; i++) {
        const struct option_row *const row = &option_rows[i];

        tables.names[i] = (struct option){
            .name = row->name,
            .val =
                FIRST_LONG + (int)i, /* all different, or getopt takes a common beginning for any of them */
            .has_arg = !row->argument          ? no_argument
                       : *row->argument == '[' ? optional_argument
                                               : required_argument,
        };
        if (row->letter) {
            tables.letters[n++] = row->letter;
            if (row->argument)
                tables.letters[n++] = ':';
        }
    }
    return tables;
}

static const struct option_row *find_letter(int letter)
{
    for (size_t i = 0; i < n_option_rows; i++) {
        if (option_rows[i].letter && option_rows[i].letter == letter)
            return &option_rows[i];
    }
    return NULL;
}

static bool refuse_option(const char *given, struct error *error)
{
    const char *names[ALEN(option_rows)];
    char word[64], near[320];
    size_t n = 0, n_begin = 0;

    if (strncmp(given, "--", 2) != 0)
        return error_set(error, STATUS_USAGE, _("there is no option -%c; see --help"), optopt);
    for (size_t i = 0; i < n_option_rows; i++) {
        if (!option_rows[i].hidden)
            names[n++] = option_rows[i].name;
    }
    snprintf(word, sizeof word, "%.*s", (int)strcspn(given + 2, "="), given + 2);
    if (find_name(names, n, word) < n)
        return error_set(error, STATUS_USAGE, _("--%s takes no value"), word);
    for (size_t i = 0; i < n; i++)
        n_begin += strncmp(names[i], word, strlen(word)) == 0;
    if (n_begin > 1)
        return error_set(error, STATUS_USAGE, _("--%s is the beginning of %zu options: %s"), word, n_begin,
                         nearest_names(near, sizeof near, word, names, n));
    return error_set(error, STATUS_USAGE, _("there is no option --%s; %s"), word,
                     nearest_hint(near, sizeof near, word, names, n, _("see --help")));
}

/* NAME= as parameters are named, with blanks if quoted; "./a=b" is a file. */
static bool is_setting(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n > 0 && text[n + strspn(text + n, " ")] == '=';
}

static const struct demo *find_demo(const char *name)
{
    for (size_t i = 0; i < n_demos; i++) {
        if (strcmp(demos[i]->name, name) == 0)
            return demos[i];
    }
    return NULL;
}

/* A name with a dot or a slash is meant as a file even if there is none: then the message is about the file.
 */
static bool is_file(const char *directory, const char *name)
{
    char asset[256];
    struct buf ignored = {0};

    if (strpbrk(name, "./") || strcmp(name, "-") == 0 || access(name, F_OK) == 0)
        return true;
    snprintf(asset, sizeof asset, "data/%s.csv", name);

    const bool embedded = asset_read(directory, asset, &ignored, NULL);

    buf_free(&ignored);
    return embedded;
}

/* Whether a demo that may be meant has a parameter NAME. */
static bool is_param(const struct options *options, const char *name)
{
    for (size_t i = 0; i < n_demos; i++) {
        const bool is_meant = !options->demo || strcmp(options->demo, demos[i]->name) == 0;

        if (is_meant && param_find(demos[i]->params, demos[i]->n_params, name) < demos[i]->n_params)
            return true;
    }
    return false;
}

/* There is no FILE; NEXT is the argument after it, or NULL. */
static bool refuse_name(const struct options *options, const char *next, struct error *error)
{
    const char *const name = options->file;
    const char *names[NAMES_MAX];
    struct buf sets = {0};
    char near[320];
    size_t n = 0;

    if (is_param(options, name))
        return error_set(error, STATUS_USAGE, _("\"%s\" is a parameter; did you mean %s=%s?"), name, name,
                         next && *next != '=' ? next : _("VALUE"));
    for (; n < n_demos && n < NAMES_MAX; n++)
        names[n] = demos[n]->name;
    for (size_t i = 0; i < n_assets; i++) {
        if (asset_data_set(&assets[i], &sets))
            buf_putc(&sets, '\0');
    }
    for (size_t at = 0; at < sets.len && n < NAMES_MAX; at += strlen(sets.at + at) + 1)
        names[n++] = sets.at + at;
    nearest_hint(near, sizeof near, name, names, n, _("see --list"));
    buf_free(&sets);
    return error_set(error, STATUS_USAGE, _("there is no demo or file \"%s\"; %s"), name, near);
}

static bool take_positional(struct options *options, const char *text, struct error *error)
{
    if (!*text)
        return error_set(error, STATUS_USAGE, "%s",
                         _("expected a demo's name, a file or NAME=VALUE, got nothing"));
    if (is_setting(text)) {
        options->settings[options->n_settings++] = text;
        return true;
    }
    if (!options->demo && find_demo(text)) {
        options->demo = text;
        return true;
    }
    if (options->file && !is_file(options->assets, options->file))
        return refuse_name(options, text, error);
    if (find_demo(text) && !is_file(options->assets, text))
        return error_set(error, STATUS_USAGE, _("one demo only: %s or %s?"), options->demo, text);
    if (options->file)
        return error_set(error, STATUS_USAGE, _("\"%s\" is one argument too many after FILE \"%s\""), text,
                         options->file);
    options->file = text;
    return true;
}

/* What only makes sense together, and what follows from other options. */
static bool check_together(struct options *options, struct error *error)
{
    if (options->file && !is_file(options->assets, options->file))
        return refuse_name(options, NULL, error);
    if (options->output && !options->print) {
        options->print = print_format_of_file(options->output);
        if (!options->print && options->action == ACTION_RUN)
            return error_set(error, STATUS_USAGE, _("--output=%s: say the format with --print"),
                             options->output);
    }
    if (options->table &&
        (!options->print || (strcmp(options->print, "csv") != 0 && strcmp(options->print, "torch") != 0)))
        return error_set(error, STATUS_USAGE, "%s", _("--table goes with --print=csv or torch only"));
    if (options->force && !options->output && !options->log)
        return error_set(error, STATUS_USAGE, "%s", _("--force goes with --output or --log only"));
    if (options->pace > 0 && !options->replay)
        return error_set(error, STATUS_USAGE, "%s", _("--pace goes with --replay only"));
    return true;
}

static bool take_option(struct options *options, int letter, char **argv, struct error *error)
{
    const struct option_row *const row =
        letter >= FIRST_LONG ? &option_rows[letter - FIRST_LONG] : find_letter(letter);

    if (letter == 1)
        return take_positional(options, optarg, error);
    if (letter == ':')
        return error_set(error, STATUS_USAGE, _("%s: expected a value after it"), argv[optind - 1]);
    if (!row)
        return refuse_option(argv[optind - 1], error);
    return row->take(options, row, optarg, error);
}

bool options_parse(struct options *options, int argc, char **argv, struct error *error)
{
    const struct getopt_tables tables = make_getopt_tables();
    const size_t most = (size_t)(argc > 0 ? argc : 1);
    int letter;

    *options = (struct options){
        .depth = -1,
        .glyphs = -1,
        .theme = -1,
        .lang = -1,
        .cols = 120,
        .rows = 40,
        .assets = getenv("ATTNLAB_ASSETS"),
        .settings = mem_new(most, sizeof *options->settings),
        .commands = mem_new(most, sizeof *options->commands),
    };
    opterr = 0;
    optind = 0; /* not 1: also forgets where an earlier scan was */
    while ((letter = getopt_long(argc, argv, tables.letters, tables.names, NULL)) != -1) {
        if (!take_option(options, letter, argv, error))
            return false;
    }
    for (; optind < argc; optind++) {
        if (!take_positional(options, argv[optind], error))
            return false;
    }
    return options->action == ACTION_HELP || options->action == ACTION_VERSION ||
           check_together(options, error);
}

void options_free(struct options *options)
{
    free(options->settings);
    free(options->commands);
    *options = (struct options){0};
}
