/*
 * compare/limits.h - by how much numbers may grow: what --fail-if says.
 *
 *     limits: limit { "," limit }
 *     limit:  metric [ "(" FILE ":" ( FUNCTION | LINE ) ")" ] ( ">" | "<" ) [ "-" ] number unit
 *     unit:   "%" of the number before, or "s" "ms" of times, "KB" "MB" "GB" of memory, "MB/s" of
 *             copies
 *
 * Blanks may stand between the parts. A limit is for the change, after less before: "time>5%" is
 * exceeded when the time has grown by more than 5 % for certain, with a chance of error of 5 % for
 * all limits together (Bonferroni's correction).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"
#include "base/vec.h"
#include "compare/compare.h"

enum sc_limit_outcome {
    SC_LIMIT_KEPT,     /* for certain */
    SC_LIMIT_EXCEEDED, /* for certain */
    SC_LIMIT_OPEN,     /* there is not enough data to say */
};

extern const char *const sc_limit_outcomes[]; /* "kept", "exceeded", "open" */

struct sc_limit {
    char *text;
    enum sc_metric metric;
    bool is_below;
    bool is_rate;      /* amount is of each second that the runs after took */
    double part;       /* of the number before */
    double amount;     /* s or MB */
    char *file, *name; /* NULL: the whole program; of a line: NULL name */
    uint32_t lineno;
    enum sc_limit_outcome outcome;
    const struct sc_compared *place; /* NULL: neither side has it */
};

struct sc_limits SC_VEC_OF(struct sc_limit);

/* Adds the limits of a text; false, with a sentence, where it is not of that form. */
bool sc_limits_parse(struct sc_limits *limits, const char *text, struct sc_err *err);

/* Sets the outcomes. */
void sc_limits_decide(struct sc_limits *limits, const struct sc_comparison *comparison);

void sc_limits_done(struct sc_limits *limits);
