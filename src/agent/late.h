/*
 * agent/late.h - what this library does when it is loaded into a program that runs already.
 *
 * No loaded module is bound to its functions, so we patch the modules' import tables
 * (import_table.h). Existing threads are given timers, and are registered at their first tick.
 * Profiling may end and begin again, with another observer, while the hooks stay.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Whether this library was loaded into a running program; false when it was preloaded. */
bool sc_late_is(void);

/* Records that it was loaded late. Call it before the program's imports are redirected. */
void sc_late_become(void);

/* Redirects the program's imports of hooked functions to ours, and those of libraries that it loads
 * from now on. Call it again for each profile. */
void sc_late_redirect_imports(void);

/* Whether a tick of ours may take a sample. If not, its timer was left over from an earlier profile
 * or a duplicate, and has been deleted. Registers a thread that is not registered yet.
 * Async-signal-safe. */
bool sc_late_accepts(const siginfo_t *tick);

/* Redirects imports of the function theirs, called name, to ours. Does nothing when this library
 * was preloaded, or theirs is NULL. name is static. In normal context. */
void sc_late_redirect(const char *name, void *ours, void *theirs);
