/* attnlab: from the command line to the screen, or to what it prints. */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "data/file.h"
#include "data/lang.h"
#include "demos/demo.h"
#include "manual.h"
#include "options.h"
#include "session/print.h"
#include "session/session.h"
#include "terminal/terminal.h"

static int complain(const struct error *error)
{
    fprintf(stderr, "attnlab: %s\n", error->text);
    return error->status;
}

/* Writes to standard output. A reader that has seen enough (head -1) is no failure. */
static bool write_out(const struct buf *bytes, struct error *error)
{
    for (size_t done = 0; done < bytes->len;) {
        const ssize_t n = write(STDOUT_FILENO, bytes->at + done, bytes->len - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno == EPIPE)
            return true;
        else if (errno != EINTR)
            return error_set(error, STATUS_FAILED, _("standard output: %s"), strerror(errno));
    }
    return true;
}

static bool deliver(const struct options *options, const struct buf *bytes, struct error *error)
{
    if (options->output && strcmp(options->output, "-") != 0)
        return file_write(options->output, bytes->at, bytes->len, options->force, error);
    return write_out(bytes, error);
}

static bool locale_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* The language that the environment asks for, by the rules of gettext, if the terminal understands UTF-8. A
 * locale that says so need not be installed here. */
static enum lang lang_of_environment(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    const char *locale = NULL, *const preferred = getenv("LANGUAGE");
    for (size_t i = 0; i < sizeof names / sizeof *names && !(locale && *locale); i++)
        locale = getenv(names[i]);
    if (!locale || !*locale || strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0)
        return LANG_EN;
    const char *const encoding = strchr(locale, '.');
    if (!locale_is_utf8() && !(encoding && strncasecmp(encoding + 1, "utf", 3) == 0))
        return LANG_EN;
    return lang_of_locale(preferred && *preferred ? preferred : locale);
}

static bool make_look(const struct options *options, const struct terminal_choice *choice, struct look *look,
                      struct error *error)
{
    const char *const colormap = options->colormap ? options->colormap : colormap_names[0];
    if (!look_make(look, (enum theme)choice->theme, colormap, options->assets, error))
        return false;
    look->depth = (enum depth)choice->depth;
    look->glyphs = (enum glyphs)choice->glyphs;
    if (look->glyphs != GLYPHS_UNICODE) /* they would show a Chinese text as question marks */
        lang_choose(LANG_EN);
    return true;
}

/* Creates the log; one that is there is not written over unasked. */
static bool open_log(const struct options *options, FILE **log, struct error *error)
{
    *log = NULL;
    if (!options->log)
        return true;
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (options->force ? O_TRUNC : O_EXCL);
    const int fd = open(options->log, flags, 0666);
    if (fd < 0 && errno == EEXIST)
        return error_set(error, STATUS_FAILED, _("%s exists; --force replaces it"), options->log);
    *log = fd < 0 ? NULL : fdopen(fd, "w");
    return *log || error_set(error, STATUS_FAILED, "%s: %s", options->log, strerror(errno));
}

static bool close_log(FILE *log, const char *name, struct error *error)
{
    if (!log)
        return true;
    const bool failed = ferror(log);
    return (fclose(log) == 0 && !failed) ||
           error_set(error, STATUS_FAILED, _("%s: not written in full"), name);
}

/* A session whose demo is still to be opened. */
static struct session *begin_session(const struct options *options, const struct terminal_choice *choice,
                                     bool interactive, FILE *log, struct error *error)
{
    struct session_options wanted = {
        .demo = options->demo,
        .file = options->file,
        .settings = options->settings,
        .n_settings = options->n_settings,
        .assets = options->assets,
        .interactive = interactive,
        .log = log,
    };
    return make_look(options, choice, &wanted.look, error) ? session_begin(&wanted, error) : NULL;
}

/* Runs the commands of the command line; what they report goes to REPORT, if there is one. */
static bool run_commands(struct session *session, const struct options *options, FILE *report,
                         struct error *error)
{
    for (size_t i = 0; i < options->n_commands && !session_is_over(session); i++) {
        if (!session_command(session, options->commands[i], error))
            return false;
        if (report)
            fputs(session_report(session), report);
    }
    return true;
}

/* Hands SESSION what --replay names. */
static bool start_replay(struct session *session, const struct options *options, struct error *error)
{
    struct buf text = {0};
    if (!options->replay)
        return true;
    const bool done = file_read(options->replay, &text, error);
    if (done)
        session_replay(session, options->replay, text.at ? text.at : "",
                       options->pace > 0 ? options->pace : 1);
    buf_free(&text);
    return done;
}

/* What printing looks like where the options leave it open: the same everywhere, but for a locale that is not
 * UTF-8, whose text must be plain. */
static struct terminal_choice choice_for_printing(const struct options *options)
{
    const char *const no_color = getenv("NO_COLOR");
    struct terminal_choice choice = {
        .depth = options->depth, .glyphs = options->glyphs, .theme = options->theme};
    if (choice.depth < 0)
        choice.depth = no_color && *no_color ? DEPTH_MONO : DEPTH_TRUE;
    if (choice.theme < 0)
        choice.theme = THEME_DARK;
    if (choice.glyphs < 0)
        choice.glyphs =
            locale_is_utf8() || strcmp(options->print, "svg") == 0 ? GLYPHS_UNICODE : GLYPHS_ASCII;
    return choice;
}

static int print(const struct options *options)
{
    const struct terminal_choice choice = choice_for_printing(options);
    const struct print_request request = {
        .format = options->print, .table = options->table, .cols = options->cols, .rows = options->rows};
    struct buf bytes = {0};
    struct error error = {0};
    FILE *log;
    struct session *const session =
        open_log(options, &log, &error) ? begin_session(options, &choice, false, log, &error) : NULL;
    bool done = session && session_open(session, &error);
    if (done && *session_report(session))
        fprintf(stderr, "attnlab: %s", session_report(session));
    done = done && run_commands(session, options, stderr, &error) && start_replay(session, options, &error) &&
           session_replay_on(session, &error);
    done = done && print_session(session, &request, &bytes, &error) && deliver(options, &bytes, &error);
    session_free(session);
    buf_free(&bytes);
    done = close_log(log, options->log, done ? &error : NULL) && done;
    return done ? STATUS_OK : complain(&error);
}

/* Ends as a program does that leaves SIGNAL alone, so that the shell sees what happened. */
static void end_by_signal(int signal_number)
{
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* A command that does not exist is said before the screen is touched, and where there is no screen to touch.
 */
static bool knows_commands(const struct session *session, const struct options *options, struct error *error)
{
    for (size_t i = 0; i < options->n_commands; i++) {
        if (!session_knows(session, options->commands[i], error))
            return false;
    }
    return true;
}

/* Takes over the terminal and gives SESSION the look that it can show. */
static bool open_terminal(const struct options *options, struct session *session, struct error *error)
{
    struct terminal_choice choice = {
        .depth = options->depth, .glyphs = options->glyphs, .theme = options->theme};
    struct look look;
    if (!terminal_open(&choice, error) || !make_look(options, &choice, &look, error))
        return false;
    session_set_look(session, &look);
    return true;
}

/* The opening of a session whose file takes long. */
struct opening {
    const struct options *options;
    struct session *session;
    double start; /* s */
    bool has_terminal;
    struct error error; /* of the terminal */
};

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whoever waits for so long wants to see for what; sooner the screen would only flicker. */
static bool watch_opening(void *context, size_t done, size_t total)
{
    static const double patience = 0.2; /* s */
    struct opening *opening = context;
    (void)done;
    (void)total;
    if (!opening->has_terminal) {
        if (seconds_now() - opening->start < patience)
            return true;
        if (!open_terminal(opening->options, opening->session, &opening->error))
            return false;
        opening->has_terminal = true;
    }
    return terminal_show_loading(opening->session);
}

/* Whether the data come from the keyboard, which the screen must not take before they are typed. */
static bool is_typed(const struct options *options)
{
    return options->file && strcmp(options->file, "-") == 0 && isatty(STDIN_FILENO);
}

/* Opens SESSION's demo, and the terminal, whichever takes longer first, and runs the commands there. */
static bool open_on_screen(const struct options *options, struct session *session, struct error *error)
{
    struct opening opening = {.options = options, .session = session, .start = seconds_now()};
    const struct progress watch = {watch_opening, &opening};
    if (!is_typed(options))
        session_watch_loading(session, watch);
    bool done = session_open(session, error);
    if (opening.error.text[0])
        *error = opening.error;
    if (done && !opening.has_terminal)
        done = opening.has_terminal = open_terminal(options, session, error);
    session_watch_loading(session, watch);
    done = done && run_commands(session, options, NULL, error);
    session_watch_loading(session, (struct progress){0});
    return done;
}

static int play(const struct options *options)
{
    /* The session comes first: what is wrong with the arguments is said before the screen is touched. */
    const struct terminal_choice any = {.depth = DEPTH_TRUE, .glyphs = GLYPHS_UNICODE, .theme = THEME_DARK};
    struct error error = {0};
    int signal_number = 0;
    FILE *log;
    struct session *const session =
        open_log(options, &log, &error) ? begin_session(options, &any, true, log, &error) : NULL;
    bool done = session && knows_commands(session, options, &error) &&
                start_replay(session, options, &error) && open_on_screen(options, session, &error);
    if (done)
        signal_number = terminal_run(session);
    terminal_close();
    done = done || (session && session_is_over(session)); /* given up by a key while the file was loaded */
    session_free(session);
    done = close_log(log, options->log, done ? &error : NULL) && done;
    if (signal_number)
        end_by_signal(signal_number);
    return done ? STATUS_OK : complain(&error);
}

/* Writes what the program says about itself. */
static int tell(const struct options *options)
{
    struct buf bytes = {0};
    struct error error = {0};
    const struct demo *only = NULL;
    for (size_t i = 0; i < n_demos; i++)
        if (options->demo && strcmp(demos[i]->name, options->demo) == 0)
            only = demos[i];
    if (options->action == ACTION_HELP)
        manual_help(&bytes);
    else if (options->action == ACTION_MAN)
        manual_page(&bytes);
    else if (options->action == ACTION_VERSION)
        buf_puts(&bytes, "attnlab " ATTNLAB_VERSION "\n");
    else if (options->print && strcmp(options->print, "json") == 0)
        print_list_json(only, &bytes);
    else
        print_list(only, &bytes);
    const bool done = deliver(options, &bytes, &error);
    buf_free(&bytes);
    return done ? STATUS_OK : complain(&error);
}

/* What is printed for programs and pictures must be the same everywhere; what is read on the spot is not. */
static enum lang language(const struct options *options)
{
    if (options->lang >= 0)
        return (enum lang)options->lang;
    return options->print ? LANG_EN : lang_of_environment();
}

/* The language that --lang asks for, for what other arguments get wrong. */
static enum lang lang_of_arguments(int argc, char **argv)
{
    static const char option[] = "--lang";
    enum lang lang = lang_of_environment();
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], option, sizeof option - 1) != 0)
            continue;
        const char *const rest = argv[i] + sizeof option - 1;
        const char *const name = *rest == '=' ? rest + 1 : !*rest && i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(name, "zh") == 0)
            lang = LANG_ZH;
        else if (strcmp(name, "en") == 0)
            lang = LANG_EN;
    }
    return lang;
}

static int run(const struct options *options)
{
    lang_choose(language(options));
    /* A reader that leaves is then an error of write(), not our end. */
    signal(SIGPIPE, SIG_IGN);
    if (options->action == ACTION_RUN && !options->print)
        return play(options);
    return options->action == ACTION_RUN ? print(options) : tell(options);
}

/* A closed standard descriptor would go to the next file that is opened, and what is printed into that file.
 * What stands in for it cannot be used, as if it were closed. */
static void hold_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    struct options options;
    struct error error = {0};
    hold_standard_descriptors();
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
    lang_choose(lang_of_arguments(argc, argv));
    const int status = options_parse(&options, argc, argv, &error) ? run(&options) : complain(&error);
    options_free(&options);
    return status;
}
