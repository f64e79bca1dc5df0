/*
 * agent/scratch.h - room for one stack while it is read.
 *
 * The stack of the interrupted thread may be small, so what a sample needs is in one of a few
 * shared buffers. They are tried, never waited for.
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

/* Code objects of one stack whose key has been made: recursion meets few of them often. */
#define SC_SEEN_CODES 64U

/* Not touched until used: a shallow stack costs one page. */
struct sc_scratch {
    _Atomic uint32_t taken;
    struct sc_announce_scratch texts;
    struct sc_safe_reader reader;
    uint64_t asked_ns;    /* since when the reader's pages are known; 0: they are of a tick */
    uint32_t unmappings;  /* that the agent had seen then */
    uint64_t interpreter; /* whose frames are read; see sc_scratch_read_of */
    uint32_t reading;     /* how many stacks have been read here */
    uint32_t seen_in[SC_SEEN_CODES]; /* the reading in which seen was filled in */
    struct {
        uint64_t code;
        uint64_t key;
    } seen[SC_SEEN_CODES];
    uint64_t addresses[SC_ADDRESSES_MAX];
    struct sc_sample_frame frames[SC_FRAMES_MAX];
};

/* A buffer of the calling thread's own until it gives it back, with no seen codes; NULL when none
 * is free. now_ns: in a hook, by CLOCK_MONOTONIC, where pages that were readable within the last
 * millisecond are not asked for again unless something has been unmapped; 0: the reader is empty.
 * Async-signal-safe. */
struct sc_scratch *sc_scratch_take(uint64_t now_ns);

/* The program has unmapped something, or closed it: no page is known any more. */
void sc_scratch_unmapped(void);
void sc_scratch_give(struct sc_scratch *scratch);

/* In a fork child: threads that held a buffer are gone. */
void sc_scratch_forget(void);

/* The frames of that thread state are read now. To be called first. Async-signal-safe. */
void sc_scratch_read_of(struct sc_scratch *scratch, const struct sc_memory *memory, uint64_t state);

/* The key of a code object, announced; 0 when it could not be named. Async-signal-safe. */
uint64_t sc_scratch_key(struct sc_scratch *scratch, const struct sc_memory *memory, uint64_t code);

/* How many evaluation loops run these frames, for sc_unwind_past_loops: outside of them a thread
 * that Python has begun has nothing of interest. 0 for other threads. */
size_t sc_loops_wanted(const struct sc_sample_frame *frames, uint32_t count);

/* The Python thread state of the calling thread, also while it does not hold the GIL; 0 without
 * one. Async-signal-safe. */
uint64_t sc_own_thread_state(void);
