/*
 * observer/attach/loader.h - loads the agent into a Python that runs, by a script that the Python
 * executes (script.h), and lets it go dormant again.
 *
 * The scripts, and what the first one answers, are in memory files of ours, which the process
 * opens below /proc. So it has to be of our user, and in our namespaces.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/attach/script.h"

struct sc_observation;
struct sc_loader;

/* The process that is meant. */
struct sc_loading {
    struct sc_remote *remote;
    const struct sc_interpreter_facts *facts;
    const struct sc_layout *layout;
};

/* rendezvous: what the agent is given. NULL where no memory files can be made. take_hello takes
 * the agents that have connected, and is called while their hello is waited for. */
struct sc_loader *sc_loader_new(const char *agent_path, const char *rendezvous,
                                void (*take_hello)(struct sc_observation *));
void sc_loader_free(struct sc_loader *loader);

/* Waits up to some seconds until the process has an agent, and is followed by it. False where it
 * has none then: it will not get one later. */
bool sc_loader_load(struct sc_loader *loader, const struct sc_loading *loading,
                    struct sc_observation *observation);

/* Why the agent was not loaded, as far as that is known; "" otherwise. Valid until the next call.
 */
const char *sc_loader_why_not(const struct sc_loader *loader);

/* Lets its agent go dormant; waits a second at most. */
void sc_loader_unload(struct sc_loader *loader, const struct sc_loading *loading);
