/* observer/sample/books.c - see books.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/sample/books.h"

#include "observer/sample/stack.h"

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
    if ((charge->to & SC_CHARGE_THREAD) != 0 && thread != NULL) {
        process->collect->threads.items[thread->account].time_ns[charge->time] += charge->ns;
        if (thread->labels.path != 0 &&
            sc_time_counts(charge->time, process->collect->is_virtual) &&
            !sc_time_is_waiting(charge->time)) /* that is in its waits */
            sc_units_spend(&process->collect->units, thread->labels.path, node, charge->time,
                           charge->ns);
    }
}

void sc_books_apply(struct sc_process *process, struct sc_watched_thread *thread,
                    const struct sc_charges *charges)
{
    const struct sc_charge *charge = &charges->charge;
    if (charge->to != 0)
        apply(process, thread, charge);
    if (thread == NULL)
        return;
    process->collect->threads.items[thread->account].cpu_ns += charges->cpu_ns;
    if (!charges->has_span)
        return;
    uint32_t node = charges->node;
    if (charge->to != 0) {
        node = sc_stack_spent(process, node, charge->time);
        if (sc_time_counts(charge->time, process->collect->is_virtual))
            sc_timeline_add(&process->collect->timeline, charges->since_ns, thread->account, node,
                            charges->span_ns);
    }
    sc_devices_note_stack(&process->devices, charges->since_ns, charges->until_ns, node);
}

struct sc_charge_threads sc_books_thread_list(const struct sc_process *process)
{
    return (struct sc_charge_threads){
        .first = process->threads.count > 0 ? &process->threads.items[0].charge : NULL,
        .count = process->threads.count,
        .step_bytes = sizeof(process->threads.items[0]),
    };
}

struct sc_charge_host sc_books_host(const struct sc_process *process, uint64_t now_ns)
{
    struct sc_charge_threads threads = sc_books_thread_list(process);
    return sc_charge_find_host(&process->charge, &threads, now_ns);
}

void sc_books_note_python(struct sc_process *process, struct sc_watched_thread *thread)
{
    thread->charge.has_python = true;
    process->collect->threads.items[thread->account].has_python = true;
}

void sc_books_charge_gap(struct sc_process *process, struct sc_watched_thread *thread,
                         uint32_t node, enum sc_time time, uint64_t until_ns, uint64_t ns)
{
    struct sc_charges charges = sc_charge_gap(node, time, until_ns, ns);
    sc_books_apply(process, thread, &charges);
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
        sc_pair_sums_add(&process->collect->lock_waits, waiter,
                         sc_stack_python_part(process->collect, parts[i].node), parts[i].ns);
}

void sc_books_charge_wait(struct sc_process *process, struct sc_watched_thread *thread,
                          uint32_t node, enum sc_wait wait, uint64_t ns)
{
    struct sc_stack_cost *cost = sc_collect_cost(process->collect, node);
    cost->wait_ns[wait] += ns;
    process->collect->threads.items[thread->account].wait_ns[wait] += ns;
    if (thread->labels.waiting_path != 0 && !process->collect->is_virtual)
        sc_units_wait(&process->collect->units, thread->labels.waiting_path, node, wait, ns);
    if (wait != SC_WAIT_GIL)
        return;
    sc_tracks_add(&process->collect->tracks, SC_TRACK_OF_GIL, process->gap.polled_ns, ns);
    struct sc_charge_threads threads = sc_books_thread_list(process);
    const struct sc_charge_thread *holder = sc_charge_find_holder(&threads, &thread->charge);
    if (holder != NULL)
        note_holder(process, holder, sc_stack_python_part(process->collect, node), ns);
}
