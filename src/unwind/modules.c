/*
 * unwind/modules.c - finds the loaded object that holds an address.
 *
 * glibc 2.35 and later have a lock-free function for it (_dl_find_object). It is looked up by name,
 * because the agent also has to load with a glibc that lacks it; there a list is used that was made
 * in normal context.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>

#include "unwind/record.h"
#include "unwind/signal_safe.h"
#include "unwind/unwind.h"

#define LISTED_MAX 256

struct listed {
    uint64_t start;
    uint64_t end;
    uint64_t header;
};

/* The part of struct dl_find_object (dlfcn.h, glibc 2.35) that is read here; the spare words make
 * it at least as long as glibc's on every processor. */
struct found_object {
    unsigned long long flags;
    void *map_start;
    void *map_end;
    struct link_map *link_map;
    void *eh_frame;
    unsigned long long spare[12];
};

typedef int find_object_function(void *address, struct found_object *ret_object);

static find_object_function *loader_find;
static bool loader_unwanted;

static struct listed listed[LISTED_MAX];
static _Atomic uint32_t listed_count;
static _Atomic uint32_t listed_version; /* odd while the list is being written */

static int list_one(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    uint32_t *count = context;
    struct listed one = {UINT64_MAX, 0, 0};
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_GNU_EH_FRAME)
            one.header = start;
        if (segment->p_type != PT_LOAD)
            continue;
        if (start < one.start)
            one.start = start;
        if (start + segment->p_memsz > one.end)
            one.end = start + segment->p_memsz;
    }
    if (one.header != 0 && *count < LISTED_MAX)
        listed[(*count)++] = one;
    return 0;
}

void sc_unwind_modules_gather(void)
{
    uint32_t count = 0;
    atomic_fetch_add(&listed_version, 1);
    (void)dl_iterate_phdr(list_one, &count);
    atomic_store(&listed_count, count);
    atomic_fetch_add(&listed_version, 1);
}

void sc_unwind_modules_ask_loader(bool ask)
{
    loader_unwanted = !ask;
}

void sc_unwind_init(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "_dl_find_object");
    if (symbol != NULL)
        __builtin_memcpy(&loader_find, &symbol, sizeof(loader_find));
    else
        sc_unwind_modules_gather();
}

SC_SIGNAL_SAFE static bool find_listed(uint64_t address, const struct sc_target *target,
                                       struct sc_unwind_module *ret_module)
{
    uint32_t version = atomic_load(&listed_version);
    uint32_t count = atomic_load(&listed_count);
    for (uint32_t i = 0; i < count; i++) {
        struct listed one = listed[i];
        if (address < one.start || address >= one.end)
            continue;
        *ret_module = (struct sc_unwind_module){one.start, one.end, one.header, target};
        atomic_thread_fence(memory_order_acquire);
        return version % 2 == 0 && atomic_load(&listed_version) == version;
    }
    return false;
}

SC_SIGNAL_SAFE bool sc_unwind_module_find(uint64_t address, const struct sc_target *target,
                                          struct sc_unwind_module *ret_module)
{
    if (loader_find == NULL || loader_unwanted)
        return find_listed(address, target, ret_module);
    struct found_object found;
    if (loader_find((void *)address, &found) != 0 || found.eh_frame == NULL)
        return false;
    *ret_module = (struct sc_unwind_module){(uint64_t)found.map_start, (uint64_t)found.map_end,
                                            (uint64_t)found.eh_frame, NULL};
    return true;
}

/* The loads are volatile so that the loop does not become a call of memcpy. */
SC_SIGNAL_SAFE static void load(uint64_t address, uint8_t *bytes, size_t length)
{
    size_t done = 0;
    for (; done + 8 <= length; done += 8) {
        uint64_t word = ((const struct sc_unaligned_word *)(address + done))->word;
        __builtin_memcpy(bytes + done, &word, 8);
    }
    for (; done < length; done++)
        bytes[done] = *(const volatile uint8_t *)(address + done);
}

SC_SIGNAL_SAFE bool sc_unwind_data(const struct sc_unwind_module *module, uint64_t address,
                                   void *bytes, size_t length)
{
    if (address < module->start || address > module->end || length > module->end - address)
        return false;
    if (module->target != NULL)
        return sc_target_read(module->target, address, bytes, length);
    load(address, bytes, length);
    return true;
}
