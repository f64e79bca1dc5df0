/*
 * ranks/mirrors.h - the times of a line on all ranks, and how certain it is that one differs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ranks/ranks.h"

/* A line's times, of all ranks. */
struct sc_rank_row {
    const struct sc_ranked_line *line;
    const struct sc_one_rank *ranks; /* borrowed; of those without data nothing is known */
    double *time_s, *variance;       /* of each rank; owned */
    size_t count;
    double mean_s, most_s; /* the mean of ranks with data */
    uint32_t most;         /* the rank of that */
    bool is_mirror;        /* it waits for a straggler */
    bool is_blocking;      /* most of its time is spent waiting, or the next */
    bool calls_wait;       /* it calls what waits for others, by its name */
};

void sc_rank_row_init(struct sc_rank_row *row, const struct sc_ranks *ranks,
                      const struct sc_ranked_line *line);
void sc_rank_row_done(struct sc_rank_row *row);

/* How one rank differs from the others. */
struct sc_rank_gap {
    double time_s, others_s; /* of the rank; the median of the others */
    double more_s;           /* how much longer, perhaps below 0 */
    double error_s;          /* 95 % half width of that */
    double p;                /* of as large a gap where there is none */
    double spread_s;         /* of the others, as a standard deviation; 0 with less than three */
};

struct sc_rank_gap sc_rank_gap_of(const struct sc_rank_row *row, uint32_t rank);

/* Whether it is one, if as many are looked at: neither sampling, nor the noise from run to run, nor
 * the spread among the others explains it. */
bool sc_rank_gap_is_certain(const struct sc_rank_gap *gap, size_t looks);
