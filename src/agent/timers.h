/*
 * agent/timers.h - the timers of all threads, so that one thread can delete those of the others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* Records the id of a timer that the kernel has created for us. Async-signal-safe, as are the
 * functions below. */
void sc_timers_add(int id);

/* Deletes the timer, also in the kernel. */
void sc_timers_delete(int id);

/* Deletes all recorded timers; with more than some eight thousand threads not all are recorded. */
void sc_timers_delete_all(void);

/* Forgets all ids, in a fork child, which has no timers. */
void sc_timers_after_fork(void);
