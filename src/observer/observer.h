/*
 * observer/observer.h - starts a command with the agent, watches it to its end, writes the profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"
#include "observer/link/run_plan.h"

/* Runs the plan. On success *ret_status and *ret_signal say how the command ended (one of them 0);
 * the profile has been written, or a line on stderr has said why not. False, with err set, only
 * when the command could not be started. */
bool sc_observe(const struct sc_run_plan *plan, int *ret_status, int *ret_signal,
                struct sc_err *err);
