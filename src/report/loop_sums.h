/*
 * report/loop_sums.h - the time that functions of the program keep an event loop, summed over all
 * stacks; for src/report/async_blocks.c alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "report/loop_stacks.h"
#include "report/report.h"

/* A function of the program. */
struct sc_loop_function {
    const struct sc_file *file;         /* NULL: not among the profile's files */
    const struct sc_function *function; /* NULL: the profile has no record of it */
    uint32_t frame;                     /* one that is in it */
};

struct sc_loop_callee {
    uint32_t frame; /* any of the function's */
    double weight;
};

/* More are no single cause. */
enum { SC_LOOP_CALLEES = 16 };

struct sc_loop_line {
    uint32_t lineno;
    double weights[SC_KIND_COUNT_];
    struct sc_loop_callee callees[SC_LOOP_CALLEES];
    size_t callee_count;
};

/* The time in a function, below one coroutine. */
struct sc_loop_sum {
    uint32_t function;  /* in functions */
    uint32_t coroutine; /* likewise */
    SC_VEC(struct sc_loop_line) lines;
};

struct sc_loop_sums {
    SC_VEC(struct sc_loop_function) functions;
    SC_VEC(struct sc_loop_sum) items;
    double weights[SC_LOOP_PART_COUNT_];
};

void sc_loop_sums_init(struct sc_loop_sums *sums, const struct sc_profile *profile,
                       const struct sc_stacks *stacks);
void sc_loop_sums_done(struct sc_loop_sums *sums);
