/*
 * observer/lifecycle/ended.h - keeps a run that starts process after process small: a server that
 * forks one per request has a million of them in a week.
 *
 * The first SC_ROWS_MAX processes have rows of their own in the profile. Of those after them, and
 * of those that were forked only to execute something, what totals and notes need is summed up once
 * they have ended, and they are forgotten.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

#define SC_ROWS_MAX 1000

/* Sums up ended processes beyond the first kept_count. Those that ended a moment ago stay: their
 * children and their exit status may still be on the way. */
void sc_observation_sum_ended(struct sc_observation *observation, size_t kept_count,
                              uint64_t now_ns);
