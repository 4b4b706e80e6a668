#include "session/keys.h"

#include <stdio.h>
#include <string.h>

#include "data/lang.h"
#include "demos/demo.h"
#include "session/session.h"
#include "session/state.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

/* clang-format off */
const struct key_binding key_bindings[] = {
    {"space",     "toggle",     N_("play"),    N_("play or pause"),                             KEY_TIMELINE, 1, N_("space")},
    {"n .",       "step",       N_("step"),    N_("one step forward"),                          KEY_TIMELINE, 2, "n p"},
    {"p ,",       "back",       N_("back"),    N_("one step back"),                             KEY_TIMELINE, 0, NULL},
    {"Left",      "adjust -1",  N_("change"),  N_("lower the selected parameter"),              KEY_ALWAYS,   3, "\u2190\u2192"},
    {"Right",     "adjust 1",   N_("change"),  N_("raise the selected parameter"),              KEY_ALWAYS,   0, NULL},
    {"S-Left",    "adjust -10", N_("change"),  N_("lower it ten steps at once"),                KEY_ALWAYS,   0, NULL},
    {"S-Right",   "adjust 10",  N_("change"),  N_("raise it ten steps at once"),                KEY_ALWAYS,   0, NULL},
    {"Tab",       "param next", N_("next"),    N_("select the next parameter"),                 KEY_ALWAYS,   7, NULL},
    {"S-Tab",     "param prev", N_("previous"),N_("select the parameter before"),               KEY_ALWAYS,   0, NULL},
    {"Enter",     "",           N_("type"),    N_("type a value for the selected parameter"),   KEY_ALWAYS,   12, NULL},
    {"Up k",      "move 0 -1",  N_("select"),  N_("move the selection up"),                     KEY_SELECT,   8, "\u2191\u2193"},
    {"Down j",    "move 0 1",   N_("select"),  N_("move the selection down"),                   KEY_SELECT,   0, NULL},
    {"h",         "move -1 0",  N_("select"),  N_("move the selection left"),                   KEY_SELECT,   0, NULL},
    {"l",         "move 1 0",   N_("select"),  N_("move the selection right"),                  KEY_SELECT,   0, NULL},
    {"-",         "nudge -1",   N_("change"),  N_("lower the selected number"),                 KEY_NUDGE,    9, "+ -"},
    {"+ =",       "nudge 1",    N_("change"),  N_("raise the selected number"),                 KEY_NUDGE,    0, NULL},
    {"o",         "open",       N_("open"),    N_("open the step and go through it part by part"), KEY_OPEN,  11, NULL},
    {"a",         "point add",  N_("add"),     N_("add a point at the query, with the value that it gets"), KEY_POINT, 23, NULL},
    {"x",         "point delete", N_("delete"), N_("delete the point nearest to the query"),    KEY_POINT,   24, NULL},
    {"C-Up",      "point shift 0 1", N_("drag"), N_("move the point nearest to the query up"),  KEY_POINT,   25, "C-\u2190\u2191\u2192\u2193"},
    {"C-Down",    "point shift 0 -1", N_("drag"), N_("move it down"),                           KEY_POINT,    0, NULL},
    {"C-Left",    "point shift -1 0", N_("drag"), N_("move it left"),                           KEY_POINT,    0, NULL},
    {"C-Right",   "point shift 1 0", N_("drag"), N_("move it right"),                           KEY_POINT,    0, NULL},
    {"r",         "reset",      N_("reset"),   N_("back to the start of the same run"),         KEY_RESET,   13, NULL},
    {"R",         "reseed",     N_("reseed"),  N_("draw new data (the next seed)"),             KEY_SEED,    16, NULL},
    {"Home",      "first",      N_("first"),   N_("the first epoch"),                           KEY_TIMELINE, 0, NULL},
    {"End",       "last",       N_("last"),    N_("the last epoch reached so far"),             KEY_TIMELINE, 0, NULL},
    {"z",         "zoom",       N_("zoom"),    N_("let the focused pane fill the screen"),      KEY_ALWAYS,  14, NULL},
    {"f",         "focus next", N_("focus"),   N_("focus the next pane"),                       KEY_ALWAYS,  15, NULL},
    {"1 2 3 4 5 6 7 8 9", "focus", N_("focus"), N_("focus a pane by its number"),               KEY_ALWAYS,   0, "1\u20269"},
    {"]",         "demo next",  N_("demo"),    N_("the next demo"),                             KEY_ALWAYS,  17, "[ ]"},
    {"[",         "demo prev",  N_("demo"),    N_("the demo before"),                           KEY_ALWAYS,   0, NULL},
    {"g",         "demos",      N_("demos"),   N_("list of demos"),                             KEY_ALWAYS,  4, NULL},
    {"u",         "undo",       N_("undo"),    N_("undo"),                                      KEY_ALWAYS,  18, NULL},
    {"C-r",       "redo",       N_("redo"),    N_("redo what was undone"),                      KEY_ALWAYS,   0, NULL},
    {"c",         "colormap next", N_("colours"), N_("the next colormap"),                      KEY_ALWAYS,  19, NULL},
    {"L",         "lang next",  "\u4e2d\u6587/English", N_("change the language"),              KEY_ALWAYS,  20, NULL},
    {"t",         "theme next", N_("theme"),   N_("dark or light"),                             KEY_ALWAYS,  21, NULL},
    {"s",         "export svg", N_("save"),    N_("save a picture of the screen"),              KEY_ALWAYS,  22, NULL},
    {":",         "",           N_("command"), N_("type a command"),                            KEY_ALWAYS,  6, NULL},
    {"?",         "help",       N_("help"),    N_("this help"),                                 KEY_ALWAYS,   5, NULL},
    {"Esc",       "",           N_("leave"),   N_("leave the prompt, a list, the opened step or the zoom"), KEY_ALWAYS, 0, NULL},
    {"q",         "quit",       N_("quit"),    N_("quit"),                                      KEY_ALWAYS,   10, NULL},
};
/* clang-format on */
const size_t n_key_bindings = ALEN(key_bindings);

static bool has_command(const struct demo *demo, const char *name)
{
    for (size_t i = 0; i < demo->n_commands; i++)
        if (strcmp(demo->commands[i].name, name) == 0)
            return true;
    return false;
}

static bool has_selection(const struct demo *demo)
{
    for (size_t i = 0; i < demo->n_panes; i++)
        if (demo->panes[i].select)
            return true;
    return false;
}

bool key_is_used(const struct demo *demo, enum key_use use)
{
    switch (use) {
    case KEY_TIMELINE:
        return demo->position != NULL;
    case KEY_RESET:
        return demo->reset != NULL;
    case KEY_SEED:
        return param_find(demo->params, demo->n_params, "seed") < demo->n_params;
    case KEY_SELECT:
        return has_selection(demo);
    case KEY_NUDGE:
        return demo->nudge != NULL;
    case KEY_POINT:
        return has_command(demo, "point");
    case KEY_OPEN:
        return has_command(demo, "open");
    case KEY_ALWAYS:
        break;
    }
    return true;
}

/* A seed that is idle draws nothing, and to change it is refused. */
static bool has_idle_seed(const struct stage *stage)
{
    const struct demo *demo = stage->demo;
    return demo->is_idle && demo->is_idle(stage, param_find(demo->params, demo->n_params, "seed"));
}

bool key_applies(const struct stage *stage, const struct key_binding *binding)
{
    if (!key_is_used(stage->demo, binding->use))
        return false;
    if (binding->use == KEY_SEED)
        return !has_idle_seed(stage);
    return binding->use != KEY_SELECT || stage->demo->panes[stage->focus].select;
}

/* True if KEY is one of the names in the blank-separated list KEYS. */
static bool is_among(const char *keys, const char *key)
{
    size_t n = strlen(key);
    for (const char *at = keys; *at;) {
        size_t len = strcspn(at, " ");
        if (len == n && memcmp(at, key, n) == 0)
            return true;
        at += len;
        at += strspn(at, " ");
    }
    return false;
}

const struct key_binding *key_find(const struct stage *stage, const char *key)
{
    for (size_t i = 0; i < n_key_bindings; i++)
        if (is_among(key_bindings[i].keys, key) && key_applies(stage, &key_bindings[i]))
            return &key_bindings[i];
    return NULL;
}

/* Why KEY, which has no meaning now, has none: of the demo, or of the focused pane. */
static void explain_idle_key(struct session *session, const char *key)
{
    static const char *const reasons[] = {
        [KEY_TIMELINE] = N_("there is nothing to step through"),
        [KEY_RESET] = N_("there is nothing to reset"),
        [KEY_SEED] = N_("nothing is drawn at random"),
        [KEY_SELECT] = N_("there is nothing to select"),
        [KEY_NUDGE] = N_("there is no number to nudge"),
        [KEY_POINT] = N_("there are no points to edit"),
        [KEY_OPEN] = N_("there is no step to open"),
    };
    const struct stage *stage = session_on_stage(session);
    for (size_t i = 0; i < n_key_bindings; i++) {
        if (!is_among(key_bindings[i].keys, key))
            continue;
        bool is_of_pane = key_bindings[i].use == KEY_SELECT;
        const char *what = is_of_pane ? _(stage->demo->panes[stage->focus].title) : stage->demo->name;
        session_say(session, "%s: %s", what, _(reasons[key_bindings[i].use]));
        return;
    }
}

/* ---- what the keyboard does by itself */

void session_run_line(struct session *session, const char *line)
{
    struct error error;
    if (!session_command(session, line, &error))
        session_fail(session, &error);
}

static void enter_prompt(struct session *session, const char *key)
{
    if (prompt_key(&session->prompt, session_on_stage(session), key) != PROMPT_ENTERED)
        return;
    char line[PROMPT_MAX];
    memcpy(line, session->prompt.text, sizeof line);
    session_run_line(session, line);
}

static void type_value(struct session *session)
{
    struct stage *stage = session_on_stage(session);
    const struct param *p = &stage->demo->params[stage->param];
    struct prompt *prompt = &session->prompt;
    char start[PROMPT_MAX];
    struct buf value = {0}, range = {0};
    snprintf(start, sizeof start, "set %s ", p->name);
    prompt_open(prompt, start);
    param_format(p, &stage->values[stage->param], &value);
    param_range(p, &range);
    snprintf(prompt->note, sizeof prompt->note, _("now %s; %s"), value.len ? value.at : _("empty"), range.at);
    buf_free(&value);
    buf_free(&range);
}

static void escape(struct session *session)
{
    struct stage *stage = session_on_stage(session);
    session->message[0] = '\0';
    if (has_command(stage->demo, "close"))
        session_run_line(session, "close");
    if (stage->zoomed)
        session_run_line(session, "zoom");
}

void session_key(struct session *session, const char *key)
{
    session->dirty = session->owes_picture = true;
    session->is_new = session->asks_param = false;
    if (session->is_loading) {
        session->over |= session->is_opening && (strcmp(key, "Esc") == 0 || strcmp(key, "q") == 0);
        session->stops_loading |= session->over || strcmp(key, "Esc") == 0;
        return;
    }
    if (session->prompt.is_open) {
        enter_prompt(session, key);
        return;
    }
    if (overlay_key(session, key))
        return;
    if (session->replay.text && strcmp(key, "Esc") == 0) {
        replay_stop(&session->replay);
        return;
    }
    const struct key_binding *binding = key_find(session_on_stage(session), key);
    if (strcmp(key, ":") == 0)
        prompt_open(&session->prompt, "");
    else if (strcmp(key, "Enter") == 0)
        type_value(session);
    else if (strcmp(key, "Esc") == 0)
        escape(session);
    else if (binding && strcmp(binding->command, "focus") == 0)
        session_run_line(session, (char[]){'f', 'o', 'c', 'u', 's', ' ', key[0], '\0'});
    else if (binding)
        session_run_line(session, binding->command);
    else
        explain_idle_key(session, key);
}

void session_paste(struct session *session, const char *text)
{
    if (!session->prompt.is_open)
        return;
    prompt_insert(&session->prompt, text);
    session->dirty = true;
}
