/*
 * agent/own_stack.h - where the calling thread's C stack lies.
 *
 * A thread begins on a stack that it has from libc or, the first one, from the kernel. A program
 * may leave that for one of its own (ucontext, an alternate stack for signals): then nothing is
 * known of the stack but where its pointer stands.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At the start of the calling thread, in its outermost function. bytes: the size of its stack. */
void sc_own_stack_begin(size_t bytes);

/* The same in the process's first thread, at any time. In normal context. */
void sc_own_stack_begin_main(void);

/* The part in use, [start, end): mapped, and readable. Empty on a stack of the program's own and in
 * a thread whose start was not seen. Async-signal-safe. */
void sc_own_stack_find(uint64_t *ret_start, uint64_t *ret_end);

/* Whether any of the bytes are part of the stack that the caller runs on; of a stack that is not
 * known, near its pointer. Async-signal-safe. */
bool sc_own_stack_meets(const void *bytes, size_t size);
