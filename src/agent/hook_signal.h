/*
 * agent/hook_signal.h - one signal serves two masters: our ticks and the program's own use of it.
 *
 * The tick signal is always caught by us and never blocked. The program's idea of its disposition
 * and of its place in a thread's mask is kept apart, given back when it asks, and obeyed for
 * signals that are not ticks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* Installs our handler and unblocks the signal in the calling thread. */
bool sc_hook_signal_init(void);

/* In a fork child: pending signals are not inherited. If it is not followed, the mask becomes what
 * the program believes it to be. */
void sc_hook_signal_after_fork(bool followed);
