/*
 * observer/lifecycle/observation.h - the state of one `scalene run`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>

#include "accelerator/poll.h"
#include "build/sent_code.h"
#include "costs/awaits.h"
#include "costs/cell_sources.h"
#include "costs/gpu.h"
#include "observer/link/control.h"
#include "observer/link/rendezvous.h"
#include "observer/link/run_plan.h"
#include "observer/link/run_scope.h"
#include "observer/process/group.h"
#include "observer/process/process.h"
#include "observer/process/tree.h"
#include "observer/system/remote.h"
#include "profile/profile.h"

/* What loads.h keeps. */
struct sc_loads {
    struct sc_accelerators *accelerators;  /* NULL when GPUs are not measured */
    SC_VEC(struct sc_device_reading) late; /* stacks of the readings' time are not all known yet */
    SC_VEC(pid_t) watched;                 /* the processes that the accelerators watch */
};

/* What status.h keeps: whether the terminal's title is ours, and when it is shown again. */
struct sc_status {
    bool is_wanted;
    bool is_shown;      /* the terminal has our title */
    uint64_t looked_ns; /* the CPU times are of then */
    uint64_t next_ns;   /* when to show it again */
    double cores;       /* used since the look before */
};

struct sc_observation;

/* What attach/loader.h needs. */
struct sc_loader {
    const char *agent_path; /* NULL: no agent is to be loaded */
    char *rendezvous;       /* what the agent is given; owned */
    /* What is to be done while processes are waited for: takes the agents that have connected.
     * False when there is to be no more waiting. */
    bool (*attend)(struct sc_observation *);
};

/* How long the observer had waited for CPUs, and when that was read. */
struct sc_own_delay {
    uint64_t read_ns;
    uint64_t delay_ns;
};

struct sc_observation {
    const struct sc_run_plan *plan;
    struct sc_rendezvous rendezvous;
    int signal_fd;
    int reserved_fd; /* for the profile's file, or -1 */
    sigset_t mask_before;
    struct sc_group group;
    char *directory; /* our working directory, which is the command's */
    pid_t pid;       /* of the command */
    struct sc_collect collect;
    struct sc_charge_young young; /* of all processes */
    struct sc_owners owners;      /* of the stacks of all processes */
    struct sc_symbols *symbols;   /* of native functions; NULL without --stacks */
    struct sc_run_scope run_scope;
    struct sc_helper *helper;  /* answers questions about files */
    struct sc_helper *slow;    /* the same, for what may take long and is not waited for */
    struct sc_helper *sources; /* the same, for files of a process in another container, or NULL */
    struct sc_tree tree;       /* what the processes report of one another */
    struct sc_cell_sources cell_sources;
    struct sc_sent_code sent;
    struct sc_ledger ledger; /* of all processes, when memory is measured */
    struct sc_awaits awaits; /* of all processes, when await time is measured */
    struct sc_gpu gpu;       /* of all processes, when GPUs are measured */
    struct sc_loads loads;
    struct sc_remote tasks; /* of all processes, which are read in turn */
    struct sc_status status;
    uint64_t rss_ns;    /* when resident memory was read last */
    uint64_t rss_bytes; /* and what all processes had then */
    struct sc_resident_turns residents;
    SC_VEC(struct sc_process *) processes; /* by their serials; ended.h sums up some of them */
    uint32_t followed_count;
    uint64_t started_ns;
    uint64_t started_realtime_ns;
    uint64_t program_age_ns; /* then, of one that ran before us and does not load its files anew */
    uint64_t ended_ns;
    double interval_s;
    bool is_coarse; /* samples cannot come so often, and come with the kernel's ticks */

    /* what became of agents that did not start */
    struct sc_err failure;      /* the last on the observer's side */
    char *executable;           /* what the command last executed, NULL when never seen */
    bool is_failing;            /* the last interim profile could not be written */
    bool has_no_control_socket; /* gets no orders for the program: the socket's name is taken */
    bool is_other_users;        /* the command had another user's rights when last seen */

    struct sc_control control;
    bool paused;             /* profiling is switched off */
    uint64_t paused_from_ns; /* when the present pause began */
    uint64_t polled_ns;      /* the last poll's time */
    uint64_t paused_ns;      /* how long all earlier pauses were */
    uint64_t on_from_ns; /* when profiling was switched on first; 0: it was on from the beginning,
                            UINT64_MAX: it never was */
    struct sc_own_delay own_delay;

    struct sc_loader loader; /* of an attached process */
    uint64_t loading_ns;     /* since when it loads agents, 0: it does not. What processes that come
                                meanwhile have used before is not known yet */
    char *not_loaded;        /* why the first agent that it should have loaded was not, or NULL */
    uint64_t
        next_children_look_ns; /* when the processes below an attached one are looked for next */

    bool is_left;    /* an attached process is to be left */
    bool is_over;    /* of a guest (guest.h): its profile has ended */
    bool cancelled;  /* the profile is not to be written */
    int finish_peer; /* the client to answer when the profile has been written, or -1 */

    bool exited;
    int exit_status;
    int exit_signal;
    uint64_t max_rss_bytes; /* of the largest process of the command's tree */
    double children_cpu_s;  /* of the command's own waited-for children */
};

/* Goes through the processes, or those that are not over. None may be added meanwhile. */
#define SC_EACH_PROCESS(process, observation)                                                      \
    for (struct sc_process **at_ = (observation)->processes.items, *process = NULL;                \
         at_ != NULL && at_ < (observation)->processes.items + (observation)->processes.count &&   \
         (process = *at_) != NULL;                                                                 \
         at_++)
#define SC_EACH_LIVING(process, observation)                                                       \
    SC_EACH_PROCESS(process, observation)                                                          \
        if (!(process)->ending.is_over)
