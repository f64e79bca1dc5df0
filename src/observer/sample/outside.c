/* observer/sample/outside.c - see outside.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/sample/outside.h"

#include "cpython/opcode.h"
#include "observer/process/threads.h"
#include "observer/sample/judgement.h"
#include "observer/sample/stack.h"

#define WALKS_MAX 4U
#define PROBES    3U /* more looks at the innermost frame */
#define FRAMES_MAX                                                                                 \
    512U /* deeper stacks change while they are read; the outer frames are left out */

/* CPU time after which a thread is likely to be elsewhere, a tenth of the usual interval; and one
 * that stands in a call. */
#define MOMENT_AGE_MAX_NS   1000000U
#define STANDING_AGE_MAX_NS 10000000U

struct snapshot {
    size_t count;
    struct sc_py_frame frames[FRAMES_MAX];
};

static struct sc_walk begin_walk(struct sc_process *process, const struct sc_watched_thread *thread)
{
    struct sc_walk walk;
    sc_remote_forget(&process->stacks.remote);
    sc_walk_begin(&walk, &process->layout, &process->stacks.target, process->facts.code_type,
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
    if (!sc_frame_opcode(&process->layout, &process->stacks.target, frame, &code_unit))
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

/* False when the code of a frame cannot be named. calls: with the boundaries of native calls. */
static bool add_frames(struct sc_process *process, const struct sc_watched_thread *thread,
                       const struct snapshot *snapshot, bool calls,
                       struct sc_sample_frame frames[FRAMES_MAX])
{
    sc_remote_forget(&process->stacks.remote);
    uint64_t interpreter = sc_thread_interpreter_number(&process->layout, &process->stacks.target,
                                                        thread->thread_state);
    for (size_t i = 0; i < snapshot->count; i++) {
        const struct sc_py_frame *frame = &snapshot->frames[i];
        uint64_t key = sc_codes_add_remote(&process->stacks.codes, &process->layout,
                                           &process->stacks.target, interpreter, frame->code);
        if (key == 0)
            return false;
        frames[i] = (struct sc_sample_frame){
            .code_key = key,
            .instruction = frame->instruction,
            .flags = calls && frame->calls_through_c ? SC_FRAME_CALLS_C : 0};
    }
    return true;
}

/* Whether each evaluation loop runs a group of the Python frames, as far as that can be seen; the
 * innermost loop may have none yet. */
static bool is_one_stack(const struct sc_callers *native, const struct snapshot *snapshot)
{
    size_t loops = 0;
    size_t groups = snapshot->count > 0;
    if (!native->is_whole)
        return true;
    for (uint32_t i = 0; i < native->count; i++)
        loops += (native->addresses[i] & SC_ADDRESS_IN_LOOP) != 0 &&
                 (i == 0 || (native->addresses[i - 1] & SC_ADDRESS_IN_LOOP) == 0);
    for (size_t i = 1; i < snapshot->count; i++)
        groups += snapshot->frames[i].calls_through_c;
    return loops == groups || loops == groups + 1;
}

/* Whether what the thread did at the moment is what it does now, as far as can be expected. A
 * thread that stands in a call has stood there for a while. */
static bool is_fresh(const struct sc_watched_thread *thread, const struct sc_cpu_moment *moment,
                     bool stands)
{
    uint64_t age_ns = sc_cpu_alarm_clock_ns(&thread->alarm) - moment->clock_ns;
    return age_ns <= (stands ? STANDING_AGE_MAX_NS : MOMENT_AGE_MAX_NS);
}

/* Finds the native frames of the moment. False when they could be of another stack, or cannot be
 * told from those that call the evaluation loop. */
static bool find_native(struct sc_process *process, const struct sc_cpu_moment *moment,
                        const struct snapshot *snapshot, struct sc_outside *ret)
{
    sc_remote_forget(&process->stacks.remote);
    struct sc_cpu_moment_memory memory = {.moment = moment, .now = &process->stacks.target};
    const struct sc_target stack = {.read = sc_cpu_moment_read, .context = &memory};
    bool knows_loop = process->facts.eval_range_count > 0;
    uint32_t capacity = knows_loop && process->stacks.native.symbols != NULL ? SC_ADDRESSES_MAX : 1;
    sc_callers_find(process, &stack, moment->registers, capacity, false, &ret->native);
    ret->in_call = sc_cpu_moment_in_call(moment, &process->stacks.target);
    if (((knows_loop && !ret->native.is_late) || ret->in_call) &&
        is_one_stack(&ret->native, snapshot))
        return true;
    ret->native.count = 0;
    ret->in_call = false;
    return false;
}

static void judge(struct sc_process *process, const struct snapshot *snapshot,
                  struct sc_sent_stack *sent, struct sc_outside *ret)
{
    uint16_t code_unit = 0;
    bool has_code_unit =
        snapshot->count > 0 && sc_frame_opcode(&process->layout, &process->stacks.target,
                                               &snapshot->frames[0], &code_unit);
    sent->addresses = ret->native.addresses;
    sent->address_count = ret->native.count;
    sent->flags = (uint16_t)((ret->in_call ? SC_SAMPLE_IN_SYSTEM_CALL : 0) |
                             (ret->native.reached_loop ? SC_SAMPLE_REACHED_EVAL : 0) |
                             (ret->native.is_whole ? SC_SAMPLE_WHOLE : 0) |
                             (has_code_unit ? SC_SAMPLE_HAS_CODE_UNIT : 0));
    struct sc_judgement judged = sc_judge(process, sent, code_unit);
    ret->kind = judged.kind;
    ret->is_freeing = judged.is_freeing;
}

/* The stack of both walks; false when it has no name. */
static bool note(struct sc_process *process, const struct sc_watched_thread *thread,
                 const struct sc_cpu_moment *moment, const struct snapshot both[2],
                 struct sc_outside *ret)
{
    struct sc_sample_frame frames[FRAMES_MAX];
    struct sc_sent_stack sent = {.frames = frames, .frame_count = (uint32_t)both[0].count};
    bool can_tell = moment != NULL && process->classifier != NULL;
    bool stands = both[0].count == 0 || stands_in_call(process, thread, &both[0], &both[1]);
    ret->has_moment =
        can_tell && is_fresh(thread, moment, stands) && find_native(process, moment, &both[0], ret);
    if (!stands)
        ret->kind = SC_SAMPLE_PYTHON;
    if (!add_frames(process, thread, &both[0], ret->has_moment, frames))
        return false;
    if (ret->has_moment)
        judge(process, &both[0], &sent, ret);
    if (sent.frame_count > 0)
        ret->node = sc_stack_of(process, &sent);
    return sent.frame_count == 0 || ret->node != 0;
}

bool sc_outside_read(struct sc_process *process, struct sc_watched_thread *thread,
                     const struct sc_cpu_moment *moment, struct sc_outside *ret)
{
    SC_AUTO_FREE struct snapshot *both = sc_alloc(2, sizeof(*both));
    bool good = false;
    ret->node = 0;
    ret->kind = SC_SAMPLE_NATIVE;
    ret->is_freeing = ret->in_call = ret->has_moment = false;
    ret->native.count = 0;
    if (!sc_process_find_state(process, thread))
        good = !process->stacks.remote.forbidden && !process->threads.remote.forbidden;
    for (unsigned i = 0; thread->thread_state != 0 && i < WALKS_MAX && !good; i++)
        good = take(process, thread, &both[0]) && take(process, thread, &both[1]) &&
               agree(&both[0], &both[1]);
    if (good && both[0].count == 0 && thread->thread_state != 0 &&
        sc_process_is_finalizing(process, thread)) {
        ret->kind = SC_SAMPLE_PYTHON;
        ret->node = sc_collect_ending(process->collect);
    } else if (good) {
        good = note(process, thread, moment, both, ret);
    }
    return good;
}
