/*
 * agent/clock.h - a clock's time in nanoseconds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The CPU clock of a thread of this process, as the kernel numbers such clocks: the complement of
 * the thread's number, then CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED
 * (include/linux/posix-timers_types.h). */
static inline clockid_t sc_clock_of_thread(int tid)
{
    return (clockid_t)(~(unsigned)tid << 3 | 6U);
}

/* libc's clock_gettime. Another library may have put one with other times in front (libfaketime).
 */
extern int (*sc_clock_libcs)(clockid_t, struct timespec *);

/* Finds it, in normal context. */
void sc_clock_init(void);

/* Async-signal-safe. CPU clocks are the kernel's in any case. */
static inline __attribute__((always_inline)) uint64_t sc_clock_ns(clockid_t clock)
{
    struct timespec now;
    if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE)
        (void)sc_clock_libcs(clock, &now);
    else
        (void)syscall(SYS_clock_gettime, clock, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}
