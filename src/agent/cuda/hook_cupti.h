/*
 * agent/cuda/hook_cupti.h - gives way when the program, or a library in it, uses CUPTI itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* Whether found, which caller has looked up by that name, is a function of the CUPTI that our hook
 * of that name, if there is one, calls. False for callers in this library. In normal context. */
bool sc_hook_cupti_is(const char *name, const void *found, const void *caller);

/* Call it when CUPTI has been found. If this library was loaded late, imports of the CUPTI
 * functions that we hook are redirected to ours. That is not possible earlier, as CUPTI's symbols
 * are not in the program's global scope. */
void sc_hook_cupti_redirect(void);
