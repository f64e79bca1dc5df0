/*
 * observer/stack/blocked_stacks.h - what blocked_stack.h keeps for each process.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "base/map.h"

/* What was found before, one per process. Initialise with {0}. */
struct sc_blocked_stacks {
    struct sc_map nodes;    /* thread, place and Python frames -> node */
    uint64_t generation;    /* of the modules, when nodes were found */
    uint64_t polled_ns;     /* the poll that found_in_poll counts in */
    uint32_t found_in_poll; /* stacks looked for in that poll */
};
