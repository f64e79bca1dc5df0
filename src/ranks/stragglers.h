/*
 * ranks/stragglers.h - which rank is slow at which line, and who waits for it.
 *
 * A rank that is longer at a line than the median of the others, for certain, is a straggler if the
 * others are meanwhile longer somewhere else, so that its time there is less: at a barrier or a
 * collective, which waits in the kernel or spins, or if it is longer in all. Each line on each rank
 * is looked at, so that chances are multiplied by as many (Bonferroni).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ranks/mirrors.h"

/* Where the other ranks are longer meanwhile. */
struct sc_mirror {
    const struct sc_ranked_line *line;
    double time_s, others_s; /* of the straggler; the median of the others */
    bool is_wait;
};

struct sc_straggler {
    const struct sc_ranked_line *line; /* NULL: it had no CPU */
    uint32_t rank;
    struct sc_rank_gap gap;
    double cost_s;                    /* how much longer the others were for it, each */
    SC_VEC(struct sc_mirror) mirrors; /* the longest first */
};

/* A line that is not equally long on all ranks. */
struct sc_uneven {
    const struct sc_ranked_line *line;
    uint32_t rank; /* the longest */
    double most_s, mean_s;
};

struct sc_stragglers {
    SC_VEC(struct sc_straggler) items; /* the most costly first */
    SC_VEC(struct sc_uneven) uneven;   /* the largest difference first */
    double mean_s, most_s;             /* of the ranks' time on a CPU */
    uint32_t most;
};

/* At least two ranks, of which none is empty, are wanted; else nothing is found. */
void sc_stragglers_find(const struct sc_ranks *ranks, struct sc_stragglers *ret_stragglers);
void sc_stragglers_done(struct sc_stragglers *stragglers);
