/*
 * observer/charge/wait.h - how long a thread has waited, where and for what, and what the program
 * waits for while none of its threads runs: pure functions of the accounting state of charge.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/charge/charge.h"

/* Waiting time of one thread; ns 0: none. */
struct sc_wait_charge {
    uint32_t node;
    enum sc_wait cause;
    uint64_t ns;
};

/* Takes a new reading of the thread's schedule counters. Returns the time it has waited for a CPU
 * since the last look; for a new thread, since it began. Its other waiting time becomes pending. */
uint64_t sc_wait_update(struct sc_charge_thread *thread, const struct sc_schedstat *stat,
                        uint64_t now_ns);

/* Whether the thread has run between two readings of its counters. */
bool sc_wait_has_run(const struct sc_schedstat *before, const struct sc_schedstat *after);

/* The thread has run: if it was blocked, notes where in left_node and left_cause. */
void sc_wait_woken(struct sc_charge_thread *thread);

/* The same, known from a sample or from the thread's end at time_ns, when its CPU clock was at
 * cpu_ns. */
void sc_wait_left(struct sc_charge_thread *thread, uint64_t time_ns, uint64_t cpu_ns);

/* Take what is pending: the first for where the thread is blocked now, the second, if it is not
 * blocked, for where it was last seen blocked. A long wait is not looked at again while it lasts,
 * and its time must not go to the place where the thread blocks next. */
struct sc_wait_charge sc_wait_charge_own(struct sc_charge_thread *thread);
struct sc_wait_charge sc_wait_charge_left(struct sc_charge_thread *thread);

/* The kind of time that is charged when such a wait holds up the program. */
enum sc_time sc_wait_time(enum sc_wait cause);

/* Which threads are charged for time in which no thread was on a CPU. */
enum sc_idle_payer {
    SC_IDLE_NOBODY,    /* the main thread is not blocked, as far as known, or who waited is due: for
                          how much of the time it lacked a CPU is known when it has had one */
    SC_IDLE_MAIN,      /* the main thread: its previous wait for before_ns, then its present one */
    SC_IDLE_WORKER,    /* the thread that ran last, where it was blocked until shortly before */
    SC_IDLE_PREEMPTED, /* the thread that ran last, which was kept from a CPU */
    SC_IDLE_UNSEEN, /* the thread that ran last, where it was sampled last: nothing was seen blocked
                       for long */
    SC_IDLE_SHARED, /* all threads that are waited for, equally */
};

struct sc_idle {
    enum sc_idle_payer payer;
    uint64_t before_ns;
    uint64_t each_ns;
};

struct sc_idle_books {
    const struct sc_charge_thread *main;   /* NULL when it has ended */
    const struct sc_charge_thread *worker; /* the thread that runs, or else ran last; may be NULL */
    size_t waited_for;                     /* threads for which sc_wait_may_block_others holds */
    bool ran;                              /* the process, since the last poll */
    uint64_t polled_ns;
    bool is_due; /* one of the threads that are waited for */
};

/* Whether a thread that waits for others may wait for this one: it is blocked, but not waiting for
 * another thread itself. */
bool sc_wait_may_block_others(const struct sc_charge_thread *thread);

struct sc_idle sc_wait_idle(const struct sc_idle_books *books, uint64_t ns);
