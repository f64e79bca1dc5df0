/*
 * observer/charge/charge.c - what to charge where: a pure function of clocks, records and states.
 *
 * A sample stands for the CPU time that its thread has really used since its previous sample, so
 * totals are exact whatever the intervals were and however many samples were lost. A sample that
 * comes late does not cover the time since it was due: the next one does. A thread that waits now
 * and then may be missed by tick after tick; then the next sample, which comes at an edge of what
 * such a thread runs, does not stand for all of that, but each of the next ones for as much as it
 * can (docs/internals/sampling.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/charge/charge.h"

/* A native thread is taken to work for a Python line that was sampled in C code in the last so many
 * intervals. */
#define RECENT_INTERVALS 5U

enum sc_time sc_charge_time(enum sc_sample_kind kind)
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

/* A thread that Python started has no frames only while it starts or ends. */
bool sc_charge_is_native(const struct sc_charge_thread *thread)
{
    return !thread->is_main && (!thread->has_python || thread->life != SC_LIFE_OF_THREAD);
}

/* Whether its last sample was that of a native thread. */
static bool worked_for_another(const struct sc_charge_thread *thread)
{
    return thread->sampled_ns != 0 && thread->sampled_bare && sc_charge_is_native(thread);
}

enum sc_time sc_charge_preempted(const struct sc_charge_thread *thread)
{
    if (worked_for_another(thread))
        return SC_TIME_PREEMPTED_NATIVE;
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

static void add(struct sc_charges *charges, struct sc_charge charge)
{
    if (charge.ns > 0)
        charges->charge = charge;
}

static void add_both(struct sc_charges *charges, uint32_t node, enum sc_time time, uint64_t ns)
{
    add(charges, (struct sc_charge){.node = node, .to = SC_CHARGE_BOTH, .time = time, .ns = ns});
}

uint64_t sc_charge_advance(struct sc_charge_process *process, struct sc_charge_thread *thread,
                           uint64_t cpu_ns)
{
    uint64_t passed_ns = cpu_ns > thread->charged_cpu_ns ? cpu_ns - thread->charged_cpu_ns : 0;
    thread->charged_cpu_ns += passed_ns;
    process->charged_cpu_ns += passed_ns;
    return passed_ns;
}

void sc_charge_owe(struct sc_charge_process *process, struct sc_charge_thread *thread,
                   uint64_t cpu_ns)
{
    thread->owed_ns += sc_charge_advance(process, thread, cpu_ns);
}

enum sc_time sc_charge_on_cpu(enum sc_time preempted)
{
    switch (preempted) {
    case SC_TIME_PREEMPTED_PYTHON:
        return SC_TIME_PYTHON;
    case SC_TIME_PREEMPTED_KERNEL:
        return SC_TIME_KERNEL;
    default:
        return SC_TIME_NATIVE;
    }
}

/* What the sample is charged of the passed time and of what is owed. */
static uint64_t take(struct sc_charge_thread *thread, const struct sc_charge_sample *sample,
                     uint64_t passed_ns)
{
    if (sample->most_ns == 0)
        return passed_ns;
    uint64_t all_ns = thread->owed_ns + passed_ns;
    uint64_t own_ns = all_ns < sample->most_ns ? all_ns : sample->most_ns;
    thread->owed_ns = all_ns - own_ns;
    return own_ns;
}

bool sc_charge_counts(const struct sc_charge_process *process, uint64_t time_ns)
{
    return process->begun && time_ns >= process->begun_ns;
}

static bool is_recent(const struct sc_charge_process *process, uint64_t time_ns, uint64_t now_ns)
{
    return time_ns != 0 && now_ns < time_ns + RECENT_INTERVALS * process->interval_ns;
}

bool sc_charge_waits_for_others(const struct sc_charge_thread *thread)
{
    return thread->blocked && thread->blocked_node != 0 &&
           (thread->blocked_cause == SC_WAIT_LOCK || thread->blocked_cause == SC_WAIT_OTHER);
}

struct sc_charge_host sc_charge_find_host(const struct sc_charge_process *process,
                                          const struct sc_charge_threads *threads, uint64_t now_ns)
{
    struct sc_charge_host waiting = {0};
    bool python_runs = false;
    for (size_t i = 0; i < threads->count; i++) {
        const struct sc_charge_thread *thread = sc_charge_thread_at(threads, i);
        if (thread->ended || !thread->has_python)
            continue;
        bool is_fresh = !thread->sampled_bare && is_recent(process, thread->sampled_ns, now_ns);
        if (is_fresh && thread->sampled_kind == SC_SAMPLE_NATIVE)
            return (struct sc_charge_host){.found = true, .node = thread->sampled_node};
        if (sc_charge_waits_for_others(thread)) {
            if (!waiting.found)
                waiting = (struct sc_charge_host){
                    .found = true, .on_python = true, .node = thread->blocked_node};
        } else if (is_fresh && !sc_charge_is_native(thread)) {
            python_runs = true;
        }
    }
    if (python_runs)
        return (struct sc_charge_host){0};
    return waiting;
}

/* A thread that waits for a lock has released the interpreter lock, and if it waited at the look
 * before, too, it has not held the interpreter lock since. In other calls a thread may keep it. */
static bool waits_without_lock(const struct sc_charge_thread *thread)
{
    return thread->blocked && (thread->blocked_cause == SC_WAIT_GIL ||
                               (thread->blocked_cause == SC_WAIT_LOCK && thread->is_steady));
}

const struct sc_charge_thread *sc_charge_find_holder(const struct sc_charge_threads *threads,
                                                     const struct sc_charge_thread *waiter)
{
    const struct sc_charge_thread *holder = NULL;
    for (size_t i = 0; i < threads->count; i++) {
        const struct sc_charge_thread *thread = sc_charge_thread_at(threads, i);
        if (thread == waiter || thread->ended || !thread->has_python || thread->sampled_bare ||
            thread->sampled_ns == 0 || waits_without_lock(thread))
            continue;
        if (holder == NULL || thread->sampled_ns > holder->sampled_ns)
            holder = thread;
    }
    return holder;
}

/* A thread in C code without the GIL is not the one that collects. */
static enum sc_chore chore_of(const struct sc_charge_sample *sample)
{
    if (sample->is_collecting && sample->kind == SC_SAMPLE_PYTHON)
        return SC_CHORE_COLLECTING;
    return sample->is_freeing ? SC_CHORE_FREEING : SC_CHORE_NONE;
}

static void add_python(struct sc_charges *charges, struct sc_charge_thread *thread,
                       const struct sc_charge_sample *sample)
{
    thread->has_python = true;
    thread->sampled_node = sample->node;
    add_both(charges, sample->node, sc_charge_time(sample->kind), charges->cpu_ns);
    charges->chore = chore_of(sample);
}

/* A native thread's time is charged only to the thread until a line is found that it worked for. */
static void add_hostless(struct sc_charges *charges, struct sc_charge_process *process)
{
    add(charges, (struct sc_charge){
                     .to = SC_CHARGE_THREAD, .time = SC_TIME_PARALLEL, .ns = charges->cpu_ns});
    process->hostless_ns[0] += charges->cpu_ns;
}

static void add_native(struct sc_charges *charges, struct sc_charge_process *process,
                       struct sc_charge_thread *thread, const struct sc_charge_sample *sample)
{
    bool is_native = sc_charge_is_native(thread);
    thread->sampled_node = is_native && sample->has_host ? sample->node : 0;
    if (!is_native) {
        add_both(charges, sample->node, sc_charge_time(sample->kind), charges->cpu_ns);
    } else if (sample->has_host) {
        add_both(charges, sample->node, SC_TIME_PARALLEL, charges->cpu_ns);
    } else {
        add_hostless(charges, process);
    }
}

static uint64_t less(uint64_t ns, uint64_t by_ns)
{
    return ns > by_ns ? ns - by_ns : 0;
}

uint64_t sc_charge_until(const struct sc_charge_sample *sample)
{
    return less(sample->cpu_ns, sample->late_ns);
}

/* A sample is taken at the end of the time that it stands for. */
static void add_span(struct sc_charges *charges, const struct sc_charge_process *process,
                     const struct sc_charge_sample *sample)
{
    uint64_t run_ns = less(sample->time_ns - process->begun_ns, sample->late_ns);
    charges->has_span = true;
    charges->node = sample->node;
    charges->span_ns = charges->cpu_ns;
    charges->until_ns = process->begun_ns + run_ns;
    charges->since_ns = process->begun_ns + less(run_ns, charges->cpu_ns);
}

struct sc_charges sc_charge_sample(struct sc_charge_process *process,
                                   struct sc_charge_thread *thread,
                                   const struct sc_charge_sample *sample)
{
    uint64_t passed_ns = sc_charge_advance(process, thread, sc_charge_until(sample));
    if (!sc_charge_counts(process, sample->time_ns))
        return (struct sc_charges){0};
    struct sc_charges charges = {.cpu_ns = take(thread, sample, passed_ns), .passed_ns = passed_ns};
    thread->sampled_kind = sample->kind;
    thread->sampled_bare = !sample->has_frames;
    if (sample->has_frames)
        add_python(&charges, thread, sample);
    else
        add_native(&charges, process, thread, sample);
    add_span(&charges, process, sample);
    thread->sampled_ns = sample->time_ns;
    if (thread->sampled_node != 0)
        sc_recent_note(&thread->recent,
                       &(struct sc_recent_part){.node = thread->sampled_node,
                                                .time = sc_charge_preempted(thread),
                                                .chore = charges.chore,
                                                .ns = charges.cpu_ns});
    return charges;
}

struct sc_charges sc_charge_rest(struct sc_charge_process *process, struct sc_charge_thread *thread,
                                 uint64_t cpu_ns)
{
    struct sc_charges charges = {.cpu_ns = sc_charge_advance(process, thread, cpu_ns)};
    if (!process->begun)
        return (struct sc_charges){0};
    bool was_sampled = thread->sampled_ns != 0;
    bool works_for_another = worked_for_another(thread);
    if ((works_for_another && thread->sampled_node == 0) ||
        (!was_sampled && thread->blocked_node == 0 && sc_charge_is_native(thread))) {
        add_hostless(&charges, process);
        return charges;
    }
    add(&charges,
        (struct sc_charge){.node = was_sampled ? thread->sampled_node : thread->blocked_node,
                           .on_python = !was_sampled,
                           .to = SC_CHARGE_BOTH,
                           .time = works_for_another ? SC_TIME_PARALLEL
                                                     : sc_charge_time(thread->sampled_kind),
                           .ns = charges.cpu_ns});
    return charges;
}

struct sc_charges sc_charge_hostless(struct sc_charge_process *process, struct sc_charge_host host)
{
    struct sc_charges charges = {0};
    uint64_t due_ns = process->hostless_ns[1];
    if (host.found)
        due_ns += process->hostless_ns[0];
    else
        host = (struct sc_charge_host){0};
    add(&charges, (struct sc_charge){.node = host.node,
                                     .on_python = host.on_python,
                                     .to = SC_CHARGE_STACK,
                                     .time = SC_TIME_PARALLEL,
                                     .ns = due_ns});
    process->hostless_ns[1] = host.found ? 0 : process->hostless_ns[0];
    process->hostless_ns[0] = 0;
    return charges;
}

struct sc_charges sc_charge_lost(struct sc_charge_process *process, uint64_t ns)
{
    struct sc_charges charges = {.cpu_ns = ns};
    process->charged_cpu_ns += ns;
    add_both(&charges, 0, SC_TIME_NATIVE, ns);
    return charges;
}

struct sc_charges sc_charge_gap(uint32_t node, enum sc_time time, uint64_t until_ns, uint64_t ns)
{
    struct sc_charges charges = {
        .has_span = true,
        .node = node,
        .since_ns = until_ns > ns ? until_ns - ns : 0,
        .until_ns = until_ns,
        .span_ns = ns,
    };
    add_both(&charges, node, time, ns);
    return charges;
}
