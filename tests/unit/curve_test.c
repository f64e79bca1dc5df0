/*
 * tests/unit/curve_test.c - what of a value over time is still there in a hundred points.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/curve.h"

#include "sc_test.h"

#define MB     ((uint64_t)1 << 20)
#define MS     ((uint64_t)1000000)
#define SECOND (1000 * MS)

TEST(a_curve_keeps_its_steps)
{
    OWN(sc_curve, curve) = {0};
    for (uint64_t i = 0; i < 40; i++) /* few enough to be kept as they are */
        sc_curve_add(&curve, i * SECOND, (i % 2 + 1) * MB);
    sc_curve_finish(&curve, 0, SC_CURVE_POINTS);
    for (uint64_t i = 0; i < 40; i++)
        assert_int_equal(sc_curve_at(&curve, i * SECOND + SECOND / 2), (i % 2 + 1) * MB);
    /* thousands of short teeth and one high one, then a long plain */
    for (uint64_t i = 0; i < 20000; i++)
        sc_curve_add(&curve, 50 * SECOND + i * 1000, i == 777 ? 90 * MB : (i % 2 + 10) * MB);
    sc_curve_add(&curve, 60 * SECOND, 30 * MB);
    sc_curve_finish(&curve, 100 * SECOND, 50);
    assert_in_range(curve.points.count, 3, 50);
    uint64_t top = 0;
    for (size_t i = 0; i < curve.points.count; i++)
        top = curve.points.items[i].value > top ? curve.points.items[i].value : top;
    assert_int_equal(top, 90 * MB);
    assert_int_equal(sc_curve_at(&curve, 80 * SECOND), 30 * MB);
    uint64_t plain = sc_curve_at(&curve, 55 * SECOND);
    assert_true(plain == 10 * MB || plain == 11 * MB);
    assert_int_equal(curve.points.items[curve.points.count - 1].time_ns, 100 * SECOND);
}

/* A list that grows and is moved for it: at no time it was empty. */
TEST(values_that_do_not_last_are_no_lows)
{
    OWN(sc_curve, curve) = {0};
    for (uint64_t i = 1; i < 3000; i++) {
        sc_curve_add(&curve, i * MS, 0);
        sc_curve_add(&curve, i * MS, i * MB);
        sc_curve_finish(&curve, i * MS, SC_CURVE_POINTS);
        for (size_t k = 0; k < curve.points.count; k++)
            assert_true(curve.points.items[k].value > 0);
    }
    sc_curve_add(&curve, 3000 * MS, 0); /* this lasts */
    sc_curve_add(&curve, 3001 * MS, 9 * MB);
    sc_curve_finish(&curve, 4000 * MS, SC_CURVE_POINTS);
    assert_int_equal(sc_curve_at(&curve, 3000 * MS), 0);
    /* and so does a peak that does not last */
    sc_curve_add(&curve, 5000 * MS, 9000 * MB);
    sc_curve_add(&curve, 5000 * MS, 9 * MB);
    sc_curve_finish(&curve, 6000 * MS, SC_CURVE_POINTS);
    assert_int_equal(sc_curve_at(&curve, 5000 * MS), 9000 * MB);
    assert_int_equal(sc_curve_at(&curve, 5500 * MS), 9 * MB);
}

/* What an import takes in small steps, at the start of a run that goes on to much more. */
TEST(small_steps_are_not_lost)
{
    OWN(sc_curve, curve) = {0};
    for (uint64_t i = 0; i < 1000; i++)
        sc_curve_add(&curve, SECOND + i * MS / 10, i * 6 * MB / 1000);
    for (uint64_t i = 0; i < 5000; i++)
        sc_curve_add(&curve, 9 * SECOND + i * MS, 6 * MB + i * MB / 50);
    sc_curve_finish(&curve, 20 * SECOND, SC_CURVE_POINTS);
    assert_in_range(sc_curve_at(&curve, 5 * SECOND), 57 * MB / 10, 6 * MB);
    assert_in_range(sc_curve_at(&curve, 9 * SECOND - MS), 57 * MB / 10, 6 * MB);
    assert_in_range(sc_curve_at(&curve, 19 * SECOND), 105 * MB, 106 * MB);
}

static void assert_within(const struct sc_curve *curve, const struct sc_curve_point *truth,
                          size_t count, uint64_t near_ns)
{
    uint64_t end_ns = truth[count - 1].time_ns;
    for (uint64_t i = 0; i < 500; i++) {
        uint64_t at_ns = truth[0].time_ns + (end_ns - truth[0].time_ns) * i / 500;
        uint64_t low = UINT64_MAX;
        uint64_t high = 0;
        for (size_t k = 0; k < count; k++) {
            uint64_t until_ns = k + 1 < count ? truth[k + 1].time_ns : UINT64_MAX;
            if (until_ns + near_ns < at_ns || truth[k].time_ns > at_ns + near_ns)
                continue;
            low = truth[k].value < low ? truth[k].value : low;
            high = truth[k].value > high ? truth[k].value : high;
        }
        uint64_t slack = curve->top / 400;
        uint64_t found = sc_curve_at(curve, at_ns);
        assert_in_range(found, low > slack ? low - slack : 0, high + slack);
    }
}

/* Values that wander, jump and rest: what is shown was there, within a span before or after. */
TEST(it_is_wrong_by_no_more_than_what_moves_in_a_span)
{
    enum { COUNT = 4000 };
    static struct sc_curve_point truth[COUNT];
    uint64_t random = 3;
    for (unsigned round = 0; round < 40; round++) {
        OWN(sc_curve, curve) = {0};
        uint64_t time_ns = round * SECOND;
        uint64_t value = 100 * MB;
        uint64_t top = 0;
        for (size_t i = 0; i < COUNT; i++) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            time_ns += (random >> 40) % (i % 500 == 499 ? SECOND : MS);
            value = i % 700 == 699 ? (random >> 33) % (400 * MB) : value + (random >> 34) % MB;
            value = value > MB / 2 ? value - MB / 2 : value;
            truth[i] = (struct sc_curve_point){.time_ns = time_ns, .value = value};
            top = value > top ? value : top;
            sc_curve_add(&curve, time_ns, value);
        }
        size_t limit = round % 2 == 0 ? SC_CURVE_POINTS : 20;
        sc_curve_finish(&curve, time_ns, limit);
        assert_in_range(curve.points.count, 5, limit);
        uint64_t shown = 0;
        for (size_t i = 0; i < curve.points.count; i++)
            shown = curve.points.items[i].value > shown ? curve.points.items[i].value : shown;
        assert_int_equal(shown, top);
        assert_int_equal(curve.points.items[curve.points.count - 1].value, value);
        assert_within(&curve, truth, COUNT, (time_ns - truth[0].time_ns) * 8 / limit);
    }
}

TEST(it_can_go_on_when_it_was_finished)
{
    OWN(sc_curve, curve) = {0};
    sc_curve_finish(&curve, SECOND, SC_CURVE_POINTS);
    assert_int_equal(curve.points.count, 0);
    sc_curve_add(&curve, SECOND, MB);
    sc_curve_add(&curve, SECOND, 2 * MB); /* at the same time: what comes last counts */
    sc_curve_finish(&curve, 2 * SECOND, 5);
    assert_int_equal(curve.points.count, 2);
    assert_int_equal(curve.points.items[0].value, 2 * MB);
    sc_curve_add(&curve, 3 * SECOND, 5 * MB);
    sc_curve_add(&curve, 2 * SECOND, 4 * MB); /* times do not go back */
    sc_curve_finish(&curve, 4 * SECOND, 5);
    assert_int_equal(sc_curve_at(&curve, SECOND - 1), 0);
    assert_int_equal(sc_curve_at(&curve, 2 * SECOND), 2 * MB);
    assert_int_equal(sc_curve_at(&curve, 3 * SECOND), 5 * MB); /* the highest is always shown */
    assert_int_equal(sc_curve_at(&curve, 3 * SECOND + 1), 4 * MB);
    assert_int_equal(curve.top, 5 * MB);
}
