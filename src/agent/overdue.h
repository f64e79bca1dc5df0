/*
 * agent/overdue.h - how long a tick has waited for the end of a system call.
 *
 * The kernel notices at its own ticks that a timer is due, and delivers the signal on the way back
 * to user code. In user code that is at once. In a system call it is when the call returns. By then
 * the timer would have expired several more times, had it been rearmed, and all these ticks would
 * have hit the call. The sample is dated to the last of them: it stands for the time from the
 * previous sample to that moment, and the next interval starts there, too. So when samples are
 * taken depends only on the timer and the kernel's ticks, never on where calls end, and each moment
 * of the program is equally likely to be sampled (docs/design/0005-ticks.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdatomic.h>

#include "agent/budget.h"
#include "agent/memory/stream.h"

/* When a call takes more than this many intervals, its first part is skipped, to bound the loop
 * below. */
#define SC_OVERDUE_INTERVALS 64U

/* Two samples agree when their places in a jiffy differ by less than 1/SC_OVERDUE_NEAR_PARTS of it.
 */
#define SC_OVERDUE_NEAR_PARTS 64U

/* Delivering a signal takes about 10 us, with some variation. 1/SC_OVERDUE_SPARE_PARTS of a jiffy
 * is added, so that a signal delivered sooner than most does not seem to come from the previous
 * tick. */
#define SC_OVERDUE_SPARE_PARTS 256U

/* When samples suggest that ticks are later than assumed, the assumed place moves by
 * 1/SC_OVERDUE_LATER_PARTS of the difference. */
#define SC_OVERDUE_LATER_PARTS 16U

/* At the end of a system call, in the thread's CPU time. */
struct sc_overdue {
    uint64_t due_ago_ns;  /* since the timer was due */
    uint64_t tick_ago_ns; /* since the kernel's last tick */
    uint64_t jiffy_ns;
    uint64_t mean_ns; /* mean of the drawn intervals */
};

/* The first of the kernel's ticks at or after the moment ago_ns ago: how long ago it was. */
static inline uint64_t sc_overdue_tick_ns(const struct sc_overdue *overdue, uint64_t ago_ns)
{
    if (ago_ns <= overdue->tick_ago_ns || overdue->jiffy_ns == 0)
        return ago_ns < overdue->tick_ago_ns ? ago_ns : overdue->tick_ago_ns;
    return ago_ns - (ago_ns - overdue->tick_ago_ns) % overdue->jiffy_ns;
}

/* How long ago the last tick was that would have hit the call. The interval after that tick ends
 * outside of the call; random is left as it was before that interval was drawn, so that the code
 * that rearms the timer draws the same interval. */
static inline uint64_t sc_overdue_ns(const struct sc_overdue *overdue, uint64_t *random)
{
    uint64_t most_ns = SC_OVERDUE_INTERVALS * (overdue->mean_ns + overdue->jiffy_ns);
    uint64_t ago_ns = overdue->due_ago_ns < most_ns ? overdue->due_ago_ns : most_ns;
    uint64_t met_ns = sc_overdue_tick_ns(overdue, ago_ns);
    while (met_ns > overdue->tick_ago_ns) {
        uint64_t after = *random;
        uint64_t drawn_ns = sc_budget_interval_ns(overdue->mean_ns, overdue->jiffy_ns / 2, 0,
                                                  sc_stream_random(&after));
        if (drawn_ns > met_ns - overdue->tick_ago_ns)
            break;
        *random = after;
        met_ns = sc_overdue_tick_ns(overdue, met_ns - drawn_ns);
    }
    return met_ns;
}

/* The place of the kernel's ticks: their time by CLOCK_MONOTONIC modulo a jiffy. The kernel does
 * not report it. It is the same on all CPUs, and since Linux 6.4 it is 0, the start of the jiffy. A
 * timer interrupts user code at a tick, unless the machine was busy with something else. So two
 * consecutive samples that agree show the place, and the earliest ones show it best. Initialise
 * with {0}; shared by threads. */
struct sc_overdue_place {
    _Atomic uint64_t tick_ns;
    _Atomic uint64_t sampled_ns; /* of the last sample */
};

static inline uint64_t sc_overdue_between_ns(uint64_t from_ns, uint64_t to_ns, uint64_t jiffy_ns)
{
    return to_ns >= from_ns ? to_ns - from_ns : to_ns + jiffy_ns - from_ns;
}

/* Whether to_ns is shortly after from_ns. */
static inline bool sc_overdue_follows(uint64_t from_ns, uint64_t to_ns, uint64_t jiffy_ns)
{
    return sc_overdue_between_ns(from_ns, to_ns, jiffy_ns) < jiffy_ns / SC_OVERDUE_NEAR_PARTS;
}

/* Records that a timer has interrupted user code at time_ns. */
static inline void sc_overdue_note(struct sc_overdue_place *place, uint64_t time_ns,
                                   uint64_t jiffy_ns)
{
    if (jiffy_ns == 0)
        return;
    uint64_t now_ns = time_ns % jiffy_ns;
    uint64_t last_ns = atomic_exchange_explicit(&place->sampled_ns, now_ns, memory_order_relaxed);
    if (sc_overdue_follows(last_ns, now_ns, jiffy_ns))
        now_ns = last_ns;
    else if (!sc_overdue_follows(now_ns, last_ns, jiffy_ns))
        return;
    uint64_t tick_ns = atomic_load_explicit(&place->tick_ns, memory_order_relaxed);
    if (sc_overdue_follows(tick_ns, now_ns, jiffy_ns))
        now_ns =
            (tick_ns + sc_overdue_between_ns(tick_ns, now_ns, jiffy_ns) / SC_OVERDUE_LATER_PARTS) %
            jiffy_ns;
    atomic_store_explicit(&place->tick_ns, now_ns, memory_order_relaxed);
}

/* How long before time_ns the kernel's last tick was. */
static inline uint64_t sc_overdue_since_tick_ns(struct sc_overdue_place *place, uint64_t time_ns,
                                                uint64_t jiffy_ns)
{
    if (jiffy_ns == 0)
        return 0;
    uint64_t tick_ns = atomic_load_explicit(&place->tick_ns, memory_order_relaxed);
    uint64_t now_ns = (time_ns + jiffy_ns / SC_OVERDUE_SPARE_PARTS) % jiffy_ns;
    return sc_overdue_between_ns(tick_ns % jiffy_ns, now_ns, jiffy_ns);
}
