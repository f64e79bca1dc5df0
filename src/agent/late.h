/*
 * agent/late.h - for this library when it is loaded into a program that runs already.
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

/* Whether it was loaded so; false in a program that this library was preloaded into. */
bool sc_late_is(void);

/* It was. Before the program's imports are redirected. */
void sc_late_become(void);

/* Redirects the program's imports of hooked functions to ours, those of libraries that it loads
 * from now on too. Again for each profile. */
void sc_late_lead_imports(void);

/* Whether to take a sample at the tick, which is ours. If not, its timer was left over from an
 * earlier profile or a duplicate, and has been deleted. Registers a thread that is not registered
 * yet. Async-signal-safe. */
bool sc_late_accepts(const siginfo_t *tick);

/* Redirects imports of theirs to ours; does nothing when this library was preloaded, or theirs is
 * NULL. name is static. In normal context. */
void sc_late_lead(const char *name, void *ours, void *theirs);
