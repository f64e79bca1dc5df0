/*
 * build/task_lanes.c - when single tasks waited, as the profile has it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/task_lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "build/builder.h"
#include "costs/awaits.h"

/* A profile has the lanes of so many tasks: those that waited longest. */
#define SHOWN_MAX 200U

/* And so many waits of all of them, each 25 to 30 bytes of JSON. */
#define RUNS_MAX 12000U

struct lanes {
    const struct sc_builder *builder;
    uint64_t begun_ns;
    size_t runs_max;      /* of one lane */
    struct sc_map places; /* index in the builder's lines -> number in task_places, from 1 */
    struct sc_profile *profile;
};

/* The number of a node's line in task_places, counted from 1; 0: several lines, or one that the
 * profile does not have. */
static uint32_t place_of(struct lanes *lanes, uint32_t node)
{
    const struct sc_builder *builder = lanes->builder;
    uint32_t line = node != SC_NONE ? builder->node_lines[node] : SC_NONE;
    if (line == SC_NONE)
        return 0;
    uint32_t number = sc_map_get(&lanes->places, line);
    if (number != SC_NONE)
        return number;
    const struct sc_total *total = &builder->lines.items[line];
    uint32_t function = builder->codes[builder->collect->nodes.items[node].code].function;
    struct sc_task_place place = {
        .file = sc_strdup(builder->files.items[total->file].name),
        .function = sc_strdup(function != SC_NONE ? builder->functions.items[function].name : ""),
        .lineno = total->line,
    };
    sc_vec_push(&lanes->profile->task_places, place);
    number = (uint32_t)lanes->profile->task_places.count;
    sc_map_put(&lanes->places, line, number);
    return number;
}

static void add_lane(struct lanes *lanes, const struct sc_task_lane *lane)
{
    size_t count = lane->runs.count;
    SC_AUTO_FREE struct sc_lane_run *runs = sc_alloc(count, sizeof(*runs));
    memcpy(runs, lane->runs.items, count * sizeof(*runs));
    if (count > lanes->runs_max)
        count = sc_lane_runs_merge(runs, count, lanes->runs_max);
    struct sc_task_waits waits = {.name = sc_strdup(lane->name), .pid = (uint64_t)lane->pid};
    for (size_t i = 0; i < count; i++) {
        uint64_t begin_ns = runs[i].begin_ns;
        struct sc_task_run run = {
            .start_s =
                sc_builder_seconds(begin_ns > lanes->begun_ns ? begin_ns - lanes->begun_ns : 0),
            .length_s = sc_builder_seconds(runs[i].end_ns - begin_ns),
            .place = place_of(lanes, runs[i].node),
        };
        sc_vec_push(&waits.runs, run);
    }
    sc_vec_push(&lanes->profile->task_lanes, waits);
}

SC_POINTERS_ORDERED_BY(by_wait, struct sc_task_lane, SC_FALLING(wait_ns));

/* Those that began together by name, "Task-9" before "Task-10". */
SC_POINTERS_ORDERED_BY(by_begin, struct sc_task_lane, SC_RISING(runs.items[0].begin_ns),
                       SC_ORDER(strlen(a->name), strlen(b->name)), strcmp(a->name, b->name));

void sc_builder_task_lanes(const struct sc_builder *builder, struct sc_profile *profile)
{
    const struct sc_awaits *awaits = builder->input->awaits;
    SC_AUTO_FREE SC_VEC(const struct sc_task_lane *) chosen = {0};
    for (size_t i = 0; awaits != NULL && i < awaits->lanes.all.count; i++) {
        if (awaits->lanes.all.items[i].runs.count > 0)
            sc_vec_push(&chosen, &awaits->lanes.all.items[i]);
    }
    if (chosen.count == 0)
        return;
    struct lanes lanes = {.builder = builder, .profile = profile};
    lanes.begun_ns = (uint64_t)(fmax(profile->start_time_perf_s, 0) * 1e9);
    qsort(chosen.items, chosen.count, sizeof(*chosen.items), by_wait);
    profile->task_lanes_cut = awaits->lanes.is_cut || chosen.count > SHOWN_MAX;
    chosen.count = chosen.count < SHOWN_MAX ? chosen.count : SHOWN_MAX;
    lanes.runs_max = RUNS_MAX / chosen.count;
    qsort(chosen.items, chosen.count, sizeof(*chosen.items), by_begin);
    for (size_t i = 0; i < chosen.count; i++)
        add_lane(&lanes, chosen.items[i]);
    sc_map_done(&lanes.places);
}
