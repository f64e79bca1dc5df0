/*
 * build/stacks.c - the lists of stacks and the timeline of a profile.
 *
 * A stack's weight is the time that was charged to it, on a CPU and waiting, so that all stacks
 * together are the run. Counts are that time in sampling intervals.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "build/shown_stacks.h"

/* The heaviest stacks are listed until they have this many frames in all, each 300 bytes or more of
 * JSON. */
#define FRAMES_MAX 10000

struct listed {
    SC_VEC(uint32_t) stacks; /* heaviest first */
    uint32_t *index;         /* per shown stack: place in stacks, or SC_NONE */
};

static uint64_t count_of(const struct sc_builder *builder, uint64_t time_ns)
{
    uint64_t interval_ns = builder->input->interval_ns;
    uint64_t count = interval_ns != 0 ? (time_ns + interval_ns / 2) / interval_ns : 0;
    return count > 0 ? count : 1;
}

/* qsort has no context to pass. */
struct weighed {
    uint64_t time_ns;
    uint32_t stack;
};

SC_ORDERED_BY(by_weight, struct weighed, SC_FALLING(time_ns), SC_RISING(stack));

/* A stack whose Python frames are all out of scope is not listed, as it has no frame to be shown
 * under; one of a thread without Python has native frames alone and is listed. */
static bool is_listed(const struct sc_shown_stacks *shown, const bool *hides_python, uint32_t stack)
{
    const struct sc_shown_stack *at = &shown->stacks.items[stack];
    uint64_t least_ns = shown->builder->input->interval_ns / 2;
    return stack != 0 && at->time_ns > 0 && (at->samples > 0 || at->time_ns >= least_ns) &&
           (at->python != 0 || !hides_python[stack]);
}

/* Which shown stacks stand for stacks that have Python frames, none of which is shown. */
static bool *find_hiding(const struct sc_shown_stacks *shown)
{
    const struct sc_collect *collect = shown->builder->collect;
    bool *hides = sc_alloc(shown->stacks.count, sizeof(*hides));
    SC_AUTO_FREE bool *has_python = sc_alloc(collect->nodes.count, sizeof(*has_python));
    for (uint32_t i = 1; i < collect->nodes.count; i++) {
        has_python[i] =
            has_python[collect->nodes.items[i].parent] || !sc_collect_is_native(collect, i);
        uint32_t stack = shown->of_node[i];
        if (has_python[i] && shown->stacks.items[stack].python == 0)
            hides[stack] = true;
    }
    return hides;
}

static void choose(const struct sc_shown_stacks *shown, struct listed *ret_listed)
{
    SC_AUTO_FREE SC_VEC(struct weighed) candidates = {0};
    SC_AUTO_FREE bool *hides_python = find_hiding(shown);
    size_t frames = 0;
    *ret_listed = (struct listed){.index = sc_alloc(shown->stacks.count, sizeof(uint32_t))};
    for (uint32_t i = 0; i < shown->stacks.count; i++) {
        ret_listed->index[i] = SC_NONE;
        if (is_listed(shown, hides_python, i))
            sc_vec_push(&candidates, (struct weighed){shown->stacks.items[i].time_ns, i});
    }
    sc_vec_sort(&candidates, by_weight);
    for (size_t i = 0; i < candidates.count; i++) {
        uint32_t stack = candidates.items[i].stack;
        frames += shown->stacks.items[stack].depth;
        if (frames > FRAMES_MAX && i > 0)
            break;
        ret_listed->index[stack] = (uint32_t)ret_listed->stacks.count;
        sc_vec_push(&ret_listed->stacks, stack);
    }
}

static void listed_done(struct listed *listed)
{
    sc_vec_done(&listed->stacks);
    free(listed->index);
}

static void add_combined(const struct sc_shown_stacks *shown, const struct listed *listed,
                         struct sc_profile *profile)
{
    for (size_t i = 0; i < listed->stacks.count; i++) {
        uint32_t at = listed->stacks.items[i];
        struct sc_profile_stack stack = {
            .frames = sc_shown_stack_in(shown, at, &profile->texts),
            .count = count_of(shown->builder, shown->stacks.items[at].time_ns),
        };
        sc_vec_push(&profile->combined_stacks, stack);
    }
}

SC_ORDERED_BY(by_start, struct sc_timeline_run, SC_RISING(start_ns), SC_RISING(thread));

/* Whether there are several processes: main threads of forked ones have the same number in
 * Python. */
static bool has_processes(const struct sc_collect *collect)
{
    for (size_t i = 1; i < collect->threads.count; i++) {
        if (collect->threads.items[i].pid != collect->threads.items[0].pid)
            return true;
    }
    return false;
}

void sc_shown_stacks_runs(const struct sc_shown_stacks *shown, const uint32_t *numbers,
                          uint32_t none, struct sc_timeline_runs *ret_runs)
{
    const struct sc_timeline *timeline = &shown->builder->collect->timeline;
    SC_EACH(const struct sc_timeline_run, run, &timeline->runs)
        if (numbers[sc_shown_stacks_of_run(shown, run)] != none)
            sc_vec_push(ret_runs, *run);
    sc_vec_sort(ret_runs, by_start);
}

/* Runs of stacks that are not listed are left out; so are those of time that does not count. */
static void add_timeline(const struct sc_shown_stacks *shown, const struct listed *listed,
                         struct sc_profile *profile)
{
    SC_AUTO_FREE struct sc_timeline_runs runs = {0};
    sc_shown_stacks_runs(shown, listed->index, SC_NONE, &runs);
    bool with_tids = has_processes(shown->builder->collect);
    SC_EACH(const struct sc_timeline_run, run, &runs) {
        const struct sc_thread_cost *thread = &shown->builder->collect->threads.items[run->thread];
        struct sc_stack_run stack_run = {
            .start_s = round((double)(run->start_ns - runs.items[0].start_ns) / 1e3) / 1e6,
            .count = count_of(shown->builder, run->time_ns),
            .thread = thread->python_ident != 0 ? thread->python_ident : thread->tid,
            .tid = with_tids ? thread->tid : 0,
            .stack = listed->index[sc_shown_stacks_of_run(shown, run)],
        };
        sc_vec_push(&profile->combined_stacks_timeline, stack_run);
    }
    if (runs.count > 0 && profile->start_time_perf_s > 0)
        profile->timeline_start_s =
            fmax((double)runs.items[0].start_ns / 1e9 - profile->start_time_perf_s, 0);
}

/* "FILE NAME:LINE;", outermost first. */
static void add_names(const struct sc_shown_stacks *shown, uint32_t at, struct sc_intern *texts,
                      struct sc_named_stack *stack)
{
    SC_AUTO_FREE SC_VEC(uint32_t) frames = {0};
    for (; at != 0; at = shown->stacks.items[at].parent)
        sc_vec_push(&frames, shown->stacks.items[at].frame);
    for (size_t i = frames.count; i-- > 0;) {
        const struct sc_shown_frame *frame = &shown->frames.items[frames.items[i]];
        SC_AUTO_FREE char *name =
            sc_format("%s %s:%u;", sc_intern_text(&shown->texts, frame->file),
                      sc_intern_text(&shown->texts, frame->name), frame->line);
        sc_vec_push(&stack->names, sc_intern_keep(texts, name));
    }
}

static double share_of(const struct sc_builder *builder, uint64_t time_ns)
{
    return builder->total_ns > 0 ? (double)time_ns / (double)builder->total_ns : 0;
}

static void add_stacks(const struct sc_shown_stacks *shown, const struct listed *listed,
                       struct sc_profile *profile)
{
    for (size_t i = 0; i < listed->stacks.count; i++) {
        const struct sc_shown_stack *from = &shown->stacks.items[listed->stacks.items[i]];
        struct sc_named_stack stack = {
            .count = count_of(shown->builder, from->time_ns),
            .python_share = share_of(shown->builder, from->python_ns),
            .native_share = share_of(shown->builder, from->native_ns),
            .share = share_of(shown->builder, from->time_ns),
        };
        add_names(shown, listed->stacks.items[i], &profile->texts, &stack);
        sc_vec_push(&profile->stacks, stack);
    }
}

/* The share of the run's time that listed stacks stand for. */
static double percent_of(const struct sc_shown_stacks *shown, const struct listed *listed)
{
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < listed->stacks.count; i++)
        sum_ns += shown->stacks.items[listed->stacks.items[i]].time_ns;
    uint64_t total_ns = shown->builder->total_ns;
    return total_ns > 0 ? 100 * (double)sum_ns / (double)total_ns : 0;
}

void sc_builder_stacks(struct sc_builder *builder, struct sc_profile *profile)
{
    struct sc_shown_stacks shown;
    struct listed listed;
    sc_shown_stacks_build(&shown, builder, SC_SHOWN_ENDS);
    sc_shown_stacks_fold(&shown, builder->total_ns / SC_SHOWN_SMALLEST_SHARE);
    choose(&shown, &listed);
    add_combined(&shown, &listed, profile);
    add_timeline(&shown, &listed, profile);
    profile->stacks_percent = percent_of(&shown, &listed);
    if (builder->total_ns > 0)
        profile->stacks_folded_percent = 100 * (double)shown.moved_ns / (double)builder->total_ns;
    listed_done(&listed);
    sc_shown_stacks_done(&shown);

    sc_shown_stacks_fold(builder->pythons, builder->total_ns / SC_SHOWN_SMALLEST_SHARE);
    choose(builder->pythons, &listed);
    add_stacks(builder->pythons, &listed, profile);
    listed_done(&listed);
}
