#include "manual.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "data/asset.h"
#include "data/lang.h"
#include "data/utf8.h"
#include "demos/demo.h"
#include "options.h"
#include "session/command.h"
#include "session/keys.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

static const char usage[] = "attnlab [OPTION]... [DEMO] [FILE] [NAME=VALUE]...";

static const char *const about =
    N_("A laboratory in the terminal for the attention mechanism: change a weight, a query, "
       "a valid length or the rate of learning, and see the numbers, the curve and the "
       "heatmap follow.");

static const struct {
    const char *command, *help;
} examples[] = {
    {"attnlab", N_("learn the width of a kernel, step by step")},
    {"attnlab train seed=7 lr=0.1", N_("the same with other data and a smaller rate")},
    {"attnlab mcycle",
     N_("with the built-in data set mcycle; a csv file's name, or - for standard input, does as well")},
    {"attnlab mask valid_lens=1,3/2,4", N_("a valid length for each query of each batch item")},
    {"attnlab heatmap weights.npy heads=all",
     N_("attention weights of your own model as numpy.save writes them, its heads side by side")},
    {"attnlab -c 'step 3' -p csv -t weights", N_("print the attention weights after three epochs")},
    {"attnlab -c run -o fit.svg", N_("train to the end and save a picture")},
};

static const struct {
    int status;
    const char *help;
} statuses[] = {
    {0, N_("done")},
    {1, N_("the work failed: a file, the data, the output")},
    {2, N_("what was asked for does not exist or is out of range")},
};

/* For the man page only, which is English. */
static const struct {
    const char *name, *help;
} variables[] = {
    {"ATTNLAB_ASSETS", "a directory whose files are used before the built-in ones, as with --assets"},
    {"NO_COLOR", "if it is set and not empty, no colours unless --color asks for them"},
    {"COLORTERM", "truecolor or 24bit: the terminal can show all colours"},
    {"COLORFGBG", "the terminal's colours; a light background chooses the light theme"},
    {"TERM", "the kind of terminal; not needed for printing"},
    {"ESCDELAY", "milliseconds that the key Esc waits for the rest of another key's sequence"},
    {"LC_ALL, LC_MESSAGES, LANG, LANGUAGE",
     "the language on the screen; their encoding decides between unicode and ascii"},
    {"HOME", "what ~/ at the beginning of a file's name stands for in a command"},
};

static void put_choices(const struct option_row *row, struct buf *out)
{
    buf_puts(out, " (");
    for (size_t i = 0; row->choices[i]; i++)
        buf_printf(out, "%s%s", i > 0 ? ", " : "", row->choices[i]);
    buf_puts(out, ")");
}

/* The description of an option, with the choices that its table holds. */
static void put_option_help(const struct option_row *row, struct buf *out)
{
    buf_puts(out, _(row->help));
    if (row->choices)
        put_choices(row, out);
}

/* ---- --help */

enum { LINE = 80, INDENT = 26 };

/* TEXT from column AT on; further lines begin at INDENT. */
static void put_wrapped(struct buf *out, int at, const char *text)
{
    buf_printf(out, "%*s", INDENT - at, "");
    while (*text) {
        const char *const end = utf8_line_end(text, LINE - INDENT);
        buf_add(out, text, (size_t)(end - text));
        text = end + strspn(end, " ");
        if (*text)
            buf_printf(out, "\n%*s", INDENT, "");
    }
    buf_putc(out, '\n');
}

/* LEFT in its column and TEXT beside it, or below it where LEFT is too long. */
static void put_entry(struct buf *out, const char *left, const char *text)
{
    int at = 2 + utf8_columns(left);
    buf_printf(out, "  %s", left);
    if (at > INDENT - 2) {
        buf_putc(out, '\n');
        at = 0;
    }
    put_wrapped(out, at, text);
}

static void put_option(struct buf *out, const struct option_row *row)
{
    struct buf left = {0}, right = {0};
    if (row->letter)
        buf_printf(&left, "-%c, ", row->letter);
    else
        buf_puts(&left, "    ");
    buf_printf(&left, "--%s%s%s", row->name, row->argument ? "=" : "", row->argument ? row->argument : "");
    put_option_help(row, &right);
    put_entry(out, left.at, right.at);
    buf_free(&left);
    buf_free(&right);
}

static void put_data_sets(struct buf *out)
{
    size_t n = 0;
    for (size_t i = 0; i < n_assets; i++) {
        struct buf name = {0};
        if (asset_data_set(&assets[i], &name))
            buf_printf(out, "%s%s", n++ > 0 ? ", " : "", name.at);
        buf_free(&name);
    }
}

void manual_help(struct buf *out)
{
    struct buf sets = {0};
    buf_printf(out, _("Usage: %s\n"), usage);
    buf_printf(out, "%s\n\n%s\n", _("See and change how attention works."), _("Options:"));
    for (size_t i = 0; i < n_option_rows; i++)
        if (!option_rows[i].hidden)
            put_option(out, &option_rows[i]);
    buf_printf(out, "\n%s\n", _("Demos (without one: train):"));
    for (size_t i = 0; i < n_demos; i++)
        put_entry(out, demos[i]->name, _(demos[i]->summary));
    buf_printf(out, "\n%s\n", _("Other arguments:"));
    buf_printf(&sets, "%s ",
               _("points as separated values, or for heatmap a matrix (.npy or csv); - is standard input; "
                 "built-in points:"));
    put_data_sets(&sets);
    put_entry(out, "FILE", sets.at);
    put_entry(out, "NAME=VALUE", _("a parameter of the demo; --list tells them"));
    buf_printf(out, "\n%s\n", _("Examples:"));
    for (size_t i = 0; i < ALEN(examples); i++)
        buf_printf(out, "  %s\n      %s\n", examples[i].command, _(examples[i].help));
    buf_printf(out, "\n%s\n", _("Exit status:"));
    for (size_t i = 0; i < ALEN(statuses); i++)
        buf_printf(out, "  %d  %s\n", statuses[i].status, _(statuses[i].help));
    buf_free(&sets);
}

/* ---- the man page */

/* TEXT as man's source: no control line, no escape, hyphens that can be copied. */
static void put_roff(struct buf *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        buf_puts(out, "\\&");
    for (; *text; text++) {
        if (*text == '\\')
            buf_puts(out, "\\e");
        else if (*text == '-')
            buf_puts(out, "\\-");
        else
            buf_putc(out, *text);
    }
}

static void put_section(struct buf *out, const char *title)
{
    buf_printf(out, ".SH %s\n", title);
}

/* A term in bold, what varies in it in italics (may be ""), and its description. */
static void put_term(struct buf *out, const char *term, const char *varies, const char *text)
{
    buf_puts(out, ".TP\n\\fB");
    put_roff(out, term);
    buf_puts(out, "\\fR");
    if (*varies) {
        buf_puts(out, " \\fI");
        put_roff(out, varies);
        buf_puts(out, "\\fR");
    }
    buf_putc(out, '\n');
    put_roff(out, text);
    buf_putc(out, '\n');
}

static void page_options(struct buf *out)
{
    put_section(out, "OPTIONS");
    for (size_t i = 0; i < n_option_rows; i++) {
        const struct option_row *const row = &option_rows[i];
        struct buf term = {0}, text = {0};
        if (row->hidden)
            continue;
        if (row->letter)
            buf_printf(&term, "-%c, ", row->letter);
        buf_printf(&term, "--%s%s", row->name, row->argument ? "=" : "");
        put_option_help(row, &text);
        buf_puts(out, ".TP\n\\fB");
        put_roff(out, term.at);
        buf_printf(out, "\\fI%s\\fR\n", row->argument ? row->argument : "");
        put_roff(out, text.at);
        buf_putc(out, '\n');
        buf_free(&term);
        buf_free(&text);
    }
}

static void page_params(const struct demo *demo, struct buf *out)
{
    for (size_t i = 0; i < demo->n_params; i++) {
        const struct param *const p = &demo->params[i];
        struct buf term = {0}, range = {0};
        param_range(p, &range);
        buf_printf(&term, "%s=%s", p->name, p->initial);
        put_term(out, term.at, range.at, p->help);
        buf_free(&term);
        buf_free(&range);
    }
}

static void page_demos(struct buf *out)
{
    put_section(out, "DEMOS");
    buf_puts(
        out,
        "Each with its parameters, their defaults and ranges, then the tables that\n"
        ".B \\-\\-print\nand\n.B export\nwrite, then its own commands. A list of numbers is written 2,3 and "
        "rows of them\n1,3/2,4 or, as in Python, [[1,3],[2,4]]. A parameter without a default takes "
        "its value\nfrom what is drawn or read.\n");
    for (size_t i = 0; i < n_demos; i++) {
        const struct demo *const demo = demos[i];
        buf_printf(out, ".SS %s\n", demo->name);
        put_roff(out, demo->summary);
        buf_putc(out, '\n');
        page_params(demo, out);
        for (size_t k = 0; k < demo->n_tables; k++)
            put_term(out, demo->tables[k].name, "table", demo->tables[k].help);
        for (size_t k = 0; k < demo->n_commands; k++) {
            struct buf term = {0};
            buf_printf(&term, ":%s", demo->commands[k].name);
            put_term(out, term.at, demo->commands[k].usage, demo->commands[k].help);
            buf_free(&term);
        }
    }
}

/* " (train, scale)": where a key for USE means something, unless that is everywhere. */
static void put_users(struct buf *out, enum key_use use)
{
    size_t n = 0, n_named = 0;
    for (size_t i = 0; i < n_demos; i++)
        n += key_is_used(demos[i], use);
    for (size_t i = 0; i < n_demos && n < n_demos; i++)
        if (key_is_used(demos[i], use))
            buf_printf(out, "%s%s", n_named++ > 0 ? ", " : " (", demos[i]->name);
    buf_puts(out, n_named > 0 ? ")" : "");
}

static void page_commands(struct buf *out)
{
    put_section(out, "COMMANDS");
    buf_puts(out,
             "Typed after a colon, where Tab completes, or given by\n.BR \\-\\-command ;\n"
             "a semicolon separates several. A file's name with blanks stands in quotes. Some demos have "
             "more\ncommands, named above.\n");
    for (size_t i = 0; i < n_commands; i++)
        put_term(out, commands[i].name, commands[i].usage, commands[i].help);
}

static void page_keys(struct buf *out)
{
    put_section(out, "KEYS");
    buf_puts(out,
             "S\\- is a key with shift, C\\- one with control. What means something in some demos only "
             "names them.\nEnter opens the prompt with\n.B set\nand the selected parameter's name; a value "
             "and Enter change it.\n");
    for (size_t i = 0; i < n_key_bindings; i++) {
        struct buf text = {0};
        buf_puts(&text, key_bindings[i].help);
        put_users(&text, key_bindings[i].use);
        put_term(out, key_bindings[i].keys, "", text.at);
        buf_free(&text);
    }
}

static void put_file_takers(struct buf *out)
{
    size_t n = 0;
    for (size_t i = 0; i < n_demos; i++)
        if (demos[i]->takes_file)
            buf_printf(out, "%s%s", n++ > 0 ? ", " : "", demos[i]->name);
}

static const char files_points[] =
    "Points are separated values: comma, semicolon, tab or blanks; decimal point or comma; with or without "
    "a\n"
    "header, quotes, and lines of comment (#) at the beginning, the last of which may name the columns.\n"
    "Thousands separators are refused. Rows with a missing value (empty, NA, nan, a dash) are left out and\n"
    "counted. Without the parameters x and y, which take a column's name or number, the first two columns "
    "of\n"
    "numbers are used; a single one is y over the row's number. The command\n.B file\n"
    "says what was guessed. Names of data sets that the program carries do as well: ";

static const char files_weights[] =
    "The demo\n.B heatmap\nreads attention weights or scores instead, also by\n.BR load :\n"
    "an array of 1 to 5 axes as numpy.save writes it (.npy; booleans, integers, floats), or one matrix as\n"
    "separated values, bare or with names above its columns, before its rows, or both. Axes are read from "
    "the\n"
    "end: query and key, head before them, batch before head, layer before batch. The parameter labels "
    "names\n"
    "a text file with a token a line.\n";

static void page_files(struct buf *out)
{
    put_section(out, "FILES");
    buf_puts(out, "These demos take a FILE, or standard input as \\-: ");
    put_file_takers(out);
    buf_puts(out, ".\n.PP\n");
    buf_puts(out, files_points);
    put_data_sets(out);
    buf_puts(out, ".\n.PP\n");
    buf_puts(out, files_weights);
}

void manual_page(struct buf *out)
{
    const enum lang before = lang_chosen();
    lang_choose(LANG_EN);
    buf_printf(out, ".TH ATTNLAB 1 \"\" \"attnlab %s\" \"User Commands\"\n", ATTNLAB_VERSION);
    put_section(out, "NAME");
    buf_puts(out, "attnlab \\- see and change how attention works\n");
    put_section(out, "SYNOPSIS");
    put_roff(out, usage);
    buf_putc(out, '\n');
    put_section(out, "DESCRIPTION");
    put_roff(out, about);
    buf_puts(out, "\nWithout DEMO it is train. DEMO, FILE and settings come in any order. The terminal\n"
                  "needs 40 columns and 12 rows. With\n.B \\-\\-print\nor\n.B \\-\\-output\n"
                  "there is no screen: the commands are run to their end and the result is written.\n");
    page_options(out);
    page_demos(out);
    page_commands(out);
    page_keys(out);
    page_files(out);
    put_section(out, "ENVIRONMENT");
    for (size_t i = 0; i < ALEN(variables); i++)
        put_term(out, variables[i].name, "", variables[i].help);
    put_section(out, "EXIT STATUS");
    for (size_t i = 0; i < ALEN(statuses); i++)
        put_term(out, (char[]){(char)('0' + statuses[i].status), '\0'}, "", statuses[i].help);
    put_section(out, "EXAMPLES");
    for (size_t i = 0; i < ALEN(examples); i++)
        put_term(out, examples[i].command, "", examples[i].help);
    lang_choose(before);
}
