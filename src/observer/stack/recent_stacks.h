/*
 * observer/stack/recent_stacks.h - where a process was in its last seconds, stack by stack.
 *
 * A measurement of a device comes late, as one number for a span of time. It is charged to the
 * stacks that the process was on in that span, that is, to those that CPU time or waiting was
 * charged to: a line that has used no time is charged nothing of the device either.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define SC_RECENT_STACKS_MAX 16384U

struct sc_recent_stack {
    uint64_t from_ns;
    uint64_t to_ns;
    uint32_t node;
};

/* A ring: a new entry replaces the oldest. Initialise with {0}. */
struct sc_recent_stacks {
    struct sc_recent_stack *items; /* SC_RECENT_STACKS_MAX, made at the first */
    size_t count;                  /* ever added */
};

/* Initialise with {0}. */
struct sc_recent_stack_list SC_VEC_OF(struct sc_recent_stack);

void sc_recent_stacks_done(struct sc_recent_stacks *recent);

/* The process was on the stack of node. Calls come nearly in the order of to_ns; an entry
 * that comes more than a second late is inserted in its place, which moves those after it. */
void sc_recent_stacks_add(struct sc_recent_stacks *recent, uint64_t from_ns, uint64_t to_ns,
                          uint32_t node);

/* Fills the list, emptied first, with where the process was between two times, cut to them. With
 * several threads at once these overlap. */
void sc_recent_stacks_between(const struct sc_recent_stacks *recent, uint64_t from_ns,
                              uint64_t to_ns, struct sc_recent_stack_list *list);

/* How long the stack was between two times, in ns. */
uint64_t sc_recent_stack_overlap(const struct sc_recent_stack *stack, uint64_t from_ns,
                                 uint64_t to_ns);
