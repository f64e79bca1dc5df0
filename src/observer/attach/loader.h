/*
 * observer/attach/loader.h - loads the agent into Pythons that run, by a script that each of them
 * executes (script.h), and lets it go dormant again.
 *
 * The scripts, and what they answer, are in memory files of ours, which the processes open below
 * /proc. So they have to be of our user, and in our namespaces.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

#include "observer/attach/script.h"
#include "observer/lifecycle/observation.h"

/* A process that is meant. The first three are the caller's. */
struct sc_loading {
    struct sc_remote *remote;
    const struct sc_interpreter_facts *facts;
    const struct sc_layout *layout;
    bool is_done;  /* the agent has been loaded, or has gone dormant */
    char *why_not; /* where it is known; owned by the caller */
};

/* Waits until the processes have an agent each, and are followed by it: up to a second for all of
 * them, and longer for one that has taken the script. One that has none then will not get one
 * later. */
void sc_loader_load(const struct sc_loader *loader, struct sc_loading *list, size_t count,
                    struct sc_observation *observation);

/* Lets their agents go dormant. Waits for it like loading. */
void sc_loader_unload(const struct sc_loader *loader, struct sc_loading *list, size_t count);
