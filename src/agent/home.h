/*
 * agent/home.h - whether this process is the one that the agent was started in.
 *
 * A child made by a raw system call, or by _Fork, runs no handler of fork: it has all of the
 * agent's state, and its parent's ring is mapped.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* From now on this process is it. In normal context. */
void sc_home_begin(void);

/* True also in a child of vfork, which shares its parent's memory. Async-signal-safe; no system
 * call where the kernel can empty a page in each child (since 4.14). */
bool sc_home_is_this_process(void);
