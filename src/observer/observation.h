/*
 * observer/observation.h - the state of one `scalene run`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>

#include "build/sent_code.h"
#include "costs/awaits.h"
#include "costs/gpu.h"
#include "costs/texts.h"
#include "observer/control.h"
#include "observer/group.h"
#include "observer/loads.h"
#include "observer/observer.h"
#include "observer/process.h"
#include "observer/rendezvous.h"
#include "observer/run_scope.h"
#include "profile/profile.h"

struct sc_observation {
    const struct sc_run_plan *plan;
    struct sc_rendezvous rendezvous;
    int signal_fd;
    sigset_t mask_before;
    struct sc_group group;
    char *directory; /* our working directory, which is the command's */
    pid_t pid;       /* of the command */
    struct sc_collect collect;
    struct sc_charge_young young; /* of all processes */
    struct sc_owners owners;      /* of the stacks of all of them */
    struct sc_symbols *symbols;   /* of native functions; NULL without --stacks */
    struct sc_run_scope run_scope;
    struct sc_beside *beside; /* answers questions about files */
    struct sc_tree tree;      /* what its processes report of one another */
    struct sc_texts texts;
    struct sc_sent_code sent;
    struct sc_ledger ledger; /* of all processes, when memory is measured */
    struct sc_awaits awaits; /* of all processes, when await time is measured */
    struct sc_gpu gpu;       /* of all processes, when GPUs are measured */
    struct sc_loads loads;
    struct sc_remote_blocks blocks;
    uint64_t rss_ns; /* when resident memory was read last */
    struct sc_resident_turns residents;
    SC_VEC(struct sc_process *) processes;
    uint64_t started_ns;
    uint64_t started_realtime_ns;
    uint64_t ended_ns;
    double interval_s;

    /* what became of agents that did not start */
    struct sc_err failure; /* the first on the observer's side */
    char *executable;      /* what the command last executed, NULL when never seen */
    bool is_deaf;          /* gets no orders for the program: the socket's name is taken */
    bool is_other_users;   /* the command had another user's rights when last seen */

    struct sc_control control;
    bool paused;             /* profiling is switched off */
    uint64_t paused_from_ns; /* since when */
    uint64_t ticked_ns;      /* the last tick's time */
    uint64_t paused_ns;      /* how long it was, before */

    bool is_over;    /* a guest's profile: it has ended */
    bool cancelled;  /* and it is not written */
    int finish_peer; /* the client to answer when it has been written, or -1 */

    bool exited;
    int exit_status;
    int exit_signal;
    uint64_t max_rss_bytes; /* of the largest process of its tree */
    double children_cpu_s;  /* of the command's own waited-for children */
};

/* Notes how processes ended, as their parents have reported it. */
void sc_observation_settle_ends(struct sc_observation *observation, uint64_t now_ns);

/* Fills everything of the profile from what was observed. */
void sc_observation_report(const struct sc_observation *observation,
                           struct sc_profile *ret_profile);

/* Adds to the profile's notes why it is empty or thin, and other things to know. */
void sc_observation_explain(const struct sc_observation *observation, struct sc_profile *profile);
