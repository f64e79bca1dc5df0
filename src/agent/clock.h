/*
 * agent/clock.h - a clock's time in nanoseconds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>
#include <time.h>

/* The CPU clock of a thread of this process, as the kernel numbers such clocks: the complement of
 * the thread's number, then CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED
 * (include/linux/posix-timers_types.h). */
static inline clockid_t sc_clock_of_thread(int tid)
{
    return (clockid_t)(~(unsigned)tid << 3 | 6U);
}

/* Async-signal-safe. */
static inline __attribute__((always_inline)) uint64_t sc_clock_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}
