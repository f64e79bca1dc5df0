/*
 * observer/waiting/awaiting.h - what the asyncio tasks of a process wait for, read from outside.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "costs/awaits.h"
#include "cpython/tasks.h"
#include "observer/system/remote.h"

struct sc_process;

struct sc_awaiting {
    struct sc_awaits *awaits; /* of the whole run; not owned */
    struct sc_tasks tasks;
    bool is_known;            /* the layout of tasks in this Python version */
    bool is_found;            /* the program has imported asyncio */
    struct sc_remote *remote; /* not owned */
    struct sc_target target;
    struct sc_target fresh;
    bool is_forbidden;    /* the system does not let us read the process */
    uint64_t interpreter; /* number of the interpreter that runs the tasks; 0: not known */
    uint64_t *addresses;  /* of tasks, listed when the look began */
    size_t capacity;
    SC_VEC(uint64_t) seen;   /* tasks of the last look, as keys of inherited */
    SC_VEC(uint64_t) seeing; /* of the look in progress */
    struct sc_map inherited; /* mix(task, coroutine) of tasks that the process was forked with */
    struct sc_await_look looks[2];
    unsigned current; /* index of the last look */
    bool was_paused;  /* since the last look */
    bool is_looking;  /* a look is in progress, in parts; it fills the other one of looks */
    size_t listed;
    size_t read;           /* index of the next address to read */
    size_t stride;         /* every stride-th task is read */
    uint64_t cost_ns;      /* our CPU time for the look so far */
    uint64_t last_cost_ns; /* for the look before */
    size_t stacks;         /* nodes of the collect when the look began */
    uint64_t forgotten_ns; /* process's CPU time when pages were last discarded */
    uint64_t charged_ns;   /* time is charged up to here, or no task can have waited before */
    uint64_t still_ns;     /* the process has not run since */
    uint64_t look_cpu_ns;  /* the process's CPU time when the last look began */
    uint64_t next_ns;      /* no look before this */
};

/* Begins to follow the tasks of a process; parent: the followed process that it was forked from, or
 * NULL. awaits and remote are used until sc_awaiting_free. */
struct sc_awaiting *sc_awaiting_new(struct sc_awaits *awaits, struct sc_remote *remote,
                                    const struct sc_process *parent);
void sc_awaiting_free(struct sc_awaiting *awaiting);

/* One poll: charges the time that has passed, after a look if the tasks may have changed. */
void sc_awaiting_poll(struct sc_process *process, uint64_t now_ns);

/* Time up to now_ns is not charged: profiling is switched off, or the process is stopped. */
void sc_awaiting_skip(struct sc_process *process, uint64_t now_ns);

/* The process has ended: charges the time up to now_ns that is not charged yet. */
void sc_awaiting_end(struct sc_process *process, uint64_t now_ns);
