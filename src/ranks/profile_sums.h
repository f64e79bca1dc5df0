/*
 * ranks/profile_sums.h - the profiles of many ranks as one profile.
 *
 * Times, bytes and counts are added up, so that a share is one of all ranks' time. Files are the
 * same by their names as they are shown, lines by their numbers. What is of one rank alone is left
 * out: moments, timelines, curves, and units of work.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ranks/call_sums.h"
#include "ranks/cost_sums.h"

/* Initialise with {0}. */
struct sc_profile_sums {
    struct sc_profile profile; /* the sum */
    struct sc_cost_whole whole;
    struct sc_call_sums calls;
    struct sc_intern names; /* of files, as shown; ids are indices in the sum's */
    struct sc_map functions;
    uint32_t count;          /* of profiles */
    uint32_t with_memory;    /* of these */
    size_t other_lines;      /* that have another text on another rank */
    char *first_other;       /* the file of the first of them */
    bool has_other_versions; /* of this program, or of Python */
    bool has_other_modes;
};

/* Adds a profile. name: what its threads and processes are called by, "rank 3". */
void sc_profile_sums_add(struct sc_profile_sums *sums, const struct sc_profile *profile,
                         const char *name);

/* Completes the sum, which the caller may take then. */
void sc_profile_sums_finish(struct sc_profile_sums *sums);
void sc_profile_sums_done(struct sc_profile_sums *sums);

/* The index of a profile's file in the sum, or SC_NONE. */
uint32_t sc_profile_sums_file(const struct sc_profile_sums *sums, const struct sc_profile *profile,
                              const char *name);
