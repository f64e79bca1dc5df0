/* benchmark/rank_test.c - see rank_test.h. SPDX-License-Identifier: Apache-2.0 */
#include "benchmark/rank_test.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"

double sc_rank_median(const double *values, size_t count)
{
    SC_AUTO_FREE double *sorted = sc_alloc(count + 1, sizeof(double));
    memcpy(sorted, values, count * sizeof(double));
    return sc_median(sorted, count);
}

/* In how many of the ways to divide 2 * count ranks among two series of count each the statistic U
 * is 0, 1, 2 and so on: ways[u], to be freed. A way is a choice of ranks one after the other, the
 * highest of which adds to U what it is above the lowest that it could be. */
static double *count_ways(size_t count)
{
    size_t values = count * count + 1;
    double *ways = sc_alloc((count + 1) * values, sizeof(double));
    ways[0] = 1.0;
    for (size_t rank = 1; rank <= 2 * count; rank++)
        for (size_t chosen = rank < count ? rank : count; chosen >= 1; chosen--) {
            size_t added = rank - chosen;
            const double *from = ways + (chosen - 1) * values;
            double *to = ways + chosen * values;
            for (size_t u = added; added <= count && u < values; u++)
                to[u] += from[u - added];
        }
    memmove(ways, ways + count * values, values * sizeof(double));
    return ways;
}

size_t sc_rank_critical(size_t count, double alpha)
{
    SC_AUTO_FREE double *ways = count_ways(count);
    double all = 0.0;
    for (size_t u = 0; u <= count * count; u++)
        all += ways[u];
    double below = 0.0;
    size_t critical = 0;
    while (critical <= count * count / 2) {
        below += ways[critical];
        if (2.0 * below > alpha * all)
            break;
        critical++;
    }
    return critical;
}

struct sc_rank_difference sc_rank_compare(const double *first, const double *second, size_t count,
                                          size_t critical)
{
    struct sc_rank_difference result = {0};
    for (size_t i = 0; i < count; i++)
        if (!(first[i] > 0.0 && second[i] > 0.0))
            return result;
    if (count == 0)
        return result;
    SC_AUTO_FREE double *ratios = sc_alloc(count * count, sizeof(double));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            ratios[i * count + k] = log(second[k] / first[i]);
    result.change = expm1(sc_median(ratios, count * count)); /* they are sorted now */
    result.has_bounds = critical > 0;
    if (result.has_bounds) {
        result.low = expm1(ratios[critical - 1]);
        result.high = expm1(ratios[count * count - critical]);
        result.is_certain = result.low > 0.0 || result.high < 0.0;
    }
    return result;
}
