/*
 * observer/watch.c - looking at threads from outside.
 *
 * A blocked thread is never signalled. That its stack was read in one piece is known from its
 * schedule counters: they were the same before and after.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/watch.h"

#include <signal.h>

#include "observer/account.h"
#include "observer/outside.h"
#include "observer/stack.h"
#include "observer/waits.h"

/* How long a thread may run between two samples before that is called a loss. */
#define PATIENCE_INTERVALS 10U
#define PATIENCE_NS        100000000U

/* No timer that works lets more than this pass, in intervals and ticks of the kernel. */
#define UNSEEN_INTERVALS 2U

/* A thread that works and sleeps in turn is seen asleep at least this often. */
#define MOMENT_NS 1000000000U

static bool is_same(const struct sc_schedstat *one, const struct sc_schedstat *other)
{
    return one->run_ns == other->run_ns && one->slices == other->slices;
}

bool sc_watch_find_state(struct sc_process *process, struct sc_watched_thread *thread)
{
    const struct sc_layout *layout = &process->layout;
    bool by_native_id = layout->ts_native_thread_id >= 0;
    int32_t field = by_native_id ? layout->ts_native_thread_id : layout->ts_thread_id;
    uint64_t wanted = by_native_id ? (uint64_t)thread->tid : thread->pthread_self;
    uint64_t id = 0;
    if (thread->thread_state != 0 &&
        sc_memory_read(&process->memory, thread->thread_state + (uint64_t)field, &id, sizeof(id)) &&
        id == wanted)
        return true;
    thread->thread_state =
        sc_thread_state_find(layout, &process->list_memory, process->facts.runtime,
                             (uint64_t)thread->tid, thread->pthread_self);
    return thread->thread_state != 0;
}

/* Walks the thread's frames into the trie; false when something could not be read. */
static bool read_stack(struct sc_process *process, struct sc_watched_thread *thread,
                       const struct sc_blocked *blocked, uint32_t *ret_node)
{
    struct sc_walk walk;
    struct sc_py_frame frame;
    SC_VEC(struct sc_sample_frame) frames = {0};
    sc_walk_begin(&walk, &process->layout, &process->memory, process->facts.code_type,
                  thread->thread_state);
    while (frames.count < SC_FRAMES_MAX && sc_walk_next(&walk, &frame)) {
        struct sc_code_facts facts;
        if (!sc_code_read(&process->layout, &process->memory, frame.code, &facts) ||
            !sc_codes_add_remote(&process->codes, &process->layout, &process->memory, &facts))
            break;
        sc_vec_push(&frames, (struct sc_sample_frame){.code_key = facts.key,
                                                      .instruction = frame.instruction});
    }
    bool whole = walk.end == SC_WALK_ROOT || frames.count == SC_FRAMES_MAX;
    struct sc_sent_stack sent = {.frames = frames.items, .frame_count = (uint32_t)frames.count};
    *ret_node = whole ? sc_blocked_stack(process, thread->tid, &sent, blocked) : 0;
    sc_vec_done(&frames);
    return whole;
}

/* The node where the thread is blocked: 0 when it is no thread of Python's. */
static bool read_blocked_stack(struct sc_process *process, struct sc_watched_thread *thread,
                               const struct sc_blocked *blocked, uint32_t *ret_node)
{
    sc_remote_forget(&process->remote);
    *ret_node = 0;
    if (!sc_watch_find_state(process, thread))
        return !process->remote.forbidden && !process->list_remote.forbidden;
    if (!read_stack(process, thread, blocked, ret_node))
        return false;
    if (*ret_node != 0)
        sc_account_has_python(process, thread);
    return true;
}

/* The kernel looks at CPU timers at its own ticks only. A thread that begins to run right after
 * one, as it does when others hold the CPUs until then, and blocks before the next is never
 * sampled. What it has used is charged where it blocked, which is near, and not to whatever is
 * sampled next. */
static void charge_unseen(struct sc_process *process, struct sc_watched_thread *thread)
{
    uint64_t slack_ns = sc_watch_slack_ns(process);
    if (thread->charge.blocked_node == 0 ||
        thread->charge.looked.run_ns <= thread->charge.charged_cpu_ns + slack_ns)
        return;
    thread->charge.sampled_node =
        sc_stack_python_part(process->collect, thread->charge.blocked_node);
    thread->charge.sampled_kind = SC_SAMPLE_PYTHON;
    thread->charge.sampled_ns = thread->charge.looked_ns;
    sc_account_rest(process, thread, thread->charge.looked.run_ns);
}

static void note_blocked(struct sc_process *process, struct sc_watched_thread *thread,
                         const struct sc_blocked *blocked)
{
    struct sc_schedstat after;
    uint32_t node = 0;
    process->waiting_looks++;
    if (!read_blocked_stack(process, thread, blocked, &node)) {
        process->unreadable++;
        return;
    }
    if (!sc_schedstat_read(process->pid, thread->tid, thread->schedstat_fd, &after) ||
        !is_same(&after, &thread->charge.looked)) {
        process->moved++;
        return;
    }
    thread->charge.blocked = true;
    thread->charge.blocked_node = node;
    thread->charge.blocked_cause =
        sc_wait_cause(blocked, process->facts.runtime, process->facts.runtime_size);
    charge_unseen(process, thread);
}

static void charge_own_wait(struct sc_process *process, struct sc_watched_thread *thread)
{
    if (!thread->charge.blocked || thread->charge.pending_wait_ns <= 0)
        return;
    sc_account_wait(process, thread, thread->charge.blocked_node, thread->charge.blocked_cause,
                    (uint64_t)thread->charge.pending_wait_ns);
    thread->charge.pending_wait_ns = 0;
}

/* What a thread has waited until it woke, it has waited where it was last seen blocked: a long wait
 * is not looked at again and again, and where it is blocked next is another matter. */
static void charge_left_wait(struct sc_process *process, struct sc_watched_thread *thread)
{
    charge_own_wait(process, thread);
    if ((!thread->charge.woke && thread->charge.left_wait_ns == 0) ||
        thread->charge.pending_wait_ns <= 0)
        return;
    sc_account_wait(process, thread, thread->charge.left_node, thread->charge.left_cause,
                    (uint64_t)thread->charge.pending_wait_ns);
    thread->charge.pending_wait_ns = 0;
}

uint64_t sc_watch_slack_ns(const struct sc_process *process)
{
    return UNSEEN_INTERVALS * (process->reader.interval_ns + (uint64_t)process->jiffy_ns);
}

uint64_t sc_watch_patience_ns(const struct sc_process *process)
{
    return PATIENCE_INTERVALS * process->reader.interval_ns + PATIENCE_NS;
}

/* A thread that has run for longer than its timer would let it blocks the signal, or has none, if
 * it is not only late. From then on it is looked at while it runs. */
static bool is_without_ticks(struct sc_process *process, struct sc_watched_thread *thread,
                             uint64_t run_ns)
{
    uint64_t unseen_ns = run_ns - thread->charge.charged_cpu_ns;
    if (run_ns <= thread->charge.charged_cpu_ns)
        return false;
    if (thread->is_deaf)
        return unseen_ns > process->reader.interval_ns;
    thread->is_deaf = unseen_ns > sc_watch_patience_ns(process) ||
                      (unseen_ns > sc_watch_slack_ns(process) &&
                       sc_thread_blocks(process->pid, thread->tid, SIGURG));
    return thread->is_deaf;
}

static void note_unsampled(struct sc_process *process, struct sc_watched_thread *thread,
                           uint64_t run_ns)
{
    uint32_t node = 0;
    enum sc_sample_kind kind;
    if (!is_without_ticks(process, thread, run_ns))
        return;
    if (sc_outside_look(process, thread, &node, &kind)) {
        process->outside_looks++;
        process->outside_ns += run_ns - thread->charge.charged_cpu_ns;
        sc_account_outside(process, thread, node, kind, run_ns);
    } else {
        process->unsampled++;
        sc_account_rest(process, thread, run_ns);
    }
}

/* The thread has run: what it was blocked on is what it left. */
static void note_woken(struct sc_watched_thread *thread)
{
    if (!thread->charge.blocked)
        return;
    thread->charge.woke = true;
    thread->charge.blocked = false;
    thread->charge.left_node = thread->charge.blocked_node;
    thread->charge.left_ns = thread->charge.looked_ns;
    thread->charge.left_cause = thread->charge.blocked_cause;
}

/* Of the time since the last look, what the thread had not run when its clock said cpu_ns. */
static uint64_t waited_since_look_ns(const struct sc_watched_thread *thread, uint64_t time_ns,
                                     uint64_t cpu_ns)
{
    uint64_t ran_ns =
        cpu_ns > thread->charge.looked.run_ns ? cpu_ns - thread->charge.looked.run_ns : 0;
    uint64_t begin_ns = thread->charge.looked_ns + ran_ns;
    return time_ns > begin_ns ? time_ns - begin_ns : 0;
}

void sc_watch_sampled(struct sc_watched_thread *thread, uint64_t time_ns, uint64_t cpu_ns)
{
    if (thread->charge.blocked)
        thread->charge.left_wait_ns = waited_since_look_ns(thread, time_ns, cpu_ns);
    note_woken(thread);
}

void sc_watch_ended(struct sc_process *process, struct sc_watched_thread *thread, uint64_t end_ns,
                    uint64_t cpu_ns)
{
    if (thread->charge.blocked) {
        thread->charge.left_wait_ns = waited_since_look_ns(thread, end_ns, cpu_ns);
        note_woken(thread);
    }
    if (thread->charge.left_wait_ns == 0)
        return;
    thread->charge.pending_wait_ns += (int64_t)thread->charge.left_wait_ns;
    charge_left_wait(process, thread);
    thread->charge.left_wait_ns = 0;
}

uint64_t sc_watch_look(struct sc_process *process, struct sc_watched_thread *thread,
                       uint64_t now_ns)
{
    struct sc_schedstat stat;
    struct sc_blocked blocked;
    if (!sc_schedstat_read(process->pid, thread->tid, thread->schedstat_fd, &stat)) {
        sc_watch_ended(process, thread, now_ns, thread->charge.looked.run_ns);
        sc_process_thread_ended(process, thread);
        return 0;
    }
    bool first = thread->charge.looked_ns == 0;
    bool moved = first || !is_same(&stat, &thread->charge.looked);
    uint64_t delay_ns =
        stat.delay_ns - thread->charge.looked.delay_ns; /* of a new thread: since it began */
    if (!first && now_ns > thread->charge.looked_ns) {
        /* The kernel counts waiting for a CPU when it is over. Until then it looks like waiting,
         * and is taken back at the look that finds it counted: more than has passed since the last.
         */
        uint64_t used_ns = stat.run_ns - thread->charge.looked.run_ns + delay_ns;
        thread->charge.pending_wait_ns +=
            (int64_t)(now_ns - thread->charge.looked_ns) - (int64_t)used_ns;
    }
    thread->charge.looked = stat;
    thread->charge.looked_ns = now_ns;
    note_unsampled(process, thread, stat.run_ns);
    thread->charge.is_steady = !moved && thread->charge.blocked;
    if (moved)
        charge_left_wait(process, thread);
    thread->charge.left_wait_ns = 0;
    if (moved || !thread->charge.blocked) {
        note_woken(thread);
        thread->charge.runnable = false;
        if (sc_blocked_read(process->pid, thread->tid, thread->blocked_fd, &blocked)) {
            thread->charge.runnable = blocked.running;
            if (!blocked.running)
                note_blocked(process, thread, &blocked);
        }
    }
    charge_own_wait(process, thread);
    return delay_ns;
}

static enum sc_time time_of_wait(enum sc_wait cause)
{
    switch (cause) {
    case SC_WAIT_IO:
    case SC_WAIT_CHILD:
        return SC_TIME_IO;
    case SC_WAIT_SLEEP:
        return SC_TIME_SLEEP;
    case SC_WAIT_LOCK:
    case SC_WAIT_GIL:
    case SC_WAIT_OTHER:
    case SC_WAIT_COUNT_:
        break;
    }
    return SC_TIME_OTHER_WAIT;
}

static bool is_for_threads(enum sc_wait cause)
{
    return cause == SC_WAIT_LOCK || cause == SC_WAIT_GIL;
}

static bool waits_for_threads(const struct sc_watched_thread *thread)
{
    return is_for_threads(thread->charge.blocked_cause);
}

/* The main thread, when it is blocked, or was until a moment ago. */
static struct sc_watched_thread *blocked_main(struct sc_process *process)
{
    for (size_t i = 0; i < process->threads.count; i++) {
        struct sc_watched_thread *thread = &process->threads.items[i];
        if (thread->charge.is_main && !thread->charge.ended)
            return thread->charge.blocked || thread->charge.woke ? thread : NULL;
    }
    return NULL;
}

static bool is_waited_for(const struct sc_watched_thread *thread)
{
    return !thread->charge.is_main && !thread->charge.ended && thread->charge.blocked &&
           thread->charge.blocked_node != 0 && !waits_for_threads(thread);
}

static void charge_wait(struct sc_process *process, struct sc_watched_thread *thread, uint32_t node,
                        enum sc_wait cause, uint64_t ns)
{
    if (ns == 0)
        return;
    sc_account_gap(process, thread, node, time_of_wait(cause), ns);
    if (time_of_wait(cause) == SC_TIME_IO)
        sc_tracks_add(&process->collect->tracks, SC_TRACK_OF_IO, process->ticked_ns, ns);
}

/* Whether the main thread has been waiting for others all the time, and this one, the last that
 * ran, works: it runs, or waits for its turn. */
static bool is_held_up_by(const struct sc_process *process, const struct sc_watched_thread *main,
                          const struct sc_watched_thread *worker)
{
    return waits_for_threads(main) && main->charge.blocked && main->charge.is_steady &&
           process->ran && worker != NULL && !worker->charge.is_main &&
           worker->charge.sampled_node != 0 &&
           (!worker->charge.blocked || waits_for_threads(worker));
}

/* What a working thread has lost: where it was blocked until a moment ago, if it was. Else it was
 * kept from a CPU: by the hypervisor, which the kernel does not count, or while the lock that
 * Python's threads share went from one to another. */
static void charge_worker(struct sc_process *process, struct sc_watched_thread *worker, uint64_t ns)
{
    bool has_waited = !worker->charge.blocked && worker->charge.left_node != 0 &&
                      process->ticked_ns < worker->charge.left_ns + MOMENT_NS &&
                      !is_for_threads(worker->charge.left_cause);
    if (has_waited)
        charge_wait(process, worker, worker->charge.left_node, worker->charge.left_cause, ns);
    else
        sc_account_preemption(process, worker, ns);
}

bool sc_watch_charge_idle(struct sc_process *process, struct sc_watched_thread *last_run,
                          uint64_t ns)
{
    struct sc_watched_thread *main = blocked_main(process);
    if (main == NULL)
        return false;
    if (is_held_up_by(process, main, last_run)) {
        charge_worker(process, last_run, ns);
        return true;
    }
    size_t sharers = 0;
    /* a short wait for a lock is the waiting line's own */
    if (waits_for_threads(main) && (main->charge.is_steady || !process->ran)) {
        for (size_t i = 0; i < process->threads.count; i++)
            sharers += is_waited_for(&process->threads.items[i]);
    }
    if (sharers == 0) {
        /* it went from one wait to another in between, and nobody knows when */
        uint64_t before_ns = main->charge.woke && main->charge.blocked ? ns / 2 : 0;
        charge_wait(process, main, main->charge.left_node, main->charge.left_cause, before_ns);
        charge_wait(process, main, main->charge.blocked_node, main->charge.blocked_cause,
                    ns - before_ns);
        return true;
    }
    for (size_t i = 0; i < process->threads.count; i++) {
        struct sc_watched_thread *thread = &process->threads.items[i];
        if (is_waited_for(thread))
            charge_wait(process, thread, thread->charge.blocked_node, thread->charge.blocked_cause,
                        ns / sharers);
    }
    return true;
}
