/*
 * observer/link/control_client.h - the client's side of control.h: sends an order to the observer
 * of a process.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* Sends "on", "off" or "state" to the observer of a process or of one above it; *ret_is_on is the
 * state from then on. False when the process is not profiled, or the observer does not answer. */
bool sc_control_send(const char *word, pid_t pid, bool *ret_is_on, struct sc_err *err);
