/*
 * observer/stack/directories.h - the working directories of a process, for names relative to them.
 *
 * A code object has the name of its file as that was given: "prog.py" on a command line up to 3.8,
 * and with runpy and compile to this day. What the name is relative to is the working directory
 * when the code was made. It is first seen when it runs, when the program may have left that
 * directory, so the file is looked for in the latest directory first, then in those before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

#include "base/vec.h"

struct sc_helper;

struct sc_directories {
    struct sc_helper *helper; /* finds files (base/helper.h), or NULL; not owned */
    SC_VEC(char *) paths;     /* each once, the latest last */
};

void sc_directories_done(struct sc_directories *directories);

/* The process is in that directory now. */
void sc_directories_enter(struct sc_directories *directories, const char *path);

/* The process has those of its parent, too: where it comes from is the latest. */
void sc_directories_inherit(struct sc_directories *directories,
                            const struct sc_directories *parents);

/* The path of a file with a relative name, to be freed; NULL without any directory. One that is in
 * no directory is named as if it were in the latest. */
char *sc_directories_find(const struct sc_directories *directories, const char *file);
