/*
 * observer/system/core_registers.h - the registers of a thread in a core file, and those that a
 * signal has interrupted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/system/core_file.h"
#include "observer/system/procfs_text.h"
#include "unwind/record.h"

/* Sets the registers, and what the kernel would say of a thread that is blocked: whether it is in a
 * system call, and in which. target reads the code. */
void sc_core_registers(const struct sc_core_thread *thread, const struct sc_target *target,
                       struct sc_registers *ret_registers, struct sc_blocked *ret_blocked);

/* Where pc is what a handler of a signal returns to: sets the registers that the signal has
 * interrupted, which the kernel has put onto the stack. False, and nothing is set, elsewhere. */
bool sc_registers_interrupted(const struct sc_target *target, struct sc_registers *registers);
