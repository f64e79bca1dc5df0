/*
 * agent/loaded_object.c - reads the tables of objects that the loader has loaded.
 *
 * The tables are those of the ELF specification (System V ABI, chapter 5), and DT_GNU_HASH.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/loaded_object.h"

#include <dlfcn.h>
#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

struct search {
    const void *address;
    const char *name;
    void *found;
    struct sc_object object;
    bool is_begun; /* definitions count from here on */
};

static void find_extent(const struct dl_phdr_info *info, struct sc_object *object)
{
    uintptr_t page_mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    object->start = UINTPTR_MAX;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        uintptr_t end = start + header->p_memsz;
        if (header->p_type == PT_LOAD) {
            object->start = start < object->start ? start : object->start;
            object->end = end > object->end ? end : object->end;
        } else if (header->p_type == PT_GNU_RELRO) {
            object->protected_start = start & page_mask;
            object->protected_end = end & page_mask; /* as the loader rounds */
        }
    }
}

/* The auxiliary vector lacks it where the loader was started as a program. */
uintptr_t sc_object_loader(void)
{
    const struct r_debug *debug = dlsym(RTLD_DEFAULT, "_r_debug");
    uintptr_t base = debug != NULL ? debug->r_ldbase : 0;
    return base != 0 ? base : getauxval(AT_BASE);
}

const ElfW(Dyn) * sc_object_dynamic(const struct dl_phdr_info *info)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    }
    return NULL;
}

/* glibc's loader adds the base address to pointers in the dynamic section, if that is writable. */
static const void *pointer_of(const struct sc_object *object, const ElfW(Dyn) * entry)
{
    uintptr_t value = entry->d_un.d_ptr;
    return (const void *)(value < object->start ? object->base + value : value);
}

/* The index after the last symbol of a GNU hash table: {buckets, first symbol, words of the filter,
 * shift}, the filter, the buckets, and a chain of hashes whose last has its lowest bit set. */
static uint32_t symbols_end(const uint32_t *hash)
{
    const uint32_t *buckets = hash + 4 + hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chain = buckets + hash[0];
    uint32_t last = 0;
    for (uint32_t i = 0; i < hash[0]; i++)
        last = buckets[i] > last ? buckets[i] : last;
    if (last < hash[1])
        return 0;
    while ((chain[last - hash[1]] & 1U) == 0)
        last++;
    return last + 1;
}

bool sc_object_read(const struct dl_phdr_info *info, struct sc_object *object)
{
    const ElfW(Dyn) *entry = sc_object_dynamic(info);
    size_t bytes[2] = {0};
    bool has_addends = true;
    *object = (struct sc_object){.base = info->dlpi_addr};
    find_extent(info, object);
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_SYMTAB:
            object->symbols = pointer_of(object, entry);
            break;
        case DT_STRTAB:
            object->names = pointer_of(object, entry);
            break;
        case DT_GNU_HASH:
            object->hashes[0] = pointer_of(object, entry);
            break;
        case DT_HASH:
            object->hashes[1] = pointer_of(object, entry);
            break;
        case DT_JMPREL:
            object->tables[0] = pointer_of(object, entry);
            break;
        case DT_PLTRELSZ:
            bytes[0] = entry->d_un.d_val;
            break;
        case DT_PLTREL:
            has_addends = entry->d_un.d_val == DT_RELA;
            break;
        case DT_RELA:
            object->tables[1] = pointer_of(object, entry);
            break;
        case DT_RELASZ:
            bytes[1] = entry->d_un.d_val;
            break;
        default:
            break;
        }
    }
    for (int i = 0; i < 2; i++)
        object->counts[i] = object->tables[i] != NULL ? bytes[i] / sizeof(ElfW(Rela)) : 0;
    return object->symbols != NULL && object->names != NULL && has_addends;
}

uint32_t sc_object_symbol_count(const struct sc_object *object)
{
    if (object->hashes[1] != NULL)
        return object->hashes[1][1]; /* {buckets, symbols} */
    return object->hashes[0] != NULL ? symbols_end(object->hashes[0]) : 0;
}

bool sc_object_has(const struct sc_object *object, const void *address)
{
    return (uintptr_t)address >= object->start && (uintptr_t)address < object->end;
}

void *sc_object_definition(const struct sc_object *object, const char *name)
{
    uint32_t count = sc_object_symbol_count(object);
    for (uint32_t i = 0; i < count; i++) {
        const ElfW(Sym) *symbol = &object->symbols[i];
        if (symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
            strcmp(object->names + symbol->st_name, name) == 0)
            return (void *)(object->base + symbol->st_value);
    }
    return NULL;
}

static int find_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;
    (void)size;
    return sc_object_read(info, &search->object) && sc_object_has(&search->object, search->address);
}

bool sc_object_of(const void *address, struct sc_object *ret_object)
{
    struct search search = {.address = address};
    if (dl_iterate_phdr(find_object, &search) == 0)
        return false;
    *ret_object = search.object;
    return true;
}

bool sc_object_symbol(const void *address, ElfW(Sym) * ret_symbol)
{
    struct sc_object object;
    if (!sc_object_of(address, &object))
        return false;
    uint32_t count = sc_object_symbol_count(&object);
    for (uint32_t i = 0; i < count; i++) {
        if (object.symbols[i].st_value == (uintptr_t)address - object.base) {
            *ret_symbol = object.symbols[i];
            return true;
        }
    }
    return false;
}

static int find_definition(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;
    (void)size;
    if (!sc_object_read(info, &search->object))
        return 0;
    if (sc_object_has(&search->object, search->address))
        search->is_begun = true;
    else if (search->is_begun)
        search->found = sc_object_definition(&search->object, search->name);
    return search->found != NULL;
}

void *sc_object_next(const void *own_address, const char *name, bool any)
{
    struct search search = {.address = own_address, .name = name, .is_begun = any};
    (void)dl_iterate_phdr(find_definition, &search);
    return search.found;
}
