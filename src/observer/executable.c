/*
 * observer/executable.c - whether the agent can be loaded into what a file becomes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/executable.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/mem.h"

/* Every CPython has this text in it, an embedded one too. */
static const char python_text[] = "PYTHONHOME";

bool sc_executable_is_static(const char *path)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    bool found = false;
    SC_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    for (unsigned i = 0; i < header.e_phnum && !found; i++) {
        off_t at = (off_t)(header.e_phoff + (uint64_t)i * header.e_phentsize);
        found = pread(fd, &segment, sizeof(segment), at) == (ssize_t)sizeof(segment) &&
                segment.p_type == PT_INTERP;
    }
    return !found;
}

static bool holds_python(const char *path)
{
    struct stat status;
    SC_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
        return false;
    size_t size = (size_t)status.st_size;
    void *mapped = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapped == MAP_FAILED)
        return false;
    bool found = memmem(mapped, size, python_text, sizeof(python_text) - 1) != NULL;
    (void)munmap(mapped, size);
    return found;
}

/* The interpreter in the first line of a script; false when the file is none. */
static bool interpreter_of(const char *path, char ret_path[PATH_MAX])
{
    char line[256];
    SC_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, line, sizeof(line) - 1) : -1;
    if (length < 3 || line[0] != '#' || line[1] != '!')
        return false;
    line[length] = '\0';
    const char *begin = line + 2 + strspn(line + 2, " \t");
    size_t size = strcspn(begin, " \t\n");
    memcpy(ret_path, begin, size);
    ret_path[size] = '\0';
    return size > 0;
}

/* The loader takes no orders from the environment where rights are gained. */
static const char *gained_rights(const char *path, const struct stat *status)
{
    if ((status->st_mode & S_ISUID) != 0 && status->st_uid != geteuid())
        return "is set-uid";
    if ((status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
        status->st_gid != getegid())
        return "is set-gid";
    if (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
        return "has capabilities";
    return NULL;
}

const char *sc_executable_obstacle(const char *path)
{
    char interpreter[PATH_MAX];
    struct stat status;
    const char *file = interpreter_of(path, interpreter) ? interpreter : path;
    if (stat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return NULL;
    const char *rights = gained_rights(file, &status);
    if (rights != NULL)
        return rights;
    return sc_executable_is_static(file) && holds_python(file) ? "is a statically linked Python"
                                                               : NULL;
}
