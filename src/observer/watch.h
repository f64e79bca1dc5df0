/*
 * observer/watch.h - looking at threads from outside: who is blocked, where and on what.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process.h"

/* Looks at one thread; returns what it has waited for a CPU since the last look, in nanoseconds. */
uint64_t sc_watch_look(struct sc_process *process, struct sc_watched_thread *thread,
                       uint64_t now_ns);

/* The thread has run: what it was blocked on is what it left. */
void sc_watch_woke(struct sc_watched_thread *thread);

/* How long a thread may run without a sample before that is counted as a loss. */
uint64_t sc_watch_patience_ns(const struct sc_process *process);

/* Charges time in which nothing was on a CPU to what the program waits for. True when there was
 * something to charge it to. */
bool sc_watch_charge_idle(struct sc_process *process, uint64_t ns);
