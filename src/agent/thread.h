/*
 * agent/thread.h - threads come and go: each gets a timer when it starts and an account when it
 * ends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Once, in the constructor: makes the key whose destructor ends a thread's account. */
bool sc_thread_init(void);

/* Starts sampling the calling thread. name may be ""; creator: the thread that began it, 0 when not
 * known. Not in a handler. */
void sc_thread_begin(const char *name, bool is_main, pid_t creator);

/* Starts sampling the calling thread, which a timer has met that another thread has made for it;
 * its end is seen by the observer alone. Async-signal-safe. */
void sc_thread_adopt(int timer_id);

/* Tells the observer of a thread. */
void sc_thread_tell(pid_t tid, uint64_t ident, const char *name);

/* In a fork child: the calling thread is no longer sampled. */
void sc_thread_forget(void);
