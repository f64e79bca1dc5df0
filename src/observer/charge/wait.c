/* observer/charge/wait.c - see wait.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/charge/wait.h"

/* Waits that are so long in sum would have been seen by one of the looks in between, unless they
 * follow these looks' rhythm. If they were kept for the place that blocks next, that could be one
 * that the program reaches seconds later. */
#define UNSEEN_NS 200000000U

/* A thread that works and sleeps in turn is seen asleep at least this often. */
#define MOMENT_NS 1000000000U

bool sc_wait_has_run(const struct sc_schedstat *before, const struct sc_schedstat *after)
{
    return before->run_ns != after->run_ns || before->slices != after->slices;
}

uint64_t sc_wait_update(struct sc_charge_thread *thread, const struct sc_schedstat *stat,
                        uint64_t now_ns)
{
    uint64_t delay_ns = stat->delay_ns - thread->looked.delay_ns;
    /* after an exec in another thread the number is that one's */
    bool is_another =
        stat->run_ns < thread->looked.run_ns || stat->delay_ns < thread->looked.delay_ns;
    if (is_another)
        delay_ns = 0;
    else if (thread->looked_ns != 0 && now_ns > thread->looked_ns) {
        /* The kernel counts a wait for a CPU when it has ended. Until then it looks as if the
         * thread were blocked. Where that was charged before it was known (is_due), the look that
         * finds the wait counted takes it back: it is more than the time since the last look. */
        uint64_t used_ns = stat->run_ns - thread->looked.run_ns + delay_ns;
        thread->pending_wait_ns += (int64_t)(now_ns - thread->looked_ns) - (int64_t)used_ns;
    }
    thread->looked = *stat;
    thread->looked_ns = now_ns;
    return delay_ns;
}

void sc_wait_woken(struct sc_charge_thread *thread)
{
    if (!thread->blocked)
        return;
    thread->woke = true;
    thread->blocked = false;
    thread->left_node = thread->blocked_node;
    thread->left_ns = thread->looked_ns;
    thread->left_cause = thread->blocked_cause;
}

/* The part of the time from the last look to time_ns in which the thread did not run; cpu_ns: its
 * CPU clock at time_ns. */
static uint64_t waited_since_look_ns(const struct sc_charge_thread *thread, uint64_t time_ns,
                                     uint64_t cpu_ns)
{
    uint64_t ran_ns = cpu_ns > thread->looked.run_ns ? cpu_ns - thread->looked.run_ns : 0;
    uint64_t begin_ns = thread->looked_ns + ran_ns;
    return time_ns > begin_ns ? time_ns - begin_ns : 0;
}

void sc_wait_left(struct sc_charge_thread *thread, uint64_t time_ns, uint64_t cpu_ns)
{
    if (thread->blocked)
        thread->left_wait_ns = waited_since_look_ns(thread, time_ns, cpu_ns);
    sc_wait_woken(thread);
}

static struct sc_wait_charge take_pending(struct sc_charge_thread *thread, uint32_t node,
                                          enum sc_wait cause)
{
    struct sc_wait_charge charge = {
        .node = node, .cause = cause, .ns = (uint64_t)thread->pending_wait_ns};
    thread->pending_wait_ns = 0;
    return charge;
}

struct sc_wait_charge sc_wait_charge_own(struct sc_charge_thread *thread)
{
    if (!thread->blocked || thread->is_due || thread->pending_wait_ns <= 0)
        return (struct sc_wait_charge){0};
    return take_pending(thread, thread->blocked_node, thread->blocked_cause);
}

struct sc_wait_charge sc_wait_charge_left(struct sc_charge_thread *thread)
{
    if (thread->blocked)
        return sc_wait_charge_own(thread);
    if ((!thread->woke && thread->left_wait_ns == 0) || thread->pending_wait_ns <= 0)
        return (struct sc_wait_charge){0};
    return take_pending(thread, thread->left_node, thread->left_cause);
}

enum sc_time sc_wait_time(enum sc_wait cause)
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

static bool waits_for_threads(const struct sc_charge_thread *thread)
{
    return is_for_threads(thread->blocked_cause);
}

bool sc_wait_may_block_others(const struct sc_charge_thread *thread)
{
    return !thread->is_main && !thread->ended && thread->blocked && thread->blocked_node != 0 &&
           !waits_for_threads(thread);
}

/* Whether the main thread has been waiting for others all the time while the thread that ran last
 * works: that one runs, or waits for a lock. */
static bool is_held_up(const struct sc_idle_books *books)
{
    const struct sc_charge_thread *main = books->main;
    const struct sc_charge_thread *worker = books->worker;
    return waits_for_threads(main) && main->blocked && main->is_steady && books->ran &&
           worker != NULL && !worker->is_main && worker->sampled_node != 0 &&
           (!worker->blocked || waits_for_threads(worker));
}

/* Whether a working thread was blocked until shortly before. Else it was kept from a CPU: by the
 * hypervisor, which the kernel does not count, or while the interpreter lock went from one thread
 * to another. */
static bool has_waited(const struct sc_charge_thread *worker, uint64_t polled_ns)
{
    return !worker->blocked && worker->left_node != 0 && polled_ns < worker->left_ns + MOMENT_NS &&
           !is_for_threads(worker->left_cause);
}

struct sc_idle sc_wait_idle(const struct sc_idle_books *books, uint64_t ns)
{
    const struct sc_charge_thread *main = books->main;
    if (main == NULL || (!main->blocked && !main->woke)) {
        bool is_unseen = main != NULL && ns >= UNSEEN_NS && books->worker != NULL &&
                         books->worker->sampled_node != 0;
        return (struct sc_idle){.payer = is_unseen ? SC_IDLE_UNSEEN : SC_IDLE_NOBODY};
    }
    if (is_held_up(books))
        return (struct sc_idle){.payer = has_waited(books->worker, books->polled_ns)
                                             ? SC_IDLE_WORKER
                                             : SC_IDLE_PREEMPTED};
    /* a short wait for a lock is charged to the line that waits */
    bool is_shared =
        waits_for_threads(main) && (main->is_steady || !books->ran) && books->waited_for > 0;
    if (is_shared ? books->is_due : main->blocked && main->is_due)
        return (struct sc_idle){.payer = SC_IDLE_NOBODY};
    if (is_shared)
        return (struct sc_idle){.payer = SC_IDLE_SHARED, .each_ns = ns / books->waited_for};
    /* the main thread went from one wait to another in between, at a time that is not known */
    return (struct sc_idle){.payer = SC_IDLE_MAIN,
                            .before_ns = main->woke && main->blocked ? ns / 2 : 0};
}
