/*
 * report/blocking_calls.h - calls that wait, and so keep an event loop from running other tasks;
 * and lines that hand the thread over to an event loop, a server or a supervisor.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/code.h"

/* What to await in place of a call of this dotted name ("time.sleep", "requests.get"), in the words
 * of asyncio; NULL when it is not known to wait. */
const char *sc_blocking_call_instead(const char *name);

/* What to do with a computation that takes long, in the words of asyncio. */
const char *sc_blocking_computation_instead(void);

/* One of these texts in the words of the library that the code uses: asyncio, trio or anyio. */
const char *sc_blocking_instead_in(const struct sc_code *code, const char *instead);

/* The first call in a statement that is known to wait and is not awaited itself, methods of open
 * files and of connections to databases included; NULL when there is none. */
const struct sc_call *sc_blocking_call_in(const struct sc_code *code, uint32_t statement,
                                          const char **ret_instead);

/* Whether a line of that text runs a loop, by the names it calls: "trio.run(main)". Such a line
 * waits while there is nothing to do: other code at it would change nothing. */
bool sc_line_runs_loop(const char *text, size_t length);

/* Whether a line of that text awaits what another task gives or ends by: "await stop.wait()". A
 * server that has nothing to do is found there. */
bool sc_line_awaits_event(const char *text, size_t length);
