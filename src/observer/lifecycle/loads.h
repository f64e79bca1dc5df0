/*
 * observer/lifecycle/loads.h - load and memory of the machine's accelerators, charged to where the
 * program was.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

/* Begins to read from the drivers, if the plan says so. */
void sc_loads_start(struct sc_observation *observation);

/* Profiling was switched off or on at that time: observation->paused is the new state. */
void sc_loads_pause(struct sc_observation *observation, uint64_t now_ns);

/* Takes the new readings, and charges those that are old enough. */
void sc_loads_poll(struct sc_observation *observation, uint64_t now_ns);

/* The program has ended: waits shortly for the last reading. Charges all; to be called before its
 * processes are ended. */
void sc_loads_finish(struct sc_observation *observation);

void sc_loads_done(struct sc_loads *loads);
