/*
 * agent/hook_signal.h - one signal serves two masters: our ticks and the program's own use of it.
 *
 * What becomes of a signal is kept by the kernel for the process as a whole, so the program's idea
 * of it is kept apart here, given back when it asks, and obeyed for signals that are not ticks. It
 * is made real for what the program executes. Masks are another matter: hook_mask.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Installs our handler. */
bool sc_hook_signal_init(void);

/* Whether it is the signal that we and the program share. */
bool sc_hook_signal_is_shared(int number);

/* What sigaction does for that signal. Either may be NULL. */
int sc_hook_signal_change(const struct sigaction *action, struct sigaction *ret_before);

/* Around exec, which the program's SIG_IGN outlives: makes it real. True when that was done; to be
 * handed over when exec has failed. On the stack alone, for children of vfork. */
bool sc_hook_signal_before_exec(void);
void sc_hook_signal_exec_failed(bool changed);

/* The same around what starts a process of another program by itself. */
bool sc_hook_signal_before_spawn(void);
void sc_hook_signal_after_spawn(bool changed);

/* The kernel's action is the program's own again, and no pending tick is left, unless the program
 * has a handler of its own: then ours stays before it, to tell ticks apart. Waits for what
 * other threads do for us. */
void sc_hook_signal_give_back(void);
