/*
 * agent/memory/none.c - stubs for the agent that does not profile memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/memory/start.h"

void sc_memory_prepare(void)
{
}

void sc_memory_start(void)
{
}

void sc_memory_stop(void)
{
}

void sc_memory_end(void)
{
}

void sc_memory_after_fork(bool followed)
{
    (void)followed;
}
