/*
 * unwind/modules.c - finds the loaded object that holds an address.
 *
 * glibc 2.35 and later have a lock-free function for it (_dl_find_object). It is looked up by name,
 * because the agent also has to load with a glibc that lacks it, and with musl. There a list is
 * used that is made in normal context, and again when the program looks up a function of a library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>

#include "unwind/record.h"
#include "unwind/signal_safe.h"
#include "unwind/unwind.h"

#define LISTED_MAX 4096

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

static struct listed listed[LISTED_MAX]; /* by address */
static _Atomic uint32_t listed_count;
static _Atomic uint32_t listed_version;           /* odd while the list is being written */
static _Atomic unsigned long long listed_changes; /* the loader's count when it was made */
static atomic_flag is_following = ATOMIC_FLAG_INIT;

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
    if (one.header == 0 || *count == LISTED_MAX)
        return 0;
    uint32_t at = (*count)++;
    for (; at > 0 && listed[at - 1].start > one.start; at--)
        listed[at] = listed[at - 1];
    listed[at] = one;
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

/* What the loader has counted. */
struct changes {
    unsigned long long loads;
    unsigned long long unloads;
};

static int read_changes(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(struct changes *)context = (struct changes){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

uint32_t sc_unwind_modules_follow(void)
{
    struct changes seen = {0};
    bool is_listing = loader_find == NULL || loader_unwanted;
    (void)dl_iterate_phdr(read_changes, &seen);
    if (is_listing && seen.loads + seen.unloads != atomic_load(&listed_changes) &&
        !atomic_flag_test_and_set(&is_following)) {
        sc_unwind_modules_gather();
        atomic_store(&listed_changes, seen.loads + seen.unloads);
        atomic_flag_clear(&is_following);
    }
    return (uint32_t)seen.unloads;
}

void sc_unwind_modules_after_fork(void)
{
    atomic_flag_clear(&is_following);
    if (atomic_load(&listed_version) % 2 == 0)
        return;
    atomic_store(&listed_count, 0); /* the loader's lock may be held by nobody that is left */
    atomic_store(&listed_changes, 0);
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
    uint32_t first = 0;
    while (first < count) {
        uint32_t middle = first + (count - first) / 2;
        struct listed one = listed[middle];
        if (address < one.start) {
            count = middle;
            continue;
        }
        if (address >= one.end) {
            first = middle + 1;
            continue;
        }
        *ret_module = (struct sc_unwind_module){
            .start = one.start, .end = one.end, .header = one.header, .target = target};
        atomic_thread_fence(memory_order_acquire);
        return version % 2 == 0 && atomic_load(&listed_version) == version;
    }
    return false;
}

/* Program headers are expected behind the ELF header, where linkers put them. */
SC_SIGNAL_SAFE static uint64_t header_at(const struct sc_unwind_module *module, uint64_t index)
{
    return module->start + sizeof(ElfW(Ehdr)) + index * sizeof(ElfW(Phdr));
}

/* Takes the segment if it holds .eh_frame_hdr. */
SC_SIGNAL_SAFE static bool set_segment_bounds(struct sc_unwind_module *module,
                                              const ElfW(Phdr) * segment, uint64_t base)
{
    uint64_t start = base + segment->p_vaddr;
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_R) == 0 || start < module->start ||
        start > module->end || segment->p_filesz > module->end - start ||
        module->header - start >= segment->p_filesz)
        return false;
    module->plain_start = start;
    module->plain_end = start + segment->p_filesz;
    return true;
}

/* The index of the wanted program header of each module that has been seen, in the lowest bits of
 * its hash. The memory that the headers are in has been found readable. Another object may have
 * been loaded there since, so the header itself is read each time. */
#define SEEN_MODULES 64
#define INDEX_MASK   UINT64_C(0xff)

static _Atomic uint64_t seen_modules[SEEN_MODULES];

SC_SIGNAL_SAFE void sc_unwind_module_set_bounds(struct sc_unwind_module *module, uint64_t base)
{
    uint64_t hash = sc_unwind_mix(sc_unwind_mix(module->start, module->end), module->header);
    _Atomic uint64_t *seen = &seen_modules[(hash >> 32) % SEEN_MODULES];
    uint64_t known = atomic_load_explicit(seen, memory_order_relaxed);
    ElfW(Ehdr) head;
    ElfW(Phdr) segment;
    module->plain_start = module->plain_end = 0;
    if (((known ^ hash) & ~INDEX_MASK) == 0) {
        sc_unwind_load(header_at(module, known & INDEX_MASK), &segment, sizeof(segment));
        if (set_segment_bounds(module, &segment, base))
            return;
    }
    if (!sc_target_read(module->target, module->start, &head, sizeof(head)) ||
        __builtin_memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phoff != sizeof(head) ||
        head.e_phentsize != sizeof(segment))
        return;
    for (uint64_t i = 0; i < head.e_phnum && i <= INDEX_MASK; i++) {
        if (!sc_target_read(module->target, header_at(module, i), &segment, sizeof(segment)))
            return;
        if (set_segment_bounds(module, &segment, base)) {
            atomic_store_explicit(seen, (hash & ~INDEX_MASK) | i, memory_order_relaxed);
            return;
        }
    }
}

SC_SIGNAL_SAFE bool sc_unwind_module_find(uint64_t address, const struct sc_target *target,
                                          struct sc_unwind_module *ret_module)
{
    if (loader_find == NULL || loader_unwanted)
        return find_listed(address, target, ret_module);
    struct found_object found;
    if (loader_find((void *)address, &found) != 0 || found.eh_frame == NULL)
        return false;
    *ret_module = (struct sc_unwind_module){.start = (uint64_t)found.map_start,
                                            .end = (uint64_t)found.map_end,
                                            .header = (uint64_t)found.eh_frame,
                                            .target = target};
    sc_unwind_module_set_bounds(ret_module, found.link_map->l_addr);
    return true;
}
