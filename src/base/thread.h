/*
 * base/thread.h - a thread of the tool's own, beside its main one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* Begins a thread that nobody joins; false when there is no room for one. It takes no signal, since
 * those of the process are for the thread that waits for them, but the faults of its own, SIGBUS
 * and SIGSEGV: a handler of these may know a way out (errands.h). Its stack has the usual size:
 * libraries that read debug information or ask a driver use a lot, and what is not used is not
 * there. */
bool sc_thread_start(void *(*work)(void *), void *argument);
