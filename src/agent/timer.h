/*
 * agent/timer.h - the timer that samples a thread: a kernel timer on its own CPU clock.
 *
 * timer_create(CLOCK_THREAD_CPUTIME_ID, SIGEV_THREAD_ID): no bias, no helper thread, no interrupted
 * waits, but no interval below the kernel's jiffy. For shorter intervals a perf event on the
 * thread's task clock is added, where the system permits it. It samples only user code, so its
 * samples are marked as fine and weighted by the timer's; its mapping keeps it alive, so no
 * descriptor stays open.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "agent/state.h"

/* Arms a timer for the calling thread. False when neither kind could be made.
 * Async-signal-safe; changes errno. */
bool sc_timer_start(struct sc_agent_thread *thread);

/* The same for another thread of the process, with a timer only. The thread registers itself at its
 * first tick. */
bool sc_timer_start_for(pid_t tid);

/* The current mean of the drawn intervals. */
uint64_t sc_timer_interval_ns(const struct sc_agent_thread *thread);

/* Draws the next interval, of least_ns or more, and arms the timer as if it had started late_ns of
 * CPU time ago. has_waited: the thread has waited in the interval that has ended. Counts the
 * kernel's ticks in the interval in thread->ticks. Called in the handler. */
void sc_timer_rearm(struct sc_agent_thread *thread, uint64_t least_ns, uint64_t late_ns,
                    bool has_waited);

/* Records that the timer has interrupted user code at time_ns. Called in the handler. */
void sc_timer_note_tick(uint64_t time_ns);

/* At the end of a system call in which the timer's tick fell due: how long ago the tick was that
 * the sample is dated to (overdue.h). overruns: further periods that have passed (si_overrun).
 * time_ns and cpu_ns: clocks of the sample. Called in the handler, before the timer is rearmed. */
uint64_t sc_timer_overdue_ns(struct sc_agent_thread *thread, uint64_t time_ns, uint64_t cpu_ns,
                             int overruns);

/* Ends the ticks of the calling thread. Async-signal-safe. */
void sc_timer_stop(struct sc_agent_thread *thread);

/* For the calling thread: after hold no tick comes, and none is pending, until resume continues the
 * interval. The signal must not be blocked. False when no timer could be made. Async-signal-safe;
 * changes errno. */
void sc_timer_suspend(struct sc_agent_thread *thread);
bool sc_timer_resume(struct sc_agent_thread *thread);
