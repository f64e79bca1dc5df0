/*
 * observer/charge/young.h - the CPU time of lives that ended before their first sample.
 *
 * A life is that of a thread of Python's, or of the first thread of a forked process. Its first
 * interval is drawn so that the chance of a sample grows with what it uses (agent/budget.h). The
 * lives that were met stand for those that were missed: one of L ns that is met with chance F(L)
 * stands for (1 - F(L)) / F(L) others as long (Horvitz and Thompson,
 * https://doi.org/10.1080/01621459.1952.10483446). Only the proportions come from that; how much
 * was missed is known.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "observer/charge/charge.h"

/* Where lives of one kind were met first. */
struct sc_young_place {
    uint32_t node;
    enum sc_time time;
    double weight_ns; /* CPU time of missed lives that it stands for, as far as chance tells */
};

struct sc_young_lives {
    uint64_t missed_ns; /* CPU time of those that were missed, not shared out yet */
    SC_VEC(struct sc_young_place) places;
    struct sc_map index; /* node and time -> place */
};

/* Of all processes of a run: one that is forked tells too little of itself. Initialise with {0}. */
struct sc_charge_young {
    struct sc_young_lives lives[SC_LIFE_COUNT_];
};

/* To be freed with sc_vec_done. */
struct sc_young_charges {
    SC_VEC(struct sc_charge) list;
};

/* The chance, above 0 and up to 1, that a life that used cpu_ns was sampled: by a timer whose first
 * interval is drawn evenly from 0 to interval_ns and then falls on whole jiffies. */
double sc_young_chance(uint64_t cpu_ns, uint64_t interval_ns, uint64_t jiffy_ns);

/* The thread's timer was started when its CPU clock said born_cpu_ns, with a first interval that
 * was drawn from that mean. */
void sc_charge_begin_life(struct sc_charge_thread *thread, enum sc_life life, uint64_t born_cpu_ns,
                          uint64_t interval_ns);

/* The thread has ended, or is the last to be known of: its CPU clock says cpu_ns. As
 * sc_charge_rest, but what a life has used that was never sampled is kept in young. */
struct sc_charges sc_charge_over(struct sc_charge_process *process, struct sc_charge_thread *thread,
                                 struct sc_charge_young *young, uint64_t cpu_ns);

/* What lives of that kind have used unseen since this was asked last: to where the others were met,
 * by their weight. */
struct sc_young_charges sc_charge_young(struct sc_charge_young *young, enum sc_life life);

void sc_charge_young_done(struct sc_charge_young *young);
