/*
 * agent/hook_python_signal.h - a tick does not send the program's signals to another thread.
 *
 * The kernel gives a signal for the process to the first thread, unless that one blocks it, or has
 * another signal pending and no CPU. Ticks bring about both: our handler blocks signals, and a tick
 * often comes just when another program gets the CPU. Then any thread gets the signal. The C
 * handler of CPython 3.9 to 3.12 asks the evaluation loop to look for signals only in the first
 * thread (SIGNAL_PENDING_SIGNALS in ceval.c), so with idle threads a Ctrl-C or an alarm may wait
 * for minutes. So a function of ours is put in front of that handler. It sends the signal on to the
 * first thread, where that one does not block it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Whether the action to be set is one of CPython's that needs this. Then ret_ours is to be set
 * instead. */
bool sc_python_signal_wraps(int number, const struct sigaction *action, struct sigaction *ret_ours);

/* The same for the actions that a program has set before this library was loaded into it. */
void sc_python_signal_begin_late(void);

/* Replaces our function by what the program has set. */
void sc_python_signal_hide(struct sigaction *action);

/* In a tick of the first thread: the signals that it blocks without us. */
void sc_python_signal_note(const void *context);
