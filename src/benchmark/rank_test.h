/*
 * benchmark/rank_test.h - says whether one program needs more than another, from runs of both on a
 * machine that is not quiet.
 *
 * Times of runs are skewed and have outliers, so nothing is assumed of how they are distributed:
 * the test is the one of Mann and Whitney, its estimate the median of all ratios between a run of
 * the one and a run of the other, its interval that of Hodges and Lehmann (M. Hollander, D. A.
 * Wolfe, E. Chicken: Nonparametric Statistical Methods, 3rd ed., chapters 4.1 to 4.3).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* All three are parts of the first series' value: 0.1 is 10 % more, -0.5 is half. */
struct sc_rank_difference {
    double change; /* estimate */
    double low, high;
    bool has_bounds; /* else there are too few values for an interval of that level */
    bool is_certain; /* the interval does not hold 0 */
};

/* How many of the ratios are beyond either bound of an interval, plus 1, for two series of count
 * values: the most for which the chance that the interval does not hold the true change is at most
 * alpha. 0 where there are too few values for that. The time it takes grows with count to the
 * fourth power: 0.1 s for 100. */
size_t sc_rank_critical(size_t count, double alpha);

/* Compares two series of count values each, above 0 (of others nothing is certain). */
struct sc_rank_difference sc_rank_compare(const double *first, const double *second, size_t count,
                                          size_t critical);

/* The median; 0 of none. */
double sc_rank_median(const double *values, size_t count);
