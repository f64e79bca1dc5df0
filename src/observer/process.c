/*
 * observer/process.c - one watched process.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/process.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "observer/account.h"
#include "observer/exit_status.h"
#include "observer/facts.h"
#include "observer/modules.h"
#include "observer/preemption.h"
#include "observer/process_pages.h"
#include "observer/process_threads.h"
#include "observer/watch.h"

#define ROTATION_LOOKS         16U /* threads that seem parked, looked at per tick */
#define LIST_INTERVAL_NS       1000000000U
#define THREADS_MAX            65536U /* at once; more than this cannot be real */
#define COUNTED_FILES_MAX      4096U  /* files in /proc that are kept open, one per thread */
#define BLOCKED_FILES_MAX      128U
#define EXECUTABLE_INTERVAL_NS 500000000U
#define EMBEDDED_AFTER_NS      1000000000U

static char *executable_of(pid_t pid)
{
    char link[40];
    char path[4096];
    (void)snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
    ssize_t length = readlink(link, path, sizeof(path));
    return length > 0 ? sc_strndup(path, (size_t)length) : NULL;
}

static void describe(struct sc_process *process, const struct sc_process_start *start)
{
    const struct sc_process *parent = start->parent;
    process->is_forked = process->reader.is_forked;
    process->parent_pid = sc_process_parent(process->pid);
    if (process->parent_pid == 0 && parent != NULL)
        process->parent_pid = parent->pid;
    else if (process->parent_pid == 0 && !sc_pid_is_below(&process->names))
        process->parent_pid = (pid_t)process->reader.parent_pid;
    /* a forked child may have executed something since it said hello */
    if (parent != NULL && parent->executable != NULL)
        process->executable = sc_strdup(parent->executable);
    else
        process->executable = executable_of(process->pid);
    process->file = parent != NULL ? parent->file : sc_process_file(process->pid);
    if (process->executable == NULL && start->executable[0] == '/')
        process->executable = sc_strdup(start->executable);
    process->command =
        parent != NULL ? sc_strdup(parent->command) : sc_process_command(process->pid);
}

static void close_ending(struct sc_process *process)
{
    if (process->exit_status_fd >= 0)
        (void)close(process->exit_status_fd);
    process->exit_status_fd = -1;
}

void sc_process_note_ending(struct sc_process *process)
{
    int status = 0;
    if (!process->has_status && process->signal == 0 &&
        sc_exit_status_read(process->exit_status_fd, process->pid, &status))
        sc_process_note_status(process, status);
    if (process->has_status || process->signal != 0 || process->replaced)
        close_ending(process);
}

static bool find_layout(struct sc_process *process, const struct sc_process_start *start)
{
    if (start->parent == NULL)
        return sc_facts_layout(&process->reader, start->allow_unknown, &process->layout);
    process->layout = start->parent->layout;
    return true;
}

struct sc_process *sc_process_new(const struct sc_process_start *start, struct sc_reader *reader,
                                  struct sc_err *err)
{
    struct sc_process *process = sc_alloc(1, sizeof(*process));
    process->collect = start->collect;
    process->young = start->young;
    process->owners = start->owners;
    process->beside = start->beside;
    process->followed.ledger = start->ledger;
    sc_process_pages_begin(process);
    process->devices.gpu = start->gpu;
    process->native = (struct sc_native){.collect = start->collect, .symbols = start->symbols};
    process->reader = *reader;
    process->pid = start->pid;
    process->names = start->names;
    process->own_pid = sc_pid_own(&start->names.numbers);
    process->exit_status_fd = sc_exit_status_open(start->pid);
    process->known_ns = sc_now_ns();
    process->remote.pid = process->pid;
    process->list_remote.pid = process->pid;
    process->memory = (struct sc_memory){.read = sc_remote_read, .context = &process->remote};
    process->list_memory =
        (struct sc_memory){.read = sc_remote_read, .context = &process->list_remote};
    process->facts = sc_facts_read(reader);
    process->charge.interval_ns = reader->pace.interval_ns;
    process->gap.processors = sc_process_processors(process->pid);
    process->charge.jiffy_ns = sc_jiffy_ns();
    process->gap.jiffy_ns = (int64_t)process->charge.jiffy_ns;
    if (!find_layout(process, start)) {
        sc_reader_close(&process->reader);
        sc_remote_done(&process->remote);
        close_ending(process);
        free(process);
        (void)sc_fail(err, SC_ERR_FAILED, "what the agent says of its interpreter makes no sense");
        return NULL;
    }
    describe(process, start);
    process->is_root = true;
    sc_codes_init(&process->codes, start->collect, process->layout.line_table_kind,
                  start->directory);
    process->codes.cells = (struct sc_cells){
        .pid = process->pid, .layout = &process->layout, .runtime = process->facts.runtime};
    return process;
}

/* Frees what only a running thread needs. */
static void let_go_of(struct sc_watched_thread *thread)
{
    sc_vec_done(&thread->held.list);
    sc_vec_done(&thread->owed.list);
    if (thread->schedstat_fd >= 0)
        (void)close(thread->schedstat_fd);
    if (thread->blocked_fd >= 0)
        (void)close(thread->blocked_fd);
    thread->schedstat_fd = thread->blocked_fd = -1;
}

void sc_process_note_refusals(struct sc_process *process)
{
    struct sc_refusals *refused = &process->refused;
    refused->memory = refused->memory || process->remote.forbidden ||
                      process->list_remote.forbidden ||
                      (process->awaiting != NULL && process->awaiting->is_forbidden);
    refused->pages = refused->pages || process->pages.is_refused;
    if (process->classifier != NULL &&
        sc_modules_are_refused(sc_classifier_modules(process->classifier)))
        refused->maps = true;
}

/* Frees what only a running process needs; a tree may have many that have ended. */
static void release(struct sc_process *process)
{
    sc_process_note_refusals(process);
    sc_handed_end(process);
    for (size_t i = 0; i < process->threads.count; i++)
        let_go_of(&process->threads.items[i]);
    sc_vec_done(&process->threads);
    sc_vec_done(&process->free_threads);
    sc_vec_done(&process->leaving_threads);
    sc_map_done(&process->thread_index);
    sc_map_done(&process->proc_index);
    sc_codes_done(&process->codes);
    sc_process_pages_end(process);
    sc_followed_memory_done(&process->followed);
    sc_devices_done(&process->devices);
    sc_native_done(&process->native);
    sc_kept_stacks_done(&process->kept_stacks);
    sc_blocked_stacks_done(&process->blocked_stacks);
    sc_classifier_free(process->classifier);
    process->classifier = NULL;
    sc_awaiting_free(process->awaiting);
    process->awaiting = NULL;
    sc_remote_done(&process->remote);
    sc_remote_done(&process->list_remote);
    sc_reader_close(&process->reader);
}

void sc_process_free(struct sc_process *process)
{
    if (process == NULL)
        return;
    release(process);
    close_ending(process);
    free(process->executable);
    free(process->command);
    free(process);
}

static uint32_t new_place(struct sc_process *process)
{
    if (process->free_threads.count > 0)
        return process->free_threads.items[--process->free_threads.count];
    sc_vec_push(&process->threads, (struct sc_watched_thread){0});
    return (uint32_t)process->threads.count - 1;
}

bool sc_process_takes_thread(const struct sc_process *process, pid_t tid)
{
    return process->threads.count < THREADS_MAX || process->free_threads.count > 0 ||
           sc_map_get(&process->thread_index, (uint64_t)tid) != SC_NONE;
}

void sc_process_place_thread(struct sc_process *process, struct sc_watched_thread *thread,
                             pid_t proc_tid)
{
    uint32_t index = (uint32_t)(thread - process->threads.items);
    struct sc_thread_cost *account = &process->collect->threads.items[thread->account];
    thread->proc_tid = proc_tid;
    if (sc_pid_is_below(&process->names))
        sc_map_put(&process->proc_index, (uint64_t)proc_tid, index);
    if (index < COUNTED_FILES_MAX)
        thread->schedstat_fd = sc_schedstat_open(process->pid, proc_tid);
    if (index < BLOCKED_FILES_MAX)
        thread->blocked_fd = sc_blocked_open(process->pid, proc_tid);
    if (account->name[0] == '\0')
        sc_thread_comm(process->pid, proc_tid, account->name);
}

struct sc_watched_thread *sc_process_find_thread(const struct sc_process *process, pid_t tid)
{
    uint32_t index = sc_map_get(&process->thread_index, (uint64_t)tid);
    if (index == SC_NONE)
        return NULL;
    struct sc_watched_thread *thread = &process->threads.items[index];
    return thread->tid == tid && !thread->charge.ended ? thread : NULL;
}

struct sc_watched_thread *sc_process_thread(struct sc_process *process, pid_t tid)
{
    struct sc_watched_thread *thread = sc_process_find_thread(process, tid);
    if (thread != NULL)
        return thread;
    uint32_t index = new_place(process);
    sc_map_put(&process->thread_index, (uint64_t)tid, index);
    thread = &process->threads.items[index];
    *thread = (struct sc_watched_thread){
        .tid = tid,
        .account = sc_collect_thread(process->collect, (uint64_t)process->pid, (uint64_t)tid),
        .charge = {.id = (uint32_t)tid, .is_main = tid == process->own_pid},
        .schedstat_fd = -1,
        .blocked_fd = -1,
    };
    struct sc_thread_cost *account = &process->collect->threads.items[thread->account];
    account->is_main = thread->charge.is_main;
    if (account->tid == (uint64_t)tid) /* not an entry for many */
        account->pid = (uint64_t)process->pid;
    if (thread->charge.is_main || !sc_pid_is_below(&process->names))
        sc_process_place_thread(process, thread, thread->charge.is_main ? process->pid : tid);
    else
        process->are_threads_unlisted = true;
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
    let_go_of(thread);
    sc_vec_push(&process->free_threads, (uint32_t)(thread - process->threads.items));
}

/* Threads that did not come through pthread_create, and names that the agent did not know. */
static void look_around(struct sc_process *process, uint64_t now_ns)
{
    if (process->listed_ns + LIST_INTERVAL_NS >= now_ns && !process->are_threads_unlisted)
        return;
    sc_process_list_threads(process);
    if (process->listed_ns + LIST_INTERVAL_NS >= now_ns)
        return;
    process->listed_ns = now_ns;
    process->gap.processors = sc_process_processors(process->pid);
    uint64_t rss_bytes = sc_process_peak_rss(process->pid);
    if (rss_bytes > process->max_rss_bytes)
        process->max_rss_bytes = rss_bytes;
}

/* User code runs from now on: the time before was start-up, which is not charged. */
static void begin(struct sc_process *process, uint64_t begun_ns, uint64_t begun_cpu_ns)
{
    process->charge.begun = true;
    process->charge.begun_ns = begun_ns;
    process->facts = sc_facts_read(&process->reader);
    process->classifier =
        sc_classifier_new(process->pid, process->beside, &process->facts, &process->layout);
    struct sc_watched_thread *main = sc_process_thread(process, process->own_pid);
    main->charge.charged_cpu_ns = begun_cpu_ns;
    if (process->is_forked) { /* by Python code, whether a sample shows that or not */
        sc_charge_begin_life(&main->charge, SC_LIFE_OF_PROCESS, begun_cpu_ns,
                             sc_process_interval_ns(process, begun_ns));
        process->collect->threads.items[main->account].has_python = true;
    }
    process->charge.charged_cpu_ns = begun_cpu_ns;
    process->charge.begun_cpu_ns = begun_cpu_ns;
    sc_gap_begin(&process->gap, begun_ns, begun_cpu_ns);
}

/* A program that embeds Python may never do what its agent takes for the begin of user code: it
 * counts as begun EMBEDDED_AFTER_NS after it registered. */
static void begin_if_due(struct sc_process *process, uint64_t now_ns, uint64_t cpu_ns)
{
    const struct sc_segment *segment = process->reader.segment;
    uint64_t started_ns = atomic_load(&segment->program_started_ns);
    uint64_t started_cpu_ns = atomic_load(&segment->program_started_cpu_ns);
    if (process->charge.begun)
        return;
    if (cpu_ns != 0 && started_cpu_ns > cpu_ns) /* of one thread, hence no more than of all */
        started_cpu_ns = cpu_ns;
    if (started_ns != 0)
        begin(process, started_ns < now_ns ? started_ns : now_ns, started_cpu_ns);
    else if (now_ns > process->known_ns + EMBEDDED_AFTER_NS)
        begin(process, now_ns, cpu_ns);
}

/* Looks at those threads that may have moved. Returns the time they waited for a CPU. */
static uint64_t look_at_threads(struct sc_process *process, uint64_t now_ns)
{
    uint64_t delay_ns = 0;
    size_t count = process->threads.count;
    bool all_blocked = true;
    sc_remote_forget(&process->list_remote);
    for (size_t i = 0; i < count; i++) {
        struct sc_watched_thread *thread = &process->threads.items[i];
        bool in_turn = (i + count - process->rotation % count) % count < ROTATION_LOOKS;
        if (thread->charge.ended)
            continue;
        if (thread->charge.is_main || !thread->charge.blocked || in_turn)
            delay_ns += sc_watch_look(process, thread, now_ns);
        all_blocked = all_blocked && (thread->charge.ended || thread->charge.blocked);
    }
    process->rotation = count > 0 ? (process->rotation + ROTATION_LOOKS) % count : 0;
    process->all_blocked = all_blocked;
    return delay_ns;
}

static struct sc_watched_thread *next_to_run(struct sc_process *process)
{
    struct sc_charge_threads threads = sc_account_threads(process);
    uint32_t place = sc_gap_next_to_run(&threads);
    return place != SC_NONE ? &process->threads.items[place] : NULL;
}

/* Whether the thread has been runnable all the time since the last tick. The kernel counts waiting
 * for a CPU only when it has ended, and what a hypervisor takes away not at all; but it counts
 * every time a thread blocks. */
static bool has_never_blocked(struct sc_process *process, struct sc_watched_thread *thread)
{
    uint64_t switches = 0;
    if (!thread->charge.runnable ||
        !sc_voluntary_switches(process->pid, thread->proc_tid, &switches))
        return false;
    bool never = thread->switches_ns == process->gap.last_ticked_ns && switches == thread->switches;
    thread->switches = switches;
    thread->switches_ns = process->gap.ticked_ns;
    return never;
}

/* Charges what is pending to the thread that was kept from a CPU or held the program up. */
static void charge_gap(struct sc_process *process, uint64_t delay_ns)
{
    struct sc_charge_gap *gap = &process->gap;
    struct sc_watched_thread *next = next_to_run(process);
    bool never_blocked =
        next != NULL &&
        (sc_gap_is_suspicious(gap, gap->pending_ns) || next->switches_ns == gap->last_ticked_ns) &&
        has_never_blocked(process, next);
    uint64_t preempted_ns = sc_gap_preempted(gap, delay_ns, never_blocked);
    if (gap->pending_ns <= 0)
        return;
    uint64_t gap_ns = (uint64_t)gap->pending_ns;
    if (next != NULL && preempted_ns > 0) {
        sc_preemption_charge(process, next, preempted_ns);
        gap_ns -= preempted_ns;
        gap->worked_ns += preempted_ns;
    }
    gap_ns = sc_gap_uncovered(gap, gap_ns);
    /* a child that waits can hold up only a parent that waits for it, which is charged then */
    if (gap_ns > 0 && (!process->is_root || sc_watch_charge_idle(process, next, gap_ns)))
        gap_ns = 0;
    gap->pending_ns = (int64_t)gap_ns;
    sc_process_thread(process, process->own_pid)->charge.woke = false;
}

/* Time in which a process below its root works is not waiting time of the root. */
static void tell_root(struct sc_process *process, uint64_t now_ns)
{
    if (process->root != NULL)
        sc_gap_work_below(&process->root->gap, &process->gap, now_ns);
}

void sc_process_tick(struct sc_process *process, uint64_t now_ns)
{
    uint64_t cpu_ns = 0;
    if (process->ended || !sc_process_cpu(process->pid, &cpu_ns)) {
        process->gap.ran = false;
        return;
    }
    begin_if_due(process, now_ns, cpu_ns);
    if (!process->charge.begun) {
        sc_account_drain(process);
        return;
    }
    sc_gap_measure(&process->gap, now_ns, cpu_ns);
    sc_account_drain(process);
    look_around(process, now_ns);
    uint64_t delay_ns = 0;
    if ((process->gap.ran || !process->all_blocked) && !sc_watch_needs_no_look(process))
        delay_ns = look_at_threads(process, now_ns);
    sc_account_hostless(process, now_ns);
    if (!process->gap.ran && sc_process_is_stopped(process->pid)) {
        process->gap.pending_ns = 0; /* by a debugger or job control: this time is not charged */
        sc_awaiting_skip(process, now_ns);
    } else {
        charge_gap(process, delay_ns);
        sc_awaiting_tick(process, now_ns);
    }
    tell_root(process, now_ns);
    sc_devices_settle(&process->devices, now_ns);
}

static void skip_thread(struct sc_process *process, struct sc_watched_thread *thread,
                        uint64_t now_ns)
{
    struct sc_schedstat stat;
    if (thread->charge.ended || sc_process_read_clock(process, thread, &stat) != SC_PROC_READ)
        return;
    thread->charge.looked = stat;
    thread->charge.looked_ns = now_ns;
    if (thread->charge.charged_cpu_ns < stat.run_ns)
        thread->charge.charged_cpu_ns = stat.run_ns;
    thread->charge.blocked = thread->charge.woke = thread->charge.runnable = false;
    thread->charge.pending_wait_ns = 0;
    thread->charge.left_wait_ns = 0;
}

void sc_process_skip(struct sc_process *process, uint64_t now_ns)
{
    uint64_t cpu_ns = 0;
    process->gap.ran = false;
    if (process->ended || !sc_process_cpu(process->pid, &cpu_ns))
        return;
    begin_if_due(process, now_ns, cpu_ns);
    sc_account_drain(process);
    if (!process->charge.begun)
        return;
    look_around(process, now_ns);
    for (size_t i = 0; i < process->threads.count; i++)
        skip_thread(process, &process->threads.items[i], now_ns);
    uint64_t used_ns = sc_gap_skip(&process->gap, now_ns, cpu_ns);
    process->charge.begun_cpu_ns += used_ns; /* as if it had begun later */
    process->charge.charged_cpu_ns += used_ns;
    process->all_blocked = false; /* where they are is to be looked at anew */
    sc_awaiting_skip(process, now_ns);
    sc_devices_skip(&process->devices, now_ns);
}

/* CPU time of the process that is not charged yet. cpu_ns: its CPU time in all. */
static uint64_t rest_of(const struct sc_process *process, uint64_t cpu_ns)
{
    return cpu_ns > process->charge.charged_cpu_ns ? cpu_ns - process->charge.charged_cpu_ns : 0;
}

/* Charges what every thread has used since its last sample, as far as that is known. CPU time that
 * is known only for the process belongs to its thread if it has only one. */
static void close_cpu_accounts(struct sc_process *process, uint64_t cpu_ns)
{
    bool is_alone = process->threads.count - process->free_threads.count == 1;
    for (size_t i = 0; i < process->threads.count; i++) {
        struct sc_watched_thread *thread = &process->threads.items[i];
        struct sc_schedstat last = thread->charge.looked;
        if (thread->charge.ended)
            continue;
        if (thread->charge.is_main) /* a zombie's clock can still be read */
            (void)sc_process_read_clock(process, thread, &last);
        uint64_t all_ns = thread->charge.charged_cpu_ns + rest_of(process, cpu_ns);
        if (thread->charge.is_main && is_alone && last.run_ns < all_ns)
            last.run_ns = all_ns;
        sc_account_over(process, thread, last.run_ns);
    }
    sc_account_hostless(process, process->gap.ticked_ns);
    sc_account_hostless(process, process->gap.ticked_ns);
}

/* Charges what is still pending when nothing can be looked at any more. */
static void close_accounts(struct sc_process *process, uint64_t now_ns)
{
    charge_gap(process, 0);
    if (process->gap.pending_ns > 0) /* no thread was seen blocked */
        charge_gap(process, UINT64_MAX);
    for (size_t i = 0; i < process->threads.count; i++) {
        struct sc_watched_thread *thread = &process->threads.items[i];
        if (!thread->charge.ended)
            sc_watch_ended(process, thread, now_ns, thread->charge.looked.run_ns);
    }
}

bool sc_process_runs_another_file(const struct sc_process *process)
{
    struct sc_file_identity file = sc_process_file(process->pid);
    return file.inode != 0 && process->file.inode != 0 &&
           (file.inode != process->file.inode || file.device != process->file.device);
}

bool sc_process_has_executed(struct sc_process *process, uint64_t now_ns)
{
    bool has_samples = atomic_load(&process->reader.segment->samples) > 0;
    if (has_samples && now_ns < process->executable_ns + EXECUTABLE_INTERVAL_NS)
        return false;
    process->executable_ns = now_ns;
    process->replaced = sc_process_runs_another_file(process);
    return process->replaced;
}

static void count(struct sc_process *process)
{
    const struct sc_segment *segment = process->reader.segment;
    process->counts = (struct sc_process_counts){
        .samples = atomic_load(&segment->samples),
        .attempts = atomic_load(&segment->attempts),
        .handler_cpu_ns = atomic_load(&segment->handler_cpu_ns),
        .memory_lost_bytes = atomic_load(&segment->memory_lost_bytes),
        .sealed_ns = atomic_load(&segment->sealed_ns),
    };
    for (size_t i = 0; i < SC_AGENT_LOSS_COUNT_; i++)
        process->counts.losses[i] = atomic_load(&segment->losses[i]);
    process->counts.losses[SC_AGENT_LOSS_UNKNOWN_CODE] += process->codes.unknown;
}

double sc_process_own_cpu_s(const struct sc_process *process)
{
    const struct sc_charge_process *charge = &process->charge;
    uint64_t charged_ns = charge->begun ? charge->charged_cpu_ns - charge->begun_cpu_ns : 0;
    uint64_t told_ns = process->end_cpu_ns - process->inherited_cpu_ns;
    told_ns = process->end_cpu_ns < process->inherited_cpu_ns ? 0 : told_ns;
    return (double)(told_ns > charged_ns ? told_ns : charged_ns) / 1e9; /* gone before a look */
}

void sc_process_note_status(struct sc_process *process, int status)
{
    if (process->replaced || process->signal != 0 || process->outlived)
        return;
    /* one that was killed while it exited counts as killed */
    process->has_status = WIFEXITED(status);
    process->status = process->has_status ? WEXITSTATUS(status) : 0;
    process->signal = process->has_status ? 0 : WTERMSIG(status);
}

void sc_process_take_stock(struct sc_process *process, uint64_t now_ns)
{
    if (process->ended)
        return;
    process->ended_ns = now_ns;
    process->end_cpu_ns = process->gap.ticked_cpu_ns;
    sc_process_note_refusals(process);
    count(process);
}

void sc_process_end(struct sc_process *process, uint64_t now_ns, uint64_t cpu_ns)
{
    if (process->ended)
        return;
    cpu_ns = cpu_ns != 0 ? cpu_ns : process->gap.ticked_cpu_ns;
    begin_if_due(process, now_ns, cpu_ns);
    sc_account_drain(process);
    sc_account_drain(process); /* what came while blocks were looked at */
    if (process->told_end && cpu_ns < process->told_cpu_ns) /* it was gone before we looked */
        cpu_ns = process->told_cpu_ns;
    if (process->charge.begun) {
        sc_gap_measure(&process->gap, now_ns, cpu_ns);
        close_accounts(process, now_ns);
        tell_root(process, now_ns);
        close_cpu_accounts(process, cpu_ns);
        sc_awaiting_end(process, now_ns);
        sc_devices_end(&process->devices, now_ns);
        struct sc_watched_thread *main = sc_process_thread(process, process->own_pid);
        sc_account_lost(process, main,
                        rest_of(process, cpu_ns)); /* of threads unseen for a while */
    }
    if (process->told_exec && !process->told_end) /* what it executed has ended, or continues */
        process->replaced = true;
    process->ended = true;
    process->ended_ns = now_ns;
    process->end_cpu_ns = cpu_ns;
    count(process);
    sc_process_note_ending(process);
    if (!process->is_root) /* blocks alive at the end of a worker are freed with it */
        sc_memory_drop(&process->followed, now_ns);
    release(process);
}
