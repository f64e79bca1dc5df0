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

#include "base/child.h"
#include "observer/lifecycle/observation.h"

/* Whether a signal to us ends the profile. One that is blocked comes though it is ignored. */
static inline bool sc_attach_is_farewell(uint32_t number)
{
    return number == SIGINT || number == SIGTERM || number == SIGQUIT ||
           (number == SIGHUP && !sc_ignores_hangup());
}

/* What reads the files of a process that sees others under the same names than we do; NULL for any
 * other. */
struct sc_helper *sc_attach_sources(pid_t pid, uint64_t timeout_ns);

/* Begins to follow the plan's process, with --children also the Pythons below it. rendezvous: what
 * an agent is to be given; attend: of struct sc_loader. False with err set when the process cannot
 * be read, or is no Python. */
bool sc_attach_begin(struct sc_observation *observation, const char *rendezvous,
                     bool (*attend)(struct sc_observation *), struct sc_err *err);

/* Lets the agents of the processes that continue go dormant. To be called when profiling has been
 * switched off. */
void sc_attach_leave(struct sc_observation *observation);

/* Looks at the thread whose alarm (cpu_alarm.h) that is. */
void sc_attach_take_alarm(struct sc_observation *observation, int fd);

/* Follows the process again when it has executed another Python, and, where --children asks for
 * that, the Pythons that it has started meanwhile. To be called after each poll. */
void sc_attach_poll(struct sc_observation *observation, uint64_t now_ns);
