/*
 * tests/unit/interim_test.c - when the profile is written while the program still runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/report/interim.h"

#include "sc_test.h"

#define MS  ((uint64_t)1000000)
#define NOW (12345 * MS)

TEST(a_quick_profile_is_written_at_the_interval)
{
    assert_int_equal(sc_interim_next_ns(1.0, 0, NOW), NOW + 1000 * MS);
    assert_int_equal(sc_interim_next_ns(1.0, 50 * MS, NOW), NOW + 1000 * MS);
}

TEST(one_that_takes_long_is_written_in_a_twentieth_of_the_time)
{
    assert_int_equal(sc_interim_next_ns(1.0, 200 * MS, NOW), NOW + 3800 * MS);
    assert_int_equal(sc_interim_next_ns(30.0, 200 * MS, NOW), NOW + 30000 * MS);
}

TEST(without_an_interval_there_is_none)
{
    assert_true(sc_interim_next_ns((double)INFINITY, 200 * MS, NOW) == UINT64_MAX);
    assert_true(sc_interim_next_ns(1e300, 0, NOW) == UINT64_MAX);
}
