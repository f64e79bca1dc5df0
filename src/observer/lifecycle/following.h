/*
 * observer/lifecycle/following.h - begins to follow a process that has sent its hello, and places
 * it in the tree.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/lifecycle/observation.h"

/* Whether the process is a Python that a followed one has started: one that has become another
 * user, or was started as one. Its executable, which may be NULL, is the caller's. */
bool sc_following_misses(const struct sc_observation *observation, pid_t pid,
                         char **ret_executable);

/* NULL when it is not followed now. */
struct sc_process *sc_following_find(const struct sc_observation *observation, pid_t pid);

/* Takes over the reader of the segment that the process has sent or, where it has no agent, of
 * ours; name: of its executable, or "". False when it cannot be followed; the observation's failure
 * says why. */
bool sc_following_begin(struct sc_observation *observation, pid_t pid, const char *name,
                        struct sc_reader *reader, bool has_no_agent);
