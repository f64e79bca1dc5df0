/*
 * agent/blocks.c - the sampled blocks that are alive.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/blocks.h"

#include "agent/rules.h"

#define RESERVED     1U   /* no address */
#define FILTER_STUCK 255U /* a counter that high is never counted down again */

static _Atomic uint64_t slots[SC_BLOCK_SLOTS];
static _Atomic uint32_t used;

/* How many blocks a bit of the filter stands for. */
static _Atomic uint8_t counters[1U << SC_BLOCKS_FILTER_BITS];

_Atomic uint64_t sc_blocks_filter[1U << (SC_BLOCKS_FILTER_BITS - 6)];

SC_SIGNAL_SAFE static uint32_t first_slot(uint64_t hash)
{
    return (uint32_t)(hash >> (64U - SC_BLOCKS_BUCKET_BITS)) * SC_BLOCKS_BUCKET_SLOTS;
}

/* The counter's value after counting. */
SC_SIGNAL_SAFE static uint8_t count(_Atomic uint8_t *counter, bool up)
{
    uint8_t value = atomic_load(counter);
    uint8_t next;
    do {
        if (value == FILTER_STUCK || (!up && value == 0))
            return value;
        next = (uint8_t)(up ? value + 1 : value - 1);
    } while (!atomic_compare_exchange_weak(counter, &value, next));
    return next;
}

SC_SIGNAL_SAFE static void count_in_filter(uint64_t hash, bool up)
{
    uint64_t bit = hash >> (64U - SC_BLOCKS_FILTER_BITS);
    _Atomic uint64_t *word = &sc_blocks_filter[bit / 64];
    uint64_t mask = (uint64_t)1 << (bit % 64);
    if (count(&counters[bit], up) != 0) {
        if (up)
            atomic_fetch_or(word, mask);
        return;
    }
    atomic_fetch_and(word, ~mask);
    /* somebody may have counted up, and set the bit, just before it was cleared */
    if (atomic_load(&counters[bit]) != 0)
        atomic_fetch_or(word, mask);
}

SC_SIGNAL_SAFE uint32_t sc_blocks_reserve(const void *address)
{
    uint64_t hash = sc_blocks_hash((uint64_t)(uintptr_t)address);
    uint32_t first = first_slot(hash);
    for (uint32_t i = first; i < first + SC_BLOCKS_BUCKET_SLOTS; i++) {
        uint64_t empty = 0;
        if (atomic_load_explicit(&slots[i], memory_order_relaxed) == 0 &&
            atomic_compare_exchange_strong_explicit(&slots[i], &empty, RESERVED,
                                                    memory_order_relaxed, memory_order_relaxed)) {
            atomic_fetch_add_explicit(&used, 1, memory_order_relaxed);
            count_in_filter(hash, true);
            return i;
        }
    }
    return SC_NO_SLOT;
}

SC_SIGNAL_SAFE void sc_blocks_publish(uint32_t slot, const void *address)
{
    /* whoever frees the block has got its address by way of something that orders memory */
    atomic_store_explicit(&slots[slot], (uint64_t)(uintptr_t)address, memory_order_release);
}

SC_SIGNAL_SAFE uint32_t sc_blocks_take(const void *address)
{
    uint64_t wanted = (uint64_t)(uintptr_t)address;
    if (wanted <= RESERVED)
        return SC_NO_SLOT;
    uint32_t first = first_slot(sc_blocks_hash(wanted));
    for (uint32_t i = first; i < first + SC_BLOCKS_BUCKET_SLOTS; i++) {
        uint64_t held = wanted;
        if (atomic_load_explicit(&slots[i], memory_order_relaxed) == wanted &&
            atomic_compare_exchange_strong_explicit(&slots[i], &held, RESERVED,
                                                    memory_order_acquire, memory_order_relaxed))
            return i;
    }
    return SC_NO_SLOT;
}

SC_SIGNAL_SAFE void sc_blocks_release(uint32_t slot, const void *address)
{
    count_in_filter(sc_blocks_hash((uint64_t)(uintptr_t)address), false);
    atomic_fetch_sub_explicit(&used, 1, memory_order_relaxed);
    atomic_store_explicit(&slots[slot], 0, memory_order_release);
}

SC_SIGNAL_SAFE uint32_t sc_blocks_count(void)
{
    return atomic_load_explicit(&used, memory_order_relaxed);
}
