#include "session/journal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/mem.h"

static char *copy_text(const char *text)
{
    return mem_copy(text, strlen(text) + 1, 1);
}

/* ---- the timeline */

size_t track_follow(struct track *track, const struct stage *stage, char line[TRACK_LINES][TRACK_LINE])
{
    size_t n = 0;
    if (!stage->demo->position)
        return 0;
    size_t position = stage->demo->position(stage), known = stage->demo->known(stage);
    if (known > track->known && known > track->position) {
        snprintf(line[n++], TRACK_LINE, "step %zu", known - track->position);
        track->position = known;
    }
    if (position > track->position)
        snprintf(line[n++], TRACK_LINE, "step %zu", position - track->position);
    else if (position < track->position)
        snprintf(line[n++], TRACK_LINE, "back %zu", track->position - position);
    *track = (struct track){.position = position, .known = known};
    return n;
}

void track_meet(struct track *track, const struct stage *stage)
{
    if (stage->demo->position)
        *track = (struct track){.position = stage->demo->position(stage), .known = stage->demo->known(stage)};
}

/* ---- lines */

static void add(struct journal *journal, const char *line)
{
    if (journal->n == journal->capacity) {
        journal->capacity = journal->capacity ? 2 * journal->capacity : 16;
        journal->line = mem_grow(journal->line, journal->capacity, sizeof *journal->line);
    }
    journal->line[journal->n++] = copy_text(line);
    free(journal->replaced);
    journal->replaced = NULL;
}

static const char *last_line(const struct journal *journal)
{
    return journal->n > 0 ? journal->line[journal->n - 1] : "";
}

static void replace_last(struct journal *journal, const char *line)
{
    free(journal->line[journal->n - 1]);
    journal->line[journal->n - 1] = copy_text(line);
}

/* Adds "VERB COUNT", to the last line if it is of that kind. */
static void add_motion(struct journal *journal, const char *line)
{
    char merged[TRACK_LINE];
    size_t verb = strcspn(line, " "), before, more;
    if (strncmp(last_line(journal), line, verb + 1) == 0 &&
        sscanf(last_line(journal) + verb, "%zu", &before) == 1 && sscanf(line + verb, "%zu", &more) == 1) {
        snprintf(merged, sizeof merged, "%.*s %zu", (int)verb, line, before + more);
        replace_last(journal, merged);
    } else {
        add(journal, line);
    }
}

static bool same_way(long a, long b)
{
    return (a > 0) - (a < 0) == (b > 0) - (b < 0);
}

/* Moves in one direction add up: what stops at an edge does so whether one by one or at once. */
static bool merge_move(struct journal *journal, const char *line)
{
    long dx, dy, before_x, before_y;
    char merged[64];
    if (sscanf(line, "move %ld %ld", &dx, &dy) != 2 ||
        sscanf(last_line(journal), "move %ld %ld", &before_x, &before_y) != 2 || (dx && dy) ||
        !same_way(dx, before_x) || !same_way(dy, before_y))
        return false;
    snprintf(merged, sizeof merged, "move %ld %ld", dx + before_x, dy + before_y);
    replace_last(journal, merged);
    return true;
}

/* Esc closes whatever is open, and mostly nothing is. */
static bool closes_nothing(const struct journal *journal, const char *line)
{
    if (strcmp(line, "close") != 0)
        return false;
    for (size_t i = journal->n; i-- > 0 && strcmp(journal->line[i], "close") != 0;)
        if (strcmp(journal->line[i], "open") == 0)
            return false;
    return true;
}

void journal_line(struct journal *journal, const char *line)
{
    long row, column;
    /* A row alone keeps the column that the line before chose. */
    bool repeats_select =
        sscanf(line, "select %ld %ld", &row, &column) == 2 && strncmp(last_line(journal), line, 7) == 0;
    if (closes_nothing(journal, line) || merge_move(journal, line))
        return;
    if (repeats_select)
        replace_last(journal, line);
    else
        add(journal, line);
}

void journal_follow(struct journal *journal, const struct stage *stage)
{
    char line[TRACK_LINES][TRACK_LINE];
    size_t n = track_follow(&journal->track, stage, line);
    for (size_t i = 0; i < n; i++)
        add_motion(journal, line[i]);
}

void journal_blocked(struct journal *journal, const struct stage *stage)
{
    journal_follow(journal, stage);
    if (strcmp(last_line(journal), "step") != 0)
        add(journal, "step");
}

void journal_focus(struct journal *journal, const struct stage *stage)
{
    char line[128];
    if (journal->focus == stage->focus)
        return;
    journal->focus = stage->focus;
    snprintf(line, sizeof line, "focus %s", stage->demo->panes[stage->focus].name);
    if (strncmp(last_line(journal), "focus ", 6) == 0)
        replace_last(journal, line);
    else
        add(journal, line);
}

/* ---- settings */

/* "set w 2" or "w=2". */
static char *setting(const char *verb, const struct param *p, char between, const struct value *value)
{
    struct buf text = {0}, line = {0};
    param_format(p, value, &text);
    buf_printf(&line, "%s%s%c%s", verb, p->name, between, text.at ? text.at : "");
    buf_free(&text);
    return line.at;
}

static bool same_value(const struct param *p, const struct value *a, const struct value *b)
{
    bool both_nan = isnan(a->number) && isnan(b->number);
    if (p->kind == PARAM_CHOICE || p->kind == PARAM_REAL || p->kind == PARAM_INTEGER)
        return both_nan || a->number == b->number;
    char *text = setting("", p, '=', a), *other = setting("", p, '=', b);
    bool same = strcmp(text, other) == 0;
    free(text);
    free(other);
    return same;
}

/* Whether no other parameter followed INDEX, but for those that the demo works out by itself (w). */
static bool changed_alone(const struct stage *stage, const struct value *before, size_t index)
{
    for (size_t i = 0; i < stage->demo->n_params; i++) {
        const struct param *p = &stage->demo->params[i];
        if (i != index && p->initial[0] && !same_value(p, &before[i], &stage->values[i]))
            return false;
    }
    return true;
}

void journal_set(struct journal *journal, const struct stage *stage, const struct value *before, size_t index,
                 const struct value *value)
{
    const struct param *p = &stage->demo->params[index];
    char *line = setting("set ", p, ' ', value), *replaced = setting("set ", p, ' ', &before[index]);
    size_t head = strlen("set ") + strlen(p->name) + 1;
    /* Whole numbers and choices shape what there is to select: the way they took shows in the selection. */
    bool is_free = (p->kind == PARAM_REAL || p->kind == PARAM_SEED) && !p->leads_selection;
    bool alone = is_free && changed_alone(stage, before, index);
    bool repeats = alone && journal->replaced && strncmp(last_line(journal), line, head) == 0;
    /* Back to where it was is not the same as never having left. */
    if (repeats && strcmp(journal->replaced, line) != 0) {
        replace_last(journal, line);
        free(replaced);
    } else {
        add(journal, line);
        journal->replaced = alone ? replaced : NULL;
        if (!alone)
            free(replaced);
    }
    free(line);
    track_meet(&journal->track, stage);
}

/* ---- beginning and end */

void journal_begin(struct journal *journal, const struct stage *stage, const char *file)
{
    journal_free(journal);
    journal->file = file ? copy_text(file) : NULL;
    journal->settings = mem_new(stage->demo->n_params, sizeof *journal->settings);
    for (size_t i = 0; i < stage->demo->n_params; i++)
        if (stage->values[i].given)
            journal->settings[journal->n_settings++] =
                setting("", &stage->demo->params[i], '=', &stage->values[i]);
}

static char **copy_lines(char *const *from, size_t n, size_t capacity)
{
    char **copy = mem_new(capacity, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = copy_text(from[i]);
    return copy;
}

struct journal journal_copy(const struct journal *from)
{
    struct journal copy = *from;
    copy.capacity = from->n;
    copy.line = copy_lines(from->line, from->n, from->n);
    copy.settings = copy_lines(from->settings, from->n_settings, from->n_settings);
    copy.file = from->file ? copy_text(from->file) : NULL;
    copy.replaced = from->replaced ? copy_text(from->replaced) : NULL;
    return copy;
}

static void free_lines(char **line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(line[i]);
    free(line);
}

void journal_free(struct journal *journal)
{
    free_lines(journal->line, journal->n);
    free_lines(journal->settings, journal->n_settings);
    free(journal->file);
    free(journal->replaced);
    *journal = (struct journal){0};
}
