#include "session/complete.h"

#include <stdio.h>
#include <string.h>

#include "data/file.h"
#include "data/utf8.h"
#include "demos/demo.h"
#include "session/command.h"
#include "session/print.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

enum { FILE_NAME_MAX = 4096 };

struct words {
    const char **word;
    size_t n;
    const char *prefix;
};

static void offer(struct words *words, const char *word)
{
    if (words->n < COMPLETE_MAX && strncmp(word, words->prefix, strlen(words->prefix)) == 0)
        words->word[words->n++] = word;
}

static void offer_commands(struct words *words, const struct stage *stage)
{
    for (size_t i = 0; i < n_commands; i++)
        offer(words, commands[i].name);
    for (size_t i = 0; i < stage->demo->n_commands; i++)
        offer(words, stage->demo->commands[i].name);
}

static void offer_choices(struct words *words, const struct stage *stage, const char *param)
{
    size_t i = param_find(stage->demo->params, stage->demo->n_params, param);
    if (i == stage->demo->n_params || stage->demo->params[i].kind != PARAM_CHOICE)
        return;
    for (const char *const *choice = stage->demo->params[i].choices; *choice; choice++)
        offer(words, *choice);
}

static void offer_list(struct words *words, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        offer(words, names[i]);
}

static void offer_argument(struct words *words, const struct stage *stage, enum completion completion)
{
    static const char *const langs[] = {"en", "zh"};
    static const char *const themes[] = {"dark", "light"};
    const struct demo *demo = stage->demo;
    switch (completion) {
    case COMPLETE_PARAM:
        for (size_t i = 0; i < demo->n_params; i++)
            offer(words, demo->params[i].name);
        break;
    case COMPLETE_PANE:
        for (size_t i = 0; i < demo->n_panes; i++)
            offer(words, demo->panes[i].name);
        break;
    case COMPLETE_DEMO:
        for (size_t i = 0; i < n_demos; i++)
            offer(words, demos[i]->name);
        break;
    case COMPLETE_FORMAT:
        offer_list(words, print_formats, n_print_formats);
        break;
    case COMPLETE_COLORMAP:
        offer_list(words, colormap_names, n_colormaps);
        break;
    case COMPLETE_LANG:
        offer_list(words, langs, ALEN(langs));
        break;
    case COMPLETE_THEME:
        offer_list(words, themes, ALEN(themes));
        break;
    case COMPLETE_FILE:
    case COMPLETE_NOTHING:
        break;
    }
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

/* A name with both quotes, or one that cannot be shown as it is, cannot be written in a command. */
static bool can_be_typed(const char *name)
{
    char shown[FILE_NAME_MAX];
    utf8_clean(shown, sizeof shown, name);
    return strcmp(shown, name) == 0 && (!strchr(name, '"') || !strchr(name, '\''));
}

static void offer_files(struct words *words, struct buf *files)
{
    file_names(words->prefix, files);
    if (strcmp(words->prefix, "~") == 0)
        buf_add(files, "~/", sizeof "~/");
    for (size_t at = 0; at < files->len; at += strlen(files->at + at) + 1)
        if (can_be_typed(files->at + at))
            offer(words, files->at + at);
}

static enum completion completion_of(const char *command)
{
    for (size_t i = 0; i < n_commands; i++)
        if (strcmp(commands[i].name, command) == 0)
            return commands[i].completion;
    return COMPLETE_NOTHING;
}

/* The first word of LINE in OUT, cut to what any command or parameter name needs; returns what follows it. */
static const char *first_word(const char *line, char out[64])
{
    size_t n = strcspn(line, " ");
    size_t kept = n < 63 ? n : 63;
    memcpy(out, line, kept);
    out[kept] = '\0';
    return line + n + strspn(line + n, " ");
}

/* Where the last of the commands in LINE begins, and the last of its words with its quote. */
static void find_last(const char *line, const char **part, const char **word)
{
    char quote = '\0';
    *part = *word = line + strspn(line, " ");
    for (const char *at = *word; *at; at++) {
        bool opens = at == *word && is_quote(*at);
        if (opens || *at == quote)
            quote = opens ? *at : '\0';
        else if (!quote && *at == ';')
            *part = *word = at + 1 + strspn(at + 1, " ");
        else if (!quote && *at == ' ')
            *word = at + 1;
        if (at + 1 < *word)
            at = *word - 1;
    }
}

size_t complete_line(const struct stage *stage, const char *line, const char *words[COMPLETE_MAX],
                     size_t *start, struct buf *files)
{
    const char *part, *word;
    find_last(line, &part, &word);
    struct words found = {.word = words, .prefix = word + is_quote(*word)};
    char name[64], second[64];
    *start = (size_t)(word - line);
    if (is_quote(*word) && strchr(word + 1, *word))
        return 0;

    const char *args = first_word(part, name);
    const char *rest = first_word(args, second);
    enum completion completion = completion_of(name);
    bool takes_file = (word == args && completion == COMPLETE_FILE) ||
                      (word == rest && word != args && completion == COMPLETE_FORMAT);
    if (word == part)
        offer_commands(&found, stage);
    else if (takes_file)
        offer_files(&found, files);
    else if (word == args)
        offer_argument(&found, stage, completion);
    else if (word == rest && strcmp(name, "set") == 0)
        offer_choices(&found, stage, second);
    return found.n;
}

char *complete_word(const char *typed, const char *word, size_t n, bool is_whole, char *out, size_t size)
{
    bool needs_quote = strcspn(word, " \t;\"'") < n, ends = is_whole && n > 0 && word[n - 1] != '/';
    char quote[2] = {is_quote(*typed) ? *typed : '"', '\0'};
    if (memchr(word, quote[0], n))
        quote[0] = quote[0] == '"' ? '\'' : '"';
    if (!is_quote(*typed) && !needs_quote)
        quote[0] = '\0';
    snprintf(out, size, "%s%.*s%s%s", quote, (int)n, word, ends ? quote : "", ends ? " " : "");
    return out;
}
