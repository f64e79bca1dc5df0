/*
 * agent/memory/hook_mmap.c - hooks of mmap: memory that libraries get from the kernel themselves,
 * past malloc.
 *
 * Anonymous mappings of MAPPED_MIN_BYTES and more are counted, page by page, for as long as they
 * are usable: from mmap or, if reserved with PROT_NONE, from the mprotect (with a protection key or
 * without) or the next mmap that makes them accessible, until they are unmapped, mapped over or set
 * to PROT_NONE. As with malloc, it does not matter whether a page has been touched, nor whether
 * madvise has emptied it.
 *
 * Memory that an allocator maps to split it into blocks is not counted, since the blocks are: that
 * holds for the interpreter's allocators (arenas, mimalloc) and the one behind malloc. The return
 * address shows whether one of them is calling. libc's own calls do not come here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/memory/hook_mmap.h"

#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/memory/mappings.h"
#include "agent/memory/memory.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/scratch.h"

#define MAPPED_MIN_BYTES ((size_t)64 << 10)
#define ALLOCATORS_MAX   4U
#define PAGE_BYTES       ((uint64_t)4096)

/* Address ranges of the loaded objects that contain an allocator. */
static struct image {
    uintptr_t start;
    uintptr_t end;
} allocators[ALLOCATORS_MAX];
static _Atomic unsigned allocator_count;

static int find_image(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct image *wanted = argument; /* start: an address in it */
    struct image found = {.start = UINTPTR_MAX};
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        uintptr_t end = start + info->dlpi_phdr[i].p_memsz;
        found.start = start < found.start ? start : found.start;
        found.end = end > found.end ? end : found.end;
    }
    if (wanted->start < found.start || wanted->start >= found.end)
        return 0;
    *wanted = found;
    return 1;
}

static void add_allocator(const void *function)
{
    struct image image = {.start = (uintptr_t)function};
    unsigned count = atomic_load(&allocator_count);
    if (function == NULL || count == ALLOCATORS_MAX || dl_iterate_phdr(find_image, &image) == 0)
        return;
    allocators[count] = image;
    atomic_store(&allocator_count, count + 1);
}

/* The next library's functions: the program may have hooks of its own (UCX, MPI). NULL before
 * sc_hook_mmap_init, when the loader calls mmap and nothing can be looked up yet. */
static struct {
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    int (*munmap)(void *, size_t);
    void *(*mremap)(void *, size_t, size_t, int, ...);
    int (*mprotect)(void *, size_t, int);
    int (*pkey_mprotect)(void *, size_t, int, int);
} next;

#define LOOK_UP(name)                                                                              \
    do {                                                                                           \
        void *found_ = sc_real_symbol(#name);                                                      \
        __builtin_memcpy(&next.name, &found_, sizeof(found_));                                     \
    } while (0)

void sc_hook_mmap_init(void)
{
    LOOK_UP(mmap);
    LOOK_UP(munmap);
    LOOK_UP(mremap);
    LOOK_UP(mprotect);
    LOOK_UP(pkey_mprotect);
    add_allocator(dlsym(RTLD_DEFAULT, "PyMem_SetAllocator"));
    add_allocator(sc_real_symbol("malloc"));
}

/* Whether the caller is an allocator. Allocators use private mappings, so a shared one is not
 * theirs. */
static bool is_allocators(int flags, const void *caller)
{
    unsigned count = atomic_load_explicit(&allocator_count, memory_order_acquire);
    if ((flags & MAP_PRIVATE) == 0)
        return false;
    for (unsigned i = 0; i < count; i++) {
        if ((uintptr_t)caller >= allocators[i].start && (uintptr_t)caller < allocators[i].end)
            return true;
    }
    return false;
}

/* The range that a call is about, in whole pages. */
struct range {
    uint64_t start;
    uint64_t end;
};

static struct range range_of(const void *block, size_t size)
{
    uint64_t start = (uint64_t)(uintptr_t)block;
    return (struct range){.start = start, .end = (start + size + PAGE_BYTES - 1) & -PAGE_BYTES};
}

static void add(struct range range, size_t old_bytes, bool is_usable, uint32_t flags)
{
    uint64_t size = range.end - range.start;
    uint32_t slot = SC_NO_SLOT;
    if (range.end <= range.start)
        return;
    if (is_usable && !sc_memory_passes(size)) {
        struct sc_table_room room = {.capacity = SC_MAPPINGS_MAX, .used = sc_mappings_count()};
        slot =
            sc_memory_mapped((const void *)(uintptr_t)range.start, size, old_bytes, flags, &room);
    }
    sc_mappings_add(range.start, range.end, is_usable ? SC_MAPPING_USABLE : SC_MAPPING_RESERVED,
                    slot);
}

/* Removes the range from the table, and returns the states that its parts were in. */
static unsigned drop(struct range range, uint64_t moment)
{
    struct sc_mapping piece;
    unsigned states = 0;
    while (sc_mappings_take(range.start, range.end, SC_MAPPING_ANY, moment, &piece))
        states |= piece.state;
    return states;
}

/* Makes reserved parts of the range usable, or usable ones reserved. */
static void change(struct range range, uint64_t moment, bool is_usable)
{
    struct sc_mapping piece;
    unsigned from = is_usable ? SC_MAPPING_RESERVED : SC_MAPPING_USABLE;
    while (sc_mappings_take(range.start, range.end, from, moment, &piece))
        add((struct range){piece.start, piece.end}, 0, is_usable, SC_ALLOCATION_FILLED);
}

/* MAP_SHARED is one of the bits of MAP_SHARED_VALIDATE. */
static uint32_t flags_of(int flags)
{
    bool is_shared = (flags & MAP_SHARED) != 0;
    bool is_touched = (flags & (MAP_POPULATE | MAP_LOCKED)) != 0;
    return (is_shared ? SC_ALLOCATION_SHARED : 0U) | (is_touched ? SC_ALLOCATION_FILLED : 0U);
}

static void *map(void *address, size_t size, int protection, int flags, int fd, off_t offset,
                 const void *caller)
{
    uint64_t moment = sc_mappings_now();
    void *block = next.mmap != NULL
                      ? next.mmap(address, size, protection, flags, fd, offset)
                      : (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
    if ((flags & MAP_FIXED) != 0)
        sc_scratch_unmapped();
    if (block == MAP_FAILED || !sc_memory_is_on())
        return block;
    struct range range = range_of(block, size);
    bool is_part = drop(range, moment) != 0; /* of a known mapping: any size counts */
    if ((flags & MAP_ANONYMOUS) != 0 && (is_part || size >= MAPPED_MIN_BYTES) &&
        !is_allocators(flags, caller))
        add(range, 0, protection != PROT_NONE, flags_of(flags));
    return block;
}

/* Named by their symbols: with large file offsets the header maps mmap to mmap64. */
SC_EXPORT void *sc_mmap(void *address, size_t size, int protection, int flags, int fd,
                        off_t offset) __asm__("mmap");
SC_EXPORT void *sc_mmap64(void *address, size_t size, int protection, int flags, int fd,
                          off_t offset) __asm__("mmap64");

void *sc_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map(address, size, protection, flags, fd, offset, __builtin_return_address(0));
}

void *sc_mmap64(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map(address, size, protection, flags, fd, offset, __builtin_return_address(0));
}

SC_EXPORT int munmap(void *block, size_t size)
{
    uint64_t moment = sc_mappings_now();
    int code =
        next.munmap != NULL ? next.munmap(block, size) : (int)syscall(SYS_munmap, block, size);
    sc_scratch_unmapped();
    if (code == 0 && sc_memory_is_on())
        (void)drop(range_of(block, size), moment);
    return code;
}

SC_EXPORT int mprotect(void *block, size_t size, int protection)
{
    uint64_t moment = sc_mappings_now();
    int code = next.mprotect != NULL ? next.mprotect(block, size, protection)
                                     : (int)syscall(SYS_mprotect, block, size, protection);
    if ((protection & PROT_READ) == 0)
        sc_scratch_unmapped();
    if (code == 0 && sc_memory_is_on())
        change(range_of(block, size), moment, protection != PROT_NONE);
    return code;
}

/* As mprotect. The rights of the key change without a call, so they count as granted. */
SC_EXPORT int pkey_mprotect(void *block, size_t size, int protection, int key)
{
    uint64_t moment = sc_mappings_now();
    int code = next.pkey_mprotect != NULL
                   ? next.pkey_mprotect(block, size, protection, key)
                   : (int)syscall(SYS_pkey_mprotect, block, size, protection, key);
    sc_scratch_unmapped();
    if (code == 0 && sc_memory_is_on())
        change(range_of(block, size), moment, protection != PROT_NONE);
    return code;
}

/* As with realloc, a remapped range is freed and allocated anew, at its old place or another, where
 * only its growth counts as allocated. */
static void moved(struct range from, struct range to, int flags, uint64_t moment)
{
    bool stays = (flags & MREMAP_DONTUNMAP) != 0 || from.start == from.end;
    unsigned states = stays ? sc_mappings_states(from.start, from.end) : drop(from, moment);
    (void)drop(to, moment);
    size_t old_bytes = from.end - from.start;
    size_t new_bytes = to.end - to.start;
    if (states != 0)
        add(to, stays ? 0 : (old_bytes < new_bytes ? old_bytes : new_bytes),
            (states & SC_MAPPING_USABLE) != 0, SC_ALLOCATION_FILLED);
}

SC_EXPORT void *mremap(void *block, size_t old_size, size_t new_size, int flags, ...)
{
    void *wanted = NULL;
    if ((flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) != 0) {
        va_list rest;
        va_start(rest, flags);
        wanted = va_arg(rest, void *);
        va_end(rest);
    }
    uint64_t moment = sc_mappings_now();
    void *found = next.mremap != NULL
                      ? next.mremap(block, old_size, new_size, flags, wanted)
                      : (void *)syscall(SYS_mremap, block, old_size, new_size, flags, wanted);
    sc_scratch_unmapped();
    if (found != MAP_FAILED && sc_memory_is_on())
        moved(range_of(block, old_size), range_of(found, new_size), flags, moment);
    return found;
}
