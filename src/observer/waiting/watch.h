/*
 * observer/waiting/watch.h - looks at threads from outside: which ones are blocked, where and on
 * what.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process/process.h"

/* Whether the process has a single thread that ran all the time; then notes it as running. */
bool sc_watch_needs_no_look(struct sc_process *process);

/* Looks at one thread; returns what it has waited for a CPU since the last look, in nanoseconds. */
uint64_t sc_watch_look(struct sc_process *process, struct sc_watched_thread *thread,
                       uint64_t now_ns);

/* The thread has ended, or is not looked at any more. Charges its last wait, which was not looked
 * at while it lasted: the thread has waited from when it was seen blocked until it was sampled, or
 * else until end_ns, less the time it ran. cpu_ns: its CPU clock at its end. */
void sc_watch_ended(struct sc_process *process, struct sc_watched_thread *thread, uint64_t end_ns,
                    uint64_t cpu_ns);

/* The thread's alarm has come (cpu_alarm.h): looks at what it runs. */
void sc_watch_alarm(struct sc_process *process, struct sc_watched_thread *thread, uint64_t now_ns);

/* Without an agent: charges what the thread has used since it was last seen at work, or, where it
 * never was, where it is blocked. */
void sc_watch_charge_unseen(struct sc_process *process, struct sc_watched_thread *thread);

/* Charges time in which nothing was on a CPU to what the program waits for. last_run: the thread
 * that runs, or else the one that ran last; NULL when there is none. True when there was something
 * to charge it to. */
bool sc_watch_charge_idle(struct sc_process *process, struct sc_watched_thread *last_run,
                          uint64_t ns);
