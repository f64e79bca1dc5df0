/*
 * tests/unit/units_test.c - durations in classes, and labels that are entered and left.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/units.h"

#include "sc_test.h"

static uint32_t enter(struct sc_units *units, struct sc_unit_thread *thread, uint64_t span,
                      const char *name, uint64_t time_ns)
{
    const struct sc_unit_open entered = {.span = span, .since_ns = time_ns};
    return sc_units_enter(units, thread, &entered, name, strlen(name));
}

TEST(a_quantile_is_off_by_a_32nd_at_most)
{
    for (uint64_t ns = 0; ns < UINT64_MAX / 3; ns = ns * 3 + 1) {
        struct sc_spread spread = {{0}};
        sc_spread_add(&spread, ns);
        uint64_t found = sc_spread_quantile(&spread, 1, 0.5);
        assert_true((found > ns ? found - ns : ns - found) <= ns / 32);
    }
    struct sc_spread largest = {{0}};
    sc_spread_add(&largest, UINT64_MAX);
    assert_true(sc_spread_quantile(&largest, 1, 1) >= UINT64_MAX / 32 * 31);
}

TEST(a_quantile_is_the_smallest_that_so_many_do_not_exceed)
{
    struct sc_spread spread = {{0}};
    for (uint64_t i = 1; i <= 10; i++)
        sc_spread_add(&spread, i);
    assert_int_equal(sc_spread_quantile(&spread, 10, 0.5), 5);
    assert_int_equal(sc_spread_quantile(&spread, 10, 0.51), 6);
    assert_int_equal(sc_spread_quantile(&spread, 10, 0.99), 10);
    assert_int_equal(sc_spread_quantile(&spread, 10, 0), 1);
}

TEST(labels_may_be_left_in_any_order)
{
    struct sc_units units = {.paths = {0}};
    struct sc_unit_thread thread = {.path = 0};
    (void)enter(&units, &thread, 1, "a", 100);
    (void)enter(&units, &thread, 2, "b", 200);
    (void)enter(&units, &thread, 3, "c", 300);
    uint32_t all = thread.path;
    assert_true(sc_units_leave(&units, &thread, 2, 450, 0));
    assert_int_not_equal(thread.path, all);
    sc_units_spend(&units, thread.path, 7, SC_TIME_PYTHON, 5);
    assert_int_equal(units.paths.items[thread.path].unit, 2);
    assert_int_equal(units.paths.items[units.paths.items[thread.path].outer].unit, 0);
    assert_true(sc_units_leave(&units, &thread, 1, 500, 0));
    assert_false(sc_units_leave(&units, &thread, 1, 600, 0));
    assert_true(sc_units_leave(&units, &thread, 3, 600, 0));
    assert_int_equal(thread.path, 0);
    const uint64_t durations[] = {400, 250, 300};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(units.items.items[i].total_ns, durations[i]);
    sc_units_done(&units);
    sc_vec_done(&thread.open);
}

TEST(a_name_inside_itself_is_charged_once)
{
    struct sc_units units = {.paths = {0}};
    struct sc_unit_thread thread = {.path = 0};
    (void)enter(&units, &thread, 1, "a", 0);
    uint32_t path = thread.path;
    (void)enter(&units, &thread, 2, "a", 0);
    assert_int_equal(thread.path, path);
    (void)sc_units_leave(&units, &thread, 2, 10, 0);
    assert_int_equal(thread.path, path);
    (void)sc_units_leave(&units, &thread, 1, 20, 0);
    assert_int_equal(thread.path, 0);
    assert_int_equal(units.items.items[0].left, 2);
    assert_int_equal(units.items.items[0].total_ns, 30);
    assert_int_equal(units.items.items[0].min_ns, 10);
    sc_units_done(&units);
    sc_vec_done(&thread.open);
}

TEST(further_names_share_one_unit)
{
    struct sc_units units = {.paths = {0}};
    struct sc_unit_thread thread = {.path = 0};
    for (uint64_t i = 1; i <= SC_UNITS_MAX + 3; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "%llu", (unsigned long long)i);
        (void)enter(&units, &thread, i, name, 0);
        (void)sc_units_leave(&units, &thread, i, 1, 0);
    }
    assert_int_equal(units.items.count, SC_UNITS_MAX + 1);
    assert_string_equal(sc_intern_text(&units.names, SC_UNITS_MAX), SC_UNITS_OTHER);
    assert_int_equal(units.items.items[SC_UNITS_MAX].left, 3);
    sc_units_done(&units);
    sc_vec_done(&thread.open);
}

TEST(open_labels_and_the_depth_of_paths_are_bounded)
{
    struct sc_units units = {.paths = {0}};
    struct sc_unit_thread thread = {.path = 0};
    uint64_t followed = 0;
    for (uint64_t i = 1; i <= 5000; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "%llu", (unsigned long long)i);
        followed += enter(&units, &thread, i, name, 0) != SC_NONE;
    }
    assert_int_equal(followed, 4096);
    assert_int_equal(units.paths.items[thread.path].depth, SC_UNIT_DEPTH);
    for (uint64_t i = 5000; i > 0; i--)
        (void)sc_units_leave(&units, &thread, i, 0, 0);
    assert_int_equal(thread.path, 0);
    sc_units_done(&units);
    sc_vec_done(&thread.open);
}

TEST(a_peak_is_over_what_was_alive_before)
{
    struct sc_units units = {.paths = {0}};
    struct sc_unit_thread thread = {.path = 0};
    OWN(sc_unit_memory, memory) = {.live_bytes = 0};
    uint32_t outer = enter(&units, &thread, 1, "outer", 0);
    uint32_t inner = enter(&units, &thread, 2, "inner", 0);
    sc_unit_memory_change(&memory, 100);
    sc_unit_memory_enter(&memory, 1, outer);
    sc_unit_memory_change(&memory, 10);
    sc_unit_memory_enter(&memory, 2, inner);
    sc_unit_memory_born(&memory, 7, 9);
    sc_unit_memory_change(&memory, 50);
    sc_unit_memory_gone(&memory, 7);
    sc_unit_memory_change(&memory, -60);
    sc_unit_memory_leave(&memory, &units, 2);
    sc_unit_memory_change(&memory, 5);
    sc_unit_memory_leave(&memory, &units, 1);
    sc_unit_memory_leave(&memory, &units, 1); /* it is gone */
    assert_float_equal(units.items.items[outer].peak_bytes, 60, 0);
    assert_float_equal(units.items.items[outer].growth_bytes, 5, 0);
    assert_float_equal(units.items.items[inner].peak_bytes, 50, 0);
    assert_float_equal(units.items.items[inner].growth_bytes, -10, 0);
    assert_float_equal(units.items.items[inner].peak_squares, 9, 0);
    assert_float_equal(units.items.items[outer].peak_squares, 9, 0);
    assert_float_equal(units.items.items[inner].growth_squares, 0, 0); /* what came is gone */
    assert_int_equal(memory.open.count, 0);
    sc_units_done(&units);
    sc_vec_done(&thread.open);
}

TEST(an_error_is_that_of_what_has_come_and_stays_and_of_what_was_there_and_is_gone)
{
    struct sc_units units = {.paths = {0}};
    struct sc_unit_thread thread = {.path = 0};
    OWN(sc_unit_memory, memory) = {.live_bytes = 0};
    uint32_t unit = enter(&units, &thread, 1, "unit", 0);
    sc_unit_memory_born(&memory, 1, 100);
    sc_unit_memory_born(&memory, 2, 1000);
    sc_unit_memory_enter(&memory, 1, unit);
    sc_unit_memory_gone(&memory, 1);
    sc_unit_memory_gone(&memory, 1); /* none is there */
    sc_unit_memory_born(&memory, 3, 1);
    sc_unit_memory_born(&memory, 4, 4);
    sc_unit_memory_gone(&memory, 4);
    sc_unit_memory_born(&memory, 3, 9); /* in place of one whose end was lost */
    sc_unit_memory_gone(&memory, UINT32_MAX);
    sc_unit_memory_leave(&memory, &units, 1);
    assert_float_equal(units.items.items[unit].growth_squares, 109, 0);
    sc_units_done(&units);
    sc_vec_done(&thread.open);
}
