/*
 * tests/unit/advice_fixture.h - programs with a hot line, and what is advised of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <string.h>

#include "report/report.h"
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

static inline struct sc_file *make(struct world *world, const char *text)
{
    *world = (struct world){.profile = {.elapsed_s = 10.0}};
    struct sc_file *file = fixture_file(&world->profile, "a.py");
    while (*text != '\0') {
        size_t length = strcspn(text, "\n") + 1;
        SC_AUTO_FREE char *line = sc_strndup(text, length);
        fixture_line(file, line, 0.0, 0.0, 0.0);
        text += length;
    }
    return file;
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

static inline const struct sc_finding *found(struct world *world, const char *id)
{
    sc_report_init(&world->report, &world->profile, false);
    for (size_t i = 0; i < world->report.overview.findings.count; i++) {
        const struct sc_finding *finding = &world->report.overview.findings.items[i];
        if (strcmp(finding->id, id) == 0)
            return finding;
    }
    return NULL;
}
