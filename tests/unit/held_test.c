/*
 * tests/unit/held_test.c - what samples of user code weigh, as tables.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/charge/held.h"

#include "charge_fixture.h"

enum { HELD_MOST = 4 };

struct row {
    const char *name;
    uint64_t until_ms;
    enum sc_held_end end;
    size_t count;
    uint32_t ticks[HELD_MOST];
    uint64_t weights_us[HELD_MOST];
};

/* The time begins at 100 ms and the event ticks every millisecond. */
static const struct row rows[] = {
    ROW("user code alone: a period each, and what is left is the timer's", 105, SC_HELD_BY_CODE, 4,
        {1, 1, 1, 1}, {1000, 1000, 1000, 1000}),
    {"a system call met: all of the time is its own", 105, SC_HELD_BY_CALL, 4, {1, 1, 1, 1}, {0}},
    ROW("user code met, but most of the time nothing was: that is the timer's", 110,
        SC_HELD_BY_CODE, 2, {1, 1}, {1000, 1000}),
    ROW("ticks that were left out count for the sample after them", 120, SC_HELD_BY_CODE, 2,
        {3, 12}, {3000, 12000}),
    ROW("more ticks than there was time share it", 106, SC_HELD_BY_CODE, 3, {6, 3, 3},
        {3000, 1500, 1500}),
    ROW("at a thread's end there is no other sample", 109, SC_HELD_BY_NONE, 3, {1, 1, 1},
        {3000, 3000, 3000}),
    {"and ticks count there, too", 108, SC_HELD_BY_NONE, 2, {3, 1}, {6000, 2000}},
    {"a clock that stands gives nothing", 100, SC_HELD_BY_CODE, 2, {1, 1}, {0}},
    {"nor does one that goes back", 90, SC_HELD_BY_NONE, 2, {1, 1}, {0}},
    {"no ticks, no weight", 109, SC_HELD_BY_NONE, 2, {0, 0}, {0}},
};

TEST(weights_are_as_in_the_table)
{
    FOR_EACH_ROW(row, rows) {
        struct sc_held_samples held = {0};
        for (size_t k = 0; k < row->count; k++)
            sc_vec_push(&held.list, (struct sc_held){.ticks = row->ticks[k]});
        sc_held_weigh(&held, 100 * MS, row->until_ms * MS, MS, row->end);
        uint64_t before = 100 * MS;
        for (size_t k = 0; k < row->count; k++) {
            uint64_t weight_ns = held.list.items[k].sample.cpu_ns - before;
            assert_int_equal((weight_ns + 500) / 1000, row->weights_us[k]);
            before = held.list.items[k].sample.cpu_ns;
        }
        sc_vec_done(&held.list);
    }
}

/* A made-up thread: lines A and B of user code and a kernel's share, in turns of a few hundred
 * microseconds, met by an event every millisecond and by a timer at random. */
enum { LINE_A, LINE_B, KERNEL, PLACES };

static unsigned place_at(uint64_t us)
{
    uint64_t in_turn = us % 730;
    return in_turn < 150 ? LINE_A : in_turn < 430 ? LINE_B : KERNEL;
}

static uint64_t random_of(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return *state >> 33;
}

static void charge(const struct sc_held_samples *held, uint64_t *since_ns, uint64_t sums[PLACES])
{
    for (size_t i = 0; i < held->list.count; i++) {
        const struct sc_charge_sample *sample = &held->list.items[i].sample;
        sums[sample->node] += sample->cpu_ns - *since_ns;
        *since_ns = sample->cpu_ns;
    }
}

TEST(shares_are_right_in_the_mean)
{
    struct sc_held_samples held = {0};
    uint64_t sums[PLACES] = {0};
    uint64_t random = 5;
    uint64_t since_ns = 0;
    uint64_t timer_us = 4000;
    const uint64_t end_us = 400000000;
    const uint64_t step_us = 10;
    for (uint64_t us = 0; us < end_us; us += step_us) {
        unsigned place = place_at(us);
        if (us % 1000 == 0 && us > 0 && place != KERNEL) {
            struct sc_held one = {.ticks = 1};
            one.sample.node = place;
            sc_vec_push(&held.list, one);
        }
        if (us < timer_us)
            continue;
        sc_held_weigh(&held, since_ns, us * 1000, MS,
                      place == KERNEL ? SC_HELD_BY_CALL : SC_HELD_BY_CODE);
        charge(&held, &since_ns, sums);
        sums[place] += us * 1000 - since_ns;
        since_ns = us * 1000;
        held.list.count = 0;
        timer_us += 4000 + random_of(&random) % 8000;
    }
    double total = (double)since_ns;
    /* 50,000 samples of the timer: a standard error of 0.2 points, and these are five of it */
    assert_true((double)sums[LINE_A] / total > 150 / 730.0 - 0.012);
    assert_true((double)sums[LINE_A] / total < 150 / 730.0 + 0.012);
    assert_true((double)sums[KERNEL] / total > 300 / 730.0 - 0.012);
    assert_true((double)sums[KERNEL] / total < 300 / 730.0 + 0.012);
    sc_vec_done(&held.list);
}
