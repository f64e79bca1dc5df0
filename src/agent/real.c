/* agent/real.c - see real.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/real.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "agent/loaded_object.h"

static struct sc_real real;
static _Atomic bool looked_up;
static bool is_late;

void sc_real_is_late(void)
{
    is_late = true;
#ifndef __GLIBC__
    /* musl finds no next function for a library that was loaded late */
    atomic_store_explicit(&looked_up, false, memory_order_release);
#endif
}

/* Whether the address is only a PLT stub in the executable: if code that is not
 * position-independent takes a function's address, the stub's address is used for the function
 * everywhere. A call of the stub would come back to us once that executable's imports are
 * redirected. */
static bool is_stand_in(const void *found)
{
    ElfW(Sym) entry;
    return sc_object_symbol(found, &entry) && entry.st_shndx == SHN_UNDEF;
}

/* The definition in the first library after the executable, in load order. */
static void *library_symbol(const char *name)
{
    struct link_map *map = NULL;
    void *found = NULL;
    void *program = dlopen(NULL, RTLD_LAZY);
    if (program == NULL || dlinfo(program, RTLD_DI_LINKMAP, &map) != 0)
        return NULL;
    for (map = map->l_next; map != NULL && found == NULL; map = map->l_next) {
        void *library =
            map->l_name[0] != '\0' ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        if (library == NULL)
            continue;
        found = dlsym(library, name);
        (void)dlclose(library);
    }
    (void)dlclose(program);
    return found;
}

void *sc_real_symbol(const char *name)
{
    if (!is_late)
        return dlsym(RTLD_NEXT, name);
    void *found = dlsym(RTLD_DEFAULT, name);
    return found != NULL && is_stand_in(found) ? library_symbol(name) : found;
}

const struct sc_real *sc_real_if_known(void)
{
    return atomic_load_explicit(&looked_up, memory_order_acquire) ? &real : NULL;
}

bool sc_real_has(const void *function)
{
    const void *known;
    for (size_t at = 0; at < sizeof(real); at += sizeof(known)) { /* all are pointers */
        __builtin_memcpy(&known, (const char *)&real + at, sizeof(known));
        if (known == function)
            return true;
    }
    return false;
}

const struct sc_real *sc_real(void)
{
    /* two threads may both look: they write the same values */
    if (!atomic_load_explicit(&looked_up, memory_order_acquire)) {
#define X_LOOK_UP(result, name, parameters)                                                        \
    {                                                                                              \
        void *symbol = sc_real_symbol(#name);                                                      \
        __builtin_memcpy(&real.name, &symbol, sizeof(symbol));                                     \
    }
        SC_REAL_FUNCTIONS(X_LOOK_UP)
#undef X_LOOK_UP
        atomic_store_explicit(&looked_up, true, memory_order_release);
    }
    return &real;
}
