/*
 * report/timeline.h - what each thread did when, at the grain that a view can show.
 *
 * The runs of a profile are sorted by thread once. An answer for a span of time then looks
 * at the runs in it alone, and puts those that are shorter than a bin together.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "report/stacks.h"

/* The tracks: what a thread may be doing in a run, besides its stack.
 *   name in code, id in answers, title */
#define SC_TRACKS(X)                                                                               \
    X(GC, "gc", "Garbage collection")                                                              \
    X(IO, "io", "Input and output")                                                                \
    X(GIL, "gil", "Waiting for the GIL")

#define X_ENUM(name, id, title) SC_TRACK_##name,
enum sc_track { SC_TRACKS(X_ENUM) SC_TRACK_COUNT_ };
#undef X_ENUM

extern const char *const sc_track_ids[SC_TRACK_COUNT_];
extern const char *const sc_track_titles[SC_TRACK_COUNT_];

/* A thread was in one stack from start_s to end_s, seconds since profiling began. */
struct sc_run {
    double start_s;
    double end_s;
    double weight;  /* seconds, or samples: what it counts for */
    uint32_t stack; /* index in the list of stacks by time */
};

struct sc_timeline_thread {
    uint64_t number; /* as in the profile: the kernel's where it is there, else Python's */
    char *id;        /* "PID:TID", as everywhere on the page, or the number alone. Owned */
    char *name;      /* behind the number of its process, when there are several. Owned */
    bool is_main;
    double weight; /* of all its runs */
    SC_VEC(struct sc_run) runs;
};

/* A track as the profile has it, beside the timeline: the part of each slot of time that was spent
 * for its cause. */
struct sc_track_curve {
    bool is_there;
    double begin_s; /* seconds since profiling began */
    double slot_s;
    SC_VEC(float) shares; /* 0..1 */
};

struct sc_timeline_view {
    const struct sc_stacks *stacks;
    SC_VEC(struct sc_timeline_thread) threads; /* the main thread first, then by weight */
    double end_s;                              /* of the last run */
    size_t run_count;
    unsigned char *marks; /* per stack: bits 1 << SC_TRACK_..., for tracks without a curve */
    struct sc_track_curve curves[SC_TRACK_COUNT_];
    bool has_track[SC_TRACK_COUNT_];
    bool is_cut; /* the list was too long */
};

/* The timeline of the profile, whose stacks are in stacks, which must outlive it. */
void sc_timeline_view_init(struct sc_timeline_view *view, const struct sc_profile *profile,
                           const struct sc_stacks *stacks);
void sc_timeline_view_done(struct sc_timeline_view *view);

/* Which tracks stacks belong to, by their frames: bits 1 << SC_TRACK_... of each node of the trie
 * of lines. To be freed. */
unsigned char *sc_stack_marks(const struct sc_stacks *stacks);

/* The profile's tracks. Both take SC_TRACK_COUNT_ curves, which are zeroed before. */
void sc_track_curves_init(struct sc_track_curve *curves, const struct sc_profile *profile);
void sc_track_curves_done(struct sc_track_curve *curves);

/* The share of each of the equal parts of the span. */
void sc_track_curve_bins(const struct sc_track_curve *curve, double from_s, double to_s,
                         size_t bins, float *ret_shares);

/* All threads, in place of a thread's index. */
#define SC_ANY_THREAD SC_NONE

/* For each stack of the list by time: the part of its weight that lies in the span (a run that
 * reaches beyond the span counts by the part inside), and when it was first met in the span
 * (INFINITY: never). Both arrays have an item per stack. */
void sc_timeline_weights(const struct sc_timeline_view *view, uint32_t thread, double from_s,
                         double to_s, double *ret_weights, double *ret_firsts_s);

struct sc_shown_run {
    uint32_t thread; /* index in threads of the view */
    uint32_t stack;
    double start_s;
    double end_s;
};

struct sc_timeline_span {
    double from_s;
    double to_s;
    SC_VEC(struct sc_shown_run) runs; /* thread by thread, each by time */
    size_t threads_shown;             /* the first of the view's */
    size_t bins;
    float *shares[SC_TRACK_COUNT_]; /* per bin: the part with any thread in the track, 0..1 */
};

/* The span in bins equal parts (1 to 4,096), fewer when there are many threads. Runs as long as a
 * bin are kept; the shorter ones of a bin become one, of the stack with the most time in them. At
 * most 64 threads. Freed by sc_timeline_span_done. */
void sc_timeline_span_init(struct sc_timeline_span *span, const struct sc_timeline_view *view,
                           double from_s, double to_s, size_t bins);
void sc_timeline_span_done(struct sc_timeline_span *span);
