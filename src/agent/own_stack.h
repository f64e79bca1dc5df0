/*
 * agent/own_stack.h - finds the bounds of the calling thread's C stack.
 *
 * A thread starts on a stack from libc or, the first thread, from the kernel. A program may switch
 * to a stack of its own (ucontext, an alternate stack for signals): then only the stack pointer is
 * known.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Records the bounds. Called at the start of the thread, in its outermost function. bytes: the size
 * of its stack. */
void sc_own_stack_begin(size_t bytes);

/* The same for the process's first thread; may be called there at any time. In normal context. */
void sc_own_stack_begin_main(void);

/* The part in use, [start, end): mapped, and readable. Empty on a stack of the program's own and in
 * a thread whose start was not seen. Async-signal-safe. */
void sc_own_stack_find(uint64_t *ret_start, uint64_t *ret_end);

/* How many bytes are free below the caller, on an alternate stack for signals too; false where the
 * bounds are not known. For hooks, in children of vfork too. */
bool sc_own_stack_room(uint64_t *ret_bytes);

/* Whether any of the bytes are in the stack that the caller runs on; if its bounds are not known,
 * whether any are close to the stack pointer. Async-signal-safe. */
bool sc_own_stack_meets(const void *bytes, size_t size);

/* Whether the calling thread has left the frame at that address for good, as by longjmp: it lies in
 * the thread's stack below here, which does, too. False on a stack of the program's own: a jump
 * from one stack to another may come back. Async-signal-safe. */
bool sc_own_stack_is_abandoned(uint64_t frame, uint64_t here);
