/*
 * observer/stack/naming.h - what native frames are called in a profile, and which are left out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "build/build.h"
#include "symbol/symbols.h"

struct sc_naming {
    struct sc_symbols *symbols;       /* not owned */
    const struct sc_collect *collect; /* with all code that may be asked for; not owned */
    struct sc_map prepared; /* modules, by their id in the names of the collect: their code is
                               known to symbols */
    char *place; /* the last place in a file that was given instead of a name; to be freed at the
                    end */
};

/* A sc_native_namer; context is a struct sc_naming. */
size_t sc_name_native(void *context, const char *module, uint64_t offset,
                      struct sc_native_name ret_names[SC_NATIVE_NAMES_MAX]);
