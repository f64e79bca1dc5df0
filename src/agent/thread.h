/*
 * agent/thread.h - follows the start and the end of threads: each gets a timer, and both are
 * recorded.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Once, in the constructor: creates the thread-specific key whose destructor records a thread's
 * end. */
bool sc_thread_init(void);

/* Starts sampling the calling thread. name may be ""; creator: the thread that created it, 0 when
 * not known. Not in a handler. */
void sc_thread_begin(const char *name, bool is_main, pid_t creator);

/* Registers the calling thread at the first tick of a timer that another thread has created for it;
 * only the observer sees its end. Async-signal-safe. */
void sc_thread_adopt(int timer_id);

/* Sends the record of a thread's start to the observer. */
void sc_thread_report(pid_t tid, uint64_t ident, const char *name);

/* How many threads that Python has started are there, without the first one. */
uint32_t sc_thread_pythons_count(void);

/* In a fork child: the calling thread is no longer sampled. */
void sc_thread_after_fork(void);
