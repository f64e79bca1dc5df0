/*
 * observer/charge/recent.h - where a thread ran lately: time in which it was kept from a CPU is
 * shared among these places.
 *
 * The scheduler preempts a thread independently of what it runs. So such time is shared among what
 * the thread does around it, in proportion to CPU time, and not charged to the last sample alone:
 * on a busy machine a thread is kept from a CPU for many times what it uses between two samples,
 * and all of it would be charged to the line that happened to be sampled last.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "costs/collect.h"

/* So many samples are kept: 64 ms of CPU time while a run is young, 160 ms later. */
#define SC_RECENT_SAMPLES 16U

/* Work of the interpreter itself that a sample shows. */
enum sc_chore { SC_CHORE_NONE, SC_CHORE_COLLECTING, SC_CHORE_FREEING };

struct sc_recent_part {
    uint32_t node;
    enum sc_time time; /* to charge when the thread is kept from a CPU there */
    enum sc_chore chore;
    uint64_t ns;
};

/* Of one thread. Initialise with {0}. */
struct sc_recent {
    uint32_t count;
    uint32_t next; /* the oldest, once there are SC_RECENT_SAMPLES */
    struct sc_recent_part parts[SC_RECENT_SAMPLES];
};

/* Time without a CPU, up to until_ns, that is shared when there are enough samples. */
struct sc_owed_gap {
    uint64_t until_ns;
    uint64_t ns;
};

/* More gaps than a thread has before its first SC_RECENT_SAMPLES samples, on a machine with ten
 * runnable threads per CPU. */
#define SC_OWED_GAPS_MAX 256U

/* The gaps of one thread that are not shared yet, in order. Initialise with {0}. */
struct sc_owed_gaps {
    SC_VEC(struct sc_owed_gap) list;
};

static inline bool sc_recent_is_full(const struct sc_recent *recent)
{
    return recent->count == SC_RECENT_SAMPLES;
}

/* Adds a sample, which stands for the part's CPU time. */
void sc_recent_note(struct sc_recent *recent, const struct sc_recent_part *part);

/* Shares ns out in proportion to the CPU time of the samples, oldest first; consecutive ones of the
 * same place are one part. The parts add up to ns. Returns how many there are, 0 when nothing is
 * known. */
uint32_t sc_recent_share(const struct sc_recent *recent, uint64_t ns,
                         struct sc_recent_part ret_parts[SC_RECENT_SAMPLES]);
