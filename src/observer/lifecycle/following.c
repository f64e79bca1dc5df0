/* observer/lifecycle/following.c - see following.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/lifecycle/following.h"

#include <string.h>

#include "base/io.h"
#include "observer/lifecycle/process_life.h"
#include "observer/waiting/awaiting.h"

#define ANCESTORS_MAX 64

struct sc_process *sc_following_find(const struct sc_observation *observation, pid_t pid)
{
    for (size_t i = observation->processes.count; i-- > 0;) {
        if (observation->processes.items[i]->pid == pid &&
            !observation->processes.items[i]->ending.is_over)
            return observation->processes.items[i];
    }
    return NULL;
}

/* Whether process is the parent of the one with those names, which reports its parent as
 * reported_pid. */
static bool is_parent(const struct sc_process *process, const struct sc_pid_names *names,
                      pid_t reported_pid)
{
    if (reported_pid == 0) /* the parent is outside of the child's namespace */
        return process->pid == sc_process_parent(names->numbers.numbers[0]);
    if (process->own_pid != reported_pid ||
        sc_pid_is_below(names) != sc_pid_is_below(&process->names))
        return false;
    return names->namespace_id == process->names.namespace_id ||
           names->namespace_id == SC_PID_NAMESPACE_UNKNOWN; /* the child has ended already */
}

/* The process that the new one was forked from, ended or not; NULL when it was not forked. */
static const struct sc_process *forked_from(const struct sc_observation *observation,
                                            const struct sc_reader *reader,
                                            const struct sc_pid_names *names)
{
    for (size_t i = observation->processes.count; reader->is_forked && i-- > 0;) {
        if (is_parent(observation->processes.items[i], names, (pid_t)reader->parent_pid))
            return observation->processes.items[i];
    }
    return NULL;
}

/* The same process with the program before, which may have executed others that are not followed;
 * NULL without one. */
static struct sc_process *find_before(const struct sc_observation *observation,
                                      const struct sc_process *process)
{
    for (size_t i = observation->processes.count; i-- > 0;) {
        struct sc_process *before = observation->processes.items[i];
        if (before->pid != process->pid)
            continue;
        bool went_on = before->program.is_replaced && !process->is_forked;
        return !before->ending.is_over || went_on ? before : NULL;
    }
    return NULL;
}

/* Returns what the process has used by now, with programs that it executed before. */
static uint64_t inherit_cpu(struct sc_process *process)
{
    uint64_t cpu_ns = 0;
    struct sc_schedstat main;
    (void)sc_process_cpu(process->pid, &cpu_ns);
    process->program.inherited_cpu_ns = cpu_ns;
    if (sc_schedstat_read(process->pid, process->pid, -1, &main) == SC_PROC_READ &&
        main.run_ns < cpu_ns)
        process->program.ended_cpu_ns = cpu_ns - main.run_ns;
    return cpu_ns;
}

/* A process that has executed another program becomes a new entry in the place of the old one. Any
 * other process is a child of the nearest followed Python above it, whether shells and the like are
 * between them or not. A followed process that has executed a shell itself does not count, even if
 * that has not been noticed yet. */
static void place_in_tree(struct sc_observation *observation, struct sc_process *process)
{
    struct sc_process *before = find_before(observation, process);
    uint64_t cpu_ns = 0;
    if (before != NULL)
        cpu_ns = inherit_cpu(process);
    if (before != NULL && !before->ending.is_over) {
        process->is_root = before->is_root;
        process->root = before->root;
        before->program.is_replaced = true;
        sc_process_end(before, sc_now_ns(), cpu_ns);
        return;
    }
    pid_t above = process->parent_pid;
    struct sc_process *parent = NULL;
    for (int i = 0; i < ANCESTORS_MAX && above > 1 && parent == NULL; i++) {
        parent = sc_following_find(observation, above);
        if (parent != NULL && sc_process_runs_another_file(parent))
            parent = NULL;
        above = sc_process_parent(above);
    }
    process->is_root = parent == NULL && !process->is_forked;
    for (size_t i = 0; process->is_root && i < observation->processes.count; i++)
        sc_process_forget_memory(observation->processes.items[i], sc_now_ns());
    if (parent != NULL)
        process->root = parent->is_root ? parent : parent->root;
}

bool sc_following_misses(const struct sc_observation *observation, pid_t pid, char **ret_executable)
{
    const struct sc_process *parent = sc_following_find(observation, sc_process_parent(pid));
    if (parent == NULL)
        return false;
    char *path = sc_process_link(pid, "exe");
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    bool is_python = path == NULL || (slash != NULL && strncmp(slash, "/python", 7) == 0) ||
                     (parent->program.path != NULL && strcmp(path, parent->program.path) == 0);
    if (is_python)
        *ret_executable = path;
    else
        free(path);
    return is_python;
}

bool sc_following_begin(struct sc_observation *observation, pid_t pid, const char *name,
                        struct sc_reader *reader, bool has_no_agent)
{
    struct sc_pid_names names;
    sc_pid_names_read(pid, (pid_t)reader->pid, &names);
    const struct sc_process *maker = forked_from(observation, reader, &names);
    if (maker != NULL && names.namespace_id == SC_PID_NAMESPACE_UNKNOWN)
        names.namespace_id = maker->names.namespace_id;
    struct sc_process *process = sc_process_new(observation, pid, &names, maker, name, reader);
    if (process == NULL)
        return false;
    process->has_no_agent = has_no_agent;
    process->stack_start = has_no_agent ? sc_stat_read(pid, pid).numbers[SC_STAT_STACK_START] : 0;
    sc_run_scope_add(&observation->run_scope, process);
    place_in_tree(observation, process);
    observation->tree.running_roots += process->is_root;
    if (observation->plan->async_profile)
        process->tasks.awaiting = sc_awaiting_new(&observation->awaits, &observation->tasks, maker);
    atomic_store(&process->reader.segment->paused, observation->paused);
    process->is_skipped = observation->paused;
    struct sc_process *parent = sc_following_find(observation, process->parent_pid);
    if (parent != NULL && process->is_forked)
        parent->memory.touched.has_forked = true;
    process->serial = observation->followed_count++;
    sc_tree_add_process(&observation->tree, &process->names, parent != NULL ? &parent->names : NULL,
                        process->serial);
    sc_vec_push(&observation->processes, process);
    if (process->pid == observation->pid) /* not those of a wrapper that executed it */
        observation->children_cpu_s = -sc_children_cpu_s(process->pid);
    return true;
}
