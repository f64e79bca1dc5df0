/*
 * tests/unit/collect_test.c - the trie of stacks, its limits, threads, the reservoir of moments.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/collect.h"

#include "base/mem.h"
#include "sc_test.h"

TEST(equal_frames_are_one_node)
{
    OWN(sc_collect, collect);
    sc_collect_init(&collect, 0, 0);
    uint32_t main_code = sc_collect_code(&collect, "/p/a.py", "<module>", 1);
    uint32_t f_code = sc_collect_code(&collect, "/p/a.py", "f", 3);
    assert_int_equal(main_code, 0);
    assert_int_equal(f_code, 1);
    assert_int_equal(sc_collect_code(&collect, "/p/a.py", "<module>", 1), main_code);
    assert_int_equal(sc_collect_code(&collect, "/p/a.py", "f", 4), 2);
    assert_int_equal(sc_collect_code(&collect, "/p/b.py", "f", 3), 3);
    uint32_t outer = sc_collect_frame(&collect, 0, main_code, 10);
    uint32_t inner = sc_collect_frame(&collect, outer, f_code, 4);
    assert_int_not_equal(sc_collect_frame(&collect, outer, f_code, 5), inner);
    assert_int_not_equal(sc_collect_frame(&collect, 0, f_code, 4), inner);
    assert_int_equal(sc_collect_frame(&collect, 0, main_code, 10), outer);
    assert_int_equal(sc_collect_frame(&collect, outer, f_code, 4), inner);
    assert_int_equal(collect.nodes.count, 5);
    assert_int_equal(collect.nodes.items[inner].parent, outer);
    assert_int_equal(collect.nodes.items[inner].line, 4);
    assert_int_equal(collect.nodes.items[0].code, SC_NONE);
}

TEST(costs_are_made_once_per_node)
{
    OWN(sc_collect, collect);
    sc_collect_init(&collect, 0, 0);
    uint32_t code = sc_collect_code(&collect, "a", "b", 1);
    for (uint32_t line = 1; line <= 100; line++) {
        uint32_t node = sc_collect_frame(&collect, 0, code, line);
        sc_collect_cost(&collect, node)->time_ns[SC_TIME_PYTHON] += line;
        sc_collect_cost(&collect, node)->time_ns[SC_TIME_PYTHON] += 1000;
        assert_int_equal(sc_collect_cost(&collect, node)->time_ns[SC_TIME_PYTHON], line + 1000);
    }
    sc_collect_cost(&collect, 0)->samples++;
    assert_int_equal(collect.costs.count, 101);
    assert_int_equal(collect.stacks_cut, 0);
}

/* Adds the stack of line, line - 1, ..., 1 calls and returns its innermost node. */
static uint32_t add_stack(struct sc_collect *collect, uint32_t code, uint32_t first, uint32_t last)
{
    uint32_t node = 0;
    for (uint32_t line = first; line <= last; line++)
        node = sc_collect_frame(collect, node, code, line);
    return node;
}

TEST(a_full_trie_keeps_innermost_frames)
{
    OWN(sc_collect, collect);
    sc_collect_init(&collect, 100, 0);
    uint32_t code = sc_collect_code(&collect, "a", "b", 1);
    uint32_t deep = add_stack(&collect, code, 1, 99);
    assert_int_equal(collect.nodes.count, 100);
    assert_int_equal(collect.stacks_cut, 0);
    /* known stacks are found as before */
    assert_int_equal(add_stack(&collect, code, 1, 99), deep);
    assert_int_equal(collect.stacks_cut, 0);
    /* a new one keeps its innermost frame, and is counted once */
    uint32_t cut = add_stack(&collect, code, 1, 102);
    assert_int_equal(collect.stacks_cut, 1);
    assert_int_equal(collect.nodes.items[cut].parent, 0);
    assert_int_equal(collect.nodes.items[cut].line, 102);
    assert_int_equal(add_stack(&collect, code, 1, 102), cut);
    assert_int_equal(collect.stacks_cut, 2);
    /* however many come, the number of nodes stays bounded */
    for (uint32_t i = 0; i < 1000; i++)
        (void)add_stack(&collect, code, 1000 + i, 1003 + i);
    assert_int_equal(collect.stacks_cut, 1002);
    assert_true(collect.nodes.count <= 126);
}

TEST(code_is_bounded)
{
    OWN(sc_collect, collect);
    sc_collect_init(&collect, 0, 0);
    uint32_t first = sc_collect_code(&collect, "file", "name", 0);
    uint32_t last = 0;
    for (uint32_t line = 1; line < 300000; line++)
        last = sc_collect_code(&collect, "file", "name", line);
    assert_int_equal(collect.codes.count, (1 << 18) + 1);
    assert_int_equal(last, 1 << 18);
    assert_string_equal(sc_intern_text(&collect.names, collect.codes.items[last].file),
                        "<other code>");
    assert_int_equal(sc_collect_code(&collect, "file", "name", 0), first);
    assert_int_equal(sc_collect_code(&collect, "new file", "name", 0), last);
    assert_int_equal(collect.names.count, 3);
}

TEST(threads_are_distinguished_up_to_a_limit)
{
    OWN(sc_collect, collect);
    sc_collect_init(&collect, 0, 0);
    assert_int_equal(sc_collect_thread(&collect, 400, 500), 0);
    assert_int_equal(sc_collect_thread(&collect, 400, 600), 1);
    assert_int_equal(sc_collect_thread(&collect, 400, 500), 0);
    /* two containers use the same numbers */
    assert_int_equal(sc_collect_thread(&collect, 401, 500), 2);
    assert_int_equal(sc_collect_thread(&collect, 401, 500), 2);
    assert_int_equal(sc_collect_thread(&collect, 400, 500), 0);
    /* the kernel uses numbers again */
    collect.threads.items[0].ended = true;
    assert_int_equal(sc_collect_thread(&collect, 400, 500), 3);
    assert_int_equal(sc_collect_thread(&collect, 400, 500), 3);
    for (uint64_t tid = 10000; tid < 20000; tid++)
        (void)sc_collect_thread(&collect, 400, tid);
    assert_int_equal(collect.threads.count, 1000);
    assert_int_equal(sc_collect_thread(&collect, 400, 19999), 999);
    assert_int_equal(sc_collect_thread(&collect, 400, 600), 1);
    assert_int_equal(collect.threads.items[999].tid, 0);
    assert_string_equal(collect.threads.items[999].name, "other threads");
}

TEST(moments_are_a_fair_sample)
{
    OWN(sc_collect, collect);
    sc_collect_init(&collect, 0, 1000);
    for (int i = 0; i < 100000; i++)
        sc_collect_moment(&collect, i, (uint32_t)i);
    assert_int_equal(collect.moments.count, 1000);
    assert_int_equal(collect.moments_seen, 100000);
    /* A uniform choice has a mean of 50,000 with a standard error of 913; the generator is seeded
     * with a constant, so this is no matter of luck. */
    double sum = 0;
    for (size_t i = 0; i < 1000; i++)
        sum += collect.moments.items[i].perf_s;
    assert_true(sum / 1000 > 46000 && sum / 1000 < 54000);
}
