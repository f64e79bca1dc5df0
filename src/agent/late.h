/*
 * agent/late.h - this library has been loaded into a program that runs already.
 *
 * Nobody is bound to what it exports, so the imports of what is loaded are led here
 * (import_table.h); threads that exist are given timers and become known at their first tick; and
 * profiling may end and begin again, with another observer, while the hooks stay.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Whether that is so; false in a program that this library was preloaded into. */
bool sc_late_is(void);

/* Whether the tick, which is ours, shall be taken. Otherwise its timer belongs to a profile that is
 * over, or is one too many, and is gone now. Makes an unknown thread known. Async-signal-safe. */
bool sc_late_accepts(const siginfo_t *tick);

/* From now on the imports that lead to theirs lead to ours; nothing happens when this library was
 * preloaded, or theirs is NULL. name is static. In normal context. */
void sc_late_lead(const char *name, void *ours, void *theirs);
