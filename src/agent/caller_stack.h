/*
 * agent/caller_stack.h - the frames of the calling thread, sent once per different stack.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sc_registers;

/* The key of the calling thread's stack, announced to the observer; 0 when it has no Python frame.
 * Native frames are those from *here on (registers_here.h); it is the outermost one's afterwards.
 * False when it could not be read or sent (the loss has been counted). Async-signal-safe. */
bool sc_caller_stack(struct sc_registers *here, uint64_t *ret_key);

/* The same without native frames, however stacks are taken otherwise, and without counting what
 * goes wrong: for what happens too often for more. */
bool sc_python_stack(uint64_t *ret_key);
