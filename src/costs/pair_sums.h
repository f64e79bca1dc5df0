/*
 * costs/pair_sums.h - times by pairs of numbers: a line that waits and the line that holds it up, a
 * unit of work and a stack.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"

struct sc_pair_sum {
    uint32_t first;
    uint32_t second;
    uint64_t ns;
};

/* Initialise with {0}. At most 2^20 pairs are kept (some 50 MB); times of further pairs are left
 * out. */
struct sc_pair_sums {
    SC_VEC(struct sc_pair_sum) items;
    struct sc_map index;
};

void sc_pair_sums_add(struct sc_pair_sums *sums, uint32_t first, uint32_t second, uint64_t ns);

/* Longest first; of the same length by their numbers. Nothing can be added any more. */
void sc_pair_sums_sort(struct sc_pair_sums *sums);
void sc_pair_sums_done(struct sc_pair_sums *sums);
