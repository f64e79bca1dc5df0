/* observer/process/threads.c - see threads.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/process/threads.h"

#include "base/mem.h"
#include "cpython/threads.h"
#include "cpython/walk.h"

#define LISTED_THREADS_MAX  65536U
#define LEAVING_THREADS_MAX 65536U
#define GONE_THREADS_MAX    65536U
#define THREADS_MAX         65536U /* at once; more than this cannot be real */
#define COUNTED_FILES_MAX   4096U  /* files in /proc that are kept open, one per thread */
#define BLOCKED_FILES_MAX   128U
#define NEW_STATES_MAX      1024U /* of threads that are not known yet, read at once */

void sc_process_let_go_of(struct sc_watched_thread *thread)
{
    sc_vec_done(&thread->held.list);
    sc_vec_done(&thread->labels.open);
    thread->labels = (struct sc_unit_thread){.path = 0};
    sc_vec_done(&thread->owed.list);
    sc_close(&thread->schedstat_fd);
    sc_close(&thread->blocked_fd);
    sc_cpu_alarm_close(&thread->alarm);
}

static uint32_t new_place(struct sc_process *process)
{
    if (process->threads.free_places.count > 0)
        return process->threads.free_places.items[--process->threads.free_places.count];
    sc_vec_push(&process->threads, (struct sc_watched_thread){0});
    return (uint32_t)process->threads.count - 1;
}

bool sc_process_takes_thread(const struct sc_process *process, pid_t tid)
{
    return process->threads.count < THREADS_MAX || process->threads.free_places.count > 0 ||
           sc_process_find_thread(process, tid) != NULL;
}

/* Sets the thread's number in /proc, which has been found. */
static void place_thread(struct sc_process *process, struct sc_watched_thread *thread,
                         pid_t proc_tid)
{
    uint32_t index = (uint32_t)(thread - process->threads.items);
    struct sc_thread_cost *account = &process->collect->threads.items[thread->account];
    thread->proc_tid = proc_tid;
    if (sc_pid_is_below(&process->names))
        sc_map_put(&process->threads.proc_index, (uint64_t)proc_tid, index);
    if (index < COUNTED_FILES_MAX)
        thread->schedstat_fd = sc_schedstat_open(process->pid, proc_tid);
    if (index < BLOCKED_FILES_MAX)
        thread->blocked_fd = sc_blocked_open(process->pid, proc_tid);
    if (index < COUNTED_FILES_MAX && process->has_no_agent)
        thread->alarm = sc_cpu_alarm_open(proc_tid, process->reader.pace.interval_ns,
                                          index < SC_NOTED_THREADS_MAX);
    process->threads.are_noted |= thread->alarm.ring != NULL;
    if (account->name[0] == '\0')
        sc_thread_comm(process->pid, proc_tid, account->name);
}

struct sc_watched_thread *sc_process_find_thread(const struct sc_process *process, pid_t tid)
{
    uint32_t index = sc_map_get(&process->threads.index, (uint64_t)tid);
    return index != SC_NONE ? &process->threads.items[index] : NULL;
}

static struct sc_gone_thread *find_gone(struct sc_process *process, pid_t tid)
{
    uint32_t place = sc_map_get(&process->threads.gone_index, (uint64_t)tid);
    return place != SC_NONE ? &process->threads.gone.items[place] : NULL;
}

/* A record of a thread that was gone continues its account: another one would be charged its whole
 * life again. */
static void note_gone(struct sc_process *process, const struct sc_watched_thread *thread)
{
    struct sc_gone_thread *known = find_gone(process, thread->tid);
    if (known == NULL && process->threads.gone.count == GONE_THREADS_MAX)
        return;
    if (known == NULL) {
        sc_map_put(&process->threads.gone_index, (uint64_t)thread->tid,
                   (uint32_t)process->threads.gone.count);
        sc_vec_push(&process->threads.gone, (struct sc_gone_thread){0});
        known = &process->threads.gone.items[process->threads.gone.count - 1];
    }
    known->account = thread->account;
    known->charged_cpu_ns = thread->charge.charged_cpu_ns;
}

struct sc_watched_thread *sc_process_new_thread(struct sc_process *process, pid_t tid)
{
    struct sc_gone_thread *gone = find_gone(process, tid);
    if (gone != NULL)
        gone->account = SC_NONE;
    return sc_process_thread(process, tid);
}

struct sc_watched_thread *sc_process_thread(struct sc_process *process, pid_t tid)
{
    struct sc_watched_thread *thread = sc_process_find_thread(process, tid);
    if (thread != NULL)
        return thread;
    const struct sc_gone_thread *gone = find_gone(process, tid);
    bool continues = gone != NULL && gone->account != SC_NONE;
    uint32_t index = new_place(process);
    sc_map_put(&process->threads.index, (uint64_t)tid, index);
    thread = &process->threads.items[index];
    *thread = (struct sc_watched_thread){
        .tid = tid,
        .account = continues
                       ? gone->account
                       : sc_collect_thread(process->collect, (uint64_t)process->pid, (uint64_t)tid),
        .charge = {.id = (uint32_t)tid,
                   .is_main = tid == process->own_pid,
                   .charged_cpu_ns = continues ? gone->charged_cpu_ns : 0},
        .schedstat_fd = -1,
        .blocked_fd = -1,
        .alarm = {.fd = -1},
    };
    struct sc_thread_cost *account = &process->collect->threads.items[thread->account];
    account->is_main = thread->charge.is_main;
    account->ended = false;
    if (account->tid == (uint64_t)tid) /* not an entry that many threads share */
        account->pid = (uint64_t)process->pid;
    if (thread->charge.is_main || !sc_pid_is_below(&process->names))
        place_thread(process, thread, thread->charge.is_main ? process->pid : tid);
    else
        process->threads.are_unlisted = true;
    return thread;
}

void sc_process_thread_ended(struct sc_process *process, struct sc_watched_thread *thread)
{
    if (thread->charge.ended)
        return;
    thread->charge.ended = true;
    thread->charge.blocked = false;
    thread->charge.runnable = false;
    process->collect->threads.items[thread->account].ended = true;
    if (thread->is_gone)
        note_gone(process, thread);
    sc_process_let_go_of(thread);
    sc_map_remove(&process->threads.index, (uint64_t)thread->tid);
    sc_map_remove(&process->threads.proc_index, (uint64_t)thread->proc_tid);
    sc_vec_push(&process->threads.free_places, (uint32_t)(thread - process->threads.items));
}

static bool is_agents_own(const struct sc_process *process, pid_t tid)
{
    return (uint32_t)tid == atomic_load(&process->reader.segment->own_tid);
}

void sc_process_thread_leaves(struct sc_process *process, const struct sc_watched_thread *thread,
                              uint64_t cpu_ns)
{
    if (process->threads.leaving.count < LEAVING_THREADS_MAX)
        sc_vec_push(&process->threads.leaving,
                    (struct sc_leaving_thread){.tid = thread->tid, .cpu_ns = cpu_ns});
}

static struct sc_leaving_thread *find_leaving(struct sc_process *process, pid_t tid)
{
    for (size_t i = process->threads.leaving.count; i-- > 0;) {
        if (process->threads.leaving.items[i].tid == tid)
            return &process->threads.leaving.items[i];
    }
    return NULL;
}

/* Forgets leaving threads that /proc does not list any more: their numbers are free again. */
static void forget_left(struct sc_process *process)
{
    size_t kept = 0;
    for (size_t i = 0; i < process->threads.leaving.count; i++) {
        struct sc_leaving_thread leaving = process->threads.leaving.items[i];
        if (!leaving.is_listed)
            continue;
        leaving.is_listed = false;
        process->threads.leaving.items[kept++] = leaving;
    }
    process->threads.leaving.count = kept;
}

/* Adds a thread that /proc lists and the agent has not reported. A thread whose THREAD_END record
 * was read and that has used no more time since is not added: it only lacks a CPU to end. */
static void add_listed(struct sc_process *process, pid_t tid, pid_t proc_tid)
{
    struct sc_schedstat stat = {0};
    uint64_t slack_ns = sc_process_slack_ns(process);
    struct sc_leaving_thread *leaving = find_leaving(process, tid);
    if (leaving == NULL) {
        (void)sc_process_new_thread(process, tid);
        return;
    }
    leaving->is_listed = true;
    if (sc_schedstat_read(process->pid, proc_tid, -1, &stat) != SC_PROC_READ ||
        (stat.run_ns <= leaving->cpu_ns + slack_ns && leaving->cpu_ns <= stat.run_ns + slack_ns))
        return;
    bool is_same = stat.run_ns > leaving->cpu_ns; /* its library's clean-up takes long */
    uint64_t charged_cpu_ns = is_same ? leaving->cpu_ns : 0;
    leaving->is_listed = false;
    sc_process_new_thread(process, tid)->charge.charged_cpu_ns = charged_cpu_ns;
}

/* False when the thread's number in its own namespace cannot be found now. */
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
        place_thread(process, thread, proc_tid);
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
                (sc_map_get(&process->threads.proc_index, (uint64_t)tids[i]) != SC_NONE ||
                 place(process, tids[i])) &&
                is_placed_all;
        else if (!is_agents_own(process, tids[i]) &&
                 sc_process_find_thread(process, tids[i]) == NULL)
            add_listed(process, tids[i], tids[i]);
    }
    if (is_whole)
        forget_left(process);
    process->threads.are_unlisted = process->has_no_agent || (is_below && !is_placed_all);
}

enum sc_proc_answer sc_process_read_schedstat(const struct sc_process *process,
                                              const struct sc_watched_thread *thread,
                                              struct sc_schedstat *ret)
{
    if (thread->proc_tid == 0)
        return process->threads.are_unlisted ? SC_PROC_FAILED : SC_PROC_GONE;
    return sc_schedstat_read(process->pid, thread->proc_tid, thread->schedstat_fd, ret);
}

void sc_process_forget_states(struct sc_process *process)
{
    struct sc_thread_states *listed = &process->threads.listed;
    sc_remote_forget(&process->threads.remote);
    sc_map_done(&listed->index);
    sc_vec_done(&listed->states);
    *listed = (struct sc_thread_states){0};
}

static void list_states(struct sc_process *process)
{
    struct sc_thread_states *listed = &process->threads.listed;
    const struct sc_python python = {.layout = &process->layout,
                                     .target = &process->threads.target};
    size_t capacity = process->threads.count + NEW_STATES_MAX;
    SC_AUTO_FREE struct sc_thread_entry *entries = sc_alloc(capacity, sizeof(*entries));
    size_t count =
        sc_threads_read(&python, process->facts.runtime, entries, capacity, &listed->are_whole);
    listed->are_listed = true;
    listed->are_whole = listed->are_whole && count < capacity;
    for (size_t i = count; i-- > 0;) { /* of several with an id the newest one counts */
        bool by_native_id = process->layout.ts_native_thread_id >= 0;
        sc_map_put(&listed->index, by_native_id ? entries[i].native_id : entries[i].ident,
                   (uint32_t)listed->states.count);
        sc_vec_push(&listed->states, entries[i].state);
    }
}

static bool has_id(const struct sc_process *process, const struct sc_target *target, uint64_t state,
                   uint64_t wanted)
{
    const struct sc_layout *layout = &process->layout;
    bool by_native_id = layout->ts_native_thread_id >= 0;
    int32_t field = by_native_id ? layout->ts_native_thread_id : layout->ts_thread_id;
    uint64_t id = 0;
    return state != 0 && sc_target_read(target, state + (uint64_t)field, &id, sizeof(id)) &&
           id == wanted;
}

/* Searching the list for each of thousands of threads would take seconds. */
static uint64_t find_listed(struct sc_process *process, uint64_t wanted)
{
    struct sc_thread_states *listed = &process->threads.listed;
    if (!listed->are_listed)
        list_states(process);
    uint32_t place = sc_map_get(&listed->index, wanted);
    uint64_t state = place != SC_NONE ? listed->states.items[place] : 0;
    return has_id(process, &process->threads.target, state, wanted) ? state : 0;
}

bool sc_process_find_state(struct sc_process *process, struct sc_watched_thread *thread)
{
    const struct sc_layout *layout = &process->layout;
    uint64_t tid = thread->stated_tid != 0 ? thread->stated_tid : (uint64_t)thread->tid;
    uint64_t wanted = layout->ts_native_thread_id >= 0 ? tid : thread->pthread_self;
    bool are_many =
        sc_interpreters_are_many(layout, &process->threads.target, process->facts.runtime);
    if (!are_many && has_id(process, &process->stacks.target, thread->thread_state, wanted))
        return true;
    thread->thread_state = are_many || wanted == 0 ? 0 : find_listed(process, wanted);
    /* a thread has a state for each interpreter; and a list that changed while it was read may lack
     * some */
    if (thread->thread_state == 0 && (are_many || !process->threads.listed.are_whole))
        thread->thread_state = sc_thread_state_find(
            layout, &process->threads.target, process->facts.runtime, tid, thread->pthread_self);
    return thread->thread_state != 0;
}

bool sc_process_is_finalizing(struct sc_process *process, const struct sc_watched_thread *thread)
{
    return sc_thread_is_finalizing(&process->layout, &process->stacks.target,
                                   process->facts.runtime, thread->thread_state);
}
