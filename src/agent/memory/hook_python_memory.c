/*
 * agent/memory/hook_python_memory.c - hooks of CPython's allocators, of its mem and object domains,
 * and of its raw domain where that does not end in malloc (with mimalloc, from 3.15 on).
 *
 * PyMem_SetAllocator takes functions and a context; ours keep the context of the functions they
 * wrap and end in a tail call to them. Blocks above a border (512 bytes in pymalloc, 0 with
 * PYTHONMALLOC=malloc, none where the interpreter has mimalloc) are passed on to malloc, whose hook
 * counts them: here they are only marked as Python's. The border is found by allocating a few
 * blocks and checking which of them reach malloc.
 *
 * A small block that is to be sampled is requested with a size above the border. So it comes from
 * malloc, and the interpreter frees it with free, whose hook checks every block anyway: frees of
 * small blocks need no hook of their own. This needs an allocator that returns malloc's blocks
 * unchanged: mimalloc does not use malloc, and the debug allocator adds a header in front. With
 * those, sampled blocks stay small ones, and the interpreter's free is hooked, too.
 *
 * PyMemAllocatorEx is public and the same in every version from 3.5 on (Include/cpython/pymem.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/memory/hook_python_memory.h"

#include <dlfcn.h>
#include <stddef.h>

#include "agent/memory/memory.h"
#include "agent/rules.h"
#include "agent/safe_read.h"
#include "agent/state.h"

enum { DOMAIN_RAW, DOMAIN_MEM, DOMAIN_OBJ }; /* PyMemAllocatorDomain */

#define SURELY_LARGE ((size_t)64 << 10) /* for any border */

struct allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t count, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};

static struct allocator next_raw;
static struct allocator next_mem;
static struct allocator next_obj;
static size_t border;      /* the largest block that does not reach malloc */
static bool takes_mallocs; /* the interpreter passes malloc's blocks on unchanged, and frees them
                            * with free */

static __attribute__((noinline)) void *sampled(void *block, size_t size)
{
    sc_memory_allocated(block, size, true);
    return block;
}

/* Whether malloc's hook will not sample a block of that size, so that it need not know that the
 * block is Python's. The debug allocators request more from malloc than the size; the others
 * request the size itself, or 1 byte instead of 0. */
static bool will_pass(size_t size)
{
    return takes_mallocs && sc_memory_will_pass(size + 1);
}

static __attribute__((noinline)) void *big_malloc(const struct allocator *next, size_t size)
{
    if (will_pass(size))
        return next->malloc(next->context, size);
    sc_agent_thread.in_python_allocator = true;
    void *block = next->malloc(next->context, size);
    sc_agent_thread.in_python_allocator = false;
    return block;
}

static __attribute__((noinline)) void *big_calloc(const struct allocator *next, size_t count,
                                                  size_t size)
{
    if (will_pass(count * size))
        return next->calloc(next->context, count, size);
    sc_agent_thread.in_python_allocator = true;
    void *block = next->calloc(next->context, count, size);
    sc_agent_thread.in_python_allocator = false;
    return block;
}

/* How realloc moves a block across the border is up to the interpreter; saw_realloc says whether a
 * sampled block came to the hook of malloc's realloc. */
static __attribute__((noinline)) void *realloc_in_python(const struct allocator *next, void *block,
                                                         size_t size)
{
    bool may_be_sampled = sc_blocks_may_hold(block);
    sc_agent_thread.saw_realloc = false;
    sc_agent_thread.in_python_allocator = true;
    void *moved = next->realloc(next->context, block, size);
    sc_agent_thread.in_python_allocator = false;
    /* the interpreter took a new block from malloc and freed the old, small one */
    if (may_be_sampled && !sc_agent_thread.saw_realloc && moved != NULL)
        sc_memory_freeing(block);
    return moved;
}

static __attribute__((noinline)) void *big_realloc(const struct allocator *next, void *block,
                                                   size_t size)
{
    if (will_pass(size) && !sc_blocks_may_hold(block))
        return next->realloc(next->context, block, size);
    return realloc_in_python(next, block, size);
}

/* Samples the block that was allocated from malloc in place of a small one. seen: the last block
 * that malloc's hooks returned meanwhile. If that is another block, the program has an allocator of
 * its own in front of malloc, and no hook would see this block's free. */
static void *large_for(void *large, const void *seen, size_t size)
{
    if (large == NULL || large == seen)
        return sampled(large, size);
    sc_memory_count_lost(size);
    return large;
}

/* The old or the new block is sampled, or both; is_sampled says so for the new one. */
static __attribute__((noinline)) void *small_realloc(const struct allocator *next, void *block,
                                                     size_t size, bool is_sampled)
{
    uint32_t slot = sc_blocks_may_hold(block) ? sc_memory_moving(block) : SC_NO_SLOT;
    struct sc_stream stream = sc_memory_pause_thread();
    bool is_large = is_sampled && takes_mallocs;
    void *moved = next->realloc(next->context, block, is_large ? border + 1 : size);
    if (is_large && moved == NULL) /* there may still be room for a small block */
        moved = next->realloc(next->context, block, size);
    const void *seen = sc_memory_resume_thread(&stream);
    sc_memory_moved(slot, block, moved != NULL);
    if (!is_sampled)
        return moved;
    if (takes_mallocs)
        return large_for(moved, seen, size);
    /* at its place a block grows within what it had */
    sc_memory_resized(moved, size, moved == block ? size : 0, false, true);
    return moved;
}

static __attribute__((noinline)) void *sampled_malloc(const struct allocator *next, size_t size)
{
    if (!takes_mallocs)
        return sampled(next->malloc(next->context, size), size);
    struct sc_stream stream = sc_memory_pause_thread();
    void *large = next->malloc(next->context, border + 1);
    const void *seen = sc_memory_resume_thread(&stream);
    large = large_for(large, seen, size);
    return large != NULL ? large : next->malloc(next->context, size);
}

static __attribute__((noinline)) void *sampled_calloc(const struct allocator *next, size_t count,
                                                      size_t size)
{
    if (!takes_mallocs)
        return sampled(next->calloc(next->context, count, size), count * size);
    struct sc_stream stream = sc_memory_pause_thread();
    void *large = next->calloc(next->context, 1, border + 1);
    const void *seen = sc_memory_resume_thread(&stream);
    large = large_for(large, seen, count * size);
    return large != NULL ? large : next->calloc(next->context, count, size);
}

static __attribute__((noinline)) void sampled_free(const struct allocator *next, void *block)
{
    sc_memory_freeing(block);
    next->free(next->context, block);
}

/* For blocks above sc_memory_small_bytes, which are less frequent. */
static __attribute__((noinline)) void *other_malloc(const struct allocator *next, size_t size)
{
    if (size > border)
        return big_malloc(next, size);
    return sc_memory_passes(size) ? next->malloc(next->context, size) : sampled_malloc(next, size);
}

static __attribute__((noinline)) void *other_calloc(const struct allocator *next, size_t count,
                                                    size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > border)
        return big_calloc(next, count, size);
    return sc_memory_passes(bytes) ? next->calloc(next->context, count, size)
                                   : sampled_calloc(next, count, size);
}

static __attribute__((noinline)) void *other_realloc(const struct allocator *next, void *block,
                                                     size_t size)
{
    if (size > border)
        return big_realloc(next, block, size);
    bool is_sampled = !sc_memory_passes(size);
    return is_sampled || sc_blocks_may_hold(block) ? small_realloc(next, block, size, is_sampled)
                                                   : next->realloc(next->context, block, size);
}

/* Defines the hooks of one domain, which use one global, the next allocator; context is that
 * allocator's. The slow paths are functions of their own, so that the fast path is a tail call that
 * saves no registers. */
#define DEFINE_DOMAIN(name)                                                                        \
    static void *name##_malloc(void *context, size_t size)                                         \
    {                                                                                              \
        if (SC_UNLIKELY(size > sc_memory_small_bytes))                                             \
            return other_malloc(&next_##name, size);                                               \
        return sc_memory_small_passes(size) ? next_##name.malloc(context, size)                    \
                                            : sampled_malloc(&next_##name, size);                  \
    }                                                                                              \
    static void *name##_calloc(void *context, size_t count, size_t size)                           \
    {                                                                                              \
        size_t bytes = 0;                                                                          \
        if (SC_UNLIKELY(__builtin_mul_overflow(count, size, &bytes) ||                             \
                        bytes > sc_memory_small_bytes))                                            \
            return other_calloc(&next_##name, count, size);                                        \
        return sc_memory_small_passes(bytes) ? next_##name.calloc(context, count, size)            \
                                             : sampled_calloc(&next_##name, count, size);          \
    }                                                                                              \
    static void *name##_realloc(void *context, void *block, size_t size)                           \
    {                                                                                              \
        if (SC_UNLIKELY(size > sc_memory_small_bytes))                                             \
            return other_realloc(&next_##name, block, size);                                       \
        bool is_sampled = !sc_memory_small_passes(size);                                           \
        if (SC_UNLIKELY(is_sampled) || SC_UNLIKELY(sc_blocks_may_hold(block)))                     \
            return small_realloc(&next_##name, block, size, is_sampled);                           \
        return next_##name.realloc(context, block, size);                                          \
    }                                                                                              \
    static void name##_free(void *context, void *block)                                            \
    {                                                                                              \
        if (SC_UNLIKELY(sc_blocks_may_hold(block)))                                                \
            sampled_free(&next_##name, block);                                                     \
        else                                                                                       \
            next_##name.free(context, block);                                                      \
    }

DEFINE_DOMAIN(mem)
DEFINE_DOMAIN(obj)

/* The raw domain's blocks count as malloc's do, which they are elsewhere: not as Python's. */
static __attribute__((noinline)) void *raw_sampled(void *block, size_t size)
{
    sc_memory_allocated(block, size, false);
    return block;
}

static void *raw_malloc(void *context, size_t size)
{
    void *block = next_raw.malloc(context, size);
    return sc_memory_passes(size) ? block : raw_sampled(block, size);
}

static void *raw_calloc(void *context, size_t count, size_t size)
{
    size_t bytes = 0;
    void *block = next_raw.calloc(context, count, size);
    bool is_none = __builtin_mul_overflow(count, size, &bytes);
    return is_none || sc_memory_passes(bytes) ? block : raw_sampled(block, bytes);
}

static void *raw_realloc(void *context, void *block, size_t size)
{
    bool is_sampled = !sc_memory_passes(size);
    uint32_t slot = sc_blocks_may_hold(block) ? sc_memory_moving(block) : SC_NO_SLOT;
    void *moved = next_raw.realloc(context, block, size);
    sc_memory_moved(slot, block, moved != NULL);
    if (is_sampled)
        sc_memory_resized(moved, size, moved == block ? size : 0, false, false);
    return moved;
}

static void raw_free(void *context, void *block)
{
    if (SC_UNLIKELY(sc_blocks_may_hold(block)))
        sc_memory_freeing(block);
    next_raw.free(context, block);
}

/* Whether a block of that size comes from malloc. */
static bool reaches_malloc(const struct allocator *next, size_t size)
{
    struct sc_stream stream = sc_memory_pause_thread();
    void *block = next->malloc(next->context, size);
    const void *seen = sc_memory_resume_thread(&stream);
    next->free(next->context, block);
    return seen != NULL;
}

/* pymalloc's border has always been 512, but debug hooks add to the size. */
static size_t find_border(const struct allocator *next)
{
    size_t small = 0;
    size_t large = SURELY_LARGE;
    if (!reaches_malloc(next, large))
        return SIZE_MAX;
    while (small + 1 < large) {
        size_t middle = small + (large - small) / 2;
        if (reaches_malloc(next, middle))
            large = middle;
        else
            small = middle;
    }
    return small;
}

static bool is_pythons(uintptr_t address)
{
    return address >= sc_agent.python_start && address < sc_agent.python_end;
}

/* Whether the allocator's free passes a block of malloc's on to free, whatever size it was
 * requested for: the interpreter's allocators recognise their own blocks by the address alone.
 * Another allocator may keep records of its blocks, so only the interpreter's are accepted. */
static bool gives_back_to_malloc(const struct allocator *next)
{
    if (border == SIZE_MAX || !is_pythons((uintptr_t)next->malloc) ||
        !is_pythons((uintptr_t)next->free))
        return false;
    void *block = big_malloc(next, border + 1);
    return block != NULL && sc_hook_malloc_frees(next->free, next->context, block);
}

/* When tracemalloc starts, it installs itself as the allocator, with a copy of the previous
 * allocator as its context, and restores that when it stops. If it started before us
 * (PYTHONTRACEMALLOC), our functions go into that copy: in front of tracemalloc they would be
 * removed when it stops. Returns the copy, or NULL when the allocator is not one of the
 * interpreter's that wraps another. The debug allocator's context starts with a letter instead. */
static struct allocator *behind(const struct allocator *front)
{
    struct sc_safe_reader reader = {0};
    struct allocator found;
    char byte;
    if (front->context == NULL || !is_pythons((uintptr_t)front->malloc) ||
        !sc_safe_read(&reader, (uint64_t)(uintptr_t)front->context, &found, sizeof(found)))
        return NULL;
    if (found.context != NULL &&
        !sc_safe_read(&reader, (uint64_t)(uintptr_t)found.context, &byte, sizeof(byte)))
        return NULL;
    bool is_one = is_pythons((uintptr_t)found.malloc) && is_pythons((uintptr_t)found.calloc) &&
                  is_pythons((uintptr_t)found.realloc) && is_pythons((uintptr_t)found.free) &&
                  found.malloc != front->malloc;
    return is_one ? front->context : NULL;
}

/* Fills in next, the allocator to wrap, and returns where to store ours; NULL: use
 * PyMem_SetAllocator. */
static struct allocator *find_place(int domain, struct allocator *next,
                                    void (*get)(int, struct allocator *))
{
    get(domain, next);
    struct allocator *place = behind(next);
    if (place != NULL)
        *next = *place;
    return place;
}

/* Installs ours in front of next. All of ours but its context is filled in. */
static void put(int domain, const struct allocator *next, struct allocator ours,
                struct allocator *place, void (*set)(int, struct allocator *))
{
    ours.context = next->context;
    if (takes_mallocs)
        ours.free = next->free;
    if (place != NULL)
        *place = ours;
    else
        set(domain, &ours);
}

void sc_hook_python_memory_init(void)
{
    void (*get)(int, struct allocator *);
    void (*set)(int, struct allocator *);
    void *found = dlsym(RTLD_DEFAULT, "PyMem_GetAllocator");
    __builtin_memcpy(&get, &found, sizeof(found));
    found = dlsym(RTLD_DEFAULT, "PyMem_SetAllocator");
    __builtin_memcpy(&set, &found, sizeof(found));
    if (get == NULL || set == NULL)
        return;
    struct allocator *raw_place = find_place(DOMAIN_RAW, &next_raw, get);
    struct allocator *mem_place = find_place(DOMAIN_MEM, &next_mem, get);
    struct allocator *obj_place = find_place(DOMAIN_OBJ, &next_obj, get);
    border = find_border(&next_obj);
    takes_mallocs = gives_back_to_malloc(&next_mem) && gives_back_to_malloc(&next_obj);
    struct allocator mem = {NULL, mem_malloc, mem_calloc, mem_realloc, mem_free};
    struct allocator obj = {NULL, obj_malloc, obj_calloc, obj_realloc, obj_free};
    put(DOMAIN_MEM, &next_mem, mem, mem_place, set);
    put(DOMAIN_OBJ, &next_obj, obj, obj_place, set);
    if (border == SIZE_MAX && is_pythons((uintptr_t)next_raw.malloc) &&
        !reaches_malloc(&next_raw, SURELY_LARGE))
        put(DOMAIN_RAW, &next_raw,
            (struct allocator){NULL, raw_malloc, raw_calloc, raw_realloc, raw_free}, raw_place,
            set);
}

void sc_hook_python_memory_begin(uint64_t large_bytes)
{
    size_t most =
        large_bytes <= SC_SMALL_BLOCK_BYTES ? (size_t)large_bytes - 1 : SC_SMALL_BLOCK_BYTES;
    sc_memory_small_bytes = border < most ? border : most;
}
