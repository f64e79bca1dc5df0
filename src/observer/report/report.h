/*
 * observer/report/report.h - the profile of what was observed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

/* Fills everything of the profile from what was observed. */
void sc_observation_report(const struct sc_observation *observation,
                           struct sc_profile *ret_profile);
