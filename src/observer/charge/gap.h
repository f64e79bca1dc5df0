/*
 * observer/charge/gap.h - how long no thread of a process was on a CPU, and whether one was kept
 * from a CPU: pure functions of its clocks and its threads' accounting state.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/charge/charge.h"

struct sc_charge_gap {
    /* of the machine */
    int64_t jiffy_ns; /* the kernel reports a running thread's CPU time up to this late */
    unsigned processors;

    uint64_t polled_ns; /* the last poll */
    uint64_t last_polled_ns;
    uint64_t polled_cpu_ns; /* CPU time of the whole process then */
    bool ran;               /* was on a CPU between the last two polls */
    double utilization;     /* of the processors, between them; 0..1 */
    int64_t pending_ns;     /* no thread was on a CPU, and it is not known yet why */
    int64_t last_gap_ns;    /* what the last poll added to it */
    uint64_t prepaid_ns;    /* charged as waiting for a CPU before the kernel has reported it */
    uint64_t unplaced_ns;   /* part of pending_ns: waited for a CPU before a thread was sampled */

    uint64_t worked_ns; /* on a CPU or kept from one, and not passed to its root yet */

    /* of the processes below a root, which is not idle while they work */
    double below;        /* share of the time since the last poll that they worked; 0..1 */
    uint64_t covered_ns; /* part of pending_ns in which they worked */
};

/* Starts the clocks at begun_ns and cpu_ns: time before is not charged. */
void sc_gap_begin(struct sc_charge_gap *gap, uint64_t begun_ns, uint64_t cpu_ns);

/* A poll: the time since the last one in which no thread of the process was on a CPU is added to
 * what is pending. */
void sc_gap_measure(struct sc_charge_gap *gap, uint64_t now_ns, uint64_t cpu_ns);

/* What a process below the root has worked up to now_ns counts in the root's next poll. The times
 * in which several of them work are taken to be independent. */
void sc_gap_add_descendant_work(struct sc_charge_gap *root, struct sc_charge_gap *below,
                                uint64_t now_ns);

/* The part of gap_ns in which no process below worked: their work is charged to them already.
 * gap_ns: all that is pending, except the time that the process was kept from a CPU. */
uint64_t sc_gap_uncovered(struct sc_charge_gap *gap, uint64_t gap_ns);

/* Instead of sc_gap_measure while profiling is switched off: advances the clocks, nothing is
 * pending. Returns the CPU time that is not charged. */
uint64_t sc_gap_skip(struct sc_charge_gap *gap, uint64_t now_ns, uint64_t cpu_ns);

/* Whether so much time without a CPU is more than a difference between clocks. */
bool sc_gap_is_suspicious(const struct sc_charge_gap *gap, int64_t gap_ns);

/* Whether a process with this single thread was on a CPU all the time, and is sampled: it need not
 * be looked at. A thread is sampled at least every slack_ns while it runs. */
bool sc_gap_is_plainly_busy(const struct sc_charge_gap *gap, const struct sc_charge_thread *thread,
                            uint64_t slack_ns);

/* The index of the thread that would have run if there had been a CPU: a runnable one, else the
 * last one that ran; SC_NONE when none was ever sampled. */
uint32_t sc_gap_next_to_run(const struct sc_charge_threads *threads);

/* For how much of what is pending the thread of sc_gap_next_to_run was kept from a CPU; does not
 * change what is pending. delay_ns: what the kernel reports now. never_blocked: the thread has been
 * runnable all the time since the last poll. Then that poll's whole gap counts, and the part that
 * the kernel has not reported yet is charged in advance. */
uint64_t sc_gap_preempted(struct sc_charge_gap *gap, uint64_t delay_ns, bool never_blocked);
