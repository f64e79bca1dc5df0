/*
 * costs/lock_waits.c - waiting for the interpreter lock, by the line that waits and the line that
 * has it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/lock_waits.h"

#define PAIRS_MAX 65536U

void sc_lock_waits_add(struct sc_lock_waits *waits, uint32_t waiter, uint32_t holder, uint64_t ns)
{
    uint64_t key = sc_mix(waiter, holder);
    uint32_t at;
    for (; waits->items.items != NULL && (at = sc_map_get(&waits->index, key)) != SC_NONE;
         key = sc_mix(key, 1)) {
        struct sc_lock_wait *wait = &waits->items.items[at];
        if (wait->waiter == waiter && wait->holder == holder) {
            wait->ns += ns;
            return;
        }
    }
    if (waits->items.count >= PAIRS_MAX)
        return;
    sc_map_put(&waits->index, key, (uint32_t)waits->items.count);
    sc_vec_push(&waits->items, (struct sc_lock_wait){waiter, holder, ns});
}

void sc_lock_waits_done(struct sc_lock_waits *waits)
{
    sc_vec_done(&waits->items);
    sc_map_done(&waits->index);
    *waits = (struct sc_lock_waits){0};
}
