/*
 * observer/process/process.h - one watched process: its ring, its interpreter, its threads and
 * their accounts.
 *
 * Every nanosecond of a thread is on a CPU, waiting for one, or blocked, and each is charged to a
 * stack: CPU time by the samples of the agent (charge.h), the rest by looking from outside
 * (watch.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "channel/reader.h"
#include "costs/collect.h"
#include "costs/owners.h"
#include "observer/charge/charge.h"
#include "observer/charge/gap.h"
#include "observer/charge/held.h"
#include "observer/charge/young.h"
#include "observer/classify/classify.h"
#include "observer/memory/memory.h"
#include "observer/memory/resident.h"
#include "observer/memory/touched.h"
#include "observer/process/devices.h"
#include "observer/stack/codes.h"
#include "observer/stack/kept_stacks.h"
#include "observer/stack/native.h"
#include "observer/system/cpu_alarm.h"
#include "observer/system/permits.h"
#include "observer/system/pid_namespace.h"
#include "observer/system/procfs.h"
#include "observer/system/remote.h"

struct sc_worker_cost {
    uint32_t creator_id; /* of the worker that is charged: the thread that started it */
    uint32_t own_node;   /* the worker's own stack */
    uint32_t held_node;  /* where its costs are held */
    uint64_t since_ns;
};

/* Costs for which no waiting line is known yet (sample/workers.h). Initialise with {0}. */
struct sc_worker_costs {
    SC_VEC(struct sc_worker_cost) costs;
    struct sc_map index; /* held node -> place in costs */
    struct sc_map last;  /* creator_id -> the line that has waited last */
};

/* What waiting/blocked_stack.h has found before. Initialise with {0}. */
struct sc_blocked_stacks {
    struct sc_map nodes;    /* thread, place and Python frames -> node */
    uint64_t generation;    /* of the modules, when nodes were found */
    uint64_t polled_ns;     /* the poll that found_in_poll counts in */
    uint32_t found_in_poll; /* stacks looked for in that poll */
};

struct sc_awaiting;
struct sc_tree;

struct sc_watched_thread {
    pid_t tid;        /* in the process's own namespace */
    pid_t proc_tid;   /* its number in /proc; 0 when not found yet, or the thread is gone */
    uint32_t account; /* index of collect's threads */
    uint64_t pthread_self;
    uint64_t thread_state; /* address in the target, 0 when not known yet */
    uint64_t stated_tid;   /* its number in there, where Python knows a wrong one; else 0 */
    int schedstat_fd;      /* kept open, -1 when not */
    int blocked_fd;
    struct sc_cpu_alarm alarm; /* where there is no agent and the system permits it */
    struct sc_charge_thread charge;
    struct sc_held_samples held;
    struct sc_owed_gaps owed;
    struct sc_sequence_thread sequence;
    struct sc_unit_thread labels;

    bool is_gone;      /* /proc did not list it any more at the last look */
    bool has_no_ticks; /* runs without samples; read from outside instead */
    bool is_overdue;   /* a sample was found missing; the kernel's ticks overdue are counted on */
    bool is_judged;    /* there were enough of them to say is_in_long_call */
    bool is_in_long_call; /* it was in a system call all the time between the last counts */
    struct sc_cpu_ticks overdue;
    uint64_t switches;    /* voluntary context switches */
    uint64_t switches_ns; /* the poll that switches was read at, 0 when never */
};

/* A thread whose THREAD_END record was read. /proc may list it until the kernel has removed it. */
struct sc_leaving_thread {
    pid_t tid;       /* in the process's own namespace */
    uint64_t cpu_ns; /* its CPU time by that record */
    bool is_listed;  /* by the last list of threads */
};

/* A thread that /proc no longer listed, without a THREAD_END record. */
struct sc_gone_thread {
    uint64_t charged_cpu_ns;
    uint32_t account; /* as in struct sc_watched_thread */
};

/* What the agent has counted in the segment; the losses of unknown code include codes.unknown.
 * held_up: how often a record was never finished, and nothing beyond it was read. */
struct sc_process_counts {
    uint64_t samples;
    uint64_t attempts;
    uint64_t handler_cpu_ns;
    uint64_t memory_lost_bytes;
    uint64_t sealed_ns; /* as in struct sc_segment */
    uint64_t losses[SC_AGENT_LOSS_COUNT_];
    uint64_t held_up;
};

/* What more threads than these do is not noted, as that takes memory: 10 MB. */
#define SC_NOTED_THREADS_MAX 512U

/* The interpreter's list of threads as it was when it was read. Initialise with {0}. */
struct sc_thread_states {
    bool are_listed;
    bool are_whole;
    struct sc_map index; /* a thread's id -> place in states, the addresses */
    SC_VEC(uint64_t) states;
};

/* What threads.h keeps. */
struct sc_process_threads {
    SC_VEC(struct sc_watched_thread); /* also ended ones, until another takes the place */
    SC_VEC(uint32_t) free_places;
    struct sc_map index;      /* tid -> place, of those that have not ended */
    struct sc_map proc_index; /* proc_tid -> place, likewise, in a container */
    bool are_unlisted;        /* threads without a proc_tid may be in /proc */
    SC_VEC(struct sc_leaving_thread) leaving;
    SC_VEC(struct sc_gone_thread) gone;
    struct sc_map gone_index; /* tid -> place in gone */
    uint64_t listed_ns;       /* the last regular reading of the list in /proc */
    struct sc_remote remote;  /* the interpreter's list of threads, read once per poll */
    struct sc_target target;
    struct sc_thread_states listed; /* likewise, when a state was looked for */
    bool are_noted;                 /* the kernel notes what some of them do (cpu_moment.h) */
    size_t rotation;                /* where the next round of looks at parked threads begins */
    bool all_blocked; /* every thread was, in a place that was found, at its last look */
};

/* The program that the process executes. */
struct sc_process_program {
    char *path;                   /* resolved; owned, may be NULL */
    struct sc_file_identity file; /* that it executed when it began */
    uint64_t checked_ns;          /* when it was last compared with what is executed now */
    uint64_t inherited_cpu_ns;    /* used before it executed this one */
    uint64_t ended_cpu_ns; /* of that, what threads had used that ended then: it is in the process's
                              CPU time and in no thread's */
    bool has_reported_exec; /* its agent has reported that it executes a file */
    bool is_replaced;       /* it has executed another program */
};

/* What is known of its stacks, and memory of it that was read for one look at one thread. */
struct sc_process_stacks {
    struct sc_codes codes;
    struct sc_kept_stacks kept;
    struct sc_native native;
    struct sc_blocked_stacks blocked;
    struct sc_remote remote;
    struct sc_target target;
};

struct sc_process_memory {
    struct sc_followed_memory followed;
    struct sc_touched touched; /* how much of its blocks is present */
    struct sc_pages pages;
    struct sc_resident resident;
    uint64_t max_rss_bytes; /* as far as known */
    bool is_kept;           /* the process has ended, and its blocks count as alive at exit */
};

/* Its asynchronous tasks. */
struct sc_process_tasks {
    struct sc_awaiting *awaiting; /* NULL when await time is not measured; owned */
    uint64_t moved;               /* looks at tasks that ran meanwhile */
    bool is_refused;              /* asyncio is there, but not laid out as expected */
};

/* How the process ended, as far as that is known. */
struct sc_process_ending {
    bool is_reported; /* by its agent */
    uint64_t reported_ns;
    uint64_t reported_cpu_ns;
    bool is_least;      /* that is a part of its CPU time */
    bool is_unmeasured; /* nobody could ask for the rest */
    bool has_status;
    int status;    /* given to exit */
    int signal;    /* that killed it; has_status is then false */
    int status_fd; /* of exit_status.h, until the status is known; -1 */
    bool is_over;
    bool has_outlived; /* was still there when the run ended */
    uint64_t ended_ns;
    uint64_t cpu_ns; /* CPU time in all, that of earlier programs included */
};

/* Counts of looks at the process's threads. */
struct sc_process_looks {
    uint64_t waiting;     /* at threads that are blocked */
    uint64_t moved;       /* of these: the thread ran meanwhile */
    uint64_t unreadable;  /* stacks that could not be read, those of samples included */
    uint64_t outside;     /* at threads that run without ticks */
    uint64_t with_moment; /* of these: with what the kernel had noted (cpu_moment.h) */
    uint64_t outside_ns;  /* CPU time that those looks stand for */
    uint64_t failed;      /* looks at threads without ticks that failed */
};

struct sc_process {
    pid_t pid;
    pid_t own_pid;             /* its number in its own namespace; in a container not pid */
    struct sc_pid_names names; /* its numbers in all its namespaces */
    pid_t parent_pid;
    uint32_t serial; /* so many were followed before it in this run */
    char *command;   /* its words, separated by blanks; owned */
    bool is_forked;
    bool has_no_agent;               /* it is only read from outside (without_agent.h) */
    uint64_t stack_start;            /* of its first thread; 0: not known, or it has an agent */
    uint64_t named_ns;               /* without an agent: when threads were named last */
    uint32_t native_id_offset;       /* of native_ids.h */
    bool is_root;                    /* of a tree: no Python above it is followed */
    struct sc_process *root;         /* of its tree, NULL for a root; not owned */
    struct sc_process_counts counts; /* set at the end */
    uint64_t shown_cpu_ns;           /* its CPU time when the status was shown last */
    uint64_t summed_count; /* not 0: this is the sum of so many ended ones (lifecycle/ended.h) */
    uint64_t summed_unmeasured; /* so many of these have ending.is_unmeasured */
    double summed_cpu_s;        /* CPU seconds of their own */
    double passing_cpu_s;       /* used by such children of it that were passing */
    struct sc_process_program program;
    struct sc_process_ending ending;
    struct sc_collect *collect; /* not owned */
    struct sc_tree *tree;       /* not owned; set by the creator */
    struct sc_reader reader;
    struct sc_helper *helper; /* answers questions about files, or NULL; not owned */
    struct sc_interpreter_facts facts;
    struct sc_layout layout;
    struct sc_classifier *classifier; /* NULL until the program has begun */
    struct sc_process_threads threads;
    struct sc_process_stacks stacks;
    struct sc_process_memory memory;
    struct sc_process_tasks tasks;
    struct sc_devices devices;

    uint64_t known_ns; /* when it registered */
    struct sc_charge_process charge;
    struct sc_charge_young *young; /* of the run; not owned */
    struct sc_owners *owners;      /* what is in scope, or NULL; of the run; not owned */
    struct sc_worker_costs worker_costs;
    struct sc_charge_gap gap;
    bool is_skipped;  /* profiling was switched off at the last poll */
    bool was_stopped; /* with the observer, since the last poll */
    struct sc_process_looks looks;
    struct sc_refusals refused; /* at the end, or when they were noted last */
};

/* CPU seconds that an ended process has used since it executed its last program. */
double sc_process_own_cpu_s(const struct sc_process *process);

/* Whether the process was forked only to execute a program at once. */
bool sc_process_is_passing(const struct sc_process *process);

/* Notes how the process ended, from its status as wait(2) has it. Changes nothing when a signal is
 * noted already, or when the process was replaced or has outlived the run. */
void sc_process_note_status(struct sc_process *process, int status);

/* Asks the kernel how the process ended, unless that is known. May be called again while no process
 * has waited for it. */
void sc_process_note_ending(struct sc_process *process);

/* Whether the process executes another file than it did when it began; a file that was renamed is
 * still the same one. */
bool sc_process_runs_another_file(const struct sc_process *process);

/* Whether the process has executed a program that is no CPython, or could not be followed: then it
 * has no agent any more. Looks at each call before the first sample, later every half second. */
bool sc_process_has_executed(struct sc_process *process, uint64_t now_ns);

/* Of its threads, those that have not ended. */
static inline size_t sc_process_living_threads(const struct sc_process *process)
{
    return process->threads.count - process->threads.free_places.count;
}

/* A working timer does not let a thread run for longer than this between two samples, if nothing is
 * late: two intervals and two ticks of the kernel. */
static inline uint64_t sc_process_slack_ns(const struct sc_process *process)
{
    return 2 * (process->reader.pace.interval_ns + (uint64_t)process->gap.jiffy_ns);
}

/* The mean interval that its threads' samples were drawn from at that time. */
static inline uint64_t sc_process_interval_ns(const struct sc_process *process, uint64_t time_ns)
{
    return sc_pace_interval_ns(&process->reader.pace, process->charge.jiffy_ns, time_ns);
}
