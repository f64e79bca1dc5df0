/*
 * observer/system/cpu_alarm.h - a signal to us each time that a thread of another process has used
 * some CPU time: a perf event.
 *
 * It comes while the thread is on its CPU, at any instruction, in the kernel too. If we take that
 * CPU from the thread to look at it, it stands still at the very place. The kernel notes what the
 * thread was doing, where there is memory for that (kernel.perf_event_mlock_kb, ulimit -l).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sc_cpu_moment;
struct perf_event_mmap_page;

/* Names the alarm's descriptor. SIGIO comes instead when too many are waiting. */
#define SC_CPU_ALARM_SIGNAL (SIGRTMIN + 1)

struct sc_cpu_alarm {
    int fd;                            /* -1: none */
    struct perf_event_mmap_page *ring; /* NULL: the kernel notes nothing */
};

/* Adds both signals to those that are to be blocked and read by signalfd, before the first alarm is
 * opened. What has not been read when they are unblocked does nothing. */
void sc_cpu_alarm_catch(sigset_t *set);

/* No alarm where the system does not permit that (perf_event_paranoid above 1 without rights). tid:
 * as /proc has it. has_ring: what the thread does is to be noted, which takes 20 KB. */
struct sc_cpu_alarm sc_cpu_alarm_open(pid_t tid, uint64_t interval_ns, bool has_ring);
void sc_cpu_alarm_close(struct sc_cpu_alarm *alarm);

/* From now on it comes after that interval. */
void sc_cpu_alarm_set(const struct sc_cpu_alarm *alarm, uint64_t interval_ns);

/* What the thread was doing when the alarm came last, once; false when that is not known. */
bool sc_cpu_alarm_moment(const struct sc_cpu_alarm *alarm, struct sc_cpu_moment *ret);

/* CPU time that the thread has used since the alarm was opened; 0 when that is not known. */
uint64_t sc_cpu_alarm_clock_ns(const struct sc_cpu_alarm *alarm);
