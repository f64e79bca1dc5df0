/*
 * profile/timeline.h - what each thread did when: runs of one stack, in a bounded number.
 *
 * When the list is full, time is cut into slots, twice as long each time, and what a thread did
 * within one slot becomes one run with the stack that most of its time was spent on. So a run of
 * any length keeps a whole timeline, a long one at a coarser grain. Between two runs of a thread it
 * was idle, if they are further apart than the first takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "base/vec.h"

struct sc_timeline_run {
    uint64_t start_ns;
    uint64_t time_ns; /* charged between this and the thread's next run */
    uint64_t node_ns; /* the part of it that the node is known to have; for choosing */
    uint32_t node;    /* of the trie of stacks */
    uint32_t thread;  /* index of the collect's threads */
};

/* Initialise with {0}. */
struct sc_timeline {
    SC_VEC(struct sc_timeline_run) runs; /* by start, nearly: threads are told of in turns */
    SC_VEC(uint32_t) last;               /* per thread: index of its last run, or SC_NONE */
    uint64_t slot_ns;                    /* 0: every change of stack is a run */
};

/* The thread has spent time_ns on the stack of node, at start_ns. */
void sc_timeline_add(struct sc_timeline *timeline, uint64_t start_ns, uint32_t thread,
                     uint32_t node, uint64_t time_ns);
void sc_timeline_done(struct sc_timeline *timeline);
