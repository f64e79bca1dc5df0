/*
 * agent/hook_python_memory.c - CPython's own allocators, of its mem and object domains.
 *
 * PyMem_SetAllocator takes functions and a context; ours keep the context of those they stand in
 * front of and end in a jump to them. Blocks above a border (512 bytes in pymalloc, 0 with
 * PYTHONMALLOC=malloc, none where the interpreter has mimalloc) are passed on to malloc, where they
 * are counted: here they are only marked as Python's. The border is found by asking for a few
 * blocks and seeing which of them reach malloc.
 *
 * A small block that is sampled is asked for as one above the border. So it is malloc's, and the
 * interpreter gives it back to malloc, where every free is looked at anyway: frees of small blocks
 * are the interpreter's own function, without a look. This needs an allocator that gives out what
 * malloc has given it: mimalloc asks malloc for nothing, and the debug allocator puts something in
 * front. There sampled blocks stay among the others, and frees are hooked, too.
 *
 * PyMemAllocatorEx is public and the same in every version from 3.5 on (Include/cpython/pymem.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/hook_python_memory.h"

#include <dlfcn.h>
#include <stddef.h>

#include "agent/agent.h"
#include "agent/memory.h"
#include "agent/rules.h"
#include "agent/safe_read.h"

/* Blocks up to here, which is pymalloc's border, are not asked whether they are large. Where
 * windows are so narrow that some are, the stream says so. */
#define SMALL_BYTES 512U

enum { DOMAIN_MEM = 1, DOMAIN_OBJ = 2 }; /* PyMemAllocatorDomain; 0 is raw */

struct allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t count, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};

static struct allocator next_mem;
static struct allocator next_obj;
static size_t border;      /* the largest block that does not reach malloc */
static size_t small_bytes; /* the largest that is counted here without further questions */
static bool takes_mallocs; /* what malloc has given out reaches its free */

static __attribute__((noinline)) void *sampled(void *block, size_t size)
{
    sc_memory_allocated(block, size, true);
    return block;
}

/* The fast path, for blocks up to small_bytes. */
static inline bool passes(size_t size)
{
    return SC_LIKELY(!sc_stream_passes(&sc_agent_thread.allocations, size));
}

static __attribute__((noinline)) void *big_malloc(const struct allocator *next, size_t size)
{
    sc_agent_thread.in_python_allocator = true;
    void *block = next->malloc(next->context, size);
    sc_agent_thread.in_python_allocator = false;
    return block;
}

static __attribute__((noinline)) void *big_calloc(const struct allocator *next, size_t count,
                                                  size_t size)
{
    sc_agent_thread.in_python_allocator = true;
    void *block = next->calloc(next->context, count, size);
    sc_agent_thread.in_python_allocator = false;
    return block;
}

/* What realloc does with a small block that becomes a big one, or the other way round, is up to the
 * interpreter; whether malloc's hook was told of the block tells. */
static __attribute__((noinline)) void *big_realloc(const struct allocator *next, void *block,
                                                   size_t size)
{
    sc_agent_thread.saw_realloc = false;
    sc_agent_thread.in_python_allocator = true;
    void *moved = next->realloc(next->context, block, size);
    sc_agent_thread.in_python_allocator = false;
    /* a new block from malloc, and the old one is back among the small ones */
    if (!sc_agent_thread.saw_realloc && moved != NULL && block != NULL && sc_blocks_may_hold(block))
        sc_memory_freeing(block);
    return moved;
}

/* A block from above the border is exchanged for another of malloc's, of the size that is needed:
 * the interpreter counts what it has from malloc, and so that stays right. */
static void *exchange(void *large, void *block)
{
    if (block == NULL)
        return large;
    sc_real_free(large);
    return block;
}

static void *malloc_small(const struct allocator *next, size_t size)
{
    int64_t left = sc_memory_look_away();
    void *large = next->malloc(next->context, border + 1);
    sc_memory_look_again(left);
    return large != NULL ? exchange(large, sc_real_malloc(size)) : NULL;
}

static void *calloc_small(const struct allocator *next, size_t size)
{
    int64_t left = sc_memory_look_away();
    void *large = next->calloc(next->context, 1, border + 1);
    sc_memory_look_again(left);
    return large != NULL ? exchange(large, sc_real_calloc(1, size)) : NULL;
}

static void *realloc_small(const struct allocator *next, void *block, size_t size)
{
    void *large = next->realloc(next->context, block, border + 1);
    unsigned char *moved = large != NULL ? sc_real_malloc(size) : NULL;
    if (moved == NULL)
        return large;
    for (size_t i = 0; i < size; i++)
        moved[i] = ((unsigned char *)large)[i];
    return exchange(large, moved);
}

/* One of both blocks may be sampled: is_sampled says so of the new one. */
static __attribute__((noinline)) void *small_realloc(const struct allocator *next, void *block,
                                                     size_t size, bool is_sampled)
{
    uint32_t slot = sc_blocks_may_hold(block) ? sc_memory_moving(block) : SC_NO_SLOT;
    int64_t left = sc_memory_look_away();
    void *moved = is_sampled && takes_mallocs ? realloc_small(next, block, size) : NULL;
    is_sampled = is_sampled && (moved != NULL || !takes_mallocs);
    if (moved == NULL)
        moved = next->realloc(next->context, block, size);
    sc_memory_look_again(left);
    sc_memory_moved(slot, block, moved != NULL);
    return is_sampled ? sampled(moved, size) : moved;
}

/* Where malloc has no room for what is asked for in place of it, a small block may still be had;
 * nobody would see its end, so it is not sampled. */
static __attribute__((noinline)) void *sampled_malloc(const struct allocator *next, size_t size)
{
    void *block = takes_mallocs ? malloc_small(next, size) : next->malloc(next->context, size);
    (void)sampled(block, size);
    return block != NULL || !takes_mallocs ? block : next->malloc(next->context, size);
}

static __attribute__((noinline)) void *sampled_calloc(const struct allocator *next, size_t count,
                                                      size_t size)
{
    void *block =
        takes_mallocs ? calloc_small(next, count * size) : next->calloc(next->context, count, size);
    (void)sampled(block, count * size);
    return block != NULL || !takes_mallocs ? block : next->calloc(next->context, count, size);
}

static __attribute__((noinline)) void sampled_free(const struct allocator *next, void *block)
{
    sc_memory_freeing(block);
    next->free(next->context, block);
}

/* Blocks above small_bytes, which are not so many. */
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

/* A set of functions per domain, each with one global behind it: context is the next allocator's.
 * The rare ways are functions of their own: so the way past them is a jump, and saves no
 * registers. */
#define DEFINE_DOMAIN(name)                                                                        \
    static void *name##_malloc(void *context, size_t size)                                         \
    {                                                                                              \
        if (SC_UNLIKELY(size > small_bytes))                                                       \
            return other_malloc(&next_##name, size);                                               \
        return passes(size) ? next_##name.malloc(context, size)                                    \
                            : sampled_malloc(&next_##name, size);                                  \
    }                                                                                              \
    static void *name##_calloc(void *context, size_t count, size_t size)                           \
    {                                                                                              \
        size_t bytes = 0;                                                                          \
        if (SC_UNLIKELY(__builtin_mul_overflow(count, size, &bytes) || bytes > small_bytes))       \
            return other_calloc(&next_##name, count, size);                                        \
        return passes(bytes) ? next_##name.calloc(context, count, size)                            \
                             : sampled_calloc(&next_##name, count, size);                          \
    }                                                                                              \
    static void *name##_realloc(void *context, void *block, size_t size)                           \
    {                                                                                              \
        if (SC_UNLIKELY(size > small_bytes))                                                       \
            return other_realloc(&next_##name, block, size);                                       \
        bool is_sampled = !passes(size);                                                           \
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

/* Whether a block of that size comes from malloc. */
static bool reaches_malloc(const struct allocator *next, size_t size)
{
    sc_agent_thread.saw_malloc = false;
    void *block = big_malloc(next, size);
    next->free(next->context, block);
    return sc_agent_thread.saw_malloc;
}

/* pymalloc's border has been 512 for ever, but debug hooks add to the size. */
static size_t find_border(const struct allocator *next)
{
    size_t small = 0;
    size_t large = 64 << 10;
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

/* Whether a block of malloc's, of any size, may be given to its free: it is for the address alone
 * that it knows them. Another allocator than the interpreter's may keep books of them. */
static bool gives_back_to_malloc(const struct allocator *next)
{
    if (border == SIZE_MAX || !is_pythons((uintptr_t)next->malloc) ||
        !is_pythons((uintptr_t)next->free))
        return false;
    void *block = big_malloc(next, border + 1);
    return block != NULL && sc_hook_malloc_frees(next->free, next->context, block);
}

/* tracemalloc, when it begins, puts itself in front, with a copy of what was there as its context,
 * and puts that back when it stops. Where it runs before the program (PYTHONTRACEMALLOC) ours go
 * between both, into the copy: in front they would be gone when it stops. NULL when the allocator
 * is not one of the interpreter's in front of another. The debug allocator's context begins with a
 * letter instead. */
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

/* Fills in next, which ours are put in front of, and returns the place for ours; NULL: they are set
 * as any. */
static struct allocator *find_place(int domain, struct allocator *next,
                                    void (*get)(int, struct allocator *))
{
    get(domain, next);
    struct allocator *place = behind(next);
    if (place != NULL)
        *next = *place;
    return place;
}

/* Puts ours in front of next: functions are ours but for the context. */
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
    struct allocator *mem_place = find_place(DOMAIN_MEM, &next_mem, get);
    struct allocator *obj_place = find_place(DOMAIN_OBJ, &next_obj, get);
    border = find_border(&next_obj);
    small_bytes = border < SMALL_BYTES ? border : SMALL_BYTES;
    takes_mallocs = gives_back_to_malloc(&next_mem) && gives_back_to_malloc(&next_obj);
    struct allocator mem = {NULL, mem_malloc, mem_calloc, mem_realloc, mem_free};
    struct allocator obj = {NULL, obj_malloc, obj_calloc, obj_realloc, obj_free};
    put(DOMAIN_MEM, &next_mem, mem, mem_place, set);
    put(DOMAIN_OBJ, &next_obj, obj, obj_place, set);
}
