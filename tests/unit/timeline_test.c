/*
 * tests/unit/timeline_test.c - runs of stacks: merged, bounded, nothing of their time lost.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/timeline.h"

#include "sc_test.h"

#define MS UINT64_C(1000000)

static uint64_t sum_of(const struct sc_timeline *timeline)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < timeline->runs.count; i++)
        sum += timeline->runs.items[i].time_ns;
    return sum;
}

TEST(neighbours_of_one_thread_are_one_run)
{
    OWN(sc_timeline, timeline) = {0};
    sc_timeline_add(&timeline, 0, 0, 5, 10);
    sc_timeline_add(&timeline, 10, 1, 6, 10); /* another thread in between */
    sc_timeline_add(&timeline, 20, 0, 5, 10);
    sc_timeline_add(&timeline, 30, 0, 7, 10);
    sc_timeline_add(&timeline, 40, 0, 5, 10);
    assert_int_equal(timeline.runs.count, 4);
    assert_int_equal(timeline.runs.items[0].time_ns, 20);
    assert_int_equal(timeline.runs.items[0].start_ns, 0);
    assert_int_equal(timeline.runs.items[1].thread, 1);
    assert_int_equal(timeline.runs.items[3].start_ns, 40);
}

/* Between two waits for the same the thread was somewhere, if not on a stack that was seen. */
TEST(a_stack_that_comes_back_later_is_another_run)
{
    OWN(sc_timeline, timeline) = {0};
    sc_timeline_add(&timeline, 0, 0, 5, 10 * MS);
    sc_timeline_add(&timeline, 12 * MS, 0, 5, 10 * MS); /* a tick that was late */
    sc_timeline_add(&timeline, 900 * MS, 0, 5, 10 * MS);
    assert_int_equal(timeline.runs.count, 2);
    assert_int_equal(timeline.runs.items[0].time_ns, 20 * MS);
    assert_int_equal(timeline.runs.items[1].start_ns, 900 * MS);
}

/* None of them can be made fewer by any slot. */
TEST(a_thread_for_each_run_is_no_endless_loop)
{
    OWN(sc_timeline, timeline) = {0};
    for (uint32_t i = 0; i < 6000; i++)
        sc_timeline_add(&timeline, i * MS, i, i, MS);
    assert_int_equal(sum_of(&timeline), 6000 * MS);
}

TEST(a_long_timeline_is_coarser_and_whole)
{
    OWN(sc_timeline, timeline) = {0};
    uint64_t rounds = 1000000;
    for (uint64_t i = 0; i < rounds; i++) {
        sc_timeline_add(&timeline, i * 10 * MS, 0, (uint32_t)(i % 2), 10 * MS);
        sc_timeline_add(&timeline, i * 10 * MS + 1, 1, (uint32_t)(i % 3), MS);
        assert_true(timeline.runs.count <= 4096);
    }
    assert_true(timeline.runs.count > 1024);
    assert_int_equal(sum_of(&timeline), rounds * 11 * MS);
    const struct sc_timeline_run *last = &timeline.runs.items[timeline.runs.count - 1];
    assert_true(last->start_ns > rounds * 10 * MS * 99 / 100);
}

TEST(a_slot_shows_what_most_of_it_was_spent_on)
{
    OWN(sc_timeline, timeline) = {0};
    for (uint64_t i = 0; i < 100000; i++) /* one in ten is of node 1 and short */
        sc_timeline_add(&timeline, i * MS, 0, i % 10 == 0 ? 1 : 2 + (uint32_t)(i / 5000),
                        i % 10 == 0 ? MS / 10 : MS);
    assert_true(timeline.slot_ns >= 2 * MS);
    size_t wrong = 0;
    for (size_t i = 0; i < timeline.runs.count; i++)
        wrong += timeline.runs.items[i].node == 1;
    assert_int_equal(wrong, 0);
}
