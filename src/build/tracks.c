/*
 * build/tracks.c - the tracks of a profile's timeline.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "build/builder.h"

/* Slots behind the last that is not empty are left out. */
static size_t used_slots(const struct sc_tracks *tracks, int cause)
{
    size_t count = tracks->slots.count;
    while (count > 0 && tracks->slots.items[count - 1].spent_ns[cause] == 0)
        count--;
    return count;
}

/* The share of a slot that was spent for a cause, at most 1: clocks that are a few milliseconds
 * late may have added more time than the slot has. A share of waiting for the lock may be more than
 * 1, as several threads wait for it at once. */
static double share_of(const struct sc_tracks *tracks, size_t slot, int cause)
{
    double share = (double)tracks->slots.items[slot].spent_ns[cause] / (double)tracks->slot_ns;
    return cause == SC_TRACK_OF_GIL ? share : fmin(share, 1);
}

void sc_builder_tracks(const struct sc_builder *builder, struct sc_profile *profile)
{
    const struct sc_tracks *tracks = &builder->collect->tracks;
    double begin_s = profile->start_time_perf_s > 0
                         ? fmax((double)tracks->begin_ns / 1e9 - profile->start_time_perf_s, 0)
                         : 0;
    for (int cause = 0; cause < SC_TRACK_CAUSE_COUNT_; cause++) {
        struct sc_profile_track track = {
            .id = sc_strdup(sc_track_cause_ids[cause]),
            .begin_s = round(1e6 * begin_s) / 1e6,
            .slot_s = (double)tracks->slot_ns / 1e9,
        };
        for (size_t i = 0; i < used_slots(tracks, cause); i++)
            sc_vec_push(&track.shares, round(1e3 * share_of(tracks, i, cause)) / 1e3);
        sc_vec_push(&profile->tracks, track);
    }
}
