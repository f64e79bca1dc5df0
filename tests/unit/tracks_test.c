/*
 * tests/unit/tracks_test.c - tracks of causes over time: nothing lost, in its place, bounded.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/tracks.h"

#include "sc_test.h"

#define MS UINT64_C(1000000)

static uint64_t sum_of(const struct sc_tracks *tracks, enum sc_track_cause cause)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < tracks->slots.count; i++)
        sum += tracks->slots.items[i].spent_ns[cause];
    return sum;
}

TEST(time_is_in_the_slots_it_went_by_in)
{
    OWN(sc_tracks, tracks) = {0};
    sc_tracks_add(&tracks, SC_TRACK_OF_IO, 1012 * MS, 12 * MS); /* slots are 5 ms */
    assert_int_equal(tracks.begin_ns, 1000 * MS);
    assert_int_equal(tracks.slots.count, 3);
    assert_int_equal(tracks.slots.items[0].spent_ns[SC_TRACK_OF_IO], 5 * MS);
    assert_int_equal(tracks.slots.items[1].spent_ns[SC_TRACK_OF_IO], 5 * MS);
    assert_int_equal(tracks.slots.items[2].spent_ns[SC_TRACK_OF_IO], 2 * MS);
    sc_tracks_add(&tracks, SC_TRACK_OF_GC, 1008 * MS, 1 * MS);
    assert_int_equal(tracks.slots.items[1].spent_ns[SC_TRACK_OF_GC], MS);
    assert_int_equal(sum_of(&tracks, SC_TRACK_OF_GIL), 0);
    sc_tracks_add(&tracks, SC_TRACK_OF_GIL, 1011 * MS, 0);
    assert_int_equal(sum_of(&tracks, SC_TRACK_OF_GIL), 0);
}

TEST(what_is_reported_late_makes_slots_before_the_first)
{
    OWN(sc_tracks, tracks) = {0};
    sc_tracks_add(&tracks, SC_TRACK_OF_GIL, 1001 * MS, 1 * MS);
    sc_tracks_add(&tracks, SC_TRACK_OF_GC, 1002 * MS, 500 * MS);
    assert_int_equal(tracks.begin_ns, 500 * MS);
    assert_int_equal(tracks.slots.items[0].spent_ns[SC_TRACK_OF_GC], 3 * MS);
    assert_int_equal(tracks.slots.items[99].spent_ns[SC_TRACK_OF_GC], 5 * MS);
    assert_int_equal(tracks.slots.items[100].spent_ns[SC_TRACK_OF_GC], 2 * MS);
    assert_int_equal(tracks.slots.items[100].spent_ns[SC_TRACK_OF_GIL], MS);
    sc_tracks_add(&tracks, SC_TRACK_OF_IO, 100 * MS, 1 * MS);
    for (size_t i = 0; i < tracks.slots.count; i++) {
        for (int cause = 0; cause < SC_TRACK_CAUSE_COUNT_; cause++)
            assert_true(tracks.slots.items[i].spent_ns[cause] <= tracks.slot_ns);
    }
    sc_tracks_add(&tracks, SC_TRACK_OF_GIL, 1 * MS, 100 * MS); /* of which one can have been */
    assert_true(tracks.slots.count <= SC_TRACK_SLOTS_MAX);
    assert_int_equal(sum_of(&tracks, SC_TRACK_OF_GC), 500 * MS);
    assert_int_equal(sum_of(&tracks, SC_TRACK_OF_GIL), 2 * MS);
}

TEST(a_long_run_has_few_slots_and_all_its_time)
{
    OWN(sc_tracks, tracks) = {0};
    uint64_t added_ns = 0;
    for (uint64_t i = 1; i <= 100000; i++) { /* the second half alone waits, half of it */
        sc_tracks_add(&tracks, SC_TRACK_OF_GC, i * 10 * MS, 1);
        if (i > 50000) {
            sc_tracks_add(&tracks, SC_TRACK_OF_IO, i * 10 * MS, 5 * MS);
            added_ns += 5 * MS;
        }
    }
    assert_true(tracks.slots.count <= SC_TRACK_SLOTS_MAX);
    assert_true(tracks.slots.count > SC_TRACK_SLOTS_MAX / 2);
    assert_int_equal(sum_of(&tracks, SC_TRACK_OF_IO), added_ns);
    for (size_t i = 0; i + 1 < tracks.slots.count; i++) {
        uint64_t from_ns = tracks.begin_ns + i * tracks.slot_ns;
        uint64_t spent_ns = tracks.slots.items[i].spent_ns[SC_TRACK_OF_IO];
        if (from_ns + tracks.slot_ns < 500000 * MS)
            assert_int_equal(spent_ns, 0);
        else if (from_ns > 500010 * MS)
            assert_true(spent_ns > tracks.slot_ns / 2 - 10 * MS &&
                        spent_ns < tracks.slot_ns / 2 + 10 * MS);
    }
    sc_tracks_add(&tracks, SC_TRACK_OF_IO, UINT64_MAX, UINT64_MAX / 2);
    assert_true(tracks.slots.count <= SC_TRACK_SLOTS_MAX);
}
