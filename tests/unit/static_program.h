/*
 * tests/unit/static_program.h - a file that looks like a statically linked program.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <elf.h>

#include "base/str.h"
#include "sc_test.h"

/* An executable without a program interpreter, the text at its end, of that many bytes. Returns its
 * path, to be freed. */
static inline char *make_static(const char *folder, const char *name, const char *text, off_t size)
{
    char *path = sc_format("%s/%s", folder, name);
    Elf64_Ehdr header = {.e_phoff = sizeof(header), .e_phentsize = sizeof(Elf64_Phdr)};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0700);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, &header, sizeof(header), 0), (ssize_t)sizeof(header));
    assert_int_equal(ftruncate(fd, size), 0);
    assert_int_equal(pwrite(fd, text, strlen(text), size - (off_t)strlen(text)),
                     (ssize_t)strlen(text));
    assert_int_equal(close(fd), 0);
    return path;
}
