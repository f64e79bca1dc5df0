/*
 * agent/scratch.h - buffers for one stack while it is read.
 *
 * The stack of the interrupted thread may be small, so a sample uses one of a few shared buffers.
 * If none is free there is no sample; no thread waits for one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/announce.h"
#include "agent/safe_read.h"
#include "channel/format.h"
#include "cpython/code_key.h"

/* Code objects of one stack whose key is known: a recursion has few of them, many times. */
#define SC_SEEN_CODES 64U

/* Memory is touched only as needed: a shallow stack takes few pages. */
struct sc_scratch {
    struct sc_announce_scratch texts;
    struct sc_safe_reader reader;
    uint64_t asked_ns;    /* when the reader's pages were first checked; 0: a tick checked them, so
                           * they are not used again */
    uint32_t unmappings;  /* the count of unmappings at that time */
    uint64_t interpreter; /* number of the interpreter, set by sc_scratch_read_of */
    uint32_t reading;     /* number of stacks that have been read here */
    uint32_t seen_in[SC_SEEN_CODES]; /* the reading in which seen was filled in */
    struct {
        uint64_t code;
        uint64_t key;
    } seen[SC_SEEN_CODES];
    uint64_t addresses[SC_ADDRESSES_MAX];
    struct sc_sample_frame frames[SC_FRAMES_MAX];
};

/* Takes a buffer, which the calling thread owns until it gives it back; seen is empty. NULL when
 * none is free. now_ns: in a hook, the time by CLOCK_MONOTONIC: pages that were readable
 * within the last millisecond are not checked again unless something has been unmapped. 0: the
 * reader is empty. Async-signal-safe. */
struct sc_scratch *sc_scratch_acquire(uint64_t now_ns);

/* The program has unmapped something or made it inaccessible: all pages have to be checked again.
 */
void sc_scratch_unmapped(void);
void sc_scratch_release(struct sc_scratch *scratch);

/* Takes back the buffers of frames that the calling thread has left (own_stack.h).
 * sc_scratch_acquire does so, too. Async-signal-safe. */
void sc_scratch_reclaim(uint64_t here);

/* In a fork child: threads that held a buffer are gone. */
void sc_scratch_after_fork(void);

/* Sets the thread state whose frames are read next. Call it before sc_scratch_key.
 * Async-signal-safe. */
void sc_scratch_read_of(struct sc_scratch *scratch, const struct sc_target *target, uint64_t state);

/* The key of a code object, which has been sent to the observer; 0 when that failed.
 * Async-signal-safe. */
uint64_t sc_scratch_key(struct sc_scratch *scratch, const struct sc_target *target, uint64_t code);

/* How many evaluation loops run these frames, for sc_unwind_past_loops: in a thread that Python has
 * started, nothing further out is of interest. 0 for other threads. */
size_t sc_loops_wanted(const struct sc_sample_frame *frames, uint32_t count);
