/*
 * agent/handler.h - takes a sample of the running thread at a tick.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Whether the signal is a tick of ours and not another use of SC_TICK_SIGNAL. */
bool sc_tick_is_ours(const siginfo_t *info);

/* Takes one sample of the calling thread. The handler's second and third argument. */
void sc_tick(const siginfo_t *info, void *context);
