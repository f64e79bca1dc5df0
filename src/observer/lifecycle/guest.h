/*
 * observer/lifecycle/guest.h - observing a process that ran before us and has asked to be profiled.
 *
 * We are not its parent, so nothing can be waited for: its end is seen in /proc, and how it ended
 * is known only as far as its agent has reported it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

static inline bool sc_guest_is(const struct sc_observation *observation)
{
    return observation->plan->attach_pid != 0;
}

/* To be called after every poll: when the process is gone, closes its accounts. */
void sc_guest_poll(struct sc_observation *observation);

/* Answers the order to finish, if there is one: not when the profile could not be written. */
void sc_guest_answer(const struct sc_observation *observation, bool is_written);

/* Ends the profile, although the process may continue. */
void sc_guest_leave(struct sc_observation *observation);
