/*
 * agent/known_keys.h - remembers by 64-bit keys what the observer knows already.
 *
 * A table of fixed size without locks. A key that was pushed out is sent again, which the observer
 * ignores; so the table needs no growth, and two threads that send the same key at once do no harm.
 * Keys carry the process's epoch: a fork child inherits the table and finds none of them, since its
 * observer knows nothing yet. They carry the observer's round, too: the observer drops names that
 * it has not seen for long, and starts a new round, in which all are sent again.
 *
 * Async-signal-safe.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/state.h"

#define SC_KNOWN_PROBES 8U

static inline __attribute__((always_inline)) uint64_t sc_known_mixed(uint64_t key)
{
    uint64_t round = atomic_load_explicit(&sc_agent.segment->round, memory_order_relaxed);
    return key ^ sc_agent.epoch ^ round * 0x9e3779b97f4a7c15U;
}

static inline __attribute__((always_inline)) bool sc_known_has(const _Atomic uint64_t *table,
                                                               uint32_t capacity, uint64_t key)
{
    key = sc_known_mixed(key);
    for (unsigned i = 0; i < SC_KNOWN_PROBES; i++) {
        if (atomic_load_explicit(&table[(key + i) % capacity], memory_order_relaxed) == key)
            return true;
    }
    return false;
}

static inline __attribute__((always_inline)) void sc_known_add(_Atomic uint64_t *table,
                                                               uint32_t capacity, uint64_t key)
{
    key = sc_known_mixed(key);
    for (unsigned i = 0; i < SC_KNOWN_PROBES; i++) {
        uint64_t empty = 0;
        if (atomic_compare_exchange_strong_explicit(&table[(key + i) % capacity], &empty, key,
                                                    memory_order_relaxed, memory_order_relaxed))
            return;
    }
    atomic_store_explicit(&table[(key + (key >> 32) % SC_KNOWN_PROBES) % capacity], key,
                          memory_order_relaxed);
}
