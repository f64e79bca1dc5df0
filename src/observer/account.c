/*
 * observer/account.c - passes the agent's records to the parts of the observer that keep them.
 *
 * charge.h decides what a sample is charged to; here the result is added up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/account.h"

#include <string.h>

#include "base/io.h"
#include "observer/handed.h"
#include "observer/preemption.h"
#include "observer/process_threads.h"
#include "observer/stack.h"
#include "observer/watch.h"

/* At most so many records of blocks wait until the blocks are looked at. */
#define BLOCK_EVENTS_MAX 65536U

/* When reading the records took longer than this, others have come that are read at once, too. */
#define LATE_NS    20000000U
#define DRAINS_MAX 8U

/* In a wait of so many intervals the holder of the interpreter lock is sampled several times. */
#define HOLDER_INTERVALS 4U

static void apply(struct sc_process *process, struct sc_watched_thread *thread,
                  const struct sc_charge *charge)
{
    uint32_t node =
        charge->on_python ? sc_stack_python_part(process->collect, charge->node) : charge->node;
    node = sc_stack_spent(process, node, charge->time);
    if ((charge->to & SC_CHARGE_STACK) != 0)
        sc_collect_cost(process->collect, node)->time_ns[charge->time] += charge->ns;
    if ((charge->to & SC_CHARGE_THREAD) != 0 && thread != NULL)
        process->collect->threads.items[thread->account].time_ns[charge->time] += charge->ns;
}

/* thread is NULL for charges to no thread. */
static void apply_all(struct sc_process *process, struct sc_watched_thread *thread,
                      const struct sc_charges *charges)
{
    for (size_t i = 0; i < charges->count; i++)
        apply(process, thread, &charges->items[i]);
    if (thread == NULL)
        return;
    process->collect->threads.items[thread->account].cpu_ns += charges->cpu_ns;
    if (!charges->has_span)
        return;
    uint32_t node = charges->node;
    if (charges->count > 0) {
        node = sc_stack_spent(process, node, charges->items[0].time);
        if (sc_time_counts(charges->items[0].time, process->collect->is_virtual))
            sc_timeline_add(&process->collect->timeline, charges->since_ns, thread->account, node,
                            charges->span_ns);
    }
    sc_devices_be(&process->devices, charges->since_ns, charges->until_ns, node);
}

struct sc_charge_threads sc_account_threads(const struct sc_process *process)
{
    return (struct sc_charge_threads){
        .first = process->threads.count > 0 ? &process->threads.items[0].charge : NULL,
        .count = process->threads.count,
        .step_bytes = sizeof(process->threads.items[0]),
    };
}

struct sc_charge_host sc_account_host(const struct sc_process *process, uint64_t now_ns)
{
    struct sc_charge_threads threads = sc_account_threads(process);
    return sc_charge_find_host(&process->charge, &threads, now_ns);
}

void sc_account_has_python(struct sc_process *process, struct sc_watched_thread *thread)
{
    thread->charge.has_python = true;
    process->collect->threads.items[thread->account].has_python = true;
}

void sc_account_gap(struct sc_process *process, struct sc_watched_thread *thread, uint32_t node,
                    enum sc_time time, uint64_t until_ns, uint64_t ns)
{
    struct sc_charges charges = sc_charge_gap(node, time, until_ns, ns);
    apply_all(process, thread, &charges);
}

/* A long wait is reported in one piece: it is shared among what the holder ran lately. */
static void note_holder(struct sc_process *process, const struct sc_charge_thread *holder,
                        uint32_t waiter, uint64_t ns)
{
    struct sc_recent_part parts[SC_RECENT_SAMPLES] = {{.node = holder->sampled_node, .ns = ns}};
    uint32_t count = 1;
    if (ns > HOLDER_INTERVALS * process->charge.interval_ns)
        count = sc_recent_share(&holder->recent, ns, parts);
    for (uint32_t i = 0; i < count; i++)
        sc_lock_waits_add(&process->collect->lock_waits, waiter,
                          sc_stack_python_part(process->collect, parts[i].node), parts[i].ns);
}

void sc_account_wait(struct sc_process *process, struct sc_watched_thread *thread, uint32_t node,
                     enum sc_wait wait, uint64_t ns)
{
    struct sc_stack_cost *cost = sc_collect_cost(process->collect, node);
    cost->wait_ns[wait] += ns;
    process->collect->threads.items[thread->account].wait_ns[wait] += ns;
    if (wait != SC_WAIT_GIL)
        return;
    sc_tracks_add(&process->collect->tracks, SC_TRACK_OF_GIL, process->gap.ticked_ns, ns);
    struct sc_charge_threads threads = sc_account_threads(process);
    const struct sc_charge_thread *holder = sc_charge_find_holder(&threads, &thread->charge);
    if (holder != NULL)
        note_holder(process, holder, sc_stack_python_part(process->collect, node), ns);
}

/* Adds what is kept besides the times of stacks that have Python frames. */
static void note_python_part(struct sc_process *process, const struct sc_charge_sample *sample,
                             const struct sc_charges *charges)
{
    struct sc_stack_cost *cost = sc_collect_cost(process->collect, sample->node);
    cost->gc_ns += charges->chore == SC_CHORE_COLLECTING ? charges->cpu_ns : 0;
    cost->freeing_ns += charges->chore == SC_CHORE_FREEING ? charges->cpu_ns : 0;
    if (charges->chore == SC_CHORE_COLLECTING)
        sc_tracks_add(&process->collect->tracks, SC_TRACK_OF_GC, sample->time_ns, charges->cpu_ns);
    cost->utilization_sum += process->gap.utilization * (double)charges->cpu_ns;
    cost->utilization_weight += (double)charges->cpu_ns;
}

static void charge_sample(struct sc_process *process, struct sc_watched_thread *thread,
                          const struct sc_charge_sample *sample)
{
    struct sc_charges charges = sc_charge_sample(&process->charge, &thread->charge, sample);
    apply_all(process, thread, &charges);
    if (sc_recent_is_full(&thread->charge.recent))
        sc_preemption_settle(process, thread);
    if (charges.count > 0 && charges.items[0].node != 0)
        sc_collect_sampled(process->collect, &thread->sequence, sample->node, charges.cpu_ns);
    if (!sample->has_frames)
        return;
    sc_account_has_python(process, thread);
    note_python_part(process, sample, &charges);
}

/* Charges the held samples, each with its part of the time up to cpu_ns. */
static void charge_held(struct sc_process *process, struct sc_watched_thread *thread,
                        uint64_t cpu_ns, enum sc_held_end end)
{
    sc_held_weigh(&thread->held, thread->charge.charged_cpu_ns, cpu_ns, process->charge.interval_ns,
                  end);
    for (size_t i = 0; i < thread->held.list.count; i++)
        charge_sample(process, thread, &thread->held.list.items[i].sample);
    thread->held.list.count = 0;
}

void sc_account_rest(struct sc_process *process, struct sc_watched_thread *thread, uint64_t cpu_ns)
{
    charge_held(process, thread, cpu_ns, SC_HELD_BY_NONE);
    struct sc_charges charges = sc_charge_rest(&process->charge, &thread->charge, cpu_ns);
    apply_all(process, thread, &charges);
}

void sc_account_lost(struct sc_process *process, struct sc_watched_thread *thread, uint64_t ns)
{
    struct sc_charges charges = sc_charge_lost(&process->charge, ns);
    apply_all(process, thread, &charges);
}

void sc_account_over(struct sc_process *process, struct sc_watched_thread *thread, uint64_t cpu_ns)
{
    charge_held(process, thread, cpu_ns, SC_HELD_BY_NONE);
    sc_preemption_settle(process, thread);
    struct sc_charges charges =
        sc_charge_over(&process->charge, &thread->charge, process->young, cpu_ns);
    apply_all(process, thread, &charges);
}

void sc_account_young(struct sc_charge_young *young, struct sc_collect *collect)
{
    for (enum sc_life life = SC_LIFE_OF_THREAD; life < SC_LIFE_COUNT_; life++) {
        struct sc_young_charges charges = sc_charge_young(young, life);
        for (size_t i = 0; i < charges.list.count; i++) {
            const struct sc_charge *charge = &charges.list.items[i];
            sc_collect_cost(collect, charge->node)->time_ns[charge->time] += charge->ns;
        }
        sc_vec_done(&charges.list);
    }
}

void sc_account_hostless(struct sc_process *process, uint64_t now_ns)
{
    struct sc_charges charges =
        sc_charge_hostless(&process->charge, sc_account_host(process, now_ns));
    apply_all(process, NULL, &charges);
    sc_handed_settle(process, now_ns);
}

struct judgement {
    enum sc_sample_kind kind;
    bool is_freeing;
};

/* Copies the addresses up to the innermost evaluation loop, without marks: the classification of a
 * sample needs no more. */
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

static struct judgement judge(struct sc_process *process, const struct sc_record_sample *sample)
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
        return (struct judgement){view.in_system_call ? SC_SAMPLE_KERNEL : SC_SAMPLE_PYTHON, false};
    return (struct judgement){sc_classify(process->classifier, &view),
                              sc_classify_frees(process->classifier, &view)};
}

static uint32_t node_of(struct sc_process *process, const struct sc_record_sample *sample,
                        struct sc_charge_host host)
{
    struct sc_sent_stack sent = sc_sent_sample(sample);
    if (sample->frame_count > 0)
        return sc_stack_of(process, &sent);
    return sc_stack_below(process, &sent,
                          host.found ? sc_stack_python_part(process->collect, host.node) : 0);
}

/* The node of a sample, with the frame for the kind of its time. Time that is charged to this node
 * later, such as that of lives that were never sampled, is then of the same kind. */
static uint32_t sampled_node(struct sc_process *process, struct sc_watched_thread *thread,
                             uint32_t node, bool has_frames, enum sc_sample_kind kind)
{
    bool is_parallel = !has_frames && sc_charge_is_native(&thread->charge);
    node = sc_stack_spent(process, node, is_parallel ? SC_TIME_PARALLEL : sc_charge_time(kind));
    return sc_handed_node(process, thread, node);
}

static struct sc_charge_sample read_sample(struct sc_process *process,
                                           struct sc_watched_thread *thread,
                                           const struct sc_record_sample *record)
{
    bool has_frames = record->frame_count > 0;
    struct sc_charge_host host = {0};
    if (!has_frames && sc_charge_is_native(&thread->charge))
        host = sc_account_host(process, record->time_ns);
    struct judgement judged = judge(process, record);
    uint32_t node = node_of(process, record, host);
    return (struct sc_charge_sample){
        .time_ns = record->time_ns,
        .cpu_ns = record->cpu_ns,
        .late_ns = record->late_ns,
        .kind = judged.kind,
        .has_frames = has_frames,
        .has_host = host.found,
        .is_collecting = (record->flags & SC_SAMPLE_COLLECTING) != 0,
        .is_freeing = judged.is_freeing,
        .node = sampled_node(process, thread, node, has_frames, judged.kind),
    };
}

/* Counts a sample, whatever its weight. */
static void note_sample(struct sc_process *process, const struct sc_watched_thread *thread,
                        const struct sc_charge_sample *sample)
{
    process->collect->threads.items[thread->account].samples++;
    sc_collect_cost(process->collect, sample->has_frames ? sample->node : 0)->samples++;
    if (sample->has_frames && thread->charge.is_main && process->is_root)
        sc_collect_moment(process->collect, (double)sample->time_ns / 1e9, sample->node);
}

/* Keeps a sample until its weight is known. It does not change where the thread was last seen, by
 * which time without a CPU is charged: only samples that may be taken anywhere do that. */
static void hold_sample(struct sc_process *process, struct sc_watched_thread *thread,
                        const struct sc_charge_sample *sample, uint32_t ticks)
{
    struct sc_charge_sample first = *sample;
    first.cpu_ns = thread->charge.charged_cpu_ns;
    if (thread->charge.sampled_ns == 0)
        charge_sample(process, thread, &first);
    thread->charge.sampled_ns = sample->time_ns;
    sc_vec_push(&thread->held.list, (struct sc_held){.sample = *sample, .ticks = ticks});
    if (thread->held.list.count == SC_HELD_MAX)
        charge_held(process, thread, sample->cpu_ns, SC_HELD_BY_NONE);
}

void sc_account_outside(struct sc_process *process, struct sc_watched_thread *thread, uint32_t node,
                        enum sc_sample_kind kind, uint64_t cpu_ns)
{
    uint64_t time_ns = thread->charge.looked_ns;
    struct sc_charge_host host = {0};
    if (!sc_charge_counts(&process->charge, time_ns)) {
        (void)sc_charge_advance(&process->charge, &thread->charge, cpu_ns);
        return;
    }
    bool has_frames = node != 0;
    if (!has_frames && sc_charge_is_native(&thread->charge)) {
        host = sc_account_host(process, time_ns);
        node = host.found ? sc_stack_python_part(process->collect, host.node) : 0;
    }
    struct sc_charge_sample sample = {
        .time_ns = time_ns,
        .cpu_ns = cpu_ns,
        .kind = kind,
        .has_frames = has_frames,
        .has_host = host.found,
        .node = sampled_node(process, thread, node, has_frames, kind),
    };
    charge_held(process, thread, cpu_ns, SC_HELD_BY_CODE);
    charge_sample(process, thread, &sample);
    note_sample(process, thread, &sample);
}

static void apply_sample(struct sc_process *process, const struct sc_record_sample *sent)
{
    const struct sc_record_sample *record = sc_kept_stacks_complete(&process->kept_stacks, sent);
    if (!sc_process_takes_thread(process, (pid_t)sent->tid))
        return;
    if (record == NULL) {
        process->unreadable++;
        return;
    }
    struct sc_watched_thread *thread = sc_process_thread(process, (pid_t)record->tid);
    if (!sc_charge_counts(&process->charge, record->time_ns)) {
        (void)sc_charge_advance(&process->charge, &thread->charge, record->cpu_ns);
        return;
    }
    struct sc_charge_sample sample = read_sample(process, thread, record);
    if ((record->flags & SC_SAMPLE_FINE) != 0) {
        hold_sample(process, thread, &sample, record->ticks);
    } else {
        charge_held(process, thread, sc_charge_until(&sample),
                    (record->flags & SC_SAMPLE_IN_SYSTEM_CALL) != 0 ? SC_HELD_BY_CALL
                                                                    : SC_HELD_BY_CODE);
        charge_sample(process, thread, &sample);
    }
    note_sample(process, thread, &sample);
    thread->is_deaf = false;
    sc_watch_sampled(thread, record->time_ns, record->cpu_ns);
}

static void apply_thread_start(struct sc_process *process,
                               const struct sc_record_thread_start *record)
{
    if (!sc_process_takes_thread(process, (pid_t)record->tid))
        return;
    struct sc_watched_thread *thread = sc_process_thread(process, (pid_t)record->tid);
    struct sc_thread_cost *account = &process->collect->threads.items[thread->account];
    thread->pthread_self = record->pthread_self;
    thread->charge.is_main = record->is_main != 0;
    thread->charge.creator_id = record->creator_tid;
    if (record->is_pythons != 0 && !thread->charge.is_main)
        sc_charge_begin_life(&thread->charge, SC_LIFE_OF_THREAD, 0,
                             sc_process_interval_ns(process, record->time_ns));
    if (account->tid != record->tid) /* an entry for many */
        return;
    account->is_main = thread->charge.is_main;
    account->python_ident = record->pthread_self;
    if (record->name[0] != '\0') {
        memcpy(account->name, record->name, sizeof(account->name));
        account->name[sizeof(account->name) - 1] = '\0';
    }
}

static void apply_thread_end(struct sc_process *process, const struct sc_record_thread_end *record)
{
    if (!sc_process_takes_thread(process, (pid_t)record->tid))
        return;
    struct sc_watched_thread *thread = sc_process_thread(process, (pid_t)record->tid);
    sc_account_over(process, thread, record->cpu_ns);
    sc_watch_ended(process, thread, record->time_ns, record->cpu_ns);
    sc_process_thread_leaves(process, thread, record->cpu_ns);
    sc_process_thread_ended(process, thread);
}

static void apply_process_end(struct sc_process *process,
                              const struct sc_record_process_end *record)
{
    process->told_end = true;
    process->told_end_ns = record->time_ns;
    process->told_cpu_ns = record->cpu_ns;
    process->has_status = true;
    process->status = record->status & 255; /* as a parent gets it */
    if (process->max_rss_bytes < record->max_rss_kb * 1024)
        process->max_rss_bytes = record->max_rss_kb * 1024;
}

static void apply_code(struct sc_process *process, const struct sc_record_code *record)
{
    if (record->large_table != 0)
        sc_remote_forget(&process->remote);
    sc_codes_add_record(&process->codes, record, &process->layout, &process->memory);
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
    bool is_childs = record->pid != 0 && (pid_t)record->pid != process->own_pid;
    /* a child that shares our memory has the same working directory */
    bool is_known = is_childs && !sc_pid_is_below(&process->names);
    if (record->pid != 0 && !is_childs)
        process->told_exec = true;
    sc_tree_add_exec(process->tree, is_known ? (pid_t)record->pid : process->pid, record);
}

/* Names that no sample uses any more are forgotten after a while; the agent sends the others
 * again. */
static void begin_round_if_due(struct sc_process *process)
{
    if (!sc_codes_are_many(&process->codes) && !sc_memory_has_many_stacks(&process->followed))
        return;
    sc_codes_begin_round(&process->codes);
    sc_memory_begin_round(&process->followed);
    sc_reader_ask_names_again(&process->reader);
}

static void apply_gpu(struct sc_process *process, enum sc_record_kind kind, const void *record)
{
    if (kind == SC_RECORD_GPU_STATE)
        sc_devices_add_state(&process->devices, record);
    else if (kind == SC_RECORD_GPU_WORK)
        apply_gpu_work(process, record);
    else if (kind == SC_RECORD_GPU_SPAN)
        sc_devices_add_span(&process->devices, record);
    else if (kind == SC_RECORD_GPU_ALLOCATION)
        apply_gpu_allocation(process, record);
    else if (kind == SC_RECORD_GPU_FREE)
        sc_devices_add_free(&process->devices, record);
}

static void apply_record(struct sc_process *process, enum sc_record_kind kind, const void *record)
{
    switch (kind) {
    case SC_RECORD_SAMPLE:
        apply_sample(process, record);
        break;
    case SC_RECORD_CODE:
        apply_code(process, record);
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
        sc_tree_add_end(process->tree, process->names.namespace_id, record);
        break;
    case SC_RECORD_EXEC:
        apply_exec(process, record);
        break;
    case SC_RECORD_STACK:
        apply_stack(process, record);
        break;
    case SC_RECORD_ALLOCATION:
    case SC_RECORD_FREE:
    case SC_RECORD_CUT:
        sc_touched_add(&process->touched, kind, record);
        break;
    case SC_RECORD_COPY:
        sc_memory_add_copy(&process->followed, record);
        break;
    case SC_RECORD_GPU_STATE:
    case SC_RECORD_GPU_WORK:
    case SC_RECORD_GPU_SPAN:
    case SC_RECORD_GPU_ALLOCATION:
    case SC_RECORD_GPU_FREE:
        apply_gpu(process, kind, record);
        break;
    case SC_RECORD_NONE:
    case SC_RECORD_PAD:
        break;
    }
}

static void drain(struct sc_process *process)
{
    enum sc_record_kind kind;
    for (const void *record; (record = sc_reader_next(&process->reader, &kind)) != NULL;) {
        process->told_exec = process->told_exec && kind == SC_RECORD_EXEC; /* it has failed */
        apply_record(process, kind, record);
        if (process->touched.events.count < BLOCK_EVENTS_MAX)
            continue;
        sc_touched_look(&process->touched, sc_now_ns());
        sc_touched_settle(&process->touched, sc_now_ns());
    }
}

static void drain_and_look(struct sc_process *process, uint64_t now_ns)
{
    drain(process);
    sc_touched_look(&process->touched, now_ns);
    if (process->touched.blocks.count > 0) /* what was gone at that look */
        drain(process);
    sc_touched_settle(&process->touched, now_ns);
}

/* A file system that does not answer delays a record of code for up to a second. Records that have
 * come meanwhile are read, too: a thread whose samples are among them must not seem to have
 * none. */
void sc_account_drain(struct sc_process *process)
{
    uint64_t begun_ns = 0;
    uint64_t now_ns = sc_now_ns();
    for (unsigned i = 0; i < DRAINS_MAX && now_ns - begun_ns > LATE_NS; i++) {
        begun_ns = now_ns;
        drain_and_look(process, begun_ns);
        now_ns = sc_now_ns();
    }
    begin_round_if_due(process);
}
