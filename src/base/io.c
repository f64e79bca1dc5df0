/* base/io.c - see io.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

#define NAMES_TRIED 100
#define LINKS_MAX   40 /* of Linux (MAXSYMLINKS) */
#define PRIVATE     0600U
#define PUBLIC      0666U

static bool fail_size(const char *path, size_t limit_bytes, struct sc_err *err)
{
    bool is_whole_mb = limit_bytes >> 20U != 0;
    return sc_fail(err, SC_ERR_FAILED, "'%s' is larger than %zu %s", path,
                   is_whole_mb ? limit_bytes >> 20U : limit_bytes, is_whole_mb ? "MB" : "bytes");
}

bool sc_read_part(int fd, uint64_t offset, void *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = pread(fd, (char *)bytes + done, length - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* The file may be replaced between the two checks; O_NONBLOCK keeps that from blocking. */
int sc_open_regular(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        return -1;
    int fd = -1;
    if (S_ISREG(facts.st_mode))
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    else
        errno = S_ISDIR(facts.st_mode) ? EISDIR : EINVAL;
    if (fd < 0 || (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode)))
        return fd;
    (void)close(fd);
    errno = EINVAL;
    return -1;
}

/* fd: -1 with errno where the file could not be opened. */
static bool read_opened(int fd, const char *path, size_t limit_bytes, struct sc_str *ret_bytes,
                        struct sc_err *err)
{
    char chunk[1 << 16];
    struct stat facts;
    if (fd < 0)
        return sc_fail_errno(err, errno, "cannot read '%s'", path);
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
        if ((size_t)facts.st_size > limit_bytes)
            return fail_size(path, limit_bytes, err);
        sc_str_reserve(ret_bytes, (size_t)facts.st_size);
    }
    for (;;) {
        ssize_t got = read(fd, chunk, sizeof(chunk));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return sc_fail_errno(err, errno, "cannot read '%s'", path);
        if (got == 0)
            return true;
        if (ret_bytes->length + (size_t)got > limit_bytes)
            return fail_size(path, limit_bytes, err);
        sc_str_add_bytes(ret_bytes, chunk, (size_t)got);
    }
}

bool sc_read_file(const char *path, size_t limit_bytes, struct sc_str *ret_bytes,
                  struct sc_err *err)
{
    SC_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    return read_opened(fd, path, limit_bytes, ret_bytes, err);
}

bool sc_read_regular_file(const char *path, size_t limit_bytes, struct sc_str *ret_bytes,
                          struct sc_err *err)
{
    struct stat facts;
    if (stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size == 0)
        return true;
    SC_AUTO_CLOSE int fd = sc_open_regular(path);
    if (fd < 0 && (errno == EINVAL || errno == EISDIR))
        return sc_fail(err, SC_ERR_FAILED, "'%s' is no regular file", path);
    return read_opened(fd, path, limit_bytes, ret_bytes, err);
}

bool sc_write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t put = write(fd, bytes, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        bytes += put;
        length -= (size_t)put;
    }
    return true;
}

static bool write_in_place(const char *path, const char *bytes, size_t length, bool is_private,
                           struct sc_err *err)
{
    SC_AUTO_CLOSE int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    struct stat status;
    if (is_private && fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        (void)fchmod(fd, status.st_mode & PRIVATE); /* fails on another user's file */
    if (fd < 0 || !sc_write_all(fd, bytes, length))
        return sc_fail_errno(err, errno, "cannot write '%s'", path);
    return true;
}

/* A new file in the path's directory, with a name that is not in use: not by another thread of
 * ours, nor by a file that a killed process of the same number, perhaps in another container, has
 * left there. The name is not made from the path's own, which might become too long. -1 and errno
 * when the directory takes none. */
static int make_beside(const char *path, mode_t mode, char **ret_name)
{
    static atomic_uint made;
    const char *slash = strrchr(path, '/');
    int directory = slash != NULL ? (int)(slash + 1 - path) : 0;
    for (int tries = 0; tries < NAMES_TRIED; tries++) {
        char *name = sc_format("%.*s.scalene.%ld.%u.%llx.tmp", directory, path, (long)getpid(),
                               atomic_fetch_add(&made, 1), (unsigned long long)sc_now_ns());
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0) {
            *ret_name = name;
            return fd;
        }
        int code = errno;
        free(name);
        errno = code;
        if (code != EEXIST)
            break;
    }
    return -1;
}

/* What the path names, as open has it: where it is a link, what that leads to, which need not be
 * there. To be freed; NULL and errno where links lead in a circle. */
static char *follow_links(const char *path)
{
    char *at = sc_strdup(path);
    for (int i = 0; i < LINKS_MAX; i++) {
        char to[PATH_MAX];
        ssize_t length = readlink(at, to, sizeof(to));
        if (length <= 0)
            return at;
        const char *slash = to[0] != '/' ? strrchr(at, '/') : NULL;
        int folder = slash != NULL ? (int)(slash + 1 - at) : 0;
        char *next = sc_format("%.*s%.*s", folder, at, (int)length, to);
        free(at);
        at = next;
    }
    free(at);
    errno = ELOOP;
    return NULL;
}

bool sc_can_make_file(const char *path)
{
    SC_AUTO_FREE char *temporary = NULL;
    SC_AUTO_FREE char *target = follow_links(path);
    int fd = target != NULL ? make_beside(target, PRIVATE, &temporary) : -1;
    if (fd < 0)
        return false;
    (void)close(fd);
    (void)unlink(temporary);
    return true;
}

/* Before anything is written: the rights of the file that is replaced. errno says why not. */
static bool take_rights(int fd, const struct stat *old, bool is_private)
{
    struct stat made;
    if (is_private)
        return fchmod(fd, old->st_mode & PRIVATE) == 0;
    if (fstat(fd, &made) != 0)
        return false;
    bool is_same = made.st_uid == old->st_uid && made.st_gid == old->st_gid;
    return (is_same || fchown(fd, old->st_uid, old->st_gid) == 0) &&
           fchmod(fd, old->st_mode & 0777) == 0;
}

/* old: the file that is replaced, NULL without one. errno says why not. */
static bool write_beside(const char *target, const struct stat *old, const char *bytes,
                         size_t length, bool is_private)
{
    SC_AUTO_FREE char *temporary = NULL;
    int fd = make_beside(target, is_private || old != NULL ? PRIVATE : PUBLIC, &temporary);
    if (fd < 0)
        return false;
    bool written =
        (old == NULL || take_rights(fd, old, is_private)) && sc_write_all(fd, bytes, length);
    int code = errno;
    if (close(fd) != 0 && written) {
        written = false;
        code = errno;
    }
    if (written && rename(temporary, target) != 0) {
        written = false;
        code = errno;
    }
    if (!written)
        (void)unlink(temporary);
    errno = code;
    return written;
}

static bool write_somewhere(const char *path, const char *bytes, size_t length, bool is_private,
                            struct sc_err *err)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode))
        return write_in_place(path, bytes, length, is_private, err);
    SC_AUTO_FREE char *target = follow_links(path); /* a link stays a link */
    if (target != NULL && write_beside(target, exists ? &status : NULL, bytes, length, is_private))
        return true;
    /* the directory takes no new file, something is mounted on this one, or it is another's */
    bool is_refused = errno == EACCES || errno == EPERM || errno == EROFS || errno == EBUSY;
    if (target != NULL && exists && is_refused)
        return write_in_place(target, bytes, length, is_private, err);
    return sc_fail_errno(err, errno, "cannot write '%s'", path);
}

/* Exceeding the limit of a file's size is an error like others, and no signal. */
static bool write_any(const char *path, const char *bytes, size_t length, bool is_private,
                      struct sc_err *err)
{
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    bool is_written = write_somewhere(path, bytes, length, is_private, err);
    (void)signal(SIGXFSZ, before);
    return is_written;
}

bool sc_write_file(const char *path, const char *bytes, size_t length, struct sc_err *err)
{
    return write_any(path, bytes, length, false, err);
}

bool sc_write_private_file(const char *path, const char *bytes, size_t length, struct sc_err *err)
{
    return write_any(path, bytes, length, true, err);
}

static uint64_t whole_ns(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * 1000000000U + (uint64_t)time->tv_nsec;
}

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now = {0};
    (void)syscall(SYS_clock_gettime, clock, &now); /* preloaded libraries have other times */
    return whole_ns(&now);
}

uint64_t sc_jiffy_ns(void)
{
    struct timespec jiffy = {0};
    (void)clock_getres(CLOCK_MONOTONIC_COARSE, &jiffy);
    return whole_ns(&jiffy);
}

uint64_t sc_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t sc_boottime_ns(void)
{
    return read_clock(CLOCK_BOOTTIME);
}

uint64_t sc_realtime_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

uint64_t sc_own_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

struct timespec sc_timespec(uint64_t time_ns)
{
    return (struct timespec){.tv_sec = (time_t)(time_ns / 1000000000U),
                             .tv_nsec = (long)(time_ns % 1000000000U)};
}

struct timespec sc_libcs_moment(uint64_t time_ns)
{
    struct timespec libcs = {0};
    uint64_t now_ns = sc_now_ns();
    (void)clock_gettime(CLOCK_MONOTONIC, &libcs);
    return time_ns > now_ns ? sc_timespec(whole_ns(&libcs) + (time_ns - now_ns)) : libcs;
}
