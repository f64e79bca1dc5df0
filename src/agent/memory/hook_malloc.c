/*
 * agent/memory/hook_malloc.c - hooks of the malloc family.
 *
 * Every call is passed on to the next library's function, found with dlsym: the program keeps its
 * allocator, whether glibc's or one that it preloads. C++'s operator new calls malloc, and so comes
 * here. dlsym itself may allocate; while it looks up one of these functions, blocks come from a
 * small static area, and are never freed.
 *
 * The requested bytes are counted. realloc is a free and a new block, of which only the growth
 * counts as allocated; where that is known, since malloc_usable_size is the allocator's own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "agent/late.h"
#include "agent/memory/memory.h"
#include "agent/real.h"
#include "agent/rules.h"

#define EARLY_BYTES     16384U
#define EARLY_ALIGNMENT 16U

#ifdef __GLIBC__
/* A block that is a mapping begins so far behind the start of a page. */
#define PAGE_BYTES        4096U
#define CHUNK_HEAD_BYTES  16U
#define IS_COUNTED_INSIDE false
#else
/* Blocks from this size on are mappings. */
#define MAPPING_MIN_BYTES 131052U
/* Whether calloc and the functions that align are musl's, which call the program's malloc and
 * aligned_alloc: these are the hooks, unless we were loaded late. */
#define IS_COUNTED_INSIDE (copies_unseen && !sc_late_is())
#endif

/* The next library's functions; looked up at the first call of any, and all NULL before that. */
static struct {
    void *(*malloc)(size_t);
    void (*free)(void *);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    size_t (*malloc_usable_size)(void *); /* NULL when it is another allocator's */
} next;

/* Whether realloc copies by functions of its own library, which hooks do not see. */
static bool copies_unseen;

static _Alignas(EARLY_ALIGNMENT) unsigned char early[EARLY_BYTES];
static _Atomic size_t early_used;

static void *take_early(size_t size)
{
    size_t rounded = (size + EARLY_ALIGNMENT - 1) & ~(size_t)(EARLY_ALIGNMENT - 1);
    if (size > EARLY_BYTES)
        return NULL;
    size_t at = atomic_fetch_add(&early_used, rounded);
    if (at + rounded > EARLY_BYTES)
        return NULL;
    sc_blocks_filter_add(early + at); /* so that free sees it, and does not pass it on */
    return early + at;
}

static bool is_early(const void *block)
{
    uintptr_t at = (uintptr_t)block - (uintptr_t)early;
    return at < EARLY_BYTES;
}

#define LOOK_UP(name)                                                                              \
    do {                                                                                           \
        void *found_ = sc_real_symbol(#name);                                                      \
        __builtin_memcpy(&next.name, &found_, sizeof(found_));                                     \
    } while (0)

static bool are_of_one_library(const void *function, const void *other)
{
    Dl_info here;
    Dl_info there;
    return function != NULL && other != NULL && dladdr(function, &here) != 0 &&
           dladdr(other, &there) != 0 && here.dli_fbase == there.dli_fbase;
}

/* False while a look-up is under way: the caller is dlsym, or another thread before the program has
 * begun. */
static __attribute__((cold, noinline)) bool look_up(void)
{
    static _Atomic bool looking;
    if (atomic_exchange(&looking, true))
        return false;
    LOOK_UP(free);
    LOOK_UP(calloc);
    LOOK_UP(realloc);
    LOOK_UP(memalign);
    LOOK_UP(aligned_alloc);
    LOOK_UP(posix_memalign);
    LOOK_UP(valloc);
    LOOK_UP(pvalloc);
    const void *realloc_found = sc_real_symbol("realloc");
    if (are_of_one_library(realloc_found, sc_real_symbol("malloc_usable_size")))
        LOOK_UP(malloc_usable_size);
    copies_unseen = are_of_one_library(realloc_found, sc_real_symbol("memcpy"));
    LOOK_UP(malloc);
    return true;
}

void sc_hook_malloc_look_up(void)
{
    if (next.malloc == NULL)
        (void)look_up();
}

static __attribute__((noinline)) void *sampled(void *block, size_t size)
{
    sc_memory_allocated(block, size, sc_agent_thread.in_python_allocator);
    return block;
}

/* The slow paths are functions of their own, so that the fast path is a tail call that saves no
 * registers. */
static __attribute__((noinline)) void *sampled_malloc(size_t size)
{
    return sampled(next.malloc(size), size);
}

static __attribute__((noinline)) void *sampled_calloc(size_t count, size_t size)
{
    return sampled(next.calloc(count, size), count * size);
}

/* The block that free is expected to be called with; NULL once it was. */
static _Atomic(const void *) awaited;

static __attribute__((noinline)) void sampled_free(void *block)
{
    if (is_early(block))
        return;
    const void *wanted = block;
    (void)atomic_compare_exchange_strong(&awaited, &wanted, NULL);
    sc_memory_freeing(block);
    next.free(block);
}

bool sc_hook_malloc_frees(void (*give_back)(void *, void *), void *context, void *block)
{
    uint32_t slot = sc_blocks_reserve(block); /* so that free takes its slow path */
    atomic_store(&awaited, block);
    give_back(context, block);
    if (slot != SC_NO_SLOT)
        sc_blocks_release(slot, block);
    return atomic_exchange(&awaited, NULL) == NULL;
}

static __attribute__((cold, noinline)) void *early_malloc(size_t size)
{
    return look_up() ? next.malloc(size) : take_early(size);
}

SC_EXPORT void *malloc(size_t size)
{
    if (SC_UNLIKELY(next.malloc == NULL))
        return early_malloc(size);
    return sc_memory_passes(size) ? next.malloc(size) : sampled_malloc(size);
}

SC_EXPORT void free(void *block)
{
    if (SC_UNLIKELY(next.free == NULL))
        return;
    if (SC_UNLIKELY(sc_blocks_may_hold(block)))
        sampled_free(block);
    else
        next.free(block);
}

/* Of C23, in glibc 2.43 and later. The two may check the size but need not: ours just call free. */
SC_EXPORT void free_sized(void *block, size_t size);
SC_EXPORT void free_aligned_sized(void *block, size_t alignment, size_t size);

void free_sized(void *block, size_t size)
{
    (void)size;
    free(block);
}

void free_aligned_sized(void *block, size_t alignment, size_t size)
{
    (void)alignment;
    (void)size;
    free(block);
}

/* The old name of free: programs linked with a glibc before 2.26 find it in every later one, too.
 */
SC_EXPORT void cfree(void *block);

void cfree(void *block)
{
    free(block);
}

/* The static area has never been used before, so it is zero. */
static __attribute__((cold, noinline)) void *early_calloc(size_t count, size_t size)
{
    return look_up() ? next.calloc(count, size) : take_early(count * size);
}

SC_EXPORT void *calloc(size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    if (SC_UNLIKELY(next.calloc == NULL))
        return early_calloc(count, size);
    return IS_COUNTED_INSIDE || sc_memory_passes(bytes) ? next.calloc(count, size)
                                                        : sampled_calloc(count, size);
}

static __attribute__((cold, noinline)) void *realloc_early(void *block, size_t size)
{
    void *moved = malloc(size);
    if (moved == NULL)
        return NULL;
    size_t kept = EARLY_BYTES - (size_t)((unsigned char *)block - early);
    for (size_t i = 0; i < size && i < kept; i++)
        ((unsigned char *)moved)[i] = ((unsigned char *)block)[i];
    return moved;
}

/* Whether malloc has a mapping for this block alone, which the kernel moves without a copy. */
static bool is_mapped(const void *block, size_t usable)
{
#ifdef __GLIBC__
    return (uintptr_t)block % PAGE_BYTES == CHUNK_HEAD_BYTES &&
           (usable + CHUNK_HEAD_BYTES) % PAGE_BYTES == 0;
#else
    (void)block;
    return usable >= MAPPING_MIN_BYTES;
#endif
}

/* Sizes are compared as the allocator rounds them, so that the growth of many small steps adds up.
 */
static void note_resized(const void *block, size_t old_usable, void *moved, size_t size)
{
    size_t old_bytes = 0;
    bool is_copied = false;
    if (old_usable > 0 && moved != NULL) {
        size_t usable = next.malloc_usable_size(moved);
        size_t grown = usable > old_usable ? usable - old_usable : 0;
        old_bytes = grown < size ? size - grown : 0;
        is_copied = moved != block && copies_unseen &&
                    !(is_mapped(block, old_usable) && is_mapped(moved, usable));
    }
    sc_memory_resized(moved, size, old_bytes, is_copied, sc_agent_thread.in_python_allocator);
}

/* size 0 may free the block and return NULL, which is no failure. */
static __attribute__((noinline)) void *sampled_realloc(void *block, size_t size, bool is_sampled)
{
    if (is_early(block))
        return realloc_early(block, size);
    sc_agent_thread.saw_realloc = true;
    uint32_t slot = sc_blocks_may_hold(block) ? sc_memory_moving(block) : SC_NO_SLOT;
    size_t old_usable = is_sampled && block != NULL && next.malloc_usable_size != NULL
                            ? next.malloc_usable_size(block)
                            : 0;
    void *moved = next.realloc(block, size);
    sc_memory_moved(slot, block, moved != NULL || size == 0);
    if (is_sampled && block != NULL)
        note_resized(block, old_usable, moved, size);
    else if (is_sampled)
        sc_memory_allocated(moved, size, sc_agent_thread.in_python_allocator);
    return moved;
}

/* For a block of the static area or NULL, before the functions are looked up. */
static __attribute__((cold, noinline)) void *early_realloc(void *block, size_t size)
{
    if (look_up())
        return realloc(block, size);
    return block == NULL ? take_early(size) : realloc_early(block, size);
}

SC_EXPORT void *realloc(void *block, size_t size)
{
    if (SC_UNLIKELY(next.realloc == NULL))
        return early_realloc(block, size);
    bool is_sampled = !sc_memory_passes(size);
    if (SC_UNLIKELY(is_sampled) || SC_UNLIKELY(sc_blocks_may_hold(block)))
        return sampled_realloc(block, size, is_sampled);
    return next.realloc(block, size);
}

SC_EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, bytes);
}

SC_EXPORT void *memalign(size_t alignment, size_t size)
{
    if (SC_UNLIKELY(next.memalign == NULL) && !look_up())
        return NULL;
    void *block = next.memalign(alignment, size);
    return IS_COUNTED_INSIDE || sc_memory_passes(size) ? block : sampled(block, size);
}

SC_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    if (SC_UNLIKELY(next.aligned_alloc == NULL) && !look_up())
        return NULL;
    void *block = next.aligned_alloc(alignment, size);
    return sc_memory_passes(size) ? block : sampled(block, size);
}

SC_EXPORT int posix_memalign(void **ret_block, size_t alignment, size_t size)
{
    if (SC_UNLIKELY(next.posix_memalign == NULL) && !look_up())
        return ENOMEM;
    int code = next.posix_memalign(ret_block, alignment, size);
    if (code == 0 && !IS_COUNTED_INSIDE && !sc_memory_passes(size))
        (void)sampled(*ret_block, size);
    return code;
}

SC_EXPORT void *valloc(size_t size)
{
    if (SC_UNLIKELY(next.valloc == NULL) && !look_up())
        return NULL;
    void *block = next.valloc(size);
    return IS_COUNTED_INSIDE || sc_memory_passes(size) ? block : sampled(block, size);
}

SC_EXPORT void *pvalloc(size_t size)
{
    if (SC_UNLIKELY(next.pvalloc == NULL) && !look_up())
        return NULL;
    void *block = next.pvalloc(size);
    return sc_memory_passes(size) ? block : sampled(block, size);
}
