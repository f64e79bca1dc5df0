/*
 * observer/link/launch.h - starting the command with the agent in it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "base/err.h"
#include "observer/link/run_plan.h"

/* Starts plan->command with the agent as the first library in LD_PRELOAD and the rendezvous in its
 * environment. *mask: its signal mask, which is ours from before we blocked any signal. */
bool sc_launch(const struct sc_run_plan *plan, const char *rendezvous, const sigset_t *mask,
               pid_t *ret_pid, struct sc_err *err);
