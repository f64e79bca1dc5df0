/*
 * observer/positions.h - where a process was in its last seconds, stack by stack.
 *
 * What is measured of devices comes late, as a number for a span of time. It is charged to the
 * stacks that the process was on in that span: those that CPU time or waiting was charged to, so a
 * line that takes nothing of the time takes nothing of the device either.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SC_POSITIONS_MAX 16384U

struct sc_position {
    uint64_t from_ns;
    uint64_t to_ns;
    uint32_t node;
};

/* Initialise with {0}. A ring: the oldest makes room. */
struct sc_positions {
    struct sc_position *items; /* SC_POSITIONS_MAX, made at the first */
    size_t next;               /* of all ever added */
};

void sc_positions_done(struct sc_positions *positions);

/* The process was on the stack of node. */
void sc_positions_add(struct sc_positions *positions, uint64_t from_ns, uint64_t to_ns,
                      uint32_t node);

/* Calls visit for each stack that the process was on between two times, with the part of ns that
 * falls to it: in proportion to how long it was there within them. The parts add up to ns, unless
 * the process was nowhere that is still known; then nothing is called. */
typedef void sc_position_visitor(void *context, uint32_t node, double ns);
void sc_positions_spread(const struct sc_positions *positions, uint64_t from_ns, uint64_t to_ns,
                         double ns, sc_position_visitor *visit, void *context);
