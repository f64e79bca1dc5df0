/*
 * agent/memory/memory.h - what the hooks of allocation and copying do when a byte is sampled.
 *
 * The hooks subtract a small block's size from their thread's stream and come here when that has
 * become negative, about once per window, and for every large block. Until the program begins, in
 * processes that are not followed, and in a fork child the streams are merely wound up again.
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
#include "agent/memory/start.h"
#include "agent/rules.h"
#include "agent/state.h"

/* Blocks of that size and more are no part of the stream; UINT64_MAX while nothing is followed. */
extern _Atomic uint64_t sc_memory_large_bytes __attribute__((visibility("hidden")));

/* The fast path of a block that is smaller than these: true when it needs no look. */
static inline bool sc_memory_small_passes(size_t size)
{
    return SC_LIKELY(!sc_stream_passes(&sc_agent_thread.allocations, size));
}

/* The same of any block. */
static inline bool sc_memory_passes(size_t size)
{
    return SC_LIKELY(size < atomic_load_explicit(&sc_memory_large_bytes, memory_order_relaxed)) &&
           sc_memory_small_passes(size);
}

/* Whether the calling thread's next block, of size, will pass. */
static inline bool sc_memory_will_pass(size_t size)
{
    return size < atomic_load_explicit(&sc_memory_large_bytes, memory_order_relaxed) &&
           (int64_t)size <= sc_agent_thread.allocations.left;
}

/* Nothing that the calling thread allocates is counted from now on, until it looks again. Returns
 * its stream, for then. */
struct sc_stream sc_memory_look_away(void);

/* Returns the block that malloc's hooks have given out last in between, NULL: none. */
const void *sc_memory_look_again(const struct sc_stream *stream);

/* Blocks are followed from now on, beginning with the calling thread's. is_finalizing
 * says whether the interpreter is being taken apart (what is freed then was alive to the end); it
 * may be NULL. */
void sc_memory_begin(int (*is_finalizing)(void));

/* Looks up what the hooks stand in front of, where the first of their calls would be too late. */
void sc_hook_malloc_look_up(void);
void sc_hook_copy_look_up(void);

/* Gives the block back by that function, with that context before it, and says whether this has
 * ended in a call of free for its very address. For one thread at a time. */
bool sc_hook_malloc_frees(void (*give_back)(void *, void *), void *context, void *block);

/* A block of size needs a look: it is large, or the calling thread's stream is negative after size
 * was subtracted from it. block was given out for it (NULL: it failed). is_pythons: through one of
 * Python's own allocators. */
void sc_memory_allocated(const void *block, size_t size, bool is_pythons);

/* The same of a block whose end no hook will see: no record is sent, and its bytes count as lost.
 */
void sc_memory_untold(size_t size);

/* As sc_memory_allocated, of a block that another one has become. */
void sc_memory_resized(const void *block, size_t size, bool is_pythons);

/* The calling thread's stream of copies is negative after size was subtracted from it. to, from:
 * where the bytes are copied, in any order of this call and the copying. */
void sc_memory_copied(const void *to, const void *from, size_t size);

/* As sc_memory_allocated, of memory that the kernel has given out (mappings.h): nobody frees it by
 * its address. flags: SC_ALLOCATION_FILLED and SC_ALLOCATION_SHARED, as they are true. Returns the
 * slot that names it, SC_NO_SLOT when it was not sampled. */
uint32_t sc_memory_mapped(const void *block, size_t size, uint32_t flags);

/* All that is left of such a block is gone. */
void sc_memory_unmapped(uint32_t slot);

/* So many of its bytes, from that address on, are gone: not all that are left. */
void sc_memory_cut(uint32_t slot, uint64_t bytes, uint64_t address);

/* So many of its bytes, from that address on, are a block of their own. Returns its slot;
 * SC_NO_SLOT when there is none: then they count as gone. */
uint32_t sc_memory_split(uint32_t slot, uint64_t bytes, uint64_t address);

/* The table of mappings is full, or busy: what became of one is not known. */
void sc_memory_missed(void);

/* Whether memory is followed at all. */
static inline bool sc_memory_is_on(void)
{
    return atomic_load_explicit(&sc_memory_large_bytes, memory_order_relaxed) != UINT64_MAX;
}

/* The block is about to be freed, and sc_blocks_may_hold says that it may be a sampled one. */
void sc_memory_freeing(const void *block);

/* The same in two steps, for a call that may fail: the slot of the block, no longer found (or
 * SC_NO_SLOT), and then whether the block is gone. */
uint32_t sc_memory_moving(const void *block);
void sc_memory_moved(uint32_t slot, const void *block, bool gone);
