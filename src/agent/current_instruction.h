/*
 * agent/current_instruction.h - finds the executing instruction where the frame holds only an
 * earlier one.
 *
 * From 3.14 on the evaluation loop stores the instruction in the frame only before work that can
 * fail or call; between two such stores only a register holds the current one (fetch.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/walk.h"

/* Finds that register. Called once, at start. */
void sc_current_instruction_init(void);

/* Replaces frame->instruction if the program counter is in the loop and the register points into
 * the frame's bytecode. frame is the innermost one. */
void sc_current_instruction_correct(const void *context, const struct sc_target *target,
                                    struct sc_py_frame *frame);
