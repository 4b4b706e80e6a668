#include "session/scene.h"

#include <stdio.h>
#include <string.h>

#include "data/lang.h"
#include "data/number.h"
#include "session/state.h"

/* Bytes of one -c: it must fit a command line of the session, whatever it is cut into. */
enum { CHUNK_MAX = 400 };

/* What no shell reads as anything but itself, wherever it stands in a word. */
static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";

static void add_word(struct buf *out, const char *word)
{
    buf_putc(out, ' ');
    if (*word && word[strspn(word, safe)] == '\0') {
        buf_puts(out, word);
        return;
    }
    buf_putc(out, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            buf_puts(out, "'\\''");
        else
            buf_putc(out, *word);
    }
    buf_putc(out, '\'');
}

/* A file whose name would be taken for a demo, an option or a setting is named by its path. */
static void add_file(struct buf *out, const char *file)
{
    struct buf path = {0};
    bool is_plain = strchr(file, '/') || (file[0] != '-' && !strchr(file, '='));
    buf_printf(&path, is_plain ? "%s" : "./%s", file);
    add_word(out, path.at);
    buf_free(&path);
}

static void flush(struct buf *out, struct buf *chunk)
{
    if (chunk->len > 0) {
        buf_puts(out, " -c");
        add_word(out, chunk->at);
    }
    buf_free(chunk);
}

static void add_command(struct buf *out, struct buf *chunk, const char *line)
{
    if (chunk->len + strlen(line) > CHUNK_MAX)
        flush(out, chunk);
    if (chunk->len > 0)
        buf_puts(chunk, "; ");
    buf_puts(chunk, line);
}

/* The parameter that the journal's commands leave selected. */
static size_t param_left(const struct journal *journal, const struct demo *demo)
{
    for (size_t i = journal->n; i-- > 0;) {
        char name[64];
        if (sscanf(journal->line[i], "set %63s", name) == 1)
            return param_find(demo->params, demo->n_params, name);
    }
    return 0;
}

/* What is looked at, and how: this changes no numbers, so its last state is enough. */
static void add_view(struct buf *out, struct buf *chunk, const struct session *session,
                     const struct journal *journal)
{
    const struct stage *stage = session_stage(session);
    struct buf line = {0};
    char pace[NUMBER_TEXT];
    if (stage->param != param_left(journal, stage->demo)) {
        buf_printf(&line, "param %s", stage->demo->params[stage->param].name);
        add_command(out, chunk, line.at);
        buf_free(&line);
    }
    if (stage->zoomed || stage->focus != journal->focus) {
        buf_printf(&line, "%s %s", stage->zoomed ? "zoom" : "focus", stage->demo->panes[stage->focus].name);
        add_command(out, chunk, line.at);
        buf_free(&line);
    }
    if (session->pace != session_pace_default) {
        buf_printf(&line, "pace %s", number_text(pace, session->pace));
        add_command(out, chunk, line.at);
        buf_free(&line);
    }
}

/* Background and language are left to the reader: a class has its own. */
static void add_look(struct buf *out, const struct session *session)
{
    if (strcmp(session->look.colormap.name, colormap_names[0]) != 0)
        buf_printf(out, " --colormap %s", session->look.colormap.name);
}

bool scene_print(const struct session *session, struct buf *out, struct error *error)
{
    const struct seat *seat = &session->seats[session->current];
    const struct stage *stage = &seat->stage;
    if (seat->journal.file && strcmp(seat->journal.file, "-") == 0)
        return error_set(
            error, STATUS_FAILED, "%s",
            _("the points came from standard input, which no command line brings back; load a file"));
    struct journal journal = journal_copy(&seat->journal);
    struct buf chunk = {0};
    journal_follow(&journal, stage);
    buf_printf(out, "attnlab %s", stage->demo->name);
    if (journal.file)
        add_file(out, journal.file);
    for (size_t i = 0; i < journal.n_settings; i++)
        add_word(out, journal.settings[i]);
    add_look(out, session);
    for (size_t i = 0; i < journal.n; i++)
        add_command(out, &chunk, journal.line[i]);
    add_view(out, &chunk, session, &journal);
    flush(out, &chunk);
    buf_putc(out, '\n');
    journal_free(&journal);
    return true;
}
