/*
 * agent/budget.h - what a tick may cost: a twentieth of the CPU time to the next one, whatever the
 * depth of the stack.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#define SC_BUDGET_PARTS 20U

/* A stack that takes longer to read is cut, since the thread stands still meanwhile. 5 ms is what
 * it may make others wait for anyway while it holds the GIL (sys.getswitchinterval); 16,384 frames
 * take 0.5 to 2 ms. */
#define SC_TICK_COST_MAX_NS 5000000U

/* How long a thread has peace after a tick of that cost. */
static inline uint64_t sc_budget_rest_ns(uint64_t cost_ns)
{
    return cost_ns < UINT64_MAX / 2 / SC_BUDGET_PARTS ? cost_ns * SC_BUDGET_PARTS : UINT64_MAX / 2;
}

/* The next interval of a timer that adds half_jiffy_ns in the mean: drawn evenly from half to one
 * and a half times the mean. One that would be too soon is drawn from least_ns on, up to a mean
 * longer. Never 0, which would disarm the timer. */
static inline uint64_t sc_budget_interval_ns(uint64_t mean_ns, uint64_t half_jiffy_ns,
                                             uint64_t least_ns, uint64_t random)
{
    uint64_t part_ns = random % (mean_ns + 1);
    uint64_t drawn_ns = mean_ns / 2 + part_ns;
    drawn_ns = drawn_ns > half_jiffy_ns ? drawn_ns - half_jiffy_ns : 1;
    return drawn_ns < least_ns ? least_ns + part_ns : drawn_ns;
}

/* The first interval of a thread: whole jiffies, from none on, drawn evenly from a mean one. A
 * thread begins anywhere between two of the kernel's ticks, and its timer ends at one: so its first
 * sample comes after 0 to mean_ns of its CPU time, each as likely, and a thread that uses less is
 * met as often as that deserves. */
static inline uint64_t sc_budget_first_interval_ns(uint64_t mean_ns, uint64_t jiffy_ns,
                                                   uint64_t random)
{
    uint64_t drawn_ns = random % (mean_ns + 1);
    return (jiffy_ns > 0 ? drawn_ns / jiffy_ns * jiffy_ns : drawn_ns) + 1;
}
