/*
 * tests/unit/stream_test.c - the weights of sampled blocks: right in the mean, and near it each
 * time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/memory/stream.h"

#include "sc_test.h"

#define WINDOW 8192

struct sampler {
    struct sc_stream stream;
    uint64_t random;
    uint64_t samples;
};

/* As the hooks do it: the weight of one block. */
static uint64_t pass(struct sampler *sampler, uint64_t size, int64_t window)
{
    if (!sc_stream_passes(&sampler->stream, size))
        return 0;
    if (sampler->stream.window == 0)
        sc_stream_begin(&sampler->stream, size, window, &sampler->random);
    uint64_t weight = sc_stream_take(&sampler->stream, size, window, &sampler->random);
    sampler->samples += weight > 0;
    return weight;
}

TEST(sums_are_right_to_a_window)
{
    for (uint64_t size = 1; size < 40000; size = size * 3 + 5) {
        struct sampler sampler = {.random = 0x1234567 + size};
        uint64_t sum = 0;
        uint64_t truth = 0;
        while (truth < 10000000) {
            sum += pass(&sampler, size, WINDOW);
            truth += size;
        }
        uint64_t off = sum > truth ? sum - truth : truth - sum;
        assert_true(off <= 2 * WINDOW);
    }
}

TEST(mixed_sizes_have_their_shares)
{
    static const uint64_t sizes[] = {24, 56, 512, 4000, 9000, 20000, 300000};
    enum { KINDS = sizeof(sizes) / sizeof(*sizes) };
    uint64_t sums[KINDS] = {0};
    uint64_t truths[KINDS] = {0};
    struct sampler sampler = {.random = 99};
    uint64_t random = 7;
    for (int i = 0; i < 400000; i++) {
        unsigned kind = (unsigned)(sc_stream_random(&random) >> 33) % KINDS;
        sums[kind] += pass(&sampler, sizes[kind], WINDOW);
        truths[kind] += sizes[kind];
    }
    for (unsigned kind = 0; kind < KINDS; kind++) {
        /* n points of a window each: the error of a share is less than that of independent ones */
        double points = (double)truths[kind] / WINDOW;
        double off = (double)sums[kind] - (double)truths[kind];
        double limit = 4 * WINDOW * (1 + sqrt(points));
        assert_true(off < limit && off > -limit);
    }
    assert_int_equal(sums[KINDS - 1], truths[KINDS - 1]); /* long ones are exact */
    assert_int_equal(sums[KINDS - 2], truths[KINDS - 2]);
}

TEST(a_changing_window_changes_no_sum)
{
    struct sampler sampler = {.random = 5};
    uint64_t random = 11;
    double sum = 0;
    double truth = 0;
    for (int i = 0; i < 2000000; i++) {
        int64_t window = (int64_t)WINDOW << (i / 1000 % 5);
        uint64_t size = 16 + sc_stream_random(&random) % 600;
        sum += (double)pass(&sampler, size, window);
        truth += (double)size;
    }
    assert_true(sum > 0.99 * truth && sum < 1.01 * truth);
}

/* With windows that never change a weight is so many of them. */
TEST(points_are_windows)
{
    struct sc_stream stream = {0};
    uint64_t random = 17;
    uint64_t seen[4] = {0};
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t size = 100 + i * 7919 % (2 * WINDOW - 100);
        if (!sc_stream_passes(&stream, size))
            continue;
        if (stream.window == 0)
            sc_stream_begin(&stream, size, WINDOW, &random);
        int64_t before = stream.window;
        assert_false(sc_stream_is_exact(&stream, size, WINDOW));
        uint64_t weight = sc_stream_take(&stream, size, WINDOW, &random);
        uint32_t points = sc_stream_points(weight, before, WINDOW);
        if (weight == 0)
            continue;
        assert_int_equal(weight, points * WINDOW);
        assert_true(points < 4);
        seen[points]++;
    }
    assert_true(seen[1] > 0 && seen[2] > 0 && seen[3] > 0);
    assert_int_equal(sc_stream_points(3 * WINDOW, WINDOW, 2 * WINDOW), 2); /* it has just doubled */
    assert_int_equal(sc_stream_points(INT64_MAX, 1, 1), UINT16_MAX);
}

TEST(blocks_as_long_as_the_longest_gap_are_themselves)
{
    struct sampler sampler = {.random = 3};
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(pass(&sampler, 2 * WINDOW, WINDOW), 2 * WINDOW);
        assert_int_equal(pass(&sampler, (uint64_t)1 << 40, WINDOW), (uint64_t)1 << 40);
        (void)pass(&sampler, 100, WINDOW);
    }
}

/* A loop with nothing but such blocks draws no window, and has to take up a wider one all the same.
 */
TEST(wider_windows_reach_blocks_that_were_themselves)
{
    struct sampler sampler = {.random = 3};
    for (int i = 0; i < 100; i++)
        assert_int_equal(pass(&sampler, 3 * WINDOW, WINDOW), 3 * WINDOW);
    sampler.samples = 0;
    double sum = 0;
    for (int i = 0; i < 64000; i++)
        sum += (double)pass(&sampler, 3 * WINDOW, 64 * WINDOW);
    assert_true(sampler.samples < 3500); /* 3000 windows */
    assert_true(sum > 0.99 * 64000 * 3 * WINDOW && sum < 1.01 * 64000 * 3 * WINDOW);
    uint64_t size = 64000 * WINDOW; /* longer than any window, and narrow windows come back */
    (void)pass(&sampler, size, WINDOW);
    sampler.samples = 0;
    for (int i = 0; i < 100; i++)
        (void)pass(&sampler, 300 * WINDOW, WINDOW);
    assert_int_equal(sampler.samples, 100);
}

TEST(sizes_beyond_all_bounds_do_no_harm)
{
    struct sampler sampler = {.random = 3};
    (void)pass(&sampler, 100, WINDOW);
    (void)sc_stream_passes(&sampler.stream, UINT64_MAX); /* malloc fails: nothing else happens */
    (void)sc_stream_passes(&sampler.stream, (uint64_t)1 << 63);
    (void)sc_stream_passes(&sampler.stream, (uint64_t)1 << 63);
    uint64_t sum = 0;
    for (int i = 0; i < 100000; i++)
        sum += pass(&sampler, 100, WINDOW);
    assert_true(sum > 10000000 - 3 * WINDOW && sum < 10000000 + 3 * WINDOW);
}
