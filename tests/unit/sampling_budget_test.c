/*
 * tests/unit/sampling_budget_test.c - what samples of memory cost, of a program that allocates
 * blocks of some kinds without a pause; time is made up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/memory/sampling_budget.h"

#include "sc_test.h"

#define WINDOW    8192
#define SAMPLE_NS 2000
#define BLOCK_NS  1000 /* what the program takes for a block itself */
#define SECOND    1000000000ULL

static bool is_choked;

static bool choked(void)
{
    return is_choked;
}

static struct sc_sampling_rusage used;

static struct sc_sampling_rusage usage(void)
{
    return used;
}

struct program {
    uint64_t now_ns;
    uint64_t spent_ns; /* by samples */
    uint64_t blocks[SC_SAMPLING_KINDS];
};

static void setup(struct program *program)
{
    *program = (struct program){.now_ns = SECOND};
    is_choked = false;
    used = (struct sc_sampling_rusage){.cpu_ns = SECOND / 10, .waits = 5, .preemptions = 5};
    sc_sampling_begin(WINDOW, program->now_ns, choked, usage);
}

static void work(struct program *program, uint64_t time_ns)
{
    program->now_ns += time_ns;
    used.cpu_ns += time_ns;
}

static void allocate(struct program *program, uint32_t kind)
{
    uint64_t began_ns = program->now_ns;
    if (sc_sampling_shift(kind) > 0)
        sc_sampling_pass(kind, began_ns);
    if (program->blocks[kind]++ % (1U << sc_sampling_shift(kind)) == 0) {
        work(program, SAMPLE_NS);
        program->spent_ns += SAMPLE_NS;
        sc_sampling_add(kind, began_ns, program->now_ns);
    }
    work(program, BLOCK_NS);
}

/* Blocks of count kinds in turn, from first on; copies are none. */
static void allocate_for(struct program *program, uint32_t first, uint32_t count, uint64_t time_ns)
{
    uint64_t end_ns = program->now_ns + time_ns;
    while (program->now_ns < end_ns) {
        for (uint32_t i = 0; i < count; i++) {
            if (count == 1 || first + i != SC_SAMPLING_COPY)
                allocate(program, first + i);
        }
    }
}

TEST(kinds_go_by_the_size)
{
    struct program program;
    setup(&program);
    assert_int_equal(sc_sampling_large_bytes(), 2 * WINDOW);
    assert_int_equal(sc_sampling_kind(2 * WINDOW), SC_SAMPLING_LARGE);
    assert_int_equal(sc_sampling_kind(4 * WINDOW - 1), SC_SAMPLING_LARGE);
    assert_int_equal(sc_sampling_kind(4 * WINDOW), SC_SAMPLING_LARGE + 1);
    assert_int_equal(sc_sampling_kind(UINT64_MAX), SC_SAMPLING_KINDS - 1);
}

/* However many kinds there are, all of them together take no more than one of them may: a
 * hundredth, beside what they may take once. */
TEST(many_kinds_cost_what_one_does)
{
    for (uint32_t count = 1; count <= SC_SAMPLING_KINDS; count += 4) {
        struct program program;
        setup(&program);
        allocate_for(&program, 0, count, 10 * SECOND);
        double once = 0.025 * SECOND + (count > 2 ? 0.010 * SECOND : 0);
        assert_true((double)program.spent_ns < once + 0.011 * 10 * SECOND);
        assert_true((double)program.spent_ns > 0.001 * 10 * SECOND);
    }
}

/* One of ten programs on a CPU. */
TEST(samples_take_no_share_of_the_time_that_others_take)
{
    struct program program;
    setup(&program);
    for (int i = 0; i < 2000; i++) {
        allocate_for(&program, SC_SAMPLING_SMALL, 1, SECOND / 100);
        program.now_ns += 9 * (SECOND / 100);
        used.preemptions++;
    }
    assert_true((double)program.spent_ns < 0.025 * SECOND + 0.011 * 20 * SECOND);
    assert_true((double)program.spent_ns > 0.0033 * 20 * SECOND);
}

/* A server that is at work for a tenth of the time: the rest is its own, too. */
TEST(samples_take_a_share_of_the_time_that_it_waits)
{
    struct program program;
    setup(&program);
    for (int i = 0; i < 2000; i++) {
        allocate_for(&program, SC_SAMPLING_SMALL, 1, SECOND / 100);
        program.now_ns += 9 * (SECOND / 100);
        used.waits++;
    }
    assert_true((double)program.spent_ns > 0.002 * 200 * SECOND);
}

/* Threads that run side by side: one of them may take all the samples. */
TEST(other_threads_buy_none)
{
    struct program program;
    setup(&program);
    for (int i = 0; i < 1000; i++) {
        used.cpu_ns += 9 * (SECOND / 100);
        allocate_for(&program, SC_SAMPLING_SMALL, 1, SECOND / 100);
    }
    assert_true((double)program.spent_ns < 0.025 * SECOND + 0.011 * 10 * SECOND);
}

TEST(a_storm_of_one_kind_leaves_the_others_sharp)
{
    struct program program;
    setup(&program);
    for (int i = 0; i < 100; i++) {
        allocate_for(&program, SC_SAMPLING_LARGE + 5, 1, SECOND / 10);
        allocate(&program, SC_SAMPLING_LARGE + 7);
        allocate(&program, SC_SAMPLING_SMALL);
    }
    assert_true(sc_sampling_shift(SC_SAMPLING_LARGE + 5) > 0);
    assert_int_equal(sc_sampling_shift(SC_SAMPLING_LARGE + 7), 0);
    assert_int_equal(sc_sampling_shift(SC_SAMPLING_SMALL), 0);
}

/* A loop that only copies and one that does both: copies take their own hundredth and no more, and
 * small blocks are met as sharply as without them. */
TEST(copies_have_a_share_of_their_own)
{
    struct program program;
    setup(&program);
    allocate_for(&program, SC_SAMPLING_COPY, 1, 10 * SECOND);
    assert_true((double)program.spent_ns < 0.010 * SECOND + 0.011 * 10 * SECOND);
    assert_true((double)program.spent_ns > 0.004 * 10 * SECOND);
    assert_true(sc_sampling_shift(SC_SAMPLING_COPY) > 2);
    assert_int_equal(sc_sampling_shift(SC_SAMPLING_SMALL), 0);

    setup(&program);
    allocate_for(&program, SC_SAMPLING_SMALL, 1, 10 * SECOND);
    uint32_t alone = sc_sampling_shift(SC_SAMPLING_SMALL);
    setup(&program);
    while (program.now_ns < 11 * SECOND) {
        allocate(&program, SC_SAMPLING_SMALL);
        if (program.blocks[SC_SAMPLING_SMALL] % 1000 == 0)
            allocate(&program, SC_SAMPLING_COPY);
    }
    assert_int_equal(sc_sampling_shift(SC_SAMPLING_SMALL), alone);
    assert_int_equal(sc_sampling_shift(SC_SAMPLING_COPY), 0);
}

/* What is built in one go, a window every 10 us, until the burst is spent: where half of it is kept
 * to the end, a sum over half of the bytes is uncertain by half the root of the sum of squares of
 * what samples stand for, which is 0.8 % of all; were the burst spent on the narrowest windows
 * first, it would be 1.6 %. */
TEST(a_burst_is_spent_by_halves)
{
    struct program program;
    double squares = 0;
    setup(&program);
    uint64_t windows = 16384;
    for (uint64_t i = 0; i < windows; i++) {
        uint32_t shift = sc_sampling_shift(SC_SAMPLING_SMALL);
        uint64_t taken = program.spent_ns;
        allocate(&program, SC_SAMPLING_SMALL);
        if (program.spent_ns > taken)
            squares += (double)(1ULL << 2 * shift);
        work(&program, 9 * BLOCK_NS);
    }
    assert_true((double)program.spent_ns > 0.012 * SECOND); /* and not saved, either */
    double most = 2 * 0.01 * (double)windows;
    assert_true(squares < most * most);
}

TEST(what_was_doubled_is_halved_when_the_storm_is_over)
{
    struct program program;
    setup(&program);
    allocate_for(&program, SC_SAMPLING_SMALL, 1, 2 * SECOND);
    assert_true(sc_sampling_shift(SC_SAMPLING_SMALL) > 2);
    program.now_ns += SECOND;
    allocate(&program, SC_SAMPLING_SMALL);
    assert_int_equal(sc_sampling_shift(SC_SAMPLING_SMALL), 0);
}

/* After a storm that has spent all, a program that makes a window of small blocks every 15 us
 * beside large ones: with windows of 256 KB, samples take less than a half percent. */
TEST(what_was_spent_before_does_not_widen_small_windows)
{
    struct program program;
    setup(&program);
    allocate_for(&program, SC_SAMPLING_SMALL, 1, 2 * SECOND);
    assert_true(WINDOW << sc_sampling_shift(SC_SAMPLING_SMALL) > 256 << 10);
    for (int i = 0; i < 100000; i++) {
        allocate(&program, SC_SAMPLING_SMALL);
        if (i % 100 == 0)
            allocate(&program, SC_SAMPLING_LARGE + (uint32_t)(i / 100 % 4));
        work(&program, 14 * BLOCK_NS);
        if (i > 10000)
            assert_true(WINDOW << sc_sampling_shift(SC_SAMPLING_SMALL) <= 256 << 10);
    }
}

/* A window every 2 us. */
TEST(small_windows_widen_while_samples_take_too_much)
{
    struct program program;
    setup(&program);
    allocate_for(&program, SC_SAMPLING_SMALL, 1, 2 * SECOND);
    program.spent_ns = 0;
    for (uint64_t end_ns = program.now_ns + 10 * SECOND; program.now_ns < end_ns;) {
        allocate(&program, SC_SAMPLING_SMALL);
        work(&program, BLOCK_NS);
    }
    assert_true(WINDOW << sc_sampling_shift(SC_SAMPLING_SMALL) > 256 << 10);
    assert_true((double)program.spent_ns < 0.0055 * 10 * SECOND);
}

TEST(a_choked_ring_doubles_whatever_samples_cost)
{
    struct program program;
    setup(&program);
    is_choked = true;
    for (int i = 0; i < 64; i++)
        sc_sampling_add(SC_SAMPLING_SMALL, program.now_ns, program.now_ns);
    assert_int_equal(sc_sampling_shift(SC_SAMPLING_SMALL), 1);
}
