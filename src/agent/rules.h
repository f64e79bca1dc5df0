/*
 * agent/rules.h - rules for code that runs inside other people's programs.
 *
 *  1. The signal handler and the hooks call no malloc and no stdio, take no lock, and do nothing
 *     that can wait. Of libc the handler calls only the functions that tools/check_signal_safe.py
 *     lists. Two kinds of code may allocate and lock: the hooks of system and popen, which do so
 *     themselves, and the callbacks of CUPTI, which CUDA calls where it may wait anyway.
 *  2. To take a sample, we run no Python code, do not take the GIL, and change no reference count.
 *  3. We trust no pointer read from the interpreter: memory that it points to is read through
 *     safe_read.h, and every loop over data reached from it is bounded. This holds in hooks, too: a
 *     hook may be called by code that is moving the stack that holds the interpreter's frames.
 *  4. Our code leaves errno and the signal mask as it found them. The handler needs less than 2 KB
 *     of stack.
 *  5. What cannot be done at once is not done: we count the loss by name (enum sc_agent_loss), and
 *     the program runs on.
 *  6. All thread-local variables are in one struct, with a TLS model that never allocates (see
 *     state.h). What a thread needs is created when the thread starts, never in the handler.
 *  7. After fork, the child unmaps its parent's ring before it writes anything, and then gets its
 *     own. A child of vfork shares its parent's memory: there the exec hooks use the stack, and the
 *     parent's ring for their record; the other hooks pass the call on.
 *  8. The program sees the same environment, signal dispositions, descriptors and threads as it
 *     would without us (switches.h: where the user wants two signals to be ours, it does not see
 * it). Signal masks are always the kernel's: hooks never report another mask.
 *  9. If anything is wrong, the agent goes dormant, and the program runs on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "unwind/signal_safe.h" /* SC_SIGNAL_SAFE marks what runs in the handler */

/* Tell the compiler which branch is the fast path. */
#define SC_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define SC_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Marks functions that other objects may bind to (exports.def): mostly hooks. */
#define SC_EXPORT __attribute__((visibility("default")))
