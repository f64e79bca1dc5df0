/*
 * observer/charge/young.h - the CPU time at the beginnings and ends of lives.
 *
 * A life is the whole run of a thread that Python started, or of the first thread of a forked
 * process. Samples need not come as often in all of it: the first interval is drawn from nothing on
 * (agent/budget.h), a handler that meets only pages that a fork has left shared takes long and puts
 * the next sample off, and no sample at all may come in the last interval. Lives are alike at the
 * same age more than at different ages. So the CPU time that all lives have used at an age is
 * shared among the samples that any of them had at this age: post-stratification (Holt and Smith,
 * https://doi.org/10.2307/2344652), with ages as strata. Only the proportions are estimated in this
 * way; the CPU time is known.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "observer/charge/charge.h"

/* A step of ages lasts 16 us up to 64 us, and an eighth to a fourth of the age from there on. A
 * life that is SC_YOUNG_AGE_MAX_NS old is no longer young: each of its samples stands for its own
 * time. */
#define SC_YOUNG_AGES        64U
#define SC_YOUNG_AGE_UNIT_NS 16000ULL
#define SC_YOUNG_AGE_MAX_NS  ((4U << (SC_YOUNG_AGES / 4 - 1)) * SC_YOUNG_AGE_UNIT_NS)

/* Where lives of one kind were sampled. */
struct sc_young_place {
    uint32_t node;
    enum sc_time time;
    uint64_t charged_ns; /* when its samples came */
    uint64_t waiters_ns; /* CPU time of lives that were seen waiting here, never at work */
    double weights_ns[SC_YOUNG_AGES]; /* of its samples at each age: their mean intervals */
    double share_ns;                  /* of what all have used; set by sc_charge_young */
};

struct sc_young_lives {
    uint64_t missed_ns;               /* CPU time that no sample was charged, not shared out yet */
    uint64_t lived_ns[SC_YOUNG_AGES]; /* CPU time that all have used at each age */
    uint64_t sample_count[SC_YOUNG_AGES]; /* of all places */
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

/* The step of ages, below SC_YOUNG_AGES, that an age below SC_YOUNG_AGE_MAX_NS is in. */
uint32_t sc_young_step(uint64_t age_ns);

/* The thread's timer was started when its CPU clock was at born_cpu_ns. */
void sc_charge_begin_life(struct sc_charge_thread *thread, enum sc_life life, uint64_t born_cpu_ns);

/* To be called after sc_charge_sample, which has returned these charges; interval_ns is the mean
 * interval of the thread's samples. */
void sc_charge_met(struct sc_charge_young *young, const struct sc_charge_thread *thread,
                   const struct sc_charges *charges, uint64_t interval_ns);

/* What was charged to a node was moved to another one. */
void sc_charge_young_lead(struct sc_charge_young *young, uint32_t from, uint32_t to);

/* The thread has ended, or nothing more can be known of it; its CPU clock is at cpu_ns. As
 * sc_charge_rest, but CPU time of a young life that no sample covers is kept in young. */
struct sc_charges sc_charge_over(struct sc_charge_process *process, struct sc_charge_thread *thread,
                                 struct sc_charge_young *young, uint64_t cpu_ns);

/* Where the CPU time of lives of that kind goes that no sample was charged: to where lives of all
 * the run were sampled, so that each place comes as near to its share as it can; without a sample,
 * to where they waited. Later samples change that: what an earlier call has charged is taken back
 * first. */
struct sc_young_charges sc_charge_young(struct sc_charge_young *young, enum sc_life life);

void sc_charge_young_done(struct sc_charge_young *young);
