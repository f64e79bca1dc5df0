/*
 * report/calls.h - who calls a line, and what it calls, summed over all stacks of a profile.
 *
 * A stack counts once for a line, for a caller of it and for a callee, however often a recursion
 * has them on it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "report/stacks.h"

/* A line of Python, or a native function. */
struct sc_call_place {
    uint32_t frame;        /* one that is there */
    double total;          /* of stacks that it is on, in the unit of their weights */
    double self;           /* of stacks that end there */
    size_t stack;          /* the last one that was counted */
    uint32_t first_caller; /* edges, or SC_NONE */
    uint32_t first_callee;
};

struct sc_call_edge {
    uint32_t caller; /* places */
    uint32_t callee;
    double weight;
    size_t stack;
    uint32_t next_caller; /* the next edge to the same callee */
    uint32_t next_callee; /* the next edge from the same caller */
};

struct sc_call_graph {
    const struct sc_stacks *stacks; /* borrowed */
    uint32_t *place_of;             /* per frame of the stacks; SC_NONE: passed over */
    SC_VEC(struct sc_call_place) places;
    SC_VEC(struct sc_call_edge) edges;
    struct sc_map edge_index;
    double total; /* of all stacks */
};

struct sc_call_share {
    uint32_t frame; /* of a callee that is a function: its most expensive line */
    double weight;
};

struct sc_call_shares {
    SC_VEC(struct sc_call_share) items;
};

/* weights: one per stack of the list by time, for a part of the run; NULL: the list's own. */
void sc_call_graph_init(struct sc_call_graph *calls, const struct sc_stacks *stacks,
                        const double *weights);
void sc_call_graph_done(struct sc_call_graph *calls);

/* The place of a line; SC_NONE when it is on no stack. */
uint32_t sc_call_graph_find(const struct sc_call_graph *calls, const char *path, uint32_t line);

/* The lines and native functions directly above a place, highest weight first; freed by
 * sc_call_shares_done. */
void sc_call_graph_callers(const struct sc_call_graph *calls, uint32_t place,
                           struct sc_call_shares *shares);

/* The functions directly below it. */
void sc_call_graph_callees(const struct sc_call_graph *calls, uint32_t place,
                           struct sc_call_shares *shares);

void sc_call_shares_done(struct sc_call_shares *shares);
