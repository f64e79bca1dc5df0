/*
 * observer/process_threads.c - which threads a process has, by what /proc lists.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/process_threads.h"

#define LISTED_THREADS_MAX 4096U

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
    struct sc_watched_thread *thread = sc_process_thread(process, tid);
    if (thread->proc_tid == 0)
        sc_process_place_thread(process, thread, proc_tid);
    return true;
}

void sc_process_list_threads(struct sc_process *process)
{
    static pid_t tids[LISTED_THREADS_MAX];
    size_t count = sc_threads_list(process->pid, tids, LISTED_THREADS_MAX);
    bool is_below = sc_pid_is_below(&process->names);
    bool is_whole = count > 0 && count < LISTED_THREADS_MAX;
    for (size_t i = 0; i < count; i++) {
        if (is_below)
            is_whole = (is_placed(process, tids[i]) || place(process, tids[i])) && is_whole;
        else if (!is_agents_own(process, tids[i]))
            (void)sc_process_thread(process, tids[i]);
    }
    process->are_threads_unlisted = is_below && !is_whole;
}

enum sc_proc_answer sc_process_read_clock(const struct sc_process *process,
                                          const struct sc_watched_thread *thread,
                                          struct sc_schedstat *ret)
{
    if (thread->proc_tid == 0)
        return process->are_threads_unlisted ? SC_PROC_FAILED : SC_PROC_GONE;
    return sc_schedstat_read(process->pid, thread->proc_tid, thread->schedstat_fd, ret);
}
