/* agent/kept.c - see kept.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/kept.h"

#include <stdbool.h>
#include <stddef.h>

#include "agent/rules.h"

static struct sc_kept places[SC_KEPT_STACKS];
static _Atomic uint64_t uses;

SC_SIGNAL_SAFE static bool try_to_take(struct sc_kept *kept)
{
    uint32_t free = 0;
    return atomic_compare_exchange_strong_explicit(&kept->taken, &free, 1, memory_order_acquire,
                                                   memory_order_relaxed);
}

SC_SIGNAL_SAFE static struct sc_kept *use(struct sc_kept *kept, uint32_t tid, uint64_t epoch)
{
    uint64_t now = atomic_fetch_add_explicit(&uses, 1, memory_order_relaxed) + 1;
    if (atomic_load_explicit(&kept->tid, memory_order_relaxed) != tid || kept->epoch != epoch)
        kept->count = 0;
    kept->epoch = epoch;
    atomic_store_explicit(&kept->tid, tid, memory_order_relaxed);
    atomic_store_explicit(&kept->used, now, memory_order_relaxed);
    return kept;
}

SC_SIGNAL_SAFE struct sc_kept *sc_kept_acquire(uint32_t tid, uint64_t epoch)
{
    struct sc_kept *oldest = NULL;
    uint64_t oldest_used = UINT64_MAX;
    for (unsigned i = 0; i < SC_KEPT_STACKS; i++) {
        struct sc_kept *kept = &places[i];
        uint64_t used = atomic_load_explicit(&kept->used, memory_order_relaxed);
        /* this thread's own place. If another thread is taking it over at this moment, try_to_take
         * fails, and any other place will do */
        if (atomic_load_explicit(&kept->tid, memory_order_relaxed) == tid && try_to_take(kept))
            return use(kept, tid, epoch);
        if (used < oldest_used && atomic_load_explicit(&kept->taken, memory_order_relaxed) == 0) {
            oldest = kept;
            oldest_used = used;
        }
    }
    return oldest != NULL && try_to_take(oldest) ? use(oldest, tid, epoch) : NULL;
}

SC_SIGNAL_SAFE void sc_kept_release(struct sc_kept *kept)
{
    atomic_store_explicit(&kept->taken, 0, memory_order_release);
}

SC_SIGNAL_SAFE uint32_t sc_kept_index(const struct sc_kept *kept)
{
    return (uint32_t)(kept - places);
}

SC_SIGNAL_SAFE uint32_t sc_kept_count_common(const struct sc_kept *kept,
                                             const struct sc_sample_frame *frames, uint32_t count)
{
    uint32_t limit = count < kept->count ? count : kept->count;
    uint32_t common = 0;
    if (kept->number % SC_KEPT_RECORDS == SC_KEPT_RECORDS - 1)
        return 0;
    while (common < limit) {
        const struct sc_sample_frame *old = &kept->frames[common];
        const struct sc_sample_frame *new = &frames[count - 1 - common];
        if (old->code_key != new->code_key || old->instruction != new->instruction ||
            old->flags != new->flags)
            break;
        common++;
    }
    return common;
}

SC_SIGNAL_SAFE uint32_t sc_kept_store(struct sc_kept *kept, const struct sc_sample_frame *frames,
                                      uint32_t count, uint32_t common)
{
    for (uint32_t i = common; i < count; i++)
        kept->frames[i] = frames[count - 1 - i];
    kept->count = count;
    return ++kept->number;
}

void sc_kept_after_fork(void)
{
    for (unsigned i = 0; i < SC_KEPT_STACKS; i++)
        atomic_store(&places[i].taken, 0);
}
