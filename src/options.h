/* The command line: one table of options that getopt_long, --help and the man page read. */
#ifndef ATTNLAB_OPTIONS_H
#define ATTNLAB_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "data/error.h"

enum action {
    ACTION_RUN,
    ACTION_LIST,
    ACTION_HELP,
    ACTION_VERSION,
    ACTION_MAN, /* the man page's source, for the build */
};

/* Texts are borrowed from argv and the environment. Choices not made are -1 or NULL. */
struct options {
    enum action action;
    const char *demo;
    const char *file;
    const char **settings; /* NAME=VALUE, owned array */
    size_t n_settings;
    const char **commands; /* in order, owned array */
    size_t n_commands;

    const char *print; /* the format of --print, or the one that --output's name asks for */
    const char *table;
    const char *output;
    bool force;
    const char *log;
    const char *replay;
    double pace; /* s a command of --replay; 0: not given */
    int cols, rows;

    int depth, glyphs, theme, lang;
    const char *colormap;
    const char *assets;
};

struct option_row {
    const char *name;
    char letter;                /* 0: none */
    const char *argument;       /* what --help calls it, [NAME] if it may be left out; NULL: takes none */
    const char *help;           /* N_() */
    const char *const *choices; /* NULL-terminated, or NULL */
    bool hidden;
    /* Takes over VALUE (NULL if there is none). */
    bool (*take)(struct options *options, const struct option_row *row, const char *value,
                 struct error *error);
    size_t field; /* offset in struct options of what TAKE sets */
    int first;    /* the number of choices[0]; what a flag sets */
};

extern const struct option_row option_rows[];
extern const size_t n_option_rows;

/* Reads the command line (and $ATTNLAB_ASSETS). False with an error that names what would have been right;
 * OPTIONS can be freed in either case. */
bool options_parse(struct options *options, int argc, char **argv, struct error *error);

void options_free(struct options *options);

#endif
