/*
 * agent/memory/memory.h - the slow path of the hooks of allocation and copying: takes samples.
 *
 * The hooks subtract a small block's size from their thread's stream and come here when that has
 * become negative, about once per window, and for every large block. Until the program begins, in
 * processes that are not profiled, and in their fork children the streams are merely reset.
 *
 * Async-signal-safe: a signal handler may allocate. Keeps errno.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/memory/blocks.h"
#include "agent/rules.h"
#include "agent/state.h"

/* How full a table is. */
struct sc_table_room {
    uint32_t capacity;
    uint32_t used;
};

/* Blocks of that size and more are not part of the stream; UINT64_MAX while memory is not profiled.
 */
extern _Atomic uint64_t sc_memory_large_bytes __attribute__((visibility("hidden")));

/* Blocks of one of Python's allocators up to this size, at most SC_SMALL_BLOCK_BYTES and smaller
 * than large ones, take the fast path of small blocks. */
extern size_t sc_memory_small_bytes __attribute__((visibility("hidden")));

/* The fast path for such a block: true when it is not to be sampled. */
static inline bool sc_memory_small_passes(size_t size)
{
    int32_t *left = &sc_agent_thread.small_blocks.left[sc_small_stream(size)];
    *left -= (int32_t)size;
    return SC_LIKELY(*left >= 0);
}

/* The same for any other block. */
static inline bool sc_memory_passes(size_t size)
{
    return SC_LIKELY(size < atomic_load_explicit(&sc_memory_large_bytes, memory_order_relaxed)) &&
           SC_LIKELY(!sc_stream_passes(&sc_agent_thread.allocations, size));
}

/* Whether the calling thread's next block, of size, will not be sampled. */
static inline bool sc_memory_will_pass(size_t size)
{
    return size < atomic_load_explicit(&sc_memory_large_bytes, memory_order_relaxed) &&
           (int64_t)size <= sc_agent_thread.allocations.left;
}

/* Nothing that the calling thread allocates is counted, until it calls sc_memory_resume_thread.
 * Returns its stream, to be passed to that. */
struct sc_stream sc_memory_pause_thread(void);

/* Ends what sc_memory_pause_thread began. Returns the last block that malloc's hooks have returned
 * since then; NULL: none. */
const void *sc_memory_resume_thread(const struct sc_stream *stream);

/* Blocks are sampled from now on, beginning with the calling thread's. is_finalizing says whether
 * the interpreter is finalizing (blocks freed then count as alive to the end); it may be NULL. */
void sc_memory_begin(int (*is_finalizing)(void));

/* Large blocks and mappings are sampled from now on, too. */
void sc_memory_begin_large(void);

/* Nothing is sampled any more, until the next begin. Async-signal-safe. */
void sc_memory_end_sampling(void);

/* Sends the frees that were postponed, and counts those that cannot be. Async-signal-safe. */
void sc_memory_send_postponed_frees(void);

/* In a fork child: if followed, sampling goes on, and begins with no block of the child's own;
 * otherwise nothing is sampled. */
void sc_memory_blocks_after_fork(bool followed);

/* Looks up the functions that are hooked, when their first call would be too late for that. */
void sc_hook_malloc_look_up(void);
void sc_hook_copy_look_up(void);

/* Calls give_back(context, block), and returns whether that called free with this very block. Only
 * one thread at a time may call it. */
bool sc_hook_malloc_frees(void (*give_back)(void *, void *), void *context, void *block);

/* The slow path for a block of size: it is large, or the calling thread's stream is negative after
 * size was subtracted from it. block is the result of the allocation (NULL: it failed). is_pythons:
 * through one of Python's own allocators. */
void sc_memory_allocated(const void *block, size_t size, bool is_pythons);

/* The same for a block whose free no hook will see: no record is sent, and its bytes count as lost.
 */
void sc_memory_count_lost(size_t size);

/* As sc_memory_allocated, for the result of a realloc. old_bytes: of its size, what the block had
 * before; 0 if that is not known. is_copied: they were copied, and no hook has seen it. */
void sc_memory_resized(const void *block, size_t size, size_t old_bytes, bool is_copied,
                       bool is_pythons);

/* The calling thread's stream of copies is negative after size was subtracted from it. to, from:
 * the copied ranges. May be called before the copying or after it. */
void sc_memory_copied(const void *to, const void *from, size_t size);

/* As sc_memory_allocated, for mapped memory (mappings.h), which is not freed by its address.
 * old_bytes: of its size, what was mapped before, at this or another place. flags:
 * SC_ALLOCATION_FILLED and SC_ALLOCATION_SHARED, where they apply. mappings: how full their table
 * is. Returns the slot that names it, SC_NO_SLOT when it was not sampled. */
uint32_t sc_memory_mapped(const void *block, size_t size, size_t old_bytes, uint32_t flags,
                          const struct sc_table_room *mappings);

/* All that is left of the mapped block in slot is unmapped. */
void sc_memory_unmapped(uint32_t slot);

/* The part [address, address + bytes) of the block in slot is unmapped; another part is left. */
void sc_memory_cut(uint32_t slot, uint64_t bytes, uint64_t address);

/* The part [address, address + bytes) of the block in slot becomes a block of its own. Returns its
 * slot; SC_NO_SLOT when none is free: then the part counts as unmapped. */
uint32_t sc_memory_split(uint32_t slot, uint64_t bytes, uint64_t address);

/* Counts a loss: the table of mappings was full or busy, so a change was not recorded. */
void sc_memory_missed(void);

/* Whether memory is profiled at all. */
static inline bool sc_memory_is_on(void)
{
    return atomic_load_explicit(&sc_memory_large_bytes, memory_order_relaxed) != UINT64_MAX;
}

/* The block is about to be freed, and sc_blocks_may_hold says that it may be a sampled one. */
void sc_memory_freeing(const void *block);

/* The same in two steps, for a call that may fail: the first removes the block from look-ups and
 * returns its slot (or SC_NO_SLOT); the second is passed whether the block is gone, and puts it
 * back if not. */
uint32_t sc_memory_moving(const void *block);
void sc_memory_moved(uint32_t slot, const void *block, bool gone);
