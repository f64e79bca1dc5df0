/*
 * observer/lifecycle/ends.h - how processes ended, as their parents have reported it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

/* Notes how processes ended, as their parents have reported it. */
void sc_observation_match_ends(struct sc_observation *observation, uint64_t now_ns);
