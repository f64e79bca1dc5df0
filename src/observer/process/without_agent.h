/*
 * observer/process/without_agent.h - a process that no agent reports of: all that is known of it
 * is read from outside.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process/process.h"

/* What an agent would have reported of the interpreter, as it would have sent it. */
void sc_without_agent_facts(const struct sc_interpreter_facts *facts,
                            const struct sc_target *target, struct sc_segment_facts *ret_sent);

/* Finds by which ids and names Python knows the threads, after they were listed. */
void sc_without_agent_name_threads(struct sc_process *process, uint64_t now_ns);
