/*
 * observer/resident.h - what a tree of processes has in memory: pages that several of them share
 * count once.
 *
 * The kernel says at once how many pages a process has, but what part of them it shares only by
 * going through all of them, during which the process can map nothing. So that is asked seldom, and
 * the answer stands in between.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

/* Of one process. */
struct sc_resident {
    double shared;     /* part of its resident memory that all have; 0..1 */
    uint64_t asked_ns; /* when that was found out, 0: never */
};

/* Of a run. Initialise with {0}. */
struct sc_resident_turns {
    uint64_t rest_until_ns; /* nobody is asked before */
    double last_shared;     /* what the last answer was, for those that were not asked yet */
};

/* Whose turn it is to be asked: the place of the one that was not for longest, SC_NONE when it is
 * nobody's. Where one process is alone nothing is shared. */
uint32_t sc_resident_next(const struct sc_resident_turns *turns,
                          const struct sc_resident *const *processes, uint32_t count,
                          uint64_t now_ns);

/* The answer of one of count processes: as sc_process_rss_part. It came took_ns after now_ns. What
 * is shared is taken to be shared by all, so that the answer holds when some come or go. */
void sc_resident_note(struct sc_resident_turns *turns, struct sc_resident *process, uint32_t count,
                      double part, uint64_t now_ns, uint64_t took_ns);

/* What of rss_bytes counts for a process among count of them. The sum for all is no less than what
 * one of them has. */
uint64_t sc_resident_bytes(const struct sc_resident_turns *turns, const struct sc_resident *process,
                           uint32_t count, uint64_t rss_bytes);
