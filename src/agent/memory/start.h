/*
 * agent/memory/start.h - starts and ends the profiling of memory, for the rest of the agent.
 *
 * The agent is built twice. libscalene-memory.so has the hooks of allocation and copying;
 * libscalene.so, for runs that measure time only, has none, and leaves malloc alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* In a program that runs already: call it before imports are redirected to the hooks. */
void sc_memory_prepare(void);

/* User code is about to run: memory is profiled from now on, if that was requested. With the GIL
 * held. */
void sc_memory_start(void);

/* Memory is not profiled any more, until the next start. */
void sc_memory_stop(void);

/* The process ends: sends the frees that were postponed. Async-signal-safe. */
void sc_memory_end(void);

/* In a fork child: continues with the child's own blocks, or stops. */
void sc_memory_after_fork(bool followed);
