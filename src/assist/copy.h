/*
 * assist/copy.h - a copy of a project's directory, in which a proposal is tried.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* A larger project is not copied. */
#define SC_COPY_FILES_MAX 20000
#define SC_COPY_BYTES_MAX ((uint64_t)512 << 20)

struct sc_copied {
    uint64_t files;
    uint64_t bytes;
};

/* Copies all regular files and links below from to the new directory to, which must not exist; the
 * directory that to is made in is not copied. Directories and files that are not part of a program
 * are left out: version control, virtual environments, caches, files made by installers, and
 * profiles. Links out of the directory stay links. Names starting with a dot are copied only when
 * they are files. */
bool sc_copy_tree(const char *from, const char *to, struct sc_copied *ret_copied,
                  struct sc_err *err);

/* Removes a directory and everything in it; follows no link. Errors are not reported: what cannot
 * be removed stays. */
void sc_remove_tree(const char *path);
