/* agent/handler.c - see handler.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/handler.h"

#include <sys/resource.h>

#include "agent/budget.h"
#include "agent/clock.h"
#include "agent/current_instruction.h"
#include "agent/home.h"
#include "agent/kept.h"
#include "agent/rules.h"
#include "agent/scratch.h"
#include "agent/state.h"
#include "agent/thread_state.h"
#include "agent/timer.h"
#include "channel/writer.h"
#include "cpython/walk.h"
#include "unwind/machine.h"

/* A function that writes a record or reads a stack notes an address that is less than this below
 * its own stack pointer. */
#define HOLDER_BYTES 1024U

#define FRAMES_AHEAD   12U
#define FRAMES_BETWEEN 1024U /* between two readings of the clock, each as slow as ten frames */

/* What one tick has found out, apart from what is in the scratch buffer. */
struct tick {
    struct sc_record_sample sample;
    struct sc_scratch *scratch;
    struct sc_target target;
    void *context;
    int overruns;    /* of the timer */
    bool has_waited; /* the thread, for anything other than a CPU, since its last sample */
};

SC_SIGNAL_SAFE static void note_collection(struct tick *tick, uint64_t state)
{
    const struct sc_layout *layout = &sc_agent.layout;
    uint64_t address = 0;
    if (layout->rt_gc_collecting >= 0)
        address = sc_agent.runtime + (uint64_t)layout->rt_gc_collecting;
    else if (layout->is_gc_collecting >= 0 && layout->ts_interp >= 0) {
        if (!sc_target_read(&tick->target, state + (uint64_t)layout->ts_interp, &address,
                            sizeof(address)))
            return;
        address += (uint64_t)layout->is_gc_collecting;
    }
    int32_t collecting = 0;
    if (address != 0 && sc_target_read(&tick->target, address, &collecting, sizeof(collecting)) &&
        collecting == 1)
        tick->sample.flags |= SC_SAMPLE_COLLECTING;
}

/* Adds a frame; false when the stack has to end here. */
SC_SIGNAL_SAFE static bool add_frame(struct tick *tick, const struct sc_py_frame *frame)
{
    uint32_t count = tick->sample.frame_count;
    uint64_t key = sc_scratch_key(tick->scratch, &tick->target, frame->code);
    if (key == 0) {
        tick->sample.flags |= SC_SAMPLE_BROKEN;
        return false;
    }
    tick->scratch->frames[count] =
        (struct sc_sample_frame){.code_key = key,
                                 .instruction = frame->instruction,
                                 .flags = frame->calls_through_c ? SC_FRAME_CALLS_C : 0};
    tick->sample.frame_count = count + 1;
    return true;
}

SC_SIGNAL_SAFE static void note_innermost(struct tick *tick, struct sc_py_frame *frame)
{
    if (sc_agent.layout.instruction_may_lag)
        sc_current_instruction_correct(tick->context, &tick->target, frame);
    if (sc_frame_opcode(&sc_agent.layout, &tick->target, frame, &tick->sample.code_unit))
        tick->sample.flags |= SC_SAMPLE_HAS_CODE_UNIT;
}

/* Frames of a recursion are equally spaced, so those further out are prefetched into the cache
 * while this one is read. A prefetch never faults, wherever it points. */
SC_SIGNAL_SAFE static void look_ahead(const struct sc_walk *walk, const struct sc_py_frame *frame)
{
    uint64_t ahead = frame->address + FRAMES_AHEAD * (walk->next_frame - frame->address) +
                     (uint64_t)sc_agent.layout.fr_back;
    __builtin_prefetch((const void *)(uintptr_t)ahead);
    __builtin_prefetch((const void *)(uintptr_t)(ahead + 64));
}

/* Whether the stack is cut here because reading more of it would cost too much. */
SC_SIGNAL_SAFE static bool is_too_deep(const struct tick *tick)
{
    uint32_t count = tick->sample.frame_count;
    if (count == SC_FRAMES_MAX)
        return true;
    return count != 0 && count % FRAMES_BETWEEN == 0 &&
           sc_clock_ns(CLOCK_THREAD_CPUTIME_ID) > tick->sample.cpu_ns + SC_TICK_COST_MAX_NS;
}

SC_SIGNAL_SAFE static void walk_python(struct tick *tick)
{
    uint64_t state = sc_own_thread_state();
    if (state == 0)
        return;
    struct sc_walk walk;
    struct sc_py_frame frame;
    sc_scratch_read_of(tick->scratch, &tick->target, state);
    sc_walk_begin(&walk, &sc_agent.layout, &tick->target, sc_agent.code_type, state);
    while (sc_walk_next(&walk, &frame)) {
        if (is_too_deep(tick)) {
            tick->sample.flags |= SC_SAMPLE_CUT;
            sc_agent_lose(SC_AGENT_LOSS_TOO_DEEP);
            break;
        }
        if (tick->sample.frame_count == 0)
            note_innermost(tick, &frame);
        look_ahead(&walk, &frame);
        if (!add_frame(tick, &frame))
            break;
    }
    if (walk.end == SC_WALK_UNREADABLE || walk.end == SC_WALK_BAD_FRAME) {
        tick->sample.flags |= SC_SAMPLE_BROKEN;
        sc_agent_lose(SC_AGENT_LOSS_BAD_FRAME);
    }
    note_collection(tick, state);
    if (tick->sample.frame_count == 0 &&
        sc_thread_is_finalizing(&sc_agent.layout, &tick->target, sc_agent.runtime, state))
        tick->sample.flags |= SC_SAMPLE_ENDING;
}

/* Reads the whole native stack, and marks addresses in evaluation loops. */
SC_SIGNAL_SAFE static void walk_whole(struct tick *tick)
{
    size_t count = 0;
    uint64_t *addresses = tick->scratch->addresses;
    size_t loops = 0;
    if ((tick->sample.flags & (SC_SAMPLE_CUT | SC_SAMPLE_BROKEN)) == 0)
        loops = sc_loops_wanted(tick->scratch->frames, tick->sample.frame_count);
    struct sc_registers registers;
    sc_machine_load(tick->context, &registers);
    enum sc_unwind_end end = sc_unwind_past_loops(&registers, &tick->target, &sc_agent.eval_ranges,
                                                  loops, addresses, SC_ADDRESSES_MAX, &count);
    tick->sample.address_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        if ((addresses[i] & SC_ADDRESS_IN_LOOP) != 0)
            tick->sample.flags |= SC_SAMPLE_REACHED_EVAL;
    }
    if (end == SC_UNWIND_ROOT)
        tick->sample.flags |= SC_SAMPLE_WHOLE;
    else if (end == SC_UNWIND_LIMIT)
        sc_agent_lose(SC_AGENT_LOSS_NATIVE_CUT);
}

SC_SIGNAL_SAFE static void walk_to_loop(struct tick *tick)
{
    size_t count = 0;
    enum sc_unwind_end end = sc_unwind(tick->context, &tick->target, &sc_agent.eval_ranges,
                                       tick->scratch->addresses, SC_ADDRESSES_MAX, &count);
    tick->sample.address_count = (uint32_t)count;
    if (end == SC_UNWIND_EVAL)
        tick->sample.flags |= SC_SAMPLE_REACHED_EVAL;
}

SC_SIGNAL_SAFE static void walk_native(struct tick *tick)
{
    if (sc_agent.with_stacks)
        walk_whole(tick);
    else
        walk_to_loop(tick);
    if (sc_context_in_system_call(tick->context, &tick->target))
        tick->sample.flags |= SC_SAMPLE_IN_SYSTEM_CALL;
}

/* Writes the sample, except the outermost frames that the observer has already. */
SC_SIGNAL_SAFE static void fill_record(struct sc_record_sample *record, const struct tick *tick,
                                       uint32_t common)
{
    const struct sc_record_sample *sample = &tick->sample;
    uint32_t count = sample->frame_count - common;
    record->time_ns = sample->time_ns;
    record->cpu_ns = sample->cpu_ns;
    record->tid = sample->tid;
    record->flags = sample->flags;
    record->code_unit = sample->code_unit;
    record->frame_count = count;
    record->address_count = sample->address_count;
    record->kept_place = SC_KEPT_NOWHERE;
    record->kept_count = common;
    record->kept_number = 0;
    record->ticks = sample->ticks;
    record->late_ns = sample->late_ns;
    struct sc_sample_frame *frames = (struct sc_sample_frame *)(record + 1);
    for (uint32_t i = 0; i < count; i++)
        frames[i] = tick->scratch->frames[i];
    uint64_t *addresses = (uint64_t *)(frames + count);
    for (uint32_t i = 0; i < sample->address_count; i++)
        addresses[i] = tick->scratch->addresses[i];
}

SC_SIGNAL_SAFE static bool send_frames(const struct tick *tick, struct sc_kept *kept)
{
    const struct sc_sample_frame *frames = tick->scratch->frames;
    uint32_t count = tick->sample.frame_count;
    uint32_t common = kept != NULL ? sc_kept_count_common(kept, frames, count) : 0;
    size_t size = sizeof(tick->sample) + (count - common) * sizeof(*frames) +
                  tick->sample.address_count * sizeof(uint64_t);
    struct sc_record_sample *record = sc_ring_reserve(sc_agent.segment, size);
    if (record == NULL)
        return false;
    fill_record(record, tick, common);
    if (kept != NULL) {
        record->kept_place = sc_kept_index(kept);
        record->kept_number = sc_kept_store(kept, frames, count, common);
    }
    sc_ring_commit(record, SC_RECORD_SAMPLE, size);
    return true;
}

SC_SIGNAL_SAFE static void send_sample(const struct tick *tick)
{
    struct sc_kept *kept = NULL;
    if (tick->sample.frame_count >= SC_KEPT_LEAST)
        kept = sc_kept_acquire(tick->sample.tid, sc_agent.epoch);
    if (send_frames(tick, kept)) {
        sc_agent_thread.ticks = 0;
        atomic_fetch_add_explicit(&sc_agent.segment->samples, 1, memory_order_relaxed);
    } else {
        sc_agent_lose(SC_AGENT_LOSS_RING_FULL);
    }
    if (kept != NULL)
        sc_kept_release(kept);
}

/* How many jiffies of its CPU time the thread has spent in the kernel. */
SC_SIGNAL_SAFE static uint64_t kernel_ticks_of(const struct rusage *used)
{
    uint64_t us = (uint64_t)used->ru_stime.tv_sec * 1000000U + (uint64_t)used->ru_stime.tv_usec;
    return sc_agent.jiffy_ns > 0 ? us * 1000U / sc_agent.jiffy_ns : 0;
}

/* Finds out whether the thread has waited since its last sample. The kernel's ticks during a system
 * call are delivered as one signal, when it returns; the thread's system CPU time, in jiffies, is
 * how many there can have been. */
SC_SIGNAL_SAFE static void note_waits(struct tick *tick, struct sc_agent_thread *thread)
{
    struct rusage used;
    tick->has_waited = true;
    if (getrusage(RUSAGE_THREAD, &used) != 0)
        return;
    tick->has_waited = thread->waits != (uint8_t)used.ru_nvcsw;
    uint8_t in_kernel = (uint8_t)(kernel_ticks_of(&used) - thread->kernel_ticks);
    thread->waits = (uint8_t)used.ru_nvcsw;
    thread->kernel_ticks = (uint8_t)(thread->kernel_ticks + in_kernel);
    if (!tick->has_waited || thread->uses_perf)
        return;
    tick->sample.flags |= SC_SAMPLE_WAITED;
    if ((tick->sample.flags & SC_SAMPLE_IN_SYSTEM_CALL) != 0 && tick->sample.ticks < in_kernel)
        tick->sample.ticks = in_kernel;
}

/* A signal that falls due in a system call is delivered when the call returns. The wall clock shows
 * how long that took, unless the thread has slept in the call. */
SC_SIGNAL_SAFE static void note_overdue(struct tick *tick)
{
    struct sc_record_sample *sample = &tick->sample;
    struct sc_agent_thread *thread = &sc_agent_thread;
    if ((sample->flags & SC_SAMPLE_FINE) != 0)
        return;
    note_waits(tick, thread);
    if ((sample->flags & SC_SAMPLE_IN_SYSTEM_CALL) == 0)
        sc_timer_note_tick(sample->time_ns);
    else if (!tick->has_waited)
        sample->late_ns =
            sc_timer_overdue_ns(thread, sample->time_ns, sample->cpu_ns, tick->overruns);
}

SC_SIGNAL_SAFE static void sample_thread(struct tick *tick)
{
    tick->scratch = sc_scratch_acquire(0);
    if (tick->scratch == NULL) {
        sc_agent_lose(SC_AGENT_LOSS_BUSY);
        return;
    }
    tick->target = (struct sc_target){.read = sc_safe_read, .context = &tick->scratch->reader};
    walk_python(tick);
    walk_native(tick);
    note_overdue(tick);
    send_sample(tick);
    sc_scratch_release(tick->scratch);
}

/* Delays the next tick until the cost of this one is a small part of the time between them. A tick
 * of the perf event, which has a period of its own, does not rearm the timer. */
SC_SIGNAL_SAFE static void end_tick(struct sc_agent_thread *thread, const struct tick *tick)
{
    const struct sc_record_sample *sample = &tick->sample;
    bool is_fine = (sample->flags & SC_SAMPLE_FINE) != 0;
    if (!is_fine)
        sc_timer_rearm(thread, 0, sample->late_ns, tick->has_waited);
    uint64_t now_ns = sc_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t cost_ns = now_ns - sample->cpu_ns;
    uint64_t rest_ns = sc_budget_rest_ns(cost_ns);
    thread->due_cpu_ns = now_ns + rest_ns - sample->late_ns;
    if (!is_fine &&
        rest_ns > sc_timer_interval_ns(thread) / 2) /* else the drawn interval is long enough */
        sc_timer_rearm(thread, rest_ns, sample->late_ns, tick->has_waited);
    atomic_fetch_add_explicit(&sc_agent.segment->handler_cpu_ns, cost_ns, memory_order_relaxed);
}

/* A hook that was left by a jump may have been the thread's last one. */
SC_SIGNAL_SAFE static __attribute__((noinline)) void settle_left(const void *context)
{
    struct sc_registers registers;
    sc_machine_load(context, &registers);
    uint64_t here = registers.values[sc_machine.stack_column] - HOLDER_BYTES;
    sc_ring_pad_abandoned(sc_agent.segment, here);
    sc_scratch_reclaim(here);
}

SC_SIGNAL_SAFE bool sc_tick_is_ours(const siginfo_t *info)
{
    if (info->si_code == SI_TIMER)
        return info->si_value.sival_ptr == &sc_agent;
    return sc_agent_thread.uses_perf && info->si_code >= POLL_IN && info->si_code <= POLL_HUP &&
           info->si_fd == sc_agent_thread.perf_fd;
}

SC_SIGNAL_SAFE void sc_tick(const siginfo_t *info, void *context)
{
    bool is_fine = info->si_code != SI_TIMER;
    struct sc_agent_thread *thread = &sc_agent_thread;
    if (!sc_agent_is_active() || !thread->registered || !sc_home_is_this_process())
        return;
    if (sc_agent_is_paused()) {
        if (!is_fine)
            sc_timer_rearm(thread, 0, 0, false);
        return;
    }
    if (is_fine == thread->uses_perf && thread->ticks < UINT16_MAX)
        thread->ticks++;
    uint64_t cpu_ns = sc_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (cpu_ns < thread->due_cpu_ns) { /* the next sample stands for this time, too */
        if (!is_fine)
            sc_timer_rearm(thread, thread->due_cpu_ns - cpu_ns, 0, false);
        return;
    }
    atomic_fetch_add_explicit(&sc_agent.segment->attempts, 1, memory_order_relaxed);
    if (thread->in_handler) {
        sc_agent_lose(SC_AGENT_LOSS_NESTED);
        return;
    }
    settle_left(context);
    thread->in_handler = true;
    struct tick tick = {
        .context = context,
        .overruns = is_fine ? 0 : info->si_overrun,
        .sample = {.time_ns = sc_clock_ns(CLOCK_MONOTONIC),
                   .cpu_ns = cpu_ns,
                   .tid = (uint32_t)thread->tid,
                   .flags = is_fine ? SC_SAMPLE_FINE : 0,
                   .ticks = thread->ticks},
    };
    sample_thread(&tick);
    end_tick(thread, &tick);
    thread->in_handler = false;
}
