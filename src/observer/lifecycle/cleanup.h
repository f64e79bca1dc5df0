/*
 * observer/lifecycle/cleanup.h - frees what is known of a run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

/* Frees everything but the structure itself. */
void sc_observation_done(struct sc_observation *observation);
