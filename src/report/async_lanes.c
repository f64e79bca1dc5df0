/*
 * report/async_lanes.c - when single tasks waited.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

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

static double time_of(double seconds)
{
    return seconds > 0 && seconds <= TIME_MAX_S ? seconds : 0;
}

static void add_runs(struct sc_async_lane *lane, const struct sc_task_waits *waits, size_t places)
{
    double end_s = 0;
    for (size_t i = 0; i < waits->runs.count && lane->runs.count < RUNS_MAX; i++) {
        const struct sc_task_run *from = &waits->runs.items[i];
        struct sc_async_run run = {.begin_s = time_of(from->start_s),
                                   .duration_s = time_of(from->length_s),
                                   .place = SC_NONE};
        if (from->place >= 1 && from->place <= places)
            run.place = from->place - 1;
        if (run.begin_s < end_s || run.duration_s <= 0)
            continue;
        end_s = run.begin_s + run.duration_s - 1e-5; /* both are rounded */
        lane->wait_s += run.duration_s;
        sc_vec_push(&lane->runs, run);
    }
}

void sc_async_find_lanes(struct sc_async *async, const struct sc_report *report)
{
    const struct sc_profile *profile = report->profile;
    for (size_t i = 0; i < profile->task_places.count && i < PLACES_MAX; i++) {
        const struct sc_task_place *from = &profile->task_places.items[i];
        struct sc_async_place place = {.file = file_named(profile, from->file),
                                       .name = from->function,
                                       .lineno = from->lineno};
        sc_vec_push(&async->places, place);
    }
    for (size_t i = 0; i < profile->task_lanes.count && i < LANES_MAX; i++) {
        const struct sc_task_waits *waits = &profile->task_lanes.items[i];
        struct sc_async_lane lane = {.name = waits->name, .pid = waits->pid};
        add_runs(&lane, waits, async->places.count);
        sc_vec_push(&async->lanes, lane);
    }
}

void sc_async_lanes_done(struct sc_async *async)
{
    for (size_t i = 0; i < async->lanes.count; i++)
        sc_vec_done(&async->lanes.items[i].runs);
    sc_vec_done(&async->places);
    sc_vec_done(&async->lanes);
}
