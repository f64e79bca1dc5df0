/*
 * observer/process_threads.c - which threads a process has, by what /proc lists.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/process_threads.h"

#include "observer/watch.h"

#define LISTED_THREADS_MAX  4096U
#define LEAVING_THREADS_MAX 65536U

static bool is_agents_own(const struct sc_process *process, pid_t tid)
{
    return (uint32_t)tid == atomic_load(&process->reader.segment->own_tid);
}

/* Whether a thread that has not ended is known by that number of /proc. */
static bool is_placed(const struct sc_process *process, pid_t proc_tid)
{
    uint32_t index = sc_map_get(&process->proc_index, (uint64_t)proc_tid);
    return index != SC_NONE && process->threads.items[index].proc_tid == proc_tid &&
           !process->threads.items[index].charge.ended;
}

void sc_process_thread_leaves(struct sc_process *process, const struct sc_watched_thread *thread,
                              uint64_t cpu_ns)
{
    if (process->leaving_threads.count < LEAVING_THREADS_MAX)
        sc_vec_push(&process->leaving_threads,
                    (struct sc_leaving_thread){.tid = thread->tid, .cpu_ns = cpu_ns});
}

static struct sc_leaving_thread *find_leaving(struct sc_process *process, pid_t tid)
{
    for (size_t i = process->leaving_threads.count; i-- > 0;) {
        if (process->leaving_threads.items[i].tid == tid)
            return &process->leaving_threads.items[i];
    }
    return NULL;
}

/* Forgets those whose numbers are free again. */
static void forget_left(struct sc_process *process)
{
    size_t kept = 0;
    for (size_t i = 0; i < process->leaving_threads.count; i++) {
        struct sc_leaving_thread leaving = process->leaving_threads.items[i];
        if (!leaving.is_listed)
            continue;
        leaving.is_listed = false;
        process->leaving_threads.items[kept++] = leaving;
    }
    process->leaving_threads.count = kept;
}

/* Adds a thread that /proc lists and nobody has reported. One that has said its end and uses no
 * more time only lacks a CPU to be gone. */
static void add_listed(struct sc_process *process, pid_t tid, pid_t proc_tid)
{
    struct sc_schedstat stat = {0};
    uint64_t slack_ns = sc_watch_slack_ns(process);
    struct sc_leaving_thread *leaving = find_leaving(process, tid);
    if (leaving == NULL) {
        (void)sc_process_thread(process, tid);
        return;
    }
    leaving->is_listed = true;
    if (sc_schedstat_read(process->pid, proc_tid, -1, &stat) != SC_PROC_READ ||
        (stat.run_ns <= leaving->cpu_ns + slack_ns && leaving->cpu_ns <= stat.run_ns + slack_ns))
        return;
    bool is_same = stat.run_ns > leaving->cpu_ns; /* its library has much to do at the end */
    uint64_t charged_cpu_ns = is_same ? leaving->cpu_ns : 0;
    leaving->is_listed = false;
    sc_process_thread(process, tid)->charge.charged_cpu_ns = charged_cpu_ns;
}

/* False when its own number cannot be found now. */
static bool place(struct sc_process *process, pid_t proc_tid)
{
    struct sc_pid_numbers numbers;
    enum sc_proc_answer answer = sc_pid_numbers_read(process->pid, proc_tid, &numbers);
    if (answer != SC_PROC_READ)
        return answer == SC_PROC_GONE;
    pid_t tid = sc_pid_own(&numbers);
    if (is_agents_own(process, tid) || !sc_process_takes_thread(process, tid))
        return true;
    if (sc_process_find_thread(process, tid) == NULL)
        add_listed(process, tid, proc_tid);
    struct sc_watched_thread *thread = sc_process_find_thread(process, tid);
    if (thread != NULL && thread->proc_tid == 0)
        sc_process_place_thread(process, thread, proc_tid);
    return true;
}

void sc_process_list_threads(struct sc_process *process)
{
    static pid_t tids[LISTED_THREADS_MAX];
    size_t count = sc_threads_list(process->pid, tids, LISTED_THREADS_MAX);
    bool is_below = sc_pid_is_below(&process->names);
    bool is_whole = count > 0 && count < LISTED_THREADS_MAX;
    bool is_placed_all = is_whole;
    for (size_t i = 0; i < count; i++) {
        if (is_below)
            is_placed_all =
                (is_placed(process, tids[i]) || place(process, tids[i])) && is_placed_all;
        else if (!is_agents_own(process, tids[i]) &&
                 sc_process_find_thread(process, tids[i]) == NULL)
            add_listed(process, tids[i], tids[i]);
    }
    if (is_whole)
        forget_left(process);
    process->are_threads_unlisted = is_below && !is_placed_all;
}

enum sc_proc_answer sc_process_read_clock(const struct sc_process *process,
                                          const struct sc_watched_thread *thread,
                                          struct sc_schedstat *ret)
{
    if (thread->proc_tid == 0)
        return process->are_threads_unlisted ? SC_PROC_FAILED : SC_PROC_GONE;
    return sc_schedstat_read(process->pid, thread->proc_tid, thread->schedstat_fd, ret);
}
