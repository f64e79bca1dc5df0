/*
 * agent/memory/start.h - what the rest of the agent knows of memory: when following it begins and
 * ends.
 *
 * The agent is built twice. libscalene-memory.so has the hooks of allocation and copying;
 * libscalene.so, for runs that measure time only, has none, and leaves malloc alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* Before anything is led to the hooks in a program that runs already. */
void sc_memory_prepare(void);

/* User code is about to run: memory is followed from now on, if that was asked for. With the GIL
 * held. */
void sc_memory_start(void);

/* Memory is not followed any more, until the next start. */
void sc_memory_stop(void);

/* The process ends: what could not be told yet is told now. Async-signal-safe. */
void sc_memory_end(void);

/* In a fork child: goes on with the child's own blocks, or stops. */
void sc_memory_after_fork(bool followed);
