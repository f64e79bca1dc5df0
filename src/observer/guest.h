/*
 * observer/guest.h - observing a process that was there before: it has asked for it itself.
 *
 * We are not its parent, so nothing can be waited for: its end is seen in /proc, and how it ended
 * is known only as far as its agent has told it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/observation.h"

static inline bool sc_guest_is(const struct sc_observation *observation)
{
    return observation->plan->attach_pid != 0;
}

/* After every tick: sees whether the process is gone, and closes its books. */
void sc_guest_look(struct sc_observation *observation);

/* The profile is over, though the process goes on. */
void sc_guest_leave(struct sc_observation *observation);
