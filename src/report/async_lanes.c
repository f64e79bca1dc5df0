/*
 * report/async_lanes.c - when single tasks waited, read from the profile's JSON text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/json_pull.h"
#include "report/async.h"

/* A profile of ours has 200 lanes of at most 256 runs; others may have anything. */
#define LANES_MAX  1000U
#define RUNS_MAX   1000U
#define PLACES_MAX 5000U

/* Seconds beyond are no measurement. */
#define TIME_MAX_S 1e9

static const struct sc_file *file_named(const struct sc_profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->files.count; i++) {
        if (strcmp(profile->files.items[i].name, name) == 0)
            return &profile->files.items[i];
    }
    return NULL;
}

static void read_place(struct sc_json_pull *pull, struct sc_async *async,
                       const struct sc_profile *profile)
{
    struct sc_str file = {0};
    struct sc_str name = {0};
    double lineno = 0;
    int part = 0;
    for (bool more = sc_json_pull_list(pull); more; more = sc_json_pull_item(pull), part++) {
        if (part == 0)
            (void)sc_json_pull_string(pull, &file);
        else if (part == 1)
            lineno = sc_json_pull_number(pull);
        else if (part == 2)
            (void)sc_json_pull_string(pull, &name);
        else
            sc_json_pull_skip(pull);
    }
    struct sc_async_place place = {
        .file = file_named(profile, sc_str_text(&file)),
        .lineno = lineno >= 1 && lineno < (double)UINT32_MAX ? (uint32_t)lineno : 0,
        .name = sc_str_take(&name),
    };
    sc_vec_push(&async->places, place);
    sc_str_done(&file);
}

static double time_of(double seconds)
{
    return seconds > 0 && seconds <= TIME_MAX_S ? seconds : 0;
}

static void read_runs(struct sc_json_pull *pull, const struct sc_async *async,
                      struct sc_async_lane *lane)
{
    double end_s = 0;
    for (bool more = sc_json_pull_list(pull); more; more = sc_json_pull_item(pull)) {
        double numbers[] = {0, 0, 0};
        sc_json_pull_numbers(pull, numbers, 3);
        struct sc_async_run run = {
            .begin_s = time_of(numbers[0]), .duration_s = time_of(numbers[1]), .place = SC_NONE};
        if (numbers[2] >= 1 && numbers[2] <= (double)async->places.count)
            run.place = (uint32_t)numbers[2] - 1;
        if (pull->failed || run.begin_s < end_s || run.duration_s <= 0 ||
            lane->runs.count >= RUNS_MAX)
            continue;
        end_s = run.begin_s + run.duration_s - 1e-5; /* both are rounded */
        lane->wait_s += run.duration_s;
        sc_vec_push(&lane->runs, run);
    }
}

static void read_lane(struct sc_json_pull *pull, struct sc_async *async)
{
    struct sc_async_lane lane = {0};
    struct sc_str name = {0};
    struct sc_json_name key;
    for (bool more = sc_json_pull_object(pull, &key); more; more = sc_json_pull_key(pull, &key)) {
        if (sc_json_name_is(&key, "name"))
            (void)sc_json_pull_string(pull, &name);
        else if (sc_json_name_is(&key, "pid"))
            lane.pid = sc_json_pull_number(pull);
        else if (sc_json_name_is(&key, "runs"))
            read_runs(pull, async, &lane);
        else
            sc_json_pull_skip(pull);
    }
    lane.name = sc_str_take(&name);
    sc_vec_push(&async->lanes, lane);
}

void sc_async_find_lanes(struct sc_async *async, const struct sc_report *report)
{
    const struct sc_profile *profile = report->profile;
    if (profile->task_lanes_json == NULL)
        return;
    const char *places = profile->task_places_json != NULL ? profile->task_places_json : "[]";
    struct sc_json_pull pull = sc_json_pull_of(places, strlen(places));
    for (bool more = sc_json_pull_list(&pull); more && async->places.count < PLACES_MAX;
         more = sc_json_pull_item(&pull))
        read_place(&pull, async, profile);
    pull = sc_json_pull_of(profile->task_lanes_json, strlen(profile->task_lanes_json));
    for (bool more = sc_json_pull_list(&pull); more && async->lanes.count < LANES_MAX;
         more = sc_json_pull_item(&pull))
        read_lane(&pull, async);
}

void sc_async_lanes_done(struct sc_async *async)
{
    for (size_t i = 0; i < async->places.count; i++)
        free(async->places.items[i].name);
    for (size_t i = 0; i < async->lanes.count; i++) {
        free(async->lanes.items[i].name);
        sc_vec_done(&async->lanes.items[i].runs);
    }
    sc_vec_done(&async->places);
    sc_vec_done(&async->lanes);
}
