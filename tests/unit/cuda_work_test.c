/*
 * tests/unit/cuda_work_test.c - finished work of devices, added up until it is sent.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "agent/cuda/work.h"
#include "sc_test.h"

/* All is in one segment, never read until it is looked at; zeroes are an empty ring. */
struct bench {
    struct sc_segment *segment;
    struct sc_cuda_work *work;
};

static struct bench bench_new(void)
{
    struct bench bench = {aligned_alloc(_Alignof(struct sc_segment), sizeof(struct sc_segment)),
                          calloc(1, sizeof(struct sc_cuda_work))};
    assert_non_null(bench.segment);
    assert_non_null(bench.work);
    memset(bench.segment, 0, sizeof(struct sc_segment));
    return bench;
}

static void bench_free(struct bench *bench)
{
    free(bench->segment);
    free(bench->work);
}

static const struct sc_record_header *record_at(const struct sc_segment *segment, size_t at,
                                                uint32_t *ret_kind, size_t *ret_next)
{
    const struct sc_record_header *header =
        (const struct sc_record_header *)(const void *)(segment->ring + at);
    uint32_t word = atomic_load(&header->word);
    *ret_kind = word >> 24;
    *ret_next = at + (word & 0xffffffU);
    return header;
}

/* The records of a kind that were sent. */
static size_t count_sent(const struct sc_segment *segment, uint32_t wanted)
{
    size_t count = 0;
    uint32_t kind = 0;
    for (size_t at = 0; at < atomic_load(&segment->head);) {
        (void)record_at(segment, at, &kind, &at);
        count += kind == wanted;
    }
    return count;
}

static struct sc_work work_of(uint64_t key, uint32_t kind)
{
    return (struct sc_work){
        .stack_key = key, .busy_ns = 10 + key, .bytes = 3, .kind = kind, .count = 1};
}

TEST(test_sums_by_stack_and_kind)
{
    struct bench bench = bench_new();
    for (uint32_t i = 0; i < 3000; i++) {
        struct sc_work one = work_of(i % 500, i % 2);
        assert_true(sc_cuda_work_add(bench.work, &one));
    }
    assert_int_equal(bench.work->used, 500);
    sc_cuda_work_send(bench.work, bench.segment);
    assert_int_equal(count_sent(bench.segment, SC_RECORD_GPU_WORK), 500);
    uint32_t kind = 0;
    for (size_t at = 0; at < atomic_load(&bench.segment->head);) {
        const struct sc_record_gpu_work *sent =
            (const void *)record_at(bench.segment, at, &kind, &at);
        assert_int_equal(sent->count, 6);
        assert_int_equal(sent->bytes, 18);
        assert_int_equal(sent->busy_ns, 6 * (10 + sent->stack_key));
        assert_int_equal(sent->kind, sent->stack_key % 2);
    }
    assert_int_equal(bench.work->used, 0);
    struct sc_work again = work_of(7, 1);
    assert_true(sc_cuda_work_add(bench.work, &again));
    assert_int_equal(bench.work->works[0].count, 1); /* nothing is left of what was sent */
    bench_free(&bench);
}

TEST(test_is_full_at_its_limit)
{
    struct bench bench = bench_new();
    for (uint64_t key = 0; key < SC_WORKS_MAX; key++) {
        struct sc_work one = work_of(key * 64, SC_GPU_KERNEL);
        assert_true(sc_cuda_work_add(bench.work, &one));
    }
    struct sc_work more = work_of(1, SC_GPU_KERNEL);
    assert_false(sc_cuda_work_add(bench.work, &more));
    struct sc_work known = work_of(64, SC_GPU_KERNEL);
    assert_true(sc_cuda_work_add(bench.work, &known));
    bench_free(&bench);
}

TEST(test_no_room_is_a_counted_loss)
{
    struct bench bench = bench_new();
    atomic_store(&bench.segment->head, SC_RING_BYTES - 48); /* one record of work, no more */
    for (uint64_t key = 0; key < 5; key++) {
        struct sc_work one = work_of(key, SC_GPU_KERNEL);
        one.count = 100;
        assert_true(sc_cuda_work_add(bench.work, &one));
    }
    sc_cuda_work_span(bench.work, 1, 1000, 2000);
    sc_cuda_work_send(bench.work, bench.segment);
    assert_int_equal(atomic_load(&bench.segment->losses[SC_AGENT_LOSS_GPU_LOST]), 401);
    bench_free(&bench);
}

/* Whether each moment of busy[] is covered if it is busy, and nothing is further from one that is
 * than the gap. */
static void check_spans(const struct sc_spans *spans, const unsigned char *busy, size_t length)
{
    unsigned char *covered = calloc(1, length);
    assert_non_null(covered);
    for (uint32_t i = 0; i < spans->count; i++) {
        const struct sc_span *span = &spans->spans[i];
        assert_true(span->from_ns < span->to_ns && span->to_ns <= length);
        assert_true(i == 0 || span->from_ns > spans->spans[i - 1].to_ns + spans->gap_ns);
        assert_true(busy[span->from_ns] && busy[span->to_ns - 1]);
        memset(covered + span->from_ns, 1, span->to_ns - span->from_ns);
    }
    size_t pause = 0;
    for (size_t at = 0; at < length; at++) {
        assert_true(covered[at] || !busy[at]);
        pause = busy[at] ? 0 : pause + 1;
        assert_true(!covered[at] || pause <= spans->gap_ns);
    }
    free(covered);
}

TEST(test_spans_in_any_order)
{
    enum { LENGTH = 4000000 };
    unsigned char *busy = malloc(LENGTH);
    assert_non_null(busy);
    srandom(1);
    for (int round = 0; round < 20; round++) {
        struct bench bench = bench_new();
        memset(busy, 0, LENGTH);
        int pieces = 1 + (int)(random() % 600);
        for (int i = 0; i < pieces; i++) {
            uint64_t near = (uint64_t)(LENGTH - 100000) * (uint64_t)i / (uint64_t)pieces;
            uint64_t any = (uint64_t)random() % (LENGTH - 100000);
            uint64_t from = round % 2 == 0 ? any : near + (uint64_t)random() % 30000;
            uint64_t to = from + 1 + (uint64_t)random() % 5000;
            memset(busy + from, 1, to - from);
            sc_cuda_work_span(bench.work, 0, from, to);
        }
        check_spans(&bench.work->devices[0], busy, LENGTH);
        bench_free(&bench);
    }
    free(busy);
}

TEST(test_many_spans_widen_the_gap)
{
    struct bench bench = bench_new();
    for (uint64_t i = 0; i < UINT64_C(10) * SC_SPANS_MAX; i++)
        sc_cuda_work_span(bench.work, 3, i * 50000, i * 50000 + 10000);
    const struct sc_spans *spans = &bench.work->devices[3];
    assert_in_range(spans->count, 1, SC_SPANS_MAX);
    assert_true(spans->gap_ns > SC_SPAN_GAP_NS);
    assert_int_equal(spans->spans[0].from_ns, 0);
    assert_int_equal(spans->spans[spans->count - 1].to_ns,
                     (UINT64_C(10) * SC_SPANS_MAX - 1) * 50000 + 10000);
    sc_cuda_work_send(bench.work, bench.segment);
    assert_int_equal(spans->gap_ns, SC_SPAN_GAP_NS);
    sc_cuda_work_span(bench.work, SC_GPUS_MAX, 0, 10); /* none of the devices that are reported */
    sc_cuda_work_span(bench.work, 3, 10, 10);
    for (uint32_t device = 0; device < SC_GPUS_MAX; device++)
        assert_int_equal(bench.work->devices[device].count, 0);
    bench_free(&bench);
}
