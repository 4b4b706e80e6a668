#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
        IN_DIRECTORY(test_reads_any_size),         IN_DIRECTORY(test_refuses_by_name_and_reason),
        IN_DIRECTORY(test_refuses_the_unreadable), IN_DIRECTORY(test_reads_standard_input),
        IN_DIRECTORY(test_writes_like_creat),      IN_DIRECTORY(test_replaces_only_when_told),
        IN_DIRECTORY(test_follows_links),          IN_DIRECTORY(test_writes_directly_what_is_no_file),
        IN_DIRECTORY(test_failure_leaves_nothing), IN_DIRECTORY(test_lists_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
