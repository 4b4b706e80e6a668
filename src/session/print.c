#include "session/print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "data/lang.h"
#include "data/nearest.h"
#include "data/number.h"
#include "data/table.h"
#include "data/utf8.h"
#include "demos/demo.h"
#include "demos/torch_script.h"
#include "draw/frame.h"
#include "session/scene.h"
#include "session/session.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

enum { NAMES_MAX = 64 };

/* Frames */

/* Without COLORED the frame is drawn for no colours at all: what bears only characters must say in shades
 * what would else be said in colours. */
static void print_frame(struct session *session, const struct print_request *request, bool colored,
                        void (*write)(const struct frame *frame, const struct look *look, struct buf *out),
                        struct buf *out)
{
    const struct look usual = *session_look(session);
    struct look look = usual;
    struct frame frame = {0};

    if (!colored)
        look.depth = DEPTH_MONO;
    session_set_look(session, &look);
    frame_reset(&frame, request->cols, request->rows, look_pen(&look, ROLE_TEXT));
    session_draw(session, &frame);
    session_set_look(session, &usual);
    frame_degrade(&frame, &look);
    write(&frame, &look, out);
    frame_free(&frame);
}

static void write_text(const struct frame *frame, const struct look *look, struct buf *out)
{
    (void)look;
    frame_text(frame, out);
}

/* Numbers */

static const struct demo_table *find_table(const struct demo *demo, const char *name, struct error *error)
{
    const char *names[NAMES_MAX];
    char near[320];
    size_t n = 0;

    for (; n < demo->n_tables && n < NAMES_MAX; n++) {
        names[n] = demo->tables[n].name;
        if (!name || strcmp(name, names[n]) == 0)
            return &demo->tables[n];
    }
    error_set(error, STATUS_USAGE, _("%s has no table \"%s\"; %s"), demo->name, name ? name : "",
              nearest_hint(near, sizeof near, name ? name : "", names, n, _("see --list")));
    return NULL;
}

static bool print_csv(const struct session *session, const struct print_request *request, struct buf *out,
                      struct error *error)
{
    const struct stage *const stage = session_stage(session);
    const struct demo_table *const chosen = find_table(stage->demo, request->table, error);

    if (!chosen)
        return false;

    struct table table = chosen->make(stage);

    table_csv(&table, out);
    table_free(&table);
    return true;
}

static void json_number(double number, struct buf *out)
{
    char text[NUMBER_TEXT];

    buf_puts(out, isfinite(number) ? number_text(text, number) : "null");
}

/* A plain list is [2, 3]; one by rows [[1, 3], [2, 4]], as it was typed. */
static void json_list(const struct value *v, struct buf *out)
{
    const size_t n_row = v->n_rows > 0 ? v->n_list / v->n_rows : v->n_list;

    buf_puts(out, v->nested ? "[[" : "[");
    for (size_t i = 0; i < v->n_list; i++) {
        if (i > 0)
            buf_puts(out, v->nested && i % n_row == 0 ? "], [" : ", ");
        json_number(v->list[i], out);
    }
    buf_puts(out, v->nested ? "]]" : "]");
}

static void json_value(const struct param *p, const struct value *v, struct buf *out)
{
    switch (p->kind) {
    case PARAM_REAL:
    case PARAM_INTEGER:
        json_number(v->number, out);
        break;
    case PARAM_SEED:
        buf_printf(out, "%" PRIu64, v->seed);
        break;
    case PARAM_LIST:
        json_list(v, out);
        break;
    case PARAM_CHOICE:
        json_string(p->choices[(size_t)v->number], out);
        break;
    case PARAM_TEXT:
        json_string(v->text, out);
        break;
    }
}

static void json_key(const char *name, bool first, struct buf *out)
{
    buf_puts(out, first ? "\n    " : ",\n    ");
    json_string(name, out);
    buf_puts(out, ": ");
}

static bool print_json(const struct session *session, const struct print_request *request, struct buf *out,
                       struct error *error)
{
    const struct stage *const stage = session_stage(session);
    const struct demo *const demo = stage->demo;

    (void)request;
    (void)error;
    buf_puts(out, "{\n  \"demo\": ");
    json_string(demo->name, out);
    buf_puts(out, ",\n  \"params\": {");
    for (size_t i = 0; i < demo->n_params; i++) {
        json_key(demo->params[i].name, i == 0, out);
        json_value(&demo->params[i], &stage->values[i], out);
    }
    buf_puts(out, "\n  },\n  \"tables\": {");
    for (size_t i = 0; i < demo->n_tables; i++) {
        struct table table = demo->tables[i].make(stage);

        json_key(demo->tables[i].name, i == 0, out);
        table_json(&table, out);
        table_free(&table);
    }
    buf_puts(out, "\n  }\n}\n");
    return true;
}

static bool print_command(const struct session *session, const struct print_request *request, struct buf *out,
                          struct error *error)
{
    (void)request;
    return scene_print(session, out, error);
}

static bool print_torch(const struct session *session, const struct print_request *request, struct buf *out,
                        struct error *error)
{
    const struct stage *const stage = session_stage(session);
    const struct demo_table *const chosen = find_table(stage->demo, request->table, error);

    if (chosen)
        torch_script(stage, chosen->name, out);
    return chosen != NULL;
}

/* The formats */

const char *const print_formats[] = {"text", "ansi", "svg", "csv", "json", "torch", "command"};
const size_t n_print_formats = ALEN(print_formats);

/* A format is a way to write a frame, or else one to print what the stage knows. */
static const struct {
    const char *extension;
    bool colored;
    void (*frame)(const struct frame *frame, const struct look *look, struct buf *out);
    bool (*state)(const struct session *session, const struct print_request *request, struct buf *out,
                  struct error *error);
} formats[] = {
    {.extension = "txt", .frame = write_text},
    {.extension = "ansi", .colored = true, .frame = frame_ansi},
    {.extension = "svg", .colored = true, .frame = frame_svg},
    {.extension = "csv", .state = print_csv},
    {.extension = "json", .state = print_json},
    {.extension = "py", .state = print_torch},
    {.extension = "sh", .state = print_command},
};

_Static_assert(ALEN(formats) == ALEN(print_formats), "each format has a name and a function");

static size_t find_format(const char *name)
{
    size_t i = 0;

    while (i < n_print_formats && strcmp(print_formats[i], name) != 0)
        i++;
    return i;
}

bool print_session(struct session *session, const struct print_request *request, struct buf *out,
                   struct error *error)
{
    const size_t format = find_format(request->format);
    char near[128];

    if (format == n_print_formats)
        return error_set(error, STATUS_USAGE, _("there is no format \"%s\"; there is %s"), request->format,
                         nearest_names(near, sizeof near, request->format, print_formats, n_print_formats));
    session_make_ready(session, formats[format].frame != NULL);
    if (formats[format].state)
        return formats[format].state(session, request, out, error);
    print_frame(session, request, formats[format].colored, formats[format].frame, out);
    return true;
}

const char *print_extension(const char *format)
{
    const size_t i = find_format(format);

    return i < n_print_formats ? formats[i].extension : format;
}

const char *print_format_of_file(const char *file)
{
    const char *const dot = strrchr(file, '.');

    for (size_t i = 0; dot && i < n_print_formats; i++) {
        if (strcmp(dot + 1, formats[i].extension) == 0)
            return print_formats[i];
    }
    return NULL;
}

/* The list of what there is */

static void pad(struct buf *out, const char *text, int columns)
{
    buf_puts(out, text);
    for (int i = utf8_columns(text); i < columns; i++)
        buf_putc(out, ' ');
}

static void widen(int *columns, const char *text)
{
    const int wanted = utf8_columns(text) + 2;

    if (wanted > *columns)
        *columns = wanted;
}

static void list_params(const struct demo *demo, int name_columns, struct buf *out)
{
    int initial = 0, range = 0;

    for (size_t i = 0; i < demo->n_params; i++) {
        struct buf text = {0};

        param_range(&demo->params[i], &text);
        widen(&initial, demo->params[i].initial);
        widen(&range, text.at);
        buf_free(&text);
    }
    for (size_t i = 0; i < demo->n_params; i++) {
        const struct param *const p = &demo->params[i];
        struct buf text = {0};

        param_range(p, &text);
        buf_puts(out, "    ");
        pad(out, p->name, name_columns);
        pad(out, p->initial, initial);
        pad(out, text.at, range);
        buf_printf(out, "%s\n", _(p->help));
        buf_free(&text);
    }
}

static void list_demo(const struct demo *demo, struct buf *out)
{
    int name = 0;

    for (size_t i = 0; i < demo->n_params; i++)
        widen(&name, demo->params[i].name);
    for (size_t i = 0; i < demo->n_tables; i++)
        widen(&name, demo->tables[i].name);

    buf_printf(out, "%s: %s\n", demo->name, _(demo->summary));
    buf_printf(out, "  %s\n", _("parameters (name, default, range):"));
    list_params(demo, name, out);
    buf_printf(out, "  %s\n", _("tables:"));
    for (size_t i = 0; i < demo->n_tables; i++) {
        buf_puts(out, "    ");
        pad(out, demo->tables[i].name, name);
        buf_printf(out, "%s\n", _(demo->tables[i].help));
    }
}

void print_list(const struct demo *only, struct buf *out)
{
    for (size_t i = 0, n_listed = 0; i < n_demos; i++) {
        if (only && demos[i] != only)
            continue;
        if (n_listed++ > 0)
            buf_putc(out, '\n');
        list_demo(demos[i], out);
    }
}

static void json_field(const char *name, const char *text, struct buf *out)
{
    json_string(name, out);
    buf_puts(out, ": ");
    json_string(text, out);
}

static void json_param(const struct param *p, struct buf *out)
{
    struct buf range = {0};

    param_range(p, &range);
    buf_putc(out, '{');
    json_field("name", p->name, out);
    buf_puts(out, ", ");
    json_field("default", p->initial, out);
    buf_puts(out, ", ");
    json_field("range", range.at, out);
    buf_puts(out, ", ");
    json_field("help", _(p->help), out);
    buf_putc(out, '}');
    buf_free(&range);
}

static void json_demo(const struct demo *demo, struct buf *out)
{
    buf_putc(out, '{');
    json_field("demo", demo->name, out);
    buf_puts(out, ", ");
    json_field("summary", _(demo->summary), out);
    buf_puts(out, ",\n  \"params\": [");
    for (size_t i = 0; i < demo->n_params; i++) {
        buf_puts(out, i == 0 ? "\n    " : ",\n    ");
        json_param(&demo->params[i], out);
    }
    buf_puts(out, "],\n  \"tables\": [");
    for (size_t i = 0; i < demo->n_tables; i++) {
        buf_puts(out, i == 0 ? "\n    {" : ",\n    {");
        json_field("name", demo->tables[i].name, out);
        buf_puts(out, ", ");
        json_field("help", _(demo->tables[i].help), out);
        buf_putc(out, '}');
    }
    buf_puts(out, "]}");
}

void print_list_json(const struct demo *only, struct buf *out)
{
    bool first = true;

    buf_putc(out, '[');
    for (size_t i = 0; i < n_demos; i++) {
        if (only && demos[i] != only)
            continue;
        buf_puts(out, first ? "" : ",\n");
        json_demo(demos[i], out);
        first = false;
    }
    buf_puts(out, "]\n");
}
