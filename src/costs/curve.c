/* costs/curve.c - see curve.h. SPDX-License-Identifier: Apache-2.0 */
#include "costs/curve.h"

#include <stdbool.h>

#define SPANS_MAX 64U
#define SPANS_MIN 32U /* the most spans left when room is made */

/* A finished curve leaves out changes of less than this part of the highest value. */
#define STEP_PARTS 400U

/* The most points of the sum of two joined curves. */
#define JOINED_POINTS 40U

typedef SC_VEC(struct sc_curve_span) spans_list;

static void join(struct sc_curve_span *span, const struct sc_curve_span *later)
{
    if (later->low.value < span->low.value)
        span->low = later->low;
    if (later->high.value > span->high.value)
        span->high = later->high;
    span->last = later->last;
}

/* Makes spans twice as long until there are at most limit; returns how many there are. */
static size_t widen(struct sc_curve_span *spans, size_t count, size_t limit, unsigned *shift)
{
    while (count > limit) {
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            spans[i].number /= 2;
            if (kept > 0 && spans[kept - 1].number == spans[i].number)
                join(&spans[kept - 1], &spans[i]);
            else
                spans[kept++] = spans[i];
        }
        count = kept;
        (*shift)++;
    }
    return count;
}

/* The last value has lasted: it may be the lowest of its span. */
static void settle(struct sc_curve_span *last)
{
    if (last->last.value < last->low.value)
        last->low = last->last;
}

void sc_curve_add(struct sc_curve *curve, uint64_t time_ns, uint64_t value)
{
    if (curve->spans.count == 0)
        curve->begin_ns = curve->last_ns = time_ns;
    if (time_ns <= curve->begin_ns)
        curve->first = value;
    if (time_ns > curve->last_ns)
        settle(&curve->spans.items[curve->spans.count - 1]);
    else
        time_ns = curve->last_ns;
    curve->last = value;
    curve->last_ns = time_ns;
    curve->top = value > curve->top ? value : curve->top;
    if (curve->spans.count == SPANS_MAX)
        curve->spans.count =
            widen(curve->spans.items, curve->spans.count, SPANS_MIN, &curve->shift);
    struct sc_curve_point point = {.time_ns = time_ns, .value = value};
    struct sc_curve_span *span =
        curve->spans.count > 0 ? &curve->spans.items[curve->spans.count - 1] : NULL;
    uint64_t number = (time_ns - curve->begin_ns) >> curve->shift;
    if (span == NULL || span->number != number) {
        sc_vec_push(&curve->spans, ((struct sc_curve_span){number, point, point, point}));
        return;
    }
    span->last = point;
    if (value > span->high.value)
        span->high = point;
    if (span->low.time_ns == time_ns)
        span->low = point;
}

/* Of several values at one time the last one counts. But the highest of all is always shown, and a
 * last value at the same time follows 1 ns later. */
static void push(struct sc_curve *curve, struct sc_curve_point point, bool is_last)
{
    size_t count = curve->points.count;
    if (count > 0 && curve->points.items[count - 1].time_ns >= point.time_ns) {
        struct sc_curve_point *before = &curve->points.items[count - 1];
        if (before->value != curve->top) {
            before->value = point.value;
            return;
        }
        if (!is_last || point.value == curve->top)
            return;
        point.time_ns = before->time_ns + 1;
    }
    sc_vec_push(&curve->points, point);
}

/* A point that differs little from the one before is left out; the highest never is. */
static void show(struct sc_curve *curve, struct sc_curve_point point, bool is_last)
{
    if (curve->points.count > 0) {
        uint64_t shown = curve->points.items[curve->points.count - 1].value;
        uint64_t step = point.value > shown ? point.value - shown : shown - point.value;
        if (step == 0 || (step <= curve->top / STEP_PARTS && point.value != curve->top))
            return;
    }
    push(curve, point, is_last);
}

static void show_span(struct sc_curve *curve, const struct sc_curve_span *span)
{
    bool is_low_first = span->low.time_ns < span->high.time_ns;
    show(curve, is_low_first ? span->low : span->high, false);
    show(curve, is_low_first ? span->high : span->low, false);
    show(curve, span->last, true);
}

static void show_all(struct sc_curve *curve, struct sc_curve_point first, spans_list *spans)
{
    curve->points.count = 0;
    push(curve, first, true);
    for (size_t i = 0; i < spans->count; i++)
        show_span(curve, &spans->items[i]);
}

void sc_curve_finish(struct sc_curve *curve, uint64_t end_ns, size_t count)
{
    spans_list spans = {0};
    unsigned shift = curve->shift;
    if (curve->spans.count == 0)
        return;
    for (size_t i = 0; i < curve->spans.count; i++)
        sc_vec_push(&spans, curve->spans.items[i]);
    settle(&spans.items[spans.count - 1]);
    struct sc_curve_point first = {.time_ns = curve->begin_ns, .value = curve->first};
    show_all(curve, first, &spans);
    while (curve->points.count + 1 > count && spans.count > 1) {
        spans.count = widen(spans.items, spans.count, spans.count - 1, &shift);
        show_all(curve, first, &spans);
    }
    sc_vec_done(&spans);
    end_ns = end_ns > curve->last_ns ? end_ns : curve->last_ns;
    push(curve, (struct sc_curve_point){.time_ns = end_ns, .value = curve->last}, true);
}

uint64_t sc_curve_at(const struct sc_curve *curve, uint64_t time_ns)
{
    uint64_t value = 0;
    for (size_t i = 0; i < curve->points.count && curve->points.items[i].time_ns <= time_ns; i++)
        value = curve->points.items[i].value;
    return value;
}

void sc_curve_join(struct sc_curve *sum, const struct sc_curve *other)
{
    struct sc_curve joined = {0};
    size_t i = 0;
    size_t k = 0;
    uint64_t end_ns = 0;
    if (sum->points.count == 0) {
        for (; i < other->points.count; i++)
            sc_vec_push(&sum->points, other->points.items[i]);
        sum->top = other->top;
        return;
    }
    while (i < sum->points.count || k < other->points.count) {
        const struct sc_curve_point *own = &sum->points.items[i];
        const struct sc_curve_point *added = &other->points.items[k];
        bool takes_own =
            k == other->points.count || (i < sum->points.count && own->time_ns <= added->time_ns);
        bool takes_added =
            i == sum->points.count || (k < other->points.count && added->time_ns <= own->time_ns);
        end_ns = takes_own ? own->time_ns : added->time_ns;
        i += takes_own;
        k += takes_added;
        sc_curve_add(&joined, end_ns,
                     (i > 0 ? sum->points.items[i - 1].value : 0) +
                         (k > 0 ? other->points.items[k - 1].value : 0));
    }
    sc_curve_finish(&joined, end_ns, JOINED_POINTS);
    sc_curve_done(sum);
    *sum = joined;
}

void sc_curve_done(struct sc_curve *curve)
{
    sc_vec_done(&curve->spans);
    sc_vec_done(&curve->points);
}
