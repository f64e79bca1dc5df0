/*
 * costs/scatter.h - how far sums over samples are off by chance, estimated from the samples
 * alone.
 *
 * Samples that follow each other are not independent: one is taken of each stretch of CPU time, or
 * of each window of bytes. The sum of a place that runs for long stretches is wrong only by what
 * happens at their ends; that of a place that alternates with others faster than samples come is
 * wrong as if samples were independent. How much of each applies is estimated from how often a
 * sample is of the same place as the one before it and as the one before that.
 * docs/internals/sampling.md derives it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

/* z of a 95 % confidence interval. */
#define SC_SCATTER_Z95 1.959963984540054

/* Where in its stretch a sample lies. */
enum sc_scatter_where {
    SC_SCATTER_AT_ENDS,  /* at its end: times */
    SC_SCATTER_ANYWHERE, /* drawn evenly from all of it: bytes */
};

/* Of one place, in squares of what is summed. Initialise with {0}. */
struct sc_scatter {
    double samples;
    double squares;          /* of the weights of all samples here */
    double same_squares[2];  /* parts of squares: of samples whose previous sample was here, too;
                                whose second previous was */
    double first_squares[2]; /* parts of squares: of samples that begin a stream of bytes, and so
                                have no previous one; no second previous one */
};

/* The 95 % half width of the sum, in its own unit. */
double sc_scatter_of_sum(const struct sc_scatter *scatter, enum sc_scatter_where where);

/* The 95 % half width of the sum's share of a known total: Wilson's interval, with the number of
 * independent samples that would have the same variance. */
double sc_scatter_of_share(const struct sc_scatter *scatter, enum sc_scatter_where where,
                           double sum, double total);
