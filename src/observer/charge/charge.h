/*
 * observer/charge/charge.h - what to charge where: a pure function of clocks, records and states.
 *
 * Nothing here reads a file, a process or a segment, and nothing is added up for a profile: each
 * function updates the accounting state of a thread and its process and returns the charges that
 * follow. account.c applies them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "costs/collect.h"
#include "observer/charge/recent.h"
#include "observer/classify/classify.h"
#include "observer/system/procfs.h"

/* Threads whose first sampling interval is drawn from zero on (young.h). */
enum sc_life {
    SC_LIFE_NONE,
    SC_LIFE_OF_THREAD,  /* started by Python */
    SC_LIFE_OF_PROCESS, /* the first thread of a forked one */
    SC_LIFE_COUNT_
};

/* The accounting state of one thread. Nodes are those of collect.h. */
struct sc_charge_thread {
    uint32_t id; /* its number, and that of the thread that started it; 0: not known */
    uint32_t creator_id;
    bool is_main;
    bool has_python; /* a Python frame of it was seen */
    bool ended;

    /* of a life */
    enum sc_life life;
    uint64_t born_cpu_ns; /* its CPU clock when its timer was started */

    /* on a CPU */
    uint64_t charged_cpu_ns; /* time up to this reading of its CPU clock is charged, or owed */
    uint64_t owed_ns;    /* CPU time between waits for which no sample could stand: later ones do */
    uint64_t sampled_ns; /* time of its last sample, 0 before the first */
    uint32_t sampled_node; /* without frames: below the line it worked for, or 0 */
    enum sc_sample_kind sampled_kind;
    struct sc_recent recent;
    bool sampled_bare; /* that sample had no Python frames */

    /* not on a CPU */
    struct sc_schedstat looked;
    uint64_t looked_ns;    /* when looked was read, 0 before the first look */
    bool blocked;          /* at the last look, at blocked_node for blocked_cause */
    bool blocked_may_grow; /* another look there may find more of its stack */
    bool runnable;         /* at the last look */
    bool woke;             /* has run since a look found it blocked, at left_node */
    bool is_steady;        /* blocked there at the look before, too, and has not run in between */
    bool is_due;           /* if blocked: the wait is over, and it has had no CPU since */
    enum sc_wait blocked_cause;
    uint32_t blocked_node;
    uint64_t blocked_since_ns; /* time of the look that found it there */
    uint32_t blocked_line;   /* the innermost node in scope there, or 0; SC_NONE: not determined */
    bool waits_by_call;      /* there, blocked or runnable, in a function that waits for others */
    bool has_line;           /* was ever seen in a stack with a frame in scope */
    enum sc_wait left_cause; /* why, and where, it was blocked before it woke */
    uint32_t left_node;
    uint32_t met_node; /* where it had waited before its last sample between waits, 0 for none */
    uint64_t left_ns;  /* time of the last look before it woke */
    uint64_t left_wait_ns;   /* waited there since the last look; 0 unless sampled after it */
    int64_t pending_wait_ns; /* waited, but not known where; < 0: charged too early */
};

/* The accounting state of a whole process. */
struct sc_charge_process {
    uint64_t interval_ns; /* between two samples of a thread */
    uint64_t jiffy_ns;    /* between two ticks of the kernel; timers expire only at these */
    bool begun;           /* user code runs */
    uint64_t begun_ns;
    uint64_t begun_cpu_ns;
    uint64_t charged_cpu_ns; /* of all threads, start-up included */
    uint64_t hostless_ns[2]; /* CPU time of native threads without a line: since the last poll, in
                                the poll before */
};

/* Threads, each inside a larger structure of step_bytes. */
struct sc_charge_threads {
    const struct sc_charge_thread *first;
    size_t count;
    size_t step_bytes;
};

static inline const struct sc_charge_thread *
sc_charge_thread_at(const struct sc_charge_threads *threads, size_t i)
{
    return (const void *)((const char *)threads->first + i * threads->step_bytes);
}

enum sc_charge_to {
    SC_CHARGE_STACK = 1,
    SC_CHARGE_THREAD = 2, /* the thread's own sums */
    SC_CHARGE_BOTH = SC_CHARGE_STACK | SC_CHARGE_THREAD,
};

struct sc_charge {
    uint32_t node;
    bool on_python; /* on the innermost Python frame at or above node */
    enum sc_charge_to to;
    enum sc_time time;
    uint64_t ns;
};

struct sc_charges {
    struct sc_charge charge; /* to 0: nothing is charged */
    uint64_t cpu_ns;         /* of the thread's CPU time, what is charged */
    uint64_t passed_ns;      /* by how much its CPU clock has advanced */
    bool has_span;           /* the thread was at node from since_ns to until_ns */
    uint32_t node;           /* of the span, with these times */
    uint64_t since_ns;
    uint64_t until_ns;
    uint64_t span_ns;    /* time of the thread in it */
    enum sc_chore chore; /* what cpu_ns was used for */
};

/* A Python line on whose behalf native threads work. */
struct sc_charge_host {
    bool found;
    bool on_python; /* as in struct sc_charge */
    uint32_t node;
};

struct sc_charge_sample {
    uint64_t time_ns;
    uint64_t cpu_ns;  /* of the thread's CPU clock */
    uint64_t late_ns; /* the moment that it stands for is so much earlier, on both clocks */
    uint64_t most_ns; /* it stands for no more than that; 0: for all since the previous sample */
    enum sc_sample_kind kind;
    bool has_frames; /* of Python */
    bool has_host;   /* for one without frames: node is below a line found by sc_charge_host */
    bool is_collecting;
    bool is_freeing;
    uint32_t node;
};

enum sc_time sc_charge_time(enum sc_sample_kind kind);

/* The kind of time to charge while the thread is preempted, by where it was sampled last. */
enum sc_time sc_charge_preempted(const struct sc_charge_thread *thread);

/* Advances both accounting states to cpu_ns of the thread's CPU clock. Returns by how much. */
uint64_t sc_charge_advance(struct sc_charge_process *process, struct sc_charge_thread *thread,
                           uint64_t cpu_ns);

/* Whether a sample of that time is counted: an earlier one is of start-up, not of user code. */
bool sc_charge_counts(const struct sc_charge_process *process, uint64_t time_ns);

/* Whether a sample of the thread without Python frames shows work of a native thread for another
 * thread. A thread of C code that calls Python now and then is a native thread, too. */
bool sc_charge_is_native(const struct sc_charge_thread *thread);

/* Whether the thread is blocked below a Python frame and waits for another thread. */
bool sc_charge_waits_for_others(const struct sc_charge_thread *thread);

/* The line that native threads work for: that of a thread that is in C code itself, or else, while
 * no Python thread runs, that of a thread that waits for others. */
struct sc_charge_host sc_charge_find_host(const struct sc_charge_process *process,
                                          const struct sc_charge_threads *threads, uint64_t now_ns);

/* The thread that holds the interpreter lock while waiter waits for it: of the other threads that
 * can hold it, the one that was sampled last. NULL: none. */
const struct sc_charge_thread *sc_charge_find_holder(const struct sc_charge_threads *threads,
                                                     const struct sc_charge_thread *waiter);

/* The reading of the thread's CPU clock up to which the sample covers the time used. */
uint64_t sc_charge_until(const struct sc_charge_sample *sample);

/* Advances both accounting states likewise, and owes the time to what the thread's next samples
 * between waits show. */
void sc_charge_owe(struct sc_charge_process *process, struct sc_charge_thread *thread,
                   uint64_t cpu_ns);

/* The kind of time that is charged on a CPU, where preempted is charged when it is kept off one. */
enum sc_time sc_charge_on_cpu(enum sc_time preempted);

/* The charges for a sample. */
struct sc_charges sc_charge_sample(struct sc_charge_process *process,
                                   struct sc_charge_thread *thread,
                                   const struct sc_charge_sample *sample);

/* Charges the CPU time up to cpu_ns that no sample covers to where the thread was last seen. A
 * thread that was never seen and is not the main thread counts as native. */
struct sc_charges sc_charge_rest(struct sc_charge_process *process, struct sc_charge_thread *thread,
                                 uint64_t cpu_ns);

/* Charges native threads' time for which no line was found when it was sampled: to the host, if
 * there is one now, else, at the second call, to no line. */
struct sc_charges sc_charge_hostless(struct sc_charge_process *process, struct sc_charge_host host);

/* Charges CPU time of the process whose stack is not known. */
struct sc_charges sc_charge_lost(struct sc_charge_process *process, uint64_t ns);

/* Charges the ns before until_ns, in which the thread was not on a CPU. */
struct sc_charges sc_charge_gap(uint32_t node, enum sc_time time, uint64_t until_ns, uint64_t ns);
