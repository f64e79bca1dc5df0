/*
 * agent/handler.h - the tick of a running thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Whether the signal is a tick of ours and not somebody's SC_TICK_SIGNAL. */
bool sc_tick_is_ours(const siginfo_t *info);

/* Takes one sample of the calling thread. context is the handler's third argument; is_fine: the
 * tick is a perf event's. */
void sc_tick(void *context, bool is_fine);
