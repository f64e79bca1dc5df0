/* assist/copy.c - see copy.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"

#define DEPTH_MAX 64

/* State of a copy; paths are those of directories. */
struct copying {
    struct sc_copied *copied;
    struct sc_err *err;
    int depth;
    struct stat target; /* of the directory that the copy is made in */
};

static bool is_left_out(const char *name, bool is_directory)
{
    if (!is_directory)
        return strstr(name, "scalene-profile") != NULL || sc_ends_with(name, ".pyc");
    return name[0] == '.' || sc_is_among(name, "__pycache__ node_modules site-packages");
}

static bool copy_bytes(int from, int to, uint64_t *bytes)
{
    char chunk[1 << 16];
    for (;;) {
        ssize_t got = read(from, chunk, sizeof(chunk));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        *bytes += (uint64_t)got;
        if (!sc_write_all(to, chunk, (size_t)got))
            return false;
        if (*bytes > SC_COPY_BYTES_MAX)
            return true; /* the caller reports it */
    }
}

static bool copy_file(struct copying *copying, const char *from, const char *to, mode_t mode)
{
    SC_AUTO_CLOSE int source = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (source < 0)
        return errno == EACCES || sc_fail_errno(copying->err, errno, "cannot read '%s'", from);
    SC_AUTO_CLOSE int target =
        open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode & 0700) | 0600);
    if (target < 0 || !copy_bytes(source, target, &copying->copied->bytes))
        return sc_fail_errno(copying->err, errno, "cannot copy '%s'", from);
    struct stat status;
    if (fstat(source, &status) == 0)
        (void)futimens(target, (struct timespec[2]){status.st_atim, status.st_mtim});
    return true;
}

static bool copy_link(const char *from, const char *to)
{
    char target[4096];
    ssize_t length = readlink(from, target, sizeof(target) - 1);
    if (length > 0) {
        target[length] = '\0';
        (void)symlink(target, to); /* a link that cannot be made is left out */
    }
    return true;
}

static bool copy_directory(struct copying *copying, const char *from, const char *to);

static bool copy_entry(struct copying *copying, const char *from, const char *to, const char *name)
{
    SC_AUTO_FREE char *source = sc_format("%s/%s", from, name);
    SC_AUTO_FREE char *target = sc_format("%s/%s", to, name);
    struct stat status;
    if (lstat(source, &status) != 0 || is_left_out(name, S_ISDIR(status.st_mode)))
        return true;
    copying->copied->files++;
    bool good = true;
    bool is_target =
        status.st_ino == copying->target.st_ino && status.st_dev == copying->target.st_dev;
    if (S_ISDIR(status.st_mode) && !is_target) {
        /* a virtual environment under any name */
        SC_AUTO_FREE char *mark = sc_format("%s/pyvenv.cfg", source);
        if (access(mark, F_OK) != 0)
            good = copy_directory(copying, source, target);
    } else if (S_ISLNK(status.st_mode)) {
        good = copy_link(source, target);
    } else if (S_ISREG(status.st_mode)) {
        if (copying->copied->bytes + (uint64_t)status.st_size <= SC_COPY_BYTES_MAX)
            good = copy_file(copying, source, target, status.st_mode);
        else
            copying->copied->bytes = SC_COPY_BYTES_MAX + 1;
    }
    if (good &&
        (copying->copied->files > SC_COPY_FILES_MAX || copying->copied->bytes > SC_COPY_BYTES_MAX))
        return sc_fail(copying->err, SC_ERR_FAILED,
                       "the directory of the program is too large to be copied (%d files, %u MB at "
                       "most)",
                       SC_COPY_FILES_MAX, (unsigned)(SC_COPY_BYTES_MAX >> 20U));
    return good;
}

static bool copy_directory(struct copying *copying, const char *from, const char *to)
{
    if (mkdir(to, 0700) != 0)
        return sc_fail_errno(copying->err, errno, "cannot make '%s'", to);
    DIR *directory = copying->depth < DEPTH_MAX ? opendir(from) : NULL;
    if (directory == NULL)
        return copying->depth > 0 || sc_fail_errno(copying->err, errno, "cannot read '%s'", from);
    bool good = true;
    copying->depth++;
    for (struct dirent *entry; good && (entry = readdir(directory)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            good = copy_entry(copying, from, to, entry->d_name);
    copying->depth--;
    (void)closedir(directory);
    return good;
}

bool sc_copy_tree(const char *from, const char *to, struct sc_copied *ret_copied,
                  struct sc_err *err)
{
    struct sc_copied copied = {0};
    struct copying copying = {.copied = &copied, .err = err};
    SC_AUTO_FREE char *above = sc_strndup(to, (size_t)(strrchr(to, '/') - to));
    (void)stat(above, &copying.target);
    bool good = copy_directory(&copying, from, to);
    if (good)
        *ret_copied = copied;
    return good;
}

static void remove_below(int parent, const char *name, int depth)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    if (directory == NULL) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (sc_is_among(entry->d_name, ". .."))
            continue;
        if (unlinkat(fd, entry->d_name, 0) == 0 || depth > 2 * DEPTH_MAX)
            continue;
        remove_below(fd, entry->d_name, depth + 1);
        (void)unlinkat(fd, entry->d_name, AT_REMOVEDIR);
    }
    (void)closedir(directory);
}

void sc_remove_tree(const char *path)
{
    remove_below(AT_FDCWD, path, 0);
    (void)rmdir(path);
}
