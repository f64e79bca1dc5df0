/*
 * agent/timer.h - what makes a thread tick: a kernel timer on its own CPU clock.
 *
 * timer_create(CLOCK_THREAD_CPUTIME_ID, SIGEV_THREAD_ID): no bias, no thread, no interrupted waits,
 * but not finer than the kernel's jiffy. Below that a perf event on the thread's task clock stands
 * beside it where the system permits one. That meets user code alone, so its ticks are fine ones,
 * to be weighed by the timer's; it is kept alive by its mapping, so no descriptor stays open.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "agent/state.h"

/* Arms a timer for the calling thread. False when neither kind could be made. Changes errno. */
bool sc_timer_start(struct sc_agent_thread *thread);

/* The same for another thread of the process, with a timer of the first kind. The thread learns of
 * it at its first tick. */
bool sc_timer_start_for(pid_t tid);

/* The mean of the intervals that are drawn now. */
uint64_t sc_timer_interval_ns(const struct sc_agent_thread *thread);

/* Draws the next interval, of least_ns or more, that has begun late_ns of CPU time ago; called in
 * the handler. */
void sc_timer_rearm(struct sc_agent_thread *thread, uint64_t least_ns, uint64_t late_ns);

/* The timer has met user code at that time. Called in the handler. */
void sc_timer_note_tick(uint64_t time_ns);

/* At the end of a system call in which the timer's tick fell due: how long ago the tick was that
 * the sample stands for (overdue.h). overruns: periods that have passed beside. time_ns and cpu_ns:
 * clocks of the sample. Called in the handler, before the timer is armed anew. */
uint64_t sc_timer_overdue_ns(struct sc_agent_thread *thread, uint64_t time_ns, uint64_t cpu_ns,
                             int overruns);

/* For the calling thread, which ticks no more. Async-signal-safe. */
void sc_timer_stop(struct sc_agent_thread *thread);

/* For the calling thread: no tick comes, and none is pending, until it goes on where it was. The
 * signal must not be blocked. False when no timer could be made. Async-signal-safe. */
void sc_timer_hold(struct sc_agent_thread *thread);
bool sc_timer_resume(struct sc_agent_thread *thread);
