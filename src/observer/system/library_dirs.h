/*
 * observer/system/library_dirs.h - where a Python keeps its standard library and installed
 * packages.
 *
 * Found in the file system, as the interpreter itself finds them; no Python code runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct sc_helper;

struct sc_library_dirs {
    SC_VEC(char *) paths; /* absolute, existing */
};

/* Adds the directories of the interpreter whose executable this is (resolved; may be NULL). version
 * is 0x030b for 3.11. helper reads the file system, and may be NULL. */
void sc_library_dirs_add(struct sc_library_dirs *dirs, struct sc_helper *helper,
                         const char *executable, uint16_t version, bool free_threaded);
void sc_library_dirs_done(struct sc_library_dirs *dirs);
