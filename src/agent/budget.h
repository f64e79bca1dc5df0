/*
 * agent/budget.h - the cost of a tick: at most a twentieth of the CPU time until the next one,
 * whatever the depth of the stack.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#define SC_BUDGET_PARTS 20U

/* A stack that takes longer to read is cut, since the thread stands still meanwhile. A thread may
 * make others wait for 5 ms anyway while it holds the GIL (sys.getswitchinterval); 16,384 frames
 * take 0.5 to 2 ms. */
#define SC_TICK_COST_MAX_NS 5000000U

/* The CPU time that has to pass after a tick of that cost until the next one. */
static inline uint64_t sc_budget_rest_ns(uint64_t cost_ns)
{
    return cost_ns < UINT64_MAX / 2 / SC_BUDGET_PARTS ? cost_ns * SC_BUDGET_PARTS : UINT64_MAX / 2;
}

/* The next interval, drawn evenly from half to one and a half times the mean, less half_jiffy_ns,
 * which the timer adds on average. If that is less than least_ns, it lies between least_ns and
 * least_ns + mean_ns instead. Never 0, which would disarm the timer. */
static inline uint64_t sc_budget_interval_ns(uint64_t mean_ns, uint64_t half_jiffy_ns,
                                             uint64_t least_ns, uint64_t random)
{
    uint64_t part_ns = random % (mean_ns + 1);
    uint64_t drawn_ns = mean_ns / 2 + part_ns;
    drawn_ns = drawn_ns > half_jiffy_ns ? drawn_ns - half_jiffy_ns : 1;
    return drawn_ns < least_ns ? least_ns + part_ns : drawn_ns;
}

/* The first interval of a thread: whole jiffies, from 0 on, drawn evenly up to the mean. A thread
 * starts anywhere between two of the kernel's ticks, and its timer expires at one. So its first
 * sample comes after 0 to mean_ns of its CPU time, all equally likely, and a thread that uses less
 * than mean_ns is sampled with a probability proportional to its CPU time. */
static inline uint64_t sc_budget_first_interval_ns(uint64_t mean_ns, uint64_t jiffy_ns,
                                                   uint64_t random)
{
    uint64_t drawn_ns = random % (mean_ns + 1);
    return (jiffy_ns > 0 ? drawn_ns / jiffy_ns * jiffy_ns : drawn_ns) + 1;
}
