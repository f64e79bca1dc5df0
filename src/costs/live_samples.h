/*
 * costs/live_samples.h - the sampled blocks that are alive, and which of them follow each other.
 *
 * The error of what is alive at a moment is that of a sum over samples (scatter.h) in which a
 * sample whose block was freed is one of another place. So it changes with each block that comes
 * or goes, and a peak takes the error of its moment with it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "costs/succession.h"

/* A sample whose block is alive. */
struct sc_live_sample {
    struct sc_sampled_bytes bytes; /* same_lines and the like: counting live samples only */
    uint32_t same_all[2];          /* the same, whatever the lines are */
    struct sc_succession *succession;
    uint64_t number;    /* in its succession */
    uint64_t before[2]; /* numbers of the samples that its previous point and its second previous
                           one are of */
    uint32_t earlier;   /* the live samples before and after it in its succession; 0: none */
    uint32_t later;
};

/* Initialise with {0}. */
struct sc_live_samples {
    SC_VEC(struct sc_live_sample) items; /* the first is not used */
    uint32_t unused;                     /* a list of free items, by later; 0: none */
};

void sc_live_samples_done(struct sc_live_samples *live);

/* Adds the sample that was just added to the succession, where it has this number; square is of
 * what is alive of it. Returns its index, which is never 0. */
uint32_t sc_live_samples_add(struct sc_live_samples *live, struct sc_succession *succession,
                             uint64_t number, double square);

/* Removes a sample: what followed it does so no longer. */
void sc_live_samples_remove(struct sc_live_samples *live, uint32_t index);

/* The samples whose relation to earlier ones changes when this one is removed: none, one or two;
 * 0 for none. */
void sc_live_samples_after(const struct sc_live_samples *live, uint32_t index,
                           uint32_t ret_after[2]);
