/*
 * tests/unit/budget_test.c - what a tick may cost.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/budget.h"

#include "sc_test.h"

#define MS ((uint64_t)1000000)

static const uint64_t ends_of_the_draw[] = {0, 1, 5 * MS, 10 * MS, UINT64_MAX};
enum { ENDS = sizeof(ends_of_the_draw) / sizeof(*ends_of_the_draw) };

static void a_tick_is_a_twentieth_of_the_time_to_the_next(void **state)
{
    (void)state;
    assert_int_equal(sc_budget_rest_ns(0), 0);
    assert_int_equal(sc_budget_rest_ns(10000), 200000);
    assert_int_equal(sc_budget_rest_ns(3 * MS), 60 * MS);
    assert_true(sc_budget_rest_ns(UINT64_MAX) > UINT64_MAX / 4);
}

static void ordinary_intervals_are_half_to_one_and_a_half_times_the_mean(void **state)
{
    (void)state;
    for (int i = 0; i < ENDS; i++) {
        uint64_t drawn = sc_budget_interval_ns(10 * MS, 2 * MS, 0, ends_of_the_draw[i], 0);
        assert_true(drawn >= 3 * MS);
        assert_true(drawn <= 13 * MS);
    }
    assert_int_equal(sc_budget_interval_ns(10 * MS, 2 * MS, 0, 0, 0), 3 * MS);
    assert_int_equal(sc_budget_interval_ns(10 * MS, 2 * MS, 0, 10 * MS, 0), 13 * MS);
}

static void the_first_one_begins_anywhere(void **state)
{
    (void)state;
    assert_int_equal(sc_budget_interval_ns(10 * MS, 2 * MS, 0, 0, 1), 1);
    assert_int_equal(sc_budget_interval_ns(10 * MS, 2 * MS, 0, 10 * MS, 1), 8 * MS);
}

static void none_comes_before_what_the_last_has_cost_allows(void **state)
{
    (void)state;
    for (int i = 0; i < ENDS; i++) {
        uint64_t drawn = sc_budget_interval_ns(10 * MS, 2 * MS, 40 * MS, ends_of_the_draw[i], 0);
        assert_true(drawn >= 40 * MS);
        assert_true(drawn <= 50 * MS);
        drawn = sc_budget_interval_ns(10 * MS, 2 * MS, 9 * MS, ends_of_the_draw[i], 0);
        assert_true(drawn >= 9 * MS);
    }
}

static void no_interval_disarms_the_timer(void **state)
{
    (void)state;
    assert_true(sc_budget_interval_ns(1, 2 * MS, 0, 0, 0) > 0);
    assert_true(sc_budget_interval_ns(1, 2 * MS, 0, 0, 1) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tick_is_a_twentieth_of_the_time_to_the_next),
        cmocka_unit_test(ordinary_intervals_are_half_to_one_and_a_half_times_the_mean),
        cmocka_unit_test(the_first_one_begins_anywhere),
        cmocka_unit_test(none_comes_before_what_the_last_has_cost_allows),
        cmocka_unit_test(no_interval_disarms_the_timer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
