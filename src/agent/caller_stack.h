/*
 * agent/caller_stack.h - the frames of the calling thread, sent once per different stack.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sc_registers;

/* The key of the calling thread's stack, which has been sent to the observer; 0 when it has no
 * Python frame. Native frames are read starting at the registers *here (registers_here.h), which
 * are changed to those of the outermost frame reached. False when the stack could not be read or
 * sent (the loss has been counted). Async-signal-safe. */
bool sc_caller_stack(struct sc_registers *here, uint64_t *ret_key);

/* The same of the thread with that thread state, or 0, without native frames, whatever the
 * settings, and without counting losses: for use on hot paths. */
bool sc_python_stack(uint64_t state, uint64_t *ret_key);
