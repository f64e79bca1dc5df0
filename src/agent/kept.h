/*
 * agent/kept.h - the last deep stack of a thread, so that the next one is sent as what has changed.
 *
 * A sample of a deep stack is still read whole: a frame that looks like one of before may stand on
 * others than before (a recursion that is begun again from another line has the same addresses,
 * code objects and instructions up to that line). It is compared from the outermost frame on, and
 * what is the same is not sent again. The observer keeps the same stack in the same place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdatomic.h>

#include "channel/format.h"

/* Below that many frames a whole stack is a small record. */
#define SC_KEPT_LEAST 256U

/* Every so often a stack is sent whole all the same: an observer that has lost track finds it
 * again.
 */
#define SC_KEPT_RECORDS 64U

/* Not touched until used. */
struct sc_kept {
    _Atomic uint32_t taken;
    _Atomic uint32_t tid;
    _Atomic uint64_t used; /* when, as a count of uses */
    uint64_t epoch;        /* whose observer knows it */
    uint32_t number;       /* of the last record, in this place */
    uint32_t count;
    struct sc_sample_frame frames[SC_FRAMES_MAX]; /* outermost first */
};

/* The place of that thread, or the one that was not used for longest, emptied; the caller's until
 * it gives it back. NULL when all are taken. Async-signal-safe, as all of these. */
struct sc_kept *sc_kept_take(uint32_t tid, uint64_t epoch);
void sc_kept_give(struct sc_kept *kept);

/* Its index, for the record. */
uint32_t sc_kept_place(const struct sc_kept *kept);

/* How many of the outermost frames are those of the kept stack. frames: innermost first. */
uint32_t sc_kept_common(const struct sc_kept *kept, const struct sc_sample_frame *frames,
                        uint32_t count);

/* A record has been sent: the stack, of which common frames were there already, is kept. Returns
 * the record's number. */
uint32_t sc_kept_note(struct sc_kept *kept, const struct sc_sample_frame *frames, uint32_t count,
                      uint32_t common);

/* In a fork child: threads that held a place are gone. */
void sc_kept_forget(void);
