/*
 * tests/unit/python_memory_test.c - which blocks of the interpreter's allocators are sampled, and
 * from where they come: this program plays the interpreter, and malloc's hooks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "agent/memory/hook_python_memory.h"
#include "agent/memory/memory.h"
#include "sc_test.h"

#define BORDER 512U /* pymalloc's */
#define LARGE  16384U

/* PyMemAllocatorEx of Include/cpython/pymem.h, and the domain of objects. */
struct allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t count, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};
enum { OBJECTS = 2, DOMAINS };

void PyMem_GetAllocator(int domain, struct allocator *ret_allocator);
void PyMem_SetAllocator(int domain, const struct allocator *allocator);

struct sc_agent sc_agent;
_Thread_local struct sc_agent_thread sc_agent_thread;
_Atomic uint64_t sc_memory_large_bytes;
size_t sc_memory_small_bytes;

static struct allocator allocators[DOMAINS];
static struct {
    size_t border; /* the largest block that it has room for itself */
    void *others[4];
} interpreter;
static unsigned char arena[1 << 20];
static size_t used;

/* What malloc's hooks and the agent have seen. */
static struct {
    const void *block; /* of the last malloc */
    size_t bytes;
    const void *freed;
    const void *sampled;
    size_t sampled_bytes;
    const void *ended; /* of a sampled one, that only the interpreter's free can have seen */
    size_t untold_bytes;
} seen;

static bool is_small(const void *block)
{
    return (const unsigned char *)block >= arena && (const unsigned char *)block < arena + used;
}

static void *small_block(size_t size)
{
    void *block = arena + used;
    used += (size + 16) & ~(size_t)15;
    assert_true(used <= sizeof(arena));
    return block;
}

static void *from_malloc(size_t size)
{
    void *block = calloc(1, size);
    seen.block = block;
    seen.bytes = size;
    return block;
}

static void *python_malloc(void *context, size_t size)
{
    assert_ptr_equal(context, &interpreter);
    return size <= interpreter.border ? small_block(size) : from_malloc(size);
}

static void *python_calloc(void *context, size_t count, size_t size)
{
    return python_malloc(context, count * size);
}

static void python_free(void *context, void *block)
{
    if (is_small(block))
        return;
    seen.freed = block;
    free(block);
}

static void *python_realloc(void *context, void *block, size_t size)
{
    void *moved = python_malloc(context, size);
    if (block != NULL)
        python_free(context, block);
    return moved;
}

void PyMem_GetAllocator(int domain, struct allocator *ret_allocator)
{
    *ret_allocator = allocators[domain];
}

void PyMem_SetAllocator(int domain, const struct allocator *allocator)
{
    allocators[domain] = *allocator;
}

struct sc_stream sc_memory_pause_thread(void)
{
    seen.block = NULL;
    return sc_agent_thread.allocations;
}

const void *sc_memory_resume_thread(const struct sc_stream *stream)
{
    sc_agent_thread.allocations = *stream;
    return seen.block;
}

bool sc_hook_malloc_frees(void (*give_back)(void *, void *), void *context, void *block)
{
    give_back(context, block);
    return seen.freed == block;
}

void sc_memory_allocated(const void *block, size_t size, bool is_pythons)
{
    assert_true(is_pythons);
    seen.sampled = block;
    seen.sampled_bytes = size;
    uint32_t slot = sc_blocks_reserve(block);
    sc_blocks_publish(slot, block);
}

void sc_memory_resized(const void *block, size_t size, size_t old_bytes, bool is_copied,
                       bool is_pythons)
{
    sc_memory_allocated(block, size, is_pythons);
}

void sc_memory_count_lost(size_t size)
{
    seen.untold_bytes += size;
}

void sc_memory_freeing(const void *block)
{
    uint32_t slot = sc_blocks_take(block);
    if (slot == SC_NO_SLOT)
        return;
    sc_blocks_release(slot, block);
    seen.ended = block;
}

uint32_t sc_memory_moving(const void *block)
{
    return sc_blocks_take(block);
}

void sc_memory_moved(uint32_t slot, const void *block, bool gone)
{
    assert_true(gone);
    if (slot != SC_NO_SLOT)
        sc_blocks_release(slot, block);
}

/* Sets how many bytes the thread's streams of blocks have before their next points. */
static void leave(int64_t left)
{
    sc_agent_thread.allocations.left = left;
    for (uint32_t i = 0; i < SC_SMALL_STREAMS; i++)
        sc_agent_thread.small_blocks.left[i] = left > INT32_MAX ? INT32_MAX : (int32_t)left;
}

/* large_bytes: blocks of this size and more are not part of the streams. */
static void start_with(size_t border, uint64_t large_bytes)
{
    const struct allocator own = {&interpreter, python_malloc, python_calloc, python_realloc,
                                  python_free};
    interpreter.border = border;
    used = 0;
    for (int domain = 0; domain < DOMAINS; domain++)
        allocators[domain] = own;
    sc_agent.python_end = UINT64_MAX; /* all of this program */
    leave(INT64_MAX);
    sc_memory_large_bytes = large_bytes;
    sc_hook_python_memory_init();
    sc_hook_python_memory_begin(large_bytes);
}

static void start(size_t border)
{
    start_with(border, LARGE);
}

/* The next block of that size holds a sampled byte, when it is to. */
static void expect(bool is_sampled)
{
    memset(&seen, 0, sizeof(seen));
    leave(is_sampled ? 0 : INT64_MAX);
}

static const struct allocator *objects(void)
{
    return &allocators[OBJECTS];
}

static void *by_malloc(size_t size)
{
    return objects()->malloc(objects()->context, size);
}

static void *by_calloc(size_t size)
{
    return objects()->calloc(objects()->context, 2, size / 2);
}

static void *by_realloc(size_t size)
{
    return objects()->realloc(objects()->context, NULL, size);
}

static void *(*const ways[])(size_t size) = {by_malloc, by_calloc, by_realloc};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static void give_back(void *block)
{
    objects()->free(objects()->context, block);
}

TEST(a_small_block_that_is_sampled_comes_from_malloc)
{
    start(BORDER);
    for (size_t i = 0; i < WAYS; i++) {
        expect(true);
        void *block = ways[i](100);
        assert_ptr_equal(seen.sampled, block);
        assert_int_equal(seen.sampled_bytes, 100);
        assert_int_equal(seen.untold_bytes, 0);
        /* so its end is seen by the hook of free */
        assert_ptr_equal(seen.block, block);
        assert_int_equal(seen.bytes, BORDER + 1);
        give_back(block);
        assert_ptr_equal(seen.freed, block);
        sc_memory_freeing(block);
    }
}

TEST(others_stay_where_they_are)
{
    start(BORDER);
    for (size_t i = 0; i < WAYS; i++) {
        expect(false);
        void *block = ways[i](100);
        assert_true(is_small(block));
        assert_null(seen.block);
        give_back(block);
        void *large = ways[i](BORDER + 100);
        assert_int_equal(seen.bytes, BORDER + 100);
        give_back(large);
        assert_null(seen.sampled);
    }
}

/* With a window that is narrower than they are. */
TEST(each_small_block_that_counts_as_large_comes_from_malloc)
{
    start_with(BORDER, 200);
    for (size_t i = 0; i < WAYS; i++) {
        expect(false);
        give_back(ways[i](198));
        assert_null(seen.sampled);
        void *block = ways[i](400);
        assert_ptr_equal(seen.sampled, block);
        assert_int_equal(seen.sampled_bytes, 400);
        assert_int_equal(seen.bytes, BORDER + 1);
        give_back(block);
        sc_memory_freeing(block);
    }
}

/* As with mimalloc: no block reaches malloc, whatever its size. */
TEST(without_malloc_the_interpreters_free_is_hooked)
{
    start(SIZE_MAX);
    for (size_t i = 0; i < WAYS; i++) {
        expect(true);
        void *block = ways[i](100);
        assert_true(is_small(block));
        assert_ptr_equal(seen.sampled, block);
        assert_int_equal(seen.sampled_bytes, 100);
        give_back(block);
        assert_ptr_equal(seen.ended, block);
    }
}
