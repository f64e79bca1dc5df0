/*
 * observer/charge/recent.h - where a thread was on a CPU lately, for time in which it was kept from
 * one.
 *
 * The scheduler takes a thread off its CPU without looking at what it runs. So such time belongs to
 * what the thread does around it in proportion to CPU time, and not to the one sample before: a
 * thread on a busy machine loses its CPU for many times what it uses between two samples, and the
 * line that was met last would be charged all of it by chance.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "costs/collect.h"

/* Of so many samples: 64 ms of CPU time while a run is young, 160 ms later. */
#define SC_RECENT_SAMPLES 16U

/* What the interpreter did for itself there. */
enum sc_chore { SC_CHORE_NONE, SC_CHORE_COLLECTING, SC_CHORE_FREEING };

struct sc_recent_part {
    uint32_t node;
    enum sc_time time; /* what it is called when the thread is kept from a CPU there */
    enum sc_chore chore;
    uint64_t ns;
};

/* Of one thread. Initialise with {0}. */
struct sc_recent {
    uint32_t count;
    uint32_t next; /* the oldest, once there are SC_RECENT_SAMPLES */
    struct sc_recent_part parts[SC_RECENT_SAMPLES];
};

/* Time without a CPU, up to until_ns, that is to be shared when more is known. */
struct sc_owed_gap {
    uint64_t until_ns;
    uint64_t ns;
};

/* More than come before there are SC_RECENT_SAMPLES, on a machine where ten want each CPU. */
#define SC_OWED_GAPS_MAX 256U

/* Those of one thread, in order. Initialise with {0}. */
struct sc_owed_gaps {
    SC_VEC(struct sc_owed_gap) list;
};

static inline bool sc_recent_is_full(const struct sc_recent *recent)
{
    return recent->count == SC_RECENT_SAMPLES;
}

/* A sample stands for the part's CPU time. */
void sc_recent_note(struct sc_recent *recent, const struct sc_recent_part *part);

/* Shares ns out in proportion to the CPU time of the samples, oldest first; those of one place
 * that follow each other are one part. The parts add up to ns. Returns how many there are, 0 when
 * nothing is known. */
uint32_t sc_recent_share(const struct sc_recent *recent, uint64_t ns,
                         struct sc_recent_part ret_parts[SC_RECENT_SAMPLES]);
