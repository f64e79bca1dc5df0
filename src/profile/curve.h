/*
 * profile/curve.h - a value over time, in few points.
 *
 * Initialise with {0}. Times never go back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "base/vec.h"

/* A finished curve can have this many points, and is kept with up to twice as many. */
#define SC_CURVE_POINTS 100U

struct sc_curve_point {
    uint64_t time_ns;
    uint64_t value; /* from then on, until the next point */
};

/* The steps of the value. When there are too many, those go whose absence changes the area under
 * the curve least; the highest point always stays. */
struct sc_curve {
    SC_VEC(struct sc_curve_point) points;
    uint64_t last; /* the value now, also where it was too near the last point for one of its own */
    uint64_t last_ns;
    uint64_t top;
};

void sc_curve_add(struct sc_curve *curve, uint64_t time_ns, uint64_t value);

/* Brings the curve to a moment: it has at most count points (3 to SC_CURVE_POINTS), the last one at
 * end_ns. */
void sc_curve_finish(struct sc_curve *curve, uint64_t end_ns, size_t count);

/* The value at a time; 0 before the first point. */
uint64_t sc_curve_at(const struct sc_curve *curve, uint64_t time_ns);

void sc_curve_done(struct sc_curve *curve);
