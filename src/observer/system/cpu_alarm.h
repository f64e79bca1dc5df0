/*
 * observer/system/cpu_alarm.h - a signal to us each time that a thread of another process has used
 * some CPU time: a perf event.
 *
 * It comes while the thread is on its CPU, at any instruction, in the kernel too. If we take that
 * CPU from the thread to look at it, it stands still at the very place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Names the alarm's descriptor. SIGIO comes instead when too many are waiting. */
#define SC_CPU_ALARM_SIGNAL (SIGRTMIN + 1)

/* Adds both signals to those that are to be blocked and read by signalfd, before the first alarm is
 * opened. What has not been read when they are unblocked does nothing. */
void sc_cpu_alarm_catch(sigset_t *set);

/* The descriptor, or -1 where the system does not permit that (perf_event_paranoid above 1 without
 * rights). tid: as /proc has it. */
int sc_cpu_alarm_open(pid_t tid, uint64_t interval_ns);

/* From now on it comes after that interval. */
void sc_cpu_alarm_set(int fd, uint64_t interval_ns);
