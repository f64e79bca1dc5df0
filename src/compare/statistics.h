/*
 * compare/statistics.h - whether two numbers differ for certain.
 *
 * One run each: a number has the sampling error that its profile states. How far one run of a
 * program differs from the next cannot be seen in one, so a part of each number is allowed for it
 * (noise); the difference is judged as normal. Several runs: by their spread, with the t test of
 * Welch (The generalization of "Student's" problem when several different population variances are
 * involved, Biometrika 34, 1947). Three runs may agree by chance, so the spread is at least the
 * sampling error. Where one side alone has several, its spread counts for both.
 *
 * Among a hundred lines, five differ at 5 % by chance alone. So all differences of a table are
 * judged together by Holm's procedure (A simple sequentially rejective multiple test procedure,
 * Scandinavian J. of Statistics 6, 1979): the chance that even one of them is certain though
 * nothing has changed is at most 5 %, whatever depends on what. Only what is large enough to matter
 * is judged. That is chosen by the mean of both sides, on which the test's outcome does not depend
 * while nothing has changed (Bourgon, Gentleman and Huber, Independent filtering increases
 * detection power, PNAS 107, 2010).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SC_COMPARE_ALPHA 0.05

enum sc_verdict {
    SC_VERDICT_SMALL,  /* not judged */
    SC_VERDICT_EQUAL,  /* the same number */
    SC_VERDICT_THIN,   /* not enough data: even if all of it were gone, that would not be certain */
    SC_VERDICT_UNSURE, /* not certain */
    SC_VERDICT_CERTAIN,
};

/* A number over the runs of one side. Initialise with {0}. */
struct sc_tally {
    double sum, squares; /* of the runs' values */
    double variance;     /* by sampling, of the runs' values, added up */
    double current;      /* value of the run that was added to last */
    uint32_t run;        /* its number from 1 on */
    uint32_t present;    /* runs that have a value; it is 0 in all others */
};

/* Adds to the value of a run (from 0 on, in ascending order), with its sampling variance. */
void sc_tally_add(struct sc_tally *tally, uint32_t run, double value, double variance);

/* What a tally is judged with. */
struct sc_tally_facts {
    uint32_t runs;          /* at least 1 */
    double absent_variance; /* of runs without a value */
    double noise;           /* standard deviation from run to run, as a part of the number */
};

struct sc_difference {
    double mean[2];     /* before, after */
    double variance[2]; /* of the means */
    double df;          /* degrees of freedom; infinite: normal */
    double change;      /* after - before */
    double p;           /* of at least this change where there is none */
    enum sc_verdict verdict;
};

/* verdict: SC_VERDICT_SMALL or SC_VERDICT_EQUAL until sc_differences_judge. */
void sc_difference_init(struct sc_difference *difference, const struct sc_tally tallies[2],
                        const struct sc_tally_facts facts[2]);

/* Sets the verdicts of a table's differences; those of equal numbers count as judged. Changes their
 * order. alpha: the chance that one of them is certain by chance. */
void sc_differences_judge(struct sc_difference **differences, size_t count, double alpha);

/* The 95 % half width of the change. */
double sc_difference_error(const struct sc_difference *difference);

/* Chance, for after - factor * before - limit being 0 or on the other side, of a value as high as
 * it is (or, with is_below, as low). */
double sc_difference_beyond(const struct sc_difference *difference, double factor, double limit,
                            bool is_below);

/* Chance of a value of Student's distribution at least as far from 0, on both sides; df may be
 * infinite. */
double sc_student_p(double t, double df);

/* Where that chance is p. */
double sc_student_quantile(double p, double df);
