/*
 * agent/lifecycle.h - begins and ends a profile in a program that runs already.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* Begins a profile: finds the interpreter, and connects to the observer that the text names, in the
 * format of SC_RENDEZVOUS_VARIABLE. In a program that runs already, while not active. */
bool sc_agent_attach(const char *rendezvous_text);

/* Whether the observer of the last profile is still there. */
bool sc_agent_is_observed(void);

/* Goes dormant. Threads that are in a hook are not waited for. */
void sc_agent_detach(void);
