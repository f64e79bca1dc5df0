/*
 * agent/memory/mappings.c - the program's anonymous mappings.
 *
 * Reserved and usable ranges do not overlap; those of sampled blocks lie in usable ones.
 *
 * The thread that has set an entry to BUSY owns it. Two threads want the same entry only if they
 * unmap or protect parts of the same mapping at once, or if a signal handler does so to a mapping
 * whose change it has interrupted. The second one retries for a while, since the first may have
 * lost its CPU. Then it postpones its change of a sampled block, and a later call makes it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/memory/mappings.h"

#include <stdatomic.h>

#include "agent/memory/memory.h"
#include "agent/rules.h"

/* States of entries in addition to those of enum sc_mapping_state. A sampled block has an entry of
 * its own, besides that of the usable range it lies in. */
#define EMPTY   0U
#define SAMPLED 4U
#define BUSY    8U

#define BUSY_LOOKS 4096U
#define SCANS_MAX  8U

#define LOWERED_AT_ONCE 64U
#define POSTPONED_MAX   64U

struct entry {
    _Atomic uint64_t start;
    _Atomic uint64_t end;
    _Atomic uint64_t number; /* as a moment */
    _Atomic uint32_t state;
    _Atomic uint32_t slot;
};

/* An unmapped range that could not be removed from a sampled block whose entry was busy. */
struct postponed {
    _Atomic uint64_t start;
    _Atomic uint64_t end;
    _Atomic uint64_t moment;
    _Atomic uint32_t state; /* EMPTY, BUSY or SAMPLED */
};

static struct postponed postponed[POSTPONED_MAX];
static _Atomic uint32_t postponed_count;
static struct entry entries[SC_MAPPINGS_MAX];
static _Atomic uint32_t entry_limit; /* no entry from here on is in use */
static _Atomic uint32_t entry_count;
static _Atomic uint64_t numbers;
static _Atomic uint64_t splits; /* entries that were cut in two */

SC_SIGNAL_SAFE static uint64_t get(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

SC_SIGNAL_SAFE static void set(_Atomic uint64_t *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

SC_SIGNAL_SAFE static bool meets(const struct entry *entry, uint64_t start, uint64_t end)
{
    return get(&entry->start) < end && get(&entry->end) > start;
}

SC_SIGNAL_SAFE static void raise_limit(uint32_t least)
{
    uint32_t limit = atomic_load(&entry_limit);
    while (limit < least && !atomic_compare_exchange_weak(&entry_limit, &limit, least))
        ;
}

/* A thread that takes an entry sets its state first and then raises the limit, so that one of the
 * two threads sees the other's change. */
SC_SIGNAL_SAFE static void lower_limit(void)
{
    uint32_t limit = atomic_load(&entry_limit);
    for (unsigned i = 0; i < LOWERED_AT_ONCE && limit > 0; i++, limit--) {
        if (atomic_load(&entries[limit - 1].state) != EMPTY ||
            !atomic_compare_exchange_strong(&entry_limit, &limit, limit - 1))
            return;
        if (atomic_load(&entries[limit - 1].state) != EMPTY)
            raise_limit(limit);
    }
}

SC_SIGNAL_SAFE static void release(struct entry *entry, uint32_t state)
{
    if (state != EMPTY) {
        atomic_store_explicit(&entry->state, state, memory_order_release);
        return;
    }
    set(&entry->start, 0);
    set(&entry->end, 0);
    atomic_fetch_sub_explicit(&entry_count, 1, memory_order_relaxed);
    atomic_store(&entry->state, EMPTY);
    lower_limit();
}

SC_SIGNAL_SAFE uint64_t sc_mappings_now(void)
{
    return atomic_load(&numbers);
}

SC_SIGNAL_SAFE static bool insert(uint64_t start, uint64_t end, uint32_t state, uint32_t slot,
                                  uint64_t number)
{
    for (uint32_t i = 0; i < SC_MAPPINGS_MAX; i++) {
        struct entry *entry = &entries[i];
        uint32_t empty = EMPTY;
        if (atomic_load_explicit(&entry->state, memory_order_relaxed) != EMPTY ||
            !atomic_compare_exchange_strong(&entry->state, &empty, BUSY))
            continue;
        raise_limit(i + 1);
        atomic_fetch_add_explicit(&entry_count, 1, memory_order_relaxed);
        set(&entry->number, number);
        atomic_store_explicit(&entry->slot, slot, memory_order_relaxed);
        set(&entry->start, start);
        set(&entry->end, end);
        release(entry, state);
        return true;
    }
    return false;
}

/* Takes ownership of an entry that overlaps the range, and returns the state it was in; EMPTY when
 * it does not overlap or is in none of the states, BUSY when another thread keeps it for too long.
 */
SC_SIGNAL_SAFE static uint32_t hold(struct entry *entry, uint64_t start, uint64_t end,
                                    unsigned states, unsigned looks)
{
    for (; looks > 0; looks--) {
        uint32_t state = atomic_load_explicit(&entry->state, memory_order_acquire);
        if (!meets(entry, start, end) || (state != BUSY && (state & states) == 0))
            return EMPTY;
        if (state == BUSY ||
            !atomic_compare_exchange_weak_explicit(&entry->state, &state, BUSY,
                                                   memory_order_acquire, memory_order_relaxed))
            continue;
        if (meets(entry, start, end))
            return state;
        release(entry, state);
        return EMPTY;
    }
    return BUSY;
}

SC_SIGNAL_SAFE static bool is_postponed(uint64_t start, uint64_t end, uint64_t moment)
{
    for (uint32_t i = 0; i < POSTPONED_MAX; i++) {
        const struct postponed *later = &postponed[i];
        if (atomic_load_explicit(&later->state, memory_order_acquire) == SAMPLED &&
            get(&later->start) == start && get(&later->end) == end && get(&later->moment) >= moment)
            return true;
    }
    return false;
}

SC_SIGNAL_SAFE static void postpone(uint64_t start, uint64_t end, uint64_t moment)
{
    if (is_postponed(start, end, moment))
        return;
    for (uint32_t i = 0; i < POSTPONED_MAX; i++) {
        struct postponed *later = &postponed[i];
        uint32_t empty = EMPTY;
        if (!atomic_compare_exchange_strong(&later->state, &empty, BUSY))
            continue;
        set(&later->start, start);
        set(&later->end, end);
        set(&later->moment, moment);
        atomic_fetch_add(&postponed_count, 1);
        atomic_store_explicit(&later->state, SAMPLED, memory_order_release);
        return;
    }
    sc_memory_missed();
}

/* Makes the part of the entry from start on an entry of its own. */
SC_SIGNAL_SAFE static void split(const struct entry *entry, uint64_t start, uint32_t state)
{
    uint64_t end = get(&entry->end);
    uint32_t slot = atomic_load_explicit(&entry->slot, memory_order_relaxed);
    uint32_t own = slot != SC_NO_SLOT ? sc_memory_split(slot, end - start, start) : SC_NO_SLOT;
    if (!insert(start, end, state, own, get(&entry->number))) {
        sc_memory_missed();
        if (own != SC_NO_SLOT)
            sc_memory_unmapped(own);
    }
    atomic_fetch_add(&splits, 1);
}

/* Removes from an entry that we own what lies in the range, and returns that. */
SC_SIGNAL_SAFE static struct sc_mapping cut(struct entry *entry, uint64_t start, uint64_t end,
                                            uint32_t state)
{
    uint64_t first = get(&entry->start);
    uint64_t last = get(&entry->end);
    uint32_t slot = atomic_load_explicit(&entry->slot, memory_order_relaxed);
    start = start > first ? start : first;
    end = end < last ? end : last;
    if (start > first && end < last)
        split(entry, end, state);
    bool is_whole = start == first && end == last;
    if (slot != SC_NO_SLOT && is_whole)
        sc_memory_unmapped(slot);
    else if (slot != SC_NO_SLOT)
        sc_memory_cut(slot, end - start, start);
    if (start > first)
        set(&entry->end, start);
    else
        set(&entry->start, end);
    release(entry, is_whole ? EMPTY : state);
    return (struct sc_mapping){.start = start, .end = end, .state = (enum sc_mapping_state)state};
}

/* Removes one piece of a reserved or usable range, and returns true. With SAMPLED in wanted, all
 * parts of sampled blocks that it comes across are removed on the way. */
SC_SIGNAL_SAFE static bool take_once(uint64_t start, uint64_t end, unsigned wanted, uint64_t moment,
                                     unsigned looks, struct sc_mapping *ret_piece)
{
    uint32_t limit = atomic_load_explicit(&entry_limit, memory_order_acquire);
    for (uint32_t i = 0; i < limit; i++) {
        struct entry *entry = &entries[i];
        if (!meets(entry, start, end) || get(&entry->number) > moment)
            continue;
        uint32_t state = hold(entry, start, end, wanted, looks);
        /* a range without a block does no harm if it stays here after it was unmapped: the next
         * mapping there replaces it */
        if (state == BUSY && (wanted & SAMPLED) != 0 &&
            atomic_load_explicit(&entry->slot, memory_order_relaxed) != SC_NO_SLOT)
            postpone(start, end, moment);
        if (state == EMPTY || state == BUSY)
            continue;
        if (get(&entry->number) > moment) {
            release(entry, state);
            continue;
        }
        *ret_piece = cut(entry, start, end, state);
        if (state != SAMPLED)
            return true;
    }
    return false;
}

/* Makes the postponed changes; one whose entry is still busy is postponed again. */
SC_SIGNAL_SAFE static void take_postponed(void)
{
    for (uint32_t i = 0; i < POSTPONED_MAX; i++) {
        struct postponed *later = &postponed[i];
        struct sc_mapping piece;
        uint32_t ready = SAMPLED;
        if (!atomic_compare_exchange_strong(&later->state, &ready, BUSY))
            continue;
        uint64_t start = get(&later->start);
        uint64_t end = get(&later->end);
        uint64_t moment = get(&later->moment);
        atomic_fetch_sub(&postponed_count, 1);
        atomic_store(&later->state, EMPTY);
        (void)take_once(start, end, SAMPLED, moment, 1, &piece);
    }
}

SC_SIGNAL_SAFE static bool take(uint64_t start, uint64_t end, unsigned wanted, uint64_t moment,
                                struct sc_mapping *ret_piece)
{
    /* a part that another thread splits off meanwhile may go into an entry that we have passed */
    for (unsigned scans = 0; scans < SCANS_MAX; scans++) {
        uint64_t before = atomic_load(&splits);
        if (take_once(start, end, wanted, moment, BUSY_LOOKS, ret_piece))
            return true;
        if (atomic_load(&splits) == before)
            return false;
    }
    return false;
}

SC_SIGNAL_SAFE bool sc_mappings_take(uint64_t start, uint64_t end, unsigned states, uint64_t moment,
                                     struct sc_mapping *ret_piece)
{
    unsigned wanted = states | ((states & SC_MAPPING_USABLE) != 0 ? SAMPLED : 0U);
    bool found = take(start, end, wanted, moment, ret_piece);
    /* only now: while we owned an entry, a postponed change might have waited for that one */
    if (atomic_load_explicit(&postponed_count, memory_order_relaxed) > 0)
        take_postponed();
    return found;
}

/* Merges adjacent ranges of the same state into this one. */
SC_SIGNAL_SAFE static void join(uint64_t *start, uint64_t *end, enum sc_mapping_state state)
{
    uint32_t limit = atomic_load_explicit(&entry_limit, memory_order_acquire);
    for (uint32_t i = 0; i < limit; i++) {
        struct entry *entry = &entries[i];
        /* a busy one stays separate, which only costs an entry */
        if ((get(&entry->end) != *start && get(&entry->start) != *end) ||
            atomic_load_explicit(&entry->state, memory_order_relaxed) == BUSY)
            continue;
        uint32_t held = hold(entry, *start - 1, *end + 1, state, BUSY_LOOKS);
        if (held == EMPTY || held == BUSY)
            continue;
        bool is_before = get(&entry->end) == *start;
        bool is_behind = get(&entry->start) == *end;
        if (is_before)
            *start = get(&entry->start);
        else if (is_behind)
            *end = get(&entry->end);
        release(entry, is_before || is_behind ? EMPTY : (uint32_t)state);
    }
}

SC_SIGNAL_SAFE void sc_mappings_add(uint64_t start, uint64_t end, enum sc_mapping_state state,
                                    uint32_t slot)
{
    uint64_t number = atomic_fetch_add(&numbers, 1) + 1;
    if (slot != SC_NO_SLOT && !insert(start, end, SAMPLED, slot, number)) {
        sc_memory_missed();
        sc_memory_unmapped(slot);
    }
    join(&start, &end, state);
    if (!insert(start, end, state, SC_NO_SLOT, number))
        sc_memory_missed();
}

SC_SIGNAL_SAFE unsigned sc_mappings_states(uint64_t start, uint64_t end)
{
    unsigned states = 0;
    uint32_t limit = atomic_load_explicit(&entry_limit, memory_order_acquire);
    for (uint32_t i = 0; i < limit; i++) {
        if (meets(&entries[i], start, end))
            states |= atomic_load_explicit(&entries[i].state, memory_order_acquire);
    }
    return states & SC_MAPPING_ANY;
}

SC_SIGNAL_SAFE uint32_t sc_mappings_count(void)
{
    return atomic_load_explicit(&entry_count, memory_order_relaxed);
}

void sc_mappings_clear(void)
{
    uint32_t limit = atomic_load(&entry_limit);
    for (uint32_t i = 0; i < limit; i++) {
        uint32_t slot = atomic_load(&entries[i].slot);
        if (atomic_load(&entries[i].state) == EMPTY)
            continue;
        if (slot != SC_NO_SLOT)
            sc_memory_unmapped(slot);
        release(&entries[i], EMPTY);
    }
    for (uint32_t i = 0; i < POSTPONED_MAX; i++)
        atomic_store(&postponed[i].state, EMPTY);
    atomic_store(&postponed_count, 0);
}

void sc_mappings_after_fork(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < POSTPONED_MAX; i++) {
        if (atomic_load(&postponed[i].state) == BUSY)
            atomic_store(&postponed[i].state, EMPTY);
        count += atomic_load(&postponed[i].state) == SAMPLED;
    }
    atomic_store(&postponed_count, count);
    uint32_t limit = atomic_load(&entry_limit);
    for (uint32_t i = 0; i < limit; i++) {
        if (atomic_load(&entries[i].state) == BUSY)
            release(&entries[i], EMPTY);
    }
}
