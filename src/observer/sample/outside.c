/*
 * observer/sample/outside.c - the stack of a thread that runs, read from outside.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/sample/outside.h"

#include "cpython/opcode.h"
#include "observer/process/threads.h"
#include "observer/sample/stack.h"

#define WALKS_MAX 4U
#define PROBES    3U /* more looks at the innermost frame */
#define FRAMES_MAX                                                                                 \
    512U /* deeper stacks change while they are read; the outer frames are left out */

struct snapshot {
    size_t count;
    struct sc_py_frame frames[FRAMES_MAX];
};

static struct sc_walk begin_walk(struct sc_process *process, const struct sc_watched_thread *thread)
{
    struct sc_walk walk;
    sc_remote_forget(&process->remote);
    sc_walk_begin(&walk, &process->layout, &process->target, process->facts.code_type,
                  thread->thread_state);
    return walk;
}

/* False when the walk did not come to an end. */
static bool take(struct sc_process *process, const struct sc_watched_thread *thread,
                 struct snapshot *ret)
{
    struct sc_walk walk = begin_walk(process, thread);
    ret->count = 0;
    while (ret->count < FRAMES_MAX && sc_walk_next(&walk, &ret->frames[ret->count]))
        ret->count++;
    return walk.end == SC_WALK_ROOT || ret->count == FRAMES_MAX;
}

static bool is_same_place(const struct sc_py_frame *one, const struct sc_py_frame *other)
{
    return one->address == other->address && one->code == other->code &&
           one->instruction == other->instruction;
}

/* Both have ended at the same outermost frame, or are too deep to see it. */
static bool agree(const struct snapshot *one, const struct snapshot *other)
{
    if (one->count == FRAMES_MAX || other->count == FRAMES_MAX || one->count == 0)
        return one->count == other->count;
    const struct sc_py_frame *outer = &one->frames[one->count - 1];
    return other->count > 0 && outer->address == other->frames[other->count - 1].address &&
           outer->code == other->frames[other->count - 1].code;
}

static bool may_be_in_c(struct sc_process *process, const struct sc_py_frame *frame)
{
    uint16_t code_unit = 0;
    if (!sc_frame_opcode(&process->layout, &process->target, frame, &code_unit))
        return false;
    enum sc_opcode_kind kind = sc_opcode_kind(process->facts.version, (uint8_t)code_unit);
    return kind == SC_OPCODE_CALL || kind == SC_OPCODE_CALL_NATIVE;
}

/* Whether the innermost frame is at the same call instruction at each of several looks. A thread
 * that is kept from its CPU stays at any instruction. */
static bool stands_in_call(struct sc_process *process, const struct sc_watched_thread *thread,
                           const struct snapshot *one, const struct snapshot *other)
{
    bool still =
        is_same_place(&one->frames[0], &other->frames[0]) && may_be_in_c(process, &one->frames[0]);
    for (unsigned i = 0; i < PROBES && still; i++) {
        struct sc_walk walk = begin_walk(process, thread);
        struct sc_py_frame frame;
        still = sc_walk_next(&walk, &frame) && is_same_place(&one->frames[0], &frame);
    }
    return still;
}

static uint32_t node_of(struct sc_process *process, const struct sc_watched_thread *thread,
                        const struct snapshot *snapshot)
{
    struct sc_sample_frame frames[FRAMES_MAX];
    size_t count = 0;
    sc_remote_forget(&process->remote);
    uint64_t interpreter =
        sc_thread_interpreter_number(&process->layout, &process->target, thread->thread_state);
    for (; count < snapshot->count; count++) {
        uint64_t key = sc_codes_add_remote(&process->codes, &process->layout, &process->target,
                                           interpreter, snapshot->frames[count].code);
        if (key == 0)
            return 0;
        frames[count] = (struct sc_sample_frame){
            .code_key = key, .instruction = snapshot->frames[count].instruction};
    }
    struct sc_sent_stack sent = {.frames = frames, .frame_count = (uint32_t)count};
    return sc_stack_of(process, &sent);
}

bool sc_outside_look(struct sc_process *process, struct sc_watched_thread *thread,
                     uint32_t *ret_node, enum sc_sample_kind *ret_kind)
{
    struct snapshot *both = sc_alloc(2, sizeof(*both));
    bool good = false;
    *ret_node = 0;
    *ret_kind = SC_SAMPLE_NATIVE;
    if (!sc_process_find_state(process, thread)) {
        good = !process->remote.forbidden && !process->list_remote.forbidden;
        free(both);
        return good;
    }
    for (unsigned i = 0; i < WALKS_MAX && !good; i++)
        good = take(process, thread, &both[0]) && take(process, thread, &both[1]) &&
               agree(&both[0], &both[1]);
    if (good && both[0].count > 0) {
        if (!stands_in_call(process, thread, &both[0], &both[1]))
            *ret_kind = SC_SAMPLE_PYTHON;
        *ret_node = node_of(process, thread, &both[0]);
        good = *ret_node != 0;
    } else if (good && sc_process_is_finalizing(process, thread)) {
        *ret_kind = SC_SAMPLE_PYTHON;
        *ret_node = sc_collect_ending(process->collect);
    }
    free(both);
    return good;
}
