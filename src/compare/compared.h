/*
 * compare/compared.h - the numbers that are compared, and the places that have them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "compare/match.h"
#include "compare/statistics.h"

/* name in code, key, in MB (else seconds), what is allowed from one run to the next where there is
 * one of each: its standard deviation as a part of the number. That is an assumption, not a
 * measurement, and an honest one for a machine that does nothing else. */
#define SC_METRICS(X)                                                                              \
    X(TIME, "time", false, 0.02)                                                                   \
    X(PYTHON, "python", false, 0.02)                                                               \
    X(NATIVE, "native", false, 0.02)                                                               \
    X(SYSTEM, "system", false, 0.02)                                                               \
    X(TOTAL, "total", false, 0.02)                                                                 \
    X(ELAPSED, "elapsed", false, 0.02)                                                             \
    X(WAIT, "wait", false, 0.10)                                                                   \
    X(PEAK, "peak", true, 0.01)                                                                    \
    X(ALLOCATED, "allocated", true, 0.01)                                                          \
    X(EXIT, "exit", true, 0.01)                                                                    \
    X(COPIES, "copies", true, 0.10)

#define X_ENUM(name, key, is_mb, noise) SC_METRIC_##name,
enum sc_metric { SC_METRICS(X_ENUM) SC_METRIC_COUNT_ };
#undef X_ENUM

extern const char *const sc_metric_keys[SC_METRIC_COUNT_];

static inline bool sc_metric_is_mb(enum sc_metric metric)
{
    return metric >= SC_METRIC_PEAK;
}

/* Of stacks the total alone is known, of all others what sc_compare_has says. */
enum sc_compare_table {
    SC_COMPARE_RUN, /* one place: the whole program */
    SC_COMPARE_LINES,
    SC_COMPARE_FUNCTIONS,
    SC_COMPARE_STACKS,
    SC_COMPARE_COUNT_
};

/* A place that one or both sides have; what only one has is new or gone. */
struct sc_compared {
    uint32_t file[2];     /* index in the side's files, or SC_NONE; not of stacks */
    uint32_t lineno[2];   /* 0: not known */
    uint32_t function[2]; /* index in the side's functions, or SC_NONE; not of stacks */
    const char *name;     /* of the function; NULL of lines. Of a stack its innermost function's */
    const char *module;   /* of a stack: the file of that, as it is shown */
    uint32_t parent, depth; /* of a stack: index of the one without that function, or SC_NONE */
    struct sc_tally tallies[SC_METRIC_COUNT_][2];
    struct sc_difference differences[SC_METRIC_COUNT_];
};

struct sc_compared_places SC_VEC_OF(struct sc_compared);

struct sc_comparison {
    struct sc_matching match;
    struct sc_match_profiles sides[2];                   /* borrowed */
    struct sc_compared_places tables[SC_COMPARE_COUNT_]; /* stacks: callers before callees */
    struct sc_map index[SC_COMPARE_COUNT_];
    struct sc_intern texts;
    SC_VEC(char *) notes; /* how the runs themselves differ, a sentence each */
    bool has_memory;      /* all runs have it */
    bool is_same;         /* no number differs at all */
};

/* Of sums.c, for compare.c. */

/* Adds all runs of both sides to the tables; places are made where they are new. */
void sc_sums_add_all(struct sc_comparison *comparison);

/* What the tallies of a metric on a side are judged with. */
struct sc_tally_facts sc_sums_facts(const struct sc_comparison *comparison, int side,
                                    enum sc_metric metric);

/* The part of a run's time that is left out of all numbers but the elapsed time, as the program was
 * ready to run then and no CPU was free. */
double sc_sums_left_out(const struct sc_profile *profile);
