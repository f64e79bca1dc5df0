/*
 * observer/charge/long_call.h - whether a thread that runs without samples is in one system call,
 * by what the kernel has counted since the first sample was missing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "observer/system/procfs_text.h"

/* The kernel divides CPU time by where its own ticks hit the thread: of fewer than this nothing
 * follows. They are 10 ms each. */
#define SC_LONG_CALL_TICKS 4U

/* Where it measures instead, a little of the time before the call counts as user's. */
#define SC_LONG_CALL_USER_PARTS 8U

static inline bool sc_long_call_is_known(const struct sc_cpu_ticks *since,
                                         const struct sc_cpu_ticks *now)
{
    return now->user - since->user + (now->kernel - since->kernel) >= SC_LONG_CALL_TICKS;
}

static inline bool sc_long_call_is(const struct sc_cpu_ticks *since, const struct sc_cpu_ticks *now)
{
    uint64_t kernel = now->kernel - since->kernel;
    return sc_long_call_is_known(since, now) && kernel > 0 &&
           (now->user - since->user) * SC_LONG_CALL_USER_PARTS <= kernel;
}
