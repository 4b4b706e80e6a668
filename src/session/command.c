#include "session/command.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/file.h"
#include "data/lang.h"
#include "data/nearest.h"
#include "data/number.h"
#include "session/log.h"
#include "session/print.h"
#include "session/state.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* ---- arguments */

/* Copies the first word of *ARGS (quotes around it dropped) to WORD and moves *ARGS behind it; false if there
 * is none or it is too long. */
static bool take_word(const char **args, char *word, size_t size)
{
    const char *at = *args + strspn(*args, " \t");
    char quote = *at == '"' || *at == '\'' ? *at++ : '\0';
    size_t n = quote ? strcspn(at, (char[]){quote, '\0'}) : strcspn(at, " \t");
    bool is_there = n > 0 && n < size;
    if (is_there) {
        memcpy(word, at, n);
        word[n] = '\0';
    } else {
        word[0] = '\0';
    }
    at += n;
    if (quote && *at == quote)
        at++;
    *args = at + strspn(at, " \t");
    return is_there;
}

/* Reads a whole number from LO to HI for COMMAND; an empty ARGS is FALLBACK. */
static bool take_count(const char *command, const char **args, long lo, long hi, long fallback, long *out,
                       struct error *error)
{
    char word[32], expected[128];
    double number;
    *out = fallback;
    if (!**args)
        return true;
    const char *start = *args;
    if (!take_word(args, word, sizeof word) || !number_parse(word, strlen(word), '.', &number) ||
        !(number >= (double)lo && number <= (double)hi) || number != (double)(long)number) {
        snprintf(expected, sizeof expected, _("a whole number from %ld to %ld"), lo, hi);
        return error_arguments(error, command, start, expected);
    }
    *out = (long)number;
    return true;
}

/* Where everything that can be named stands. */
static const char *see_help(void)
{
    return _("see ? or --list");
}

/* One of N names for COMMAND; `next` and `prev` walk from CURRENT. On failure OUT is CURRENT. */
static bool take_name(const char *command, const char *args, const char *what, const char *const *names,
                      size_t n, size_t current, size_t *out, struct error *error)
{
    char word[64], near[320], expected[400];
    assert(n > 0);
    *out = current;
    const char *given = args;
    take_word(&args, word, sizeof word);
    size_t index = 0;
    if (strcmp(word, "next") == 0 || strcmp(word, "prev") == 0)
        index = (current + (word[0] == 'n' ? 1 : n - 1)) % n;
    else
        while (index < n && strcmp(names[index], word) != 0)
            index++;
    if (index == n) {
        snprintf(expected, sizeof expected, _("a %s, next or prev; %s"), what,
                 nearest_hint(near, sizeof near, word, names, n, see_help()));
        return error_arguments(error, command, given, expected);
    }
    *out = index;
    return true;
}

/* ---- parameters */

static bool find_param(const struct stage *stage, const char *command, const char *name, size_t *index,
                       struct error *error)
{
    const struct demo *demo = stage->demo;
    char near[320];
    *index = param_find(demo->params, demo->n_params, name);
    if (*index < demo->n_params)
        return true;
    stage_param_hint(stage, near, sizeof near, name, see_help());
    return *name
               ? error_set(error, STATUS_USAGE, _("%s: %s has no parameter \"%s\"; %s"), command, demo->name,
                           name, near)
               : error_set(error, STATUS_USAGE, _("%s: expected a parameter and a value; %s"), command, near);
}

/* "set lr: expected a value, above 0 to 1000; it is 0.5" */
static bool refuse_without_value(const struct stage *stage, size_t index, struct error *error)
{
    const struct param *p = &stage->demo->params[index];
    struct buf value = {0}, range = {0};
    param_format(p, &stage->values[index], &value);
    param_range(p, &range);
    error_set(error, STATUS_USAGE, _("set %s: expected a value, %s; it is %s"), p->name, range.at, value.at);
    buf_free(&value);
    buf_free(&range);
    return false;
}

static bool command_set(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    char name[64], text[512];
    size_t index;
    take_word(&args, name, sizeof name);
    if (!find_param(stage, "set", name, &index, error))
        return false;
    if (!*args && stage->demo->params[index].kind != PARAM_TEXT)
        return refuse_without_value(stage, index, error);
    if (strlen(args) >= sizeof text)
        return error_set(error, STATUS_USAGE, _("set %s: this value is too long"), name);
    /* "=" between name and value is how the command line writes it. */
    args += *args == '=' ? 1 + strspn(args + 1, " ") : 0;
    memcpy(text, args, strlen(args) + 1);
    if (!session_set(session, index, text, error))
        return false;
    stage->param = index;
    return true;
}

static bool command_adjust(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    const struct param *p = &stage->demo->params[stage->param];
    struct value value = stage->values[stage->param];
    long steps;
    if (!take_count("adjust", &args, -1000000, 1000000, 1, &steps, error))
        return false;
    bool is_own = p->kind == PARAM_LIST && stage->demo->adjust;
    if (!(is_own ? stage->demo->adjust(stage, stage->param, (int)steps, &value)
                 : param_adjust(p, &value, (int)steps)))
        return error_set(error, STATUS_USAGE, _("%s is typed: press Enter"), p->name);
    return seat_put(session_seat(session), stage->param, &value, error);
}

static bool command_nudge(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    long steps;
    if (!take_count("nudge", &args, -1000000, 1000000, 1, &steps, error))
        return false;
    if (!stage->demo->nudge)
        return error_set(error, STATUS_USAGE, _("%s has no number to nudge"), stage->demo->name);
    return stage->demo->nudge(stage, (int)steps, error);
}

static bool command_param(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    const char *names[PARAMS_MAX];
    size_t n = stage->demo->n_params, chosen;
    assert(n > 0);
    for (size_t i = 0; i < n; i++)
        names[i] = stage->demo->params[i].name;
    if (!take_name("param", args, _("parameter"), names, n, stage->param, &chosen, error))
        return false;
    size_t forward = strncmp(args, "prev", 4) == 0 ? n - 1 : 1;
    bool walks = strncmp(args, "prev", 4) == 0 || strncmp(args, "next", 4) == 0;
    while (walks && !panel_offers(stage, chosen) && chosen != stage->param)
        chosen = (chosen + forward) % n;
    stage->param = chosen;
    session->asks_param = session->interactive;
    return true;
}

static bool command_reseed(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    size_t index;
    (void)args;
    if (!find_param(stage, "reseed", "seed", &index, error))
        return false;
    struct value value = stage->values[index];
    value.seed++;
    return seat_put(session_seat(session), index, &value, error);
}

/* ---- time */

static bool has_timeline(const struct stage *stage, struct error *error)
{
    return stage->demo->position ||
           error_set(error, STATUS_USAGE, _("%s has nothing to step through"), stage->demo->name);
}

/* Why a step back leads nowhere: "epoch 0 / 5: this is the start" */
static void say_start(struct session *session)
{
    const struct stage *stage = session_stage(session);
    char place[64] = "";
    if (stage->demo->progress)
        stage->demo->progress(stage, place, sizeof place);
    session_say(session, _("%s%sthis is the start, nothing lies before it"), place, place[0] ? ": " : "");
}

static bool go_by(struct session *session, const char *args, long sign, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    long count;
    if (!has_timeline(stage, error) ||
        !take_count(sign > 0 ? "step" : "back", &args, 1, 1000000, 1, &count, error))
        return false;
    size_t at = stage->demo->position(stage), by = (size_t)count;
    stage->playing = false;
    if (sign < 0 && at == 0)
        say_start(session);
    seat_go(session_seat(session), sign > 0 ? at + by : by > at ? 0 : at - by);
    return true;
}

static bool command_step(struct session *session, const char *args, struct error *error)
{
    return go_by(session, args, 1, error);
}

static bool command_back(struct session *session, const char *args, struct error *error)
{
    return go_by(session, args, -1, error);
}

static bool command_run(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    (void)args;
    if (!has_timeline(stage, error))
        return false;
    stage->playing = false;
    seat_go(session_seat(session), stage->demo->end(stage));
    return true;
}

static bool command_play(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    if (!session->interactive)
        return command_run(session, args, error);
    if (!has_timeline(stage, error))
        return false;
    if (stage->demo->position(stage) >= stage->demo->end(stage)) {
        session_say(session, "%s",
                    _("This is the last epoch asked for: r goes back to the start, n goes on."));
        return true;
    }
    stage->playing = true;
    session->plays_on = false;
    session->due = session->now;
    return true;
}

static bool command_pause(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    (void)args;
    if (!has_timeline(stage, error))
        return false;
    stage->playing = false;
    seat_go(session_seat(session), stage->demo->position(stage));
    return true;
}

static bool command_toggle(struct session *session, const char *args, struct error *error)
{
    return (session_on_stage(session)->playing ? command_pause : command_play)(session, args, error);
}

static bool command_first(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    (void)args;
    if (!has_timeline(stage, error))
        return false;
    stage->playing = false;
    seat_go(session_seat(session), 0);
    return true;
}

static bool command_last(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    (void)args;
    if (!has_timeline(stage, error))
        return false;
    stage->playing = false;
    seat_go(session_seat(session), stage->demo->known(stage));
    return true;
}

static bool command_reset(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    (void)args;
    if (!stage->demo->reset)
        return error_set(error, STATUS_USAGE, _("%s has nothing to reset"), stage->demo->name);
    stage->playing = false;
    stage->demo->reset(stage);
    return true;
}

static bool command_pace(struct session *session, const char *args, struct error *error)
{
    char word[32];
    double seconds;
    const char *given = args;
    if (!take_word(&args, word, sizeof word) || !number_parse(word, strlen(word), '.', &seconds) ||
        !(seconds >= 0.02 && seconds <= 60))
        return error_arguments(error, "pace", given, _("seconds a step, 0.02 to 60"));
    session->pace = seconds;
    session->due = session->now + seconds;
    return true;
}

/* ---- looking around */

static bool command_move(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    long dx, dy;
    if (!*args)
        return error_arguments(error, "move", args, _("columns to the right and rows down"));
    if (!take_count("move", &args, -100000, 100000, 0, &dx, error) ||
        !take_count("move", &args, -100000, 100000, 0, &dy, error))
        return false;
    const struct pane *pane = &stage->demo->panes[stage->focus];
    if (!pane->select)
        return error_set(error, STATUS_USAGE, _("nothing can be selected in %s"), pane->name);
    pane->select(stage, (int)dx, (int)dy);
    return true;
}

static bool command_select(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    long row, column;
    if (!stage->demo->select)
        return error_set(error, STATUS_USAGE, _("nothing can be selected in %s"), stage->demo->name);
    if (!*args)
        return error_arguments(error, "select", args, _("a row and perhaps a column, from 0"));
    return take_count("select", &args, 0, 10000000, 0, &row, error) &&
           take_count("select", &args, 0, 10000000, -1, &column, error) &&
           stage->demo->select(stage, row, column, error);
}

/* Says what the focused pane shows. */
static void explain_pane(struct session *session)
{
    const struct stage *stage = session_stage(session);
    const struct pane *pane = &stage->demo->panes[stage->focus];
    if (session->interactive && pane->help)
        session_say(session, "%s: %s", _(pane->title), _(pane->help));
}

static bool focus_on(struct session *session, const char *command, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    const char *names[PANES_MAX];
    char expected[64];
    size_t n = stage->demo->n_panes;
    if (args[0] >= '1' && args[0] <= '9' && !args[1]) {
        size_t index = (size_t)(args[0] - '1');
        snprintf(expected, sizeof expected, _("a number from 1 to %zu"), n);
        if (index >= n)
            return error_arguments(error, command, args, expected);
        stage->focus = index;
        explain_pane(session);
        return true;
    }
    for (size_t i = 0; i < n; i++)
        names[i] = stage->demo->panes[i].name;
    if (!take_name(command, args, _("pane"), names, n, stage->focus, &stage->focus, error))
        return false;
    explain_pane(session);
    return true;
}

static bool command_focus(struct session *session, const char *args, struct error *error)
{
    return focus_on(session, "focus", args, error);
}

static bool command_zoom(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    if (*args && !focus_on(session, "zoom", args, error))
        return false;
    stage->zoomed = *args ? true : !stage->zoomed;
    if (stage->zoomed)
        explain_pane(session);
    return true;
}

static bool command_demo(struct session *session, const char *args, struct error *error)
{
    const char *names[64];
    size_t index;
    for (size_t i = 0; i < n_demos; i++)
        names[i] = demos[i]->name;
    return take_name("demo", args, _("demo"), names, n_demos, session->current, &index, error) &&
           session_show_demo(session, index, error);
}

static bool command_demos(struct session *session, const char *args, struct error *error)
{
    (void)args;
    (void)error;
    session->overlay = OVERLAY_DEMOS;
    session->overlay_at = (int)session->current;
    return true;
}

static bool command_help(struct session *session, const char *args, struct error *error)
{
    (void)args;
    (void)error;
    session->overlay = OVERLAY_HELP;
    session->overlay_at = 0;
    return true;
}

static bool command_colormap(struct session *session, const char *args, struct error *error)
{
    size_t current = 0, chosen;
    while (current + 1 < n_colormaps && strcmp(colormap_names[current], session->look.colormap.name) != 0)
        current++;
    struct look look = session->look;
    if (!take_name("colormap", args, _("colormap"), colormap_names, n_colormaps, current, &chosen, error) ||
        !look_make(&look, look.theme, colormap_names[chosen], session->assets, error))
        return false;
    session->look.colormap = look.colormap;
    session_say(session, _("Colormap: %s"), colormap_names[chosen]);
    return true;
}

static bool command_theme(struct session *session, const char *args, struct error *error)
{
    static const char *const names[] = {[THEME_DARK] = "dark", [THEME_LIGHT] = "light"};
    size_t chosen;
    struct look look;
    if (!take_name("theme", args, _("theme"), names, ALEN(names), session->look.theme, &chosen, error) ||
        !look_make(&look, (enum theme)chosen, session->look.colormap.name, session->assets, error))
        return false;
    look.depth = session->look.depth;
    look.glyphs = session->look.glyphs;
    session->look = look;
    return true;
}

static bool command_lang(struct session *session, const char *args, struct error *error)
{
    static const char *const names[LANGS] = {[LANG_EN] = "en", [LANG_ZH] = "zh"};
    size_t chosen;
    if (!take_name("lang", args, _("language"), names, ALEN(names), lang_chosen(), &chosen, error))
        return false;
    if (chosen == LANG_EN || session->look.glyphs == GLYPHS_UNICODE)
        lang_choose((enum lang)chosen);
    else
        session_say(session, "%s", _("There are no Chinese characters among the glyphs in use."));
    return true;
}

/* ---- the past, files, leaving */

static bool travel(struct seat *seat, bool (*swap)(struct history *, struct stage *, struct journal *))
{
    seat_stay(seat);
    if (!swap(&seat->history, &seat->stage, &seat->journal))
        return false;
    if (seat->stage.demo->position)
        seat->target = seat->stage.demo->position(&seat->stage);
    return true;
}

static bool command_undo(struct session *session, const char *args, struct error *error)
{
    struct seat *seat = session_seat(session);
    (void)args;
    seat->stage.playing = false;
    return travel(seat, history_undo) || error_set(error, STATUS_USAGE, "%s", _("nothing to undo"));
}

static bool command_redo(struct session *session, const char *args, struct error *error)
{
    struct seat *seat = session_seat(session);
    (void)args;
    seat->stage.playing = false;
    return travel(seat, history_redo) || error_set(error, STATUS_USAGE, "%s", _("nothing to redo"));
}

static bool command_load(struct session *session, const char *args, struct error *error)
{
    char word[PROMPT_MAX], file[PATH_MAX];
    if (!take_word(&args, word, sizeof word))
        return error_arguments(error, "load", args, _("a file"));
    return session_load(session, file_expand_home(word, file, sizeof file), error);
}

/* What is known about the file on stage, a part a line. */
static bool command_file(struct session *session, const char *args, struct error *error)
{
    struct stage *stage = session_on_stage(session);
    struct buf text = {0};
    (void)args;
    if (!stage->demo->takes_file)
        return error_set(error, STATUS_USAGE, _("%s takes no file"), stage->demo->name);
    if (!stage->source.name[0])
        return error_set(error, STATUS_USAGE, "%s", _("file: there is none; load FILE reads one"));
    stage->demo->describe_file(stage, &text);
    buf_printf(&session->report, "%s\n", stage->source.name);
    for (const char *at = text.at ? text.at : ""; *at;) {
        const char *end = strstr(at, "; ");
        int n = end ? (int)(end - at) : (int)strlen(at);
        buf_printf(&session->report, "%.*s\n", n, at);
        at += n + (end ? 2 : 0);
    }
    buf_free(&text);
    return true;
}

/* The first of attnlab-DEMO-1.EXT, -2, ... that does not exist yet is where a nameless export goes. */
static bool export_nameless(struct session *session, const char *format, const struct buf *bytes, char *file,
                            size_t size, struct error *error)
{
    for (int i = 1; i < 1000; i++) {
        snprintf(file, size, "attnlab-%s-%d.%s", session_on_stage(session)->demo->name, i,
                 print_extension(format));
        if (access(file, F_OK) != 0)
            return session_write(session, file, bytes, false, error);
    }
    return error_set(error, STATUS_FAILED, "%s", _("there are 999 pictures here already; name a file"));
}

static bool is_format(const char *word)
{
    size_t i = 0;
    while (i < n_print_formats && strcmp(print_formats[i], word) != 0)
        i++;
    return i < n_print_formats;
}

static bool export_as(struct session *session, const char *args, bool replace, struct error *error)
{
    const char *command = replace ? "export!" : "export", *given = args;
    char format[16], word[PROMPT_MAX], file[PATH_MAX], expected[192], names[128];
    struct buf bytes = {0};
    take_word(&args, format, sizeof format);
    if (!is_format(format)) {
        nearest_names(names, sizeof names, format, print_formats, n_print_formats);
        snprintf(expected, sizeof expected, _("a format: %s"), names);
        return error_arguments(error, command, given, expected);
    }
    bool is_named = take_word(&args, word, sizeof word);
    if (replace && !is_named)
        return error_arguments(error, command, given, _("a format and a file"));
    file_expand_home(word, file, sizeof file);
    struct print_request request = {
        .format = format, .cols = session->screen_cols, .rows = session->screen_rows};
    bool done = print_session(session, &request, &bytes, error) &&
                (is_named ? session_write(session, file, &bytes, replace, error)
                          : export_nameless(session, format, &bytes, file, sizeof file, error));
    buf_free(&bytes);
    if (done)
        session_say(session, _("Written: %s"), file);
    return done;
}

static bool command_export(struct session *session, const char *args, struct error *error)
{
    return export_as(session, args, false, error);
}

static bool command_export_over(struct session *session, const char *args, struct error *error)
{
    return export_as(session, args, true, error);
}

static bool command_quit(struct session *session, const char *args, struct error *error)
{
    (void)args;
    (void)error;
    session->over = true;
    return true;
}

/* clang-format off */
const struct command commands[] = {
    {"set",      "NAME VALUE",   N_("set a parameter"),                                       true,  COMPLETE_PARAM,    TRACE_LOG,    command_set},
    {"adjust",   "[STEPS]",      N_("move the selected parameter by steps"),                  true,  COMPLETE_NOTHING,  TRACE_LOG,    command_adjust},
    {"nudge",    "[STEPS]",      N_("move the number selected in the focused pane by steps"),   true,  COMPLETE_NOTHING,  TRACE_SCENE,  command_nudge},
    {"param",    "NAME|next|prev", N_("select a parameter"),                                  false, COMPLETE_PARAM,    TRACE_LOG,    command_param},
    {"step",     "[N]",          N_("N steps forward"),                                       false,  COMPLETE_NOTHING,  TRACE_MOTION, command_step},
    {"back",     "[N]",          N_("N steps back"),                                          false,  COMPLETE_NOTHING,  TRACE_MOTION, command_back},
    {"run",      "",             N_("to the last epoch asked for, at once"),                  false,  COMPLETE_NOTHING,  TRACE_MOTION, command_run},
    {"play",     "",             N_("to the last epoch asked for, at a watchable pace"),      false,  COMPLETE_NOTHING,  TRACE_MOTION, command_play},
    {"pause",    "",             N_("stop playing"),                                          false, COMPLETE_NOTHING,  TRACE_NONE,   command_pause},
    {"toggle",   "",             N_("play or pause"),                                         false,  COMPLETE_NOTHING,  TRACE_MOTION, command_toggle},
    {"pace",     "SECONDS",      N_("time a step takes when playing"),                        false, COMPLETE_NOTHING,  TRACE_LOG,    command_pace},
    {"first",    "",             N_("to the first epoch"),                                    false,  COMPLETE_NOTHING,  TRACE_MOTION, command_first},
    {"last",     "",             N_("to the last epoch reached so far"),                      false,  COMPLETE_NOTHING,  TRACE_MOTION, command_last},
    {"reset",    "",             N_("back to the start of the same run"),                     true,  COMPLETE_NOTHING,  TRACE_SCENE,  command_reset},
    {"reseed",   "",             N_("draw new data with the next seed"),                      true,  COMPLETE_NOTHING,  TRACE_LOG,    command_reseed},
    {"select",   "ROW [COLUMN]", N_("select by number, counted from 0"),                      false, COMPLETE_NOTHING,  TRACE_SCENE,  command_select},
    {"move",     "DX DY",        N_("move the focused pane's selection"),                     false, COMPLETE_NOTHING,  TRACE_SCENE,  command_move},
    {"focus",    "PANE|next|prev", N_("focus a pane by name or number"),                      false, COMPLETE_PANE,     TRACE_LOG,    command_focus},
    {"zoom",     "[PANE]",       N_("let the focused pane fill the screen, or no longer"),    false, COMPLETE_PANE,     TRACE_LOG,    command_zoom},
    {"demo",     "NAME|next|prev", N_("go to another demo"),                                  false, COMPLETE_DEMO,     TRACE_LOG,    command_demo},
    {"demos",    "",             N_("list of demos"),                                         false, COMPLETE_NOTHING,  TRACE_NONE,   command_demos},
    {"undo",     "",             N_("undo the last change"),                                  false, COMPLETE_NOTHING,  TRACE_LOG,    command_undo},
    {"redo",     "",             N_("redo what was undone"),                                  false, COMPLETE_NOTHING,  TRACE_LOG,    command_redo},
    {"file",     "",             N_("what was guessed about the file on stage"),              false, COMPLETE_NOTHING,  TRACE_NONE,   command_file},
    {"load",     "FILE",         N_("read a file: points, or weights for heatmap"),            true,  COMPLETE_FILE,     TRACE_LOG,    command_load},
    {"export",   "FORMAT [FILE]", N_("write the screen (text, ansi, svg), the tables (csv, json), a script (torch) or the command line to get here"), false, COMPLETE_FORMAT, TRACE_NONE,   command_export},
    {"export!",  "FORMAT FILE",  N_("the same, over an existing file"),                       false, COMPLETE_FORMAT,   TRACE_NONE,   command_export_over},
    {"colormap", "NAME|next|prev", N_("choose the colours of weights"),                       false, COMPLETE_COLORMAP, TRACE_LOG,    command_colormap},
    {"theme",    "dark|light|next", N_("choose the background"),                              false, COMPLETE_THEME,    TRACE_LOG,    command_theme},
    {"lang",     "en|zh|next",   N_("choose the language"),                                   false, COMPLETE_LANG,     TRACE_LOG,    command_lang},
    {"help",     "",             N_("keys, commands and parameters"),                         false, COMPLETE_NOTHING,  TRACE_NONE,   command_help},
    {"quit",     "",             N_("quit"),                                                  false, COMPLETE_NOTHING,  TRACE_NONE,   command_quit},
};
/* clang-format on */
const size_t n_commands = ALEN(commands);

/* ---- running a line */

static const struct demo_command *find_demo_command(const struct demo *demo, const char *name)
{
    for (size_t i = 0; i < demo->n_commands; i++)
        if (strcmp(demo->commands[i].name, name) == 0)
            return &demo->commands[i];
    return NULL;
}

/* What hands trained on other programs type. */
static const struct {
    const char *name, *command;
} aliases[] = {{"q", "quit"}, {"q!", "quit"}, {"wq", "quit"}};

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < ALEN(aliases); i++)
        if (strcmp(aliases[i].name, name) == 0)
            name = aliases[i].command;
    for (size_t i = 0; i < n_commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static bool unknown_command(const struct demo *demo, const char *name, struct error *error)
{
    const char *names[64];
    char near[320];
    size_t n = 0;
    for (size_t i = 0; i < n_commands; i++)
        names[n++] = commands[i].name;
    for (size_t i = 0; i < demo->n_commands && n < ALEN(names); i++)
        names[n++] = demo->commands[i].name;
    return error_set(error, STATUS_USAGE, _("there is no command \"%s\"; %s"), name,
                     nearest_hint(near, sizeof near, name, names, n, _("see ? or man attnlab")));
}

static size_t count_words(const char *text)
{
    char word[PROMPT_MAX];
    size_t n = 0;
    while (*text) {
        take_word(&text, word, sizeof word);
        n++;
    }
    return n;
}

/* Whether ARGS has no more words than USAGE. A VALUE is all that follows, and what has alternatives of
 * several words is left to the command. */
static bool check_usage(const char *command, const char *usage, const char *args, struct error *error)
{
    char expected[160];
    bool is_free = strstr(usage, "VALUE") || (strchr(usage, '|') && strchr(usage, ' '));
    if (is_free || count_words(args) <= count_words(usage))
        return true;
    snprintf(expected, sizeof expected,
             !*usage                 ? _("%s alone")
             : strstr(usage, "FILE") ? _("%s %s; a name with blanks stands in quotes")
                                     : "%s %s",
             command, usage);
    return error_arguments(error, command, args, expected);
}

/* Notes that LINE was done on SEAT. */
static void note_in_journal(struct seat *seat, const char *line)
{
    struct stage *stage = &seat->stage;
    /* What it set going (`open` takes a step) is told by the line itself. */
    if (!stage->playing && stage->demo->work)
        stage->demo->work(stage, 1);
    journal_line(&seat->journal, line);
    seat->journal.focus = stage->focus;
    track_meet(&seat->journal.track, stage);
    seat_go_no_further(seat);
}

static bool run_one(struct session *session, const char *line, struct error *error)
{
    struct seat *seat = session_seat(session);
    struct stage *stage = &seat->stage;
    char name[64];
    const char *args = line + strspn(line, " \t"), *whole = args;
    if (!take_word(&args, name, sizeof name))
        return *args ? unknown_command(stage->demo, args, error) : true;
    const struct demo_command *own = find_demo_command(stage->demo, name);
    const struct command *command = own ? NULL : find_command(name);
    if (!own && !command)
        return unknown_command(stage->demo, name, error);
    if (!check_usage(name, own ? own->usage : command->usage, args, error))
        return false;

    log_follow(session);
    session->plays_on = session->asks_param = false;
    enum trace trace = own ? TRACE_SCENE : command->trace;
    bool changes = own ? own->changes : command->changes;
    struct snapshot before = {0};
    if (trace == TRACE_SCENE) {
        journal_follow(&seat->journal, stage);
        journal_focus(&seat->journal, stage);
    }
    bool was_on_its_way = seat->sets_out;
    if (changes) {
        seat_stay(seat);
        before = snapshot_take(stage, &seat->journal);
    }
    bool done = own ? own->run(stage, args, error) : command->run(session, args, error);
    if (changes && done)
        history_add(&seat->history, stage->demo, before);
    else if (changes)
        snapshot_free(stage->demo, &before);
    if (done && trace == TRACE_SCENE)
        note_in_journal(seat, whole);
    if (changes && was_on_its_way)
        seat_set_out(seat);
    log_command(session, whole, trace, done);
    if (stage->report.len) {
        buf_puts(&session->report, stage->report.at);
        buf_free(&stage->report);
    }
    return done;
}

/* Copies the part of *LINE before the next ';' outside quotes and moves *LINE behind it. An apostrophe within
 * a word opens none. */
static void take_part(const char **line, char *part, size_t size)
{
    char quote = '\0', before = ' ';
    size_t n = 0;
    while (**line && (quote || **line != ';')) {
        char c = *(*line)++;
        bool opens = !quote && (c == '"' || (c == '\'' && (before == ' ' || before == '\t')));
        quote = quote == c ? '\0' : opens ? c : quote;
        before = c;
        if (n + 1 < size)
            part[n++] = c;
    }
    while (n > 0 && (part[n - 1] == ' ' || part[n - 1] == '\t'))
        n--;
    part[n] = '\0';
    if (**line == ';')
        ++*line;
}

/* A short report is said in the status line, a long one gets a window. */
static void show_report(struct session *session)
{
    if (!session->interactive || session->report.len == 0)
        return;
    const char *line_end = strchr(session->report.at, '\n');
    if (line_end && line_end[1]) {
        session->overlay = OVERLAY_REPORT;
        session->overlay_at = 0;
    } else {
        session_say(session, "%.*s", (int)strcspn(session->report.at, "\n"), session->report.at);
    }
}

bool session_knows(const struct session *session, const char *line, struct error *error)
{
    char part[PROMPT_MAX], name[64];
    while (*line) {
        take_part(&line, part, sizeof part);
        const char *args = part + strspn(part, " \t");
        if (!*args)
            continue;
        take_word(&args, name, sizeof name);
        bool is_known = find_command(name) != NULL;
        for (size_t i = 0; i < n_demos && !is_known; i++)
            is_known = find_demo_command(demos[i], name) != NULL;
        if (!is_known)
            return unknown_command(session_stage(session)->demo, name, error);
    }
    return true;
}

bool session_command(struct session *session, const char *line, struct error *error)
{
    char part[PROMPT_MAX];
    buf_free(&session->report);
    session->message[0] = '\0';
    session->is_new = false;
    session->dirty = true;
    if (strlen(line) >= sizeof part)
        return error_set(error, STATUS_USAGE, _("a command has at most %d bytes"), PROMPT_MAX - 1);
    while (*line && !session->over) {
        take_part(&line, part, sizeof part);
        if (!run_one(session, part, error))
            return false;
        /* What follows in the same line means the state after this part; keys typed ahead mean the next step.
         */
        if (*line || !session->interactive)
            session_arrive(session);
        else
            session_advance(session);
    }
    show_report(session);
    return true;
}
