/*
 * base/libraries.c - see libraries.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/libraries.h"

#include <stddef.h>
#include <string.h>

#include "base/str.h"

/* Beginnings of file names. */
static const char interpreters[] = "python libpython";
static const char runtimes[] =
    "libc. libc-2. libm. libm-2. libpthread libdl. libdl- librt. librt- libutil. libutil- "
    "ld-linux ld-2. libgcc_s libscalene libjemalloc libtcmalloc libmimalloc libasan "
    "libtsan libubsan";

static bool begins(const char *path, const char *beginnings)
{
    const char *name = strrchr(path, '/');
    name = name != NULL ? name + 1 : path;
    size_t length = 0;
    for (const char *word = beginnings; (word = sc_next_word(word, &length)) != NULL;
         word += length) {
        if (strncmp(name, word, length) == 0)
            return true;
    }
    return false;
}

bool sc_is_interpreter_file(const char *path)
{
    return begins(path, interpreters);
}

bool sc_is_runtime_library(const char *path)
{
    return begins(path, runtimes);
}
