#include "child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The child's life up to exec; the program inherits the terminal as its controlling one. */
static void become_program(const char *terminal, const char *program, const char *const *arguments)
{
    setsid();
    const int slave = open(terminal, O_RDWR);
    if (slave < 0)
        _exit(127);
#ifdef TIOCSCTTY
    ioctl(slave, TIOCSCTTY, 0);
#endif
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(slave, fd);
    if (slave > STDERR_FILENO)
        close(slave);
    setenv("TERM", "xterm-256color", 1);
    setenv("COLORTERM", "truecolor", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("LINES");
    unsetenv("COLUMNS");
    unsetenv("NO_COLOR");
    const char *all[CHILD_ARGUMENTS + 3] = {program, "--theme=dark"};
    for (int i = 0; i < CHILD_ARGUMENTS && arguments[i]; i++)
        all[i + 2] = arguments[i];
    execv(program, (char *const *)all);
    _exit(127);
}

bool child_start(struct child *child, const char *program, const char *const *arguments, int cols, int rows)
{
    const struct winsize size = {.ws_col = (unsigned short)cols, .ws_row = (unsigned short)rows};
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0)
        return false;
    const char *name = NULL;
    if (grantpt(master) == 0 && unlockpt(master) == 0)
        name = ptsname(master);
    if (!name || ioctl(master, TIOCSWINSZ, &size) != 0 || fcntl(master, F_SETFD, FD_CLOEXEC) != 0) {
        close(master);
        return false;
    }
    const pid_t pid = fork();
    if (pid == 0)
        become_program(name, program, arguments);
    *child = (struct child){.pid = pid, .terminal = master};
    if (pid < 0)
        close(master);
    return pid > 0;
}

void child_type(const struct child *child, const char *keys)
{
    const size_t n = strlen(keys);
    if (write(child->terminal, keys, n) != (ssize_t)n)
        perror("bench: typing");
}

/* Counts the ends of frames among N BYTES; MATCHED carries what of one the bytes before ended with. */
static size_t count_frames(const char *bytes, size_t n, size_t *matched)
{
    static const char end[] = "\033[?2026l";
    size_t frames = 0;
    for (size_t i = 0; i < n; i++) {
        *matched = bytes[i] == end[*matched] ? *matched + 1 : bytes[i] == end[0];
        if (*matched == sizeof end - 1) {
            frames++;
            *matched = 0;
        }
    }
    return frames;
}

struct answer child_answer(const struct child *child, double since, double patience, double quiet)
{
    struct answer answer = {0};
    double deadline = since + patience;
    size_t matched = 0;
    for (;;) {
        const double left = deadline - seconds_now();
        struct pollfd poll_for = {.fd = child->terminal, .events = POLLIN};
        if (left < 0 || poll(&poll_for, 1, (int)(left * 1000.0) + 1) <= 0)
            return answer;
        char bytes[65536];
        const ssize_t n = read(child->terminal, bytes, sizeof bytes);
        if (n <= 0)
            return answer;
        const double now = seconds_now();
        const size_t frames = count_frames(bytes, (size_t)n, &matched);
        answer.bytes += (size_t)n;
        answer.frames += frames;
        if (frames > 0)
            answer.after = now - since;
        if (answer.frames > 0)
            deadline = now + quiet;
    }
}

/* Reads /proc/PID/NAME into TEXT; "" where there is none. */
static void read_proc(const struct child *child, const char *name, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)child->pid, name);
    text[0] = '\0';
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

long child_status(const struct child *child, const char *field)
{
    char text[4096];
    read_proc(child, "status", text, sizeof text);
    const size_t n = strlen(field);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, field, n) == 0 && line[n] == ':')
            return strtol(line + n + 1, NULL, 10);
    }
    return -1;
}

double child_cpu_ms(const struct child *child)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(child->pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return -1.0;
    return (double)used.tv_sec * 1e3 + (double)used.tv_nsec * 1e-6;
}

void child_rest(const struct child *child)
{
    const double begin = seconds_now();
    const double pause = 0.012;
    double before;
    do {
        before = child_cpu_ms(child);
        child_answer(child, seconds_now(), pause, pause);
    } while (child_cpu_ms(child) > before && seconds_now() - begin < 1.0);
}

void child_stop(struct child *child)
{
    child_type(child, "q");
    child_answer(child, seconds_now(), 0.5, 0.1);
    if (waitpid(child->pid, NULL, WNOHANG) == 0) {
        kill(child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
    }
    close(child->terminal);
}
