/*
 * agent/state.c - the global state of the agent.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/state.h"

struct sc_agent sc_agent;
_Thread_local struct sc_agent_thread sc_agent_thread;
