/*
 * agent/memory_stack.c - the Python frames of the calling thread, told once per different stack.
 *
 * A thread that allocates is not interrupted: it has called a function, and what the interpreter
 * keeps of its frames is as complete as for any C code that asks. So frames are read by plain
 * loads, which is 10 to 20 times faster than asking the kernel for every page; the checks of the
 * walk (alignment, type of the code object) stay (docs/design/0006-memory.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/memory_stack.h"

#include <stddef.h>

#include "agent/agent.h"
#include "agent/known_keys.h"
#include "agent/rules.h"
#include "agent/safe_read.h"
#include "agent/scratch.h"
#include "channel/writer.h"
#include "cpython/walk.h"

#define KNOWN_STACKS 32768U

static _Atomic uint64_t known_stacks[KNOWN_STACKS];

SC_SIGNAL_SAFE static uint64_t mixed(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
    return hash ^ (hash >> 32);
}

/* The frames into the scratch buffer, innermost first. */
SC_SIGNAL_SAFE static uint32_t walk(struct sc_scratch *scratch, const struct sc_memory *memory,
                                    uint64_t state, bool *ret_cut)
{
    struct sc_walk walk;
    struct sc_py_frame frame;
    uint32_t count = 0;
    sc_walk_begin(&walk, &sc_agent.layout, memory, sc_agent.code_type, state);
    while (count < SC_MEMORY_FRAMES_MAX && sc_walk_next(&walk, &frame)) {
        uint64_t key = sc_scratch_key(scratch, memory, frame.code);
        if (key == 0)
            break;
        scratch->frames[count++] =
            (struct sc_sample_frame){.code_key = key, .instruction = frame.instruction};
    }
    *ret_cut = walk.end != SC_WALK_ROOT;
    return count;
}

SC_SIGNAL_SAFE static bool send_stack(uint64_t key, const struct sc_scratch *scratch,
                                      uint32_t count, bool cut)
{
    size_t size = sizeof(struct sc_record_stack) + count * sizeof(struct sc_sample_frame);
    struct sc_record_stack *record = sc_ring_reserve(sc_agent.segment, size);
    if (record == NULL) {
        sc_agent_lose(SC_AGENT_LOSS_MEMORY_RING_FULL);
        return false;
    }
    record->stack_key = key;
    record->frame_count = count;
    record->cut = cut;
    struct sc_sample_frame *frames = (struct sc_sample_frame *)(record + 1);
    for (uint32_t i = 0; i < count; i++)
        frames[i] = scratch->frames[i];
    sc_ring_commit(record, SC_RECORD_STACK, size);
    return true;
}

SC_SIGNAL_SAFE static bool read_stack(struct sc_scratch *scratch, uint64_t state, uint64_t *ret_key)
{
    struct sc_memory memory = {.read = sc_plain_read};
    bool cut = false;
    uint32_t count = walk(scratch, &memory, state, &cut);
    uint64_t key = 1;
    for (uint32_t i = 0; i < count; i++)
        key = mixed(mixed(key, scratch->frames[i].code_key),
                    (uint32_t)scratch->frames[i].instruction);
    *ret_key = count > 0 ? key : 0;
    if (count == 0 || sc_known_has(known_stacks, KNOWN_STACKS, key))
        return true;
    if (!send_stack(key, scratch, count, cut))
        return false;
    sc_known_add(known_stacks, KNOWN_STACKS, key);
    return true;
}

SC_SIGNAL_SAFE bool sc_memory_stack(uint64_t *ret_key)
{
    uint64_t state = sc_own_thread_state();
    *ret_key = 0;
    if (state == 0)
        return true;
    struct sc_scratch *scratch = sc_scratch_take();
    if (scratch == NULL) {
        sc_agent_lose(SC_AGENT_LOSS_MEMORY_BUSY);
        return false;
    }
    bool read = read_stack(scratch, state, ret_key);
    sc_scratch_give(scratch);
    return read;
}
