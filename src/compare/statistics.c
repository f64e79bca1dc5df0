/* compare/statistics.c - see statistics.h. SPDX-License-Identifier: Apache-2.0 */
#include "compare/statistics.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"

/* Parts of a number in which it is not exact once it has been written and read. */
#define ROUNDING 1e-9

#define QUANTILE_MAX 1e9

/* I_x(a, b) of the continued fraction DLMF 8.17.22 (https://dlmf.nist.gov/8.17), by the method of
 * Lentz; x below (a + 1) / (a + b + 2), where it converges fast. */
static double incomplete_beta(double a, double b, double x)
{
    int sign;
    double front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) +
                       a * log(x) + b * log1p(-x));
    double c = 1.0;
    double d = 1.0 / (1.0 - (a + b) * x / (a + 1.0));
    double value = d;
    for (int m = 1; m < 500; m++) {
        double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / (1.0 + even * d);
        c = 1.0 + even / c;
        value *= c * d;
        d = 1.0 / (1.0 + odd * d);
        c = 1.0 + odd / c;
        double step = c * d;
        value *= step;
        if (fabs(step - 1.0) < 1e-14)
            break;
    }
    return front * value / a;
}

double sc_student_p(double t, double df)
{
    if (isnan(t) || t == 0.0)
        return 1.0;
    if (isinf(t))
        return 0.0;
    if (isinf(df) || df > 1e6)
        return erfc(fabs(t) / M_SQRT2);
    double x = df / (df + t * t);
    double a = df / 2.0;
    if (x < (a + 1.0) / (a + 2.5))
        return fmin(incomplete_beta(a, 0.5, x), 1.0);
    double rest = t * t / (df + t * t); /* 1 - x, without its rounding */
    return fmax(1.0 - incomplete_beta(0.5, a, rest), 0.0);
}

double sc_student_quantile(double p, double df)
{
    double low = 0.0;
    double high = 1.0;
    while (sc_student_p(high, df) > p && high < QUANTILE_MAX)
        high *= 2.0;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2.0;
        if (sc_student_p(middle, df) > p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

void sc_tally_add(struct sc_tally *tally, uint32_t run, double value, double variance)
{
    if (tally->run != run + 1) {
        tally->run = run + 1;
        tally->current = 0.0;
        tally->present++;
    }
    double with = tally->current + value;
    tally->squares += with * with - tally->current * tally->current;
    tally->current = with;
    tally->sum += value;
    tally->variance += variance;
}

/* Of one run's value: by sampling, and by the spread of the runs; the latter NAN for one run. */
static void scatter(const struct sc_tally *tally, const struct sc_tally_facts *facts,
                    double *ret_sampling, double *ret_spread)
{
    double runs = facts->runs;
    double absent = runs - fmin(tally->present, runs);
    double mean = tally->sum / runs;
    *ret_sampling = (tally->variance + absent * facts->absent_variance) / runs;
    *ret_spread =
        facts->runs > 1 ? fmax(tally->squares - runs * mean * mean, 0.0) / (runs - 1.0) : NAN;
}

static void set_variances(struct sc_difference *difference, const struct sc_tally tallies[2],
                          const struct sc_tally_facts facts[2])
{
    double sampling[2];
    double spread[2];
    for (int i = 0; i < 2; i++)
        scatter(&tallies[i], &facts[i], &sampling[i], &spread[i]);
    double above = 0.0;
    double below = 0.0;
    for (int i = 0; i < 2; i++) {
        double noise = facts[i].noise * difference->mean[i];
        double own = !isnan(spread[i])       ? fmax(spread[i], sampling[i])
                     : !isnan(spread[1 - i]) ? fmax(spread[1 - i], sampling[i])
                                             : sampling[i] + noise * noise;
        /* what rounding leaves of equal numbers is no spread */
        double rounding = ROUNDING * difference->mean[i];
        difference->variance[i] = fmax(own, rounding * rounding) / facts[i].runs;
        above += difference->variance[i];
        if (facts[i].runs > 1)
            below += difference->variance[i] * difference->variance[i] / (facts[i].runs - 1.0);
    }
    uint32_t more = facts[0].runs > facts[1].runs ? facts[0].runs : facts[1].runs;
    difference->df = INFINITY;
    if (facts[0].runs > 1 && facts[1].runs > 1)
        difference->df = below > 0.0 ? above * above / below : 1.0;
    else if (more > 1)
        difference->df = more - 1.0;
}

void sc_difference_init(struct sc_difference *difference, const struct sc_tally tallies[2],
                        const struct sc_tally_facts facts[2])
{
    *difference = (struct sc_difference){0};
    for (int i = 0; i < 2; i++)
        difference->mean[i] = tallies[i].sum / facts[i].runs;
    set_variances(difference, tallies, facts);
    double change = difference->mean[1] - difference->mean[0];
    double largest = fmax(fabs(difference->mean[0]), fabs(difference->mean[1]));
    double deviation = sqrt(difference->variance[0] + difference->variance[1]);
    difference->p = 1.0;
    if (fabs(change) <= ROUNDING * largest) {
        difference->verdict = SC_VERDICT_EQUAL;
    } else {
        difference->change = change;
        difference->p = sc_student_p(change / deviation, difference->df);
    }
}

double sc_difference_error(const struct sc_difference *difference)
{
    double deviation = sqrt(difference->variance[0] + difference->variance[1]);
    return sc_student_quantile(SC_COMPARE_ALPHA, difference->df) * deviation;
}

SC_POINTERS_ORDERED_BY(compare_p, struct sc_difference, SC_RISING(p));

void sc_differences_judge(struct sc_difference **differences, size_t count, double alpha)
{
    if (count > 1)
        qsort(differences, count, sizeof(*differences), compare_p);
    bool is_certain = true;
    for (size_t i = 0; i < count; i++) {
        struct sc_difference *one = differences[i];
        is_certain = is_certain && one->p <= alpha / (double)(count - i);
        double deviation = sqrt(one->variance[0] + one->variance[1]);
        double largest = fmax(fabs(one->mean[0]), fabs(one->mean[1]));
        if (one->verdict == SC_VERDICT_EQUAL)
            continue;
        bool is_thin = sc_student_p(largest / deviation, one->df) > alpha / (double)count;
        one->verdict = is_certain ? SC_VERDICT_CERTAIN
                       : is_thin  ? SC_VERDICT_THIN
                                  : SC_VERDICT_UNSURE;
    }
}

double sc_difference_beyond(const struct sc_difference *difference, double factor, double limit,
                            bool is_below)
{
    double over = difference->mean[1] - factor * difference->mean[0] - limit;
    double deviation = sqrt(difference->variance[1] + factor * factor * difference->variance[0]);
    over = is_below ? -over : over;
    /* a number that is the limit, but for rounding, is not beyond it */
    double scale = fabs(limit) + fabs(difference->mean[1]);
    if (fabs(over) <= ROUNDING * scale)
        return 1.0;
    double both = deviation > 0.0 ? sc_student_p(over / deviation, difference->df) : 0.0;
    return over > 0.0 ? both / 2.0 : 1.0 - both / 2.0;
}
