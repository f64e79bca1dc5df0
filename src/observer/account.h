/*
 * observer/account.h - reading the records of a process and adding up what charge.h says of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process.h"

/* Reads all records that are finished. */
void sc_account_drain(struct sc_process *process);

/* The books of its threads, valid until one is added. */
struct sc_charge_threads sc_account_threads(const struct sc_process *process);

/* The Python line on whose behalf native threads work then. */
struct sc_charge_host sc_account_host(const struct sc_process *process, uint64_t now_ns);

/* A Python frame of the thread was seen. */
void sc_account_has_python(struct sc_process *process, struct sc_watched_thread *thread);

/* Charges ns up to a moment in which the thread was not on a CPU. */
void sc_account_gap(struct sc_process *process, struct sc_watched_thread *thread, uint32_t node,
                    enum sc_time time, uint64_t until_ns, uint64_t ns);

/* Adds a thread's own waiting. */
void sc_account_wait(struct sc_process *process, struct sc_watched_thread *thread, uint32_t node,
                     enum sc_wait wait, uint64_t ns);

/* Charges the CPU time up to cpu_ns that no sample stands for, to where the thread was last seen.
 */
void sc_account_rest(struct sc_process *process, struct sc_watched_thread *thread, uint64_t cpu_ns);

/* Charges the CPU time up to cpu_ns, the thread's at its last look, to what it was found running
 * then; node is 0 without Python frames. */
void sc_account_outside(struct sc_process *process, struct sc_watched_thread *thread, uint32_t node,
                        enum sc_sample_kind kind, uint64_t cpu_ns);

/* Charges native threads' time for which no Python line was found when it came: to one that is
 * found now, else, at the second call, to none. Called after each round of looks, for what is held
 * of workers (handed.h), too. */
void sc_account_hostless(struct sc_process *process, uint64_t now_ns);

/* Adds CPU time that belongs to the process but to no stack that is known. */
void sc_account_lost(struct sc_process *process, struct sc_watched_thread *thread, uint64_t ns);

/* The thread is over, or nothing more is known of it: as sc_account_rest, but what was never
 * sampled of a life waits for sc_account_young. */
void sc_account_over(struct sc_process *process, struct sc_watched_thread *thread, uint64_t cpu_ns);

/* Charges what lives have used that ended before their first sample. */
void sc_account_young(struct sc_charge_young *young, struct sc_collect *collect);
