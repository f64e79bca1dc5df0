/*
 * observer/sample/account.h - CPU time: reads a sample, has charge.h decide what it is charged to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process/process.h"
#include "observer/sample/outside.h"

/* A sample that the agent has sent. */
void sc_account_sample(struct sc_process *process, const struct sc_record_sample *sent);

/* Charges the CPU time up to cpu_ns that no sample covers to where the thread was last seen. */
void sc_account_rest(struct sc_process *process, struct sc_watched_thread *thread, uint64_t cpu_ns);

/* Charges the CPU time up to cpu_ns, the thread's CPU clock when it was looked at at time_ns, to
 * what the thread was running then. */
void sc_account_outside(struct sc_process *process, struct sc_watched_thread *thread,
                        const struct sc_outside *seen, uint64_t time_ns, uint64_t cpu_ns);

/* Charges the time of native threads for which no Python line was found when it was sampled: to a
 * line that is found now, else, at the second call, to no line. Also settles the costs of workers
 * that workers.h holds. To be called after each round of looks. */
void sc_account_hostless(struct sc_process *process, uint64_t now_ns);

/* Adds CPU time of the process whose stack is not known. */
void sc_account_lost(struct sc_process *process, struct sc_watched_thread *thread, uint64_t ns);

/* The thread has ended, or nothing more can be known of it: as sc_account_rest, but CPU time of a
 * life (charge/young.h) that no sample covers is kept for sc_account_young. While profiling is
 * switched off nothing is charged. */
void sc_account_over(struct sc_process *process, struct sc_watched_thread *thread, uint64_t cpu_ns);

/* Charges the CPU time of lives that ended before their first sample. */
void sc_account_young(struct sc_charge_young *young, struct sc_collect *collect);

/* Takes back what sc_account_young has just added for a profile on the way. */
void sc_account_young_back(struct sc_charge_young *young, struct sc_collect *collect);
