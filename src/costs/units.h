/*
 * costs/units.h - units of work: what was spent while a thread had labels set.
 *
 * A thread has a list of open labels, the one entered last at its end. What it spends counts for
 * all of them, once for each name. So costs are kept by path: the names that are open, from the
 * outermost. A path is a number, 0 without a label, so adding a cost is one addition, whatever the
 * depth; sc_profile_build adds up the paths of each name.
 *
 * Elapsed and CPU time come from clocks that are read when a label is entered and left. All else is
 * sampled. Names, paths and open labels are bounded: further names share one unit, what is entered
 * below further paths counts for the labels around it alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "costs/pair_sums.h"
#include "profile/kinds.h"

#define SC_UNITS_MAX     10000U
#define SC_UNIT_DEPTH    16U /* names on a path */
#define SC_UNITS_OTHER   "other labels"
#define SC_SPREAD_COUNTS 976U

/* How many durations were how long, in classes of 1/16 of a power of two: a quantile is off by at
 * most a 32nd. */
struct sc_spread {
    uint32_t counts[SC_SPREAD_COUNTS];
};

void sc_spread_add(struct sc_spread *spread, uint64_t ns);

/* The smallest duration that at least this share (0..1) of all count ones do not exceed. */
uint64_t sc_spread_quantile(const struct sc_spread *spread, uint64_t count, double share);

struct sc_labelled {
    uint64_t entered;
    uint64_t left;
    uint64_t total_ns, min_ns, max_ns; /* elapsed */
    uint64_t cpu_ns;
    struct sc_spread *spread; /* NULL up to the second duration */
    double growth_bytes;      /* alive at the end less what was at the beginning */
    double peak_bytes;        /* of all times it was entered, the highest */
    double peak_squares; /* of the samples that peak_bytes rests on, sum of the squared weights */
    double growth_squares;
};

struct sc_unit_path {
    uint32_t outer; /* without its innermost name */
    uint32_t unit;
    uint32_t depth;
    uint64_t time_ns[SC_TIME_COUNT_];
    uint64_t wait_ns[SC_WAIT_COUNT_];
    uint64_t allocated_bytes;
    uint64_t copied_bytes;
    double allocated_squares;
};

/* Initialise with {0}. */
struct sc_units {
    struct sc_intern names; /* their ids are those of units */
    SC_VEC(struct sc_labelled) items;
    SC_VEC(struct sc_unit_path) paths; /* empty before the first label; the first is no label */
    struct sc_map path_index;          /* mix(outer, unit) -> path */
    struct sc_pair_sums spent;         /* path, node of the collect: on a CPU or ready for one */
    struct sc_pair_sums waited;        /* the same: blocked */
    uint64_t not_followed;             /* labels: their threads had too many */
};

/* A label that is set. */
struct sc_unit_open {
    uint64_t span;
    uint64_t since_ns;
    uint64_t since_cpu_ns;
    uint32_t unit;
    uint32_t path_before; /* of the thread */
};

/* The labels of a thread. Initialise with {0}. */
struct sc_unit_thread {
    SC_VEC(struct sc_unit_open) open;
    uint32_t path;
    uint32_t waiting_path; /* where it was last found blocked: the wait is charged later */
};

/* Entering a label in the memory of its process. The error of what has been added since then is
 * that of the sampled blocks that were born since then and are alive, and of those that were alive
 * then and are not: the sum of the squared weights of these. */
struct sc_unit_footprint {
    uint64_t span;
    uint64_t number; /* how many labels had been entered before, in the process */
    uint32_t unit;
    double live_bytes; /* when it was entered */
    double squares;    /* now */
    double peak_bytes; /* the highest since it was entered */
    double peak_squares;
};

/* A sampled block that is alive. */
struct sc_unit_block {
    uint64_t number; /* of labels that had been entered when it was born */
    double square;   /* of its weight; 0: no block is there */
};

/* What is alive in a process, from its first label on. A process can claim any number of bytes:
 * sums of doubles have no overflow. Initialise with {0}. */
struct sc_unit_memory {
    SC_VEC(struct sc_unit_footprint) open; /* in the order in which they were entered */
    uint64_t entered;
    double live_bytes;
    SC_VEC(struct sc_unit_block) blocks; /* by slot */
};

void sc_units_done(struct sc_units *units);

/* Returns the unit of the name; SC_NONE: there are too many open labels, and it is not followed. */
uint32_t sc_units_enter(struct sc_units *units, struct sc_unit_thread *thread,
                        const struct sc_unit_open *entered, const char *name, size_t length);

/* False when the span is not open in the thread. cpu_ns 0: not known. */
bool sc_units_leave(struct sc_units *units, struct sc_unit_thread *thread, uint64_t span,
                    uint64_t time_ns, uint64_t cpu_ns);

void sc_units_spend(struct sc_units *units, uint32_t path, uint32_t node, enum sc_time time,
                    uint64_t ns);
void sc_units_wait(struct sc_units *units, uint32_t path, uint32_t node, enum sc_wait wait,
                   uint64_t ns);

/* squares: of the weight, when it is of a sample. */
void sc_units_allocate(struct sc_units *units, uint32_t path, uint64_t bytes, double squares);
void sc_units_copy(struct sc_units *units, uint32_t path, uint64_t bytes);

void sc_unit_memory_done(struct sc_unit_memory *memory);
void sc_unit_memory_enter(struct sc_unit_memory *memory, uint64_t span, uint32_t unit);
void sc_unit_memory_leave(struct sc_unit_memory *memory, struct sc_units *units, uint64_t span);
/* What is alive has become so much more. */
void sc_unit_memory_change(struct sc_unit_memory *memory, double bytes);

/* A sampled block came or went, in a slot that the caller has checked. square: of its weight.
 * Called before the change. */
void sc_unit_memory_born(struct sc_unit_memory *memory, uint32_t slot, double square);
void sc_unit_memory_gone(struct sc_unit_memory *memory, uint32_t slot);
