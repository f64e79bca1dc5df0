/*
 * tests/unit/task_lanes_test.c - looks at made-up tasks, and the lanes that come of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/task_lanes.h"

#include "sc_test.h"

#define MS 1000000ULL

/* A look from last_ms to now_ms that sees one task wait at a node; SC_NONE: it sees none. */
static void look(struct sc_task_lanes *lanes, uint64_t key, uint32_t node, uint64_t last_ms,
                 uint64_t now_ms)
{
    struct sc_task_lane *lane = sc_task_lanes_find(lanes, 7, key);
    if (node != SC_NONE && lane != NULL)
        lane->seen_node = node;
    else if (node != SC_NONE)
        sc_task_lanes_add(lanes, 7, key, "task", node, last_ms * MS);
    sc_task_lanes_charge(lanes, 7, last_ms * MS, now_ms * MS);
}

static void is_run(const struct sc_task_lane *lane, size_t at, uint64_t begin_ms, uint64_t end_ms,
                   uint32_t node)
{
    assert_true(at < lane->runs.count);
    assert_int_equal(lane->runs.items[at].begin_ns, begin_ms * MS);
    assert_int_equal(lane->runs.items[at].end_ns, end_ms * MS);
    assert_int_equal(lane->runs.items[at].node, node);
}

TEST(a_change_is_half_way_between_two_looks)
{
    OWN(sc_task_lanes, lanes) = {0};
    look(&lanes, 1, 5, 100, 110);
    look(&lanes, 1, 5, 110, 120);
    look(&lanes, 1, 6, 120, 140);
    sc_task_lanes_stay(&lanes, 7, 200 * MS);
    look(&lanes, 1, SC_NONE, 200, 210);
    sc_task_lanes_stay(&lanes, 7, 300 * MS);
    look(&lanes, 1, 6, 300, 320);
    const struct sc_task_lane *lane = sc_task_lanes_find(&lanes, 7, 1);
    assert_int_equal(lane->runs.count, 3);
    is_run(lane, 0, 105, 130, 5);
    is_run(lane, 1, 130, 205, 6);
    is_run(lane, 2, 310, 320, 6);
    assert_int_equal(lane->wait_ns, (25 + 75 + 10) * MS);
    assert_string_equal(lane->name, "task");
    assert_false(lanes.is_cut);
}

TEST(processes_are_apart)
{
    OWN(sc_task_lanes, lanes) = {0};
    look(&lanes, 1, 5, 100, 110);
    sc_task_lanes_charge(&lanes, 8, 100 * MS, 200 * MS);
    sc_task_lanes_stay(&lanes, 8, 300 * MS);
    sc_task_lanes_break(&lanes, 8);
    assert_null(sc_task_lanes_find(&lanes, 8, 1));
    look(&lanes, 1, 5, 110, 120);
    is_run(sc_task_lanes_find(&lanes, 7, 1), 0, 105, 120, 5);
}

/* While profiling was off nothing is known of what tasks did. */
TEST(a_break_ends_runs)
{
    OWN(sc_task_lanes, lanes) = {0};
    look(&lanes, 1, 5, 100, 110);
    sc_task_lanes_break(&lanes, 7);
    look(&lanes, 1, 5, 200, 210);
    const struct sc_task_lane *lane = sc_task_lanes_find(&lanes, 7, 1);
    assert_int_equal(lane->runs.count, 2);
    is_run(lane, 0, 105, 110, 5);
    is_run(lane, 1, 205, 210, 5);
}

TEST(a_lane_of_many_runs_becomes_coarser)
{
    OWN(sc_task_lanes, lanes) = {0};
    uint64_t last_ms = 0;
    for (uint32_t i = 0; i < 5000; i++, last_ms += 10)
        look(&lanes, 1, 5 + i % 2, last_ms, last_ms + 10);
    const struct sc_task_lane *lane = sc_task_lanes_find(&lanes, 7, 1);
    assert_in_range(lane->runs.count, SC_LANE_RUNS_MAX / 4, SC_LANE_RUNS_MAX);
    assert_int_equal(lane->runs.items[0].begin_ns, 5 * MS);
    assert_int_equal(lane->runs.items[0].node, SC_NONE);
    assert_int_equal(lane->runs.items[lane->runs.count - 1].end_ns, last_ms * MS);
    for (size_t i = 1; i < lane->runs.count; i++)
        assert_int_equal(lane->runs.items[i].begin_ns, lane->runs.items[i - 1].end_ns);
    assert_int_equal(lane->wait_ns, (last_ms - 5) * MS);
}

TEST(waits_that_are_merged_count_no_more_than_they_were)
{
    struct sc_lane_run runs[300];
    uint64_t waited_ns = 0;
    for (uint64_t i = 0; i < 300; i++)
        runs[i] = (struct sc_lane_run){i * 200 * MS, (i * 200 + 10) * MS, 5};
    size_t count = sc_lane_runs_merge(runs, 300, 60);
    assert_in_range(count, 50, 60);
    for (size_t i = 0; i < count; i++)
        waited_ns += runs[i].end_ns - runs[i].begin_ns;
    assert_int_equal(waited_ns, 3000 * MS);
}

/* A program starts task after task; one waits all the time. */
TEST(tasks_that_wait_longest_are_kept)
{
    OWN(sc_task_lanes, lanes) = {0};
    uint64_t last_ms = 0;
    for (uint64_t i = 0; i < 20000; i++, last_ms += 5) {
        if (i == 0)
            sc_task_lanes_add(&lanes, 7, 99999, "server", 3, last_ms * MS);
        else
            sc_task_lanes_find(&lanes, 7, 99999)->seen_node = 3;
        uint32_t node = 5;
        look(&lanes, 1 + i, node, last_ms, last_ms + 5);
    }
    assert_int_equal(lanes.all.count, SC_TASK_LANES_MAX);
    assert_true(lanes.is_cut);
    const struct sc_task_lane *server = sc_task_lanes_find(&lanes, 7, 99999);
    assert_string_equal(server->name, "server");
    assert_int_equal(server->runs.count, 1);
    assert_null(sc_task_lanes_find(&lanes, 7, 1000));
    assert_non_null(sc_task_lanes_find(&lanes, 7, 20000));
    assert_true(lanes.indexed <= (size_t)8 * SC_TASK_LANES_MAX + 1);
}

/* All that have a lane wait: nobody's lane goes, and the next look asks anew. */
TEST(a_full_house_takes_nobody)
{
    OWN(sc_task_lanes, lanes) = {0};
    for (uint64_t i = 0; i < SC_TASK_LANES_MAX; i++)
        sc_task_lanes_add(&lanes, 7, i, "", 3, 0);
    sc_task_lanes_charge(&lanes, 7, 0, 10 * MS);
    sc_task_lanes_add(&lanes, 7, 12345, "late", 3, 10 * MS);
    assert_true(lanes.is_full && lanes.is_cut);
    assert_null(sc_task_lanes_find(&lanes, 7, 12345));
    sc_task_lanes_charge(&lanes, 7, 10 * MS, 20 * MS);
    assert_false(lanes.is_full);
    sc_task_lanes_add(&lanes, 7, 12345, "late", 3, 20 * MS + SC_TASK_GONE_NS);
    assert_non_null(sc_task_lanes_find(&lanes, 7, 12345));
}

/* Profiling is switched off in the middle of a look, and the tasks end meanwhile. */
TEST(lanes_that_never_got_a_run_make_room)
{
    OWN(sc_task_lanes, lanes) = {0};
    for (uint64_t i = 0; i < SC_TASK_LANES_MAX; i++)
        sc_task_lanes_add(&lanes, 7, i, "", 3, 0);
    sc_task_lanes_break(&lanes, 7);
    sc_task_lanes_add(&lanes, 7, 12345, "late", 3, 10 * MS);
    assert_non_null(sc_task_lanes_find(&lanes, 7, 12345));
}
