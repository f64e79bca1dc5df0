/*
 * observer/waiting/watch.c - looks at threads from outside.
 *
 * A blocked thread is never signalled. That its stack did not change while it was read is known
 * from its schedule counters: they were the same before and after.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/waiting/watch.h"

#include <signal.h>

#include "observer/charge/long_call.h"
#include "observer/charge/wait.h"
#include "observer/process/threads.h"
#include "observer/sample/account.h"
#include "observer/sample/books.h"
#include "observer/sample/on_cpu.h"
#include "observer/sample/outside.h"
#include "observer/sample/preemption.h"
#include "observer/sample/stack.h"
#include "observer/sample/workers.h"
#include "observer/system/cpu_alarm.h"
#include "observer/waiting/blocked_stack.h"
#include "observer/waiting/waits.h"

/* How long a thread may run between two samples before that is called a loss. */
#define UNSAMPLED_INTERVALS 10U
#define UNSAMPLED_NS        100000000U

/* The same for what a thread without an agent may use before it is seen at work: polls find it
 * there by chance, once in an interval of CPU time in the mean. */
#define UNFOUND_INTERVALS 10U

/* Of CPU time: after so much without a look at a thread that kept its CPU (on_cpu.h), any look will
 * do. */
#define UNFAIR_NS 300000000U

/* In the thread's CPU time: a look that comes later after its alarm had to wait for a CPU. */
#define LATE_LOOK_NS 200000U

/* Threads that are looked at while nothing runs, at each poll. */
#define DUE_LOOKS 16U

/* Walks the thread's frames into the trie; false when something could not be read. */
static bool read_stack(struct sc_process *process, struct sc_watched_thread *thread,
                       const struct sc_blocked *blocked, uint32_t *ret_node)
{
    struct sc_walk walk;
    struct sc_py_frame frame;
    SC_AUTO_FREE SC_VEC(struct sc_sample_frame) frames = {0};
    uint64_t interpreter = sc_thread_interpreter_number(&process->layout, &process->stacks.target,
                                                        thread->thread_state);
    sc_walk_begin(&walk, &process->layout, &process->stacks.target, process->facts.code_type,
                  thread->thread_state);
    while (frames.count < SC_FRAMES_MAX && sc_walk_next(&walk, &frame)) {
        uint64_t key = sc_codes_add_remote(&process->stacks.codes, &process->layout,
                                           &process->stacks.target, interpreter, frame.code);
        if (key == 0)
            break;
        sc_vec_push(&frames, (struct sc_sample_frame){
                                 .code_key = key,
                                 .instruction = frame.instruction,
                                 .flags = frame.calls_through_c ? SC_FRAME_CALLS_C : 0});
    }
    bool whole = walk.end == SC_WALK_ROOT || frames.count == SC_FRAMES_MAX;
    struct sc_sent_stack sent = {.frames = frames.items, .frame_count = (uint32_t)frames.count};
    bool *may_grow = &thread->charge.blocked_may_grow;
    *ret_node = whole ? sc_blocked_stack(process, thread->tid, &sent, blocked, may_grow) : 0;
    if (whole && frames.count == 0 && sc_process_is_finalizing(process, thread))
        *ret_node = sc_collect_ending(process->collect);
    return whole;
}

static bool is_forbidden(const struct sc_process *process)
{
    return process->stacks.remote.forbidden || process->threads.remote.forbidden;
}

/* The node where the thread is blocked; 0 when it is not a Python thread, or its stack cannot be
 * seen: its wait is counted all the same. stood: it has not run since the last look. */
static bool read_blocked_stack(struct sc_process *process, struct sc_watched_thread *thread,
                               const struct sc_blocked *blocked, bool stood, uint32_t *ret_node)
{
    sc_remote_forget(&process->stacks.remote);
    thread->charge.blocked_may_grow = false;
    *ret_node = 0;
    bool is_read =
        sc_process_find_state(process, thread) && read_stack(process, thread, blocked, ret_node);
    if (is_forbidden(process)) {
        process->looks.unreadable++;
        *ret_node = 0;
        return true;
    }
    /* A Python thread has a state before it runs, but writes its id there only when it runs, before
     * it waits for long. faulthandler's thread, which Python starts in the same way, has none: the
     * look before, counted as unreadable, missed nothing. */
    if (thread->thread_state == 0) {
        bool may_start = thread->charge.life == SC_LIFE_OF_THREAD && !thread->charge.has_python;
        if (may_start && stood && process->looks.unreadable > 0)
            process->looks.unreadable--;
        return !may_start || stood;
    }
    if (!is_read)
        return false;
    if (*ret_node != 0)
        sc_books_note_python(process, thread);
    return true;
}

/* The kernel checks CPU timers only at its own ticks. A thread that begins to run right after a
 * tick, as it does when others hold the CPUs until then, and blocks before the next one is never
 * sampled. What it has used is charged where it blocked, which is close to where it ran, and not to
 * what is sampled next. But if ticks have hit the thread between waits at this place, they will
 * again, and only these samples show what the time is used for. */
static void charge_unseen(struct sc_process *process, struct sc_watched_thread *thread,
                          uint64_t slack_ns)
{
    if (thread->charge.blocked_node == 0 ||
        thread->charge.looked.run_ns <= thread->charge.charged_cpu_ns + slack_ns)
        return;
    if (thread->charge.blocked_node == thread->charge.met_node) {
        sc_charge_owe(&process->charge, &thread->charge, thread->charge.looked.run_ns);
        return;
    }
    thread->charge.sampled_node = sc_workers_node(
        process, thread, sc_stack_python_part(process->collect, thread->charge.blocked_node));
    thread->charge.sampled_kind = SC_SAMPLE_PYTHON;
    thread->charge.sampled_bare = false;
    thread->charge.sampled_ns = thread->charge.looked_ns;
    sc_account_rest(process, thread, thread->charge.looked.run_ns);
}

void sc_watch_charge_unseen(struct sc_process *process, struct sc_watched_thread *thread)
{
    struct sc_schedstat stat;
    if (thread->charge.ended)
        return;
    if (sc_process_read_schedstat(process, thread, &stat) == SC_PROC_READ)
        thread->charge.looked.run_ns = stat.run_ns;
    if (thread->charge.sampled_ns == 0)
        charge_unseen(process, thread, 0);
    else
        sc_account_rest(process, thread, thread->charge.looked.run_ns);
}

/* The thread is looked at anew: where it waits is determined again when that is needed. */
static void forget_place(struct sc_charge_thread *thread)
{
    thread->blocked_line = SC_NONE;
    thread->waits_by_call = false;
}

static void note_blocked(struct sc_process *process, struct sc_watched_thread *thread,
                         const struct sc_blocked *blocked, bool stood)
{
    struct sc_schedstat after;
    uint32_t node = 0;
    process->looks.waiting++;
    if (!read_blocked_stack(process, thread, blocked, stood, &node)) {
        process->looks.unreadable++;
        return;
    }
    if (sc_process_read_schedstat(process, thread, &after) != SC_PROC_READ ||
        sc_wait_has_run(&thread->charge.looked, &after)) {
        process->looks.moved++;
        return;
    }
    /* what the kernel has counted since the first look may have begun before it */
    if (thread->charge.blocked_since_ns == 0 && thread->charge.pending_wait_ns < 0)
        thread->charge.pending_wait_ns = 0;
    thread->charge.blocked = true;
    thread->charge.is_due = false;
    thread->charge.blocked_node = node;
    thread->labels.waiting_path = thread->labels.path;
    thread->charge.blocked_since_ns = thread->charge.looked_ns;
    thread->charge.blocked_cause =
        sc_wait_cause(blocked, process->facts.runtime, process->facts.runtime_size);
    if (sc_wait_is_for_process(process->pid, blocked, &process->stacks.target))
        thread->charge.blocked_cause = SC_WAIT_CHILD;
    charge_unseen(process, thread,
                  process->has_no_agent ? UNFOUND_INTERVALS * process->reader.pace.interval_ns
                                        : sc_process_slack_ns(process));
}

/* Still in the wait whose stack was not found whole: what is found now counts from now on. */
static void find_more(struct sc_process *process, struct sc_watched_thread *thread)
{
    struct sc_blocked blocked;
    struct sc_schedstat after;
    uint32_t node;
    if (sc_blocked_read(process->pid, thread->proc_tid, thread->blocked_fd, &blocked) ==
            SC_BLOCKED_READ &&
        !blocked.running && read_blocked_stack(process, thread, &blocked, true, &node) &&
        node != 0 && sc_process_read_schedstat(process, thread, &after) == SC_PROC_READ &&
        !sc_wait_has_run(&thread->charge.looked, &after))
        thread->charge.blocked_node = node;
}

/* The thread was blocked at the last look, and has not run since. */
static void find_due(const struct sc_process *process, struct sc_watched_thread *thread)
{
    struct sc_blocked blocked;
    thread->charge.is_due = sc_blocked_read(process->pid, thread->proc_tid, thread->blocked_fd,
                                            &blocked) == SC_BLOCKED_READ &&
                            blocked.running;
}

static void charge_own_wait(struct sc_process *process, struct sc_watched_thread *thread,
                            struct sc_wait_charge charge)
{
    if (charge.ns > 0)
        sc_books_charge_wait(process, thread, charge.node, charge.cause, charge.ns);
}

/* How long a thread may run without a sample before that is counted as a loss. */
static uint64_t unsampled_max_ns(const struct sc_process *process)
{
    return UNSAMPLED_INTERVALS * process->reader.pace.interval_ns + UNSAMPLED_NS;
}

/* Signals are delivered on the way back to user code, so a thread whose samples do not come may be
 * in one system call: then the kernel alone has used CPU time since. False while too little was.
 * Later time is judged by itself: a thread without a timer never has a sample. */
static bool knows_call(const struct sc_process *process, struct sc_watched_thread *thread)
{
    struct sc_stat stat = sc_stat_read(process->pid, thread->proc_tid);
    struct sc_cpu_ticks now = sc_stat_ticks(&stat);
    if (stat.state == '\0')
        return true;
    if (!thread->is_overdue) {
        thread->overdue = now;
        thread->is_overdue = true;
        thread->is_judged = thread->is_in_long_call = false;
    } else if (sc_long_call_is_known(&thread->overdue, &now)) {
        thread->is_in_long_call = sc_long_call_is(&thread->overdue, &now);
        thread->is_judged = true;
        thread->overdue = now;
    }
    return thread->is_judged;
}

/* A thread that has run for longer without a sample than a working timer allows blocks the signal,
 * has no timer, or is in a long system call, unless samples are only late. From then on it is
 * looked at while it runs. */
static bool is_without_ticks(struct sc_process *process, struct sc_watched_thread *thread,
                             uint64_t run_ns)
{
    uint64_t unseen_ns = run_ns - thread->charge.charged_cpu_ns;
    if (run_ns <= thread->charge.charged_cpu_ns)
        return false;
    if (process->has_no_agent && thread->alarm.fd < 0)
        return true;
    if (thread->has_no_ticks)
        return unseen_ns > process->reader.pace.interval_ns &&
               (!thread->is_overdue || knows_call(process, thread));
    if (unseen_ns <= sc_process_slack_ns(process))
        return false;
    thread->has_no_ticks = sc_thread_blocks(process->pid, thread->proc_tid, SIGURG) ||
                           (knows_call(process, thread) && unseen_ns > unsampled_max_ns(process));
    return thread->has_no_ticks;
}

static void note_outside(struct sc_process *process, struct sc_watched_thread *thread,
                         const struct sc_outside *seen, uint64_t time_ns, uint64_t run_ns)
{
    process->looks.outside++;
    process->looks.with_moment += seen->has_moment;
    if (!thread->is_in_long_call)
        process->looks.outside_ns += run_ns - thread->charge.charged_cpu_ns;
    sc_account_outside(process, thread, seen, time_ns, run_ns);
}

static void note_unsampled(struct sc_process *process, struct sc_watched_thread *thread,
                           uint64_t run_ns)
{
    struct sc_outside seen;
    if (!is_without_ticks(process, thread, run_ns))
        return;
    uint64_t unseen_ns = run_ns - thread->charge.charged_cpu_ns;
    bool has_left = sc_cpu_leave(process->pid, thread->proc_tid);
    uint64_t turn = sc_cpu_run_number(process->pid, thread->proc_tid);
    bool is_seen = sc_outside_read(process, thread, NULL, &seen);
    bool is_fair =
        !has_left || (turn != 0 && sc_cpu_run_number(process->pid, thread->proc_tid) == turn);
    if (!is_fair && unseen_ns < UNFAIR_NS)
        return; /* the next look stands for this time, too */
    if (thread->is_in_long_call) {
        seen.kind = SC_SAMPLE_KERNEL;
        seen.in_call = true;
    }
    if (is_seen) {
        note_outside(process, thread, &seen, thread->charge.looked_ns, run_ns);
    } else {
        process->looks.failed++;
        sc_account_rest(process, thread, run_ns);
    }
}

/* A thread that is to run may lack a CPU for long before it has used any: where it stands is known
 * from now on. */
static void meet(struct sc_process *process, struct sc_watched_thread *thread)
{
    struct sc_outside seen;
    if (sc_outside_read(process, thread, NULL, &seen) && seen.node != 0)
        sc_account_outside(process, thread, &seen, thread->charge.looked_ns,
                           thread->charge.charged_cpu_ns);
}

void sc_watch_alarm(struct sc_process *process, struct sc_watched_thread *thread, uint64_t now_ns)
{
    struct sc_schedstat stat;
    struct sc_blocked blocked;
    struct sc_cpu_moment moment;
    struct sc_outside seen;
    uint64_t *state = &process->collect->random_state;
    uint64_t mean_ns = sc_process_interval_ns(process, now_ns);
    *state = sc_mix(*state, 1);
    sc_cpu_alarm_set(&thread->alarm, mean_ns / 2 + *state % (mean_ns + 1));
    bool has_moment = sc_cpu_alarm_moment(&thread->alarm, &moment);
    if (process->ending.is_over || process->is_skipped || !process->charge.begun)
        return;
    bool is_late =
        has_moment && sc_cpu_alarm_clock_ns(&thread->alarm) > moment.clock_ns + LATE_LOOK_NS;
    bool is_seen = sc_outside_read(process, thread, has_moment ? &moment : NULL, &seen);
    /* On the same CPU we would wait until its turn is over (EEVDF, Linux 6.6), so that no look
     * would see the first milliseconds of its runs. After this look, which is late enough. */
    if (is_late)
        (void)sc_cpu_avoid(process->pid, thread->proc_tid);
    /* one that has begun to wait meanwhile is not where it was: the next look stands for this time,
     * too */
    if (sc_blocked_read(process->pid, thread->proc_tid, thread->blocked_fd, &blocked) !=
            SC_BLOCKED_READ ||
        !blocked.running || sc_process_read_schedstat(process, thread, &stat) != SC_PROC_READ ||
        stat.run_ns <= thread->charge.charged_cpu_ns)
        return;
    if (is_seen)
        note_outside(process, thread, &seen, now_ns, stat.run_ns);
    else
        process->looks.failed++;
    thread->has_no_ticks = thread->is_overdue = thread->is_in_long_call = false;
}

void sc_watch_ended(struct sc_process *process, struct sc_watched_thread *thread, uint64_t end_ns,
                    uint64_t cpu_ns)
{
    sc_wait_left(&thread->charge, end_ns, cpu_ns);
    if (thread->charge.left_wait_ns == 0)
        return;
    thread->charge.pending_wait_ns += (int64_t)thread->charge.left_wait_ns;
    charge_own_wait(process, thread, sc_wait_charge_left(&thread->charge));
    thread->charge.left_wait_ns = 0;
}

/* What the thread has written lies in the ring now, so its account is closed at the look after the
 * next drain. A sample that came later would count the thread's whole life again. */
static void note_gone(struct sc_process *process, struct sc_watched_thread *thread, uint64_t now_ns)
{
    if (!thread->is_gone) {
        thread->is_gone = true;
        thread->charge.runnable = false;
        sc_watch_ended(process, thread, now_ns, thread->charge.looked.run_ns);
        return;
    }
    sc_account_over(process, thread, thread->charge.looked.run_ns);
    sc_process_thread_ended(process, thread);
}

bool sc_watch_needs_no_look(struct sc_process *process)
{
    struct sc_watched_thread *only = process->threads.count == 1 ? process->threads.items : NULL;
    if (only == NULL || only->has_no_ticks || process->has_no_agent ||
        !sc_gap_is_plainly_busy(&process->gap, &only->charge, sc_process_slack_ns(process)))
        return false;
    forget_place(&only->charge);
    only->charge.blocked = false;
    only->charge.runnable = true;
    process->threads.all_blocked = false;
    return true;
}

uint64_t sc_watch_look(struct sc_process *process, struct sc_watched_thread *thread,
                       uint64_t now_ns)
{
    struct sc_schedstat stat;
    struct sc_blocked blocked;
    enum sc_proc_answer answer = sc_process_read_schedstat(process, thread, &stat);
    if (answer == SC_PROC_GONE)
        note_gone(process, thread, now_ns);
    if (answer != SC_PROC_READ) /* the account stays as it is: what comes next continues it */
        return 0;
    bool moved = thread->charge.looked_ns == 0 || sc_wait_has_run(&thread->charge.looked, &stat);
    uint64_t delay_ns = sc_wait_update(&thread->charge, &stat, now_ns);
    note_unsampled(process, thread, stat.run_ns);
    thread->charge.is_steady = !moved && thread->charge.blocked;
    thread->charge.is_due = thread->charge.is_due && !moved;
    if (moved)
        charge_own_wait(process, thread, sc_wait_charge_left(&thread->charge));
    thread->charge.left_wait_ns = 0;
    if (moved || !thread->charge.blocked) {
        sc_wait_woken(&thread->charge);
        forget_place(&thread->charge);
        thread->charge.runnable = false;
        enum sc_blocked_answer read =
            sc_blocked_read(process->pid, thread->proc_tid, thread->blocked_fd, &blocked);
        process->refused.calls = process->refused.calls || read == SC_BLOCKED_REFUSED;
        if (read != SC_BLOCKED_GONE) {
            thread->charge.runnable = blocked.running;
            if (!blocked.running)
                note_blocked(process, thread, &blocked, !moved);
            else if (process->has_no_agent && thread->charge.sampled_ns == 0)
                meet(process, thread);
        }
    } else {
        find_due(process, thread);
        if (!thread->charge.is_due && thread->charge.blocked_may_grow)
            find_more(process, thread);
    }
    charge_own_wait(process, thread, sc_wait_charge_own(&thread->charge));
    return delay_ns;
}

/* NULL when it has ended. */
static struct sc_watched_thread *find_main(struct sc_process *process)
{
    SC_EACH(struct sc_watched_thread, thread, &process->threads) {
        if (thread->charge.is_main && !thread->charge.ended)
            return thread;
    }
    return NULL;
}

static size_t count_waited_for(const struct sc_process *process)
{
    size_t count = 0;
    for (size_t i = 0; i < process->threads.count; i++)
        count += sc_wait_may_block_others(&process->threads.items[i].charge);
    return count;
}

/* While nothing runs, threads are not looked at. Finds whether those that may be charged are due:
 * the main thread, and, which is returned, one of those that are waited for. */
static bool find_all_due(struct sc_process *process)
{
    bool is_due = false;
    size_t looks = 0;
    for (size_t i = 0; i < process->threads.count && looks < DUE_LOOKS; i++) {
        struct sc_watched_thread *thread = &process->threads.items[i];
        bool is_waited_for = sc_wait_may_block_others(&thread->charge);
        if (!is_waited_for && (!thread->charge.is_main || !thread->charge.blocked))
            continue;
        if (thread->charge.looked_ns < process->gap.polled_ns)
            find_due(process, thread);
        is_due = is_due || (is_waited_for && thread->charge.is_due);
        looks++;
    }
    return is_due;
}

/* Charges a wait that ended left_ns before the last poll, so that waits do not overlap in time. */
static void charge_wait(struct sc_process *process, struct sc_watched_thread *thread, uint32_t node,
                        enum sc_wait cause, uint64_t left_ns, uint64_t ns)
{
    uint64_t polled_ns = process->gap.polled_ns;
    uint64_t until_ns = polled_ns - (left_ns < polled_ns ? left_ns : polled_ns);
    if (ns == 0)
        return;
    node = sc_workers_node(process, thread, sc_stack_spent(process, node, sc_wait_time(cause)));
    sc_books_charge_gap(process, thread, node, sc_wait_time(cause), until_ns, ns);
    if (sc_wait_time(cause) == SC_TIME_IO)
        sc_tracks_add(&process->collect->tracks, SC_TRACK_OF_IO, until_ns, ns);
}

static void charge_shared(struct sc_process *process, uint64_t each_ns)
{
    uint64_t left_ns = 0;
    for (size_t i = 0; i < process->threads.count; i++) {
        struct sc_watched_thread *thread = &process->threads.items[i];
        if (!sc_wait_may_block_others(&thread->charge))
            continue;
        charge_wait(process, thread, thread->charge.blocked_node, thread->charge.blocked_cause,
                    left_ns, each_ns);
        left_ns += each_ns;
    }
}

static void charge_main(struct sc_process *process, struct sc_watched_thread *main,
                        uint64_t before_ns, uint64_t ns)
{
    charge_wait(process, main, main->charge.left_node, main->charge.left_cause, ns - before_ns,
                before_ns);
    charge_wait(process, main, main->charge.blocked_node, main->charge.blocked_cause, 0,
                ns - before_ns);
}

bool sc_watch_charge_idle(struct sc_process *process, struct sc_watched_thread *last_run,
                          uint64_t ns)
{
    struct sc_watched_thread *main = find_main(process);
    const struct sc_idle_books books = {
        .main = main != NULL ? &main->charge : NULL,
        .worker = last_run != NULL ? &last_run->charge : NULL,
        .waited_for = count_waited_for(process),
        .ran = process->gap.ran,
        .polled_ns = process->gap.polled_ns,
        .is_due = find_all_due(process),
    };
    struct sc_idle idle = sc_wait_idle(&books, ns);
    switch (idle.payer) {
    case SC_IDLE_NOBODY:
        return false;
    case SC_IDLE_MAIN:
        if (main != NULL) /* never NULL here: sc_wait_idle would have returned SC_IDLE_NOBODY */
            charge_main(process, main, idle.before_ns, ns);
        break;
    case SC_IDLE_WORKER:
        if (last_run != NULL)
            charge_wait(process, last_run, last_run->charge.left_node, last_run->charge.left_cause,
                        0, ns);
        break;
    case SC_IDLE_PREEMPTED:
        sc_preemption_charge(process, last_run, ns);
        break;
    case SC_IDLE_UNSEEN:
        if (last_run != NULL)
            charge_wait(process, last_run, last_run->charge.sampled_node, SC_WAIT_OTHER, 0, ns);
        break;
    case SC_IDLE_SHARED:
        charge_shared(process, idle.each_ns);
        break;
    }
    return true;
}
