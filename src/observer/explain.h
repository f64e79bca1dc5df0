/*
 * observer/explain.h - why a profile is empty or thin.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/observation.h"

/* Adds to the profile's notes why it is empty or thin, and other things to know. */
void sc_observation_explain(const struct sc_observation *observation, struct sc_profile *profile);
