/*
 * tests/unit/pace_test.c - how far samples are apart, by the age of the run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "channel/pace.h"

#include "sc_test.h"

#define MS    ((uint64_t)1000000)
#define SPAN  ((uint64_t)SC_PACE_YOUNG_SPAN_NS)
#define BEGUN (500 * SPAN)

static const struct row {
    const char *name;
    struct sc_pace pace;
    uint64_t jiffy_ns;
    uint64_t now_ns;
    uint64_t interval_ns;
} rows[] = {
    {"fine at the start", {10 * MS, BEGUN}, 4 * MS, BEGUN, 4 * MS},
    {"and up to the end of the span", {10 * MS, BEGUN}, 4 * MS, BEGUN + SPAN - 1, 4 * MS},
    {"then as asked for", {10 * MS, BEGUN}, 4 * MS, BEGUN + SPAN, 10 * MS},
    {"as asked for all the time", {10 * MS, 0}, 4 * MS, BEGUN, 10 * MS},
    {"no finer than needed where the kernel could", {10 * MS, BEGUN}, MS, BEGUN, 4 * MS},
    {"no finer than the kernel's ticks", {50 * MS, BEGUN}, 10 * MS, BEGUN, 10 * MS},
    {"never coarser than asked for", {2 * MS, BEGUN}, 4 * MS, BEGUN, 2 * MS},
    {"as asked for by a clock of another namespace", {10 * MS, BEGUN}, 4 * MS, 7, 10 * MS},
};

TEST(a_run_is_sampled_finer_while_it_is_young)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        uint64_t interval_ns = sc_pace_interval_ns(&rows[i].pace, rows[i].jiffy_ns, rows[i].now_ns);
        if (interval_ns != rows[i].interval_ns)
            fail_msg("%s: %llu ns", rows[i].name, (unsigned long long)interval_ns);
    }
}

static void assert_mean_ms(struct sc_pace pace, uint64_t elapsed_ns, double ms)
{
    assert_true(fabs(sc_pace_mean_ns(&pace, 4 * MS, elapsed_ns) / (double)MS - ms) < 1e-9);
}

TEST(the_mean_is_that_of_all_samples)
{
    struct sc_pace even = {10 * MS, 0};
    struct sc_pace young = {10 * MS, BEGUN};
    assert_mean_ms(even, 0, 10);
    assert_mean_ms(even, 5 * SPAN, 10);
    assert_mean_ms(young, 0, 4);
    assert_mean_ms(young, SPAN / 2, 4);
    assert_mean_ms(young, SPAN, 4);
    /* 2,500 samples of the first ten seconds, 1,000 of the second ten */
    assert_mean_ms(young, 2 * SPAN, 20e3 / 3500);
}
