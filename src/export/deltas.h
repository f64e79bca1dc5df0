/*
 * export/deltas.h - what has come to a profile's stacks since it was last asked for.
 *
 * Profiles of one run, made one after the other, are each of the run so far. What was taken of them
 * is kept by stack; the next time only the rest is there. Their sum is the last profile: exactly,
 * value by value, as whole numbers.
 *
 * A stack may have less than before: it was too small to be kept, and became a part of its caller,
 * or a later sample has shown that its time was another's. Numbers below 0 are refused by those who
 * receive them, so what a stack has lost is taken from what came to its callers, and if that is not
 * enough, to others. Only if a whole value became less is nothing taken until it has grown again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "export/samples.h"

/* Initialise with {0}. */
struct sc_export_deltas {
    struct sc_intern texts;
    struct sc_intern stacks;              /* a stack's number is its key's */
    SC_VEC(struct sc_export_taken) taken; /* by number */
};

/* Leaves in the samples what has come since the last call, and marks the frames that this uses.
 * What is in use now stays as it is; what was in use at the peak is no part of a span, and is taken
 * out. */
void sc_export_deltas_take(struct sc_export_deltas *deltas, struct sc_export_samples *samples);

void sc_export_deltas_done(struct sc_export_deltas *deltas);
