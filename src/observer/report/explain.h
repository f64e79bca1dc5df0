/*
 * observer/report/explain.h - what is said of a profile: where it is, why it is empty or thin.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

/* Adds to the profile's notes why it is empty or thin, and other things to know. */
void sc_observation_explain(const struct sc_observation *observation, struct sc_profile *profile);

/* Prints on standard error where the profile is and how to see it, in three lines: guides quote
 * those of the original, and scripts look for them. */
void sc_say_where(const struct sc_run_plan *plan);
