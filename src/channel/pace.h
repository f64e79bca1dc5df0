/*
 * channel/pace.h - the interval between samples of a thread: shorter at the start of a run.
 *
 * A short run has few samples, and their number alone decides how exact its lines are; a long one
 * has enough. So a tree of processes is sampled at most every SC_PACE_YOUNG_NS until
 * SC_PACE_YOUNG_SPAN_NS have passed since its first process was started, and at the requested
 * interval from then on. Weights are measured times (observer/charge/charge.h), so they do not
 * depend on the interval. The kernel checks CPU timers once per jiffy: a shorter interval than that
 * would need a perf event.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#define SC_PACE_YOUNG_NS      4000000U
#define SC_PACE_YOUNG_SPAN_NS 10000000000U

struct sc_pace {
    uint64_t interval_ns; /* mean, in the long run */
    uint64_t begun_ns; /* CLOCK_MONOTONIC, start of the run; 0: interval_ns holds for all of it */
};

/* The mean of a thread's sampling intervals, in CPU time, at now_ns (CLOCK_MONOTONIC). */
static inline uint64_t sc_pace_interval_ns(const struct sc_pace *pace, uint64_t jiffy_ns,
                                           uint64_t now_ns)
{
    if (pace->begun_ns == 0 || now_ns - pace->begun_ns >= SC_PACE_YOUNG_SPAN_NS)
        return pace->interval_ns;
    uint64_t young_ns = jiffy_ns > SC_PACE_YOUNG_NS ? jiffy_ns : SC_PACE_YOUNG_NS;
    return young_ns < pace->interval_ns ? young_ns : pace->interval_ns;
}

/* The same for a thread that waits now and then: as at the start of a run. Each of its samples
 * stands for the ticks since the previous one (docs/design/0005-ticks.md), and those that come
 * while an interval lasts are not seen. */
static inline uint64_t sc_pace_waiting_ns(const struct sc_pace *pace, uint64_t jiffy_ns)
{
    return sc_pace_interval_ns(pace, jiffy_ns, pace->begun_ns);
}

/* The mean interval over a run of elapsed_ns, if its CPU time is spread evenly. */
static inline double sc_pace_mean_ns(const struct sc_pace *pace, uint64_t jiffy_ns,
                                     uint64_t elapsed_ns)
{
    double young_ns =
        elapsed_ns < SC_PACE_YOUNG_SPAN_NS ? (double)elapsed_ns : (double)SC_PACE_YOUNG_SPAN_NS;
    double first_ns = (double)sc_pace_interval_ns(pace, jiffy_ns, pace->begun_ns);
    double later_ns = (double)pace->interval_ns;
    if (elapsed_ns == 0)
        return first_ns;
    return (double)elapsed_ns / (young_ns / first_ns + ((double)elapsed_ns - young_ns) / later_ns);
}
