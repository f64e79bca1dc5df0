/*
 * tests/unit/rounds_test.c - which of two commands needs more, and how often that is said wrongly.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "benchmark/rounds.h"

#include "sc_test.h"

/* A generator of its own, so that every run sees the same numbers (xorshift64*). */
static uint64_t generator;

static double uniform(void)
{
    generator ^= generator >> 12U;
    generator ^= generator << 25U;
    generator ^= generator >> 27U;
    return ((double)((generator * 2685821657736338717U) >> 11U) + 0.5) / 9007199254740992.0;
}

/* A run of 1 s on a machine that others use: most are a little slower, some much. */
static double noisy_run(double spread)
{
    double normal = sqrt(-2.0 * log(uniform())) * cos(6.283185307179586 * uniform());
    double burst = uniform() < 0.1 ? uniform() : 0.0;
    return exp(spread * normal) + burst;
}

/* In how many of the comparisons a difference is found where B takes slower more. */
static unsigned found(double slower, double spread, unsigned comparisons)
{
    static double values[SC_MEASURE_COUNT_][2][SC_ROUNDS_MAX];
    size_t criticals[SC_ROUNDS_LOOKS];
    unsigned count = 0;
    for (unsigned look = 0; look < SC_ROUNDS_LOOKS; look++)
        criticals[look] = sc_rank_critical(
            sc_rounds_looks[look], SC_ROUNDS_ALPHA / (SC_ROUNDS_LOOKS * (double)SC_MEASURE_COUNT_));
    generator = 88172645463325252U;
    for (unsigned i = 0; i < comparisons; i++) {
        for (unsigned round = 0; round < SC_ROUNDS_MAX; round++)
            for (int measure = 0; measure < SC_MEASURE_COUNT_; measure++)
                for (int which = 0; which < 2; which++)
                    values[measure][which][round] =
                        noisy_run(spread) * (which == 1 ? 1.0 + slower : 1.0);
        bool is_found = false;
        for (unsigned look = 0; look < SC_ROUNDS_LOOKS && !is_found; look++)
            for (int measure = 0; measure < SC_MEASURE_COUNT_; measure++)
                is_found |= sc_rank_compare(values[measure][0], values[measure][1],
                                            sc_rounds_looks[look], criticals[look])
                                .is_certain;
        count += is_found;
    }
    return count;
}

TEST(what_is_the_same_is_seldom_said_to_differ)
{
    assert_in_range(found(0.0, 0.02, 1000), 0, 50); /* 5 % */
}

TEST(three_percent_are_found)
{
    assert_in_range(found(0.03, 0.02, 100), 90, 100);
}

/* The bounds are ratios that can be counted: of 25, the third from either end (Hollander, Wolfe and
 * Chicken, table of the distribution of U for 5 and 5: 4 of 252 ways are at most 2, 7 at most 3).
 */
TEST(bounds_are_those_of_the_exact_distribution)
{
    const double first[] = {1.0, 1.0, 1.0, 1.0, 1.0};
    double second[] = {1.5, 1.1, 1.4, 1.2, 1.3};
    struct sc_rank_difference result = sc_rank_compare(first, second, 5, sc_rank_critical(5, 0.05));
    assert_true(fabs(result.change - 0.3) < 1e-9 && result.is_certain);
    const double others[] = {1.0, 1.01, 1.02, 1.03, 1.04};
    result = sc_rank_compare(others, second, 5, sc_rank_critical(5, 0.05));
    assert_true(fabs(result.low - (1.1 / 1.02 - 1.0)) < 1e-9);
    assert_true(fabs(result.high - (1.5 / 1.02 - 1.0)) < 1e-9);
    assert_int_equal(sc_rank_critical(5, 0.05), 3);
    assert_int_equal(sc_rank_critical(5, 0.008), 1); /* 2 of 252 */
    assert_int_equal(sc_rank_critical(5, 0.0079), 0);
    assert_false(sc_rank_compare(first, second, 5, 0).has_bounds);
}

TEST(one_bad_run_changes_nothing)
{
    const double first[] = {2.0, 2.1, 9.0, 1.9, 2.0, 2.05};
    const double second[] = {1.0, 1.01, 1.1, 0.9, 1.02, 1.03};
    struct sc_rank_difference result = sc_rank_compare(first, second, 6, sc_rank_critical(6, 0.05));
    assert_true(result.is_certain && fabs(result.change + 0.5) < 0.03);
}

TEST(nothing_is_certain_of_zeros_and_of_the_same)
{
    const double zeros[8] = {0.0};
    const double same[] = {3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0};
    struct sc_rank_difference result = sc_rank_compare(zeros, same, 8, 3);
    assert_false(result.is_certain || result.has_bounds);
    result = sc_rank_compare(same, same, 8, 3);
    assert_true(result.has_bounds && !result.is_certain && result.low == 0.0);
    assert_false(sc_rank_compare(same, same, 0, 0).has_bounds);
    assert_true(sc_rank_median(same, 0) == 0.0 && sc_rank_median(same, 8) == 3.0);
}

static bool has_written(void *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && facts.st_size > 0;
}

TEST(who_ignores_one_signal_has_the_next)
{
    static const struct {
        const char *script;
        int signal;
    } rows[] = {
        {"trap '' INT; echo ready; exec sleep 1000", SIGTERM},
        {"trap '' INT TERM; echo ready; exec sleep 1000", SIGKILL},
    };
    char path[] = "/tmp/scalene-rounds-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sc_err err = {0};
        struct sc_timed_run run = {0};
        assert_int_equal(ftruncate(fd, 0), 0);
        char *words[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
                         (char *)(uintptr_t)rows[i].script, NULL};
        const struct sc_timed_command command = {
            .words = words,
            .environment = environ,
            .output = path,
            .grace_s = 0.2,
            .is_cancelled = has_written,
            .context = path,
        };
        assert_false(sc_timed_run(&command, &run, &err));
        assert_int_equal(run.status, -rows[i].signal);
    }
    (void)close(fd);
    (void)unlink(path);
}
