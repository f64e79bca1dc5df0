/*
 * costs/tracks.h - how much time, over a run, was spent in garbage collection, in waiting for
 * input and output, or in waiting for the interpreter lock.
 *
 * The run is cut into slots. When there would be too many they become twice as long, so a run of
 * any length has a whole track, a long one at a coarser grain.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "base/vec.h"

/* name in code, id in JSON */
#define SC_TRACK_CAUSES(X)                                                                         \
    X(GC, "gc")   /* on a CPU, collecting */                                                       \
    X(IO, "io")   /* nothing on a CPU, waiting for input, output or another process */             \
    X(GIL, "gil") /* a thread waited for the interpreter lock, whatever the others did */

#define X_ENUM(name, id) SC_TRACK_OF_##name,
enum sc_track_cause { SC_TRACK_CAUSES(X_ENUM) SC_TRACK_CAUSE_COUNT_ };
#undef X_ENUM

extern const char *const sc_track_cause_ids[SC_TRACK_CAUSE_COUNT_];

/* Nanoseconds of each cause, summed over the threads that waited at once. */
struct sc_track_slot {
    uint64_t spent_ns[SC_TRACK_CAUSE_COUNT_];
};

#define SC_TRACK_SLOTS_MAX 1024U

/* Initialise with {0}. */
struct sc_tracks {
    uint64_t begin_ns; /* of the first slot */
    uint64_t slot_ns;  /* 0: nothing has been added */
    SC_VEC(struct sc_track_slot) slots;
};

/* Records that a thread spent time_ns for this cause, up to end_ns. For time before the first slot,
 * slots are added in front. */
void sc_tracks_add(struct sc_tracks *tracks, enum sc_track_cause cause, uint64_t end_ns,
                   uint64_t time_ns);
void sc_tracks_done(struct sc_tracks *tracks);
