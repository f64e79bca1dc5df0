/*
 * costs/task_lanes.h - when single asyncio tasks waited during a run, and where: what a chart draws
 * as one lane per task.
 *
 * Tasks are seen at looks. A task that waited at the same line at two looks waited there between
 * them; else it is taken to have left the one line and reached the other half-way. A program may
 * start millions of tasks, so the lanes of those that waited longest are kept. A lane with more
 * runs than are kept becomes coarser.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/map.h"
#include "base/vec.h"

#define SC_TASK_LANES_MAX 400U
#define SC_LANE_RUNS_MAX  256U

/* A task that has not waited for so long has ended, or holds up the loop: its lane may go. */
#define SC_TASK_GONE_NS 200000000U

struct sc_lane_run {
    uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
    uint32_t node; /* of the collect; SC_NONE: several lines, at each for too short a time */
};

struct sc_task_lane {
    pid_t pid;
    uint64_t key; /* of the task in its process */
    char *name;   /* owned; "" where it could not be read */
    uint64_t wait_ns;
    bool is_waiting;    /* at the process's last look, in its last run */
    uint32_t seen_node; /* at the look in progress; SC_NONE: not seen there */
    SC_VEC(struct sc_lane_run) runs;
};

/* Initialise with {0}. */
struct sc_task_lanes {
    SC_VEC(struct sc_task_lane) all;
    struct sc_map index; /* mix(pid, key) -> index in all; may be stale for lanes that have gone */
    size_t indexed;      /* keys in it */
    bool is_full;        /* for the look in progress */
    bool is_cut;         /* a task's lane has gone, or was never made */
};

/* Makes one of the runs that begin in one of so many slots of their time. Returns how many runs are
 * left, at most slots. */
size_t sc_lane_runs_merge(struct sc_lane_run *runs, size_t count, size_t slots);

void sc_task_lanes_done(struct sc_task_lanes *lanes);

/* The lane of a task, or NULL. */
struct sc_task_lane *sc_task_lanes_find(struct sc_task_lanes *lanes, pid_t pid, uint64_t key);

/* A look in progress, begun at now_ns, sees a task without a lane wait at a node; name is copied.
 */
void sc_task_lanes_add(struct sc_task_lanes *lanes, pid_t pid, uint64_t key, const char *name,
                       uint32_t node, uint64_t now_ns);

/* The look in progress is over: charges the time between the process's last look and this one. */
void sc_task_lanes_charge(struct sc_task_lanes *lanes, pid_t pid, uint64_t last_ns,
                          uint64_t now_ns);

/* Since its last look the process has not run: the tasks that waited then still do. */
void sc_task_lanes_stay(struct sc_task_lanes *lanes, pid_t pid, uint64_t now_ns);

/* What the process's tasks do from here on is not known, until its next look. */
void sc_task_lanes_break(struct sc_task_lanes *lanes, pid_t pid);
