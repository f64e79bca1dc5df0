/*
 * agent/switches.h - SIGILL switches profiling on and SIGBUS off where a program was started with
 * --off, as with the original.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h> /* sighandler_t */
#include <stdbool.h>

/* Installs the handlers for signals that the program has left at their default. Before any code of
 * the program runs. */
void sc_switches_init(void);

/* Whether a handler is ours. A program that asks for it is to see the default in its place. */
bool sc_switches_is(sighandler_t handler);
