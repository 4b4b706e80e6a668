#include "session/log.h"

#include <string.h>

#include "session/scene.h"
#include "session/state.h"

/* Flushed line by line: the log is there to tell what came before a crash, too. */
static void write_line(FILE *file, const char *comment, const char *line)
{
    fprintf(file, "%s%s\n", comment, line);
    fflush(file);
}

void log_open(struct session *session)
{
    struct buf scene = {0};
    if (!session->log)
        return;
    if (scene_print(session, &scene, NULL))
        write_line(session->log, "# ", (scene.at[scene.len - 1] = '\0', scene.at));
    buf_free(&scene);
}

void log_follow(struct session *session)
{
    char line[TRACK_LINES][TRACK_LINE];
    if (!session->log)
        return;
    log_arrived(session, false);
    size_t n = track_follow(&session->logged, session_on_stage(session), line);
    for (size_t i = 0; i < n; i++)
        write_line(session->log, "", line[i]);
    session->motion[0] = '\0';
}

/* Whether the command just done set the timeline going by itself: playing tells its steps as they come. */
static bool is_motion(const struct session *session)
{
    const struct seat *seat = &session->seats[session->current];
    size_t position = seat->stage.demo->position(&seat->stage);
    return !seat->stage.playing && (position != seat->target || position != session->logged.position);
}

void log_command(struct session *session, const char *line, enum trace trace, bool done)
{
    const struct stage *stage = session_on_stage(session);
    if (!session->log)
        return;
    if (!done || trace == TRACE_NONE || (trace == TRACE_MOTION && !is_motion(session))) {
        write_line(session->log, "# ", line);
    } else if (trace == TRACE_MOTION) {
        snprintf(session->motion, sizeof session->motion, "%s", line);
    } else {
        write_line(session->log, "", line);
        track_meet(&session->logged, stage);
    }
}

void log_arrived(struct session *session, bool is_idle)
{
    const struct seat *seat = session_seat(session);
    const struct stage *stage = &seat->stage;
    if (!session->log || !session->motion[0] || (!is_idle && stage->demo->position(stage) != seat->target))
        return;
    write_line(session->log, "", session->motion);
    session->motion[0] = '\0';
    track_meet(&session->logged, stage);
}
