/*
 * base/git_commit.h - which commit a folder is checked out at, from the files of its repository.
 *
 * git is not run: it would take longer than reading four small files, and may run programs that a
 * repository names.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Hexadecimal digits, owned by the caller. folder: an absolute path. NULL: it is in no repository,
 * which has no commit yet, or keeps its references in another way. */
char *sc_git_commit(const char *folder);

/* Whether a text is the name of a commit, of SHA-1 or SHA-256. */
bool sc_is_git_commit(const char *text, size_t length);
