/*
 * observer/attach/attach.h - begins to observe a process that runs already and has not asked for
 * it.
 *
 * A Python from 3.14 on takes a script from another process (PEP 768): one that loads the agent, so
 * that everything is measured from then on. Any other Python, and one that does not run the script,
 * is only read from outside: its time and its waits are measured. Neither stops or signals it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

/* Begins to follow the plan's process, with --children also the Pythons below it. rendezvous: what
 * an agent is to be given. take_hello takes the agents that have connected. False with err set when
 * the process cannot be read, or is no Python. */
bool sc_attach_begin(struct sc_observation *observation, const char *rendezvous,
                     void (*take_hello)(struct sc_observation *), struct sc_err *err);

/* Lets the agents of the processes that continue go dormant. To be called when profiling has been
 * switched off. */
void sc_attach_leave(struct sc_observation *observation);

/* Follows the Pythons that attached processes have started meanwhile, where --children asks for
 * that. To be called after each poll. */
void sc_attach_look(struct sc_observation *observation, uint64_t now_ns);
