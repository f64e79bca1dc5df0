/*
 * agent/loaded_object.h - reads the tables of objects that the loader has loaded.
 *
 * dladdr1 and dlvsym answer the same questions, but only glibc has them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What we need to know of one loaded object. */
struct sc_object {
    uintptr_t base;
    uintptr_t start; /* of its mappings */
    uintptr_t end;
    uintptr_t protected_start; /* pages that the loader has made read-only */
    uintptr_t protected_end;
    bool is_unprotected;
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *hashes[2]; /* DT_GNU_HASH, DT_HASH; NULL where the object has none */
    const ElfW(Rela) * tables[2];
    size_t counts[2];
};

/* Where the program's loader is loaded; 0 when that is not known. */
uintptr_t sc_object_loader(void);

/* The object's dynamic section, or NULL. */
const ElfW(Dyn) * sc_object_dynamic(const struct dl_phdr_info *info);

/* Reads the tables of an object that dl_iterate_phdr names; false when they are not complete. */
bool sc_object_read(const struct dl_phdr_info *info, struct sc_object *ret_object);

/* The number of dynamic symbols, from the hash table; 0 if the object has none. */
uint32_t sc_object_symbol_count(const struct sc_object *object);

/* Whether the address is in the object's mappings. */
bool sc_object_has(const struct sc_object *object, const void *address);

/* What the object exports by that name, or NULL. */
void *sc_object_definition(const struct sc_object *object, const char *name);

/* Reads the object that holds an address. Takes the loader's lock, as the next two do. */
bool sc_object_of(const void *address, struct sc_object *ret_object);

/* Copies the dynamic symbol whose value is this address; false when there is none. */
bool sc_object_symbol(const void *address, ElfW(Sym) * ret_symbol);

/* What the first object exports by that name: of those behind the object that holds own_address in
 * the order of loading, or, if any is set, of all but that one. NULL when there is none. */
void *sc_object_next(const void *own_address, const char *name, bool any);
