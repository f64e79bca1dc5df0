/*
 * compare/sums.h - adding what profiles say to the numbers of places.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "compare/compared.h"

/* Adds all runs of both sides to the tables; places are made where they are new. */
void sc_sums_add_all(struct sc_comparison *comparison);

/* What the tallies of a metric on a side are judged with. */
struct sc_tally_facts sc_sums_facts(const struct sc_comparison *comparison, int side,
                                    enum sc_metric metric);

/* The part of a run's time that is left out of all numbers but the elapsed time, as the program was
 * ready to run then and no CPU was free. */
double sc_sums_left_out(const struct sc_profile *profile);
