/*
 * agent/import_table.c - redirects calls of loaded objects to functions of this library.
 *
 * The tables are those of the ELF specification (System V ABI, chapter 5): DT_JMPREL has the
 * entries for calls, which may not be bound yet and then point to the object's own PLT stub;
 * DT_RELA has those that are bound at once. Both may be in pages that the loader has made read-only
 * (PT_GNU_RELRO).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/import_table.h"

#include <elf.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/loaded_object.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/state.h"

#if defined __x86_64__
#define CALL_ENTRY R_X86_64_JUMP_SLOT
#define DATA_ENTRY R_X86_64_GLOB_DAT
#elif defined __aarch64__
#define CALL_ENTRY R_AARCH64_JUMP_SLOT
#define DATA_ENTRY R_AARCH64_GLOB_DAT
#endif

#define OBJECTS_MAX 4096U /* objects beyond that are processed again each time */
#define WAITS_MAX   100000U

struct job {
    const struct sc_import *imports;
    size_t count;
    size_t changed;
    uintptr_t loader; /* as sc_object_loader has it */
    bool all;
    bool is_first; /* the next object is the first of this walk */
};

/* Held while objects are processed: musl's loader has no lock of its own for that. */
static atomic_flag is_busy = ATOMIC_FLAG_INIT;

/* Objects that have been processed, by their program headers. */
static const void *looked_at[OBJECTS_MAX];
static size_t looked_at_count;
static unsigned long long unloaded;

static const struct sc_import *find_import(const struct job *job, const char *name)
{
    for (size_t i = 0; i < job->count; i++) {
        if (job->imports[i].name[0] == name[0] && strcmp(job->imports[i].name, name) == 0)
            return &job->imports[i];
    }
    return NULL;
}

/* Whether the entry still has the loader's value: the original function, or the stub that binds it
 * at the first call. */
static bool is_the_loaders(const struct sc_object *object, const ElfW(Sym) * symbol, bool is_call,
                           const struct sc_import *import, const void *value)
{
    if (value == import->theirs)
        return true;
    return is_call && symbol->st_shndx == SHN_UNDEF && sc_object_has(object, value) &&
           !sc_object_has(object, import->theirs);
}

static bool make_writable(struct sc_object *object, uintptr_t place)
{
    if (place < object->protected_start || place >= object->protected_end || object->is_unprotected)
        return true;
    object->is_unprotected =
        mprotect((void *)object->protected_start, object->protected_end - object->protected_start,
                 PROT_READ | PROT_WRITE) == 0;
    return object->is_unprotected;
}

static void redirect_entry(struct job *job, struct sc_object *object, const ElfW(Rela) * entry)
{
    bool is_call = ELF64_R_TYPE(entry->r_info) == CALL_ENTRY;
    if (!is_call && ELF64_R_TYPE(entry->r_info) != DATA_ENTRY)
        return;
    const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(entry->r_info)];
    const struct sc_import *import = find_import(job, object->names + symbol->st_name);
    uintptr_t place = object->base + entry->r_offset;
    _Atomic uintptr_t *slot = (_Atomic uintptr_t *)place;
    if (import == NULL || !sc_object_has(object, (const void *)place) ||
        place % sizeof(void *) != 0)
        return;
    const void *value = (const void *)atomic_load_explicit(slot, memory_order_relaxed);
    if (value == import->ours || !is_the_loaders(object, symbol, is_call, import, value) ||
        !make_writable(object, place))
        return;
    atomic_store_explicit(slot, (uintptr_t)import->ours, memory_order_release);
    job->changed++;
}

/* The dynamic loader calls its own functions before anything is ready, and the vDSO has no imports.
 */
static bool is_special(const struct job *job, const struct dl_phdr_info *info)
{
    return (job->loader != 0 && info->dlpi_addr == job->loader) ||
           sc_object_dynamic(info) == NULL || strncmp(info->dlpi_name, "linux-vdso", 10) == 0;
}

static bool was_looked_at(const struct job *job, const void *headers)
{
    for (size_t i = 0; i < looked_at_count; i++) {
        if (looked_at[i] == headers)
            return !job->all;
    }
    if (looked_at_count < OBJECTS_MAX)
        looked_at[looked_at_count++] = headers;
    return false;
}

static int redirect_object(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct job *job = argument;
    struct sc_object object;
    (void)size;
    if (job->is_first && info->dlpi_subs != unloaded) {
        unloaded = info->dlpi_subs; /* an address may have been reused */
        looked_at_count = 0;
    }
    job->is_first = false;
    if (was_looked_at(job, info->dlpi_phdr) || is_special(job, info) ||
        !sc_object_read(info, &object))
        return 0;
    for (int table = 0; table < 2; table++) {
        for (size_t i = 0; i < object.counts[table]; i++)
            redirect_entry(job, &object, &object.tables[table][i]);
    }
    if (object.is_unprotected)
        (void)mprotect((void *)object.protected_start,
                       object.protected_end - object.protected_start, PROT_READ);
    return 0;
}

size_t sc_imports_redirect(const struct sc_import *imports, size_t count, bool all)
{
    struct job job = {.imports = imports,
                      .count = count,
                      .all = all,
                      .is_first = true,
                      .loader = sc_object_loader()};
    for (unsigned i = 0; atomic_flag_test_and_set(&is_busy); i++) {
        if (i == WAITS_MAX) /* held by a thread that a fork has left behind */
            return 0;
        (void)sched_yield();
    }
    (void)dl_iterate_phdr(redirect_object, &job);
    atomic_flag_clear(&is_busy);
    return job.changed;
}

size_t sc_imports_find(struct sc_import *ret_imports, bool (*is_wanted)(const char *name))
{
    struct sc_object own;
    size_t count = 0;
    if (!sc_object_of(&sc_agent, &own))
        return 0;
    uint32_t symbols = sc_object_symbol_count(&own);
    for (uint32_t i = 0; i < symbols && count < SC_IMPORTS_MAX; i++) {
        const char *name = own.names + own.symbols[i].st_name;
        if (own.symbols[i].st_shndx == SHN_UNDEF || !is_wanted(name))
            continue;
        struct sc_import import = {.name = name,
                                   .ours = (void *)(own.base + own.symbols[i].st_value),
                                   .theirs = sc_real_symbol(name)};
        if (import.theirs != NULL && import.theirs != import.ours)
            ret_imports[count++] = import;
    }
    return count;
}

void *sc_imports_own(const char *name)
{
    struct sc_object own;
    return sc_object_of(&sc_agent, &own) ? sc_object_definition(&own, name) : NULL;
}
