/* observer/memory/resident.c - see resident.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/memory/resident.h"

#include "base/map.h"

#define COST_PARTS  100U       /* reading takes at most a hundredth of the time */
#define INTERVAL_NS 250000000U /* between two answers of one process */

uint32_t sc_resident_next(const struct sc_resident_turns *turns,
                          const struct sc_resident *const *processes, uint32_t count,
                          uint64_t now_ns)
{
    uint32_t next = SC_NONE;
    if (count < 2 || now_ns < turns->rest_until_ns)
        return SC_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t asked_ns = processes[i]->asked_ns;
        if (asked_ns != 0 && now_ns < asked_ns + INTERVAL_NS)
            continue;
        if (next == SC_NONE || asked_ns < processes[next]->asked_ns)
            next = i;
    }
    return next;
}

void sc_resident_note(struct sc_resident_turns *turns, struct sc_resident *process, uint32_t count,
                      double part, uint64_t now_ns, uint64_t took_ns)
{
    process->asked_ns = now_ns;
    process->shared = 0;
    turns->rest_until_ns = now_ns + COST_PARTS * took_ns;
    if (part <= 0 || count < 2)
        return;
    double shared = (1 - part) * (double)count / (double)(count - 1);
    process->shared = shared < 1 ? shared : 1;
    turns->last_shared = process->shared;
}

uint64_t sc_resident_bytes(const struct sc_resident_turns *turns, const struct sc_resident *process,
                           uint32_t count, uint64_t rss_bytes)
{
    double shared = process->asked_ns != 0 ? process->shared : turns->last_shared;
    if (count < 2)
        return rss_bytes;
    return (uint64_t)((1 - shared + shared / (double)count) * (double)rss_bytes);
}
