/*
 * profile/curve.c - a value over time, in few points.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/curve.h"

#include <string.h>

#define POINTS_MAX ((size_t)2 * SC_CURVE_POINTS) /* before they are thinned */

/* A step of less than this part of the highest value is kept back until it adds up to more. */
#define STEP_PARTS 400U

/* The area that would change hands if the point were not there: its step times how long it lasts.
 */
static double weight_of(const struct sc_curve *curve, size_t at)
{
    const struct sc_curve_point *points = curve->points.items;
    if (points[at].value == curve->top)
        return 1e300;
    uint64_t before = points[at - 1].value;
    uint64_t value = points[at].value;
    double step = value > before ? (double)(value - before) : (double)(before - value);
    return step * (double)(points[at + 1].time_ns - points[at].time_ns + 1);
}

/* Drops the lightest inner point until count are left. */
static void thin(struct sc_curve *curve, size_t count)
{
    struct sc_curve_point *points = curve->points.items;
    double weights[POINTS_MAX + 1];
    if (points == NULL)
        return;
    for (size_t i = 1; i + 1 < curve->points.count; i++)
        weights[i] = weight_of(curve, i);
    while (curve->points.count > count) {
        size_t lightest = 1;
        for (size_t i = 2; i + 1 < curve->points.count; i++)
            lightest = weights[i] < weights[lightest] ? i : lightest;
        size_t behind = curve->points.count - lightest - 1;
        memmove(points + lightest, points + lightest + 1, behind * sizeof(*points));
        memmove(weights + lightest, weights + lightest + 1, behind * sizeof(*weights));
        curve->points.count--;
        if (lightest + 1 < curve->points.count)
            weights[lightest] = weight_of(curve, lightest);
        if (lightest > 1)
            weights[lightest - 1] = weight_of(curve, lightest - 1);
    }
}

static void push(struct sc_curve *curve, uint64_t time_ns, uint64_t value)
{
    size_t count = curve->points.count;
    if (count > 0 && curve->points.items[count - 1].time_ns == time_ns) {
        curve->points.items[count - 1].value = value;
        return;
    }
    if (curve->points.count == POINTS_MAX)
        thin(curve, SC_CURVE_POINTS - 1);
    sc_vec_push(&curve->points, (struct sc_curve_point){.time_ns = time_ns, .value = value});
}

void sc_curve_add(struct sc_curve *curve, uint64_t time_ns, uint64_t value)
{
    time_ns = time_ns > curve->last_ns ? time_ns : curve->last_ns;
    curve->last = value;
    curve->last_ns = time_ns;
    curve->top = value > curve->top ? value : curve->top;
    if (curve->points.count > 0) {
        uint64_t shown = curve->points.items[curve->points.count - 1].value;
        uint64_t step = value > shown ? value - shown : shown - value;
        if (step <= curve->top / STEP_PARTS)
            return;
    }
    push(curve, time_ns, value);
}

void sc_curve_finish(struct sc_curve *curve, uint64_t end_ns, size_t count)
{
    if (curve->points.count == 0)
        return;
    end_ns = end_ns > curve->last_ns ? end_ns : curve->last_ns;
    push(curve, end_ns, curve->last);
    if (curve->points.count > count)
        thin(curve, count);
}

uint64_t sc_curve_at(const struct sc_curve *curve, uint64_t time_ns)
{
    uint64_t value = 0;
    for (size_t i = 0; i < curve->points.count && curve->points.items[i].time_ns <= time_ns; i++)
        value = curve->points.items[i].value;
    return value;
}

void sc_curve_done(struct sc_curve *curve)
{
    sc_vec_done(&curve->points);
}
