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

#include "base/sort.h"
#include "build/shown_stacks.h"
#include "costs/ledger.h"

#define MB (1024.0 * 1024.0)

/* The most nodes of the tree: those of the heaviest stacks, each 30 to 40 bytes of JSON. */
#define NODES_MAX 20000

/* The most pairs of a unit and a node, each some 20 bytes of JSON: those with most time. */
#define UNIT_CALLS_MAX 50000U

/* Memory of a stack: allocated there, and of that in use at the program's peak and at its end. */
enum volume { VOLUME_ALLOCATED, VOLUME_AT_PEAK, VOLUME_AT_EXIT, VOLUME_COUNT_ };

struct calls {
    const struct sc_shown_stacks *shown;
    const struct sc_builder *builder;
    uint64_t *time_ns;                /* per shown stack: spent there */
    uint64_t *waiting_ns;             /* the part of it with nothing on a CPU or ready for one */
    uint64_t (*bytes)[VOLUME_COUNT_]; /* per shown stack */
    uint64_t all_bytes[VOLUME_COUNT_];
    uint64_t moved_ns; /* spent in stacks that did not fit into the tree */
    uint32_t *number;  /* per shown stack: its place in the tree, from 1 on; 0: not in it */
};

static void move_bytes(const uint64_t from[VOLUME_COUNT_], uint64_t to[VOLUME_COUNT_])
{
    for (int i = 0; i < VOLUME_COUNT_; i++)
        to[i] += from[i];
}

static void add_bytes(struct calls *calls)
{
    const struct sc_ledger *ledger = calls->builder->input->ledger;
    for (size_t i = 0; ledger != NULL && i < ledger->stacks.count; i++) {
        const struct sc_ledger_stack *stack = &ledger->stacks.items[i];
        uint64_t *bytes = calls->bytes[calls->shown->of_node[stack->node]];
        bytes[VOLUME_ALLOCATED] += stack->allocated_bytes;
        bytes[VOLUME_AT_PEAK] += stack->at_peak_bytes;
        bytes[VOLUME_AT_EXIT] += stack->live_bytes;
    }
    memset(calls->bytes[0], 0, sizeof(calls->bytes[0])); /* of stacks without frames */
    for (size_t i = 1; i < calls->shown->stacks.count; i++)
        move_bytes(calls->bytes[i], calls->all_bytes);
}

/* Whether a stack, with all it calls, is a small part of every volume. */
static bool is_small(const struct calls *calls, const uint64_t totals[VOLUME_COUNT_])
{
    for (int i = 0; i < VOLUME_COUNT_; i++) {
        if (totals[i] > 0 && totals[i] >= calls->all_bytes[i] / SC_SHOWN_SMALLEST_SHARE)
            return false;
    }
    return true;
}

/* Folds stacks with few bytes, as those with little time are: from the innermost frames
 * outwards. */
static void fold_bytes(struct calls *calls)
{
    size_t count = calls->shown->stacks.count;
    uint64_t(*totals)[VOLUME_COUNT_] = sc_alloc(count, sizeof(*totals));
    for (size_t i = count; i-- > 1;) {
        uint32_t parent = calls->shown->stacks.items[i].parent;
        move_bytes(calls->bytes[i], totals[i]);
        if (parent != 0 && is_small(calls, totals[i])) {
            /* the stacks it calls have been folded into it: its total is its own */
            move_bytes(calls->bytes[i], calls->bytes[parent]);
            memset(calls->bytes[i], 0, sizeof(calls->bytes[i]));
        } else {
            move_bytes(totals[i], totals[parent]);
        }
    }
    free(totals);
}

/* qsort has no context to pass. */
struct weighed {
    double share; /* of the time or of a volume of memory, whichever is most */
    uint32_t stack;
};

SC_ORDERED_BY(by_share, struct weighed, SC_FALLING(share), SC_RISING(stack));

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
    calls->waiting_ns[caller] += calls->waiting_ns[stack];
    move_bytes(calls->bytes[stack], calls->bytes[caller]);
    calls->moved_ns += calls->time_ns[stack];
}

/* Marks the heaviest stacks and all their callers. */
static void choose(struct calls *calls)
{
    size_t count = calls->shown->stacks.count;
    double all_ns = (double)calls->builder->total_ns;
    SC_AUTO_FREE SC_VEC(struct weighed) stacks = {0};
    size_t nodes = 0;
    size_t left_out = 0; /* moved to the front of the list */
    for (uint32_t i = 1; i < count; i++) {
        double share = all_ns > 0 ? (double)calls->time_ns[i] / all_ns : 0;
        for (int v = 0; v < VOLUME_COUNT_; v++) {
            if (calls->all_bytes[v] > 0)
                share = fmax(share, (double)calls->bytes[i][v] / (double)calls->all_bytes[v]);
        }
        if (share > 0)
            sc_vec_push(&stacks, (struct weighed){share, i});
    }
    sc_vec_sort(&stacks, by_share);
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
}

static double mb(uint64_t bytes)
{
    return round((double)bytes / MB * 1e6) / 1e6;
}

/* What each node of the tree has beside its time. */
static void add_volumes(const struct calls *calls, struct sc_profile *profile)
{
    bool has_memory = calls->all_bytes[VOLUME_ALLOCATED] > 0;
    uint64_t waiting_ns = 0;
    for (size_t i = 1; i < calls->shown->stacks.count; i++)
        waiting_ns += calls->number[i] != 0 ? calls->waiting_ns[i] : 0;
    for (size_t i = 1; i < calls->shown->stacks.count; i++) {
        if (calls->number[i] == 0)
            continue;
        if (waiting_ns > 0)
            sc_vec_push(&profile->call_waiting_s, sc_builder_seconds(calls->waiting_ns[i]));
        if (has_memory) {
            sc_vec_push(&profile->call_at_peak_mb, mb(calls->bytes[i][VOLUME_AT_PEAK]));
            sc_vec_push(&profile->call_at_exit_mb, mb(calls->bytes[i][VOLUME_AT_EXIT]));
        }
    }
}

/* Numbers the marked stacks in their order, and their frames in that of their first use. */
static void add_tree(struct calls *calls, struct sc_profile *profile)
{
    const struct sc_shown_stacks *shown = calls->shown;
    SC_AUTO_FREE uint32_t *frames = sc_alloc(shown->frames.count + 1, sizeof(*frames));
    uint64_t sum_ns = 0;
    for (size_t i = 1; i < shown->stacks.count; i++) {
        const struct sc_shown_stack *stack = &shown->stacks.items[i];
        if (calls->number[i] == 0)
            continue;
        if (frames[stack->frame] == 0) {
            sc_vec_push(&profile->call_frames,
                        sc_shown_frame_in(shown, stack->frame, true, &profile->texts));
            frames[stack->frame] = (uint32_t)profile->call_frames.count;
        }
        sum_ns += calls->time_ns[i];
        struct sc_call_node call = {
            .parent = calls->number[stack->parent],
            .frame = frames[stack->frame] - 1,
            .self_s = sc_builder_seconds(calls->time_ns[i]),
            .self_mb = mb(calls->bytes[i][VOLUME_ALLOCATED]),
        };
        sc_vec_push(&profile->call_tree, call);
        calls->number[i] = (uint32_t)profile->call_tree.count;
    }
    if (calls->builder->total_ns > 0)
        profile->call_tree_percent = 100 * (double)sum_ns / (double)calls->builder->total_ns;
}

/* The node of the tree that has the costs of a shown stack; 0: none. */
static uint32_t in_tree(const struct calls *calls, uint32_t stack)
{
    while (stack != 0 && calls->number[stack] == 0)
        stack = calls->shown->stacks.items[stack].parent;
    return calls->number[stack];
}

/* Several stacks of a moment may be one node. */
static void add_moment(const struct calls *calls, const struct sc_live_moment *moment,
                       struct sc_profile *profile)
{
    uint64_t begun_ns = calls->builder->input->begun_ns;
    uint32_t index = (uint32_t)profile->call_moments_s.count;
    SC_AUTO_FREE uint64_t *bytes = sc_alloc(profile->call_tree.count + 1, sizeof(*bytes));
    for (size_t i = 0; i < moment->parts.count; i++)
        bytes[in_tree(calls, calls->shown->of_node[moment->parts.items[i].node])] +=
            moment->parts.items[i].bytes;
    for (uint32_t call = 1; call <= profile->call_tree.count; call++) {
        if (bytes[call] > 0)
            sc_vec_push(&profile->call_moments,
                        (struct sc_call_moment){index, call, mb(bytes[call])});
    }
    sc_vec_push(&profile->call_moments_s,
                sc_builder_seconds(moment->time_ns > begun_ns ? moment->time_ns - begun_ns : 0));
}

/* What was in use at some moments, by node, and since the last change until the end. */
static void add_moments(const struct calls *calls, struct sc_profile *profile)
{
    const struct sc_ledger *ledger = calls->builder->input->ledger;
    if (calls->all_bytes[VOLUME_ALLOCATED] == 0)
        return;
    for (size_t i = 0; i < ledger->moments.items.count; i++)
        add_moment(calls, &ledger->moments.items.items[i], profile);
    SC_AUTO(sc_live_moment_done) struct sc_live_moment end = {0};
    sc_live_moment_of(&ledger->moments, &ledger->stacks, &end);
    add_moment(calls, &end, profile);
}

/* What each unit spent, at the nodes that have it. places: of the units in the profile; SC_NONE of
 * one that has none, as of a program that writes what it wants. */
static void add_units(const struct calls *calls, const uint32_t *places,
                      const struct sc_pair_sums *from, struct sc_call_units *ret_units)
{
    const struct sc_units *units = &calls->builder->collect->units;
    const struct sc_shown_stacks *shown = calls->shown;
    SC_AUTO(sc_pair_sums_done) struct sc_pair_sums sums = {0};
    SC_EACH(const struct sc_pair_sum, spent, &from->items) {
        uint32_t stack = shown->time_of_node[spent->second];
        uint32_t call = in_tree(calls, shown->stacks.items[stack].folded_into);
        for (uint32_t path = spent->first; path != 0 && call != 0;
             path = units->paths.items[path].outer) {
            uint32_t place = places[units->paths.items[path].unit];
            if (place != SC_NONE)
                sc_pair_sums_add(&sums, place, call, spent->ns);
        }
    }
    sc_pair_sums_sort(&sums);
    for (size_t i = 0; i < sums.items.count && i < UNIT_CALLS_MAX; i++) {
        const struct sc_pair_sum *sum = &sums.items.items[i];
        sc_vec_push(ret_units,
                    (struct sc_call_unit){sum->first, sum->second, sc_builder_seconds(sum->ns)});
    }
}

static void add_all_units(const struct calls *calls, struct sc_profile *profile)
{
    const struct sc_units *units = &calls->builder->collect->units;
    SC_AUTO_FREE uint32_t *places = sc_alloc(units->items.count + 1, sizeof(*places));
    for (size_t i = 0; i < units->items.count; i++)
        places[i] = SC_NONE;
    for (uint32_t i = 0; i < profile->units.count; i++) {
        const char *name = profile->units.items[i].name;
        uint32_t number = sc_intern_find(&units->names, name, strlen(name));
        if (number != SC_NONE) /* a name may have a NUL in it */
            places[number] = i;
    }
    add_units(calls, places, &units->spent, &profile->call_units);
    add_units(calls, places, &units->waited, &profile->call_unit_waits);
}

/* Moments are seconds since profiling began. */
static void add_timeline(const struct calls *calls, struct sc_profile *profile)
{
    const struct sc_shown_stacks *shown = calls->shown;
    const struct sc_collect *collect = calls->builder->collect;
    SC_AUTO_FREE struct sc_timeline_runs runs = {0};
    sc_shown_stacks_runs(shown, calls->number, 0, &runs);
    uint64_t begun_ns = (uint64_t)(fmax(profile->start_time_perf_s, 0) * 1e9);
    SC_EACH(const struct sc_timeline_run, run, &runs) {
        struct sc_call_run call_run = {
            .start_s = sc_builder_seconds(run->start_ns > begun_ns ? run->start_ns - begun_ns : 0),
            .length_s = sc_builder_seconds(run->time_ns),
            .tid = collect->threads.items[run->thread].tid,
            .call = calls->number[sc_shown_stacks_of_run(shown, run)],
        };
        sc_vec_push(&profile->call_timeline, call_run);
    }
}

void sc_builder_calls(const struct sc_builder *builder, struct sc_profile *profile)
{
    SC_AUTO(sc_shown_stacks_done) struct sc_shown_stacks shown = {0};
    bool has_time = builder->input->stacks;
    sc_shown_stacks_build(&shown, builder, SC_SHOWN_ALL);
    if (has_time)
        sc_shown_stacks_fold(&shown, builder->total_ns / SC_SHOWN_SMALLEST_SHARE);
    struct calls calls = {.shown = &shown, .builder = builder};
    calls.time_ns = sc_alloc(shown.stacks.count, sizeof(*calls.time_ns));
    calls.waiting_ns = sc_alloc(shown.stacks.count, sizeof(*calls.waiting_ns));
    calls.bytes = sc_alloc(shown.stacks.count, sizeof(*calls.bytes));
    calls.number = sc_alloc(shown.stacks.count, sizeof(*calls.number));
    for (size_t i = 0; i < shown.stacks.count && has_time; i++) {
        calls.time_ns[i] = shown.stacks.items[i].time_ns;
        calls.waiting_ns[i] = shown.stacks.items[i].waiting_ns;
    }
    add_bytes(&calls);
    fold_bytes(&calls);
    choose(&calls);
    add_tree(&calls, profile);
    add_volumes(&calls, profile);
    add_moments(&calls, profile);
    if (has_time) {
        add_timeline(&calls, profile);
        add_all_units(&calls, profile);
    }
    if (has_time && builder->total_ns > 0)
        profile->call_tree_folded_percent =
            100 * (double)(shown.moved_ns + calls.moved_ns) / (double)builder->total_ns;
    free(calls.time_ns);
    free(calls.waiting_ns);
    free(calls.bytes);
    free(calls.number);
}
