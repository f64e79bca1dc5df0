/*
 * build/task_lanes.c - when single tasks waited, as the profile has it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/task_lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
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
    uint32_t place_count;
    struct sc_str places_text;
    struct sc_json_out places_out;
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
    struct sc_json_out *out = &lanes->places_out;
    sc_json_item(out);
    sc_json_begin(out, '[');
    sc_json_item(out);
    sc_json_string(out, builder->files.items[total->file].name);
    sc_json_item(out);
    sc_json_count(out, total->line);
    sc_json_item(out);
    sc_json_string(out, function != SC_NONE ? builder->functions.items[function].name : "");
    sc_json_end(out, ']');
    sc_map_put(&lanes->places, line, ++lanes->place_count);
    return lanes->place_count;
}

static void write_run(struct lanes *lanes, const struct sc_lane_run *run, struct sc_json_out *out)
{
    uint64_t begin_ns = run->begin_ns > lanes->begun_ns ? run->begin_ns - lanes->begun_ns : 0;
    sc_json_item(out);
    sc_json_begin(out, '[');
    sc_json_item(out);
    sc_builder_write_seconds(out, begin_ns);
    sc_json_item(out);
    sc_builder_write_seconds(out, run->end_ns - run->begin_ns);
    sc_json_item(out);
    sc_json_count(out, place_of(lanes, run->node));
    sc_json_end(out, ']');
}

static void write_lane(struct lanes *lanes, const struct sc_task_lane *lane,
                       struct sc_json_out *out)
{
    size_t count = lane->runs.count;
    SC_AUTO_FREE struct sc_lane_run *runs = sc_alloc(count, sizeof(*runs));
    memcpy(runs, lane->runs.items, count * sizeof(*runs));
    if (count > lanes->runs_max)
        count = sc_lane_runs_merge(runs, count, lanes->runs_max);
    sc_json_item(out);
    sc_json_begin(out, '{');
    sc_json_key(out, "name");
    sc_json_string(out, lane->name);
    sc_json_key(out, "pid");
    sc_json_integer(out, lane->pid);
    sc_json_key(out, "runs");
    sc_json_begin(out, '[');
    for (size_t i = 0; i < count; i++)
        write_run(lanes, &runs[i], out);
    sc_json_end(out, ']');
    sc_json_end(out, '}');
}

static int by_wait(const void *left, const void *right)
{
    const struct sc_task_lane *a = *(const struct sc_task_lane *const *)left;
    const struct sc_task_lane *b = *(const struct sc_task_lane *const *)right;
    return (a->wait_ns < b->wait_ns) - (a->wait_ns > b->wait_ns);
}

/* Those that began together by name, "Task-9" before "Task-10". */
static int by_begin(const void *left, const void *right)
{
    const struct sc_task_lane *a = *(const struct sc_task_lane *const *)left;
    const struct sc_task_lane *b = *(const struct sc_task_lane *const *)right;
    if (a->runs.items[0].begin_ns != b->runs.items[0].begin_ns)
        return a->runs.items[0].begin_ns < b->runs.items[0].begin_ns ? -1 : 1;
    size_t lengths[] = {strlen(a->name), strlen(b->name)};
    if (lengths[0] != lengths[1])
        return lengths[0] < lengths[1] ? -1 : 1;
    return strcmp(a->name, b->name);
}

void sc_builder_task_lanes(const struct sc_builder *builder, struct sc_profile *profile)
{
    const struct sc_awaits *awaits = builder->input->awaits;
    SC_VEC(const struct sc_task_lane *) chosen = {0};
    for (size_t i = 0; awaits != NULL && i < awaits->lanes.all.count; i++) {
        if (awaits->lanes.all.items[i].runs.count > 0)
            sc_vec_push(&chosen, &awaits->lanes.all.items[i]);
    }
    if (chosen.count == 0)
        return;
    struct sc_str text = {0};
    struct sc_json_out out = {.text = &text, .is_compact = true};
    struct lanes lanes = {.builder = builder};
    lanes.begun_ns = (uint64_t)(fmax(profile->start_time_perf_s, 0) * 1e9);
    lanes.places_out = (struct sc_json_out){.text = &lanes.places_text, .is_compact = true};
    qsort(chosen.items, chosen.count, sizeof(*chosen.items), by_wait);
    profile->task_lanes_cut = awaits->lanes.is_cut || chosen.count > SHOWN_MAX;
    chosen.count = chosen.count < SHOWN_MAX ? chosen.count : SHOWN_MAX;
    lanes.runs_max = RUNS_MAX / chosen.count;
    qsort(chosen.items, chosen.count, sizeof(*chosen.items), by_begin);
    sc_json_begin(&out, '[');
    sc_json_begin(&lanes.places_out, '[');
    for (size_t i = 0; i < chosen.count; i++)
        write_lane(&lanes, chosen.items[i], &out);
    sc_json_end(&lanes.places_out, ']');
    sc_json_end(&out, ']');
    profile->task_lanes_json = sc_str_take(&text);
    profile->task_places_json = sc_str_take(&lanes.places_text);
    sc_map_done(&lanes.places);
    sc_vec_done(&chosen);
}
