/*
 * observer/account.c - charging time to stacks and threads.
 *
 * A sample stands for the CPU time that its thread has really used since its previous sample, so
 * totals are exact whatever the intervals were and however many samples were lost.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/account.h"

#include <string.h>

#include "observer/stack.h"
#include "observer/watch.h"

/* A native thread works for a Python line when that was in C code this recently, in intervals. */
#define RECENT_INTERVALS 5U

static enum sc_time time_of(enum sc_sample_kind kind)
{
    switch (kind) {
    case SC_SAMPLE_NATIVE:
        return SC_TIME_NATIVE;
    case SC_SAMPLE_KERNEL:
        return SC_TIME_KERNEL;
    case SC_SAMPLE_PYTHON:
        break;
    }
    return SC_TIME_PYTHON;
}

static enum sc_time preempted(const struct sc_watched_thread *thread)
{
    switch (thread->sampled_kind) {
    case SC_SAMPLE_NATIVE:
        return SC_TIME_PREEMPTED_NATIVE;
    case SC_SAMPLE_KERNEL:
        return SC_TIME_PREEMPTED_KERNEL;
    case SC_SAMPLE_PYTHON:
        break;
    }
    return SC_TIME_PREEMPTED_PYTHON;
}

void sc_account_time(struct sc_process *process, struct sc_watched_thread *thread, uint32_t node,
                     enum sc_time time, uint64_t ns)
{
    struct sc_stack_cost *cost = sc_collect_cost(process->collect, node);
    cost->time_ns[time] += ns;
    process->collect->threads.items[thread->account].time_ns[time] += ns;
}

void sc_account_gap(struct sc_process *process, struct sc_watched_thread *thread, uint32_t node,
                    enum sc_time time, uint64_t ns)
{
    uint64_t since_ns = process->ticked_ns > ns ? process->ticked_ns - ns : 0;
    sc_account_time(process, thread, node, time, ns);
    sc_timeline_add(&process->collect->timeline, since_ns, thread->account, node, ns);
    sc_devices_be(&process->devices, since_ns, process->ticked_ns, node);
}

void sc_account_preemption(struct sc_process *process, struct sc_watched_thread *thread,
                           uint64_t ns)
{
    sc_account_gap(process, thread, thread->sampled_node, preempted(thread), ns);
}

void sc_account_wait(struct sc_process *process, struct sc_watched_thread *thread, uint32_t node,
                     enum sc_wait wait, uint64_t ns)
{
    struct sc_stack_cost *cost = sc_collect_cost(process->collect, node);
    cost->wait_ns[wait] += ns;
    process->collect->threads.items[thread->account].wait_ns[wait] += ns;
    if (wait == SC_WAIT_GIL)
        sc_tracks_add(&process->collect->tracks, SC_TRACK_OF_GIL, process->ticked_ns, ns);
}

void sc_account_rest(struct sc_process *process, struct sc_watched_thread *thread, uint64_t cpu_ns)
{
    if (cpu_ns <= thread->charged_cpu_ns)
        return;
    uint64_t rest = cpu_ns - thread->charged_cpu_ns;
    thread->charged_cpu_ns = cpu_ns;
    process->charged_cpu_ns += rest;
    if (!process->begun)
        return;
    struct sc_thread_cost *account = &process->collect->threads.items[thread->account];
    account->cpu_ns += rest;
    if (thread->sampled_ns == 0 && thread->blocked_node == 0 && thread->is_pythons) {
        account->time_ns[SC_TIME_PYTHON] += rest;
        process->orphan_cpu_ns += rest;
        return;
    }
    uint32_t node = thread->sampled_ns != 0
                        ? thread->sampled_node
                        : sc_stack_python_part(process->collect, thread->blocked_node);
    sc_account_time(process, thread, node, time_of(thread->sampled_kind), rest);
}

void sc_account_lost(struct sc_process *process, struct sc_watched_thread *thread, uint64_t ns)
{
    process->charged_cpu_ns += ns;
    process->collect->threads.items[thread->account].cpu_ns += ns;
    sc_account_time(process, thread, 0, SC_TIME_NATIVE, ns);
}

void sc_account_orphans(struct sc_process *process)
{
    struct sc_stack_cost *cost = sc_collect_cost(process->collect, process->orphan_node);
    cost->time_ns[time_of(process->orphan_kind)] += process->orphan_cpu_ns;
    process->orphan_cpu_ns = 0;
}

static bool is_recent(const struct sc_process *process, uint64_t time_ns, uint64_t now_ns)
{
    return time_ns != 0 &&
           now_ns < time_ns + RECENT_INTERVALS * process->reader.segment->interval_ns;
}

/* The Python line on whose behalf native threads work: one that is in C code itself, or that waits
 * while no Python thread runs. SC_NONE when there is none. */
static uint32_t host_of_native_thread(const struct sc_process *process, uint64_t now_ns)
{
    uint32_t waiting = SC_NONE;
    bool python_runs = false;
    for (size_t i = 0; i < process->threads.count; i++) {
        const struct sc_watched_thread *thread = &process->threads.items[i];
        if (thread->ended || !process->collect->threads.items[thread->account].has_python)
            continue;
        if (is_recent(process, thread->sampled_ns, now_ns)) {
            if (thread->sampled_kind == SC_SAMPLE_NATIVE)
                return thread->sampled_node;
            python_runs = true;
        } else if (waiting == SC_NONE && thread->blocked && thread->blocked_node != 0 &&
                   (thread->blocked_cause == SC_WAIT_LOCK ||
                    thread->blocked_cause == SC_WAIT_OTHER)) {
            waiting = sc_stack_python_part(process->collect, thread->blocked_node);
        }
    }
    return python_runs ? SC_NONE : waiting;
}

/* Up to the innermost evaluation loop, without marks: how a sample is judged depends on no more. */
static size_t copy_to_loop(const struct sc_record_sample *sample,
                           uint64_t ret_addresses[SC_ADDRESSES_MAX])
{
    struct sc_sent_stack sent = sc_sent_sample(sample);
    size_t count = 0;
    while (count < sent.address_count && count < SC_ADDRESSES_MAX) {
        uint64_t address = sent.addresses[count];
        ret_addresses[count++] = address & ~SC_ADDRESS_IN_LOOP;
        if ((address & SC_ADDRESS_IN_LOOP) != 0)
            break;
    }
    return count;
}

static enum sc_sample_kind kind_of(struct sc_process *process,
                                   const struct sc_record_sample *sample)
{
    uint64_t addresses[SC_ADDRESSES_MAX];
    struct sc_sample_view view = {
        .addresses = addresses,
        .address_count = copy_to_loop(sample, addresses),
        .reached_eval = (sample->flags & SC_SAMPLE_REACHED_EVAL) != 0,
        .in_system_call = (sample->flags & SC_SAMPLE_IN_SYSTEM_CALL) != 0,
        .has_python_frame = sample->frame_count > 0,
        .is_collecting = (sample->flags & SC_SAMPLE_COLLECTING) != 0,
        .has_code_unit = (sample->flags & SC_SAMPLE_HAS_CODE_UNIT) != 0,
        .code_unit = sample->code_unit,
    };
    if (process->classifier == NULL)
        return view.in_system_call ? SC_SAMPLE_KERNEL : SC_SAMPLE_PYTHON;
    return sc_classify(process->classifier, &view);
}

/* A sample is taken when its time has passed. */
static void tell_timeline(struct sc_process *process, const struct sc_watched_thread *thread,
                          uint64_t sample_ns, uint32_t node, uint64_t weight_ns)
{
    uint64_t span_ns = sample_ns - process->begun_ns;
    uint64_t since_ns = sample_ns - (weight_ns < span_ns ? weight_ns : span_ns);
    sc_timeline_add(&process->collect->timeline, since_ns, thread->account, node, weight_ns);
    sc_devices_be(&process->devices, since_ns, sample_ns, node);
}

static void charge_python_sample(struct sc_process *process, struct sc_watched_thread *thread,
                                 const struct sc_record_sample *sample, uint64_t weight_ns)
{
    struct sc_sent_stack sent = sc_sent_sample(sample);
    uint32_t node = sc_stack_of(process, &sent);
    thread->sampled_node = node;
    thread->sampled_kind = kind_of(process, sample);
    if (thread->sampled_ns == 0 && thread->is_pythons) {
        process->orphan_node = node;
        process->orphan_kind = thread->sampled_kind;
        sc_account_orphans(process);
    }
    process->collect->threads.items[thread->account].has_python = true;
    sc_account_time(process, thread, node, time_of(thread->sampled_kind), weight_ns);
    tell_timeline(process, thread, sample->time_ns, node, weight_ns);
    struct sc_stack_cost *cost = sc_collect_cost(process->collect, node);
    cost->samples++;
    /* a thread in C code without the GIL is not the one that collects */
    if ((sample->flags & SC_SAMPLE_COLLECTING) != 0 && thread->sampled_kind == SC_SAMPLE_PYTHON) {
        cost->gc_ns += weight_ns;
        sc_tracks_add(&process->collect->tracks, SC_TRACK_OF_GC, sample->time_ns, weight_ns);
    }
    cost->utilization_sum += process->utilization * (double)weight_ns;
    cost->utilization_weight += (double)weight_ns;
    if (thread->is_main && process->is_root)
        sc_collect_moment(process->collect, (double)sample->time_ns / 1e9, node);
}

static void charge_native_sample(struct sc_process *process, struct sc_watched_thread *thread,
                                 const struct sc_record_sample *sample, uint64_t weight_ns)
{
    /* a thread of Python's without frames is starting or ending */
    bool is_native = !process->collect->threads.items[thread->account].has_python;
    uint32_t host =
        is_native && !thread->is_main ? host_of_native_thread(process, sample->time_ns) : SC_NONE;
    thread->sampled_node = 0;
    thread->sampled_kind = kind_of(process, sample);
    struct sc_thread_cost *account = &process->collect->threads.items[thread->account];
    if (host != SC_NONE)
        host = sc_stack_python_part(process->collect, host);
    struct sc_sent_stack sent = sc_sent_sample(sample);
    uint32_t node = sc_stack_below(process, &sent, host != SC_NONE ? host : 0);
    sc_collect_cost(process->collect, 0)->samples++;
    if (host != SC_NONE) {
        sc_account_time(process, thread, node, SC_TIME_PARALLEL, weight_ns);
    } else if (is_native && !thread->is_main) {
        account->time_ns[SC_TIME_PARALLEL] += weight_ns;
        process->hostless_ns[0] += weight_ns;
    } else {
        sc_account_time(process, thread, node, time_of(thread->sampled_kind), weight_ns);
    }
    tell_timeline(process, thread, sample->time_ns, node, weight_ns);
}

void sc_account_hostless(struct sc_process *process, uint64_t now_ns)
{
    uint32_t host = host_of_native_thread(process, now_ns);
    if (host != SC_NONE) {
        sc_collect_cost(process->collect, host)->time_ns[SC_TIME_PARALLEL] +=
            process->hostless_ns[0] + process->hostless_ns[1];
        process->hostless_ns[0] = process->hostless_ns[1] = 0;
        return;
    }
    sc_collect_cost(process->collect, 0)->time_ns[SC_TIME_PARALLEL] += process->hostless_ns[1];
    process->hostless_ns[1] = process->hostless_ns[0];
    process->hostless_ns[0] = 0;
}

static void apply_sample(struct sc_process *process, const struct sc_record_sample *sample)
{
    struct sc_watched_thread *thread = sc_process_thread(process, (pid_t)sample->tid);
    uint64_t weight_ns =
        sample->cpu_ns > thread->charged_cpu_ns ? sample->cpu_ns - thread->charged_cpu_ns : 0;
    thread->charged_cpu_ns += weight_ns;
    process->charged_cpu_ns += weight_ns;
    if (!process->begun || sample->time_ns < process->begun_ns)
        return;
    struct sc_thread_cost *account = &process->collect->threads.items[thread->account];
    account->samples++;
    account->cpu_ns += weight_ns;
    if (sample->frame_count > 0)
        charge_python_sample(process, thread, sample, weight_ns);
    else
        charge_native_sample(process, thread, sample, weight_ns);
    thread->sampled_ns = sample->time_ns;
    thread->is_deaf = false;
    sc_watch_sampled(thread, sample->time_ns, sample->cpu_ns);
}

static void apply_thread_start(struct sc_process *process,
                               const struct sc_record_thread_start *record)
{
    struct sc_watched_thread *thread = sc_process_thread(process, (pid_t)record->tid);
    struct sc_thread_cost *account = &process->collect->threads.items[thread->account];
    thread->pthread_self = record->pthread_self;
    thread->is_main = record->is_main != 0;
    thread->is_pythons = record->name[0] != '\0' && !thread->is_main;
    if (account->tid != record->tid) /* an entry for many */
        return;
    account->is_main = thread->is_main;
    account->python_ident = record->pthread_self;
    if (record->name[0] != '\0') {
        memcpy(account->name, record->name, sizeof(account->name));
        account->name[sizeof(account->name) - 1] = '\0';
    }
}

static void apply_thread_end(struct sc_process *process, const struct sc_record_thread_end *record)
{
    struct sc_watched_thread *thread = sc_process_thread(process, (pid_t)record->tid);
    sc_account_rest(process, thread, record->cpu_ns);
    sc_watch_ended(process, thread, record->time_ns, record->cpu_ns);
    sc_process_thread_ended(process, thread);
}

static void apply_process_end(struct sc_process *process,
                              const struct sc_record_process_end *record)
{
    process->told_end = true;
    process->told_end_ns = record->time_ns;
    process->told_cpu_ns = record->cpu_ns;
    process->has_status = true;
    process->status = record->status & 255; /* what a parent is told */
    if (process->max_rss_bytes < record->max_rss_kb * 1024)
        process->max_rss_bytes = record->max_rss_kb * 1024;
}

static void apply_stack(struct sc_process *process, const struct sc_record_stack *record)
{
    struct sc_sent_stack sent = sc_sent_allocation(record);
    if (sc_memory_wants_stack(&process->followed, record->stack_key))
        sc_memory_add_stack(&process->followed, record->stack_key, sc_stack_of(process, &sent));
}

static void apply_gpu_work(struct sc_process *process, const struct sc_record_gpu_work *record)
{
    sc_devices_add_work(&process->devices, record,
                        sc_memory_node(&process->followed, record->stack_key));
}

static void apply_gpu_allocation(struct sc_process *process,
                                 const struct sc_record_gpu_allocation *record)
{
    sc_devices_add_allocation(&process->devices, record,
                              sc_memory_node(&process->followed, record->stack_key));
}

static void apply_exec(struct sc_process *process, const struct sc_record_exec *record)
{
    if ((pid_t)record->pid == process->pid) /* else a child that shares its memory */
        process->told_exec = true;
    sc_tree_add_exec(process->tree, record);
}

void sc_account_drain(struct sc_process *process)
{
    enum sc_record_kind kind;
    for (const void *record; (record = sc_reader_next(&process->reader, &kind)) != NULL;) {
        process->told_exec = process->told_exec && kind == SC_RECORD_EXEC; /* it has failed */
        switch (kind) {
        case SC_RECORD_SAMPLE:
            apply_sample(process, record);
            break;
        case SC_RECORD_CODE:
            sc_codes_add_record(&process->codes, record);
            break;
        case SC_RECORD_THREAD_START:
            apply_thread_start(process, record);
            break;
        case SC_RECORD_THREAD_END:
            apply_thread_end(process, record);
            break;
        case SC_RECORD_MARK:
            sc_codes_mark(&process->codes, record);
            break;
        case SC_RECORD_PROCESS_END:
            apply_process_end(process, record);
            break;
        case SC_RECORD_CHILD_END:
            sc_tree_add_end(process->tree, record);
            break;
        case SC_RECORD_EXEC:
            apply_exec(process, record);
            break;
        case SC_RECORD_STACK:
            apply_stack(process, record);
            break;
        case SC_RECORD_ALLOCATION:
            sc_memory_add_allocation(&process->followed, record);
            break;
        case SC_RECORD_FREE:
            sc_memory_add_free(&process->followed, record);
            break;
        case SC_RECORD_COPY:
            sc_memory_add_copy(&process->followed, record);
            break;
        case SC_RECORD_GPU_STATE:
            sc_devices_add_state(&process->devices, record);
            break;
        case SC_RECORD_GPU_WORK:
            apply_gpu_work(process, record);
            break;
        case SC_RECORD_GPU_SPAN:
            sc_devices_add_span(&process->devices, record);
            break;
        case SC_RECORD_GPU_ALLOCATION:
            apply_gpu_allocation(process, record);
            break;
        case SC_RECORD_GPU_FREE:
            sc_devices_add_free(&process->devices, record);
            break;
        case SC_RECORD_NONE:
        case SC_RECORD_PAD:
            break;
        }
    }
}
