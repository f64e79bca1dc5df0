/*
 * agent/thread_state.h - finds the Python thread state (PyThreadState) of the calling thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Looks up CPython's functions for it; false when it lacks them. version: 0x030e for 3.14. In the
 * constructor, or when loaded late. */
bool sc_thread_state_init(uint16_t version);

/* Finds the variables of the interpreter that hold it. is_late: we were loaded into a program that
 * ran already. In normal context, with the GIL held. */
void sc_thread_state_locate(bool is_late);

/* The Python thread state of the calling thread, also while it does not hold the GIL; 0 without
 * one. Async-signal-safe. */
uint64_t sc_own_thread_state(void);

/* Whether the thread with that state, which another one may free meanwhile, runs Python or holds
 * the GIL: its frames change. Async-signal-safe. */
bool sc_thread_state_is_running(uint64_t state);
