/*
 * agent/rules.h - rules for code that runs inside other people's programs.
 *
 *  1. In the signal handler and in hooks: no malloc, no stdio, no lock, nothing that can wait. From
 *     libc only what tools/check_signal_safe.py lists.
 *  2. No Python code runs, the GIL is not taken, no reference count changes on behalf of a sample.
 *  3. No pointer read from the interpreter is trusted: it is read through safe_read.h, and every
 *     loop over data reached from it is bounded. That holds in hooks, too: their caller may be
 *     moving the stack that holds the interpreter's frames.
 *  4. errno and the signal mask are as they were when we leave. The handler needs < 2 KB of stack.
 *  5. What cannot be done at once is not done: the loss is counted by name, the program runs on.
 *  6. Thread-locals are initial-exec and live in one struct. What a thread needs is created
 *     when it starts, never in the handler.
 *  7. After fork the child unmaps its parent's ring before it writes anything, and gets its own.
 *     In a vfork child only the exec hooks run, and use only the stack.
 *  8. The program sees its environment, signal dispositions, descriptors and threads as without
 *     us. Signal masks are always the kernel's: the hooks never report anything else.
 *  9. If anything is wrong, the agent goes dormant and the program runs on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "unwind/signal_safe.h" /* SC_SIGNAL_SAFE, on all that runs in the handler */

/* Mark the fast path for the compiler. */
#define SC_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define SC_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Marks functions that other objects may bind to: the hooks. */
#define SC_EXPORT __attribute__((visibility("default")))
