/* observer/charge/held.c - see held.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/charge/held.h"

/* The number of parts, one per tick of the event, into which the time is divided. */
static double count_parts(const struct sc_held_samples *held, double span_ns, uint64_t period_ns,
                          enum sc_held_end end)
{
    double ticks = 0;
    for (size_t i = 0; i < held->list.count; i++)
        ticks += (double)held->list.items[i].ticks;
    double periods = period_ns > 0 ? span_ns / (double)period_ns : 0;
    return end == SC_HELD_BY_CODE && periods > ticks ? periods : ticks;
}

void sc_held_weigh(struct sc_held_samples *held, uint64_t since_ns, uint64_t until_ns,
                   uint64_t period_ns, enum sc_held_end end)
{
    double span_ns = 0;
    if (end != SC_HELD_BY_CALL && until_ns > since_ns)
        span_ns = (double)(until_ns - since_ns);
    double parts = count_parts(held, span_ns, period_ns, end);
    double passed = 0;
    for (size_t i = 0; i < held->list.count; i++) {
        passed += (double)held->list.items[i].ticks;
        uint64_t until_here_ns = parts > 0 ? (uint64_t)(span_ns * (passed / parts)) : 0;
        held->list.items[i].sample.cpu_ns = since_ns + until_here_ns;
    }
}
