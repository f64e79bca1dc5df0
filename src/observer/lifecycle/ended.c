/* observer/lifecycle/ended.c - see ended.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/lifecycle/ended.h"

#include "observer/lifecycle/process_life.h"

#define SETTLED_NS 3000000000U

static bool is_settled(const struct sc_observation *observation, const struct sc_process *process,
                       uint64_t now_ns)
{
    return process->ending.is_over && process->ending.status_fd < 0 && !process->memory.is_kept &&
           process->ending.ended_ns + SETTLED_NS <= now_ns && process->pid != observation->pid;
}

static bool is_refused(const struct sc_process *process)
{
    const struct sc_refusals *refused = &process->refused;
    return !process->program.is_replaced &&
           (refused->memory || refused->maps || refused->calls || refused->pages);
}

static void add_counts(struct sc_process_counts *sum, const struct sc_process_counts *counts)
{
    sum->samples += counts->samples;
    sum->attempts += counts->attempts;
    sum->handler_cpu_ns += counts->handler_cpu_ns;
    sum->memory_lost_bytes += counts->memory_lost_bytes;
    sum->held_up += counts->held_up;
    for (size_t i = 0; i < SC_AGENT_LOSS_COUNT_; i++)
        sum->losses[i] += counts->losses[i];
}

static void add_looks(struct sc_process_looks *sum, const struct sc_process_looks *looks)
{
    sum->waiting += looks->waiting;
    sum->moved += looks->moved;
    sum->unreadable += looks->unreadable;
    sum->outside += looks->outside;
    sum->with_moment += looks->with_moment;
    sum->outside_ns += looks->outside_ns;
    sum->failed += looks->failed;
}

static void add_times(struct sc_process *sum, const struct sc_process *process)
{
    const struct sc_charge_process *charge = &process->charge;
    if (process->ending.ended_ns > sum->ending.ended_ns)
        sum->ending.ended_ns = process->ending.ended_ns;
    if (!charge->begun)
        return;
    if (!sum->charge.begun || charge->begun_ns < sum->charge.begun_ns)
        sum->charge.begun_ns = charge->begun_ns;
    sum->charge.begun = true;
    sum->charge.charged_cpu_ns += charge->charged_cpu_ns;
    sum->charge.begun_cpu_ns += charge->begun_cpu_ns;
}

/* What notes name one process for: the first one is named. */
static void add_limits(struct sc_process *sum, const struct sc_process *process)
{
    if (is_refused(process) && !is_refused(sum)) {
        sum->pid = process->pid;
        sum->program.is_replaced = false;
        sum->refused = process->refused;
    }
    if (sum->counts.sealed_ns == 0 && process->counts.sealed_ns > 0) {
        sum->pid = process->pid;
        sum->known_ns = process->known_ns;
        sum->counts.sealed_ns = process->counts.sealed_ns;
    }
    sum->tasks.moved += process->tasks.moved;
    sum->tasks.is_refused = sum->tasks.is_refused || process->tasks.is_refused;
    sc_devices_merge_states(&sum->devices, &process->devices);
}

/* The sum of processes of that kind, or NULL. */
static struct sc_process *find_sum(const struct sc_observation *observation, bool has_no_agent)
{
    for (size_t i = 0; i < observation->processes.count; i++) {
        struct sc_process *sum = observation->processes.items[i];
        if (sum != NULL && sum->summed_count > 0 && sum->has_no_agent == has_no_agent)
            return sum;
    }
    return NULL;
}

/* Nothing points to the process any more, and its parent's row has its CPU time if it had none. */
static void cut_loose(struct sc_observation *observation, const struct sc_process *process)
{
    struct sc_process *parent = NULL;
    for (size_t i = 0; i < observation->processes.count; i++) {
        struct sc_process *other = observation->processes.items[i];
        if (other == NULL)
            continue;
        if (other->root == process)
            other->root = NULL;
        if (other->pid == process->parent_pid)
            parent = other;
    }
    if (parent != NULL && sc_process_is_passing(process))
        parent->passing_cpu_s += sc_process_own_cpu_s(process);
}

/* True when the process is to be forgotten. */
static bool sum_up(struct sc_observation *observation, struct sc_process *process)
{
    double cpu_s = sc_process_own_cpu_s(process);
    cut_loose(observation, process);
    struct sc_process *found = find_sum(observation, process->has_no_agent);
    struct sc_process *sum = found != NULL ? found : process;
    sum->summed_count++;
    sum->summed_unmeasured += process->ending.is_unmeasured;
    sum->summed_cpu_s += cpu_s;
    if (found == NULL)
        return false;
    add_counts(&sum->counts, &process->counts);
    add_looks(&sum->looks, &process->looks);
    add_times(sum, process);
    add_limits(sum, process);
    return true;
}

void sc_observation_sum_ended(struct sc_observation *observation, size_t kept_count,
                              uint64_t now_ns)
{
    struct sc_process **items = observation->processes.items;
    size_t rows = 0;
    for (size_t i = 0; i < observation->processes.count; i++) {
        struct sc_process *process = items[i];
        bool is_row = !sc_process_is_passing(process);
        if (process->summed_count > 0 || (is_row && rows++ < kept_count) ||
            !is_settled(observation, process, now_ns) || !sum_up(observation, process))
            continue;
        sc_tree_forget(&observation->tree, &process->names, process->serial);
        sc_process_free(process);
        items[i] = NULL;
    }
    size_t count = 0;
    for (size_t i = 0; i < observation->processes.count; i++) {
        if (items[i] != NULL)
            items[count++] = items[i];
    }
    observation->processes.count = count;
}
