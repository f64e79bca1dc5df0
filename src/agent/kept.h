/*
 * agent/kept.h - stores the last deep stack of a thread, so that only the changed frames of the
 * next one are sent.
 *
 * A deep stack is still read as a whole for each sample: even if a frame looks unchanged, its
 * callers may have changed (a recursion that is started again from another line has the same
 * addresses, code objects and instructions up to that line). The stack is compared from the
 * outermost frame on, and equal frames are not sent again. The observer keeps the same stack in the
 * same place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdatomic.h>

#include "channel/format.h"

/* With fewer frames a whole stack is a small record, so it is not stored. */
#define SC_KEPT_LEAST 256U

/* Each time after so many records, a stack is sent as a whole: so an observer that has lost a
 * record recovers. */
#define SC_KEPT_RECORDS 64U

/* The last stack of one thread. Its memory is not touched until used. */
struct sc_kept {
    _Atomic uint32_t taken;
    _Atomic uint32_t tid;
    _Atomic uint64_t used; /* when it was last used, as a count of uses */
    uint64_t epoch;        /* of the segment whose observer knows the stack */
    uint32_t number;       /* of the last record for this place */
    uint32_t count;
    struct sc_sample_frame frames[SC_FRAMES_MAX]; /* outermost first */
};

/* The place of that thread, or else the least recently used one, emptied. The caller owns the place
 * until it calls sc_kept_release. NULL when none is free. All of these are async-signal-safe. */
struct sc_kept *sc_kept_acquire(uint32_t tid, uint64_t epoch);
void sc_kept_release(struct sc_kept *kept);

/* The index of the place, for the record. */
uint32_t sc_kept_index(const struct sc_kept *kept);

/* How many of the outermost frames are those of the kept stack. frames: innermost first. */
uint32_t sc_kept_count_common(const struct sc_kept *kept, const struct sc_sample_frame *frames,
                              uint32_t count);

/* A record has been sent: the stack, of which common frames were there already, is kept. Returns
 * the record's number. */
uint32_t sc_kept_store(struct sc_kept *kept, const struct sc_sample_frame *frames, uint32_t count,
                       uint32_t common);

/* In a fork child: threads that held a place are gone. */
void sc_kept_after_fork(void);
