/*
 * agent/hook_signal.h - our ticks and the program's own use share one signal.
 *
 * The kernel has only one action per signal for the whole process. So the action that the program
 * sets is stored here, returned when the program asks for it, and used for signals that are not
 * ticks. It is set in the kernel for programs that this one executes. For signal masks see
 * hook_mask.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Installs our handler. */
bool sc_hook_signal_init(void);

/* Called around exec: SIG_IGN survives exec, so if the program has set it, the first one sets it in
 * the kernel and returns true. When exec has failed, pass that result to the second one. They use
 * only the stack, for children of vfork. */
bool sc_hook_signal_before_exec(void);
void sc_hook_signal_exec_failed(bool changed);

/* The same around calls that start another program in a new process. */
bool sc_hook_signal_before_spawn(void);
void sc_hook_signal_after_spawn(bool changed);

/* Restores the program's own action in the kernel, which also discards a pending tick. If the
 * program has a handler of its own, ours stays in front of it, to keep ticks from it. Waits until
 * no other thread runs code of ours. */
void sc_hook_signal_give_back(void);
