/*
 * costs/sequence.h - which samples on a CPU follow each other, by pairs of stacks.
 *
 * The error of a line's share depends on it (scatter.h). Which line a stack belongs to is known
 * when a profile is written, so pairs of stacks are kept: of a sample and the one before it in its
 * thread, and of a sample and the one before that.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"

#define SC_SEQUENCE_LAGS 2U

struct sc_sequence_pair {
    uint32_t from; /* nodes of the collect */
    uint32_t to;
    double squares[SC_SEQUENCE_LAGS]; /* ns^2 of the later samples */
};

/* Initialise with {0}. At most 65,536 pairs are kept; further ones are assumed to be like those. */
struct sc_sequence {
    SC_VEC(struct sc_sequence_pair) pairs;
    struct sc_map index;
    double all_squares;
    double left_out_squares[SC_SEQUENCE_LAGS];
};

/* Where a thread was sampled last, and before that. Initialise with {0}. */
struct sc_sequence_thread {
    uint32_t nodes[SC_SEQUENCE_LAGS]; /* 0: nowhere */
};

/* Records that the thread was sampled at the node, by a sample that stands for ns. */
void sc_sequence_add(struct sc_sequence *sequence, struct sc_sequence_thread *thread, uint32_t node,
                     double ns);
void sc_sequence_done(struct sc_sequence *sequence);

/* The factor for the squares of the pairs that makes up for the pairs left out. */
double sc_sequence_scale(const struct sc_sequence *sequence, unsigned lag);
