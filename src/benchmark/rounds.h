/*
 * benchmark/rounds.h - runs two commands in turn until it is known which of them needs more.
 *
 * Both are run in each round, and which goes first changes from round to round, so that a machine
 * that becomes slower favours neither. Looking again and again at a growing series finds a
 * difference in the end even where there is none: so there are at most SC_ROUNDS_LOOKS looks, set
 * beforehand, and the chance of a false alarm is divided among them and among the measures
 * (Bonferroni). It is at most SC_ROUNDS_ALPHA for the whole comparison.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "benchmark/rank_test.h"
#include "benchmark/timed_run.h"

#define SC_ROUNDS_ALPHA 0.05
#define SC_ROUNDS_LOOKS 4U
#define SC_ROUNDS_MAX   80U
/* Fewer cannot show a difference, however large: at one look, and at each of several. */
#define SC_ROUNDS_LEAST       5U
#define SC_ROUNDS_LEAST_LOOKS 6U

/* How many rounds there are at each look. */
extern const unsigned sc_rounds_looks[SC_ROUNDS_LOOKS];

enum sc_measure { SC_MEASURE_ELAPSED, SC_MEASURE_CPU, SC_MEASURE_PEAK, SC_MEASURE_COUNT_ };

struct sc_rounds_plan {
    struct sc_timed_command commands[2];
    unsigned rounds;     /* exactly so many; 0: until it is known */
    double budget_s;     /* with rounds 0: no round is begun that would end later */
    bool takes_failures; /* commands may end with another status than 0 */
    /* Called after each round, with its number, 0 for the one to warm up. May be NULL. */
    void (*on_round)(void *context, unsigned round, const struct sc_timed_run runs[2]);
    void *context;
};

struct sc_measured {
    double medians[2]; /* seconds or MB */
    struct sc_rank_difference difference;
};

struct sc_rounds {
    unsigned count; /* without the one to warm up */
    struct sc_measured of[SC_MEASURE_COUNT_];
    int statuses[2];  /* of the first runs */
    bool same_output; /* the first runs wrote the same */
};

/* False when a command could not be run, ended with another status than it may, or the user has
 * cancelled. The commands' outputs are overwritten by each run. */
bool sc_rounds_run(const struct sc_rounds_plan *plan, struct sc_rounds *ret_rounds,
                   struct sc_err *err);

/* What was measured: of a measure, of a command, of a round. */
struct sc_round_values {
    double of[SC_MEASURE_COUNT_][2][SC_ROUNDS_MAX];
};

/* A look at the first count rounds, one of so many looks: sets count and of[]. */
void sc_rounds_look(const struct sc_round_values *values, unsigned count, unsigned looks,
                    struct sc_rounds *rounds);
