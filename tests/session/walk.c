#include "walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

size_t walk_roll(struct walk_dice *dice, size_t sides)
{
    dice->state = dice->state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(dice->state >> 33) % sides;
}

static void set_something(const struct demo *demo, struct walk_dice *dice, char *line, size_t size)
{
    const struct param *p = &demo->params[walk_roll(dice, demo->n_params)];
    double part = (double)walk_roll(dice, 1000) / 999;
    double lo = p->usual_hi > p->usual_lo ? p->usual_lo : p->lo,
           hi = p->usual_hi > p->usual_lo ? p->usual_hi : p->hi;
    size_t n = 0;
    switch (p->kind) {
    case PARAM_REAL:
        snprintf(line, size, "set %s %.17g", p->name, hi > 1e6 ? part * 5 : lo + (hi - lo) * part);
        break;
    case PARAM_INTEGER:
        snprintf(line, size, "set %s %.0f", p->name, lo + (hi > 60 ? 60 - lo : hi - lo) * part);
        break;
    case PARAM_SEED:
        snprintf(line, size, "set %s %zu", p->name, walk_roll(dice, 1000));
        break;
    case PARAM_CHOICE:
        while (p->choices[n])
            n++;
        snprintf(line, size, "set %s %s", p->name, p->choices[walk_roll(dice, n)]);
        break;
    case PARAM_LIST:
        snprintf(line, size, walk_roll(dice, 2) ? "set %s %zu,%zu" : "set %s %zu/%zu", p->name,
                 walk_roll(dice, 4), walk_roll(dice, 4));
        break;
    case PARAM_TEXT:
        snprintf(line, size, "set %s %zu", p->name, 1 + walk_roll(dice, 3));
        break;
    }
}

void walk_choose(const struct demo *demo, struct walk_dice *dice, char *line, size_t size)
{
    static const char *const plain[] = {
        "step",
        "step",
        "step 3",
        "back",
        "back 2",
        "run",
        "first",
        "last",
        "reset",
        "reseed",
        "play",
        "pause",
        "toggle",
        "adjust 1",
        "adjust 1",
        "adjust -1",
        "adjust 10",
        "adjust -10",
        "nudge 1",
        "nudge -1",
        "nudge 3",
        "move 1 0",
        "move 1 0",
        "move -1 0",
        "move 0 1",
        "move 0 -1",
        "move 0 1",
        "param next",
        "param prev",
        "focus next",
        "zoom",
        "theme next",
        "lang next",
        "pace 0.25",
        "pace 0.6",
        "select 1 1",
        "select 2",
        "param next",
        "help",
        "focus prev",
        "focus next",
        "colormap next",
        "focus next",
        "step 2; back",
        "point add",
        "point delete",
        "point shift 1 -1",
        "point shift -1 1",
        "undo",
        "undo",
        "redo",
    };
    size_t kind = walk_roll(dice, 10);
    /* The runs of scale are large, and undo leaves it to you to compute them again. */
    size_t n = sizeof plain / sizeof *plain - (strcmp(demo->name, "scale") == 0 ? 3 : 0);
    if (kind < 2)
        set_something(demo, dice, line, size);
    else if (kind == 2 && demo->n_commands > 0)
        snprintf(line, size, "%s", demo->commands[walk_roll(dice, demo->n_commands)].name);
    else
        snprintf(line, size, "%s", plain[walk_roll(dice, n)]);
}

struct session *walk_open(const char *demo, const char *file, bool interactive, FILE *log)
{
    struct session_options options = {.demo = demo, .file = file, .interactive = interactive, .log = log};
    struct error error = {0};
    if (!look_make(&options.look, THEME_DARK, "reds", NULL, &error))
        fail_msg("%s", error.text);
    struct session *session = session_new(&options, &error);
    if (!session)
        fail_msg("%s", error.text);
    return session;
}
