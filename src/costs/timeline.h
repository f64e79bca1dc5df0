/*
 * costs/timeline.h - what each thread did when: runs of one stack, in a bounded number.
 *
 * When the list is full, time is cut into slots, twice as long each time, and what a thread did
 * within one slot becomes one run with the stack that most of its time was spent on. So a run of
 * any length keeps a whole timeline, a long one at a coarser grain. If a thread's next run starts
 * after the end of the one before, the thread was idle in between.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "base/vec.h"

struct sc_timeline_run {
    uint64_t start_ns;
    uint64_t time_ns; /* charged between this and the thread's next run */
    uint64_t node_ns; /* the part of it known to be spent on node; when two runs become one, the
                         larger part's node stays */
    uint32_t node;    /* of the trie of stacks */
    uint32_t thread;  /* index of the collect's threads */
};

/* Initialise with {0}. */
struct sc_timeline {
    SC_VEC(struct sc_timeline_run) runs; /* nearly by start: threads are recorded in turns */
    SC_VEC(uint32_t) last;               /* per thread: index of its last run, or SC_NONE */
    uint64_t slot_ns;                    /* 0: every change of stack is a run */
};

/* Records that the thread spent time_ns on the stack of node, from start_ns on. */
void sc_timeline_add(struct sc_timeline *timeline, uint64_t start_ns, uint32_t thread,
                     uint32_t node, uint64_t time_ns);
void sc_timeline_done(struct sc_timeline *timeline);
