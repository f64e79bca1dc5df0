/*
 * costs/live_moments.h - which stacks held the memory at some moments of a run.
 *
 * A curve for each stack would cost too much. So the stacks with live bytes are noted from time to
 * time: at a few dozen moments, of which some are forgotten, and the time between them doubled,
 * when there would be more. Each is a state that began then. Stacks with less than 1/2,000 of what
 * is alive are left out, so that a moment has a bounded size, too.
 *
 * Initialise with {0}.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* The most moments. */
#define SC_LIVE_MOMENTS 32U

struct sc_ledger_stack {
    uint32_t node;
    uint64_t allocated_bytes;
    uint64_t live_bytes;
    uint64_t at_peak_bytes; /* live_bytes at the program's peak; see peak_serial */
    uint64_t peak_serial;
};

struct sc_ledger_stacks SC_VEC_OF(struct sc_ledger_stack);

struct sc_live_part {
    uint32_t node;
    uint64_t bytes;
};

struct sc_live_moment {
    uint64_t time_ns; /* since when it was so */
    SC_VEC(struct sc_live_part) parts;
};

struct sc_live_moments {
    SC_VEC(struct sc_live_moment) items;
    uint64_t step_ns;
    uint64_t next_ns; /* when the next moment is due */
    uint64_t last_ns; /* of the last change; 0: there was none */
};

/* Called before live bytes change at a time: notes what was alive until then, where that is due. */
void sc_live_moments_pass(struct sc_live_moments *moments, const struct sc_ledger_stacks *stacks,
                          uint64_t time_ns);

/* What is alive now, as a moment; freed by sc_live_moment_done. */
void sc_live_moment_of(const struct sc_live_moments *moments, const struct sc_ledger_stacks *stacks,
                       struct sc_live_moment *ret_moment);
void sc_live_moment_done(struct sc_live_moment *moment);

void sc_live_moments_done(struct sc_live_moments *moments);
