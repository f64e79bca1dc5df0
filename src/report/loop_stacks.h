/*
 * report/loop_stacks.h - which stacks hold an event loop of asyncio or trio, and by
 * what; for src/report/async.c and its tests.
 *
 * A loop runs one task at a time, in its own thread. So whatever is below the frames of a loop, and
 * is not its wait for events, keeps all other tasks from running. uvloop's loop is native code,
 * asyncio's own and trio's are Python. A process of multiprocessing that a task has forked keeps
 * the frames of the loop on its stack, but runs beside it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "report/stacks.h"

/* What a loop does in a stack. */
enum sc_loop_part {
    SC_LOOP_NONE,    /* the stack has no loop */
    SC_LOOP_OWN,     /* runs code of the program */
    SC_LOOP_LIBRARY, /* runs a library that no code of the program has called */
    SC_LOOP_ITSELF,  /* chooses what to run next */
    SC_LOOP_IDLE,    /* waits for events */
    SC_LOOP_PART_COUNT_
};

/* What holds the loop at a node of the trie of lines. The frames are SC_NONE unless the part is
 * SC_LOOP_OWN. */
struct sc_loop_state {
    enum sc_loop_part part;
    uint32_t own; /* the innermost frame of the program's code */
    uint32_t
        coroutine;   /* the innermost that is a coroutine; else the one that the loop has called */
    uint32_t callee; /* what the innermost frame has called, SC_NONE: nothing */
};

/* Whether a process that multiprocessing has forked begins with that function. */
bool sc_begins_fork(const char *name, const char *path);

/* The state of each node. is_coroutine has a flag for each frame of the stacks. To be freed. */
struct sc_loop_state *sc_loop_states(const struct sc_stacks *stacks, const bool *is_coroutine);
