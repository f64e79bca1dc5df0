/* costs/timeline.c - see timeline.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/timeline.h"

#include <stdbool.h>

#include "base/map.h"

#define RUNS_MAX      4096U
#define FIRST_SLOT_NS 2000000U
#define LAST_SLOT_NS  (UINT64_C(1) << 60) /* longer than any run: one run per thread is left */

/* The longest gap between two samples of one run: ticks come this late. */
#define PAUSE_NS 20000000U

static uint32_t *last_of(struct sc_timeline *timeline, uint32_t thread)
{
    while (timeline->last.count <= thread)
        sc_vec_push(&timeline->last, SC_NONE);
    return &timeline->last.items[thread];
}

/* A stack that comes back after a pause is another run: in between the thread was idle, or what it
 * did is not known. */
static bool goes_on(const struct sc_timeline_run *last, const struct sc_timeline_run *next,
                    uint64_t slot_ns)
{
    uint64_t pause_ns = slot_ns > PAUSE_NS ? slot_ns : PAUSE_NS;
    return last->node == next->node && next->start_ns <= last->start_ns + last->time_ns + pause_ns;
}

/* Merges a run into the thread's run before it, when they are one at this grain. */
static bool merge(const struct sc_timeline *timeline, struct sc_timeline_run *last,
                  const struct sc_timeline_run *next)
{
    bool same_slot = timeline->slot_ns != 0 &&
                     last->start_ns / timeline->slot_ns == next->start_ns / timeline->slot_ns;
    if (!same_slot && !goes_on(last, next, timeline->slot_ns))
        return false;
    last->time_ns += next->time_ns;
    if (last->node == next->node) {
        last->node_ns += next->node_ns;
    } else if (next->node_ns > last->node_ns) {
        last->node = next->node;
        last->node_ns = next->node_ns;
    }
    return true;
}

static void append(struct sc_timeline *timeline, const struct sc_timeline_run *run)
{
    uint32_t *last = last_of(timeline, run->thread);
    if (*last != SC_NONE && merge(timeline, &timeline->runs.items[*last], run))
        return;
    *last = (uint32_t)timeline->runs.count;
    sc_vec_push(&timeline->runs, *run);
}

static void coarsen(struct sc_timeline *timeline)
{
    size_t count = timeline->runs.count;
    timeline->slot_ns = timeline->slot_ns != 0 ? timeline->slot_ns * 2 : FIRST_SLOT_NS;
    for (size_t i = 0; i < timeline->last.count; i++)
        timeline->last.items[i] = SC_NONE;
    timeline->runs.count = 0;
    for (size_t i = 0; i < count; i++) {
        struct sc_timeline_run run = timeline->runs.items[i];
        append(timeline, &run);
    }
}

void sc_timeline_add(struct sc_timeline *timeline, uint64_t start_ns, uint32_t thread,
                     uint32_t node, uint64_t time_ns)
{
    struct sc_timeline_run run = {start_ns, time_ns, time_ns, node, thread};
    while (timeline->runs.count >= RUNS_MAX && timeline->slot_ns < LAST_SLOT_NS)
        coarsen(timeline);
    append(timeline, &run);
}

void sc_timeline_done(struct sc_timeline *timeline)
{
    sc_vec_done(&timeline->runs);
    sc_vec_done(&timeline->last);
}
