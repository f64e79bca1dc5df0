/*
 * agent/memory/blocks.h - the sampled blocks that are alive: maps an address to a slot.
 *
 * A table of fixed size without locks. Every free looks here, and nearly always finds nothing, so a
 * bitmap of 16 KB that stays in the L1 cache is checked first: one bit per 16 bytes of address,
 * without hashing, so that adjacent blocks use the same word. A block's address is in the table
 * from before malloc returns it until free is called for it; so no two threads ever handle the same
 * address at once, unless a program frees a block twice.
 *
 * Async-signal-safe.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "channel/format.h"

#define SC_BLOCKS_BUCKET_SLOTS 16U
#define SC_BLOCKS_BUCKET_BITS  13U
#define SC_BLOCKS_FILTER_BITS  17U /* the bitmap has 2^17 bits */

static_assert((SC_BLOCKS_BUCKET_SLOTS << SC_BLOCKS_BUCKET_BITS) == SC_BLOCK_SLOTS,
              "the observer keeps as many");

extern _Atomic uint64_t sc_blocks_filter[1U << (SC_BLOCKS_FILTER_BITS - 6)]
    __attribute__((visibility("hidden")));

/* Fibonacci hashing: the upper bits depend on all of the address, whose lowest 4 are 0. */
static inline uint64_t sc_blocks_hash(uint64_t address)
{
    return (address >> 4) * 0x9e3779b97f4a7c15U;
}

static inline uint64_t sc_blocks_filter_bit(uint64_t address)
{
    return (address >> 4) & ((1U << SC_BLOCKS_FILTER_BITS) - 1);
}

/* False when the table surely does not hold the address. */
static inline bool sc_blocks_may_hold(const void *address)
{
    uint64_t bit = sc_blocks_filter_bit((uint64_t)(uintptr_t)address);
    return (atomic_load_explicit(&sc_blocks_filter[bit / 64], memory_order_relaxed) >> (bit % 64) &
            1U) != 0;
}

/* From now on sc_blocks_may_hold is always true for the address. */
void sc_blocks_filter_add(const void *address);

/* Reserves a slot for the address, which no look-up finds yet; SC_NO_SLOT when its bucket is full.
 */
uint32_t sc_blocks_reserve(const void *address);

/* Reserves a slot that no look-up finds. address only chooses the bucket, for an even spread. */
uint32_t sc_blocks_reserve_unfound(const void *address);

/* Look-ups find the reserved slot from now on; also puts back one that was taken. */
void sc_blocks_publish(uint32_t slot, const void *address);

/* Removes the address, so that no look-up finds it, and returns its slot, which stays reserved;
 * SC_NO_SLOT when it is not there. */
uint32_t sc_blocks_take(const void *address);

/* Frees a reserved slot. address: the one it was reserved for; NULL for sc_blocks_reserve_unfound.
 */
void sc_blocks_release(uint32_t slot, const void *address);

/* Called when the free of a reserved slot's block cannot be sent, as the ring is full: keeps the
 * slot until the free can be sent. address: as above. */
void sc_blocks_owe(uint32_t slot, const void *address, uint64_t time_ns);

/* How many slots are kept for a free that has not been sent. */
uint32_t sc_blocks_owed(void);

/* Takes a slot that is kept for an unsent free, and returns it and the time of that free; the
 * caller has to release the slot. SC_NO_SLOT when there is none. */
uint32_t sc_blocks_take_owed(uint64_t *ret_time_ns);

/* How many slots are in use. */
uint32_t sc_blocks_count(void);
