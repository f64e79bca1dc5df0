/*
 * ranks/ranks.h - how long each rank was at each line.
 *
 * A rank is one value of the label that profiles are compared by: a rank of MPI, or a machine. With
 * --by file it is a file. Of several profiles of one rank (all processes of a machine), its numbers
 * are the mean. Time in which a rank was ready to run and no CPU was free is kept apart: it is not
 * the line's doing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/profile.h"

/* A rank. */
struct sc_one_rank {
    char *name; /* "3" */
    char *file; /* its first profile */
    uint32_t profiles;
    bool is_empty; /* the profile has no data */
    double elapsed_s;
    double busy_s;     /* on a CPU, of all processes and threads; sums, as the next two */
    double waiting_s;  /* nothing was on a CPU */
    double left_out_s; /* ready to run, and no CPU was free */
};

/* Seconds of a rank at a line. */
struct sc_rank_time {
    uint32_t rank;
    double time_s;    /* busy and waiting */
    double blocked_s; /* the part in which it waited, and not by a sleep of the line's own */
    double variance;  /* by sampling */
};

struct sc_ranked_line {
    const char *file; /* as it is shown; in texts */
    uint32_t lineno;
    char *text;                        /* of the source */
    SC_VEC(struct sc_rank_time) times; /* of ranks that have any, in order */
};

/* Initialise with {.by = label}. */
struct sc_ranks {
    const char *by; /* the label, or NULL: by file */
    SC_VEC(struct sc_one_rank) items;
    SC_VEC(struct sc_ranked_line) lines;
    struct sc_intern names; /* of ranks; ids are indices in items */
    struct sc_intern texts;
    struct sc_map index; /* of a line, to its index */
    uint64_t world_size; /* how many ranks there should be; 0: not known */
    bool sizes_differ;
};

/* The rank of a profile, whose file has that name: the label's value, or the name. False, with err
 * set, where it has no such label, or a rank of a launcher's is there twice. Adds the rank's
 * times. */
bool sc_ranks_add(struct sc_ranks *ranks, const struct sc_profile *profile, const char *file,
                  struct sc_err *err);

/* Puts ranks in order, by their numbers where they are numbers, and divides sums by the number of
 * profiles. Nothing is added behind it. */
void sc_ranks_finish(struct sc_ranks *ranks);

/* Adds the numbers of ranks that are missing, as "3 and 5", and returns how many there are. */
size_t sc_ranks_missing(const struct sc_ranks *ranks, struct sc_str *ret_text);

/* How many ranks have a profile that is not empty. */
size_t sc_ranks_with_data(const struct sc_ranks *ranks);

void sc_ranks_done(struct sc_ranks *ranks);
