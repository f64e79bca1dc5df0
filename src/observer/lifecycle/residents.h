/*
 * observer/lifecycle/residents.h - the resident memory of all processes, as the kernel reports it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

/* Notes how much memory the processes have, now and then, when memory is measured. To be called in
 * every poll. */
void sc_residents_poll(struct sc_observation *observation, uint64_t now_ns);
