/*
 * tests/fuzz/stacks_fuzz.c - stacks, trees of calls and timelines from anywhere: sums stay finite,
 * and runs stay in their span.
 *
 * The first byte chooses whether the interval is known; the others are members of a profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/stacks.h"
#include "report/timeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tree(const struct sc_stacks *stacks, enum sc_stack_list list,
                       enum sc_stack_grain grain)
{
    size_t count = stacks->lists[list].count;
    SC_AUTO_FREE double *weights = sc_alloc(count + 1, sizeof(double));
    struct sc_stack_tree tree;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        weights[i] = stacks->lists[list].items[i].weight;
    sc_stack_tree_init(&tree, stacks, list, grain, weights, NULL, 100);
    for (size_t i = 0; i < tree.nodes.count; i++) {
        if (i > 0 && tree.nodes.items[i].parent >= i)
            abort();
        sum += tree.nodes.items[i].self;
    }
    double total = tree.nodes.items[0].total;
    if (!isfinite(total) || fabs(sum - total) > 1e-6 * total)
        abort();
    sc_stack_tree_done(&tree);
}

static void check_timeline(const struct sc_profile *profile, const struct sc_stacks *stacks)
{
    struct sc_timeline_view view;
    struct sc_timeline_span span;
    sc_timeline_view_init(&view, profile, stacks);
    sc_timeline_span_init(&span, &view, 0, view.end_s, 50);
    for (size_t i = 0; i < span.runs.count; i++) {
        const struct sc_shown_run *run = &span.runs.items[i];
        if (!(run->start_s >= 0 && run->end_s <= view.end_s && run->end_s >= run->start_s))
            abort();
    }
    sc_timeline_span_done(&span);
    sc_timeline_view_done(&view);
}

static void check_all(const struct sc_profile *profile)
{
    struct sc_stacks stacks;
    sc_stacks_init(&stacks, profile);
    for (int grain = 0; grain < SC_GRAIN_COUNT_; grain++) {
        check_tree(&stacks, SC_STACKS_TIME, (enum sc_stack_grain)grain);
        check_tree(&stacks, SC_STACKS_MEMORY, (enum sc_stack_grain)grain);
    }
    check_timeline(profile, &stacks);
    sc_stacks_done(&stacks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct sc_profile profile = {0};
    SC_AUTO_FREE char *text = sc_strndup((const char *)data + 1, size - 1);
    SC_AUTO_FREE char *json = sc_format("{\"files\":{},%s}", text);
    if (!sc_profile_from_json(json, strlen(json), &profile, NULL))
        return 0;
    profile.interval_s = (data[0] & 1) != 0 ? 0.01 : 0;
    profile.elapsed_s = 5;
    check_all(&profile);
    sc_profile_done(&profile);
    return 0;
}
