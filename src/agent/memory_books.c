/*
 * agent/memory_books.c - what samples of memory may cost.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/memory_books.h"

#include "agent/agent.h"
#include "agent/clock.h"
#include "agent/rules.h"

#define COST_SHARE 200U /* one part in so many of the time is for samples, in the long run */
/* Samples that stand for much make a block's life hard to see, and a large block takes the program
 * more time than a sample: beyond these, samples may take more. */
#define WIDE_BYTES      (1U << 20)
#define WIDE_COST_SHARE 100U
#define SAMPLE_NS_MAX   20000U    /* what took longer was not ours: the thread had lost its CPU */
#define CHECK_SAMPLES   64U       /* between two looks at the books, at most */
#define CHECK_NS        10000000U /* the same in time: where much is doubled, samples are few */
#define QUIET_NS        200000000 /* without a look: what made samples so many is over */
#define SHIFT_MAX       16U

SC_SIGNAL_SAFE static bool ring_is_filling(void)
{
    uint64_t head = atomic_load_explicit(&sc_agent.segment->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&sc_agent.segment->tail, memory_order_relaxed);
    return head - tail > SC_RING_BYTES / 2;
}

/* What samples may take of a time before they are doubled from shift on. */
SC_SIGNAL_SAFE static int64_t budget_ns(const struct sc_books *books, uint32_t shift,
                                        int64_t passed_ns)
{
    bool is_wide = books->bytes << shift >= WIDE_BYTES;
    return passed_ns / (int64_t)(is_wide ? WIDE_COST_SHARE : COST_SHARE);
}

/* Never twice at the same time: whoever finds it busy leaves it to the other. */
SC_SIGNAL_SAFE static void check(struct sc_books *books, int64_t burst_ns, uint64_t now_ns)
{
    uint32_t free = 0;
    if (!atomic_compare_exchange_strong_explicit(&books->checking, &free, 1, memory_order_acquire,
                                                 memory_order_relaxed))
        return;
    int64_t passed_ns = (int64_t)(now_ns - atomic_exchange_explicit(&books->checked_ns, now_ns,
                                                                    memory_order_relaxed));
    int64_t spent = (int64_t)atomic_exchange_explicit(&books->spent_ns, 0, memory_order_relaxed);
    uint32_t shift = atomic_load_explicit(&books->shift, memory_order_relaxed);
    int64_t left = atomic_load_explicit(&books->allowance_ns, memory_order_relaxed) +
                   budget_ns(books, shift, passed_ns) - spent;
    left = left < burst_ns ? left : burst_ns;
    if (passed_ns > QUIET_NS)
        shift = 0;
    else if (left < 0 || ring_is_filling())
        shift += shift < SHIFT_MAX;
    else
        for (; shift > 0 && budget_ns(books, shift - 1, passed_ns) > 4 * spent; shift--)
            spent *= 2; /* as it would have been */
    atomic_store_explicit(&books->allowance_ns, left > 0 ? left : 0, memory_order_relaxed);
    atomic_store_explicit(&books->shift, shift, memory_order_relaxed);
    atomic_store_explicit(&books->checking, 0, memory_order_release);
}

SC_SIGNAL_SAFE static bool is_time(const struct sc_books *books, uint64_t now_ns)
{
    return now_ns > atomic_load_explicit(&books->checked_ns, memory_order_relaxed) + CHECK_NS;
}

SC_SIGNAL_SAFE void sc_books_add(struct sc_books *books, int64_t burst_ns, uint64_t began_ns)
{
    uint64_t now_ns = sc_clock_ns(CLOCK_MONOTONIC);
    uint64_t taken_ns = now_ns - began_ns;
    atomic_fetch_add_explicit(&books->spent_ns, taken_ns < SAMPLE_NS_MAX ? taken_ns : SAMPLE_NS_MAX,
                              memory_order_relaxed);
    uint64_t taken = atomic_fetch_add_explicit(&books->samples_taken, 1, memory_order_relaxed);
    if (taken % CHECK_SAMPLES == CHECK_SAMPLES - 1 || is_time(books, now_ns))
        check(books, burst_ns, now_ns);
}

SC_SIGNAL_SAFE void sc_books_pass(struct sc_books *books, int64_t burst_ns, uint64_t now_ns)
{
    if (is_time(books, now_ns))
        check(books, burst_ns, now_ns);
}

void sc_books_begin(struct sc_books *books, uint64_t bytes, int64_t burst_ns)
{
    books->bytes = bytes;
    atomic_store(&books->shift, 0);
    atomic_store(&books->checked_ns, sc_clock_ns(CLOCK_MONOTONIC));
    atomic_store(&books->allowance_ns, burst_ns);
}

void sc_books_after_fork(struct sc_books *books)
{
    atomic_store(&books->checking, 0);
}
