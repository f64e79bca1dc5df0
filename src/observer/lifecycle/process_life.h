/*
 * observer/lifecycle/process_life.h - a process from its hello to its end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

/* Takes the reader. parent: the followed process that it was forked from, or NULL; its facts are
 * used, as an ended child cannot be read. executable: as it reports itself, "" when it does not.
 * NULL, and the observation's failure is set, when the agent describes no interpreter that is
 * known. */
struct sc_process *sc_process_new(struct sc_observation *observation, pid_t pid,
                                  const struct sc_pid_names *names, const struct sc_process *parent,
                                  const char *executable, struct sc_reader *reader);

void sc_process_free(struct sc_process *process);

/* The process is gone, or a zombie: drains its ring, closes every account, and frees what is not
 * needed for the profile. cpu_ns: its CPU time in all, 0 when not known. */
void sc_process_end(struct sc_process *process, uint64_t now_ns, uint64_t cpu_ns);

/* Another program has begun after this one, which has ended: what it held at its end is alive no
 * longer. */
void sc_process_forget_memory(struct sc_process *process, uint64_t now_ns);

/* The process continues: prepares what is known of it so far for a report. */
void sc_process_prepare_report(struct sc_process *process, uint64_t now_ns);
