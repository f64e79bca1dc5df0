/*
 * observer/charge/wait.h - what a thread has waited, where and for what, and what the program waits
 * for while nothing of it runs: pure functions over the books of charge.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/charge/charge.h"

/* Waiting of a thread's own; ns 0: none. */
struct sc_wait_charge {
    uint32_t node;
    enum sc_wait cause;
    uint64_t ns;
};

/* Its schedule counters, looked at now. Returns what it has waited for a CPU since the last look;
 * of a new thread, since it began. What else it has waited is pending. */
uint64_t sc_wait_look(struct sc_charge_thread *thread, const struct sc_schedstat *stat,
                      uint64_t now_ns);

/* Whether the thread has run between two readings of its counters. */
bool sc_wait_has_run(const struct sc_schedstat *before, const struct sc_schedstat *after);

/* The thread has run: what it was blocked on is what it left. */
void sc_wait_woken(struct sc_charge_thread *thread);

/* The same, known by a sample or by its end at that time and reading of its CPU clock. */
void sc_wait_left(struct sc_charge_thread *thread, uint64_t time_ns, uint64_t cpu_ns);

/* What is pending, to where the thread is blocked; or else to where it was last seen blocked: a
 * long wait is not looked at again and again, and where it is blocked next is another matter. */
struct sc_wait_charge sc_wait_charge_own(struct sc_charge_thread *thread);
struct sc_wait_charge sc_wait_charge_left(struct sc_charge_thread *thread);

/* What a wait that holds the program up is called in its total. */
enum sc_time sc_wait_time(enum sc_wait cause);

/* Who pays for time in which nothing was on a CPU. */
enum sc_idle_payer {
    SC_IDLE_NOBODY,    /* the main thread is not blocked, as far as known */
    SC_IDLE_MAIN,      /* what it left for before_ns, then what it is blocked on */
    SC_IDLE_WORKER,    /* where the one that ran last was blocked until a moment ago */
    SC_IDLE_PREEMPTED, /* that one, which was kept from a CPU */
    SC_IDLE_SHARED,    /* each that is waited for, each as much */
};

struct sc_idle {
    enum sc_idle_payer payer;
    uint64_t before_ns;
    uint64_t each_ns;
};

struct sc_idle_books {
    const struct sc_charge_thread *main;   /* NULL when it is over */
    const struct sc_charge_thread *worker; /* that runs, or else ran last; may be NULL */
    size_t waited_for;                     /* threads for which sc_wait_is_waited_for holds */
    bool ran;                              /* the process, since the last tick */
    uint64_t ticked_ns;
};

/* Whether a thread that waits for others may wait for this one: it is blocked, and not for another
 * thread in turn. */
bool sc_wait_is_waited_for(const struct sc_charge_thread *thread);

struct sc_idle sc_wait_idle(const struct sc_idle_books *books, uint64_t ns);
