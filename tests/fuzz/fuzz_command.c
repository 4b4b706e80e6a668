/* A demo chosen by the first byte, then lines of the command language. "key K" presses a key, "paste T"
 * pastes, "size COLS ROWS" draws at that size, "tick" lets time pass. */
#include "input.h"

#include "demos/demo.h"
#include "session/session.h"

struct play {
    struct session *session;
    struct frame frame;
    double now;
    int cols, rows;
};

static void draw(struct play *play)
{
    session_resize(play->session, play->cols, play->rows);
    const struct look *look = session_look(play->session);
    frame_reset(&play->frame, play->cols, play->rows, look_pen(look, ROLE_TEXT));
    session_draw(play->session, &play->frame);
    frame_degrade(&play->frame, look);
}

static void tick(struct play *play)
{
    play->now += 0.25;
    session_tick(play->session, play->now);
}

static int cells(long typed)
{
    return typed < 1 ? 1 : typed > 300 ? 300 : (int)typed;
}

static void one_line(struct play *play, const char *line)
{
    struct error error = {0};
    if (strncmp(line, "key ", 4) == 0) {
        session_key(play->session, line + 4);
    } else if (strncmp(line, "paste ", 6) == 0) {
        session_paste(play->session, line + 6);
    } else if (strncmp(line, "size ", 5) == 0) {
        char *rest;
        play->cols = cells(strtol(line + 5, &rest, 10));
        play->rows = cells(strtol(rest, NULL, 10));
        draw(play);
    } else if (strcmp(line, "tick") == 0) {
        tick(play);
    } else if (!strchr(line, '/') && !strchr(line, '~')) { /* no file outside the directory of the run */
        if (!session_command(play->session, line, &error))
            assert(error.status != STATUS_OK && error.text[0]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n == 0)
        return 0;
    struct session_options options = {.demo = demos[bytes[0] % n_demos]->name, .interactive = true};
    struct error error = {0};
    if (!look_make(&options.look, THEME_DARK, "reds", NULL, &error))
        abort();
    struct play play = {.session = session_new(&options, &error), .cols = 80, .rows = 24};
    assert(play.session);

    char *text = input_text(bytes + 1, n - 1);
    char *line = text;
    for (int lines = 0; lines < 32 && !session_is_over(play.session); lines++) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        one_line(&play, line);
        if (!end)
            break;
        line = end + 1;
    }
    tick(&play);
    draw(&play);

    frame_free(&play.frame);
    session_free(play.session);
    free(text);
    return 0;
}
