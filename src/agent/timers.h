/*
 * agent/timers.h - the timers of all threads, so that one thread can delete those of the others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* The kernel has made a timer of that number for us. Async-signal-safe, as are the others. */
void sc_timers_add(int id);

/* Deletes it, in the kernel too. */
void sc_timers_delete(int id);

/* Deletes all that are known: of more than some two thousand threads not every one is. */
void sc_timers_delete_all(void);

/* After fork, in the child, which has none. */
void sc_timers_forget(void);
