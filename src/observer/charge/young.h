/*
 * observer/charge/young.h - the CPU time of lives that ended before their first sample.
 *
 * A life is the whole run of a thread that Python started, or of the first thread of a forked
 * process. Its first interval is drawn so that the chance of a sample grows with the CPU time it
 * uses (agent/budget.h). The lives that were sampled represent those that were missed: one of L ns,
 * which is sampled with chance F(L), represents (1 - F(L)) / F(L) others as long (Horvitz and
 * Thompson, https://doi.org/10.1080/01621459.1952.10483446). Only the proportions are estimated in
 * this way; the CPU time that was missed is known.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "observer/charge/charge.h"

/* Where lives of one kind were first sampled. */
struct sc_young_place {
    uint32_t node;
    enum sc_time time;
    double weight_ns; /* estimated CPU time of missed lives that it represents */
};

struct sc_young_lives {
    uint64_t missed_ns; /* CPU time of those that were missed, not shared out yet */
    SC_VEC(struct sc_young_place) places;
    struct sc_map index; /* node and time -> place */
};

/* Of all processes of a run: one forked process has too few samples for an estimate. Initialise
 * with {0}. */
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

/* The thread's timer was started when its CPU clock was at born_cpu_ns, with a first interval drawn
 * from 0 to interval_ns. */
void sc_charge_begin_life(struct sc_charge_thread *thread, enum sc_life life, uint64_t born_cpu_ns,
                          uint64_t interval_ns);

/* The thread has ended, or nothing more can be known of it; its CPU clock is at cpu_ns. As
 * sc_charge_rest, but CPU time of a life that no sample covers is kept in young. */
struct sc_charges sc_charge_over(struct sc_charge_process *process, struct sc_charge_thread *thread,
                                 struct sc_charge_young *young, uint64_t cpu_ns);

/* Charges the CPU time of lives of that kind that was missed since the last call: to where the
 * others were first sampled, by their weight. */
struct sc_young_charges sc_charge_young(struct sc_charge_young *young, enum sc_life life);

void sc_charge_young_done(struct sc_charge_young *young);
