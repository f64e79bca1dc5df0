/* costs/scatter.c - see scatter.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/scatter.h"

#include <math.h>

/* Twice the variance that one end of a stretch at a place adds, in squares of a sample's
 * stretch. */
static double end_of(enum sc_scatter_where where)
{
    return where == SC_SCATTER_AT_ENDS ? 1.0 / 6 : 1.0 / 3;
}

/* The squares of samples whose previous sample, or second previous one, was at another place. What
 * begins a stream may be taken for the end of a stretch by half: the other end is the stream's, and
 * is known. */
static double not_same(const struct sc_scatter *scatter, int distance)
{
    double same = scatter->same_squares[distance];
    double first = scatter->first_squares[distance];
    double known = scatter->squares - first;
    double rate = known > 0 ? same / known : 0;
    return scatter->squares - same - 0.5 * rate * first;
}

/* The variance of the sum of the weights.
 * Half the squared difference of two samples is, in the mean, the noise between neighbours plus
 * half an end for each stretch between the two. So twice its value at distance one, less its value
 * at distance two, is the noise alone. A place has at least the variance of the ends that were
 * seen; a first sample is one. */
static double variance_of(const struct sc_scatter *scatter, enum sc_scatter_where where)
{
    if (scatter->samples <= 0)
        return 0;
    double end = end_of(where);
    double next = not_same(scatter, 0);
    double next_but_one = not_same(scatter, 1);
    double variance = (2 - end) * next - (1 - end) * next_but_one;
    double n = scatter->samples;
    return fmax(n > 1 ? variance * n / (n - 1) : variance, end * next);
}

/* As for a Poisson count: where samples are few, their number is a poor estimate of its own
 * variance, which the second term makes up for. */
double sc_scatter_of_sum(const struct sc_scatter *scatter, enum sc_scatter_where where)
{
    if (scatter->samples <= 0 || scatter->squares <= 0)
        return 0;
    double z = SC_SCATTER_Z95;
    double variance = variance_of(scatter, where);
    double part = fmin(variance / scatter->squares, 1);
    double unit_squared = scatter->squares / scatter->samples;
    return z * sqrt(variance + z * z / 4 * unit_squared * part * part);
}

double sc_scatter_of_share(const struct sc_scatter *scatter, enum sc_scatter_where where,
                           double sum, double total)
{
    if (scatter->samples <= 0 || scatter->squares <= 0 || total <= 0)
        return 0;
    double share = fmin(fmax(sum / total, 0), 1);
    double unit_squared = scatter->squares / scatter->samples;
    double count = total * total / unit_squared; /* of samples, were they independent */
    double binomial = share * (1 - share) * count;
    if (binomial > 0.5) /* else no sample was taken anywhere but here */
        count = binomial * unit_squared / variance_of(scatter, where);
    double z2 = SC_SCATTER_Z95 * SC_SCATTER_Z95;
    double half = SC_SCATTER_Z95 * sqrt(share * (1 - share) / count + z2 / (4 * count * count));
    return half / (1 + z2 / count);
}
