/*
 * agent/memory/blocks.h - the sampled blocks that are alive: from an address to a slot.
 *
 * A table of fixed size without locks. Every free asks it, and nearly every answer is no, so a
 * bitmap of 16 KB that stays in the processor's nearest cache is asked first: one bit per 16 bytes
 * of address, without hashing, so that blocks that lie side by side ask the same word. A block's
 * address is in the table from before malloc returns it until free is called for it; so no two
 * threads ever handle the same address at once, but for a program that frees twice.
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

/* From now on the filter says that the table may hold the address, for ever. */
void sc_blocks_look_at(const void *address);

/* A slot for the address, not found by anybody yet; SC_NO_SLOT when there is no room near it. */
uint32_t sc_blocks_reserve(const void *address);

/* A slot that is never found by an address. address: anything, for an even spread. */
uint32_t sc_blocks_reserve_unfound(const void *address);

/* The reserved slot is found from now on; also puts back one that was taken. */
void sc_blocks_publish(uint32_t slot, const void *address);

/* Takes the address out, so that nobody finds it, and returns its slot, which stays reserved;
 * SC_NO_SLOT when it is not there. */
uint32_t sc_blocks_take(const void *address);

/* Gives a reserved slot back. address: what it was reserved for; NULL: it is not found by any. */
void sc_blocks_release(uint32_t slot, const void *address);

/* The end of a reserved slot's block cannot be sent now: the slot is kept until it can. address: as
 * above. */
void sc_blocks_owe(uint32_t slot, const void *address, uint64_t time_ns);

/* How many slots are kept for that. */
uint32_t sc_blocks_owed(void);

/* One of them, which is the caller's to release, and when its block ended; SC_NO_SLOT when there is
 * none. */
uint32_t sc_blocks_take_owed(uint64_t *ret_time_ns);

/* How many slots are in use. */
uint32_t sc_blocks_count(void);
