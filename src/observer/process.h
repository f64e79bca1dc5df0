/*
 * observer/process.h - one watched process: its ring, its interpreter, its threads and their
 * accounts.
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
#include "observer/awaiting.h"
#include "observer/blocked_stack.h"
#include "observer/charge/charge.h"
#include "observer/charge/gap.h"
#include "observer/charge/young.h"
#include "observer/classify/classify.h"
#include "observer/codes.h"
#include "observer/devices.h"
#include "observer/handed.h"
#include "observer/held.h"
#include "observer/kept_stacks.h"
#include "observer/memory.h"
#include "observer/native.h"
#include "observer/pid_namespace.h"
#include "observer/procfs.h"
#include "observer/remote.h"
#include "observer/resident.h"
#include "observer/touched.h"
#include "observer/tree.h"

struct sc_watched_thread {
    pid_t tid;        /* in the process's own namespace */
    pid_t proc_tid;   /* by which /proc knows it; 0 when that is to be found yet, or it is gone */
    uint32_t account; /* index of collect's threads */
    uint64_t pthread_self;
    uint64_t thread_state; /* address in the target, 0 when not known yet */
    int schedstat_fd;      /* kept open, -1 when not */
    int blocked_fd;
    struct sc_charge_thread charge;
    struct sc_held_samples held;
    struct sc_owed_gaps owed;
    struct sc_sequence_thread sequence;

    bool is_gone;         /* /proc did not list it any more at the last look */
    bool is_deaf;         /* runs without samples; read from outside instead */
    uint64_t switches;    /* voluntary ones */
    uint64_t switches_ns; /* the tick they were read at, 0 when never */
};

/* A thread that has said that it ends. /proc lists it until the kernel is through with it. */
struct sc_leaving_thread {
    pid_t tid;       /* in the process's own namespace */
    uint64_t cpu_ns; /* used when it said so */
    bool is_listed;  /* by the last list of threads */
};

/* What the agent has counted in the segment; of unknown code also what is known here. */
struct sc_process_counts {
    uint64_t samples;
    uint64_t attempts;
    uint64_t handler_cpu_ns;
    uint64_t memory_lost_bytes;
    uint64_t sealed_ns; /* as in struct sc_segment */
    uint64_t losses[SC_AGENT_LOSS_COUNT_];
};

/* What the system has not let us look at, by the rules of ptrace. */
struct sc_refusals {
    bool memory; /* process_vm_readv */
    bool maps;   /* /proc/PID/maps */
    bool calls;  /* /proc/PID/task/TID/syscall */
    bool pages;  /* /proc/PID/pagemap */
};

struct sc_process {
    pid_t pid;
    pid_t own_pid;             /* in its own namespace; another number than pid in a container */
    struct sc_pid_names names; /* in all of them */
    pid_t parent_pid;
    char *command; /* its words, separated by blanks; owned */
    bool is_forked;
    bool is_root;                    /* of a tree: no Python above it is followed */
    struct sc_process *root;         /* of its tree, NULL of a root; not owned */
    struct sc_process_counts counts; /* set at the end */
    uint64_t max_rss_bytes;          /* as far as known */
    struct sc_resident resident;
    bool told_end;  /* the agent has said that the process ends */
    bool told_exec; /* it has said that it executes something */
    uint64_t told_end_ns;
    uint64_t told_cpu_ns;
    bool has_status;
    int status;                 /* given to exit */
    int signal;                 /* that killed it; has_status is then false */
    int exit_status_fd;         /* of exit_status.h, until the status is known; -1 */
    uint64_t inherited_cpu_ns;  /* used before it executed what it is now */
    uint64_t end_cpu_ns;        /* CPU time in all, with that */
    bool replaced;              /* it has executed another program */
    uint64_t executable_ns;     /* when that was looked at last */
    bool outlived;              /* was still there when the run ended */
    struct sc_collect *collect; /* not owned */
    struct sc_tree *tree;       /* not owned; set by the creator */
    struct sc_reader reader;
    struct sc_beside *beside; /* answers questions about files, or NULL; not owned */
    struct sc_interpreter_facts facts;
    struct sc_layout layout;
    struct sc_codes codes;
    struct sc_followed_memory followed;
    struct sc_touched touched; /* how much of that is present */
    struct sc_pages pages;
    struct sc_devices devices;
    struct sc_kept_stacks kept_stacks;
    struct sc_native native;
    struct sc_blocked_stacks blocked_stacks;
    struct sc_awaiting *awaiting;     /* NULL when await time is not measured; owned */
    struct sc_classifier *classifier; /* NULL until the program has begun */
    struct sc_remote remote;          /* what is read of one thread at one look */
    struct sc_memory memory;
    struct sc_remote list_remote; /* the interpreter's list of threads, read once per tick */
    struct sc_memory list_memory;
    SC_VEC(struct sc_watched_thread) threads;
    SC_VEC(uint32_t) free_threads; /* places in threads whose thread has ended */
    struct sc_map thread_index;    /* tid -> threads */
    struct sc_map proc_index;      /* proc_tid -> threads, in a container */
    bool are_threads_unlisted;     /* some have no proc_tid and may be there */
    SC_VEC(struct sc_leaving_thread) leaving_threads;
    size_t rotation;

    uint64_t known_ns; /* when it registered */
    struct sc_charge_process charge;
    struct sc_charge_young *young; /* of the run; not owned */
    struct sc_owners *owners;      /* what is in scope, or NULL; of the run; not owned */
    struct sc_handed handed;
    struct sc_charge_gap gap;
    char *executable;             /* resolved; owned, may be NULL */
    struct sc_file_identity file; /* that it executes, as it began */
    uint64_t listed_ns;           /* when its threads were listed last */
    bool all_blocked;             /* every thread was, at the last looks */
    bool ended;
    uint64_t ended_ns;

    uint64_t waiting_looks;
    uint64_t moved;
    uint64_t unreadable;
    struct sc_refusals refused; /* at the end, or when they were noted last */
    uint64_t outside_looks;     /* at threads that run without ticks */
    uint64_t outside_ns;        /* CPU time that these stand for */
    uint64_t unsampled;         /* looks of that kind that failed */
    uint64_t tasks_moved;
    bool tasks_refused; /* asyncio is there, but not laid out as expected */
};

/* What a process begins with. */
struct sc_process_start {
    pid_t pid;
    struct sc_pid_names names;
    const struct sc_process *parent; /* the followed process that it was forked from, or NULL: of a
                                        child that has ended already nothing else can be read */
    const char *executable;          /* as it reports itself, "" when it does not */
    struct sc_collect *collect;
    struct sc_charge_young *young;
    struct sc_owners *owners;
    struct sc_ledger *ledger;   /* NULL when memory is not measured */
    struct sc_gpu *gpu;         /* NULL when GPUs are not measured */
    struct sc_symbols *symbols; /* NULL when no native frames are wanted */
    const char *directory;      /* what relative file names of its code are relative to */
    struct sc_beside *beside;   /* answers questions about files, or NULL */
    bool allow_unknown;
};

/* Takes the reader. NULL with err set when the agent describes no interpreter that is known. */
struct sc_process *sc_process_new(const struct sc_process_start *start, struct sc_reader *reader,
                                  struct sc_err *err);
void sc_process_free(struct sc_process *process);

/* One look at everything: drains the ring, charges what has passed since the last tick. */
void sc_process_tick(struct sc_process *process, uint64_t now_ns);

/* The process is gone, or a zombie: drains, closes every account, and gives back what is not needed
 * for the profile. cpu_ns: its CPU time in all, 0 when not known. */
void sc_process_end(struct sc_process *process, uint64_t now_ns, uint64_t cpu_ns);

/* Instead of a tick while profiling is switched off: the clocks advance, nothing is charged. */
void sc_process_skip(struct sc_process *process, uint64_t now_ns);

/* Sets refused from all parts that read the process. */
void sc_process_note_refusals(struct sc_process *process);

/* CPU seconds that an ended process has used since it executed its last program. */
double sc_process_own_cpu_s(const struct sc_process *process);

/* How the process ended, as wait(2) has it; what is known already stays. */
void sc_process_note_status(struct sc_process *process, int status);

/* Asks the kernel how the process ended, unless that is known. May be called again while no process
 * has waited for it. */
void sc_process_note_ending(struct sc_process *process);

/* The process continues: prepares what is known of it so far for a report. */
void sc_process_take_stock(struct sc_process *process, uint64_t now_ns);

/* Whether the process executes another file than it did when it began, whatever that one is called
 * by now. */
bool sc_process_runs_another_file(const struct sc_process *process);

/* Whether the process has executed a program that is no CPython, or could not be followed: then it
 * has no agent any more. Looks now and then, and often before the first sample. */
bool sc_process_has_executed(struct sc_process *process, uint64_t now_ns);

/* Whether the thread is known or there is room for it. A process that can write into the ring can
 * name any number of threads. */
bool sc_process_takes_thread(const struct sc_process *process, pid_t tid);

/* The thread of that number in the process's own namespace; NULL when none that lives is known. */
struct sc_watched_thread *sc_process_find_thread(const struct sc_process *process, pid_t tid);

/* The thread of that number in the process's own namespace, added if new. The pointer is valid
 * until the next call. */
struct sc_watched_thread *sc_process_thread(struct sc_process *process, pid_t tid);

/* The mean interval that its threads' samples were drawn from at that time. */
static inline uint64_t sc_process_interval_ns(const struct sc_process *process, uint64_t time_ns)
{
    return sc_pace_interval_ns(&process->reader.pace, process->charge.jiffy_ns, time_ns);
}

/* Sets the number by which /proc knows the thread, which has been found. */
void sc_process_place_thread(struct sc_process *process, struct sc_watched_thread *thread,
                             pid_t proc_tid);

/* The thread has ended; another one may get its number. */
void sc_process_thread_ended(struct sc_process *process, struct sc_watched_thread *thread);
