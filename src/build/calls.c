/*
 * build/calls.c - the tree of all calls of a profile, with time and bytes, and at which of
 * its nodes each thread was at each time.
 *
 * Where lists of stacks repeat their outer frames once per stack, a tree has each once, so there is
 * room for every frame: of libraries, and of native code between Python's. Parents come before
 * their children.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "build/shown_stacks.h"
#include "costs/ledger.h"

#define MB (1024.0 * 1024.0)

/* The most nodes of the tree: those of the heaviest stacks, each 30 to 40 bytes of JSON. */
#define NODES_MAX 20000

struct calls {
    const struct sc_shown_stacks *shown;
    const struct sc_builder *builder;
    uint64_t *time_ns; /* per shown stack: spent there */
    uint64_t *bytes;   /* allocated there */
    uint64_t moved_ns; /* spent in stacks that did not fit into the tree */
    uint32_t *number;  /* per shown stack: its place in the tree, from 1 on; 0: not in it */
};

static void add_bytes(struct calls *calls)
{
    const struct sc_ledger *ledger = calls->builder->input->ledger;
    for (size_t i = 0; ledger != NULL && i < ledger->stacks.count; i++) {
        const struct sc_ledger_stack *stack = &ledger->stacks.items[i];
        calls->bytes[calls->shown->of_node[stack->node]] += stack->allocated_bytes;
    }
    calls->bytes[0] = 0; /* of stacks without frames */
}

/* Folds stacks with few bytes, as those with little time are: from the innermost frames
 * outwards. */
static void fold_bytes(struct calls *calls)
{
    size_t count = calls->shown->stacks.count;
    SC_AUTO_FREE uint64_t *totals = sc_alloc(count, sizeof(*totals));
    uint64_t all = 0;
    for (size_t i = 1; i < count; i++)
        all += calls->bytes[i];
    for (size_t i = count; i-- > 1;) {
        uint32_t parent = calls->shown->stacks.items[i].parent;
        totals[i] += calls->bytes[i];
        totals[parent] += totals[i];
        if (parent == 0 || totals[i] >= all / SC_SHOWN_SMALLEST_SHARE)
            continue;
        /* the stacks it calls have been folded into it: its total is its own */
        calls->bytes[parent] += calls->bytes[i];
        totals[parent] -= totals[i];
        calls->bytes[i] = 0;
    }
}

/* qsort has no context to pass. */
struct weighed {
    double share; /* of the time or of the bytes, whichever is more */
    uint32_t stack;
};

static int by_share(const void *left, const void *right)
{
    const struct weighed *a = left;
    const struct weighed *b = right;
    if (a->share > b->share || a->share < b->share)
        return a->share > b->share ? -1 : 1;
    return (a->stack > b->stack) - (a->stack < b->stack);
}

/* How many nodes a stack needs that are not marked yet. */
static uint32_t missing_of(const struct calls *calls, uint32_t stack)
{
    uint32_t missing = 0;
    for (; stack != 0 && calls->number[stack] == 0; missing++)
        stack = calls->shown->stacks.items[stack].parent;
    return missing;
}

/* Adds the costs of a stack without room in the tree to the nearest caller that is in it. */
static void give_to_caller(struct calls *calls, uint32_t stack)
{
    uint32_t caller = stack;
    while (caller != 0 && calls->number[caller] == 0)
        caller = calls->shown->stacks.items[caller].parent;
    if (caller == 0)
        return;
    calls->time_ns[caller] += calls->time_ns[stack];
    calls->bytes[caller] += calls->bytes[stack];
    calls->moved_ns += calls->time_ns[stack];
}

/* Marks the heaviest stacks and all their callers. */
static void choose(struct calls *calls)
{
    size_t count = calls->shown->stacks.count;
    const struct sc_ledger *ledger = calls->builder->input->ledger;
    double all_ns = (double)calls->builder->total_ns;
    double all_bytes = ledger != NULL ? (double)ledger->all.allocated_bytes : 0;
    SC_VEC(struct weighed) stacks = {0};
    size_t nodes = 0;
    size_t left_out = 0; /* moved to the front of the list */
    for (uint32_t i = 1; i < count; i++) {
        double time = all_ns > 0 ? (double)calls->time_ns[i] / all_ns : 0;
        double bytes = all_bytes > 0 ? (double)calls->bytes[i] / all_bytes : 0;
        if (time > 0 || bytes > 0)
            sc_vec_push(&stacks, (struct weighed){fmax(time, bytes), i});
    }
    if (stacks.count > 0)
        qsort(stacks.items, stacks.count, sizeof(struct weighed), by_share);
    for (size_t i = 0; i < stacks.count; i++) {
        uint32_t more = missing_of(calls, stacks.items[i].stack);
        if (nodes + more > NODES_MAX) {
            stacks.items[left_out++] = stacks.items[i];
            continue;
        }
        nodes += more;
        for (uint32_t at = stacks.items[i].stack; at != 0 && calls->number[at] == 0;) {
            calls->number[at] = 1;
            at = calls->shown->stacks.items[at].parent;
        }
    }
    for (size_t i = 0; i < left_out; i++)
        give_to_caller(calls, stacks.items[i].stack);
    sc_vec_done(&stacks);
}

/* Seconds, cut to a microsecond. */
static void write_seconds(struct sc_json_out *out, uint64_t time_ns)
{
    uint64_t time_us = time_ns / 1000;
    sc_json_number(out, (double)time_us / 1e6);
}

/* Numbers the marked stacks in their order, and their frames in that of their first use. */
static void write_tree(struct calls *calls, struct sc_profile *profile)
{
    const struct sc_shown_stacks *shown = calls->shown;
    SC_AUTO_FREE uint32_t *frames = sc_alloc(shown->frames.count + 1, sizeof(*frames));
    struct sc_str frames_text = {0};
    struct sc_str tree_text = {0};
    struct sc_json_out frames_out = {.text = &frames_text, .is_compact = true};
    struct sc_json_out out = {.text = &tree_text, .is_compact = true};
    uint32_t frame_count = 0;
    uint32_t node_count = 0;
    uint64_t sum_ns = 0;
    sc_json_begin(&frames_out, '[');
    sc_json_begin(&out, '[');
    for (size_t i = 1; i < shown->stacks.count; i++) {
        const struct sc_shown_stack *stack = &shown->stacks.items[i];
        if (calls->number[i] == 0)
            continue;
        calls->number[i] = ++node_count;
        if (frames[stack->frame] == 0) {
            frames[stack->frame] = ++frame_count;
            sc_shown_frame_write(shown, stack->frame, true, &frames_out);
        }
        sum_ns += calls->time_ns[i];
        sc_json_item(&out);
        sc_json_begin(&out, '[');
        sc_json_item(&out);
        sc_json_count(&out, calls->number[stack->parent]);
        sc_json_item(&out);
        sc_json_count(&out, frames[stack->frame] - 1);
        sc_json_item(&out);
        write_seconds(&out, calls->time_ns[i]);
        sc_json_item(&out);
        sc_json_number(&out, round((double)calls->bytes[i] / MB * 1e6) / 1e6);
        sc_json_end(&out, ']');
    }
    sc_json_end(&frames_out, ']');
    sc_json_end(&out, ']');
    profile->calls_json[SC_CALLS_FRAMES] = sc_str_take(&frames_text);
    profile->calls_json[SC_CALLS_TREE] = sc_str_take(&tree_text);
    if (calls->builder->total_ns > 0)
        profile->call_tree_percent = 100 * (double)sum_ns / (double)calls->builder->total_ns;
}

/* Moments are seconds since profiling began. */
static void write_timeline(const struct calls *calls, struct sc_profile *profile)
{
    const struct sc_shown_stacks *shown = calls->shown;
    const struct sc_collect *collect = calls->builder->collect;
    struct sc_timeline_runs runs = {0};
    struct sc_str text = {0};
    struct sc_json_out out = {.text = &text, .is_compact = true};
    sc_shown_stacks_runs(shown, calls->number, 0, &runs);
    uint64_t begun_ns = (uint64_t)(fmax(profile->start_time_perf_s, 0) * 1e9);
    sc_json_begin(&out, '[');
    for (size_t i = 0; i < runs.count; i++) {
        const struct sc_timeline_run *run = &runs.items[i];
        uint64_t start_ns = run->start_ns > begun_ns ? run->start_ns - begun_ns : 0;
        sc_json_item(&out);
        sc_json_begin(&out, '[');
        sc_json_item(&out);
        write_seconds(&out, start_ns);
        sc_json_item(&out);
        write_seconds(&out, run->time_ns);
        sc_json_item(&out);
        sc_json_count(&out, calls->number[sc_shown_stacks_of_run(shown, run)]);
        sc_json_item(&out);
        sc_json_count(&out, collect->threads.items[run->thread].tid);
        sc_json_end(&out, ']');
    }
    sc_json_end(&out, ']');
    profile->calls_json[SC_CALLS_TIMELINE] = sc_str_take(&text);
    sc_vec_done(&runs);
}

void sc_builder_calls(const struct sc_builder *builder, struct sc_profile *profile)
{
    struct sc_shown_stacks shown;
    bool has_time = builder->input->stacks;
    sc_shown_stacks_build(&shown, builder, SC_SHOWN_ALL);
    if (has_time)
        sc_shown_stacks_fold(&shown, builder->total_ns / SC_SHOWN_SMALLEST_SHARE);
    struct calls calls = {.shown = &shown, .builder = builder};
    calls.time_ns = sc_alloc(shown.stacks.count, sizeof(*calls.time_ns));
    calls.bytes = sc_alloc(shown.stacks.count, sizeof(*calls.bytes));
    calls.number = sc_alloc(shown.stacks.count, sizeof(*calls.number));
    for (size_t i = 0; i < shown.stacks.count && has_time; i++)
        calls.time_ns[i] = shown.stacks.items[i].time_ns;
    add_bytes(&calls);
    fold_bytes(&calls);
    choose(&calls);
    write_tree(&calls, profile);
    if (has_time)
        write_timeline(&calls, profile);
    if (has_time && builder->total_ns > 0)
        profile->call_tree_folded_percent =
            100 * (double)(shown.moved_ns + calls.moved_ns) / (double)builder->total_ns;
    free(calls.time_ns);
    free(calls.bytes);
    free(calls.number);
    sc_shown_stacks_done(&shown);
}
