/*
 * report/blocking_calls.h - calls that wait, and so keep an event loop from running other tasks.
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
