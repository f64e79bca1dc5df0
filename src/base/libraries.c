/* base/libraries.c - see libraries.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/libraries.h"

#include "base/str.h"

/* Beginnings of file names. */
static const char interpreters[] = "python libpython";
static const char runtimes[] =
    "libc. libc-2. libm. libm-2. libpthread libdl. libdl- librt. librt- libutil. libutil- "
    "ld-linux ld-2. ld-musl libgcc_s libscalene libjemalloc libtcmalloc libmimalloc libasan "
    "libtsan libubsan";

bool sc_is_interpreter_file(const char *path)
{
    return sc_starts_with_any(sc_after_last(path, '/'), interpreters);
}

bool sc_is_runtime_library(const char *path)
{
    return sc_starts_with_any(sc_after_last(path, '/'), runtimes);
}
