/*
 * agent/hook_mmap.c - memory that libraries take from the kernel themselves, past malloc.
 *
 * Counted are anonymous mappings of MAPPED_MIN_BYTES and more that can be used at once. Not counted
 * is what allocators take to hand it out in pieces, since the pieces are counted: the interpreter's
 * (arenas, mimalloc) and that behind malloc. Which one calls is told by the return address. libc's
 * own calls do not come here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/hook_mmap.h"

#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/memory.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/scratch.h"

#define MAPPED_MIN_BYTES ((size_t)64 << 10)
#define ALLOCATORS_MAX   4U

/* Loaded objects whose mappings are an allocator's. */
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

/* The next library's functions: the program may have a front of its own (UCX, MPI). NULL before
 * sc_hook_mmap_init, when the loader maps and nothing can be looked up. */
static struct {
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    int (*munmap)(void *, size_t);
    void *(*mremap)(void *, size_t, size_t, int, ...);
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
    add_allocator(dlsym(RTLD_DEFAULT, "PyMem_SetAllocator"));
    add_allocator(sc_real_symbol("malloc"));
}

static bool is_counted(const void *block, size_t size, const void *caller)
{
    unsigned count = atomic_load_explicit(&allocator_count, memory_order_acquire);
    if (block == MAP_FAILED || size < MAPPED_MIN_BYTES || count == 0)
        return false;
    for (unsigned i = 0; i < count; i++) {
        if ((uintptr_t)caller >= allocators[i].start && (uintptr_t)caller < allocators[i].end)
            return false;
    }
    return true;
}

static void mapped(const void *block, size_t size)
{
    if (!sc_memory_passes(size))
        sc_memory_allocated(block, size, false);
}

static void *map(void *address, size_t size, int protection, int flags, int fd, off_t offset,
                 const void *caller)
{
    void *block = next.mmap != NULL
                      ? next.mmap(address, size, protection, flags, fd, offset)
                      : (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
    if ((flags & MAP_ANONYMOUS) != 0 && protection != PROT_NONE && is_counted(block, size, caller))
        mapped(block, size);
    return block;
}

/* Named by their symbols: with large file offsets the header makes one name of both. */
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

/* A part that is unmapped counts as all of it when it is the beginning, else as nothing. */
SC_EXPORT int munmap(void *block, size_t size)
{
    if (sc_blocks_may_hold(block))
        sc_memory_freeing(block);
    int code =
        next.munmap != NULL ? next.munmap(block, size) : (int)syscall(SYS_munmap, block, size);
    sc_scratch_unmapped();
    return code;
}

SC_EXPORT void *mremap(void *block, size_t old_size, size_t new_size, int flags, ...)
{
    const void *caller = __builtin_return_address(0);
    void *wanted = NULL;
    if ((flags & MREMAP_FIXED) != 0) {
        va_list rest;
        va_start(rest, flags);
        wanted = va_arg(rest, void *);
        va_end(rest);
    }
    uint32_t slot = sc_blocks_may_hold(block) ? sc_memory_moving(block) : SC_NO_SLOT;
    void *moved = next.mremap != NULL
                      ? next.mremap(block, old_size, new_size, flags, wanted)
                      : (void *)syscall(SYS_mremap, block, old_size, new_size, flags, wanted);
    sc_scratch_unmapped();
    sc_memory_moved(slot, block, moved != MAP_FAILED);
    if (slot != SC_NO_SLOT && is_counted(moved, new_size, caller))
        mapped(moved, new_size);
    return moved;
}
