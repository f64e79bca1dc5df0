/*
 * tests/unit/charge_recent_test.c - time in which a thread was kept from a CPU, shared out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/charge/recent.h"
#include "sc_test.h"

#define MS ((uint64_t)1000000)

enum { HERE = 5, THERE = 6, FAR = 7 };

static struct sc_recent recent;
static struct sc_recent_part parts[SC_RECENT_SAMPLES];

static void assert_part(uint32_t i, uint32_t node, enum sc_time time, uint64_t ns)
{
    assert_int_equal(parts[i].node, node);
    assert_int_equal(parts[i].time, time);
    assert_int_equal(parts[i].ns, ns);
}

static void note(uint32_t node, enum sc_time time, uint64_t ns)
{
    sc_recent_note(&recent, &(struct sc_recent_part){.node = node, .time = time, .ns = ns});
}

TEST(it_goes_by_cpu_time)
{
    recent = (struct sc_recent){0};
    note(HERE, SC_TIME_PREEMPTED_PYTHON, MS);
    note(THERE, SC_TIME_PREEMPTED_NATIVE, 4 * MS);
    note(FAR, SC_TIME_PREEMPTED_KERNEL, 5 * MS);
    assert_int_equal(sc_recent_share(&recent, 20 * MS, parts), 3);
    assert_part(0, HERE, SC_TIME_PREEMPTED_PYTHON, 2 * MS);
    assert_part(1, THERE, SC_TIME_PREEMPTED_NATIVE, 8 * MS);
    assert_part(2, FAR, SC_TIME_PREEMPTED_KERNEL, 10 * MS);
}

TEST(neighbours_of_one_place_are_one_part)
{
    recent = (struct sc_recent){0};
    note(HERE, SC_TIME_PREEMPTED_PYTHON, MS);
    note(HERE, SC_TIME_PREEMPTED_PYTHON, 2 * MS);
    note(HERE, SC_TIME_PREEMPTED_NATIVE, 3 * MS);
    note(HERE, SC_TIME_PREEMPTED_PYTHON, 4 * MS);
    assert_int_equal(sc_recent_share(&recent, 10 * MS, parts), 3);
    assert_part(0, HERE, SC_TIME_PREEMPTED_PYTHON, 3 * MS);
    assert_part(1, HERE, SC_TIME_PREEMPTED_NATIVE, 3 * MS);
    assert_part(2, HERE, SC_TIME_PREEMPTED_PYTHON, 4 * MS);
}

/* What the interpreter did for itself is kept apart. */
TEST(chores_are_parts_of_their_own)
{
    recent = (struct sc_recent){0};
    note(HERE, SC_TIME_PREEMPTED_PYTHON, MS);
    sc_recent_note(&recent, &(struct sc_recent_part){.node = HERE,
                                                     .time = SC_TIME_PREEMPTED_PYTHON,
                                                     .chore = SC_CHORE_FREEING,
                                                     .ns = 3 * MS});
    assert_int_equal(sc_recent_share(&recent, 8 * MS, parts), 2);
    assert_part(0, HERE, SC_TIME_PREEMPTED_PYTHON, 2 * MS);
    assert_int_equal(parts[0].chore, SC_CHORE_NONE);
    assert_part(1, HERE, SC_TIME_PREEMPTED_PYTHON, 6 * MS);
    assert_int_equal(parts[1].chore, SC_CHORE_FREEING);
}

TEST(the_last_samples_count)
{
    recent = (struct sc_recent){0};
    for (uint32_t i = 0; i < SC_RECENT_SAMPLES + 3; i++)
        note(i, SC_TIME_PREEMPTED_PYTHON, MS);
    assert_int_equal(sc_recent_share(&recent, SC_RECENT_SAMPLES, parts), SC_RECENT_SAMPLES);
    for (uint32_t i = 0; i < SC_RECENT_SAMPLES; i++)
        assert_part(i, i + 3, SC_TIME_PREEMPTED_PYTHON, 1);
}

TEST(nothing_is_made_or_lost)
{
    static const uint64_t wholes_ns[] = {0, 1, 7, 3 * MS + 1, UINT64_MAX / 2};
    uint64_t random = 1;
    for (unsigned round = 0; round < 2000; round++) {
        uint64_t whole_ns = wholes_ns[round % (sizeof(wholes_ns) / sizeof(*wholes_ns))];
        random = random * 6364136223846793005U + 1442695040888963407U;
        note((uint32_t)(random >> 60), SC_TIME_PREEMPTED_PYTHON, random >> (random >> 33) % 64);
        uint32_t count = sc_recent_share(&recent, whole_ns, parts);
        uint64_t sum_ns = 0;
        for (uint32_t i = 0; i < count; i++)
            sum_ns += parts[i].ns;
        assert_int_equal(sum_ns, count > 0 ? whole_ns : 0);
    }
}

TEST(where_nothing_is_known_there_is_no_part)
{
    recent = (struct sc_recent){0};
    assert_int_equal(sc_recent_share(&recent, MS, parts), 0);
    note(HERE, SC_TIME_PREEMPTED_PYTHON, 0);
    assert_int_equal(sc_recent_share(&recent, MS, parts), 0);
}
