/* observer/lifecycle/process_poll.c - see process_poll.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/lifecycle/process_poll.h"

#include "base/io.h"
#include "observer/charge/gap.h"
#include "observer/lifecycle/records.h"
#include "observer/process/facts.h"
#include "observer/process/threads.h"
#include "observer/process/without_agent.h"
#include "observer/sample/account.h"
#include "observer/sample/books.h"
#include "observer/sample/preemption.h"
#include "observer/waiting/awaiting.h"
#include "observer/waiting/watch.h"

#define ROTATION_LOOKS    16U /* threads that seem parked, looked at per poll */
#define LIST_INTERVAL_NS  1000000000U
#define EMBEDDED_AFTER_NS 1000000000U

/* Finds threads that did not come through pthread_create, and threads' numbers in /proc. Once per
 * LIST_INTERVAL_NS also reads the number of processors and the peak of resident memory. */
static void look_around(struct sc_process *process, uint64_t now_ns)
{
    if (process->threads.listed_ns + LIST_INTERVAL_NS >= now_ns && !process->threads.are_unlisted)
        return;
    sc_process_list_threads(process);
    if (process->has_no_agent)
        sc_without_agent_name_threads(process, now_ns);
    if (process->threads.listed_ns + LIST_INTERVAL_NS >= now_ns)
        return;
    process->threads.listed_ns = now_ns;
    process->gap.processors = sc_process_processors(process->pid);
    uint64_t rss_bytes = sc_process_peak_rss(process->pid);
    if (rss_bytes > process->memory.max_rss_bytes)
        process->memory.max_rss_bytes = rss_bytes;
}

/* User code runs from now on: the time before was start-up, which is not charged. main_cpu_ns: what
 * the first thread had used by then. */
static void begin(struct sc_process *process, uint64_t begun_ns, uint64_t main_cpu_ns)
{
    uint64_t begun_cpu_ns = main_cpu_ns + process->program.ended_cpu_ns;
    process->charge.begun = true;
    process->charge.begun_ns = begun_ns;
    process->facts = sc_facts_read(&process->reader);
    process->classifier = sc_classifier_new((struct sc_subject){.pid = process->pid},
                                            process->helper, &process->facts, &process->layout);
    struct sc_watched_thread *main = sc_process_thread(process, process->own_pid);
    main->charge.charged_cpu_ns = main_cpu_ns;
    if (process->is_forked) { /* by Python code, whether a sample shows that or not */
        sc_charge_begin_life(&main->charge, SC_LIFE_OF_PROCESS, main_cpu_ns);
        process->collect->threads.items[main->account].has_python = true;
    }
    process->charge.charged_cpu_ns = begun_cpu_ns;
    process->charge.begun_cpu_ns = begun_cpu_ns;
    sc_gap_begin(&process->gap, begun_ns, begun_cpu_ns);
}

/* A program that embeds Python may never do what its agent takes for the begin of user code: it
 * counts as begun EMBEDDED_AFTER_NS after it registered. */
void sc_process_begin_if_due(struct sc_process *process, uint64_t now_ns, uint64_t cpu_ns)
{
    const struct sc_segment *segment = process->reader.segment;
    uint64_t started_ns = atomic_load(&segment->program_started_ns);
    uint64_t started_cpu_ns = atomic_load(&segment->program_started_cpu_ns);
    if (process->charge.begun)
        return;
    uint64_t ended_cpu_ns = process->program.ended_cpu_ns;
    cpu_ns = cpu_ns > ended_cpu_ns ? cpu_ns - ended_cpu_ns : 0;
    if (cpu_ns != 0 && started_cpu_ns > cpu_ns) /* it is of one thread, hence no more than of all */
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
    sc_process_forget_states(process);
    for (size_t i = 0; i < count; i++) {
        struct sc_watched_thread *thread = &process->threads.items[i];
        bool in_turn = (i + count - process->threads.rotation % count) % count < ROTATION_LOOKS;
        if (thread->charge.ended)
            continue;
        if (thread->charge.is_main || !thread->charge.blocked || in_turn)
            delay_ns += sc_watch_look(process, thread, now_ns);
        bool is_done =
            thread->charge.blocked && !thread->charge.blocked_may_grow && !thread->charge.is_due;
        all_blocked = all_blocked && (thread->charge.ended || is_done);
    }
    process->threads.rotation =
        count > 0 ? (process->threads.rotation + ROTATION_LOOKS) % count : 0;
    process->threads.all_blocked = all_blocked;
    return delay_ns;
}

static struct sc_watched_thread *next_to_run(struct sc_process *process)
{
    struct sc_charge_threads threads = sc_books_thread_list(process);
    uint32_t place = sc_gap_next_to_run(&threads);
    return place != SC_NONE ? &process->threads.items[place] : NULL;
}

/* Whether the thread has been runnable all the time since the last poll. The kernel counts waiting
 * for a CPU only when it has ended, and what a hypervisor takes away not at all; but it counts
 * every time a thread blocks. */
static bool has_never_blocked(struct sc_process *process, struct sc_watched_thread *thread)
{
    uint64_t switches = 0;
    if (!thread->charge.runnable ||
        !sc_voluntary_switches(process->pid, thread->proc_tid, &switches))
        return false;
    bool never = thread->switches_ns == process->gap.last_polled_ns && switches == thread->switches;
    thread->switches = switches;
    thread->switches_ns = process->gap.polled_ns;
    return never;
}

/* Charges what is pending to the thread that was kept from a CPU or held the program up. Before any
 * was sampled, what lacked a CPU stays pending for the first that is. */
static void charge_gap(struct sc_process *process, uint64_t delay_ns)
{
    struct sc_charge_gap *gap = &process->gap;
    struct sc_watched_thread *next = next_to_run(process);
    bool never_blocked =
        next != NULL &&
        (sc_gap_is_suspicious(gap, gap->pending_ns) || next->switches_ns == gap->last_polled_ns) &&
        has_never_blocked(process, next);
    uint64_t preempted_ns = sc_gap_preempted(gap, delay_ns + gap->unplaced_ns, never_blocked);
    gap->unplaced_ns = next == NULL ? preempted_ns : 0;
    if (gap->pending_ns <= 0)
        return;
    uint64_t gap_ns = (uint64_t)gap->pending_ns;
    gap_ns -= preempted_ns;
    if (next != NULL && preempted_ns > 0) {
        sc_preemption_charge(process, next, preempted_ns);
        gap->worked_ns += preempted_ns;
    }
    gap_ns = sc_gap_uncovered(gap, gap_ns);
    /* a child that waits can hold up only a parent that waits for it, which is charged then */
    if (gap_ns > 0 && (!process->is_root || sc_watch_charge_idle(process, next, gap_ns)))
        gap_ns = 0;
    gap->pending_ns = (int64_t)(gap_ns + gap->unplaced_ns);
    sc_process_thread(process, process->own_pid)->charge.woke = false;
}

/* Time in which a process below its root works is not waiting time of the root. */
static void cover_root_wait(struct sc_process *process, uint64_t now_ns)
{
    if (process->root != NULL)
        sc_gap_add_descendant_work(&process->root->gap, &process->gap, now_ns);
}

/* The first poll opens files and names code, which may take long. What the kernel counts meanwhile
 * must not be taken for what it counted by now_ns. */
static bool has_just_begun(struct sc_process *process, uint64_t now_ns, uint64_t cpu_ns)
{
    if (process->charge.begun)
        return false;
    sc_process_begin_if_due(process, now_ns, cpu_ns);
    if (!process->charge.begun)
        return false;
    sc_records_drain(process);
    look_around(process, now_ns);
    return true;
}

void sc_process_poll(struct sc_process *process, uint64_t now_ns)
{
    uint64_t cpu_ns = 0;
    bool runs = !process->ending.is_over && sc_process_cpu(process->pid, &cpu_ns);
    if (runs && has_just_begun(process, now_ns, cpu_ns)) {
        now_ns = sc_now_ns();
        runs = sc_process_cpu(process->pid, &cpu_ns);
    }
    process->gap.ran = process->gap.ran && runs;
    if (runs)
        sc_process_poll_at(process, now_ns, cpu_ns);
}

void sc_process_poll_at(struct sc_process *process, uint64_t now_ns, uint64_t cpu_ns)
{
    sc_process_begin_if_due(process, now_ns, cpu_ns);
    if (!process->charge.begun) {
        sc_records_drain(process);
        return;
    }
    sc_gap_measure(&process->gap, now_ns, cpu_ns);
    process->is_skipped = false;
    sc_records_drain(process);
    look_around(process, now_ns);
    uint64_t delay_ns = 0;
    /* by a debugger or job control: this time is not charged, and nobody waits in it */
    char state = process->gap.ran ? 'R' : sc_stat_read(process->pid, process->pid).state;
    bool is_stopped = process->was_stopped || state == 'T' || state == 't';
    process->was_stopped = false;
    for (size_t i = 0; is_stopped && i < process->threads.count; i++) {
        struct sc_charge_thread *thread = &process->threads.items[i].charge;
        thread->looked_ns = thread->looked_ns != 0 ? now_ns : 0;
    }
    if (!is_stopped && (process->gap.ran || !process->threads.all_blocked) &&
        !sc_watch_needs_no_look(process))
        delay_ns = look_at_threads(process, now_ns);
    sc_account_hostless(process, now_ns);
    if (is_stopped) {
        process->gap.pending_ns = 0;
        process->gap.unplaced_ns = 0;
        sc_awaiting_skip(process, now_ns);
    } else {
        charge_gap(process, delay_ns);
        sc_awaiting_poll(process, now_ns);
    }
    cover_root_wait(process, now_ns);
    sc_devices_charge_due(&process->devices, now_ns);
}

static void skip_thread(struct sc_process *process, struct sc_watched_thread *thread,
                        uint64_t now_ns)
{
    struct sc_schedstat stat;
    if (thread->charge.ended || sc_process_read_schedstat(process, thread, &stat) != SC_PROC_READ)
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
    if (process->ending.is_over || !sc_process_cpu(process->pid, &cpu_ns))
        return;
    sc_process_begin_if_due(process, now_ns, cpu_ns);
    sc_records_drain(process);
    if (!process->charge.begun)
        return;
    look_around(process, now_ns);
    for (size_t i = 0; i < process->threads.count; i++)
        skip_thread(process, &process->threads.items[i], now_ns);
    process->is_skipped = true;
    uint64_t used_ns = sc_gap_skip(&process->gap, now_ns, cpu_ns);
    process->charge.begun_cpu_ns += used_ns; /* as if it had begun later */
    process->charge.charged_cpu_ns += used_ns;
    process->threads.all_blocked = false; /* where they are blocked is to be read again */
    sc_awaiting_skip(process, now_ns);
    sc_devices_skip(&process->devices, now_ns);
}

/* CPU time of the process that is not charged yet. cpu_ns: its CPU time in all. */
static uint64_t rest_of(const struct sc_process *process, uint64_t cpu_ns)
{
    return cpu_ns > process->charge.charged_cpu_ns ? cpu_ns - process->charge.charged_cpu_ns : 0;
}

/* Charges what every thread has used since its last sample, as far as that is known. CPU time that
 * is known only for the process belongs to its thread if it has only one. The first thread's clock
 * comes last, and counts no more than is left: after an exec in another thread it is that one's. */
static void close_cpu_accounts(struct sc_process *process, uint64_t cpu_ns)
{
    bool is_alone = sc_process_living_threads(process) == 1;
    struct sc_watched_thread *main = sc_process_find_thread(process, process->own_pid);
    for (size_t i = 0; i < process->threads.count; i++) {
        struct sc_watched_thread *thread = &process->threads.items[i];
        if (!thread->charge.ended && thread != main)
            sc_account_over(process, thread, thread->charge.looked.run_ns);
    }
    if (main != NULL) {
        struct sc_schedstat last = main->charge.looked;
        uint64_t all_ns = main->charge.charged_cpu_ns + rest_of(process, cpu_ns);
        (void)sc_process_read_schedstat(process, main, &last); /* also of a zombie */
        sc_account_over(process, main, is_alone || last.run_ns > all_ns ? all_ns : last.run_ns);
    }
    sc_account_hostless(process, process->gap.polled_ns);
    sc_account_hostless(process, process->gap.polled_ns);
}

/* A zombie's counters can still be read: the first thread's, which says how long it has lacked a
 * CPU since the last look at it. After an exec they may be those of another thread, which has got
 * the first one's number. */
static uint64_t close_delay_ns(struct sc_process *process)
{
    struct sc_watched_thread *main = sc_process_thread(process, process->own_pid);
    struct sc_schedstat last;
    if (main->charge.ended || sc_process_read_schedstat(process, main, &last) != SC_PROC_READ ||
        last.delay_ns < main->charge.looked.delay_ns)
        return 0;
    return last.delay_ns - main->charge.looked.delay_ns;
}

/* Charges what is still pending when nothing can be looked at any more. */
static void close_accounts(struct sc_process *process, uint64_t now_ns)
{
    uint64_t delay_ns = close_delay_ns(process);
    bool has_samples = next_to_run(process) != NULL; /* else nothing can stand for lacking a CPU */
    if (!has_samples)
        process->gap.unplaced_ns = 0;
    charge_gap(process, has_samples ? delay_ns : 0);
    if (has_samples && process->gap.pending_ns > 0) /* no thread was seen blocked */
        charge_gap(process, UINT64_MAX);
    for (size_t i = 0; i < process->threads.count; i++) {
        struct sc_watched_thread *thread = &process->threads.items[i];
        uint64_t end_ns = thread->charge.is_main ? now_ns - delay_ns : now_ns;
        if (!thread->charge.ended)
            sc_watch_ended(process, thread, end_ns, thread->charge.looked.run_ns);
    }
}

void sc_process_charge_unseen(struct sc_process *process)
{
    for (size_t i = 0; process->charge.begun && i < process->threads.count; i++)
        sc_watch_charge_unseen(process, &process->threads.items[i]);
    sc_devices_charge_all(&process->devices, process->gap.polled_ns);
}

void sc_process_close_books(struct sc_process *process, uint64_t now_ns, uint64_t cpu_ns)
{
    if (process->is_skipped) { /* profiling is off: what was since then is not charged */
        uint64_t unseen_ns = rest_of(process, cpu_ns);
        process->charge.begun_cpu_ns += unseen_ns;
        process->charge.charged_cpu_ns += unseen_ns;
        (void)sc_gap_skip(&process->gap, now_ns, cpu_ns);
        sc_awaiting_skip(process, now_ns);
        sc_devices_skip(&process->devices, now_ns);
        for (size_t i = 0; i < process->threads.count; i++)
            skip_thread(process, &process->threads.items[i], now_ns);
    }
    sc_gap_measure(&process->gap, now_ns, cpu_ns);
    close_accounts(process, now_ns);
    cover_root_wait(process, now_ns);
    close_cpu_accounts(process, cpu_ns);
    sc_awaiting_end(process, now_ns);
    sc_devices_end(&process->devices, now_ns);
    sc_account_lost(process, sc_process_thread(process, process->own_pid),
                    rest_of(process, cpu_ns)); /* of threads unseen for a while */
}
