/*
 * tests/unit/advice_fixture.h - programs with a hot line, and what is advised of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "report_fixture.h"
#include "sc_test.h"

/* A profile of one file in which one line, counted from 1, takes what is given. */
struct world {
    struct sc_profile profile;
    struct sc_report report;
};

struct hot {
    uint32_t lineno;
    double python, native, system;
};
#define AT(...) ((struct hot){__VA_ARGS__})

static inline struct sc_file *make(struct world *world, const char *text)
{
    *world = (struct world){.profile = {.elapsed_s = 10.0}};
    return fixture_source(&world->profile, "a.py", text);
}

static inline void set(struct sc_file *file, struct hot hot)
{
    struct sc_cost *cost = &file->lines.items[hot.lineno - 1].cost;
    cost->cpu_python_percent = hot.python;
    cost->cpu_native_percent = hot.native;
    cost->system_percent = hot.system;
    cost->cpu_share_error = 1.2;
}

static inline void world_done(struct world *world)
{
    sc_report_done(&world->report);
    sc_profile_done(&world->profile);
}

/* The finding, NULL for none, of the profile as it is now. */
static inline const struct sc_finding *found(struct world *world, const char *id)
{
    report_again(&world->report, &world->profile);
    return finding_of(&world->report, id);
}

/* The finding, in which the words stand. */
static inline const struct sc_finding *said(struct world *world, const char *id, const char *words)
{
    const struct sc_finding *finding = found(world, id);
    assert_says(finding, words);
    return finding;
}
