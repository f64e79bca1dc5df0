/*
 * agent/lagging.h - the executing instruction where the frame only knows an earlier one.
 *
 * From 3.14 on the evaluation loop stores the instruction in the frame only before work that can
 * fail or call; between two such stores the truth is in a register. While the program counter is in
 * the loop, the register that points into the running bytecode most often, over all samples, is the
 * one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/walk.h"

/* Replaces frame->instruction when the register is known. frame is the innermost one. */
void sc_lagging_correct(const void *context, const struct sc_memory *memory,
                        struct sc_py_frame *frame);
