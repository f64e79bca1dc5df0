/*
 * agent/clock.h - a clock's time in nanoseconds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>
#include <time.h>

/* Async-signal-safe. */
static inline __attribute__((always_inline)) uint64_t sc_clock_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}
