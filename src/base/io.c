/*
 * base/io.c - whole files and clocks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

#define NAMES_TRIED 100

static bool fail_size(const char *path, size_t limit_bytes, struct sc_err *err)
{
    bool is_whole_mb = limit_bytes >> 20U != 0;
    return sc_fail(err, SC_ERR_FAILED, "'%s' is larger than %zu %s", path,
                   is_whole_mb ? limit_bytes >> 20U : limit_bytes, is_whole_mb ? "MB" : "bytes");
}

bool sc_read_file(const char *path, size_t limit_bytes, struct sc_str *ret_bytes,
                  struct sc_err *err)
{
    SC_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return sc_fail_errno(err, errno, "cannot read '%s'", path);
    char chunk[1 << 16];
    struct stat facts;
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

static bool write_all(int fd, const char *bytes, size_t length)
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

static bool write_in_place(const char *path, const char *bytes, size_t length, struct sc_err *err)
{
    SC_AUTO_CLOSE int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0 || !write_all(fd, bytes, length))
        return sc_fail_errno(err, errno, "cannot write '%s'", path);
    return true;
}

/* A new file in the path's directory, with a name that nobody else has: not another thread of ours,
 * and not what a killed process of the same number, in another container maybe, has left there. The
 * name is not made from the path's own, which might become too long. -1 and errno when the
 * directory takes none. */
static int make_beside(const char *path, char **ret_name)
{
    static atomic_uint made;
    const char *slash = strrchr(path, '/');
    int directory = slash != NULL ? (int)(slash + 1 - path) : 0;
    for (int tries = 0; tries < NAMES_TRIED; tries++) {
        char *name = sc_format("%.*s.scalene.%ld.%u.%llx.tmp", directory, path, (long)getpid(),
                               atomic_fetch_add(&made, 1), (unsigned long long)sc_now_ns());
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
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

bool sc_can_make_file(const char *path)
{
    SC_AUTO_FREE char *temporary = NULL;
    int fd = make_beside(path, &temporary);
    if (fd < 0)
        return false;
    (void)close(fd);
    (void)unlink(temporary);
    return true;
}

/* errno says why not. */
static bool write_beside(const char *target, const struct stat *old, const char *bytes,
                         size_t length)
{
    SC_AUTO_FREE char *temporary = NULL;
    int fd = make_beside(target, &temporary);
    if (fd < 0)
        return false;
    bool written = write_all(fd, bytes, length);
    int code = errno;
    if (old != NULL)
        (void)fchmod(fd, old->st_mode & 0777);
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

bool sc_write_file(const char *path, const char *bytes, size_t length, struct sc_err *err)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode))
        return write_in_place(path, bytes, length, err);
    /* a link stays a link: what it points to is replaced */
    SC_AUTO_FREE char *resolved = exists ? realpath(path, NULL) : NULL;
    const char *target = resolved ? resolved : path;
    if (write_beside(target, exists ? &status : NULL, bytes, length))
        return true;
    /* the directory takes no new file, or something is mounted on this one */
    if (exists && (errno == EACCES || errno == EPERM || errno == EROFS || errno == EBUSY))
        return write_in_place(target, bytes, length, err);
    return sc_fail_errno(err, errno, "cannot write '%s'", path);
}

uint64_t sc_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}
