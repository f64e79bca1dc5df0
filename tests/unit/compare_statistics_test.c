/*
 * tests/unit/compare_statistics_test.c - what is called certain, and how often that is wrong.
 *
 * The runs are simulated, with numbers drawn from a fixed seed: every program that does nothing
 * else gets the same ones.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "compare/statistics.h"
#include "sc_test.h"

enum { PAIRS = 2000, LINES = 20, RUNS = 5 };

#define NOISE 0.02

static uint64_t seed;

static double drawn(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 9007199254740992.0 + 1e-17;
}

static double normal(void)
{
    double radius = sqrt(-2.0 * log(drawn()));
    return radius * cos(6.283185307179586 * drawn());
}

/* The distribution's density, integrated by Simpson's rule in 200,000 steps. */
TEST(chances_are_those_of_students_distribution)
{
    static const struct {
        double t, df, p;
    } table[] = {
        {1.0, 1.0, 0.5},
        {12.706204736, 1.0, 0.05},
        {2.776445105, 4.0, 0.05},
        {8.610301581, 4.0, 0.001},
        {0.5, 30.0, 0.620723},
        {2.0, 7.3, 0.083941},
        {1.959963985, INFINITY, 0.05},
        {5.0, INFINITY, 5.733031e-07},
    };
    FOR_EACH(row, table) {
        assert_true(fabs(sc_student_p(row->t, row->df) / row->p - 1.0) < 1e-4);
        assert_true(fabs(sc_student_quantile(row->p, row->df) - row->t) < 1e-3);
    }
    assert_true(sc_student_p(0.0, 3.0) == 1.0);
}

/* By hand: variances of the means 1/3 and 35/48, t = 4.25 / sqrt(51/48), Welch's formula for the
 * degrees of freedom. */
TEST(several_runs_are_judged_by_their_spread)
{
    static const double before[] = {10, 12, 11};
    static const double after[] = {15, 13, 17, 16};
    struct sc_tally tallies[2] = {{0}, {0}};
    const struct sc_tally_facts facts[2] = {{.runs = 3, .noise = 9.0}, {.runs = 4, .noise = 9.0}};
    for (uint32_t i = 0; i < 3; i++)
        sc_tally_add(&tallies[0], i, before[i], 0.0);
    for (uint32_t i = 0; i < 4; i++)
        sc_tally_add(&tallies[1], i, after[i], 0.0);
    struct sc_difference one;
    sc_difference_init(&one, tallies, facts);
    assert_true(fabs(one.change - 4.25) < 1e-12);
    assert_true(fabs(one.df - 4.849596) < 1e-5);
    assert_true(fabs(one.change / sqrt(one.variance[0] + one.variance[1]) - 4.123106) < 1e-5);
    struct sc_difference *all[] = {&one};
    sc_differences_judge(all, 1, SC_COMPARE_ALPHA);
    assert_int_equal(one.verdict, SC_VERDICT_CERTAIN);
}

TEST(runs_that_agree_by_chance_have_their_sampling_error)
{
    struct sc_tally tallies[2] = {{0}, {0}};
    const struct sc_tally_facts facts[2] = {{.runs = 3, .absent_variance = 0.01}, {.runs = 3}};
    for (uint32_t i = 0; i < 3; i++)
        sc_tally_add(&tallies[1], i, 0.1, 0.01);
    struct sc_difference one;
    sc_difference_init(&one, tallies, facts);
    assert_true(one.p > 0.05);
    struct sc_difference *all[] = {&one};
    sc_differences_judge(all, 1, SC_COMPARE_ALPHA);
    assert_int_equal(one.verdict, SC_VERDICT_THIN);
}

/* Two standard deviations of the other side alone. */
TEST(a_place_without_samples_has_an_error)
{
    for (int has_error = 0; has_error < 2; has_error++) {
        struct sc_tally tallies[2] = {{0}, {0}};
        struct sc_tally_facts facts[2] = {{.runs = 1}, {.runs = 1}};
        facts[0].absent_variance = has_error ? 0.0025 : 0.0;
        sc_tally_add(&tallies[1], 0, 0.1, 0.0025);
        struct sc_difference one;
        sc_difference_init(&one, tallies, facts);
        assert_int_equal(one.p < 0.05, !has_error);
    }
}

TEST(equal_numbers_are_equal_whatever_their_error)
{
    struct sc_tally tallies[2] = {{0}, {0}};
    const struct sc_tally_facts facts[2] = {{.runs = 1}, {.runs = 1}};
    sc_tally_add(&tallies[0], 0, 0.1 + 0.2, 0.0);
    sc_tally_add(&tallies[1], 0, 0.3, 0.0);
    struct sc_difference one;
    sc_difference_init(&one, tallies, facts);
    struct sc_difference *all[] = {&one};
    sc_differences_judge(all, 1, SC_COMPARE_ALPHA);
    assert_int_equal(one.verdict, SC_VERDICT_EQUAL);
    assert_true(one.change == 0.0);
}

TEST(a_value_may_come_in_parts)
{
    struct sc_tally tally = {0};
    sc_tally_add(&tally, 0, 1.0, 0.5);
    sc_tally_add(&tally, 0, 2.0, 0.5);
    sc_tally_add(&tally, 2, 4.0, 0.5);
    assert_true(tally.sum == 7.0 && tally.squares == 25.0 && tally.variance == 1.5);
    assert_int_equal(tally.present, 2);
}

/* Holm's own example of how much one test's result moves the others' limits. */
TEST(many_numbers_are_judged_together)
{
    static const double chances[] = {0.01, 0.04, 0.016, 0.03};
    struct sc_difference four[4];
    struct sc_difference *all[4];
    for (int i = 0; i < 4; i++) {
        four[i] = (struct sc_difference){.mean = {1, 2}, .variance = {0.01, 0.01}, .p = chances[i]};
        four[i].df = INFINITY;
        all[i] = &four[i];
    }
    sc_differences_judge(all, 4, SC_COMPARE_ALPHA);
    assert_int_equal(four[0].verdict, SC_VERDICT_CERTAIN);
    assert_int_equal(four[2].verdict, SC_VERDICT_CERTAIN);
    assert_int_equal(four[1].verdict, SC_VERDICT_UNSURE);
    assert_int_equal(four[3].verdict, SC_VERDICT_UNSURE);
}

/* A number of Poisson's distribution; a large one by the normal that it nears. */
static double counted(double expected)
{
    double count = 0.0;
    if (expected > 100.0)
        return fmax(round(expected + sqrt(expected) * normal()), 0.0);
    for (double at = -log(drawn()); at < expected; at -= log(drawn()))
        count += 1.0;
    return count;
}

/* One run of a program of LINES lines with shares 1 : 2 : ... and one sample for each unit of time;
 * slower: what its last line takes more. Runs differ by `noise` as a whole, lines by it again. */
static void simulate(struct sc_tally lines[LINES], uint32_t run, double samples, double slower,
                     double noise)
{
    double whole = 1.0 + noise * normal();
    for (int i = 0; i < LINES; i++) {
        double expected = samples * 2.0 * (i + 1) / (LINES * (LINES + 1.0)) * whole;
        if (i == LINES - 1)
            expected *= 1.0 + slower;
        expected *= 1.0 + noise * normal();
        double count = counted(expected);
        if (count > 0.0)
            sc_tally_add(&lines[i], run, count, count + 0.96);
    }
}

/* In how many of the pairs any line, or the last one, is certain. */
static void count_certain(uint32_t runs, double samples, double slower, double noise, int *ret_any,
                          int *ret_last)
{
    *ret_any = *ret_last = 0;
    for (int pair = 0; pair < PAIRS; pair++) {
        struct sc_tally sides[2][LINES] = {{{0}}};
        struct sc_tally_facts facts = {.runs = runs, .absent_variance = 0.96, .noise = NOISE};
        struct sc_difference made[LINES];
        struct sc_difference *all[LINES];
        for (uint32_t run = 0; run < runs; run++)
            for (int side = 0; side < 2; side++)
                simulate(sides[side], run, samples, side == 1 ? slower : 0.0, noise);
        for (int i = 0; i < LINES; i++) {
            sc_difference_init(&made[i], (struct sc_tally[2]){sides[0][i], sides[1][i]},
                               (struct sc_tally_facts[2]){facts, facts});
            all[i] = &made[i];
        }
        sc_differences_judge(all, LINES, SC_COMPARE_ALPHA);
        bool any = false;
        for (int i = 0; i < LINES; i++)
            any = any || made[i].verdict == SC_VERDICT_CERTAIN;
        *ret_any += any;
        *ret_last += made[LINES - 1].verdict == SC_VERDICT_CERTAIN;
    }
}

TEST(at_most_one_pair_of_equal_programs_in_twenty_has_a_certain_difference)
{
    static const struct {
        const char *name;
        uint32_t runs;
        double samples, noise;
    } table[] = {
        {"one run each, no noise", 1, 500, 0.0},
        {"one run each, the noise that is allowed for", 1, 5000, NOISE / M_SQRT2},
        {"two runs each", 2, 1000, 0.05},
        {"five runs each", RUNS, 500, 0.0},
        {"five noisy runs each", RUNS, 500, 0.1},
    };
    seed = 1;
    FOR_EACH_ROW(row, table) {
        int any;
        int last;
        count_certain(row->runs, row->samples, 0.0, row->noise, &any, &last);
        print_message("%s: %d of %d\n", row->name, any, PAIRS);
        assert_true(any * 20 <= PAIRS);
    }
}

/* The last line has a tenth of the samples. */
TEST(a_tenth_more_is_found_with_enough_samples)
{
    int any;
    int last;
    seed = 2;
    count_certain(RUNS, 50000, 0.1, 0.01, &any, &last);
    print_message("five runs each: %d of %d\n", last, PAIRS);
    assert_true(last * 10 >= PAIRS * 9);
    count_certain(1, 100000, 0.2, 0.005, &any, &last);
    print_message("one run each, a fifth more: %d of %d\n", last, PAIRS);
    assert_true(last * 10 >= PAIRS * 9);
    count_certain(1, 500, 0.1, 0.0, &any, &last);
    print_message("too few samples: %d of %d\n", last, PAIRS);
    assert_true(last * 10 <= PAIRS);
}

/* One number alone, as the total of one run each: it has no sampling error, only what is allowed
 * from run to run. */
TEST(a_tenth_more_in_all_is_found_with_one_run_each)
{
    int wrong = 0;
    int found = 0;
    seed = 3;
    for (int pair = 0; pair < PAIRS; pair++) {
        for (int slower = 0; slower < 2; slower++) {
            struct sc_tally tallies[2] = {{0}, {0}};
            const struct sc_tally_facts facts[2] = {{.runs = 1, .noise = NOISE},
                                                    {.runs = 1, .noise = NOISE}};
            sc_tally_add(&tallies[0], 0, 10.0 * (1.0 + NOISE * normal()), 0.0);
            sc_tally_add(&tallies[1], 0, (slower ? 11.0 : 10.0) * (1.0 + NOISE * normal()), 0.0);
            struct sc_difference one;
            sc_difference_init(&one, tallies, facts);
            struct sc_difference *all[] = {&one};
            sc_differences_judge(all, 1, SC_COMPARE_ALPHA);
            int *count = slower ? &found : &wrong;
            *count += one.verdict == SC_VERDICT_CERTAIN;
        }
    }
    print_message("wrong %d, found %d of %d\n", wrong, found, PAIRS);
    assert_true(wrong * 100 <= PAIRS * 6); /* 5 % and what 2,000 pairs are off by chance */
    assert_true(found * 10 >= PAIRS * 9);
}
