/*
 * report/async.h - what the tasks of an asyncio program wait for, and what keeps its event loop
 * from running them.
 *
 * Await time is recorded by lines and functions, and is no part of the run's time. What keeps a
 * loop is found in the stacks (loop_stacks.h), so it is as fine as these, and holds time only that
 * is part of the run's: what a thread spends in time.sleep while another one computes is not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "report/loop_stacks.h"
#include "report/report.h"

/* A line at which tasks wait. */
struct sc_async_wait_line {
    const struct sc_line *line;
    double percent; /* of all await time */
    double seconds; /* 0: not known */
    char *tasks;    /* "fetch-1, Task-2 to Task-51"; "" when there is no name. Owned */
};

/* A function whose tasks wait. */
struct sc_async_wait {
    const struct sc_file *file;
    const char *name; /* "" for lines outside of functions that the profile has */
    uint32_t lineno;
    const struct sc_cost *cost; /* NULL: of its lines alone */
    double percent;
    double seconds;
    char *tasks; /* owned */
    SC_VEC(struct sc_async_wait_line) lines;
};

/* A line that keeps the loop. */
struct sc_async_block_line {
    uint32_t lineno;
    const char *text; /* of the source, "" where the profile does not have it */
    double percent;   /* of the run */
    double seconds;
    double kinds[SC_KIND_COUNT_]; /* in % of the run */
    char *call;                   /* what it calls: "time.sleep"; NULL: it computes. Owned */
    bool is_library;              /* the call is of Python code out of scope */
    const char *instead;          /* what to write for a call that waits; NULL: not known */
};

/* A function of the program that keeps the loop, below one coroutine. */
struct sc_async_block {
    const struct sc_file *file; /* NULL: not among the profile's files */
    char *place;                /* "server.py", as files are shown; owned */
    char *name;                 /* owned */
    uint32_t lineno;            /* 0: not known */
    char *coroutine;            /* what the loop ran; NULL: the function itself. Owned */
    double percent;
    double seconds;
    double kinds[SC_KIND_COUNT_];
    SC_VEC(struct sc_async_block_line) lines; /* most time first */
};

/* A line at which tasks of lanes wait. */
struct sc_async_place {
    const struct sc_file *file; /* NULL: not among the profile's files */
    const char *name;           /* of the function, or "" */
    uint32_t lineno;
};

/* A task waited, from begin_s seconds after profiling began. */
struct sc_async_run {
    double begin_s;
    double duration_s;
    uint32_t place; /* index in places; SC_NONE: several, or not known */
};

/* When a task waited. */
struct sc_async_lane {
    const char *name;
    uint64_t pid;
    double wait_s;
    SC_VEC(struct sc_async_run) runs; /* in order of time */
};

struct sc_async {
    SC_VEC(struct sc_async_place) places;
    SC_VEC(struct sc_async_lane) lanes;
    SC_VEC(struct sc_async_wait) waits;   /* most await time first */
    SC_VEC(struct sc_async_block) blocks; /* most time first */
    struct sc_hots block_lines;           /* those that block most, below whatever coroutine */
    double parts[SC_LOOP_PART_COUNT_];    /* of the run, in % */
    double loop_percent;                  /* all but SC_LOOP_NONE */
    char *loop_text; /* what the loops did, a sentence; NULL when no stack has one. Owned */
};

/* The stacks are those of the report's profile. Borrows from the report; freed by sc_async_done. */
void sc_async_init(struct sc_async *async, const struct sc_report *report,
                   const struct sc_stacks *stacks);
void sc_async_done(struct sc_async *async);

/* The part of sc_async_init that has a file of its own. */
void sc_async_find_blocks(struct sc_async *async, const struct sc_report *report,
                          const struct sc_stacks *stacks);

/* Names of tasks in few words: those that differ by a number as a range ("Task-2 to Task-9"), and
 * of the others the first ones. Owned. */
char *sc_async_task_words(char *const *names, size_t count);
