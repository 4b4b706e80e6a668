/* The program under a pseudo-terminal, as a terminal emulator would run it: keys go in, bytes come out. */
#ifndef ATTNLAB_TESTS_BENCH_CHILD_H
#define ATTNLAB_TESTS_BENCH_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct child {
    pid_t pid;
    int terminal; /* the master's side */
};

/* Output that followed something: how much, whole frames in it, and when the last of them ended, in seconds.
 */
struct answer {
    size_t bytes, frames;
    double after;
};

/* Seconds, monotonic. */
double seconds_now(void);

/* Starts PROGRAM with at most CHILD_ARGUMENTS of them, NULL after the last, in a true-colour terminal of COLS
 * x ROWS. False where that is impossible. */
enum { CHILD_ARGUMENTS = 6 };
bool child_start(struct child *child, const char *program, const char *const *arguments, int cols, int rows);

void child_type(const struct child *child, const char *keys);

/* Reads until nothing has come for QUIET seconds, after waiting up to PATIENCE for a first frame to end. */
struct answer child_answer(const struct child *child, double since, double patience, double quiet);

/* Reads until it has had nothing to do for some milliseconds, or for a second. */
void child_rest(const struct child *child);

/* A number from /proc: of status the line FIELD ("VmHWM"); -1 where there is none. */
long child_status(const struct child *child, const char *field);

/* Processor time used so far, in milliseconds; -1 where the system does not tell. */
double child_cpu_ms(const struct child *child);

/* Asks it to leave, and makes it leave. */
void child_stop(struct child *child);

#endif
