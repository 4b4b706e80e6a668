#include "session/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/mem.h"
#include "session/state.h"

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n' || !text[1];
    return n;
}

void session_replay(struct session *session, const char *name, const char *text, double pace)
{
    replay_stop(&session->replay);
    session->replay = (struct replay){
        .name = mem_copy(name, strlen(name) + 1, 1),
        .text = mem_copy(text, strlen(text) + 1, 1),
        .n_lines = count_lines(text),
        .pace = pace,
    };
}

bool session_replay_on(struct session *session, struct error *error)
{
    while (session->replay.text)
        if (!replay_next(session, error) && error->text[0])
            return false;
    return true;
}

void replay_stop(struct replay *replay)
{
    free(replay->name);
    free(replay->text);
    *replay = (struct replay){0};
}

/* The next line that is neither blank nor a comment, without its end; NULL at the end of the text. */
static const char *next_line(struct replay *replay, char *out, size_t size)
{
    while (replay->text[replay->at]) {
        const char *line = replay->text + replay->at;
        size_t n = strcspn(line, "\n"), blank = strspn(line, " \t\r");
        replay->at += n + (line[n] == '\n');
        replay->line++;
        if (blank >= n || line[blank] == '#')
            continue;
        while (n > 0 && line[n - 1] == '\r')
            n--;
        /* Cut, it is still too long for the session, which says so. */
        n = n < size ? n : size - 1;
        memcpy(out, line, n);
        out[n] = '\0';
        return out;
    }
    return NULL;
}

bool replay_next(struct session *session, struct error *error)
{
    struct replay *replay = &session->replay;
    char text[PROMPT_MAX + 1];
    struct error cause = {0};
    const char *line = next_line(replay, text, sizeof text);
    *error = (struct error){0};
    if (line && session_command(session, line, &cause))
        return true;
    if (line)
        error_set(error, cause.status, "%s:%zu: %s", replay->name, replay->line, cause.text);
    replay_stop(replay);
    return false;
}
