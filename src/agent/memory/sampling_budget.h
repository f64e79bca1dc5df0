/*
 * agent/memory/sampling_budget.h - what samples of memory may cost, and how much each has to stand
 * for.
 *
 * Samples of one kind have a budget of their own: the time they have taken and may still take. When
 * that is spent, each of them stands for twice as much, so that there are half as many; later, when
 * the program allocates less, for half as much again. Kinds are kept apart (small blocks, and large
 * ones by size) so that a storm of one leaves the others as sharp as they were; what all of them
 * may take is split among the kinds that are being sampled. Copies are apart from blocks: a program
 * that copies much and allocates little is the usual one, and neither is to blur the other.
 *
 * Async-signal-safe, from any number of threads. Times are those of one clock that never goes back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Kinds: small blocks, copies, and large blocks by the power of two that their size lies in. */
#define SC_SAMPLING_SMALL 0U
#define SC_SAMPLING_COPY  1U
#define SC_SAMPLING_LARGE 2U
#define SC_SAMPLING_RANKS 24U
#define SC_SAMPLING_KINDS (SC_SAMPLING_LARGE + SC_SAMPLING_RANKS)

/* What the process has used since it began, as getrusage(2) has it. */
struct sc_sampling_usage {
    uint64_t cpu_ns;
    uint64_t waits;       /* times that a thread gave its CPU away */
    uint64_t preemptions; /* times that it was taken from one */
};

typedef struct sc_sampling_usage sc_sampling_get_usage(void);

/* What a sample of copies stands for where nothing is doubled, in bytes. */
#define SC_SAMPLING_COPY_BYTES (512U << 10)

/* New budgets. window_bytes: that a sample of a small block stands for where nothing is doubled.
 * is_choked says that samples come faster than they can be taken in, whatever they cost. Samples
 * may take a share of the time in which the process works or waits for something; that in which it
 * could work, and others had its CPU, is not its own. */
void sc_sampling_begin(uint64_t window_bytes, uint64_t now_ns, bool (*is_choked)(void),
                       sc_sampling_get_usage *get_usage);

/* In the child of a fork: other threads do not exist there, so nobody is checking a budget. */
void sc_sampling_after_fork(void);

/* The size that large blocks begin at, in bytes. */
uint64_t sc_sampling_large_bytes(void);

/* The kind of a large block. */
uint32_t sc_sampling_kind(uint64_t size_bytes);

/* How often what a sample stands for is doubled. */
uint32_t sc_sampling_shift(uint32_t kind);

/* A sample has been taken, from began_ns to now_ns. */
void sc_sampling_add(uint32_t kind, uint64_t began_ns, uint64_t now_ns);

/* Looks whether so little was sampled for so long that more can be; sc_sampling_add does so itself.
 */
void sc_sampling_pass(uint32_t kind, uint64_t now_ns);
