/*
 * observer/blocked_stack.h - the native part of the stack of a thread that is blocked, read from
 * outside.
 *
 * The kernel shows the address that the thread's system call returns to, and its stack pointer.
 * From these the unwind records of the files give the callers, up to the evaluation loop or to the
 * first one that needs another register, which only the thread has. The thread is not interrupted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/map.h"

struct sc_blocked;
struct sc_process;
struct sc_sent_stack;

/* What was found before, one per process. Initialise with {0}. */
struct sc_blocked_stacks {
    struct sc_map nodes;    /* thread, place and Python frames -> node */
    uint64_t generation;    /* of the modules, when that was found */
    uint64_t ticked_ns;     /* the tick that found_in_tick counts in */
    uint32_t found_in_tick; /* stacks looked for in that tick */
};

void sc_blocked_stacks_done(struct sc_blocked_stacks *stacks);

/* The node of a stack: its Python frames and, below the innermost, the native functions up to the
 * system call. Where these cannot be found, only the function that made the system call is added.
 * blocked is NULL, or has no instruction, for a thread that is in no system call: Python frames
 * alone. */
uint32_t sc_blocked_stack(struct sc_process *process, pid_t tid, const struct sc_sent_stack *python,
                          const struct sc_blocked *blocked);
