/*
 * observer/waiting/blocked_stack.h - the native part of the stack of a thread that is blocked, read
 * from outside.
 *
 * The kernel shows the address that the thread's system call returns to, and its stack pointer.
 * From these the unwind records of the files give the callers, up to the evaluation loop or to the
 * first caller that can be found only from a register that the kernel does not show. The thread is
 * not interrupted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process/process.h"
#include "observer/sample/stack.h"

void sc_blocked_stacks_done(struct sc_blocked_stacks *stacks);

/* The node of a stack: its Python frames and, below the innermost, the native functions up to the
 * system call. Where these cannot be found, only the function that made the system call is added.
 * blocked is NULL, or has no instruction, for a thread that is in no system call: Python frames
 * alone. ret_may_grow: a later call may find more. */
uint32_t sc_blocked_stack(struct sc_process *process, pid_t tid, const struct sc_sent_stack *python,
                          const struct sc_blocked *blocked, bool *ret_may_grow);

/* The same of a thread whose registers are known, where pc is not 0, wherever it is. One without
 * Python frames has native ones alone. */
uint32_t sc_stopped_stack(struct sc_process *process, pid_t tid, const struct sc_sent_stack *python,
                          const struct sc_registers *registers, bool *ret_may_grow);
