/*
 * ranks/cost_sums.h - the costs of a line or a function on many ranks, added up.
 *
 * While they are added, shares are products with what they are shares of, and errors are squares.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/profile.h"

/* What numbers of a profile are shares of. */
struct sc_cost_whole {
    double time_s;    /* what 100 % of the time is */
    double await_s;   /* of tasks */
    double elapsed_s; /* of copies in MB/s */
    double neuron_ms; /* of all calls of the Neuron runtime */
    double allocated_mb;
};

/* Adds a profile's cost to a sum, which is {0} before. Moments and names of tasks are left out. */
void sc_cost_sum_add(struct sc_cost *sum, const struct sc_cost *cost,
                     const struct sc_cost_whole *whole);

/* Makes the sum a cost again, of the whole of all profiles. */
void sc_cost_sum_finish(struct sc_cost *sum, const struct sc_cost_whole *whole);
