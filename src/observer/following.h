/*
 * observer/following.h - begins to follow a process that has said hello, in its place of the tree.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/observation.h"

/* Takes the reader of the segment that the process has sent; name: of its executable, or "". One
 * that cannot be followed sets the observation's failure. */
void sc_following_begin(struct sc_observation *observation, pid_t pid, const char *name,
                        struct sc_reader *reader);
