/*
 * report/timeline_span.c - the runs within a span of time, no finer than can be seen.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "base/sort.h"
#include "report/timeline.h"

#define BINS_MAX    4096U
#define THREADS_MAX 64U

/* The most runs of a span, of all threads together. */
#define RUNS_SHOWN_MAX 30000U

/* The index of the first run that ends after the moment. */
static size_t first_after(const struct sc_timeline_thread *thread, double from_s)
{
    size_t low;
    sc_find_first(&low, thread->runs.count, i, thread->runs.items[i].end_s <= from_s);
    return low;
}

void sc_timeline_weights(const struct sc_timeline_view *view, uint32_t thread, double from_s,
                         double to_s, double *ret_weights, double *ret_firsts_s)
{
    for (size_t i = 0; i < view->stacks->lists[SC_STACKS_TIME].count; i++) {
        ret_weights[i] = 0;
        ret_firsts_s[i] = INFINITY;
    }
    for (size_t i = 0; i < view->threads.count; i++) {
        const struct sc_timeline_thread *at = &view->threads.items[i];
        if (thread != SC_ANY_THREAD && thread != i)
            continue;
        for (size_t k = first_after(at, from_s); k < at->runs.count; k++) {
            const struct sc_run *run = &at->runs.items[k];
            if (run->start_s >= to_s)
                break;
            double length_s = run->end_s - run->start_s;
            double inside_s = fmin(run->end_s, to_s) - fmax(run->start_s, from_s);
            if (!(inside_s > 0))
                continue;
            ret_weights[run->stack] += run->weight * (inside_s / length_s);
            ret_firsts_s[run->stack] = fmin(ret_firsts_s[run->stack], run->start_s);
        }
    }
}

/* The short runs of the bin that is being filled. */
struct bin {
    double *times_s; /* per stack; valid where its stamp is the bin's */
    uint32_t *stamps;
    uint32_t stamp; /* 0: none open */
    uint32_t next_stamp;
    size_t index;
    double start_s;
    double end_s;
    double best_s;
    uint32_t best;
};

static void show(struct sc_timeline_span *span, uint32_t thread, uint32_t stack, double start_s,
                 double end_s, double grain_s)
{
    if (span->runs.count > 0) {
        struct sc_shown_run *last = &span->runs.items[span->runs.count - 1];
        if (last->thread == thread && last->stack == stack && start_s - last->end_s < grain_s / 2) {
            last->end_s = end_s;
            return;
        }
    }
    sc_vec_push(&span->runs, (struct sc_shown_run){thread, stack, start_s, end_s});
}

static void close_bin(struct sc_timeline_span *span, struct bin *bin, uint32_t thread,
                      double grain_s)
{
    if (bin->stamp != 0)
        show(span, thread, bin->best, bin->start_s, bin->end_s, grain_s);
    bin->stamp = 0;
}

static void add_short(struct sc_timeline_span *span, struct bin *bin, uint32_t thread,
                      const struct sc_shown_run *run, double grain_s)
{
    size_t index = (size_t)((run->start_s - span->from_s) / grain_s);
    if (bin->stamp == 0 || bin->index != index) {
        close_bin(span, bin, thread, grain_s);
        bin->stamp = ++bin->next_stamp;
        bin->index = index;
        bin->start_s = run->start_s;
        bin->best_s = -1;
    }
    if (bin->stamps[run->stack] != bin->stamp) {
        bin->stamps[run->stack] = bin->stamp;
        bin->times_s[run->stack] = 0;
    }
    bin->times_s[run->stack] += run->end_s - run->start_s;
    bin->end_s = run->end_s;
    if (bin->times_s[run->stack] > bin->best_s) {
        bin->best_s = bin->times_s[run->stack];
        bin->best = run->stack;
    }
}

/* Adds the part of each bin that the run covers. */
static void mark(struct sc_timeline_span *span, float *shares, const struct sc_shown_run *run)
{
    double grain_s = (span->to_s - span->from_s) / (double)span->bins;
    double first = (run->start_s - span->from_s) / grain_s;
    double last = (run->end_s - span->from_s) / grain_s;
    for (size_t i = (size_t)first; i < span->bins && (double)i < last; i++) {
        double part = fmin((double)i + 1, last) - fmax((double)i, first);
        shares[i] = (float)fmin(1, (double)shares[i] + part);
    }
}

static void add_thread(struct sc_timeline_span *span, const struct sc_timeline_view *view,
                       uint32_t thread, struct bin *bin, double grain_s)
{
    const struct sc_timeline_thread *from = &view->threads.items[thread];
    bool is_shown = thread < span->threads_shown;
    for (size_t i = first_after(from, span->from_s); i < from->runs.count; i++) {
        const struct sc_run *run = &from->runs.items[i];
        if (run->start_s >= span->to_s)
            break;
        struct sc_shown_run part = {thread, run->stack, fmax(run->start_s, span->from_s),
                                    fmin(run->end_s, span->to_s)};
        if (!(part.end_s > part.start_s))
            continue;
        for (int track = 0; track < SC_TRACK_COUNT_; track++) {
            if ((view->marks[run->stack] >> track) & 1)
                mark(span, span->shares[track], &part);
        }
        if (!is_shown)
            continue;
        if (part.end_s - part.start_s >= grain_s) {
            close_bin(span, bin, thread, grain_s);
            show(span, thread, part.stack, part.start_s, part.end_s, grain_s);
        } else {
            add_short(span, bin, thread, &part, grain_s);
        }
    }
    close_bin(span, bin, thread, grain_s);
}

void sc_timeline_span_init(struct sc_timeline_span *span, const struct sc_timeline_view *view,
                           double from_s, double to_s, size_t bins)
{
    bins = bins < 1 ? 1 : bins > BINS_MAX ? BINS_MAX : bins;
    *span = (struct sc_timeline_span){.from_s = from_s, .to_s = to_s, .bins = bins};
    span->threads_shown = view->threads.count < THREADS_MAX ? view->threads.count : THREADS_MAX;
    for (int i = 0; i < SC_TRACK_COUNT_; i++)
        span->shares[i] = sc_alloc(bins, sizeof(float));
    size_t grains = bins;
    if (span->threads_shown > 0 && grains > RUNS_SHOWN_MAX / span->threads_shown)
        grains = RUNS_SHOWN_MAX / span->threads_shown;
    if (!(to_s > from_s))
        return;
    for (int track = 0; track < SC_TRACK_COUNT_; track++) {
        if (view->curves[track].is_there)
            sc_track_curve_bins(&view->curves[track], from_s, to_s, bins, span->shares[track]);
    }
    size_t stacks = view->stacks->lists[SC_STACKS_TIME].count;
    struct bin bin = {.times_s = sc_alloc(stacks + 1, sizeof(double)),
                      .stamps = sc_alloc(stacks + 1, sizeof(uint32_t))};
    for (uint32_t i = 0; i < view->threads.count; i++)
        add_thread(span, view, i, &bin, (to_s - from_s) / (double)grains);
    free(bin.times_s);
    free(bin.stamps);
}

void sc_timeline_span_done(struct sc_timeline_span *span)
{
    for (int i = 0; i < SC_TRACK_COUNT_; i++)
        free(span->shares[i]);
    sc_vec_done(&span->runs);
}
