/*
 * observer/process_threads.h - which threads a process has, by what /proc lists.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process.h"

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
