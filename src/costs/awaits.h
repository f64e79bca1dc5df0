/*
 * costs/awaits.h - how long tasks wait during a run, and how many at once, by line and by function.
 *
 * Await time is the sum over all tasks of the time they were suspended; it is not part of a run's
 * total, since many tasks wait at once. The number of tasks that wait on a line at once must be
 * counted in order of time, as in ledger.h, so the scope is applied during the run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "costs/places.h"
#include "costs/task_lanes.h"

#define SC_AWAIT_NAMES_MAX 100

struct sc_await_account {
    uint32_t node;        /* a node of this line or function */
    double await_ns;      /* of all tasks together: many in a long run are beyond 64 bits */
    uint64_t occupied_ns; /* time in which any task waited here */
    uint32_t peak;        /* tasks at once */
    SC_VEC(uint32_t) names;
};

struct sc_await_accounts SC_VEC_OF(struct sc_await_account);

struct sc_awaits {
    struct sc_places places;
    struct sc_await_accounts lines; /* indexed by the numbers of places */
    struct sc_await_accounts functions;
    struct sc_intern names;
    struct sc_task_lanes lanes;
};

struct sc_await_count {
    uint32_t account;
    uint32_t tasks;
};

struct sc_await_counts {
    SC_VEC(struct sc_await_count) all;
    SC_VEC(uint32_t) places; /* per account: its index in all, plus 1; 0: none */
};

/* How many tasks of one process waited where at one moment. Initialise with {0}. */
struct sc_await_look {
    struct sc_await_counts lines;
    struct sc_await_counts functions;
};

/* owners, of the run, is not owned and outlives it. */
void sc_awaits_init(struct sc_awaits *awaits, struct sc_owners *owners);
void sc_awaits_done(struct sc_awaits *awaits);

/* The line and function that waits at a node of the collect are charged to. Their accounts are
 * added if they are missing. */
struct sc_place sc_awaits_place(struct sc_awaits *awaits, uint32_t node);

/* Whether the place keeps further names of tasks that wait there (SC_AWAIT_NAMES_MAX). */
bool sc_awaits_wants_name(const struct sc_awaits *awaits, struct sc_place place);
void sc_awaits_name(struct sc_awaits *awaits, struct sc_place place, const char *name);

/* Empties the look, for sc_awaits_count to fill. */
void sc_awaits_begin(struct sc_await_look *look);

/* One more task waits at the place. */
void sc_awaits_count(struct sc_await_look *look, struct sc_place place);

/* Ends counting. scale: how many tasks each one counted stands for, at least 1. */
void sc_awaits_finish(struct sc_awaits *awaits, struct sc_await_look *look, double scale);

/* Charges the time between two looks at one process: half of it to the places where tasks waited at
 * each look. */
void sc_awaits_charge(struct sc_awaits *awaits, const struct sc_await_look *before,
                      const struct sc_await_look *after, uint64_t ns);

void sc_await_look_done(struct sc_await_look *look);
