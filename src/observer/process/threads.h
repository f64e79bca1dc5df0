/*
 * observer/process/threads.h - the threads of a process: those that its agent reports, and those
 * that /proc lists.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process/process.h"

/* Whether the thread is known or there is room for it. A process that can write into the ring can
 * name any number of threads. */
bool sc_process_takes_thread(const struct sc_process *process, pid_t tid);

/* The thread of that number in the process's own namespace; NULL when none that lives is known. */
struct sc_watched_thread *sc_process_find_thread(const struct sc_process *process, pid_t tid);

/* The thread of that number in the process's own namespace, added if none that lives is known; the
 * account of one that was gone from /proc without a record of its end is continued. The pointer is
 * valid until the next call. */
struct sc_watched_thread *sc_process_thread(struct sc_process *process, pid_t tid);

/* The same where it is known to begin now, or to be in /proc: it is another one than that was gone.
 */
struct sc_watched_thread *sc_process_new_thread(struct sc_process *process, pid_t tid);

/* The thread has ended; another one may get its number. */
void sc_process_thread_ended(struct sc_process *process, struct sc_watched_thread *thread);

/* Frees what only a running thread needs. */
void sc_process_let_go_of(struct sc_watched_thread *thread);

/* Adds threads that the agent has not reported: those that were not made by pthread_create. Finds
 * the numbers of the others in /proc. */
void sc_process_list_threads(struct sc_process *process);

/* The thread's THREAD_END record was read, with its CPU time: while /proc still lists the thread,
 * it is not taken for a new one. */
void sc_process_thread_leaves(struct sc_process *process, const struct sc_watched_thread *thread,
                              uint64_t cpu_ns);

/* Reads the thread's times from the kernel. FAILED also where the thread's number in /proc is not
 * found yet. */
enum sc_proc_answer sc_process_read_schedstat(const struct sc_process *process,
                                              const struct sc_watched_thread *thread,
                                              struct sc_schedstat *ret);

/* Finds the thread's Python state, where it has one. A state that was found before is used again
 * while it still holds the thread's id: the interpreter frees it when the thread's Python part
 * ends. */
bool sc_process_find_state(struct sc_process *process, struct sc_watched_thread *thread);

/* States that are looked for from now on are in a list that is read anew. */
void sc_process_forget_states(struct sc_process *process);

/* Whether the thread, whose state was found, is ending the interpreter. */
bool sc_process_is_finalizing(struct sc_process *process, const struct sc_watched_thread *thread);
