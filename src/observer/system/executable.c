/* observer/system/executable.c - see executable.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/system/executable.h"

#include <elf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

/* Every CPython has this text in it, an embedded one too. */
static const char python_text[] = "PYTHONHOME";
#define SEARCHED_BYTES_MAX ((off_t)256 << 20)

bool sc_executable_is_static(const char *path)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    bool found = false;
    SC_AUTO_CLOSE int fd = sc_open_regular(path);
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

/* Read, not mapped: the file may become shorter, and may claim any size. */
static bool holds_python(const char *path)
{
    enum { TEXT_BYTES = sizeof(python_text) - 1, PART_BYTES = 1 << 16 };
    SC_AUTO_FREE char *bytes = sc_alloc(1, TEXT_BYTES + PART_BYTES);
    SC_AUTO_CLOSE int fd = sc_open_regular(path);
    size_t kept = 0; /* bytes of the part before: the text may lie across both */
    for (off_t at = 0; fd >= 0 && at < SEARCHED_BYTES_MAX;) {
        ssize_t got = pread(fd, bytes + kept, PART_BYTES, at);
        if (got <= 0)
            return false;
        size_t length = kept + (size_t)got;
        if (memmem(bytes, length, python_text, TEXT_BYTES) != NULL)
            return true;
        at += got;
        kept = length < TEXT_BYTES ? length : TEXT_BYTES;
        memmove(bytes, bytes + length - kept, kept);
    }
    return false;
}

/* The interpreter in the first line of a script; false when the file is none. */
static bool interpreter_of(const char *path, char ret_path[PATH_MAX])
{
    char line[256];
    SC_AUTO_CLOSE int fd = sc_open_regular(path);
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

/* The loader ignores LD_PRELOAD where a process gains rights. */
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

/* The file that a name stands for, NULL when there is none. */
static char *find_executable(const char *name)
{
    const char *folder = getenv("PATH");
    if (strchr(name, '/') != NULL)
        return sc_strdup(name);
    while (folder != NULL && *folder != '\0') {
        int length = (int)strcspn(folder, ":");
        char *path = sc_format("%.*s/%s", length, folder, name);
        if (length > 0 && access(path, X_OK) == 0)
            return path;
        free(path);
        folder += length;
        folder += *folder == ':';
    }
    return NULL;
}

void sc_executable_examine(const char *question, size_t length, struct sc_str *ret_answer)
{
    (void)length;
    SC_AUTO_FREE char *path = find_executable(question);
    const char *obstacle = path != NULL ? sc_executable_obstacle(path) : NULL;
    const char *texts[] = {path, obstacle != NULL ? obstacle : ""};
    for (size_t i = 0; path != NULL && i < 2; i++)
        sc_str_add_bytes(ret_answer, texts[i], strlen(texts[i]) + 1);
}
