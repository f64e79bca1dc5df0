/*
 * costs/places.h - the lines and functions that costs are charged to during a run, numbered in
 * the order they are met.
 *
 * For costs that must be followed in order of time and so cannot be summed by stack when the
 * profile is written (owners.h says why). Each kind of cost keeps an account per line and one per
 * function, at these numbers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/map.h"
#include "costs/owners.h"

struct sc_places {
    struct sc_owners *owners;     /* of the run; not owned */
    struct sc_map line_index;     /* mix(file, line) -> number */
    struct sc_map function_index; /* code -> number */
    uint32_t line_count;
    uint32_t function_count; /* one per code object */
};

/* The numbers of a line and of the function around it; both SC_NONE when no frame of a stack is in
 * scope. */
struct sc_place {
    uint32_t line;
    uint32_t function;
    uint32_t node; /* the innermost in scope */
};

/* owners, of the run, is not owned and outlives the places. */
void sc_places_init(struct sc_places *places, struct sc_owners *owners);
void sc_places_done(struct sc_places *places);

/* The place of a node of the collect, with the next number if it is new. */
struct sc_place sc_place_of(struct sc_places *places, uint32_t node);
