#include "session/prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/buf.h"
#include "data/lang.h"
#include "data/utf8.h"
#include "engine/mem.h"
#include "session/complete.h"

void prompt_open(struct prompt *prompt, const char *text)
{
    prompt->is_open = true;
    prompt->len = prompt->cursor = 0;
    prompt->text[0] = prompt->hint[0] = prompt->note[0] = '\0';
    prompt->past_at = prompt->n_past;
    prompt_insert(prompt, text);
}

void prompt_insert(struct prompt *prompt, const char *text)
{
    char clean[PROMPT_MAX];
    utf8_clean(clean, sizeof clean, text);
    size_t n = strlen(clean);
    /* What does not fit is left out at the end of a character. */
    while (n > 0 && (prompt->len + n >= PROMPT_MAX || ((unsigned char)clean[n] & 0xc0) == 0x80))
        n--;
    memmove(prompt->text + prompt->cursor + n, prompt->text + prompt->cursor,
            prompt->len - prompt->cursor + 1);
    memcpy(prompt->text + prompt->cursor, clean, n);
    prompt->len += n;
    prompt->cursor += n;
}

/* ---- moving and deleting by characters */

static size_t before(const struct prompt *prompt, size_t at)
{
    while (at > 0 && ((unsigned char)prompt->text[--at] & 0xc0) == 0x80)
        continue;
    return at;
}

static size_t after(const struct prompt *prompt, size_t at)
{
    if (at < prompt->len)
        at++;
    while (at < prompt->len && ((unsigned char)prompt->text[at] & 0xc0) == 0x80)
        at++;
    return at;
}

static void delete_range(struct prompt *prompt, size_t from, size_t to)
{
    memmove(prompt->text + from, prompt->text + to, prompt->len - to + 1);
    prompt->len -= to - from;
    prompt->cursor = from;
}

static void delete_word(struct prompt *prompt)
{
    size_t from = prompt->cursor;
    while (from > 0 && prompt->text[from - 1] == ' ')
        from--;
    while (from > 0 && prompt->text[from - 1] != ' ')
        from--;
    delete_range(prompt, from, prompt->cursor);
}

/* ---- lines given before */

static void remember(struct prompt *prompt)
{
    if (prompt->len == 0 ||
        (prompt->n_past > 0 && strcmp(prompt->past[prompt->n_past - 1], prompt->text) == 0))
        return;
    if (prompt->n_past == PROMPT_PAST) {
        free(prompt->past[0]);
        memmove(prompt->past, prompt->past + 1, (PROMPT_PAST - 1) * sizeof *prompt->past);
        prompt->n_past--;
    }
    prompt->past[prompt->n_past++] = mem_copy(prompt->text, prompt->len + 1, 1);
}

static void recall(struct prompt *prompt, size_t at)
{
    if (at > prompt->n_past)
        return;
    prompt->past_at = at;
    prompt->len = prompt->cursor = 0;
    prompt->text[0] = '\0';
    if (at < prompt->n_past)
        prompt_insert(prompt, prompt->past[at]);
}

/* ---- completion */

static void hint_words(struct prompt *prompt, const char **words, size_t n)
{
    size_t len = 0;
    prompt->hint[0] = '\0';
    for (size_t i = 0; i < n && len + strlen(words[i]) + 2 < sizeof prompt->hint; i++)
        len += (size_t)snprintf(prompt->hint + len, sizeof prompt->hint - len, "%s ", words[i]);
    if (n == 0)
        snprintf(prompt->hint, sizeof prompt->hint, "%s", _("nothing to complete"));
}

/* Bytes that all N words begin with, whole characters only. */
static size_t common_length(const char *const *words, size_t n)
{
    size_t common = strlen(words[0]);
    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; k < common; k++)
            if (words[0][k] != words[i][k])
                common = k;
    while (common > 0 && ((unsigned char)words[0][common] & 0xc0) == 0x80)
        common--;
    return common;
}

static void complete(struct prompt *prompt, const struct stage *stage)
{
    const char *words[COMPLETE_MAX];
    struct buf files = {0};
    char head[PROMPT_MAX], word[PROMPT_MAX];
    size_t start;
    memcpy(head, prompt->text, prompt->cursor);
    head[prompt->cursor] = '\0';
    size_t n = complete_line(stage, head, words, &start, &files);
    if (n != 1)
        hint_words(prompt, words, n);
    if (n > 0) {
        complete_word(head + start, words[0], common_length(words, n), n == 1, word, sizeof word);
        delete_range(prompt, start, prompt->cursor);
        prompt_insert(prompt, word);
    }
    buf_free(&files);
}

/* ---- keys */

enum edit {
    EDIT_LEFT,
    EDIT_RIGHT,
    EDIT_START,
    EDIT_END,
    EDIT_RUBOUT,
    EDIT_DELETE,
    EDIT_WORD,
    EDIT_HEAD,
    EDIT_TAIL,
    EDIT_OLDER,
    EDIT_NEWER,
    EDIT_COMPLETE
};

static const struct {
    const char *key;
    enum edit edit;
} edits[] = {
    {"Left", EDIT_LEFT},        {"C-b", EDIT_LEFT},   {"Right", EDIT_RIGHT},   {"C-f", EDIT_RIGHT},
    {"Home", EDIT_START},       {"C-a", EDIT_START},  {"End", EDIT_END},       {"C-e", EDIT_END},
    {"Backspace", EDIT_RUBOUT}, {"C-h", EDIT_RUBOUT}, {"Delete", EDIT_DELETE}, {"C-d", EDIT_DELETE},
    {"C-w", EDIT_WORD},         {"C-u", EDIT_HEAD},   {"C-k", EDIT_TAIL},      {"Up", EDIT_OLDER},
    {"C-p", EDIT_OLDER},        {"Down", EDIT_NEWER}, {"C-n", EDIT_NEWER},     {"Tab", EDIT_COMPLETE},
};

static void edit(struct prompt *prompt, const struct stage *stage, enum edit what)
{
    switch (what) {
    case EDIT_LEFT:
        prompt->cursor = before(prompt, prompt->cursor);
        break;
    case EDIT_RIGHT:
        prompt->cursor = after(prompt, prompt->cursor);
        break;
    case EDIT_START:
        prompt->cursor = 0;
        break;
    case EDIT_END:
        prompt->cursor = prompt->len;
        break;
    case EDIT_RUBOUT:
        delete_range(prompt, before(prompt, prompt->cursor), prompt->cursor);
        break;
    case EDIT_DELETE:
        delete_range(prompt, prompt->cursor, after(prompt, prompt->cursor));
        break;
    case EDIT_WORD:
        delete_word(prompt);
        break;
    case EDIT_HEAD:
        delete_range(prompt, 0, prompt->cursor);
        break;
    case EDIT_TAIL:
        delete_range(prompt, prompt->cursor, prompt->len);
        break;
    case EDIT_OLDER:
        recall(prompt, prompt->past_at - 1);
        break;
    case EDIT_NEWER:
        recall(prompt, prompt->past_at + 1);
        break;
    case EDIT_COMPLETE:
        complete(prompt, stage);
        break;
    }
}

/* A key that stands for itself: one character. */
static bool is_text(const char *key)
{
    const char *at = key;
    return utf8_next(&at) >= 0x20 && *at == '\0';
}

enum prompt_answer prompt_key(struct prompt *prompt, const struct stage *stage, const char *key)
{
    prompt->hint[0] = '\0';
    bool leaves = strcmp(key, "Esc") == 0 || strcmp(key, "C-g") == 0 ||
                  (strcmp(key, "Backspace") == 0 && prompt->len == 0);
    if (leaves) {
        prompt->is_open = false;
        return PROMPT_CANCELLED;
    }
    if (strcmp(key, "Enter") == 0) {
        remember(prompt);
        prompt->is_open = false;
        return PROMPT_ENTERED;
    }
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        if (strcmp(edits[i].key, key) == 0)
            edit(prompt, stage, edits[i].edit);
    if (strcmp(key, "space") == 0)
        prompt_insert(prompt, " ");
    else if (is_text(key))
        prompt_insert(prompt, key);
    return PROMPT_EDITED;
}

void prompt_draw(const struct prompt *prompt, struct area line)
{
    struct pen text = look_pen(line.look, ROLE_TEXT), cursor = text;
    char head[PROMPT_MAX];
    memcpy(head, prompt->text, prompt->cursor);
    head[prompt->cursor] = '\0';
    int at = 1 + utf8_columns(head);
    int shift = at >= line.cols ? at - line.cols + 1 : 0;
    area_put(line, -shift, 0, look_pen(line.look, ROLE_ACCENT), ':');
    int used = area_text(line, 1 - shift, 0, text, prompt->text);
    area_text(line, used + 3 - shift, 0, look_pen(line.look, ROLE_DIM),
              prompt->hint[0] ? prompt->hint : prompt->note);
    cursor.attr |= ATTR_REVERSE;
    const char *under = prompt->text + prompt->cursor;
    uint32_t glyph = utf8_next(&under);
    area_put(line, at - shift, 0, cursor, glyph ? glyph : ' ');
}

void prompt_free(struct prompt *prompt)
{
    for (size_t i = 0; i < prompt->n_past; i++)
        free(prompt->past[i]);
    *prompt = (struct prompt){0};
}
