#include "data/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/lang.h"
#include "engine/mem.h"

/* More than any lesson's data; keeps /dev/zero from taking all memory. */
static const size_t file_max = (size_t)1 << 30;

enum {
    PIECE = 1 << 20, /* bytes between two looks at whether to go on */
    LOOK_AGAIN = 50, /* ms between them while nothing moves */
};

static bool refuse(struct error *error, const char *path, const char *reason)
{
    return error_set(error, STATUS_FAILED, "%s: %s", path, reason);
}

/* Doubles the room in BUF; its size comes from the file, so failing is an error, not the end. */
static bool make_room(struct buf *buf)
{
    size_t capacity = buf->capacity ? 2 * buf->capacity : 1 << 16;
    char *at = mem_try(capacity, 1);
    if (!at)
        return false;
    if (buf->len > 0)
        memcpy(at, buf->at, buf->len);
    free(buf->at);
    buf->at = at;
    buf->capacity = capacity;
    return true;
}

/* Waits until FD can go on with EVENTS, or will say why not. False if PROGRESS says to stop. */
static bool wait_until_ready(int fd, short events, struct progress progress, size_t done, size_t total)
{
    struct pollfd wanted = {.fd = fd, .events = events};
    while (poll(&wanted, 1, progress.tell ? LOOK_AGAIN : -1) <= 0)
        if (!progress_tell(progress, done, total))
            return false;
    return true;
}

static bool refuse_terminal(const char *path, struct error *error)
{
    return refuse(error, path, _("is a terminal; name a file or a pipe"));
}

static bool refuse_stopped(const char *path, struct error *error)
{
    return error_set(error, STATUS_FAILED, _("%s: stopped before its end, nothing has changed"), path);
}

/* The bytes that FD will give, 0 if that is unknown; never less than the N that it gave. */
static size_t expected_size(int fd, size_t n)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= 0)
        return 0;
    return (size_t)info.st_size > n ? (size_t)info.st_size : n;
}

/* Reads the next piece of FD. Returns its size as read() does; none may have come yet (EAGAIN). */
static ssize_t read_piece(int fd, struct buf *out)
{
    size_t room = out->capacity - out->len - 1;
    ssize_t n = read(fd, out->at + out->len, room < PIECE ? room : PIECE);
    out->len += n > 0 ? (size_t)n : 0;
    out->at[out->len] = '\0';
    return n;
}

static bool read_all(int fd, const char *path, struct progress progress, struct buf *out, struct error *error)
{
    size_t begin = out->len;
    if (progress.tell && isatty(fd))
        return refuse_terminal(path, error);
    for (;;) {
        size_t done = out->len - begin;
        if (out->capacity - out->len < 2 && !make_room(out))
            return refuse(error, path, strerror(ENOMEM));
        if (!wait_until_ready(fd, POLLIN, progress, done, 0))
            return refuse_stopped(path, error);
        ssize_t n = read_piece(fd, out);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return refuse(error, path, strerror(errno));
        if (n == 0)
            return true;
        if (out->len > file_max)
            return refuse(error, path, _("larger than 1 GiB"));
        done += (size_t)n;
        if (!progress_tell(progress, done, expected_size(fd, done)))
            return refuse_stopped(path, error);
    }
}

/* Room for all of a regular file at once, so that a large one is not kept twice while the buffer grows. */
static void take_room(int fd, struct buf *out)
{
    struct stat info;
    if (out->at || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= 0 ||
        (size_t)info.st_size > file_max)
        return;
    out->at = mem_try((size_t)info.st_size + 2, 1);
    out->capacity = out->at ? (size_t)info.st_size + 2 : 0;
}

/* A pipe is opened without waiting for its writer: that is waited for with the bytes. */
bool file_read_watched(const char *path, struct progress progress, struct buf *out, struct error *error)
{
    if (strcmp(path, "-") == 0)
        return read_all(STDIN_FILENO, _("standard input"), progress, out, error);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return refuse(error, path, strerror(errno));
    take_room(fd, out);
    bool done = read_all(fd, path, progress, out, error);
    close(fd);
    return done;
}

bool file_read(const char *path, struct buf *out, struct error *error)
{
    return file_read_watched(path, (struct progress){0}, out, error);
}

/* False with errno; that is ECANCELED if PROGRESS said to stop. */
static bool write_all(int fd, const char *bytes, size_t n, struct progress progress)
{
    for (size_t done = 0; done < n;) {
        if (!wait_until_ready(fd, POLLOUT, progress, done, n)) {
            errno = ECANCELED;
            return false;
        }
        ssize_t written = write(fd, bytes + done, n - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno != EINTR && errno != EAGAIN)
            return false;
    }
    return true;
}

/* Closes FD and keeps the errno of what failed before. */
static bool finish(int fd, bool done)
{
    int reason = errno;
    if (close(fd) != 0 && done)
        return false;
    errno = reason;
    return done;
}

/* Without anybody to tell, this waits for the pipe's reader as the shell does. */
static bool write_directly(const char *path, const void *bytes, size_t n, struct progress progress,
                           struct error *error)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | (progress.tell ? O_NONBLOCK : 0));
    if (fd < 0 && errno == ENXIO)
        return refuse(error, path, _("nobody reads from it"));
    if (fd >= 0 && progress.tell && isatty(fd)) {
        close(fd);
        return refuse_terminal(path, error);
    }
    if (fd >= 0 && finish(fd, write_all(fd, bytes, n, progress)))
        return true;
    return refuse(error, path, errno == ECANCELED ? _("stopped before its end") : strerror(errno));
}

/* The length of PATH's directory with its slash; 0 in the current directory. */
static int directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* Follows the symbolic links at PATH, also to where nothing is yet, so that the link stays and its target is
 * written. The target is owned by the caller; NULL with errno for a loop or a name that is too long. */
static char *follow_links(const char *path)
{
    enum { MOST_LINKS = 40 };
    struct buf target = {0};
    buf_puts(&target, path);
    for (int i = 0; i < MOST_LINKS; i++) {
        char link[PATH_MAX];
        ssize_t n = readlink(target.at, link, sizeof link);
        if (n < 0)
            return target.at;
        if ((size_t)n == sizeof link)
            break;
        struct buf next = {0};
        if (link[0] != '/')
            buf_add(&next, target.at, (size_t)directory_length(target.at));
        buf_add(&next, link, (size_t)n);
        buf_free(&target);
        target = next;
    }
    buf_free(&target);
    errno = ELOOP;
    return NULL;
}

/* Creates a file of a new name beside TARGET, with the permissions that the umask leaves; its name goes to
 * NAME. */
static int open_beside(const char *target, struct buf *name)
{
    enum { ATTEMPTS = 100 };
    for (int i = 0; i < ATTEMPTS; i++) {
        name->len = 0;
        buf_printf(name, "%.*s.attnlab-%ld-%d.tmp", directory_length(target), target, (long)getpid(), i);
        int fd = open(name->at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Gives the finished file TEMPORARY the name TARGET. Where nothing may be replaced, link() also refuses a
 * file that another program made meanwhile; file systems without links get the plain rename. */
static bool publish(const char *temporary, const char *target, bool replace)
{
    if (replace)
        return rename(temporary, target) == 0;
    if (link(temporary, target) == 0)
        return unlink(temporary) == 0;
    return errno != EEXIST && rename(temporary, target) == 0;
}

static bool write_beside(const char *target, const void *bytes, size_t n, const struct stat *old)
{
    struct buf temporary = {0};
    int fd = open_beside(target, &temporary);
    bool done = fd >= 0;
    if (done) {
        bool written = (!old || fchmod(fd, old->st_mode & 0777) == 0) &&
                       write_all(fd, bytes, n, (struct progress){0}) && fsync(fd) == 0;
        done = finish(fd, written) && publish(temporary.at, target, old != NULL);
        int reason = errno;
        if (!done)
            unlink(temporary.at);
        errno = reason;
    }
    buf_free(&temporary);
    return done;
}

bool file_write_watched(const char *path, const void *bytes, size_t n, bool replace, struct progress progress,
                        struct error *error)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return refuse(error, path, strerror(EISDIR));
    if (exists && !S_ISREG(old.st_mode))
        return write_directly(path, bytes, n, progress, error);
    if (exists && !replace)
        return refuse(error, path, _("exists already and was not replaced"));
    char *target = follow_links(path);
    bool done = target && write_beside(target, bytes, n, exists ? &old : NULL);
    if (!done)
        refuse(error, path, strerror(errno));
    free(target);
    return done;
}

bool file_write(const char *path, const void *bytes, size_t n, bool replace, struct error *error)
{
    return file_write_watched(path, bytes, n, replace, (struct progress){0}, error);
}

/* ---- names */

char *file_expand_home(const char *path, char *out, size_t size)
{
    const char *home = getenv("HOME");
    if (strncmp(path, "~/", 2) == 0 && home && *home)
        snprintf(out, size, "%s%s", home, path + 1);
    else
        snprintf(out, size, "%s", path);
    return out;
}

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in DIRECTORY that begin with START, sorted and owned. */
static char **read_names(DIR *directory, const char *start, size_t *n)
{
    char **names = NULL;
    size_t room = 0;
    *n = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        const char *name = entry->d_name;
        if (strncmp(name, start, strlen(start)) != 0 || (name[0] == '.' && start[0] != '.') ||
            strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (*n == room)
            names = mem_grow(names, room = 2 * room + 16, sizeof *names);
        names[(*n)++] = mem_copy(name, strlen(name) + 1, 1);
    }
    if (*n > 1)
        qsort(names, *n, sizeof *names, compare_texts);
    return names;
}

void file_names(const char *prefix, struct buf *out)
{
    const char *slash = strrchr(prefix, '/');
    size_t n_head = slash ? (size_t)(slash + 1 - prefix) : 0, n;
    char head[1024], place[2048];
    snprintf(head, sizeof head, "%.*s", (int)n_head, prefix);
    file_expand_home(head, place, sizeof place);
    DIR *directory = n_head < sizeof head ? opendir(*place ? place : ".") : NULL;
    if (!directory)
        return;
    char **names = read_names(directory, prefix + n_head, &n);
    closedir(directory);
    for (size_t i = 0; i < n; i++) {
        struct buf path = {0};
        buf_printf(&path, "%s%s", place, names[i]);
        buf_printf(out, "%s%s%s", head, names[i], is_directory(path.at) ? "/" : "");
        buf_putc(out, '\0');
        buf_free(&path);
        free(names[i]);
    }
    free(names);
}
