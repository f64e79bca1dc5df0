/* costs/tracks.c - see tracks.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/tracks.h"

#include <string.h>

#define FIRST_SLOT_NS 5000000U

#define X_ID(name, id) id,
const char *const sc_track_cause_ids[SC_TRACK_CAUSE_COUNT_] = {SC_TRACK_CAUSES(X_ID)};
#undef X_ID

static void coarsen(struct sc_tracks *tracks)
{
    struct sc_track_slot *slots = tracks->slots.items;
    size_t count = tracks->slots.count;
    for (size_t i = 0; i < count; i++) {
        struct sc_track_slot slot = slots[i];
        if (i % 2 == 0)
            slots[i / 2] = (struct sc_track_slot){0};
        for (int cause = 0; cause < SC_TRACK_CAUSE_COUNT_; cause++)
            slots[i / 2].spent_ns[cause] += slot.spent_ns[cause];
    }
    tracks->slots.count = (count + 1) / 2;
    tracks->slot_ns *= 2;
}

/* Adds slots in front for time that began before the first slot. */
static void begin_earlier(struct sc_tracks *tracks, uint64_t from_ns)
{
    while (from_ns < tracks->begin_ns) {
        uint64_t missing = (tracks->begin_ns - from_ns - 1) / tracks->slot_ns + 1;
        if (tracks->slots.count + missing > SC_TRACK_SLOTS_MAX) {
            coarsen(tracks);
            continue;
        }
        size_t count = tracks->slots.count;
        for (uint64_t i = 0; i < missing; i++)
            sc_vec_push(&tracks->slots, (struct sc_track_slot){0});
        struct sc_track_slot *slots = tracks->slots.items;
        memmove(slots + missing, slots, count * sizeof(*slots));
        memset(slots, 0, missing * sizeof(*slots));
        uint64_t earlier_ns = missing * tracks->slot_ns;
        tracks->begin_ns = tracks->begin_ns > earlier_ns ? tracks->begin_ns - earlier_ns : 0;
    }
}

void sc_tracks_add(struct sc_tracks *tracks, enum sc_track_cause cause, uint64_t end_ns,
                   uint64_t time_ns)
{
    uint64_t from_ns = end_ns - (time_ns < end_ns ? time_ns : end_ns);
    if (time_ns == 0)
        return;
    if (tracks->slot_ns == 0) {
        tracks->slot_ns = FIRST_SLOT_NS;
        tracks->begin_ns = from_ns;
    }
    begin_earlier(tracks, from_ns);
    uint64_t from = from_ns - tracks->begin_ns;
    uint64_t to = end_ns - tracks->begin_ns;
    while (to / tracks->slot_ns >= SC_TRACK_SLOTS_MAX)
        coarsen(tracks);
    while (tracks->slots.count <= to / tracks->slot_ns)
        sc_vec_push(&tracks->slots, (struct sc_track_slot){0});
    while (from < to) {
        uint64_t inside_ns = tracks->slot_ns - from % tracks->slot_ns;
        inside_ns = inside_ns < to - from ? inside_ns : to - from;
        tracks->slots.items[from / tracks->slot_ns].spent_ns[cause] += inside_ns;
        from += inside_ns;
    }
}

void sc_tracks_done(struct sc_tracks *tracks)
{
    sc_vec_done(&tracks->slots);
}
