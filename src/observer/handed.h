/*
 * observer/handed.h - work that one thread hands over to others: where none of a worker's frames is
 * in scope, its stack is put below that of the line that waits for it.
 *
 * So the innermost frame in scope is that line in all views: lines, functions, charts. While no
 * line waits, because the thread is still handing over work, or takes results, the costs are held
 * at a separate node for some seconds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"

struct sc_process;
struct sc_watched_thread;

struct sc_handed_cost {
    uint32_t creator_id; /* of the thread that is charged */
    uint32_t own_node;   /* the stack as it is */
    uint32_t held_node;  /* where its costs are held */
    uint64_t since_ns;
};

/* Costs for which no waiting line is known yet. Initialise with {0}. */
struct sc_handed {
    SC_VEC(struct sc_handed_cost) costs;
    struct sc_map index; /* held node -> place in costs */
    struct sc_map last;  /* creator_id -> the line that has waited last */
};

/* Where a cost of the thread at node belongs: node itself where a frame of it is in scope, or where
 * it has no Python frame. */
uint32_t sc_handed_node(struct sc_process *process, struct sc_watched_thread *thread,
                        uint32_t node);

/* Moves held costs to the lines that wait now; costs that were held for too long go back to their
 * own stack. To be called after each round of looks. */
void sc_handed_settle(struct sc_process *process, uint64_t now_ns);

/* No more costs follow: moves held costs to the line that has waited last. Frees all. */
void sc_handed_end(struct sc_process *process);
