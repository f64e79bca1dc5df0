/* observer/sample/account.c - see account.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/sample/account.h"

#include "observer/charge/wait.h"
#include "observer/process/threads.h"
#include "observer/sample/books.h"
#include "observer/sample/judgement.h"
#include "observer/sample/preemption.h"
#include "observer/sample/stack.h"
#include "observer/sample/workers.h"

/* Adds what the costs of a stack with Python frames hold besides times. */
static void note_python_part(struct sc_process *process, uint32_t node, uint64_t time_ns,
                             const struct sc_charges *charges)
{
    struct sc_stack_cost *cost = sc_collect_cost(process->collect, node);
    cost->gc_ns += charges->chore == SC_CHORE_COLLECTING ? charges->cpu_ns : 0;
    cost->freeing_ns += charges->chore == SC_CHORE_FREEING ? charges->cpu_ns : 0;
    if (charges->chore == SC_CHORE_COLLECTING)
        sc_tracks_add(&process->collect->tracks, SC_TRACK_OF_GC, time_ns, charges->cpu_ns);
    cost->utilization_sum += process->gap.utilization * (double)charges->cpu_ns;
    cost->utilization_weight += (double)charges->cpu_ns;
}

static void charge_sample(struct sc_process *process, struct sc_watched_thread *thread,
                          const struct sc_charge_sample *sample)
{
    struct sc_charges charges = sc_charge_sample(&process->charge, &thread->charge, sample);
    uint64_t interval_ns = sc_process_interval_ns(process, sample->time_ns);
    if (sample->most_ns > 0 && sample->most_ns < interval_ns)
        interval_ns = sample->most_ns; /* between waits */
    sc_charge_met(process->young, &thread->charge, &charges, interval_ns);
    sc_books_apply(process, thread, &charges);
    if (sc_recent_is_full(&thread->charge.recent))
        sc_preemption_charge_owed(process, thread);
    if (charges.charge.node != 0)
        sc_collect_sampled(process->collect, &thread->sequence, sample->node, charges.cpu_ns);
    if (!sample->has_frames)
        return;
    sc_books_note_python(process, thread);
    note_python_part(process, sample->node, sample->time_ns, &charges);
}

/* Charges the held samples, each with its part of the time up to cpu_ns. */
static void charge_held(struct sc_process *process, struct sc_watched_thread *thread,
                        uint64_t cpu_ns, enum sc_held_end end)
{
    sc_held_weigh(&thread->held, thread->charge.charged_cpu_ns, cpu_ns, process->charge.interval_ns,
                  end);
    uint32_t path = thread->labels.path;
    for (size_t i = 0; i < thread->held.list.count; i++) {
        thread->labels.path = thread->held.list.items[i].path;
        charge_sample(process, thread, &thread->held.list.items[i].sample);
    }
    thread->labels.path = path;
    thread->held.list.count = 0;
}

void sc_account_rest(struct sc_process *process, struct sc_watched_thread *thread, uint64_t cpu_ns)
{
    charge_held(process, thread, cpu_ns, SC_HELD_BY_NONE);
    struct sc_charges charges = sc_charge_rest(&process->charge, &thread->charge, cpu_ns);
    sc_books_apply(process, thread, &charges);
}

void sc_account_lost(struct sc_process *process, struct sc_watched_thread *thread, uint64_t ns)
{
    struct sc_charges charges = sc_charge_lost(&process->charge, ns);
    sc_books_apply(process, thread, &charges);
}

/* Shares what no sample stood for among the thread's last ones. */
static void share_owed(struct sc_process *process, struct sc_watched_thread *thread)
{
    struct sc_recent_part parts[SC_RECENT_SAMPLES] = {{.ns = thread->charge.owed_ns}};
    uint32_t count = sc_recent_share(&thread->charge.recent, thread->charge.owed_ns, parts);
    if (count == 0 && thread->charge.owed_ns > 0)
        count = 1;
    thread->charge.owed_ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct sc_charges charges = {.charge = {.node = parts[i].node,
                                                .to = SC_CHARGE_BOTH,
                                                .time = sc_charge_on_cpu(parts[i].time),
                                                .ns = parts[i].ns},
                                     .cpu_ns = parts[i].ns,
                                     .chore = parts[i].chore};
        sc_books_apply(process, thread, &charges);
        note_python_part(process, parts[i].node, process->gap.polled_ns, &charges);
    }
}

void sc_account_over(struct sc_process *process, struct sc_watched_thread *thread, uint64_t cpu_ns)
{
    if (process->is_skipped) { /* sc_process_skip takes this time off the process's */
        thread->held.list.count = 0;
        sc_preemption_charge_owed(process, thread);
        share_owed(process, thread); /* of before */
        thread->charge.charged_cpu_ns = cpu_ns;
        return;
    }
    charge_held(process, thread, cpu_ns, SC_HELD_BY_NONE);
    sc_preemption_charge_owed(process, thread);
    struct sc_charges charges =
        sc_charge_over(&process->charge, &thread->charge, process->young, cpu_ns);
    sc_books_apply(process, thread, &charges);
    share_owed(process, thread);
}

static void add_young(struct sc_charge_young *young, struct sc_collect *collect, bool is_back)
{
    for (enum sc_life life = SC_LIFE_OF_THREAD; life < SC_LIFE_COUNT_; life++) {
        struct sc_young_charges charges = sc_charge_young(young, life);
        SC_EACH(const struct sc_charge, charge, &charges.list) {
            uint32_t node =
                charge->on_python ? sc_stack_python_part(collect, charge->node) : charge->node;
            uint64_t *time_ns = &sc_collect_cost(collect, node)->time_ns[charge->time];
            *time_ns = is_back ? *time_ns - charge->ns : *time_ns + charge->ns;
        }
        sc_vec_done(&charges.list);
    }
}

void sc_account_young(struct sc_charge_young *young, struct sc_collect *collect)
{
    add_young(young, collect, false);
}

void sc_account_young_back(struct sc_charge_young *young, struct sc_collect *collect)
{
    add_young(young, collect, true);
}

void sc_account_hostless(struct sc_process *process, uint64_t now_ns)
{
    struct sc_charges charges =
        sc_charge_hostless(&process->charge, sc_books_host(process, now_ns));
    sc_books_apply(process, NULL, &charges);
    sc_workers_assign_costs(process, now_ns);
}

static bool is_ending(const struct sc_record_sample *sample)
{
    return sample->frame_count == 0 && (sample->flags & SC_SAMPLE_ENDING) != 0;
}

static uint32_t node_of(struct sc_process *process, const struct sc_record_sample *sample,
                        struct sc_charge_host host)
{
    struct sc_sent_stack sent = sc_sent_sample(sample);
    if (sample->frame_count > 0)
        return sc_stack_of(process, &sent);
    if (is_ending(sample))
        return sc_stack_ending(process, &sent);
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
    return sc_workers_node(process, thread, node);
}

static struct sc_charge_sample read_sample(struct sc_process *process,
                                           struct sc_watched_thread *thread,
                                           const struct sc_record_sample *record)
{
    bool has_frames = record->frame_count > 0 || is_ending(record);
    struct sc_charge_host host = {0};
    if (!has_frames && sc_charge_is_native(&thread->charge))
        host = sc_books_host(process, record->time_ns);
    struct sc_sent_stack sent = sc_sent_sample(record);
    struct sc_judgement judged = sc_judge(process, &sent, record->code_unit);
    uint32_t node = node_of(process, record, host);
    bool is_limited = has_frames && (record->flags & SC_SAMPLE_WAITED) != 0;
    return (struct sc_charge_sample){
        .time_ns = record->time_ns,
        .cpu_ns = record->cpu_ns,
        .late_ns = record->late_ns,
        .most_ns = is_limited ? record->ticks * process->charge.jiffy_ns : 0,
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
    if (sample->has_frames && thread->charge.is_main)
        sc_collect_moment(process->collect, (double)sample->time_ns / 1e9, sample->node);
}

/* Keeps a sample until its weight is known. It does not change the place where the thread was
 * last seen, to which time without a CPU is charged: only the timer's samples do that, which may be
 * taken anywhere. */
static void hold_sample(struct sc_process *process, struct sc_watched_thread *thread,
                        const struct sc_charge_sample *sample, uint32_t ticks)
{
    struct sc_charge_sample first = *sample;
    first.cpu_ns = thread->charge.charged_cpu_ns;
    if (thread->charge.sampled_ns == 0)
        charge_sample(process, thread, &first);
    thread->charge.sampled_ns = sample->time_ns;
    sc_vec_push(&thread->held.list,
                (struct sc_held){.sample = *sample, .path = thread->labels.path, .ticks = ticks});
    if (thread->held.list.count == SC_HELD_MAX)
        charge_held(process, thread, sample->cpu_ns, SC_HELD_BY_NONE);
}

void sc_account_outside(struct sc_process *process, struct sc_watched_thread *thread,
                        const struct sc_outside *seen, uint64_t time_ns, uint64_t cpu_ns)
{
    struct sc_charge_host host = {0};
    uint32_t node = seen->node;
    if (!sc_charge_counts(&process->charge, time_ns)) {
        (void)sc_charge_advance(&process->charge, &thread->charge, cpu_ns);
        return;
    }
    bool has_frames = node != 0;
    if (!has_frames) {
        const struct sc_sent_stack native = {.addresses = seen->native.addresses,
                                             .address_count = seen->native.count,
                                             .flags = seen->in_call ? SC_SAMPLE_IN_SYSTEM_CALL : 0};
        if (sc_charge_is_native(&thread->charge))
            host = sc_books_host(process, time_ns);
        node = host.found ? sc_stack_python_part(process->collect, host.node) : 0;
        node = sc_stack_below(process, &native, node);
    }
    struct sc_charge_sample sample = {
        .time_ns = time_ns,
        .cpu_ns = cpu_ns,
        .kind = seen->kind,
        .has_frames = has_frames,
        .has_host = host.found,
        .is_freeing = seen->is_freeing,
        .node = sampled_node(process, thread, node, has_frames, seen->kind),
    };
    charge_held(process, thread, cpu_ns, SC_HELD_BY_CODE);
    charge_sample(process, thread, &sample);
    note_sample(process, thread, &sample);
}

void sc_account_sample(struct sc_process *process, const struct sc_record_sample *sent)
{
    const struct sc_record_sample *record = sc_kept_stacks_complete(&process->stacks.kept, sent);
    if (!sc_process_takes_thread(process, (pid_t)sent->tid))
        return;
    if (record == NULL) {
        process->looks.unreadable++;
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
    thread->has_no_ticks = thread->is_overdue = thread->is_in_long_call = false;
    sc_wait_left(&thread->charge, record->time_ns, record->cpu_ns);
    if (sample.most_ns > 0)
        thread->charge.met_node = thread->charge.left_node;
}
