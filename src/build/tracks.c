/*
 * build/tracks.c - the tracks of a profile's timeline.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>

#include "base/json_out.h"
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

static void write_track(const struct sc_tracks *tracks, int cause, double begin_s,
                        struct sc_json_out *out)
{
    sc_json_item(out);
    sc_json_begin(out, '{');
    sc_json_key(out, "begin_s");
    sc_json_number(out, begin_s);
    sc_json_key(out, "id");
    sc_json_string(out, sc_track_cause_ids[cause]);
    sc_json_key(out, "shares");
    sc_json_begin(out, '[');
    for (size_t i = 0; i < used_slots(tracks, cause); i++) {
        sc_json_item(out);
        sc_json_number(out, round(1e3 * share_of(tracks, i, cause)) / 1e3);
    }
    sc_json_end(out, ']');
    sc_json_key(out, "slot_s");
    sc_json_number(out, (double)tracks->slot_ns / 1e9);
    sc_json_end(out, '}');
}

void sc_builder_tracks(const struct sc_builder *builder, struct sc_profile *profile)
{
    const struct sc_tracks *tracks = &builder->collect->tracks;
    struct sc_str text = {0};
    struct sc_json_out out = {.text = &text, .is_compact = true};
    double begin_s = profile->start_time_perf_s > 0
                         ? fmax((double)tracks->begin_ns / 1e9 - profile->start_time_perf_s, 0)
                         : 0;
    sc_json_begin(&out, '[');
    for (int cause = 0; cause < SC_TRACK_CAUSE_COUNT_; cause++)
        write_track(tracks, cause, round(1e6 * begin_s) / 1e6, &out);
    sc_json_end(&out, ']');
    free(profile->tracks_json);
    profile->tracks_json = sc_str_take(&text);
}
