#include "session/session.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/asset.h"
#include "data/file.h"
#include "data/lang.h"
#include "data/nearest.h"
#include "data/utf8.h"
#include "engine/mem.h"
#include "session/log.h"
#include "session/state.h"

/* Units of work (about nanoseconds) done between two looks at the keyboard. */
enum { WORK_SLICE = 1000000 };

const double session_pace_default = 0.6;

void session_say(struct session *session, const char *format, ...)
{
    char text[sizeof session->message];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    utf8_clean(session->message, sizeof session->message, text);
    session->message_is_error = false;
}

void session_fail(struct session *session, const struct error *error)
{
    session_say(session, "%s", error->text);
    session->message_is_error = true;
}

/* ---- the stage */

static void stage_defaults(struct stage *stage)
{
    for (size_t i = 0; i < stage->demo->n_params; i++) {
        const struct param *p = &stage->demo->params[i];
        stage->values[i] = (struct value){.number = (double)NAN};
        if (p->initial[0])
            param_parse(p, p->initial, &stage->values[i], NULL);
    }
}

void seat_go_no_further(struct seat *seat)
{
    const struct demo *demo = seat->stage.demo;
    size_t position = demo->position ? demo->position(&seat->stage) : 0;
    if (seat->target > position)
        seat->target = position;
}

bool seat_put(struct seat *seat, size_t index, const struct value *value, struct error *error)
{
    struct stage *stage = &seat->stage;
    struct value *before = mem_copy(stage->values, PARAMS_MAX, sizeof *before);
    journal_follow(&seat->journal, stage);
    stage->values[index] = *value;
    stage->values[index].given = true;
    bool done = stage->demo->apply(stage, index, &before[index], error);
    if (done) {
        journal_set(&seat->journal, stage, before, index, value);
        seat_go_no_further(seat);
    } else {
        stage->values[index] = before[index];
    }
    free(before);
    return done;
}

bool seat_set(struct seat *seat, size_t index, const char *text, struct error *error)
{
    struct value value = seat->stage.values[index];
    return param_parse(&seat->stage.demo->params[index], text, &value, error) &&
           seat_put(seat, index, &value, error);
}

void seat_stay(struct seat *seat)
{
    if (seat->sets_out)
        snapshot_free(seat->stage.demo, &seat->before);
    seat->sets_out = false;
}

void seat_set_out(struct seat *seat)
{
    seat_stay(seat);
    seat->before = snapshot_take(&seat->stage, &seat->journal);
    seat->from = seat->stage.demo->position(&seat->stage);
    seat->sets_out = true;
}

static void seat_moved(struct seat *seat)
{
    const struct demo *demo = seat->stage.demo;
    if (!seat->sets_out || demo->position(&seat->stage) == seat->from)
        return;
    history_add(&seat->history, demo, seat->before);
    seat->before = (struct snapshot){0};
    seat->sets_out = false;
}

void seat_go(struct seat *seat, size_t target)
{
    struct stage *stage = &seat->stage;
    if (target != stage->demo->position(stage))
        seat_set_out(seat);
    else
        seat_stay(seat);
    seat->target = target;
    stage->demo->go(stage, target);
    seat_moved(seat);
    journal_follow(&seat->journal, stage);
}

/* Does a slice of the outstanding work; true while more is left. */
static bool seat_work(struct seat *seat)
{
    struct stage *stage = &seat->stage;
    bool is_more = stage->demo->work && stage->demo->work(stage, WORK_SLICE);
    seat_moved(seat);
    journal_follow(&seat->journal, stage);
    if (!is_more && stage->demo->position) {
        if (seat->target > stage->demo->position(stage))
            journal_blocked(&seat->journal, stage);
        seat->target = stage->demo->position(stage);
    }
    return is_more;
}

/* Does up to BUDGET of what is not asked for yet; true while more is left. */
static bool seat_look_ahead(struct seat *seat, long budget)
{
    struct stage *stage = &seat->stage;
    return stage->demo->look_ahead && stage->demo->look_ahead(stage, budget);
}

static void stage_close(struct stage *stage)
{
    if (stage->state)
        stage->demo->discard(stage->state);
    source_release(&stage->source);
    buf_free(&stage->report);
    *stage = (struct stage){0};
}

/* ---- files */

enum { BAR_CELLS = 24 };

static bool tell_watcher(struct session *session, size_t done, size_t total)
{
    session->dirty = true;
    session->stops_loading |= !progress_tell(session->watcher, done, total);
    return !session->stops_loading;
}

static bool tell_loading(void *context, size_t done, size_t total)
{
    struct session *session = context;
    struct buf bar = {0};
    int full = total > 0 ? (int)(BAR_CELLS * (double)done / (double)total) : 0;
    for (int i = 0; i < BAR_CELLS; i++)
        buf_puts(&bar, i < full ? "\u2588" : "\u2591");
    if (total > 0)
        session_say(session, _("Loading  %s  %zu of %zu kB   Esc stops"), bar.at, done / 1000, total / 1000);
    else
        session_say(session, _("Loading  %zu kB so far   Esc stops"), done / 1000);
    buf_free(&bar);
    return tell_watcher(session, done, total);
}

static bool tell_writing(void *context, size_t done, size_t total)
{
    struct session *session = context;
    session_say(session, _("Writing  %zu of %zu kB   Esc stops"), done / 1000, total / 1000);
    return tell_watcher(session, done, total);
}

/* What is to be given to work that others may keep waiting; without a watcher there is nobody to stop it. */
static struct progress begin_loading(struct session *session, bool (*tell)(void *, size_t, size_t))
{
    session->is_loading = true;
    session->stops_loading = false;
    return session->watcher.tell ? (struct progress){tell, session} : (struct progress){0};
}

static void end_loading(struct session *session)
{
    session->is_loading = false;
    session->message[0] = '\0';
}

/* The demo opens STAGE, whose file may be large. */
static bool open_stage(struct session *session, struct stage *stage, struct error *error)
{
    stage->source.progress = begin_loading(session, tell_loading);
    bool done = stage->demo->open(stage, error);
    stage->source.progress = (struct progress){0};
    end_loading(session);
    if (done && stage->report.len) {
        buf_puts(&session->report, stage->report.at);
        buf_free(&stage->report);
    }
    return done;
}

void session_watch_loading(struct session *session, struct progress progress)
{
    session->watcher = progress;
}

bool session_set(struct session *session, size_t index, const char *text, struct error *error)
{
    struct seat *seat = session_seat(session);
    seat->stage.source.progress = begin_loading(session, tell_loading);
    bool done = seat_set(seat, index, text, error);
    seat->stage.source.progress = (struct progress){0};
    end_loading(session);
    return done;
}

bool session_write(struct session *session, const char *file, const struct buf *bytes, bool replace,
                   struct error *error)
{
    struct progress progress = begin_loading(session, tell_writing);
    bool done = file_write_watched(file, bytes->at, bytes->len, replace, progress, error);
    end_loading(session);
    return done;
}

static bool source_read(struct session *session, const char *file, struct source *source, struct error *error)
{
    struct buf bytes = {0};
    struct error file_error;
    const char *shown = strncmp(file, "./", 2) == 0 && file[2] ? file + 2 : file;
    utf8_clean(source->name, sizeof source->name, strcmp(file, "-") == 0 ? _("standard input") : shown);
    char asset[sizeof source->name + sizeof "data/.csv"];
    bool is_bare = !strchr(file, '/') && strcmp(file, "-") != 0 && strlen(file) < sizeof source->name;
    snprintf(asset, sizeof asset, "data/%.*s.csv", (int)sizeof source->name - 1, file);
    bool done = file_read_watched(file, begin_loading(session, tell_loading), &bytes, &file_error);
    end_loading(session);
    if (!done && is_bare && !session->stops_loading) {
        bytes.len = 0;
        done = asset_read(session->assets, asset, &bytes, NULL);
    }
    if (!done) {
        if (error)
            *error = file_error;
        buf_free(&bytes);
        return false;
    }
    source->n_owners = mem_new(1, sizeof *source->n_owners);
    *source->n_owners = 1;
    source->bytes = bytes.at ? bytes.at : mem_new(1, 1);
    source->n = bytes.len;
    return true;
}

bool session_load(struct session *session, const char *file, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    if (!stage->demo->takes_file)
        return error_set(error, STATUS_USAGE, _("%s takes no file"), stage->demo->name);
    struct stage fresh = {.demo = stage->demo, .param = stage->param, .focus = stage->focus};
    memcpy(fresh.values, stage->values, sizeof fresh.values);
    for (size_t i = 0; i < fresh.demo->n_params; i++)
        if (!fresh.values[i].given || fresh.demo->params[i].of_file)
            fresh.values[i] = (struct value){.number = (double)NAN};
    for (size_t i = 0; i < fresh.demo->n_params; i++)
        if (!fresh.values[i].given && fresh.demo->params[i].initial[0])
            param_parse(&fresh.demo->params[i], fresh.demo->params[i].initial, &fresh.values[i], NULL);
    if (!source_read(session, file, &fresh.source, error))
        return false;
    struct journal journal = {0};
    journal_begin(&journal, &fresh, file);
    if (!open_stage(session, &fresh, error)) {
        journal_free(&journal);
        stage_close(&fresh);
        return false;
    }
    /* What was selected may not be there with a file: the number of points, say. */
    for (size_t i = 0; i < fresh.demo->n_params && !panel_offers(&fresh, fresh.param); i++)
        fresh.param = (fresh.param + 1) % fresh.demo->n_params;
    struct seat *seat = session_seat(session);
    stage_close(stage);
    journal_free(&seat->journal);
    seat->stage = fresh;
    seat->journal = journal;
    seat->target = 0;
    return true;
}

/* ---- opening */

char *stage_param_hint(const struct stage *stage, char *out, size_t size, const char *name,
                       const char *elsewhere)
{
    const struct demo *demo = stage->demo;
    const char *names[PARAMS_MAX];
    for (size_t i = 0; i < demo->n_params; i++)
        names[i] = demo->params[i].name;
    return nearest_hint(out, size, name, names, demo->n_params, elsewhere);
}

static bool apply_setting(struct stage *stage, const char *setting, struct error *error)
{
    const char *equals = strchr(setting, '=');
    size_t n = strcspn(setting, " =");
    char name[64];
    if (!equals || n >= sizeof name)
        return error_set(error, STATUS_USAGE, _("\"%s\": expected NAME=VALUE"), setting);
    memcpy(name, setting, n);
    name[n] = '\0';
    const char *text = equals + 1 + strspn(equals + 1, " ");
    const struct demo *demo = stage->demo;
    size_t index = param_find(demo->params, demo->n_params, name);
    char near[320];
    if (index == demo->n_params)
        return error_set(error, STATUS_USAGE, _("%s has no parameter \"%s\"; %s"), demo->name, name,
                         stage_param_hint(stage, near, sizeof near, name, _("see --list")));
    if (!param_parse(&demo->params[index], text, &stage->values[index], error))
        return false;
    stage->values[index].given = true;
    return true;
}

bool session_show_demo(struct session *session, size_t index, struct error *error)
{
    struct stage *stage = &session->seats[index].stage;
    if (!stage->state) {
        stage->demo = demos[index];
        stage_defaults(stage);
        journal_begin(&session->seats[index].journal, stage, NULL);
        if (!open_stage(session, stage, error)) {
            stage_close(stage);
            return false;
        }
    }
    struct stage *left = session_on_stage(session);
    left->playing = false;
    if (left->demo->position)
        seat_go(session_seat(session), left->demo->position(left));
    session->current = index;
    return true;
}

static bool find_demo(const char *name, size_t *index, struct error *error)
{
    const char *names[64];
    char near[320];
    for (*index = 0; *index < n_demos; ++*index) {
        if (strcmp(demos[*index]->name, name) == 0)
            return true;
        names[*index] = demos[*index]->name;
    }
    return error_set(error, STATUS_USAGE, _("there is no demo \"%s\"; %s"), name,
                     nearest_hint(near, sizeof near, name, names, n_demos, _("see --list")));
}

static bool set_first(struct session *session, const struct session_options *options, struct error *error)
{
    if (!find_demo(options->demo ? options->demo : "train", &session->current, error))
        return false;
    struct stage *stage = session_on_stage(session);
    stage->demo = demos[session->current];
    stage_defaults(stage);
    if (options->file && !stage->demo->takes_file)
        return error_set(error, STATUS_USAGE, _("%s takes no file"), stage->demo->name);
    for (size_t i = 0; i < options->n_settings; i++)
        if (!apply_setting(stage, options->settings[i], error))
            return false;
    journal_begin(&session_seat(session)->journal, stage, options->file);
    return true;
}

struct session *session_begin(const struct session_options *options, struct error *error)
{
    struct session *session = mem_new(1, sizeof *session);
    session->seats = mem_new(n_demos, sizeof *session->seats);
    session->look = options->look;
    session->assets = options->assets;
    session->interactive = options->interactive;
    session->watcher = options->loading;
    session->pace = session_pace_default;
    session->screen_cols = 120;
    session->screen_rows = 40;
    session->dirty = true;
    if (!set_first(session, options, error)) {
        session_free(session);
        return NULL;
    }
    session->log = options->log;
    session->is_new = options->interactive && !options->file;
    return session;
}

bool session_open(struct session *session, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    const char *file = session_seat(session)->journal.file;
    session->is_opening = true;
    bool done =
        (!file || source_read(session, file, &stage->source, error)) && open_stage(session, stage, error);
    session->is_opening = false;
    if (done)
        log_open(session);
    else
        session->log = NULL;
    return done;
}

struct session *session_new(const struct session_options *options, struct error *error)
{
    struct session *session = session_begin(options, error);
    if (session && !session_open(session, error)) {
        session_free(session);
        return NULL;
    }
    return session;
}

void session_free(struct session *session)
{
    if (!session)
        return;
    if (session_stage(session)->state)
        log_follow(session);
    replay_stop(&session->replay);
    for (size_t i = 0; i < n_demos; i++) {
        struct seat *seat = &session->seats[i];
        if (seat->stage.demo) {
            seat_stay(seat);
            history_free(&seat->history, seat->stage.demo);
            journal_free(&seat->journal);
            stage_close(&seat->stage);
        }
    }
    free(session->seats);
    prompt_free(&session->prompt);
    buf_free(&session->report);
    free(session);
}

/* ---- time */

static bool stage_is_at_end(const struct stage *stage)
{
    return !stage->demo->position || stage->demo->position(stage) >= stage->demo->end(stage);
}

/* Takes the playing run's step if it is due; true if something moved. */
static bool play_on(struct session *session, struct seat *seat)
{
    struct stage *stage = &seat->stage;
    if (!stage->playing || session->now < session->due)
        return false;
    if (stage_is_at_end(stage)) {
        stage->playing = false;
        return true;
    }
    size_t before = stage->demo->position(stage);
    if (!session->plays_on)
        seat_set_out(seat);
    session->plays_on = true;
    seat->target = before + 1;
    stage->demo->go(stage, before + 1);
    seat_moved(seat);
    /* After a pause of the whole program (a stop, a closed lid) steps are not made up for. */
    bool is_late = session->now - session->due > session->pace;
    session->due = (is_late ? session->now : session->due) + session->pace;
    return true;
}

/* Runs the replay's next command if it is due; returns the seconds until then, or negative if there is none.
 */
static double replay_due(struct session *session)
{
    struct replay *replay = &session->replay;
    struct error error;
    if (!replay->text || session_on_stage(session)->playing)
        return -1;
    if (replay->due == 0)
        replay->due = session->now + replay->pace;
    if (session->now < replay->due)
        return replay->due - session->now;
    replay->due = session->now + replay->pace;
    session->dirty = true;
    if (!replay_next(session, &error) && error.text[0])
        session_fail(session, &error);
    return 0;
}

bool session_advance(struct session *session)
{
    struct seat *seat = session_seat(session);
    struct stage *stage = &seat->stage;
    if (seat_work(seat)) {
        session->dirty = true;
        log_arrived(session, false);
        return true;
    }
    log_arrived(session, true);
    size_t before = stage->demo->position ? stage->demo->position(stage) : 0;
    if (play_on(session, seat)) {
        session->dirty = true;
        if (seat_work(seat))
            return true;
        /* A step that does not move has met the end of what can be trained (it diverged). */
        if (stage->demo->position(stage) == before)
            stage->playing = false;
    }
    if (!stage->playing && !session->motion[0])
        log_follow(session);
    return false;
}

double session_tick(struct session *session, double now)
{
    struct seat *seat = session_seat(session);
    session->now = now;
    if (session_advance(session))
        return 0;
    bool is_free = !session->owes_picture;
    session->owes_picture = false;
    if (seat_look_ahead(seat, is_free ? WORK_SLICE : 0)) {
        session->dirty |= is_free;
        return 0;
    }
    return seat->stage.playing ? fmax(session->due - now, 0) : replay_due(session);
}

void session_arrive(struct session *session)
{
    while (seat_work(session_seat(session)))
        continue;
    log_arrived(session, true);
    session->dirty = true;
}

void session_settle(struct session *session)
{
    session_arrive(session);
    while (seat_look_ahead(session_seat(session), WORK_SLICE))
        continue;
}

void session_make_ready(struct session *session, bool for_picture)
{
    struct stage *stage = session_on_stage(session);
    if (!session->interactive)
        (for_picture ? session_settle : session_arrive)(session);
    else if (stage->demo->catch_up)
        stage->demo->catch_up(stage);
}

/* ---- looking at it */

void session_resize(struct session *session, int cols, int rows)
{
    session->screen_cols = cols;
    session->screen_rows = rows;
    session->dirty = true;
}

bool session_take_dirty(struct session *session)
{
    bool was = session->dirty;
    session->dirty = false;
    return was;
}

const struct look *session_look(const struct session *session)
{
    return &session->look;
}

void session_set_look(struct session *session, const struct look *look)
{
    session->look = *look;
    session->dirty = true;
}

bool session_is_over(const struct session *session)
{
    return session->over;
}

const struct stage *session_stage(const struct session *session)
{
    return &session->seats[session->current].stage;
}

const char *session_report(const struct session *session)
{
    return session->report.at ? session->report.at : "";
}
