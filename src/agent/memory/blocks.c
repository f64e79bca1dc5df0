/* agent/memory/blocks.c - see blocks.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/memory/blocks.h"

#include <stddef.h>

#include "agent/rules.h"

#define RESERVED   1U                  /* not an address */
#define OWED       ((uint64_t)1 << 63) /* not an address: the other bits are the free's time */
#define OWED_WORDS (SC_BLOCK_SLOTS / 64U)
#define BUCKETS    (1U << SC_BLOCKS_BUCKET_BITS)

/* Values of a counter that are not counts: the bit stays set for ever; a thread is clearing it. */
#define FILTER_STUCK    255U
#define FILTER_CLEARING 254U
#define CLEARING_LOOKS  64U /* how often to look at a bit that another thread is clearing */

static _Atomic uint64_t slots[SC_BLOCK_SLOTS];
static _Atomic uint32_t used;

/* A bit for each slot whose free has not been sent yet. */
static _Atomic uint64_t owed[OWED_WORDS];
static _Atomic uint32_t owed_count;

/* How many blocks each bit of the filter is set for. */
static _Atomic uint8_t counters[1U << SC_BLOCKS_FILTER_BITS];

_Atomic uint64_t sc_blocks_filter[1U << (SC_BLOCKS_FILTER_BITS - 6)];

/* Blocks whose first bucket was more than half full may be in a second one: without it buckets
 * would overflow by chance long before the table is full. Set once there is such a block. */
static _Atomic bool has_second;

SC_SIGNAL_SAFE static uint32_t first_slot(const void *address, uint32_t choice)
{
    uint64_t hash = sc_blocks_hash((uint64_t)(uintptr_t)address);
    uint64_t bucket = hash >> (64U - SC_BLOCKS_BUCKET_BITS);
    uint64_t other = hash >> (64U - 2 * SC_BLOCKS_BUCKET_BITS) & (BUCKETS - 1);
    return (uint32_t)(choice == 0 ? bucket : bucket ^ (other | 1U)) * SC_BLOCKS_BUCKET_SLOTS;
}

static _Atomic uint64_t *word_of(uint64_t bit)
{
    return &sc_blocks_filter[bit / 64];
}

static uint64_t mask_of(uint64_t bit)
{
    return (uint64_t)1 << (bit % 64);
}

/* After the last block of a bit, the bit is cleared, and only then is the counter set to 0. Until
 * then no thread counts a block in: its bit would be cleared, and its free would be missed. */
SC_SIGNAL_SAFE static void count_out(const void *address)
{
    uint64_t bit = sc_blocks_filter_bit((uint64_t)(uintptr_t)address);
    uint8_t value = atomic_load(&counters[bit]);
    uint8_t next;
    do {
        if (value == 0 || value >= FILTER_CLEARING)
            return;
        next = (uint8_t)(value == 1 ? FILTER_CLEARING : value - 1U);
    } while (!atomic_compare_exchange_weak(&counters[bit], &value, next));
    if (next != FILTER_CLEARING)
        return;
    atomic_fetch_and(word_of(bit), ~mask_of(bit));
    value = FILTER_CLEARING;
    if (!atomic_compare_exchange_strong(&counters[bit], &value, 0))
        atomic_fetch_or(word_of(bit), mask_of(bit)); /* sc_blocks_filter_add set FILTER_STUCK */
}

/* False when another thread is about to clear the bit and has not done so in time: that thread may
 * have lost its CPU, or this is a signal handler that has interrupted it. */
SC_SIGNAL_SAFE static bool count_in(const void *address)
{
    uint64_t bit = sc_blocks_filter_bit((uint64_t)(uintptr_t)address);
    uint8_t value = atomic_load(&counters[bit]);
    unsigned looks = 0;
    for (;;) {
        if (value == FILTER_STUCK)
            break;
        if (value == FILTER_CLEARING) {
            if (++looks > CLEARING_LOOKS)
                return false;
            value = atomic_load(&counters[bit]);
            continue;
        }
        uint8_t next = (uint8_t)(value + 1U == FILTER_CLEARING ? FILTER_STUCK : value + 1U);
        if (atomic_compare_exchange_weak(&counters[bit], &value, next))
            break;
    }
    atomic_fetch_or(word_of(bit), mask_of(bit));
    return true;
}

SC_SIGNAL_SAFE void sc_blocks_filter_add(const void *address)
{
    uint64_t bit = sc_blocks_filter_bit((uint64_t)(uintptr_t)address);
    atomic_store(&counters[bit], FILTER_STUCK);
    atomic_fetch_or(word_of(bit), mask_of(bit));
}

SC_SIGNAL_SAFE static uint32_t reserve_from(uint32_t first)
{
    for (uint32_t i = first; i < first + SC_BLOCKS_BUCKET_SLOTS; i++) {
        uint64_t empty = 0;
        if (atomic_load_explicit(&slots[i], memory_order_relaxed) == 0 &&
            atomic_compare_exchange_strong_explicit(&slots[i], &empty, RESERVED,
                                                    memory_order_relaxed, memory_order_relaxed)) {
            atomic_fetch_add_explicit(&used, 1, memory_order_relaxed);
            return i;
        }
    }
    return SC_NO_SLOT;
}

SC_SIGNAL_SAFE static uint32_t used_from(uint32_t first)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < first + SC_BLOCKS_BUCKET_SLOTS; i++)
        count += atomic_load_explicit(&slots[i], memory_order_relaxed) != 0;
    return count;
}

SC_SIGNAL_SAFE uint32_t sc_blocks_reserve_unfound(const void *address)
{
    uint32_t first = first_slot(address, 0);
    uint32_t second = first_slot(address, 1);
    uint32_t count = used_from(first);
    if (count <= SC_BLOCKS_BUCKET_SLOTS / 2 || count <= used_from(second))
        return reserve_from(first);
    atomic_store_explicit(&has_second, true, memory_order_relaxed);
    return reserve_from(second);
}

SC_SIGNAL_SAFE uint32_t sc_blocks_reserve(const void *address)
{
    uint32_t slot = sc_blocks_reserve_unfound(address);
    if (slot == SC_NO_SLOT || count_in(address))
        return slot;
    sc_blocks_release(slot, NULL);
    return SC_NO_SLOT;
}

SC_SIGNAL_SAFE void sc_blocks_publish(uint32_t slot, const void *address)
{
    /* the thread that frees the block got its address in a way that orders memory */
    atomic_store_explicit(&slots[slot], (uint64_t)(uintptr_t)address, memory_order_release);
}

SC_SIGNAL_SAFE static uint32_t take_from(uint32_t first, uint64_t wanted)
{
    for (uint32_t i = first; i < first + SC_BLOCKS_BUCKET_SLOTS; i++) {
        uint64_t held = wanted;
        if (atomic_load_explicit(&slots[i], memory_order_relaxed) == wanted &&
            atomic_compare_exchange_strong_explicit(&slots[i], &held, RESERVED,
                                                    memory_order_acquire, memory_order_relaxed))
            return i;
    }
    return SC_NO_SLOT;
}

SC_SIGNAL_SAFE uint32_t sc_blocks_take(const void *address)
{
    uint64_t wanted = (uint64_t)(uintptr_t)address;
    if (wanted <= RESERVED)
        return SC_NO_SLOT;
    uint32_t slot = take_from(first_slot(address, 0), wanted);
    if (slot != SC_NO_SLOT || !atomic_load_explicit(&has_second, memory_order_relaxed))
        return slot;
    return take_from(first_slot(address, 1), wanted);
}

SC_SIGNAL_SAFE void sc_blocks_release(uint32_t slot, const void *address)
{
    if (address != NULL)
        count_out(address);
    atomic_fetch_sub_explicit(&used, 1, memory_order_relaxed);
    atomic_store_explicit(&slots[slot], 0, memory_order_release);
}

SC_SIGNAL_SAFE void sc_blocks_owe(uint32_t slot, const void *address, uint64_t time_ns)
{
    if (address != NULL)
        count_out(address);
    atomic_store_explicit(&slots[slot], OWED | time_ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&owed_count, 1, memory_order_relaxed);
    atomic_fetch_or_explicit(&owed[slot / 64], (uint64_t)1 << (slot % 64), memory_order_release);
}

SC_SIGNAL_SAFE uint32_t sc_blocks_owed(void)
{
    return atomic_load_explicit(&owed_count, memory_order_relaxed);
}

SC_SIGNAL_SAFE uint32_t sc_blocks_take_owed(uint64_t *ret_time_ns)
{
    static _Atomic uint32_t hint;
    uint32_t first = atomic_load_explicit(&hint, memory_order_relaxed);
    for (uint32_t i = 0; i < OWED_WORDS; i++) {
        uint32_t at = (first + i) % OWED_WORDS;
        uint64_t word = atomic_load_explicit(&owed[at], memory_order_relaxed);
        while (word != 0) {
            uint64_t bit = word & -word;
            word = atomic_fetch_and_explicit(&owed[at], ~bit, memory_order_acquire);
            if ((word & bit) == 0) /* another thread was faster */
                continue;
            uint32_t slot = at * 64 + (uint32_t)__builtin_ctzll(bit);
            atomic_fetch_sub_explicit(&owed_count, 1, memory_order_relaxed);
            atomic_store_explicit(&hint, at, memory_order_relaxed);
            *ret_time_ns =
                atomic_exchange_explicit(&slots[slot], RESERVED, memory_order_relaxed) & ~OWED;
            return slot;
        }
    }
    return SC_NO_SLOT;
}

SC_SIGNAL_SAFE uint32_t sc_blocks_count(void)
{
    return atomic_load_explicit(&used, memory_order_relaxed);
}
