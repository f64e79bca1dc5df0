/*
 * ranks/call_sums.h - the trees of calls of many ranks as one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/profile.h"

/* Initialise with {0}. */
struct sc_call_sums {
    struct sc_map frames; /* of a frame, and of a node, to its index */
    struct sc_map nodes;
    double folded_s; /* that a profile shows at the line of a caller, or that is so here */
};

/* Adds the calls of a profile to those of the sum. name_of says how the sum calls a file of the
 * profile. */
void sc_call_sums_add(struct sc_call_sums *sums, struct sc_profile *sum,
                      const struct sc_profile *profile,
                      const char *(*name_of)(void *context, const char *name), void *context);

/* Sets the shares of the sum's calls. */
void sc_call_sums_finish(struct sc_call_sums *sums, struct sc_profile *sum);
void sc_call_sums_done(struct sc_call_sums *sums);
