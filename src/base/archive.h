/*
 * base/archive.h - files inside zip archives, as Python imports them (zipapp, eggs).
 *
 * What is no plain archive, is encrypted, has 64-bit sizes or is damaged has no files: an archive
 * may come from anywhere, and nothing that it says of itself is believed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"

/* The part of a path that is a regular file, which the rest leads into, to be freed: "/a/b.zip" of
 * "/a/b.zip/c/d.py". Sets ret_member to the rest, a part of path. NULL when there is none. */
char *sc_archive_of(const char *path, const char **ret_member);

/* Adds the bytes of a file in an archive, if those are no more than limit_bytes. */
bool sc_archive_read(const char *archive, const char *member, size_t limit_bytes,
                     struct sc_str *ret_bytes);
