/*
 * tests/unit/recent_stacks_test.c - where a process was between two times.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/stack/recent_stacks.h"

#include "sc_test.h"

#define S ((uint64_t)1000000000)

enum { ROW_MAX = 4 };

struct row {
    const char *name;
    struct sc_recent_stack added[ROW_MAX]; /* in this order; one of node 0 ends them */
    uint64_t from_ns;
    uint64_t to_ns;
    struct sc_recent_stack found[ROW_MAX];
};

static const struct row rows[] = {
    {.name = "nothing is known", .from_ns = 1, .to_ns = 9},
    {.name = "all of it", .added = {{2, 8, 1}}, .from_ns = 1, .to_ns = 9, .found = {{2, 8, 1}}},
    {.name = "its end", .added = {{2, 8, 1}}, .from_ns = 5, .to_ns = 9, .found = {{5, 8, 1}}},
    {.name = "its beginning", .added = {{2, 8, 1}}, .from_ns = 1, .to_ns = 5, .found = {{2, 5, 1}}},
    {.name = "its middle", .added = {{2, 8, 1}}, .from_ns = 4, .to_ns = 5, .found = {{4, 5, 1}}},
    {.name = "it has just ended", .added = {{2, 8, 1}}, .from_ns = 8, .to_ns = 9},
    {.name = "it begins then", .added = {{2, 8, 1}}, .from_ns = 1, .to_ns = 2},
    {.name = "it took no time", .added = {{5, 5, 1}, {7, 6, 2}}, .from_ns = 1, .to_ns = 9},
    ROW(.name = "the latest first, and threads at once", .added = {{1, 4, 1}, {3, 6, 2}, {8, 9, 3}},
        .from_ns = 2, .to_ns = 7, .found = {{3, 6, 2}, {2, 4, 1}}),
    ROW(.name = "one that is added late stands behind one that ended later",
        .added = {{9 * S, 10 * S, 1}, {8 * S, 9 * S, 2}}, .from_ns = 9 * S, .to_ns = 10 * S,
        .found = {{9 * S, 10 * S, 1}}),
    ROW(.name = "it hides no other, if not by more than a second",
        .added = {{9 * S, 10 * S, 1}, {8 * S, 9 * S, 2}}, .from_ns = 10 * S - 1, .to_ns = 11 * S,
        .found = {{10 * S - 1, 10 * S, 1}}),
    ROW(.name = "one that is added seconds late hides no other",
        .added = {{1 * S, 20 * S, 1}, {21 * S, 22 * S, 2}, {2 * S, 3 * S, 3}}, .from_ns = 4 * S + 1,
        .to_ns = 5 * S, .found = {{4 * S + 1, 5 * S, 1}}),
    ROW(.name = "it is found where it was",
        .added = {{1 * S, 2 * S, 1}, {21 * S, 22 * S, 2}, {2 * S, 3 * S, 3}}, .from_ns = 1 * S,
        .to_ns = 3 * S, .found = {{2 * S, 3 * S, 3}, {1 * S, 2 * S, 1}}),
    ROW(.name = "before what ended more than a second ago nothing is looked for",
        .added = {{4 * S, 20 * S, 1}, {2 * S, 3 * S, 2}, {3 * S, 20 * S, 3}}, .from_ns = 20 * S,
        .to_ns = 21 * S),
};

TEST(what_was_there_is_cut_to_the_time)
{
    struct sc_recent_stack_list list = {0};
    FOR_EACH_ROW(row, rows) {
        OWN(sc_recent_stacks, recent) = {0};
        size_t count = 0;
        for (size_t k = 0; k < ROW_MAX && row->added[k].node != 0; k++)
            sc_recent_stacks_add(&recent, row->added[k].from_ns, row->added[k].to_ns,
                                 row->added[k].node);
        sc_recent_stacks_between(&recent, row->from_ns, row->to_ns, &list);
        for (; count < ROW_MAX && row->found[count].node != 0; count++) {
            assert_true(count < list.count);
            assert_int_equal(list.items[count].from_ns, row->found[count].from_ns);
            assert_int_equal(list.items[count].to_ns, row->found[count].to_ns);
            assert_int_equal(list.items[count].node, row->found[count].node);
        }
        assert_int_equal(list.count, count);
    }
    sc_vec_done(&list);
}

TEST(the_oldest_makes_room)
{
    OWN(sc_recent_stacks, recent) = {0};
    struct sc_recent_stack_list list = {0};
    for (uint32_t i = 0; i < SC_RECENT_STACKS_MAX + 3; i++)
        sc_recent_stacks_add(&recent, 10 * (uint64_t)i, 10 * (uint64_t)i + 10, i);
    sc_recent_stacks_between(&recent, 0, UINT64_MAX, &list);
    assert_int_equal(list.count, SC_RECENT_STACKS_MAX);
    assert_int_equal(list.items[0].node, SC_RECENT_STACKS_MAX + 2);
    assert_int_equal(list.items[SC_RECENT_STACKS_MAX - 1].node, 3);
    sc_recent_stacks_between(&recent, 0, 30, &list);
    assert_int_equal(list.count, 0);
    sc_recent_stacks_add(&recent, 40, 40, 1); /* needs none */
    sc_recent_stacks_between(&recent, 0, UINT64_MAX, &list);
    assert_int_equal(list.count, SC_RECENT_STACKS_MAX);
    sc_vec_done(&list);
}
