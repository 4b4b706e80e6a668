/* bench PROGRAM [DEMO]...: how long a user waits, and what the program costs. Measures PROGRAM on a
 * pseudo-terminal, and the composing of frames in this process; without DEMOs also the training and keys on
 * many points. What misses its target is marked with a '*'. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "demos/demo.h"
#include "session/session.h"

#define ALEN(array) (sizeof(array) / sizeof *(array))

enum { KEYS = 120, KEYS_LARGE = 50, STEPS = 20, FRAMES = 200, SLICES = 20000, POINTS = 1000000 };

/* Frames nobody asked for come 1/60 s apart: one that comes much sooner after another belongs to the answer.
 */
static const double quiet = 0.005;

enum column {
    START,
    KEY_MEDIAN,
    KEY_WORST,
    KEY_CPU,
    SLICE,
    COMPOSE_120,
    COMPOSE_200,
    CHANGED,
    BYTES,
    MEMORY,
    WAKE_UPS,
    IDLE_CPU,
    COLUMNS
};

#define NONE HUGE_VAL /* the number is only for information */

static const struct {
    const char *title, *unit;
    double target; /* at most */
    int decimals;
} columns[COLUMNS] = {
    [START] = {"start", "ms", 20, 1},          [KEY_MEDIAN] = {"key p50", "ms", NONE, 2},
    [KEY_WORST] = {"key p99", "ms", 5, 2},     [KEY_CPU] = {"key p50", "ms cpu", NONE, 2},
    [SLICE] = {"slice", "ms cpu", 2, 2},       [COMPOSE_120] = {"120x40", "ms", 1, 2},
    [COMPOSE_200] = {"200x60", "ms", NONE, 2}, [CHANGED] = {"step", "cells", NONE, 0},
    [BYTES] = {"step", "bytes", 2048, 0},      [MEMORY] = {"memory", "MiB", 12, 1},
    [WAKE_UPS] = {"idle 3 s", "wakes", 0, 0},  [IDLE_CPU] = {"idle 3 s", "ms cpu", 0, 0},
};

/* Cells: where a step repaints more, its bytes are only for information, for each cell costs some. */
enum { LITTLE = 80 * 24 / 10 };

/* The keys of somebody who looks around: parameters, their values, steps, the selection. */
static const struct key {
    const char *typed, *name; /* for the terminal, for the session */
} right = {"\033OC", "Right"}, left = {"\033OD", "Left"}, down = {"\033OB", "Down"}, up = {"\033OA", "Up"},
  next = {"n", "n"}, back = {"p", "p"}, tab = {"\t", "Tab"};

/* Key I on DEMO. There are no steps where it has none: a key without an answer is only waited for. */
static const struct key *key_at(const struct demo *demo, size_t i)
{
    static const struct key *const stepping[] = {
        &right, &right, &left, &next, &next, &down, &down, &up, &back, &tab, &right, &left,
    };
    static const struct key *const looking[] = {
        &right, &right, &left, &down, &down, &up, &tab, &right, &left,
    };
    return demo->go ? stepping[i % ALEN(stepping)] : looking[i % ALEN(looking)];
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that the share PART of the N values does not exceed; sorts them. -1 if there are none. */
static double quantile(double *value, size_t n, double part)
{
    if (n == 0)
        return -1.0;
    qsort(value, n, sizeof *value, by_size);
    const size_t at = (size_t)(part * (double)n);
    return value[at < n ? at : n - 1];
}

static void measure_idle(const struct child *child, double result[COLUMNS])
{
    child_answer(child, seconds_now(), 0.5, 0.5); /* for work that is left over */
    const long wakes = child_status(child, "voluntary_ctxt_switches");
    const double cpu = child_cpu_ms(child);
    child_answer(child, seconds_now(), 3.0, 3.0);
    result[WAKE_UPS] = wakes < 0 ? -1.0 : (double)(child_status(child, "voluntary_ctxt_switches") - wakes);
    result[IDLE_CPU] = cpu < 0 ? -1.0 : child_cpu_ms(child) - cpu;
}

/* Milliseconds from N_KEYS keys to the ends of their frames, and what they cost (or NULL); returns how many
 * were answered. */
static size_t press_keys(const struct child *child, const struct demo *demo, size_t n_keys, double *answered,
                         double *cpu)
{
    size_t n = 0;
    for (size_t i = 0; i < n_keys; i++) {
        child_rest(child); /* else what fills in may be taken for the answer of a key that does nothing */
        const double cpu_before = child_cpu_ms(child), pressed = seconds_now();
        child_type(child, key_at(demo, i)->typed);
        const struct answer answer = child_answer(child, pressed, 0.1, quiet);
        if (answer.frames > 0) {
            if (cpu)
                cpu[n] = child_cpu_ms(child) - cpu_before;
            answered[n++] = answer.after * 1000.0;
        }
    }
    return n;
}

static bool measure_program(const char *program, const struct demo *demo, double result[COLUMNS])
{
    struct child child;
    const double begin = seconds_now();
    if (!child_start(&child, program, (const char *const[]){demo->name, NULL}, 200, 60))
        return false;
    const struct answer first = child_answer(&child, begin, 5.0, quiet);
    result[START] = first.frames > 0 ? first.after * 1000.0 : -1.0;

    double answered[KEYS], cpu[KEYS];
    const size_t n = press_keys(&child, demo, KEYS, answered, cpu);
    result[KEY_MEDIAN] = quantile(answered, n, 0.50);
    result[KEY_WORST] = quantile(answered, n, 0.99);
    result[KEY_CPU] = quantile(cpu, n, 0.50);
    measure_idle(&child, result);
    const long high_water = child_status(&child, "VmHWM");
    result[MEMORY] = high_water < 0 ? -1.0 : (double)high_water / 1024.0;
    child_stop(&child);
    return true;
}

/* One step, or where there is nothing to step a change of a parameter. */
static const struct key *step_of(const struct demo *demo)
{
    return demo->go ? &next : &right;
}

/* Bytes written for a step at 80x24. */
static void measure_bytes(const char *program, const char *demo, const char *typed, double result[COLUMNS])
{
    struct child child;
    if (!child_start(&child, program, (const char *const[]){demo, NULL}, 80, 24))
        return;
    child_answer(&child, seconds_now(), 5.0, 0.1); /* with what fills in after the first frame */
    double written[STEPS];
    size_t n = 0;
    for (size_t i = 0; i < STEPS; i++) {
        child_type(&child, typed);
        const struct answer answer = child_answer(&child, seconds_now(), 0.05, quiet);
        if (answer.frames > 0)
            written[n++] = (double)answer.bytes;
    }
    result[BYTES] = quantile(written, n, 0.5);
    child_stop(&child);
}

static const struct demo *demo_named(const char *name)
{
    for (size_t i = 0; i < n_demos; i++) {
        if (strcmp(demos[i]->name, name) == 0)
            return demos[i];
    }
    fprintf(stderr, "bench: no demo %s\n", name);
    exit(EXIT_FAILURE);
}

static struct session *open_demo(const char *demo, const char *const *settings, size_t n_settings,
                                 bool interactive)
{
    struct session_options options = {
        .demo = demo, .settings = settings, .n_settings = n_settings, .interactive = interactive};
    struct error error = {0};
    struct session *session = NULL;
    if (look_make(&options.look, THEME_DARK, "reds", NULL, &error))
        session = session_new(&options, &error);
    if (!session) {
        fprintf(stderr, "bench: %s: %s\n", demo, error.text);
        exit(EXIT_FAILURE);
    }
    return session;
}

static double cpu_ms(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec * 1e3 + (double)used.tv_nsec * 1e-6;
}

/* What a key may have to wait for: the work between two looks at the keyboard, all but the longest hundredth.
 */
static double long_slice(const struct demo *demo)
{
    static double took[SLICES];
    struct session *session = open_demo(demo->name, NULL, 0, true);
    size_t n = 0;
    for (size_t i = 0; i < KEYS; i++) {
        double turn = 0.0;
        while (turn >= 0 && turn <= 0 && n < SLICES) {
            const double begin = cpu_ms();
            turn = session_tick(session, 0.0);
            took[n++] = cpu_ms() - begin;
        }
        session_key(session, key_at(demo, i)->name);
    }
    session_free(session);
    return quantile(took, n, 0.99);
}

static void compose(struct session *session, struct frame *frame, int cols, int rows)
{
    const struct look *look = session_look(session);
    frame_reset(frame, cols, rows, look_pen(look, ROLE_TEXT));
    session_draw(session, frame);
    frame_degrade(frame, look);
}

static double compose_ms(struct session *session, int cols, int rows)
{
    struct frame frame = {0};
    double took[FRAMES];
    session_resize(session, cols, rows);
    for (size_t i = 0; i < FRAMES; i++) {
        const double begin = seconds_now();
        compose(session, &frame, cols, rows);
        took[i] = (seconds_now() - begin) * 1000.0;
    }
    frame_free(&frame);
    return quantile(took, FRAMES, 0.5);
}

static size_t count_changed(const struct frame *a, const struct frame *b)
{
    size_t n = 0;
    for (int y = 0; y < a->rows; y++)
        for (int x = 0; x < a->cols; x++)
            n += memcmp(frame_at(a, x, y), frame_at(b, x, y), sizeof(struct cell)) != 0;
    return n;
}

/* Cells that a step changes at 80x24; steps that change none do not count. */
static double changed_cells(struct session *session, const char *key)
{
    struct frame frame[2] = {0};
    double changed[STEPS];
    size_t n = 0;
    session_resize(session, 80, 24);
    compose(session, &frame[0], 80, 24);
    for (size_t i = 1; i <= STEPS; i++) {
        session_key(session, key);
        session_settle(session);
        compose(session, &frame[i % 2], 80, 24);
        const size_t cells = count_changed(&frame[0], &frame[1]);
        if (cells > 0)
            changed[n++] = (double)cells;
    }
    frame_free(&frame[0]);
    frame_free(&frame[1]);
    return quantile(changed, n, 0.5);
}

static void print_cell(double value, double target, int decimals)
{
    if (value < 0)
        printf(" %10s ", "-");
    else
        printf(" %10.*f%c", decimals, value, value > target ? '*' : ' ');
}

static void print_head(void)
{
    printf("%-10s", "demo");
    for (int i = 0; i < COLUMNS; i++)
        printf(" %10s ", columns[i].title);
    printf("\n%-10s", "");
    for (int i = 0; i < COLUMNS; i++)
        printf(" %10s ", columns[i].unit);
    printf("\n%-10s", "target");
    for (int i = 0; i < COLUMNS; i++) {
        char text[16];
        snprintf(text, sizeof text, "<= %.0f", columns[i].target);
        if (columns[i].target == NONE)
            text[0] = '\0';
        printf(" %10s ", text);
    }
    printf("\n");
}

static double target_of(enum column column, const double result[COLUMNS])
{
    if (column == BYTES && result[CHANGED] > LITTLE)
        return NONE;
    return columns[column].target;
}

static bool bench_demo(const char *program, const struct demo *demo)
{
    const struct key *const step = step_of(demo);
    double result[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        result[i] = -1.0;
    if (!measure_program(program, demo, result))
        return false;
    measure_bytes(program, demo->name, step->typed, result);
    result[SLICE] = long_slice(demo);
    struct session *session = open_demo(demo->name, NULL, 0, false);
    session_settle(session);
    result[COMPOSE_120] = compose_ms(session, 120, 40);
    result[COMPOSE_200] = compose_ms(session, 200, 60);
    result[CHANGED] = changed_cells(session, step->name);
    session_free(session);

    printf("%-10s", demo->name);
    for (int i = 0; i < COLUMNS; i++)
        print_cell(result[i], target_of((enum column)i, result), columns[i].decimals);
    printf("\n");
    fflush(stdout);
    return true;
}

static void bench_training(void)
{
    static const struct {
        const char *n;
        double target; /* at least */
    } sizes[] = {{"n=50", 50000}, {"n=1000", 500}, {"n=5000", 100}};

    printf("\n%-10s %12s %12s\n", "train", "epochs/s", "target");
    for (size_t i = 0; i < ALEN(sizes); i++) {
        const char *settings[] = {sizes[i].n, "loss=mean"};
        struct session *session = open_demo("train", settings, ALEN(settings), false);
        session_settle(session);
        struct error error = {0};
        size_t epochs = 0;
        const double begin = seconds_now();
        double took = 0.0;
        while (took < 1.0 && session_command(session, "step 10", &error)) {
            session_settle(session);
            epochs += 10;
            took = seconds_now() - begin;
        }
        session_free(session);
        const double rate = took > 0.0 ? (double)epochs / took : 0.0;
        printf("%-10s %12.0f %9s %.0f%s\n", sizes[i].n, rate, ">=", sizes[i].target,
               rate < sizes[i].target ? " *" : "");
    }
}

/* ---- keys on many points */

static char points_path[256];

static void remove_points(int signal_number)
{
    unlink(points_path);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Makes the file points_path, which also goes when somebody stops the benchmark. */
static FILE *create_points(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    const char *const directory = getenv("TMPDIR");
    snprintf(points_path, sizeof points_path, "%s/attnlab-bench-XXXXXX",
             directory && *directory ? directory : "/tmp");
    const int descriptor = mkstemp(points_path);
    if (descriptor < 0)
        return NULL;
    for (size_t i = 0; i < ALEN(signals); i++)
        signal(signals[i], remove_points);
    return fdopen(descriptor, "w");
}

static bool write_points(void)
{
    FILE *const file = create_points();
    if (!file)
        return false;
    fputs("x,y\n", file);
    for (size_t i = 0; i < POINTS; i++) { /* in no order, and with some noise */
        const double x = 5.0 * (double)(i * 7919 % POINTS) / (double)POINTS;
        fprintf(file, "%.6f,%.4f\n", x, 2.0 * sin(x) + 0.01 * (double)(i * 31 % 101));
    }
    return fclose(file) == 0;
}

static const char million[] = "a file of a million points";

struct large_case {
    const char *argument[CHILD_ARGUMENTS]; /* million stands for the file; the first one is the demo */
    double target;                         /* ms, at most */
};

static void bench_large_case(const char *program, const struct large_case *large, const struct demo *demo)
{
    const char *arguments[CHILD_ARGUMENTS] = {NULL};
    char name[128] = "";
    for (size_t k = 0; k < CHILD_ARGUMENTS && large->argument[k]; k++) {
        arguments[k] = large->argument[k] == million ? points_path : large->argument[k];
        snprintf(name + strlen(name), sizeof name - strlen(name), "%s ", large->argument[k]);
    }
    struct child child;
    double answered[KEYS_LARGE];
    if (!child_start(&child, program, arguments, 200, 60))
        return;
    child_answer(&child, seconds_now(), 5.0, 1.0);
    const size_t n = press_keys(&child, demo, KEYS_LARGE, answered, NULL);
    child_stop(&child);
    const double median = quantile(answered, n, 0.50), worst = quantile(answered, n, 1.0);
    printf("%-45s %10.2f %10.2f %7s %2.0f%s\n", name, median, worst, "<=", large->target,
           worst > large->target ? " *" : "");
    fflush(stdout);
}

/* A key is answered though there is work for many frames. */
static void bench_large(const char *program)
{
    static const struct large_case cases[] = {
        {{"train", "n=5000", "loss=mean"}, 5},
        {{"train", "n=5000", "loss=mean", "kernel=boxcar"}, 5},
        {{"train", "n=5000", "loss=mean", "kernel=epanechnikov"}, 5},
        {{"pooling", "n=1000", "kernel=triangular"}, 5},
        {{"train", million}, 16},
        {{"pooling", million}, 16},
    };
    printf("\n%-45s %10s %10s %10s\n", "many points", "key p50", "key worst", "target");
    if (!write_points()) {
        perror(points_path);
        return;
    }
    for (size_t i = 0; i < ALEN(cases); i++)
        bench_large_case(program, &cases[i], demo_named(cases[i].argument[0]));
    unlink(points_path);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench PROGRAM [DEMO]...\n");
        return EXIT_FAILURE;
    }
    const bool all = argc == 2;
    const size_t n = all ? n_demos : (size_t)argc - 2;
    print_head();
    for (size_t i = 0; i < n; i++) {
        if (!bench_demo(argv[1], all ? demos[i] : demo_named(argv[i + 2]))) {
            perror("bench: no pseudo-terminal");
            return EXIT_FAILURE;
        }
    }
    if (all) {
        bench_training();
        bench_large(argv[1]);
    }
    printf("\n* misses its target. At 200x60, start: to the end of the first frame; key: to the end of its "
           "frame.\n"
           "slice: a piece of work between two looks at the keyboard, p99; 120x40, 200x60: composing a "
           "frame.\n"
           "step: median at 80x24; where it changes more than %d cells, the bytes are no miss.\n",
           LITTLE);
    return EXIT_SUCCESS;
}
