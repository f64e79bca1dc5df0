/*
 * observer/lifecycle/pauses.h - time that is none of the program's: profiling was off, or all was
 * stopped.
 *
 * Ctrl-Z in a terminal stops the whole process group, and pausing a container all there is in it.
 * Afterwards no process can be seen to have been stopped. But the observer wakes far too late, and
 * the kernel has not counted that as waiting for a CPU.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

/* To be called after each sleep of the observer that was to end at due_ns: time in which it was
 * stopped is none of the program's. */
void sc_observation_note_stop(struct sc_observation *observation, uint64_t due_ns);

/* When the present pause began: time before user code began is no part of the run, and so none of
 * the pause. */
uint64_t sc_observation_paused_since(const struct sc_observation *observation, uint64_t now_ns);
