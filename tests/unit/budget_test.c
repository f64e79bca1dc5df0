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

TEST(a_tick_is_a_twentieth_of_the_time_to_the_next)
{
    assert_int_equal(sc_budget_rest_ns(0), 0);
    assert_int_equal(sc_budget_rest_ns(10000), 200000);
    assert_int_equal(sc_budget_rest_ns(3 * MS), 60 * MS);
    assert_true(sc_budget_rest_ns(UINT64_MAX) > UINT64_MAX / 4);
}

TEST(ordinary_intervals_are_half_to_one_and_a_half_times_the_mean)
{
    for (int i = 0; i < ENDS; i++) {
        uint64_t drawn = sc_budget_interval_ns(10 * MS, 2 * MS, 0, ends_of_the_draw[i]);
        assert_true(drawn >= 3 * MS);
        assert_true(drawn <= 13 * MS);
    }
    assert_int_equal(sc_budget_interval_ns(10 * MS, 2 * MS, 0, 0), 3 * MS);
    assert_int_equal(sc_budget_interval_ns(10 * MS, 2 * MS, 0, 10 * MS), 13 * MS);
}

/* A thread that begins phase_ns before a tick of the kernel has its first sample at the first tick
 * at or after its interval. */
static uint64_t first_sample_ns(uint64_t mean_ns, uint64_t jiffy_ns, uint64_t phase_ns,
                                uint64_t random)
{
    uint64_t interval_ns = sc_budget_first_interval_ns(mean_ns, jiffy_ns, random);
    uint64_t jiffies = interval_ns > phase_ns ? (interval_ns - phase_ns - 1) / jiffy_ns + 1 : 0;
    return phase_ns + jiffies * jiffy_ns;
}

TEST(the_first_one_comes_anywhere_in_a_mean_one)
{
    assert_int_equal(sc_budget_first_interval_ns(8 * MS, 4 * MS, 0), 1);
    assert_int_equal(sc_budget_first_interval_ns(8 * MS, 4 * MS, 4 * MS - 1), 1);
    assert_int_equal(sc_budget_first_interval_ns(8 * MS, 4 * MS, 4 * MS), 4 * MS + 1);
    assert_int_equal(sc_budget_first_interval_ns(1, 4 * MS, 0), 1);
    unsigned counts[8] = {0}; /* by milliseconds */
    for (uint64_t phase = 0; phase < 400; phase++) {
        for (uint64_t draw = 0; draw < 800; draw++) {
            uint64_t at_ns = first_sample_ns(8 * MS, 4 * MS, phase * MS / 100 + 1, draw * MS / 100);
            assert_true(at_ns < 8 * MS);
            counts[at_ns / MS]++;
        }
    }
    for (size_t i = 0; i < 8; i++)
        assert_in_range(counts[i], 39500, 40500);
}

TEST(none_comes_before_what_the_last_has_cost_allows)
{
    for (int i = 0; i < ENDS; i++) {
        uint64_t drawn = sc_budget_interval_ns(10 * MS, 2 * MS, 40 * MS, ends_of_the_draw[i]);
        assert_true(drawn >= 40 * MS);
        assert_true(drawn <= 50 * MS);
        drawn = sc_budget_interval_ns(10 * MS, 2 * MS, 9 * MS, ends_of_the_draw[i]);
        assert_true(drawn >= 9 * MS);
    }
}

TEST(no_interval_disarms_the_timer)
{
    assert_true(sc_budget_interval_ns(1, 2 * MS, 0, 0) > 0);
    assert_true(sc_budget_first_interval_ns(1, 4 * MS, 1) > 0);
}
