/*
 * observer/stack/kept_stacks.h - deep stacks, of which the agent sends only what has changed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

#include "base/vec.h"
#include "channel/format.h"

struct sc_kept_stack {
    SC_VEC(struct sc_sample_frame) frames; /* outermost first */
    uint32_t number;                       /* of the last record */
};

/* The kept stacks of one process. Initialise with {0}. */
struct sc_kept_stacks {
    struct sc_kept_stack stacks[SC_KEPT_STACKS];
    void *whole;
    size_t whole_bytes;
};

void sc_kept_stacks_done(struct sc_kept_stacks *kept);

/* The record with all its frames, valid until the next call: the record itself when it has them.
 * NULL when it refers to kept frames that are not known. The record must be well-formed. */
const struct sc_record_sample *sc_kept_stacks_complete(struct sc_kept_stacks *kept,
                                                       const struct sc_record_sample *record);
