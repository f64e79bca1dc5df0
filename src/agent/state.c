/* agent/state.c - see state.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/state.h"

struct sc_agent sc_agent;
_Thread_local struct sc_agent_thread sc_agent_thread;
