/*
 * agent/caller_stack.c - the frames of the calling thread, sent once per different stack.
 *
 * A thread that allocates is not interrupted at an arbitrary point, but the interpreter's record of
 * its frames may be inconsistent: greenlet allocates and copies while it replaces one stack by
 * another. So frames are read as carefully as in the signal handler (docs/design/0006-memory.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/caller_stack.h"

#include <stddef.h>

#include "agent/clock.h"
#include "agent/known_keys.h"
#include "agent/rules.h"
#include "agent/safe_read.h"
#include "agent/scratch.h"
#include "agent/state.h"
#include "agent/thread_state.h"
#include "channel/writer.h"
#include "cpython/walk.h"
#include "unwind/unwind.h"

#define KNOWN_STACKS      32768U
#define WALKED_FRAMES_MAX 1024U /* the default of sys.setrecursionlimit is 1,000 */
#define OUTER_FRAMES      64U   /* of those that are kept of a deep stack */

static _Atomic uint64_t known_stacks[KNOWN_STACKS];

SC_SIGNAL_SAFE static uint64_t mixed(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
    return hash ^ (hash >> 32);
}

/* Of a stack that is too deep the middle is left out: the frames of a recursion in a library are
 * alike, and the user's code that has called it may be further out. Calls through C out there no
 * longer match the native frames. */
SC_SIGNAL_SAFE static uint32_t leave_out_middle(struct sc_sample_frame *frames, uint32_t count)
{
    uint32_t left_out = count - SC_MEMORY_FRAMES_MAX;
    for (uint32_t i = SC_MEMORY_FRAMES_MAX - OUTER_FRAMES; i < SC_MEMORY_FRAMES_MAX; i++) {
        frames[i] = frames[i + left_out];
        frames[i].flags = 0;
    }
    return SC_MEMORY_FRAMES_MAX;
}

/* Reads the frames into the scratch buffer, innermost first. */
SC_SIGNAL_SAFE static void walk(struct sc_scratch *scratch, uint64_t state,
                                struct sc_record_stack *stack)
{
    struct sc_target target = {.read = sc_safe_read, .context = &scratch->reader};
    struct sc_walk walk;
    struct sc_py_frame frame;
    uint32_t count = 0;
    sc_scratch_read_of(scratch, &target, state);
    sc_walk_begin(&walk, &sc_agent.layout, &target, sc_agent.code_type, state);
    while (count < WALKED_FRAMES_MAX && sc_walk_next(&walk, &frame)) {
        uint64_t key = sc_scratch_key(scratch, &target, frame.code);
        if (key == 0)
            break;
        scratch->frames[count++] =
            (struct sc_sample_frame){.code_key = key,
                                     .instruction = frame.instruction,
                                     .flags = frame.calls_through_c ? SC_FRAME_CALLS_C : 0};
    }
    if (walk.end != SC_WALK_ROOT || count > SC_MEMORY_FRAMES_MAX)
        stack->flags |= SC_SAMPLE_CUT;
    stack->frame_count =
        count > SC_MEMORY_FRAMES_MAX ? leave_out_middle(scratch->frames, count) : count;
}

/* Reads the native frames into the scratch buffer, our own hooks included. The stack is read as
 * carefully as in a signal handler: unwind data may be wrong. */
SC_SIGNAL_SAFE static void unwind(struct sc_scratch *scratch, struct sc_registers *here,
                                  struct sc_record_stack *stack)
{
    struct sc_target target = {.read = sc_safe_read, .context = &scratch->reader};
    size_t count = 0;
    size_t loops = 0;
    if ((stack->flags & SC_SAMPLE_CUT) == 0)
        loops = sc_loops_wanted(scratch->frames, stack->frame_count);
    enum sc_unwind_end end = sc_unwind_past_loops(here, &target, &sc_agent.eval_ranges, loops,
                                                  scratch->addresses, SC_ADDRESSES_MAX, &count);
    stack->address_count = (uint16_t)count;
    if (end == SC_UNWIND_ROOT)
        stack->flags |= SC_SAMPLE_WHOLE;
}

SC_SIGNAL_SAFE static bool send_stack(const struct sc_record_stack *stack,
                                      const struct sc_scratch *scratch)
{
    size_t size = sizeof(*stack) + stack->frame_count * sizeof(struct sc_sample_frame) +
                  stack->address_count * sizeof(uint64_t);
    struct sc_record_stack *record = sc_ring_reserve(sc_agent.segment, size);
    if (record == NULL)
        return false;
    record->stack_key = stack->stack_key;
    record->frame_count = stack->frame_count;
    record->address_count = stack->address_count;
    record->flags = stack->flags;
    struct sc_sample_frame *frames = (struct sc_sample_frame *)(record + 1);
    for (uint32_t i = 0; i < stack->frame_count; i++)
        frames[i] = scratch->frames[i];
    uint64_t *addresses = (uint64_t *)(frames + stack->frame_count);
    for (uint32_t i = 0; i < stack->address_count; i++)
        addresses[i] = scratch->addresses[i];
    sc_ring_commit(record, SC_RECORD_STACK, size);
    return true;
}

/* here: NULL for Python frames alone. */
SC_SIGNAL_SAFE static bool read_stack(struct sc_scratch *scratch, uint64_t state,
                                      struct sc_registers *here, uint64_t *ret_key)
{
    struct sc_record_stack stack = {.stack_key = 1};
    walk(scratch, state, &stack);
    *ret_key = 0;
    if (stack.frame_count == 0)
        return true;
    if (here != NULL)
        unwind(scratch, here, &stack);
    for (uint32_t i = 0; i < stack.frame_count; i++)
        stack.stack_key = mixed(mixed(stack.stack_key, scratch->frames[i].code_key),
                                (uint32_t)scratch->frames[i].instruction);
    for (uint32_t i = 0; i < stack.address_count; i++)
        stack.stack_key = mixed(stack.stack_key, scratch->addresses[i]);
    *ret_key = stack.stack_key;
    if (sc_known_has(known_stacks, KNOWN_STACKS, stack.stack_key))
        return true;
    if (!send_stack(&stack, scratch))
        return false;
    sc_known_add(known_stacks, KNOWN_STACKS, stack.stack_key);
    return true;
}

SC_SIGNAL_SAFE bool sc_caller_stack(struct sc_registers *here, uint64_t *ret_key)
{
    uint64_t state = sc_own_thread_state();
    *ret_key = 0;
    if (state == 0)
        return true;
    struct sc_scratch *scratch = sc_scratch_acquire(sc_clock_ns(CLOCK_MONOTONIC));
    bool read =
        scratch != NULL && read_stack(scratch, state, sc_agent.with_stacks ? here : NULL, ret_key);
    if (!read)
        sc_agent_lose(scratch == NULL ? SC_AGENT_LOSS_MEMORY_BUSY : SC_AGENT_LOSS_MEMORY_RING_FULL);
    if (scratch != NULL)
        sc_scratch_release(scratch);
    return read;
}

SC_SIGNAL_SAFE bool sc_python_stack(uint64_t state, uint64_t *ret_key)
{
    *ret_key = 0;
    if (state == 0)
        return true;
    struct sc_scratch *scratch = sc_scratch_acquire(sc_clock_ns(CLOCK_MONOTONIC));
    if (scratch == NULL)
        return false;
    bool read = read_stack(scratch, state, NULL, ret_key);
    sc_scratch_release(scratch);
    return read;
}
