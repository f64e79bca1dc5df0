/*
 * observer/threads.h - the threads of a process: those that its agent reports, and those that /proc
 * lists.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process.h"

/* Whether the thread is known or there is room for it. A process that can write into the ring can
 * name any number of threads. */
bool sc_process_takes_thread(const struct sc_process *process, pid_t tid);

/* The thread of that number in the process's own namespace; NULL when none that lives is known. */
struct sc_watched_thread *sc_process_find_thread(const struct sc_process *process, pid_t tid);

/* The thread of that number in the process's own namespace, added if new. The pointer is valid
 * until the next call. */
struct sc_watched_thread *sc_process_thread(struct sc_process *process, pid_t tid);

/* Sets the number by which /proc knows the thread, which has been found. */
void sc_process_place_thread(struct sc_process *process, struct sc_watched_thread *thread,
                             pid_t proc_tid);

/* The thread has ended; another one may get its number. */
void sc_process_thread_ended(struct sc_process *process, struct sc_watched_thread *thread);

/* Frees what only a running thread needs. */
void sc_process_let_go_of(struct sc_watched_thread *thread);

/* Adds threads that the agent has not reported: those that were not made by pthread_create. Finds
 * the numbers by which /proc knows the others. */
void sc_process_list_threads(struct sc_process *process);

/* The thread has said that it ends, after cpu_ns: while /proc still lists it, it is no new one. */
void sc_process_thread_leaves(struct sc_process *process, const struct sc_watched_thread *thread,
                              uint64_t cpu_ns);

/* What the kernel says of the thread's time. FAILED also where the thread's number in /proc is to
 * be found yet. */
enum sc_proc_answer sc_process_read_clock(const struct sc_process *process,
                                          const struct sc_watched_thread *thread,
                                          struct sc_schedstat *ret);

/* Finds the thread's Python state, where it has one. One that was found before is taken again while
 * it still names the thread: it is freed with the thread's Python part. */
bool sc_process_find_state(struct sc_process *process, struct sc_watched_thread *thread);
