/*
 * observer/memory/resident.h - what a tree of processes has in memory: pages that several of them
 * share count once.
 *
 * The kernel knows at once how many pages a process has, but has to go through all of them to know
 * which are shared, and meanwhile the process cannot map memory. So the shared part is read seldom,
 * and the last answer is used in between.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

/* Of one process. */
struct sc_resident {
    double shared;     /* part of its resident memory that all processes share; 0..1 */
    uint64_t asked_ns; /* when that was read, 0: never */
};

/* Of a run. Initialise with {0}. */
struct sc_resident_turns {
    uint64_t rest_until_ns; /* no process is read before */
    double last_shared;     /* the last answer, for processes that were not read yet */
};

/* The index of the process to read next: the one that was not read for longest; SC_NONE when none
 * is due. A single process shares nothing. */
uint32_t sc_resident_next(const struct sc_resident_turns *turns,
                          const struct sc_resident *const *processes, uint32_t count,
                          uint64_t now_ns);

/* Notes the part, as of sc_process_rss_part, of one of count processes, which was read in took_ns
 * from now_ns on. What is shared is taken to be shared by all, so that the answer stays valid when
 * some start or end. */
void sc_resident_note(struct sc_resident_turns *turns, struct sc_resident *process, uint32_t count,
                      double part, uint64_t now_ns, uint64_t took_ns);

/* How many of a process's rss_bytes count when count processes run. The caller takes the sum of all
 * as no less than the largest rss_bytes. */
uint64_t sc_resident_bytes(const struct sc_resident_turns *turns, const struct sc_resident *process,
                           uint32_t count, uint64_t rss_bytes);
