/*
 * agent/lifecycle.h - the beginning and the end of a profile in a program that runs already.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* Begins a profile: finds the interpreter and the observer that the text names, as the variable
 * would. In a program that runs already, while not active. */
bool sc_agent_attach(const char *rendezvous_text);

/* Goes dormant. Threads that are in a hook are not waited for. */
void sc_agent_detach(void);
