/*
 * agent/memory/sampling_budget.h - limits the time that samples of memory take, by changing how
 * many bytes each stands for.
 *
 * Each kind of sample has a budget of its own: the time that its samples may still take. When that
 * is spent, each of them stands for twice as many bytes, so that there are half as many; later,
 * when the program allocates less, for half as many again. Kinds are kept apart (small blocks, and
 * large ones by size) so that very many allocations of one kind leave the others as exact as they
 * were; what all of them may take is split among the kinds that are being sampled. Copies have a
 * budget separate from blocks: programs often copy much and allocate little, and neither should
 * make the other less exact.
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
struct sc_sampling_rusage {
    uint64_t cpu_ns;
    uint64_t waits;       /* voluntary context switches */
    uint64_t preemptions; /* involuntary context switches */
};

typedef struct sc_sampling_rusage sc_sampling_get_rusage(void);

/* The bytes that a sample of copies stands for when nothing is doubled. */
#define SC_SAMPLING_COPY_BYTES (512U << 10)

/* Sets up new budgets. window_bytes: what a sample of a small block stands for when nothing is
 * doubled. is_choked says that samples come faster than they can be processed, whatever they cost.
 * Samples may take a share of the time in which the process works or waits for something; time in
 * which it is runnable but others have the CPU does not count. */
void sc_sampling_begin(uint64_t window_bytes, uint64_t now_ns, bool (*is_choked)(void),
                       sc_sampling_get_rusage *get_usage);

/* In the child of a fork: other threads do not exist there, so none is checking a budget. */
void sc_sampling_after_fork(void);

/* The smallest size of large blocks, in bytes. */
uint64_t sc_sampling_large_bytes(void);

/* The kind of a large block. */
uint32_t sc_sampling_kind(uint64_t size_bytes);

/* How often the bytes that a sample stands for are doubled. */
uint32_t sc_sampling_shift(uint32_t kind);

/* A sample has been taken, from began_ns to now_ns. */
void sc_sampling_add(uint32_t kind, uint64_t began_ns, uint64_t now_ns);

/* Checks the budget if the last check was long enough ago, so that samples become more frequent
 * again; sc_sampling_add does so itself. */
void sc_sampling_pass(uint32_t kind, uint64_t now_ns);
