/*
 * channel/task_clock.h - the perf event that samples finer than the kernel's ticks.
 *
 * The agent opens it in the program, and `scalene doctor` in itself, to see whether that is
 * permitted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of the calling thread; the descriptor, or -1 with errno. The event counts only in user code: a
 * signal sent while the thread is in a system call would interrupt even those that SA_RESTART does
 * not restart (poll, epoll_wait, nanosleep). A CPU timer's signal never does, since it is sent on
 * the way out of the kernel. */
static inline int sc_task_clock_open(uint64_t interval_ns)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attributes),
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = interval_ns,
        .wakeup_events = 1,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}
