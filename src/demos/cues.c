/* Two cues of attention: what stands out by itself, and what one is looking for. */
#include "demos/demo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/lang.h"
#include "data/number.h"
#include "demos/curves.h"
#include "demos/items_view.h"
#include "demos/layout.h"
#include "demos/tensors.h"
#include "demos/torch_script.h"
#include "draw/plot.h"
#include "engine/mem.h"
#include "engine/softmax.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

enum { P_INTENT, P_STRENGTH };

enum { INTENT_NONE, INTENT_COFFEE, INTENT_READ, INTENTS };

static const char *const intents[] = {
    [INTENT_NONE] = "none", [INTENT_COFFEE] = "coffee", [INTENT_READ] = "read", [INTENTS] = NULL};

enum { STRENGTH_MOST = 10 };

static const struct param params[] = {
    [P_INTENT] = {.name = "intent",
                  .label = N_("looking for"),
                  .kind = PARAM_CHOICE,
                  .choices = intents,
                  .initial = "none",
                  .unit = "",
                  .help = N_("what one wants: nothing, a coffee, or something to read")},
    [P_STRENGTH] = {.name = "strength",
                    .label = N_("how much"),
                    .kind = PARAM_REAL,
                    .lo = 0,
                    .hi = STRENGTH_MOST,
                    .step = 0.1,
                    .steps = STEPS_LINEAR,
                    .initial = "3",
                    .unit = "",
                    .leads_selection = true,
                    .help = N_("how much a match with the intention adds to the score")},
};

/* What lies on the desk: all of paper is black and white, only the cup is red. */
static const struct {
    const char *name;
    double saliency;
    double match[INTENTS];
} things[] = {
    {N_("newspaper"), 0.5, {0, 0, 0.6}},  {N_("paper"), 0.2, {0, 0, 0.3}},
    {N_("red coffee cup"), 2, {0, 1, 0}}, {N_("notebook"), 0.4, {0, 0, 0.4}},
    {N_("book"), 0.6, {0, 0, 1}},
};
enum { THINGS = ALEN(things) };

struct cues {
    size_t at; /* the selected thing */
    double saliency[THINGS], match[THINGS], score[THINGS], weight[THINGS];
    size_t winner;
};

static struct cues *state_of(const struct stage *stage)
{
    return stage->state;
}

static int intent_of(const struct stage *stage)
{
    return (int)stage->values[P_INTENT].number;
}

static double strength_of(const struct stage *stage)
{
    return stage->values[P_STRENGTH].number;
}

static size_t largest(const double *v)
{
    size_t best = 0;
    for (size_t i = 1; i < THINGS; i++)
        best = v[i] > v[best] ? i : best;
    return best;
}

static void weigh(int intent, double strength, double score[THINGS], double weight[THINGS])
{
    for (size_t i = 0; i < THINGS; i++)
        score[i] = things[i].saliency + strength * things[i].match[intent];
    softmax_row(score, THINGS, THINGS, weight);
}

static void compute(struct stage *stage)
{
    struct cues *c = state_of(stage);
    for (size_t i = 0; i < THINGS; i++) {
        c->saliency[i] = things[i].saliency;
        c->match[i] = things[i].match[intent_of(stage)];
    }
    weigh(intent_of(stage), strength_of(stage), c->score, c->weight);
    c->winner = largest(c->weight);
}

/* The strength from which on another thing than the most salient has the largest score; NaN if there is none.
 */
static double turning_point(const struct cues *c)
{
    size_t salient = largest(c->saliency);
    double first = (double)NAN;
    for (size_t i = 0; i < THINGS; i++) {
        double lead = c->saliency[salient] - c->saliency[i], gain = c->match[i] - c->match[salient];
        if (gain > 0)
            first = fmin(first, lead / gain); /* fmin leaves NaN out */
    }
    return first;
}

static bool cues_open(struct stage *stage, struct error *error)
{
    (void)error;
    stage->state = mem_new(1, sizeof(struct cues));
    compute(stage);
    state_of(stage)->at = state_of(stage)->winner;
    return true;
}

static void *cues_copy(const void *state)
{
    return mem_copy(state, 1, sizeof(struct cues));
}

/* The selection follows the winner: that is where one looks. */
static bool cues_apply(struct stage *stage, size_t changed, const struct value *old, struct error *error)
{
    struct cues *c = state_of(stage);
    size_t before = c->winner;
    (void)changed;
    (void)old;
    (void)error;
    compute(stage);
    if (c->winner != before)
        c->at = c->winner;
    return true;
}

static void move_item(struct stage *stage, int dx, int dy)
{
    struct cues *c = state_of(stage);
    c->at = index_moved(c->at, dx + dy, THINGS);
}

static bool cues_select(struct stage *stage, long row, long column, struct error *error)
{
    (void)column;
    return items_select(&state_of(stage)->at, THINGS, row, error);
}

/* ---- tables */

static struct table table_items(const struct stage *stage)
{
    const struct cues *c = state_of(stage);
    struct table table = table_new(THINGS);
    size_t item = table_add_texts(&table, "item");
    double *saliency = table_add_numbers(&table, "saliency"), *match = table_add_numbers(&table, "match"),
           *score = table_add_numbers(&table, "score"), *weight = table_add_numbers(&table, "weight");
    for (size_t i = 0; i < THINGS; i++) {
        table_set_text(&table, item, i, things[i].name);
        saliency[i] = c->saliency[i];
        match[i] = c->match[i];
        score[i] = c->score[i];
        weight[i] = c->weight[i];
    }
    return table;
}

static const struct demo_table cues_tables[] = {
    {"items", N_("saliency, match with the intention, score and weight of each thing"), table_items},
};

/* ---- panes */

enum {
    PANE_DESK = LAYOUT_ITEMS,
    PANE_STRENGTH = LAYOUT_PLOT,
    PANE_ITEM = LAYOUT_ITEM,
    PANE_PARAMETERS = LAYOUT_PARAMETERS,
};

static void name_thing(const void *context, size_t i, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "%s", _(things[i].name));
}

static void desk_figure(const struct stage *stage, struct area corner)
{
    const struct cues *c = state_of(stage);
    char text[128], part[NUMBER_TEXT];
    snprintf(text, sizeof text, _("the %s wins: %s %%"), _(things[c->winner].name),
             number_show(part, 100 * c->weight[c->winner], 3, 6));
    figure_text(corner, text);
}

static void desk_draw(const struct stage *stage, struct area inside)
{
    const struct cues *c = state_of(stage);
    double none = (double)NAN;
    const struct items_column columns[] = {
        {_("saliency"), c->saliency, 0, ROLE_DATA, none, true},
        {_("match"), c->match, 0, ROLE_TRUTH, none, true},
        {_("score"), c->score, 0, ROLE_TEXT, none, false},
        {_("weight"), c->weight, 1, ROLE_ACCENT, 1, false},
    };
    items_view_draw(inside, &(struct items_view){
                                .n = THINGS,
                                .name = name_thing,
                                .name_title = _("on the desk"),
                                .column = columns,
                                .n_columns = ALEN(columns),
                                .at = c->at,
                            });
}

/* The thing that the intention favours most; the winner where there is no intention. */
static size_t favourite(const struct cues *c)
{
    size_t best = largest(c->match);
    return c->match[best] > 0 ? best : c->winner;
}

/* "cup" of "red coffee cup". */
static const char *last_word(const char *name)
{
    const char *blank = strrchr(name, ' ');
    return blank ? blank + 1 : name;
}

static void strength_figure(const struct stage *stage, struct area corner)
{
    const struct cues *c = state_of(stage);
    size_t salient = largest(c->saliency), wanted = favourite(c);
    size_t n = wanted == salient ? 1 : 2;
    struct legend legend[] = {
        {ROLE_ACCENT, 0x2501, _(things[salient].name)},
        {ROLE_TRUTH, 0x2501, _(things[wanted].name)},
    };
    for (size_t i = 0; i < n && legend_columns(legend, n) > corner.cols; i++)
        legend[i].text = last_word(legend[i].text);
    legend_figure(corner, legend, n);
}

/* How the weights of the most salient and the most wanted thing change with the strength of the intention. */
static void strength_draw(const struct stage *stage, struct area inside)
{
    enum { STEPS = 200 };
    const struct cues *c = state_of(stage);
    const struct look *look = inside.look;
    size_t salient = largest(c->saliency), wanted = favourite(c);
    double strength[STEPS + 1], cup[STEPS + 1], other[STEPS + 1];
    struct axis x = {.lo = 0, .hi = STRENGTH_MOST, .label = _("strength")}, y = {.lo = 0, .hi = 1};
    for (int i = 0; i <= STEPS; i++) {
        double score[THINGS], weight[THINGS];
        strength[i] = (double)STRENGTH_MOST * i / STEPS;
        weigh(intent_of(stage), strength[i], score, weight);
        cup[i] = weight[salient];
        other[i] = weight[wanted];
    }
    struct plot plot = plot_begin(inside, &x, &y);
    plot_vertical(&plot, strength_of(stage), look_pen(look, ROLE_SELECT));
    plot_line(&plot, strength, cup, STEPS + 1, LINE_PLAIN, look_pen(look, ROLE_ACCENT));
    if (wanted != salient)
        plot_line(&plot, strength, other, STEPS + 1, LINE_PLAIN, look_pen(look, ROLE_TRUTH));
    plot_end(&plot);
    plot_point(&plot, strength_of(stage), c->weight[salient], look_pen(look, ROLE_SELECT), 0x25cf);
    plot_point(&plot, strength_of(stage), c->weight[wanted], look_pen(look, ROLE_SELECT), 0x25cf);
}

static void item_figure(const struct stage *stage, struct area corner)
{
    figure_text(corner, _(things[state_of(stage)->at].name));
}

static void item_draw(const struct stage *stage, struct area inside)
{
    const struct cues *c = state_of(stage);
    size_t i = c->at;
    char a[NUMBER_TEXT], b[NUMBER_TEXT], d[NUMBER_TEXT], s[NUMBER_TEXT], e[NUMBER_TEXT], total[NUMBER_TEXT];
    double sum = 0;
    for (size_t k = 0; k < THINGS; k++)
        sum += exp(c->score[k] - c->score[c->winner]);
    struct pen text = look_pen(inside.look, ROLE_TEXT), strong = look_pen(inside.look, ROLE_SELECT);
    area_textf(inside, 0, 0, text, "s = %s + %s \u00b7 %s = %s", items_number(a, c->saliency[i]),
               items_number(b, strength_of(stage)), items_number(d, c->match[i]),
               items_number(s, c->score[i]));
    area_textf(inside, 0, 1, text, "exp(s \u2212 max s) = exp(%s \u2212 %s) = %s", s,
               items_number(a, c->score[c->winner]), items_number(e, exp(c->score[i] - c->score[c->winner])));
    area_textf(inside, 0, 2, text, "\u03a3 exp(s \u2212 max s) = %s", items_number(total, sum));
    area_textf(inside, 0, 3, strong, "\u03b1 = %s / %s = %s", e, total, items_number(a, c->weight[i]));
}

static const struct pane panes[] = {
    [PANE_DESK] = {"desk", N_("attention"), desk_figure, desk_draw, move_item,
                   N_("what lies on the desk: how much each thing stands out, whether it is looked for, and "
                      "its weight")},
    [PANE_STRENGTH] =
        {"strength", N_("over strength"), strength_figure, strength_draw, move_item,
         N_("the weights of what stands out most and of what is wanted most as the intention grows "
            "stronger; \u25cf the strength now")},
    [PANE_ITEM] = {"item", N_("this weight"), item_figure, item_draw, move_item,
                   N_("the arithmetic of the chosen thing's weight, written out")},
    [PANE_PARAMETERS] = {"parameters", N_("parameters"), NULL, panel_draw, move_item, PANEL_HELP},
};

static void cues_layout(const struct stage *stage, struct area a, struct area out[PANES_MAX])
{
    if (layout_room(a) == ROOM_SMALL) {
        size_t main = stage->focus == PANE_PARAMETERS ? PANE_DESK : stage->focus;
        if (a.rows >= 13)
            out[PANE_PARAMETERS] = area_cut_bottom(&a, 4);
        out[main] = a;
        return;
    }
    layout_items(a, THINGS, 4, out);
}

/* ---- words */

static void cues_formula(const struct stage *stage, struct area line)
{
    const struct cues *c = state_of(stage);
    char s[NUMBER_TEXT], a[NUMBER_TEXT];
    struct pen strong = look_pen_bold(line.look, ROLE_SELECT);
    int x = area_textf(line, 0, 0, look_pen(line.look, ROLE_TEXT), "\u03b1 = softmax(%s + %s \u00b7 %s)",
                       _("saliency"), items_number(s, strength_of(stage)), _("match")) +
            3;
    area_textf(line, x, 0, strong, "\u03b1(%s) = %s", _(things[c->at].name),
               items_number(a, c->weight[c->at]));
}

static enum role cues_remark(const struct stage *stage, char *out, size_t size)
{
    const struct cues *c = state_of(stage);
    size_t salient = largest(c->saliency);
    const char *winner = _(things[c->winner].name), *cup = _(things[salient].name);
    double turn = turning_point(c);
    char part[NUMBER_TEXT], at[NUMBER_TEXT];
    number_show(part, 100 * c->weight[c->winner], 3, 6);
    items_number(at, turn);
    if (intent_of(stage) == INTENT_NONE)
        snprintf(out, size, _("Nothing is looked for: the %s stands out and wins with %s %%."), cup, part);
    else if (isnan(turn))
        snprintf(out, size, _("What stands out is what is looked for: the %s wins with %s %%."), winner,
                 part);
    else if (c->winner == salient)
        snprintf(out, size, _("Too weak a wish: the %s wins. Above strength %s the %s does."), cup, at,
                 _(things[favourite(c)].name));
    else
        snprintf(out, size, _("The %s no longer wins: from strength %s on the %s does."), cup, at, winner);
    return c->winner == salient ? ROLE_DIM : ROLE_TRUTH;
}

/* ---- the script */

static void cues_torch(const struct stage *stage, struct buf *out)
{
    const struct cues *c = state_of(stage);
    const size_t n = THINGS;
    buf_puts(out, "items = [");
    for (size_t i = 0; i < THINGS; i++) {
        buf_puts(out, i > 0 ? ", " : "");
        torch_text(things[i].name, out);
    }
    buf_puts(out, "]\n");
    torch_tensor("saliency", c->saliency, &n, 1, out);
    buf_printf(out, "# How well each matches what one is looking for: %s.\n", intents[intent_of(stage)]);
    torch_tensor("match", c->match, &n, 1, out);
    buf_puts(out, "strength = ");
    torch_number(strength_of(stage), out);
    buf_puts(out,
             "\n\nscores = saliency + strength * match\n"
             "attention_weights = torch.softmax(scores, dim=0)\n\n"
             "tables = {\n"
             "    \"items\": {\"item\": items, \"saliency\": saliency, \"match\": match, \"score\": scores,\n"
             "              \"weight\": attention_weights},\n"
             "}\n");
}

const struct demo demo_cues = {
    .name = "cues",
    .title = N_("what stands out, and what is looked for"),
    .summary = N_("a red cup among papers: saliency against intention"),
    .params = params,
    .n_params = ALEN(params),
    .panes = panes,
    .n_panes = ALEN(panes),
    .tables = cues_tables,
    .n_tables = ALEN(cues_tables),
    .open = cues_open,
    .copy = cues_copy,
    .restored = compute,
    .discard = free,
    .apply = cues_apply,
    .select = cues_select,
    .layout = cues_layout,
    .formula = cues_formula,
    .remark = cues_remark,
    .torch = cues_torch,
};
