/*
 * observer/sample/stack.h - the stack of one sample: Python and native frames in the order of the
 * calls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "channel/format.h"
#include "observer/process/process.h"

/* A stack as the agent has sent it: frames and addresses innermost first, flags of enum
 * sc_sample_flags. */
struct sc_sent_stack {
    const struct sc_sample_frame *frames;
    const uint64_t *addresses;
    uint32_t frame_count;
    uint32_t address_count;
    uint16_t flags;
};

struct sc_sent_stack sc_sent_sample(const struct sc_record_sample *record);
struct sc_sent_stack sc_sent_allocation(const struct sc_record_stack *record);

/* The node of the stack below the root. An evaluation loop on the native stack marks the place of a
 * group of Python frames. Outside the outermost Python frame, start-up of the interpreter and of
 * threads is left out. Without rights to read the process's maps no native function is shown;
 * without --stacks: Python frames alone. */
uint32_t sc_stack_of(struct sc_process *process, const struct sc_sent_stack *sent);

/* The node of the stack's native frames alone, below a node of Python frames. */
uint32_t sc_stack_below(struct sc_process *process, const struct sc_sent_stack *sent,
                        uint32_t node);

/* The node of the stack of a thread that ends the interpreter. */
uint32_t sc_stack_ending(struct sc_process *process, const struct sc_sent_stack *sent);

/* The innermost Python frame at or above node, or the root. Of a thread that ends the interpreter
 * it is the frame that stands for that. */
uint32_t sc_stack_python_part(const struct sc_collect *collect, uint32_t node);

/* The node at which time of a kind is charged for a stack. A stack ends with a frame for what its
 * time was spent on: a Python frame for interpreting, a native one for native time, the kernel for
 * system calls and waiting; where its frames do not show it, a frame is added that shows only this.
 * So views of stacks agree with those of lines. A stack without Python frames is not changed, and
 * no stack is when native frames are not recorded. */
uint32_t sc_stack_spent(struct sc_process *process, uint32_t node, enum sc_time time);
