/*
 * compare/compare.h - what differs between the runs of one version of a program and those of
 * another: by line, function and stack.
 *
 * Numbers are seconds and megabytes, never shares: a share changes with all the rest. What is a
 * change for certain is decided by statistics.h, what belongs together by match.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "compare/compared.h"

/* Frees the lines of a further run that cost nothing, of files that the first run of its side has
 * with the same text: those of many runs would not go into memory. */
void sc_comparison_slim(struct sc_profile *profile, const struct sc_profile *first);

/* Borrows the profiles, at least one on each side. comparisons: how many are made and shown
 * together, among which the chance of a change by chance is shared. */
void sc_comparison_init(struct sc_comparison *comparison, const struct sc_match_profiles sides[2],
                        size_t comparisons);
void sc_comparison_done(struct sc_comparison *comparison);

/* Whether anything has changed for certain. */
bool sc_comparison_is_changed(const struct sc_comparison *comparison);

/* Whether the metric is judged in a table. */
bool sc_compare_has(const struct sc_comparison *comparison, enum sc_compare_table table,
                    enum sc_metric metric);

/* Adds where a line or function is, "shop/count.py:26", on a side, or for -1 after, else before. */
void sc_compared_add_place(const struct sc_comparison *comparison,
                           const struct sc_compared *compared, int side, struct sc_str *text);

/* The source line of a place on a side; NULL where it has none. */
const struct sc_match_line *sc_compared_line(const struct sc_comparison *comparison,
                                             const struct sc_compared *compared, int side);

/* The function of a place on a side; NULL of lines, and where it has none. */
const struct sc_match_function *sc_compared_function(const struct sc_comparison *comparison,
                                                     const struct sc_compared *compared, int side);

/* The places of a table in which the metric has changed for certain, or with is_all all that are
 * judged, by the size of the change. Freed by the caller. */
struct sc_compared_list SC_VEC_OF(const struct sc_compared *);
struct sc_compared_list sc_comparison_changes(const struct sc_comparison *comparison,
                                              enum sc_compare_table table, enum sc_metric metric,
                                              bool is_all);
