/*
 * observer/charge/charge.h - what to charge where: a pure function of clocks, records and states.
 *
 * Nothing here reads a file, a process or a segment, and nothing is added up for a profile: each
 * function moves the books of a thread and its process on, and says what that means in charges.
 * account.c applies them.
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
#include "observer/procfs.h"

/* What began with its first interval drawn from zero on (charge_young.h). */
enum sc_life {
    SC_LIFE_NONE,
    SC_LIFE_OF_THREAD,  /* started by Python */
    SC_LIFE_OF_PROCESS, /* the first thread of a forked one */
    SC_LIFE_COUNT_
};

/* The books of one thread. Nodes are those of collect.h. */
struct sc_charge_thread {
    uint32_t id; /* its number, and that of the thread that began it; 0: not known */
    uint32_t creator_id;
    bool is_main;
    bool has_python; /* a Python frame of it was seen */
    bool ended;

    /* of a life */
    enum sc_life life;
    uint64_t born_cpu_ns;      /* its CPU clock when its timer was started */
    uint64_t born_interval_ns; /* its first interval was drawn from that mean */
    bool is_met;               /* a sample has met it, first at first_node */
    uint64_t first_cpu_ns;     /* its CPU clock then */
    uint32_t first_node;
    enum sc_time first_time;

    /* on a CPU */
    uint64_t charged_cpu_ns; /* of its CPU clock */
    uint64_t sampled_ns;     /* time of its last sample, 0 before the first */
    uint32_t sampled_node;   /* without frames: below the line it worked for, or 0 */
    enum sc_sample_kind sampled_kind;
    struct sc_recent recent;
    bool sampled_bare; /* that sample had no Python frames */

    /* not on a CPU */
    struct sc_schedstat looked;
    uint64_t looked_ns; /* when looked was read, 0 before the first look */
    bool blocked;       /* at the last look, on blocked_node for blocked_cause */
    bool runnable;      /* at the last look */
    bool woke;          /* was blocked at the last tick's look, on what blocked_node still says */
    bool is_steady;     /* blocked there at the look before, too, and has not run in between */
    enum sc_wait blocked_cause;
    uint32_t blocked_node;
    uint64_t blocked_since_ns; /* the look that found it there */
    uint32_t blocked_line;     /* the innermost node in scope there, or 0; SC_NONE: not asked yet */
    bool waits_by_call;        /* there, blocked or runnable, in a function that waits for others */
    bool has_line;             /* was ever seen where something is in scope */
    enum sc_wait left_cause;   /* where it was blocked when it woke */
    uint32_t left_node;
    uint64_t left_ns;        /* the look that it woke after */
    uint64_t left_wait_ns;   /* waited there since the last look; 0 unless sampled after it */
    int64_t pending_wait_ns; /* waited, but not known where; < 0: charged too early */
};

/* The books of a whole process. */
struct sc_charge_process {
    uint64_t interval_ns; /* between two samples of a thread */
    uint64_t jiffy_ns;    /* the kernel sends them at its own ticks only */
    bool begun;           /* user code runs */
    uint64_t begun_ns;
    uint64_t begun_cpu_ns;
    uint64_t charged_cpu_ns; /* of all threads, start-up included */
    uint64_t hostless_ns[2]; /* of native threads: since the last tick, since the one before */
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

#define SC_CHARGES_MAX 4U

struct sc_charges {
    size_t count;
    struct sc_charge items[SC_CHARGES_MAX];
    uint64_t cpu_ns; /* more on the thread's CPU clock */
    bool has_span;   /* the thread was there from since_ns to until_ns */
    uint32_t node;   /* of the span */
    uint64_t since_ns;
    uint64_t until_ns;
    uint64_t span_ns;    /* what of it was the thread's */
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
    uint64_t late_ns; /* it stands for a moment so long before, on both clocks */
    enum sc_sample_kind kind;
    bool has_frames; /* of Python */
    bool has_host;   /* for one without frames: node is below a line found by sc_charge_host */
    bool is_collecting;
    bool is_freeing;
    uint32_t node;
};

enum sc_time sc_charge_time(enum sc_sample_kind kind);

/* What of the thread's time was preempted is called, by where it was sampled last. */
enum sc_time sc_charge_preempted(const struct sc_charge_thread *thread);

/* The thread's CPU clock says cpu_ns: both books move on. Returns by how much. */
uint64_t sc_charge_advance(struct sc_charge_process *process, struct sc_charge_thread *thread,
                           uint64_t cpu_ns);

/* Whether a sample of that time is of user code; one before it is start-up. */
bool sc_charge_counts(const struct sc_charge_process *process, uint64_t time_ns);

/* Whether a sample without Python frames is of a native thread's work for another one. A thread of
 * C code that calls Python now and then is one, too. */
bool sc_charge_is_native(const struct sc_charge_thread *thread);

/* Whether the thread is blocked where Python code called it, and for another thread. */
bool sc_charge_waits_for_others(const struct sc_charge_thread *thread);

/* For whom native threads work: for one that is in C code itself, or for one that waits while no
 * thread of Python's runs. */
struct sc_charge_host sc_charge_find_host(const struct sc_charge_process *process,
                                          const struct sc_charge_threads *threads, uint64_t now_ns);

/* The thread that has the interpreter lock while another waits for it: of the others the one that
 * was sampled last, if it does not wait for the lock itself. NULL: none. */
const struct sc_charge_thread *sc_charge_find_holder(const struct sc_charge_threads *threads,
                                                     const struct sc_charge_thread *waiter);

/* Up to where on its thread's CPU clock it stands for what was used. */
uint64_t sc_charge_until(const struct sc_charge_sample *sample);

/* A sample that counts. */
struct sc_charges sc_charge_sample(struct sc_charge_process *process,
                                   struct sc_charge_thread *thread,
                                   const struct sc_charge_sample *sample);

/* The thread's CPU clock says cpu_ns, and no sample stands for what is new: it goes to where the
 * thread was last seen. A thread that was never seen, and is no process's first, is native. */
struct sc_charges sc_charge_rest(struct sc_charge_process *process, struct sc_charge_thread *thread,
                                 uint64_t cpu_ns);

/* Native threads' time for which no line was found when it came: to the host that there is now,
 * else, at the second call, to none. */
struct sc_charges sc_charge_hostless(struct sc_charge_process *process, struct sc_charge_host host);

/* CPU time that belongs to the process but to no stack that is known. */
struct sc_charges sc_charge_lost(struct sc_charge_process *process, uint64_t ns);

/* Time up to until_ns in which the thread was not on a CPU. */
struct sc_charges sc_charge_gap(uint32_t node, enum sc_time time, uint64_t until_ns, uint64_t ns);
