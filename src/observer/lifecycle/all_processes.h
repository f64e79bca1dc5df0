/*
 * observer/lifecycle/all_processes.h - what concerns all processes of an observation together.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

/* Notes how processes ended, as their parents have reported it. */
void sc_observation_match_ends(struct sc_observation *observation, uint64_t now_ns);

/* Notes how much memory the processes have, now and then, when memory is measured. To be called in
 * every poll. */
void sc_residents_poll(struct sc_observation *observation, uint64_t now_ns);

/* Remembers what the command has become, so that a profile without data can say why. */
void sc_observation_note_executable(struct sc_observation *observation);

/* Frees everything but the structure itself. */
void sc_observation_done(struct sc_observation *observation);
