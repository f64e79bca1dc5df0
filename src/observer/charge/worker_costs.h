/*
 * observer/charge/worker_costs.h - what sample/workers.h keeps for each process.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

struct sc_worker_cost {
    uint32_t creator_id; /* of the worker that is charged: the thread that started it */
    uint32_t own_node;   /* the worker's own stack */
    uint32_t held_node;  /* where its costs are held */
    uint64_t since_ns;
};

/* Costs for which no waiting line is known yet. Initialise with {0}. */
struct sc_worker_costs {
    SC_VEC(struct sc_worker_cost) costs;
    struct sc_map index; /* held node -> place in costs */
    struct sc_map last;  /* creator_id -> the line that has waited last */
};
