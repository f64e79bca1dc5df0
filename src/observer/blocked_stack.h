/*
 * observer/blocked_stack.h - the native part of the stack of a thread that is blocked, read from
 * outside.
 *
 * The kernel tells of such a thread where its system call returns to, and its stack pointer. From
 * there the unwind records of the files lead outwards, as far as they need no other register that
 * the thread still holds, to the evaluation loop. Nothing is asked of the thread.
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
    uint64_t ticked_ns;     /* the tick of these: */
    uint32_t found_in_tick; /* so many were looked for */
};

void sc_blocked_stacks_done(struct sc_blocked_stacks *stacks);

/* The node of a stack of Python frames and, below the innermost, of the functions it has called, up
 * to the system call; where those cannot be told, of the one that has called the kernel. blocked is
 * NULL, or has no instruction, for a thread that is in no system call: Python frames alone. */
uint32_t sc_blocked_stack(struct sc_process *process, pid_t tid, const struct sc_sent_stack *python,
                          const struct sc_blocked *blocked);
