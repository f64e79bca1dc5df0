/*
 * agent/rules.h - the rules of code that runs inside other people's programs. Read them aloud.
 *
 *  1. In the signal handler and in hooks: no malloc, no stdio, no lock, nothing that can wait. From
 *     libc only what tools/check_signal_safe.py lists.
 *  2. No Python code runs, the GIL is not taken, no reference count changes on behalf of a sample.
 *  3. No pointer read from the interpreter is trusted: it is read through safe_read.h, and every
 *     loop over what it leads to is bounded. In a hook, too: what calls it may be moving the stack
 *     that the interpreter's frames are on.
 *  4. errno and the signal mask are as they were when we leave. The handler needs < 2 KB of stack.
 *  5. What cannot be done at once is not done: the loss is counted by name, the program goes on.
 *  6. Thread-locals are initial-exec and live in one struct. What a thread needs is made when it
 *     starts, never in the handler.
 *  7. After fork the child lets go of its parent's ring before it writes anything, and gets its
 *     own. In a vfork child only the hooks of exec run, on the stack.
 *  8. The program sees its own world: its environment, its signal dispositions, its descriptors,
 *     its threads, as without us. Masks of signals are the kernel's: nothing about them is made up.
 *  9. If anything is wrong, the agent goes dormant and the program runs on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "unwind/signal_safe.h" /* SC_SIGNAL_SAFE, on all that runs in the handler */

/* Which way the fast path goes. */
#define SC_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define SC_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Names other objects may bind to: the functions we stand in front of. */
#define SC_EXPORT __attribute__((visibility("default")))
