/*
 * agent/overdue.h - for how long a tick has been waiting for the end of a system call.
 *
 * The kernel notices at its own ticks that a timer is due, and sends the signal on the way back to
 * user code. In user code that is at once. In a system call it is when the call returns, and by
 * then the timer would have ticked again and again, had it been armed: all those ticks would have
 * met the call. What counts is the last of them. A sample stands for the time from the one before
 * it to that moment, and the next interval begins there, too. So what is met depends on the timer
 * and the kernel's ticks alone, never on where calls end, and each moment of the program is met as
 * often as any other (docs/design/0005-ticks.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdatomic.h>

#include "agent/budget.h"
#include "agent/memory/stream.h"

/* Of a call that keeps a thread for longer, the first part is passed over at once. */
#define SC_OVERDUE_INTERVALS 64U

/* Samples whose places in a jiffy differ by less than such a part of it agree. */
#define SC_OVERDUE_NEAR_PARTS 64U

/* A signal takes some 10 us, now more, now less. One that is met sooner than most must not seem to
 * come from the tick before, so such a part of a jiffy is added. */
#define SC_OVERDUE_SPARE_PARTS 256U

/* The place of ticks is taken to be later by such a part of what samples say. */
#define SC_OVERDUE_LATER_PARTS 16U

/* At the end of a system call, in the thread's CPU time. */
struct sc_overdue {
    uint64_t due_ago_ns;  /* since the timer was due */
    uint64_t tick_ago_ns; /* since the kernel's last tick */
    uint64_t jiffy_ns;
    uint64_t mean_ns; /* of the intervals that are drawn */
};

/* How long ago the kernel's first tick was that came no earlier than so long ago. */
static inline uint64_t sc_overdue_tick_ns(const struct sc_overdue *overdue, uint64_t ago_ns)
{
    if (ago_ns <= overdue->tick_ago_ns || overdue->jiffy_ns == 0)
        return ago_ns < overdue->tick_ago_ns ? ago_ns : overdue->tick_ago_ns;
    return ago_ns - (ago_ns - overdue->tick_ago_ns) % overdue->jiffy_ns;
}

/* How long ago the last tick was that would have met the call. The interval behind it, which ends
 * outside of the call, is left to be drawn from random: again, by whoever arms the timer. */
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

/* Where in a jiffy of CLOCK_MONOTONIC the kernel's ticks are, which it does not tell: on all CPUs
 * at one place, and since Linux 6.4 at the beginning. What a timer interrupts in user code is
 * interrupted at a tick, unless the machine was busy with something else. So where two samples in a
 * row agree, there they are, and the earliest are the best. Initialise with {0}; shared by threads.
 */
struct sc_overdue_place {
    _Atomic uint64_t tick_ns;
    _Atomic uint64_t sampled_ns; /* of the last sample */
};

static inline uint64_t sc_overdue_between_ns(uint64_t from_ns, uint64_t to_ns, uint64_t jiffy_ns)
{
    return to_ns >= from_ns ? to_ns - from_ns : to_ns + jiffy_ns - from_ns;
}

/* Whether it is soon after the other one. */
static inline bool sc_overdue_follows(uint64_t from_ns, uint64_t to_ns, uint64_t jiffy_ns)
{
    return sc_overdue_between_ns(from_ns, to_ns, jiffy_ns) < jiffy_ns / SC_OVERDUE_NEAR_PARTS;
}

/* A timer has met user code at that time. */
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

/* How long ago the kernel's last tick was, at that time. */
static inline uint64_t sc_overdue_since_tick_ns(struct sc_overdue_place *place, uint64_t time_ns,
                                                uint64_t jiffy_ns)
{
    if (jiffy_ns == 0)
        return 0;
    uint64_t tick_ns = atomic_load_explicit(&place->tick_ns, memory_order_relaxed);
    uint64_t now_ns = (time_ns + jiffy_ns / SC_OVERDUE_SPARE_PARTS) % jiffy_ns;
    return sc_overdue_between_ns(tick_ns % jiffy_ns, now_ns, jiffy_ns);
}
