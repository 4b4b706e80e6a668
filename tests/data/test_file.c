#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "data/file.h"

/* Each test runs in an empty directory of its own. */
static int enter_directory(void **state)
{
    char name[] = "/tmp/attnlab-file-XXXXXX";
    if (!mkdtemp(name) || chdir(name) != 0)
        return -1;
    *state = strdup(name);
    umask(022);
    return 0;
}

static int leave_directory(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
    free(*state);
    return chdir("/") + system(command);
}

static void make_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text)
{
    struct buf buf = {0};
    struct error error = {0};
    if (!file_read(path, &buf, &error))
        fail_msg("%s", error.text);
    assert_int_equal(buf.len, strlen(text));
    assert_memory_equal(buf.at, text, buf.len + 1);
    buf_free(&buf);
}

static size_t count_entries(const char *path)
{
    size_t n = 0;
    DIR *directory = opendir(path);
    while (readdir(directory))
        n++;
    closedir(directory);
    return n - 2;
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_mode & 07777;
}

static void test_reads_any_size(void **state)
{
    (void)state;
    for (size_t n = 0; n < 400000; n = 3 * n + 1) {
        char *text = malloc(n + 1);
        for (size_t i = 0; i < n; i++)
            text[i] = (char)('a' + i % 26);
        text[n] = '\0';
        make_file("some", text);
        assert_holds("some", text);
        free(text);
    }
}

static void test_refuses_by_name_and_reason(void **state)
{
    struct buf buf = {0};
    struct error error = {0};
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_false(file_read("folder", &buf, &error));
    assert_string_equal(error.text, "folder: Is a directory");
    assert_int_equal(error.status, STATUS_FAILED);
    assert_false(file_read("missing.csv", &buf, &error));
    assert_string_equal(error.text, "missing.csv: No such file or directory");
    buf_free(&buf);
}

/* Runs in a child that is not root, for root can read all. */
static void test_refuses_the_unreadable(void **state)
{
    (void)state;
    make_file("secret", "x");
    assert_int_equal(chmod("secret", 0) + chmod(".", 0755), 0);
    pid_t child = fork();
    if (child == 0) {
        struct buf buf = {0};
        struct error error = {0};
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        bool refused = !file_read("secret", &buf, &error) && !strcmp(error.text, "secret: Permission denied");
        buf_free(&buf);
        _exit(!refused);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_reads_standard_input(void **state)
{
    (void)state;
    make_file("input", "1,2\n");
    int saved = dup(STDIN_FILENO), fd = open("input", O_RDONLY);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    assert_holds("-", "1,2\n");
    dup2(saved, STDIN_FILENO);
    close(fd);
    close(saved);
}

static void test_writes_like_creat(void **state)
{
    struct error error = {0};
    (void)state;
    assert_true(file_write("new", "abc", 3, false, &error));
    assert_holds("new", "abc");
    assert_int_equal(mode_of("new"), 0644);
    umask(077);
    assert_true(file_write("private", "", 0, false, &error));
    assert_int_equal(mode_of("private"), 0600);
    assert_holds("private", "");
    assert_int_equal(count_entries("."), 2);
}

static void test_replaces_only_when_told(void **state)
{
    struct error error = {0};
    (void)state;
    make_file("old", "old");
    assert_int_equal(chmod("old", 0640), 0);
    assert_false(file_write("old", "new", 3, false, &error));
    assert_int_equal(error.status, STATUS_FAILED);
    assert_holds("old", "old");
    assert_true(file_write("old", "new", 3, true, &error));
    assert_holds("old", "new");
    assert_int_equal(mode_of("old"), 0640);
    assert_int_equal(count_entries("."), 1);
}

/* Says to stop when it is told the LAST time, and what it was told then. */
struct watch {
    size_t n, last, done, total;
};

static bool tell(void *context, size_t done, size_t total)
{
    struct watch *watch = context;
    watch->done = done;
    watch->total = total;
    return ++watch->n != watch->last;
}

static void assert_read_refused(const char *path, struct watch *watch, const char *why)
{
    struct buf buf = {0};
    struct error error = {0};
    assert_false(file_read_watched(path, (struct progress){tell, watch}, &buf, &error));
    assert_string_equal(error.text, why);
    buf_free(&buf);
}

static void test_stops_waiting_for_bytes(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    struct watch none = {.last = 2}, some = {.last = 3}, zeros = {.last = 5};
    assert_read_refused("pipe", &none, "pipe: stopped before its end, nothing has changed");
    assert_int_equal(none.done, 0);
    int writer = open("pipe", O_RDWR);
    assert_int_equal(write(writer, "1,2\n", 4), 4);
    assert_read_refused("pipe", &some, "pipe: stopped before its end, nothing has changed");
    assert_int_equal(some.done, 4);
    assert_int_equal(some.total, 0);
    close(writer);
    assert_read_refused("/dev/zero", &zeros, "/dev/zero: stopped before its end, nothing has changed");
    assert_in_range(zeros.done, 1, 5 << 20);
}

/* The second piece comes when the first one has been read. */
static bool write_in_pieces(const char *path)
{
    int n = 0, fd = open(path, O_WRONLY);
    bool done = fd >= 0 && write(fd, "1,2\n", 4) == 4;
    while (done && ioctl(fd, FIONREAD, &n) == 0 && n > 0)
        poll(NULL, 0, 5);
    return done && write(fd, "2,3\n", 4) == 4;
}

static void test_reads_a_pipe_to_its_end(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    for (int is_watched = 0; is_watched < 2; is_watched++) {
        pid_t child = fork();
        if (child == 0)
            _exit(!write_in_pieces("pipe"));
        struct buf buf = {0};
        struct error error = {0};
        struct watch watch = {0};
        struct progress progress = {is_watched ? tell : NULL, &watch};
        assert_true(file_read_watched("pipe", progress, &buf, &error));
        assert_string_equal(buf.at, "1,2\n2,3\n");
        buf_free(&buf);
        assert_true(is_watched == (watch.n > 0));
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

static void test_leaves_a_watched_terminal_alone(void **state)
{
    (void)state;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    struct watch watch = {0};
    struct error error = {0};
    char why[128];
    snprintf(why, sizeof why, "%s: is a terminal; name a file or a pipe", ptsname(master));
    assert_read_refused(ptsname(master), &watch, why);
    assert_false(file_write_watched(ptsname(master), "x", 1, true, (struct progress){tell, &watch}, &error));
    assert_string_equal(error.text, why);
    assert_int_equal(watch.n, 0);
    close(slave);
    close(master);
}

static void test_stops_waiting_for_a_reader(void **state)
{
    (void)state;
    enum { MORE_THAN_A_PIPE_HOLDS = 1 << 22 };
    char *bytes = calloc(MORE_THAN_A_PIPE_HOLDS, 1);
    struct watch watch = {.last = 2};
    struct progress progress = {tell, &watch};
    struct error error = {0};
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_false(file_write_watched("pipe", bytes, 10, true, progress, &error));
    assert_string_equal(error.text, "pipe: nobody reads from it");
    int reader = open("pipe", O_RDWR);
    assert_true(file_write_watched("pipe", bytes, 10, true, progress, &error));
    assert_int_equal(watch.n, 0);
    assert_false(file_write_watched("pipe", bytes, MORE_THAN_A_PIPE_HOLDS, true, progress, &error));
    assert_string_equal(error.text, "pipe: stopped before its end");
    assert_in_range(watch.done, 1, MORE_THAN_A_PIPE_HOLDS - 1);
    assert_int_equal(watch.total, MORE_THAN_A_PIPE_HOLDS);
    close(reader);
    free(bytes);
}

static void test_follows_links(void **state)
{
    struct error error = {0};
    struct stat status;
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    make_file("folder/old", "old");
    assert_int_equal(
        symlink("folder/old", "to_old") + symlink("to_old", "twice") + symlink("folder/new", "to_new"), 0);
    assert_int_equal(symlink("b", "a") + symlink("a", "b"), 0);
    assert_false(file_write("twice", "new", 3, false, &error));
    assert_true(file_write("twice", "new", 3, true, &error));
    assert_true(lstat("twice", &status) == 0 && S_ISLNK(status.st_mode));
    assert_true(lstat("to_old", &status) == 0 && S_ISLNK(status.st_mode));
    assert_holds("folder/old", "new");
    assert_true(file_write("to_new", "fresh", 5, false, &error));
    assert_holds("folder/new", "fresh");
    assert_int_equal(count_entries("folder"), 2);
    assert_false(file_write("a", "x", 1, true, &error));
}

static void test_writes_directly_what_is_no_file(void **state)
{
    struct error error = {0};
    (void)state;
    assert_true(file_write("/dev/null", "abc", 3, false, &error));
    assert_false(file_write("/dev/full", "abc", 3, false, &error));
    assert_string_equal(error.text, "/dev/full: No space left on device");
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_false(file_write("folder", "abc", 3, true, &error));
    assert_string_equal(error.text, "folder: Is a directory");
    assert_false(file_write("nowhere/file", "abc", 3, true, &error));
    assert_string_equal(error.text, "nowhere/file: No such file or directory");
}

static void test_failure_leaves_nothing(void **state)
{
    static const char bytes[1 << 16];
    struct error error = {0};
    struct rlimit old, small;
    (void)state;
    make_file("old", "old");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    bool replaced = file_write("old", bytes, sizeof bytes, true, &error);
    bool made = file_write("new", bytes, sizeof bytes, false, &error);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_false(replaced || made);
    assert_string_equal(error.text, "new: File too large");
    assert_holds("old", "old");
    assert_int_equal(count_entries("."), 1);
}

/* Directories end with a slash, hidden names come only when asked for, and ~ stays as it was written. */
static void test_lists_names(void **state)
{
    static const char expected[] = "./data.csv\0./dates/\0";
    struct buf names = {0};
    char home[1024], path[1024];
    (void)state;
    make_file("dog.csv", "");
    make_file("data.csv", "");
    make_file(".data", "");
    assert_int_equal(mkdir("dates", 0777), 0);
    file_names("./da", &names);
    assert_int_equal(names.len, sizeof expected - 1);
    assert_memory_equal(names.at, expected, names.len);
    buf_free(&names);
    file_names(".d", &names);
    assert_string_equal(names.at, ".data");
    buf_free(&names);
    file_names("nowhere/x", &names);
    assert_int_equal(names.len, 0);

    char *old = getenv("HOME");
    snprintf(home, sizeof home, "%s", old ? old : "");
    setenv("HOME", "/tmp/../tmp", 1);
    assert_string_equal(file_expand_home("~/a b", path, sizeof path), "/tmp/../tmp/a b");
    assert_string_equal(file_expand_home("~a", path, sizeof path), "~a");
    setenv("HOME", ".", 1);
    file_names("~/dog", &names);
    assert_string_equal(names.at, "~/dog.csv");
    buf_free(&names);
    setenv("HOME", home, 1);
}

int main(void)
{
#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, enter_directory, leave_directory)
    const struct CMUnitTest tests[] = {
        IN_DIRECTORY(test_reads_any_size),
        IN_DIRECTORY(test_refuses_by_name_and_reason),
        IN_DIRECTORY(test_refuses_the_unreadable),
        IN_DIRECTORY(test_reads_standard_input),
        IN_DIRECTORY(test_writes_like_creat),
        IN_DIRECTORY(test_replaces_only_when_told),
        IN_DIRECTORY(test_follows_links),
        IN_DIRECTORY(test_writes_directly_what_is_no_file),
        IN_DIRECTORY(test_stops_waiting_for_bytes),
        IN_DIRECTORY(test_reads_a_pipe_to_its_end),
        IN_DIRECTORY(test_leaves_a_watched_terminal_alone),
        IN_DIRECTORY(test_stops_waiting_for_a_reader),
        IN_DIRECTORY(test_failure_leaves_nothing),
        IN_DIRECTORY(test_lists_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
