/*
 * observer/charge/gap.h - how long nothing of a process was on a CPU, and whether it was kept from
 * one: pure functions over its clocks and the books of its threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/charge/charge.h"

struct sc_charge_gap {
    /* of the machine */
    int64_t jiffy_ns; /* a running thread's CPU time is told up to this late from outside */
    unsigned processors;

    uint64_t ticked_ns; /* the last tick */
    uint64_t last_ticked_ns;
    uint64_t ticked_cpu_ns; /* what the whole process had used then */
    bool ran;               /* was on a CPU between the last two ticks */
    double utilization;     /* of the processors, between them; 0..1 */
    int64_t pending_ns;     /* nothing was on a CPU, and not known yet why */
    int64_t last_gap_ns;    /* what the last tick added to it */
    uint64_t prepaid_ns;    /* charged as waiting for a CPU before the kernel has told of it */

    uint64_t worked_ns; /* on a CPU or kept from one, and its root does not know yet */

    /* of the processes below a root, which is not idle while they work */
    double below;        /* share of the time since the last tick that they worked; 0..1 */
    uint64_t covered_ns; /* so much of what is pending */
};

/* The clocks begin there: what came before is nobody's. */
void sc_gap_begin(struct sc_charge_gap *gap, uint64_t begun_ns, uint64_t cpu_ns);

/* A tick: what has passed since the last one while nothing of the process was on a CPU is pending.
 */
void sc_gap_measure(struct sc_charge_gap *gap, uint64_t now_ns, uint64_t cpu_ns);

/* What a process below the root has worked up to now_ns counts in the root's next tick. When
 * several work is taken to be independent. */
void sc_gap_work_below(struct sc_charge_gap *root, struct sc_charge_gap *below, uint64_t now_ns);

/* What is left of gap_ns, all that is pending but what the process was kept from a CPU, without the
 * time in which processes below worked: that is theirs already. */
uint64_t sc_gap_uncovered(struct sc_charge_gap *gap, uint64_t gap_ns);

/* In its place while profiling is switched off: the clocks move on, nothing is pending. Returns the
 * CPU time that is nobody's. */
uint64_t sc_gap_skip(struct sc_charge_gap *gap, uint64_t now_ns, uint64_t cpu_ns);

/* Whether so much time without a CPU is more than clocks that differ. */
bool sc_gap_is_suspicious(const struct sc_charge_gap *gap, int64_t gap_ns);

/* Whether a process of this one thread has used all the time there was, and is sampled: it need not
 * be looked at. A thread is sampled at least every slack_ns while it runs. */
bool sc_gap_is_plainly_busy(const struct sc_charge_gap *gap, const struct sc_charge_thread *thread,
                            uint64_t slack_ns);

/* The place of the thread that would have run if there had been a CPU: a runnable one, else the
 * last one that ran; SC_NONE when none was ever sampled. */
uint32_t sc_gap_next_to_run(const struct sc_charge_threads *threads);

/* How much of what is pending that thread was kept from a CPU; what is pending stays as it is.
 * delay_ns: what the kernel tells now. never_blocked: the thread has been runnable all the time
 * since the last tick; then all of that tick's gap is, and what the kernel has not told yet is
 * charged in advance. */
uint64_t sc_gap_preempted(struct sc_charge_gap *gap, uint64_t delay_ns, bool never_blocked);
