/*
 * costs/curve.h - a value over time, in few points.
 *
 * Time is cut into equal spans, of which there are always a few dozen: when there would be more,
 * each two neighbours become one. Of each span the lowest, the highest and the last value are kept,
 * each with its own time. So the curve is exact where the value holds, shows every peak, and is
 * wrong by no more than what the value moves within one span. Of several values at one time the
 * last one lasts; the others count only when they are the highest.
 *
 * Initialise with {0}. Times never go back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* The most points that a finished curve can have. */
#define SC_CURVE_POINTS 100U

struct sc_curve_point {
    uint64_t time_ns;
    uint64_t value; /* from then on, until the next point */
};

struct sc_curve_span {
    uint64_t number; /* time since the curve's first, in spans */
    struct sc_curve_point low;
    struct sc_curve_point high;
    struct sc_curve_point last;
};

struct sc_curve {
    SC_VEC(struct sc_curve_span) spans; /* those in which the value was set */
    unsigned shift;                     /* a span is 2^shift ns */
    uint64_t begin_ns;
    uint64_t first; /* the value at begin_ns */
    uint64_t last;  /* the value at last_ns */
    uint64_t last_ns;
    uint64_t top;
    SC_VEC(struct sc_curve_point) points; /* set by the last sc_curve_finish */
};

void sc_curve_add(struct sc_curve *curve, uint64_t time_ns, uint64_t value);

/* Fills points with at most count of them (5 to SC_CURVE_POINTS): the first value, the highest, and
 * the last at end_ns among them. The curve may go on, and be finished again. */
void sc_curve_finish(struct sc_curve *curve, uint64_t end_ns, size_t count);

/* The value of the finished curve at a time; 0 before the first point. */
uint64_t sc_curve_at(const struct sc_curve *curve, uint64_t time_ns);

/* Adds another finished curve to the points and the highest value of sum, whose other members are
 * unused: it is {0}, or a result of earlier calls. The sum of several has at most 40 points. */
void sc_curve_join(struct sc_curve *sum, const struct sc_curve *other);

void sc_curve_done(struct sc_curve *curve);
