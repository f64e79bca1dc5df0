/*
 * agent/memory_books.h - what samples of memory may cost, and how much each has to stand for.
 *
 * Samples of one kind have their own books: the time they have taken and may still take. When that
 * is spent, each of them stands for twice as much, so that there are half as many; later, when the
 * program allocates less, for half as much again. Kinds are kept apart (small blocks, and large
 * ones by size) so that a storm of one leaves the others as sharp as they were.
 *
 * Async-signal-safe.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sc_books {
    uint64_t bytes;         /* that a sample stands for where nothing is doubled */
    _Atomic uint32_t shift; /* how often that is doubled */
    _Atomic uint32_t checking;
    _Atomic uint64_t samples_taken;
    _Atomic uint64_t spent_ns; /* since the last look */
    _Atomic uint64_t checked_ns;
    _Atomic int64_t allowance_ns;
};

/* burst_ns: what samples may take at once before anything is doubled. */
void sc_books_begin(struct sc_books *books, uint64_t bytes, int64_t burst_ns);

/* In the child of a fork: whoever was at the books is not here. */
void sc_books_after_fork(struct sc_books *books);

/* A sample has been taken, from began_ns until now (CLOCK_MONOTONIC). */
void sc_books_add(struct sc_books *books, int64_t burst_ns, uint64_t began_ns);

/* Nothing was sampled: looks whether that has been so for long enough to sample more. now_ns may
 * come from CLOCK_MONOTONIC_COARSE. */
void sc_books_pass(struct sc_books *books, int64_t burst_ns, uint64_t now_ns);

static inline uint32_t sc_books_shift(const struct sc_books *books)
{
    return atomic_load_explicit(&books->shift, memory_order_relaxed);
}
